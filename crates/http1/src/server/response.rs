//! Response heads.

/// How the end of a body is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// A length in bytes.
    Bytes(u64),
    /// Chunks.
    Chunked,
    /// Not at all: the connection closes.
    UntilClose,
    /// No body and no header about it (304, 204).
    None,
}

/// The state of the connection after a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// It takes another request.
    KeepAlive,
    /// It closes.
    Close,
}

/// A response head to write.
#[derive(Clone, Copy, Debug)]
pub struct ResponseHeadFields<'a> {
    /// Status code.
    pub status: u16,
    /// Reason phrase.
    pub reason: &'a str,
    /// Header lines, each with its CR LF, in pieces that follow each other as they are.
    pub lines: &'a [&'a [u8]],
    /// The last header line but one, if there is one to write.
    pub length: Length,
    /// The last header line.
    pub connection: Connection,
}

impl ResponseHeadFields<'_> {
    /// Appends the head, with its empty line.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut number = itoa::Buffer::new();
        out.extend_from_slice(b"HTTP/1.1 ");
        out.extend_from_slice(number.format(self.status).as_bytes());
        out.push(b' ');
        out.extend_from_slice(self.reason.as_bytes());
        out.extend_from_slice(b"\r\n");
        for piece in self.lines {
            out.extend_from_slice(piece);
        }
        match self.length {
            Length::Bytes(bytes) => {
                out.extend_from_slice(b"Content-Length: ");
                out.extend_from_slice(number.format(bytes).as_bytes());
                out.extend_from_slice(b"\r\n");
            }
            Length::Chunked => out.extend_from_slice(b"Transfer-Encoding: chunked\r\n"),
            Length::UntilClose | Length::None => {}
        }
        out.extend_from_slice(match self.connection {
            Connection::KeepAlive => b"Connection: keep-alive\r\n\r\n",
            Connection::Close => b"Connection: close\r\n\r\n",
        });
    }
}

/// A request that must be answered with an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Status code.
    pub status: u16,
    /// One line for the person at the other end: what is wrong, and what would be right.
    pub message: String,
}

impl Refusal {
    /// With a status and a message.
    pub fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// 400: a part of the path or query is not understood.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_as_they_are_meant() {
        for (length, connection, wanted) in [
            (Length::Bytes(7), Connection::Close, "Content-Length: 7\r\nConnection: close\r\n\r\n"),
            (
                Length::Chunked,
                Connection::KeepAlive,
                "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n",
            ),
            (Length::UntilClose, Connection::Close, "Connection: close\r\n\r\n"),
            (Length::None, Connection::Close, "Connection: close\r\n\r\n"),
        ] {
            let lines: [&[u8]; 2] = [b"X-A: ", b"b\r\n"];
            let mut out = Vec::new();
            ResponseHeadFields {
                status: 503,
                reason: "Service Unavailable",
                lines: &lines,
                length,
                connection,
            }
            .write(&mut out);
            let wanted = format!("HTTP/1.1 503 Service Unavailable\r\nX-A: b\r\n{wanted}");
            assert_eq!(String::from_utf8_lossy(&out), wanted);
        }
    }
}
