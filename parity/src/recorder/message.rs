//! Requests as received on a connection.

use std::io::{self, Read};

/// A request with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// Number of the connection, in order of acceptance, from 0.
    pub(crate) connection: usize,
    /// Name in the client's certificate, `nobody` without a certificate; `None` without TLS.
    pub(crate) client: Option<String>,
    /// Request line and headers, including the empty line after them.
    pub(crate) head: Vec<u8>,
    /// The body as sent, including chunk framing.
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Returns the request line without its line end; bytes that are not UTF-8 are replaced.
    pub(crate) fn line(&self) -> String {
        let end = self.head.windows(2).position(|pair| pair == b"\r\n").unwrap_or(self.head.len());
        String::from_utf8_lossy(&self.head[..end]).into_owned()
    }

    /// The method.
    pub(crate) fn method(&self) -> String {
        self.line().split(' ').next().unwrap_or_default().to_owned()
    }

    /// The target as sent.
    pub(crate) fn target(&self) -> String {
        self.line().split(' ').nth(1).unwrap_or_default().to_owned()
    }

    /// Returns the value of the first header with this name, ignoring case.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let head = String::from_utf8_lossy(&self.head);
        let lines = head.split("\r\n").skip(1);
        let mut pairs = lines.filter_map(|line| line.split_once(':'));
        pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
    }
}

/// Reads the next request; `None` at the end of the connection. `unread` keeps the bytes after it.
pub(super) fn read_request(
    stream: &mut impl Read,
    unread: &mut Vec<u8>,
    connection: usize,
) -> io::Result<Option<Request>> {
    let head_end = loop {
        if let Some(at) = find(unread, b"\r\n\r\n") {
            break at + 4;
        }
        if !more(stream, unread)? {
            return Ok(None);
        }
    };
    let rest = unread.split_off(head_end);
    let head = std::mem::replace(unread, rest);
    let mut request = Request { connection, client: None, head, body: Vec::new() };
    let length = loop {
        if let Some(length) = body_length(&request, unread) {
            break length;
        }
        if !more(stream, unread)? {
            break unread.len();
        }
    };
    let rest = unread.split_off(length.min(unread.len()));
    request.body = std::mem::replace(unread, rest);
    Ok(Some(request))
}

/// Returns the length of the body if `bytes` contains all of it.
fn body_length(request: &Request, bytes: &[u8]) -> Option<usize> {
    let chunked = request.header("transfer-encoding").is_some_and(|v| v.eq_ignore_ascii_case("chunked"));
    if chunked {
        return find(bytes, b"0\r\n\r\n").map(|at| at + 5);
    }
    let length = request.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    (bytes.len() >= length).then_some(length)
}

fn more(stream: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let mut piece = [0; 8192];
    let count = stream.read(&mut piece)?;
    bytes.extend_from_slice(&piece[..count]);
    Ok(count > 0)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
