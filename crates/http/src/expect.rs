//! `Expect: 100-continue` (`HttpRequestExecutor.doSendRequest`, RFC 9110 section 10.1.1): the head
//! is sent first, and the body waits.

use std::io;

use swell_connect::Stream;
use swell_http1::latin1;
use swell_net::now_ns;

use crate::exchange::{EarlyResponse, ExchangeStart};
use crate::failure::Failure;

/// How long the body waits (`HttpRequestExecutor.DEFAULT_WAIT_FOR_CONTINUE`).
pub(crate) const WAIT_NS: i64 = 3_000_000_000;

/// An unterminated head is not an interim response.
const LARGEST_HEAD: usize = 64 << 10;

/// Sends the head of a request and waits for an interim or final response.
/// [`ExchangeStart::is_sent`] in the answer: the server has answered, so the body is not sent.
///
/// # Errors
/// The connection breaks; the server sends another interim response than `100 Continue`.
pub(crate) async fn send_head(stream: &mut Stream, head: &[u8]) -> Result<ExchangeStart, Failure> {
    stream.set_deadline(None);
    stream.send_all(head).await.map_err(|error| Failure::exchange(&error))?;
    stream.set_deadline(Some(now_ns() + WAIT_NS));
    let mut early: Option<EarlyResponse> = None;
    loop {
        let received = stream
            .recv(|bytes, arrival| {
                let kept = early.get_or_insert_with(|| EarlyResponse { bytes: Vec::new(), arrival });
                kept.bytes.extend_from_slice(bytes);
                kept.arrival = arrival;
                bytes.len()
            })
            .await;
        match received {
            // The body is sent nevertheless; its result decides.
            Err(error) if error.kind() == io::ErrorKind::TimedOut => break,
            Err(error) => return Err(Failure::exchange(&error)),
            Ok(0) => break,
            Ok(_) => {}
        }
        let bytes = early.as_ref().map_or(&[][..], |early| &early.bytes);
        if let Some(end) = head_end(bytes) {
            return after_head(early, end);
        }
        if bytes.len() > LARGEST_HEAD {
            break;
        }
    }
    stream.set_deadline(None);
    Ok(ExchangeStart { early: early.filter(|early| !early.bytes.is_empty()), is_sent: false })
}

/// What follows from a whole head.
fn after_head(early: Option<EarlyResponse>, end: usize) -> Result<ExchangeStart, Failure> {
    let Some(mut early) = early else { return Ok(ExchangeStart { early: None, is_sent: false }) };
    let line = early.bytes.split(|&byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    match status(line) {
        Some(100) => {
            early.bytes.drain(..end);
            Ok(ExchangeStart { early: Some(early).filter(|early| !early.bytes.is_empty()), is_sent: false })
        }
        Some(101..200) => Err(Failure::unexpected_response(&latin1::decode(line))),
        // Invalid responses fail as usual.
        _ => Ok(ExchangeStart { early: Some(early), is_sent: true }),
    }
}

/// Length of a head with the empty line at its end, once that is there.
fn head_end(bytes: &[u8]) -> Option<usize> {
    let mut line_start = 0;
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        let line = &bytes[line_start..at];
        if line_start > 0 && matches!(line, b"" | b"\r") {
            return Some(at + 1);
        }
        line_start = at + 1;
    }
    None
}

/// The status of a status line.
fn status(line: &[u8]) -> Option<u16> {
    let rest = line.strip_prefix(b"HTTP/")?;
    let digits = rest.split(|&byte| byte == b' ').filter(|part| !part.is_empty()).nth(1)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_end_with_an_empty_line() {
        assert_eq!(head_end(b"HTTP/1.1 100 Continue\r\n\r\nHTTP"), Some(25));
        assert_eq!(head_end(b"HTTP/1.1 100\n\n"), Some(14));
        assert_eq!(head_end(b"HTTP/1.1 413 Too\r\nA: b\r\n"), None);
    }

    #[test]
    fn status_lines() {
        assert_eq!(status(b"HTTP/1.1 100 Continue"), Some(100));
        assert_eq!(status(b"HTTP/1.1 413"), Some(413));
        assert_eq!(status(b"hello"), None);
    }
}
