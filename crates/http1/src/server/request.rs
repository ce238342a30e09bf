//! The head of a request, parsed in place without copies.

use std::mem::MaybeUninit;

use httparse::{Request, Status};

pub use httparse::Header;

use super::response::Refusal;
use crate::body::Framing;

/// More header fields than this get 431.
const HEADERS_MAX: usize = 100;

/// A request head, borrowed from its bytes.
#[expect(clippy::struct_excessive_bools, reason = "independent facts of the request")]
#[derive(Debug)]
pub struct RequestHead<'a> {
    /// The method.
    pub method: &'a str,
    /// The path of the target, still encoded.
    pub path: &'a str,
    /// What follows the first `?` of the target, still encoded.
    pub query: &'a str,
    /// Header fields in order.
    pub headers: &'a [Header<'a>],
    /// The bytes of the whole head, with the empty line.
    pub raw: &'a [u8],
    /// Where the body ends; never [`Framing::UntilClose`] (RFC 9112 §6).
    pub framing: Framing,
    /// The client wants the connection kept: HTTP/1.1 without `close`, or HTTP/1.0 with
    /// `keep-alive`.
    pub keep_alive: bool,
    /// An HTTP/1.0 client knows no chunks and no interim answers.
    pub http10: bool,
    /// The client waits for an interim answer before it sends the body.
    pub expects_continue: bool,
    /// The client takes gzip.
    pub gzip: bool,
    /// The value of `If-Modified-Since`.
    pub if_modified_since: Option<&'a [u8]>,
}

/// The value of the first header of that name.
pub fn header<'a>(headers: &[Header<'a>], name: &str) -> Option<&'a [u8]> {
    headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value)
}

/// Parses the head that `bytes` begin with and hands it to `answer`.
///
/// Returns the length of the head and what `answer` returned, or `None` where the head is not
/// complete yet.
///
/// # Errors
/// The head is none, is larger than `head_bytes_max`, or says what a server must refuse; or
/// `answer` refuses.
pub fn parse<R>(
    bytes: &[u8],
    head_bytes_max: usize,
    answer: impl FnOnce(&RequestHead<'_>) -> Result<R, Refusal>,
) -> Result<Option<(usize, R)>, Refusal> {
    let mut headers = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let mut request = Request::new(&mut []);
    match request.parse_with_uninit_headers(bytes, &mut headers) {
        Ok(Status::Complete(length)) if length <= head_bytes_max => {
            answer(&read(&request, &bytes[..length])?).map(|answer| Some((length, answer)))
        }
        Ok(Status::Partial) if bytes.len() <= head_bytes_max => Ok(None),
        Ok(_) => Err(Refusal::new(
            431,
            format!(
                "the request line and headers are longer than {head_bytes_max} \
                                           bytes"
            ),
        )),
        Err(error) => Err(refuse(error)),
    }
}

fn refuse(error: httparse::Error) -> Refusal {
    match error {
        httparse::Error::TooManyHeaders => {
            Refusal::new(431, format!("more than {HEADERS_MAX} header fields"))
        }
        httparse::Error::Version => Refusal::new(505, "only HTTP/1.1 and HTTP/1.0 are supported"),
        other => Refusal::new(400, format!("not an HTTP request: {other}")),
    }
}

fn read<'a>(request: &'a Request<'_, 'a>, raw: &'a [u8]) -> Result<RequestHead<'a>, Refusal> {
    let http10 = request.version == Some(0);
    let (path, query) = split_target(request.path.unwrap_or("/"));
    let mut head = RequestHead {
        method: request.method.unwrap_or(""),
        path,
        query,
        headers: request.headers,
        raw,
        framing: Framing::None,
        keep_alive: !http10,
        http10,
        expects_continue: false,
        gzip: false,
        if_modified_since: None,
    };
    for field in &*request.headers {
        head.take(field)?;
    }
    Ok(head)
}

impl<'a> RequestHead<'a> {
    /// Notes what one header field says about the connection, the body or the answer's form. The
    /// length of the name is looked at first, since most fields are others.
    fn take(&mut self, field: &Header<'a>) -> Result<(), Refusal> {
        let is = |name: &str| field.name.eq_ignore_ascii_case(name);
        match field.name.len() {
            6 if is("expect") => self.expects_continue = !self.http10 && expectation(field.value)?,
            10 if is("connection") => self.connection(field.value),
            14 if is("content-length") => self.content_length(field.value)?,
            15 if is("accept-encoding") => self.gzip = self.gzip || accepts_gzip(field.value),
            17 if is("transfer-encoding") => self.transfer_encoding(field.value)?,
            17 if is("if-modified-since") => self.if_modified_since = Some(field.value),
            _ => {}
        }
        Ok(())
    }

    fn connection(&mut self, value: &[u8]) {
        for token in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
            if token.eq_ignore_ascii_case(b"close") {
                self.keep_alive = false;
            } else if token.eq_ignore_ascii_case(b"keep-alive") && self.http10 {
                self.keep_alive = true;
            }
        }
    }

    fn content_length(&mut self, value: &[u8]) -> Result<(), Refusal> {
        let digits = value.trim_ascii();
        let length =
            std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(length) = length.and_then(|text| text.parse().ok()) else {
            return Err(Refusal::new(
                400,
                format!("Content-Length is not a number: {}", value.escape_ascii()),
            ));
        };
        match self.framing {
            Framing::Length(before) if before != length => {
                Err(Refusal::new(400, "two values of Content-Length"))
            }
            // Chunks win over a length (RFC 9112 §6.3).
            Framing::Chunked => Ok(()),
            _ => {
                self.framing = if length == 0 { Framing::None } else { Framing::Length(length) };
                Ok(())
            }
        }
    }

    fn transfer_encoding(&mut self, value: &[u8]) -> Result<(), Refusal> {
        if !value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
            return Err(Refusal::new(501, format!("unsupported Transfer-Encoding {}", value.escape_ascii())));
        }
        self.framing = Framing::Chunked;
        Ok(())
    }
}

fn expectation(value: &[u8]) -> Result<bool, Refusal> {
    if value.trim_ascii().eq_ignore_ascii_case(b"100-continue") {
        return Ok(true);
    }
    Err(Refusal::new(417, "unsupported expectation; only 100-continue is supported"))
}

/// Whether a value of `Accept-Encoding` names gzip with a weight above zero.
fn accepts_gzip(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    text.split(',').any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let named = parts.next().is_some_and(|token| token.eq_ignore_ascii_case("gzip"));
        named && !parts.any(is_zero_weight)
    })
}

fn is_zero_weight(part: &str) -> bool {
    part.split_once('=')
        .is_some_and(|(name, weight)| name.eq_ignore_ascii_case("q") && weight.parse() == Ok(0.0))
}

/// Path and query of a target in origin form or, as proxies send it, absolute form.
fn split_target(target: &str) -> (&str, &str) {
    let origin = match target.split_once("://") {
        Some((scheme, rest)) if !scheme.contains('/') => rest.find(['/', '?']).map_or("/", |at| &rest[at..]),
        _ => target,
    };
    origin.split_once('?').unwrap_or((origin, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(bytes: &[u8]) -> Result<Option<(usize, String)>, u16> {
        parse(bytes, 1_000, |head| {
            let kept = if head.keep_alive { "keep" } else { "close" };
            let expects = if head.expects_continue { " expects" } else { "" };
            Ok(format!("{} {} ?{} {:?} {kept}{expects}", head.method, head.path, head.query, head.framing))
        })
        .map_err(|refusal| refusal.status)
    }

    #[test]
    fn heads_are_read() {
        let table = [
            ("GET / HTTP/1.1\r\n\r\n", "GET / ? None keep"),
            ("GET /a?b=c?d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET /a ?b=c?d None close"),
            ("GET / HTTP/1.0\r\n\r\n", "GET / ? None close"),
            ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / ? None keep"),
            ("GET / HTTP/1.1\r\nConnection: TE, close\r\n\r\n", "GET / ? None close"),
            ("GET http://h:1/p?q HTTP/1.1\r\n\r\n", "GET /p ?q None keep"),
            ("GET http://h?q HTTP/1.1\r\n\r\n", "GET  ?q None keep"),
            (
                "GET /redirect-to?url=http://h/p HTTP/1.1\r\n\r\n",
                "GET /redirect-to ?url=http://h/p None keep",
            ),
            ("POST /a HTTP/1.1\r\ncontent-LENGTH: 12\r\n\r\n", "POST /a ? Length(12) keep"),
            ("POST /a HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "POST /a ? None keep"),
            (
                "POST /a HTTP/1.1\r\nTransfer-Encoding: Chunked\r\nContent-Length: 3\r\n\r\n",
                "POST /a ? Chunked keep",
            ),
            (
                "POST /a HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n",
                "POST /a ? Length(3) keep expects",
            ),
        ];
        for (bytes, wanted) in table {
            let (length, seen) = facts(bytes.as_bytes()).unwrap().unwrap();
            assert_eq!(seen, wanted, "{bytes:?}");
            assert_eq!(length, bytes.len());
        }
    }

    #[test]
    fn every_beginning_of_a_head_is_incomplete() {
        let whole = b"POST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n";
        for end in 0..whole.len() {
            assert_eq!(facts(&whole[..end]), Ok(None), "{end}");
        }
    }

    #[test]
    fn bad_heads_are_refused_with_the_right_status() {
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1_000));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(101));
        let table = [
            ("\x16\x03\x01\x02\0\x01\0\x01\u{fc}\x03\x03", 400),
            ("nonsense\r\n\r\n", 400),
            ("GET /\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\n\r\n", 505),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1e3\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
            ("GET / HTTP/1.1\r\nExpect: miracles\r\n\r\n", 417),
            (&long, 431),
            (&long[..1_001], 431),
            (&many, 431),
        ];
        for (bytes, status) in table {
            assert_eq!(facts(bytes.as_bytes()), Err(status), "{bytes:?}");
        }
    }

    #[test]
    fn gzip_is_taken_by_name_and_weight() {
        let table: [(&[u8], bool); 8] = [
            (b"gzip", true),
            (b"gzip,deflate,sdch", true),
            (b"br;q=1.0, GZIP;q=0.5", true),
            (b"gzip;q=0", false),
            (b"gzip; q=0.000", false),
            (b"deflate, br", false),
            (b"x-gzip", false),
            (b"\xff\xfe", false),
        ];
        for (value, wanted) in table {
            assert_eq!(accepts_gzip(value), wanted, "{}", value.escape_ascii());
        }
    }
}
