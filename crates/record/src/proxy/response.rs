//! A response on its way to the client: what it is, where it ends.

use swell_http1::client::ResponseHead;
use swell_http1::{BodyDecoder, ChunkRules, Framing, WireError, latin1};

use crate::exchange::{Message, RecordedResponse};

/// Heads larger than this are refused.
const HEAD_BYTES: usize = 256 << 10;

/// Reads a response from bytes that are passed on as they are.
pub(super) struct ResponseReader {
    to_head: bool,
    body: Option<BodyDecoder>,
    reusable: bool,
}

/// What the bytes of a server are.
#[derive(Debug)]
pub(super) enum Step {
    /// The beginning of a head.
    Incomplete,
    /// An interim response of this length.
    Interim(usize),
    /// The head of the final response, of this length.
    Head(usize, RecordedResponse),
    /// The head of a response that switches the protocol, of this length.
    Switch(usize, RecordedResponse),
    /// This number of bytes of the body.
    Body(usize),
}

impl ResponseReader {
    /// `to_head`: to a HEAD request.
    pub(super) fn new(to_head: bool) -> Self {
        Self { to_head, body: None, reusable: false }
    }

    /// Whether it is complete.
    pub(super) fn is_done(&self) -> bool {
        self.body.as_ref().is_some_and(BodyDecoder::is_done)
    }

    /// The connection takes another request.
    pub(super) fn is_reusable(&self) -> bool {
        self.reusable && self.is_done()
    }

    /// Looks at what came; `body` gets the body without its transfer coding.
    pub(super) fn feed(&mut self, bytes: &[u8], body: impl FnMut(&[u8])) -> Result<Step, WireError> {
        if let Some(decoder) = &mut self.body {
            return decoder.feed(bytes, ChunkRules::HttpClient, body).map(|(used, _)| Step::Body(used));
        }
        let Some(end) = head_end(bytes) else {
            return if bytes.len() > HEAD_BYTES {
                Err(WireError::HeadTooLarge)
            } else {
                Ok(Step::Incomplete)
            };
        };
        let head = ResponseHead::parse(&bytes[..end], self.to_head)?;
        let status = head.facts.status;
        if status < 200 && status != 101 {
            return Ok(Step::Interim(end));
        }
        let headers = head.headers().map(|(name, value)| (latin1::decode(&name), latin1::decode(&value)));
        let message = Message { headers: headers.collect(), ..Message::default() };
        let response = RecordedResponse { status, reason: latin1::decode(head.reason()), message };
        if status == 101 {
            return Ok(Step::Switch(end, response));
        }
        self.reusable = head.facts.reusable && head.facts.framing != Framing::UntilClose;
        self.body = Some(BodyDecoder::new(head.facts.framing));
        Ok(Step::Head(end, response))
    }

    /// The server has ended.
    pub(super) fn end(&mut self) -> Result<(), WireError> {
        self.reusable = false;
        match &mut self.body {
            Some(body) => body.end(ChunkRules::HttpClient),
            None => Err(WireError::NoResponse),
        }
    }
}

/// The length of the head that the bytes begin with: an empty line ends it.
fn head_end(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    let mut has_line = false;
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        let line = &bytes[start..at];
        if has_line && line.strip_suffix(b"\r").unwrap_or(line).is_empty() {
            return Some(at + 1);
        }
        has_line |= !line.strip_suffix(b"\r").unwrap_or(line).is_empty();
        start = at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_followed_to_their_end() {
        let mut reader = ResponseReader::new(false);
        let bytes = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n3\r\nabc\r\n0\r\n\r\nX";
        for end in 0..25 {
            assert!(matches!(reader.feed(&bytes[..end], |_| {}), Ok(Step::Incomplete)), "{end}");
        }
        assert!(matches!(reader.feed(bytes, |_| {}), Ok(Step::Interim(25))));
        let Ok(Step::Head(length, response)) = reader.feed(&bytes[25..], |_| {}) else { panic!("a head") };
        assert_eq!(
            (response.status, &*response.reason, response.message.header("a")),
            (200, "OK", Some("b"))
        );
        let mut body = Vec::new();
        let used = reader.feed(&bytes[25 + length..], |piece| body.extend_from_slice(piece));
        assert!(matches!(used, Ok(Step::Body(used)) if used + 25 + length + 1 == bytes.len()));
        assert_eq!((&*body, reader.is_done(), reader.is_reusable()), (&b"abc"[..], true, true));
    }

    #[test]
    fn switched_and_endless_responses_are_known() {
        let mut reader = ResponseReader::new(false);
        let switch = b"HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\n\n\x81";
        assert!(
            matches!(reader.feed(switch, |_| {}), Ok(Step::Switch(length, _)) if length + 1 == switch.len())
        );
        let mut reader = ResponseReader::new(false);
        assert!(matches!(reader.feed(b"HTTP/1.0 200\r\n\r\n", |_| {}), Ok(Step::Head(..))));
        assert!(!reader.is_done() && reader.end().is_ok() && !reader.is_reusable());
        let mut reader = ResponseReader::new(false);
        assert!(reader.feed(b"ICY 200 OK\r\n\r\n", |_| {}).is_err() && reader.end().is_err());
        let mut to_head = ResponseReader::new(true);
        assert!(matches!(
            to_head.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", |_| {}),
            Ok(Step::Head(..))
        ));
        assert!(to_head.is_reusable());
    }
}
