//! Ports for samplers that send bytes without a protocol: received data is recorded piece by piece
//! and echoed.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};

use super::{Request, Shared};

/// How a client detects the end of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By a final byte.
    Byte(u8),
    /// By the end of the connection.
    Close,
    /// By the length, which is part of what the client sent.
    Echo,
}

/// Echoes each piece that is read, with such an end.
pub(super) fn serve(mut stream: TcpStream, connection: usize, end: End, shared: &Shared) -> io::Result<()> {
    let mut piece = vec![0; 65536];
    loop {
        let count = stream.read(&mut piece)?;
        if count == 0 {
            return Ok(());
        }
        let head = piece[..count].to_vec();
        let answer = answer(&head, end);
        shared.requests.lock().push(Request { connection, client: None, head, body: Vec::new() });
        stream.write_all(&answer)?;
        if end == End::Close {
            return stream.shutdown(Shutdown::Both);
        }
    }
}

fn answer(piece: &[u8], end: End) -> Vec<u8> {
    let mut bytes = piece.to_vec();
    if let End::Byte(last) = end {
        bytes.push(last);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::Recorder;
    use super::*;

    fn said(end: End, sent: &[u8], expected: usize) -> Vec<u8> {
        let recorder = Recorder::start().unwrap();
        let mut client = TcpStream::connect(("127.0.0.1", recorder.raw(end).unwrap())).unwrap();
        client.write_all(sent).unwrap();
        let mut bytes = vec![0; expected];
        client.read_exact(&mut bytes).unwrap();
        if end == End::Close {
            assert_eq!(client.read(&mut [0; 1]).unwrap(), 0);
        }
        let requests = recorder.finish();
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].head, sent);
        bytes
    }

    #[test]
    fn pieces_come_back_with_their_end() {
        assert_eq!(said(End::Byte(b'\n'), b"a", 2), b"a\n");
        assert_eq!(said(End::Close, b"bc", 2), b"bc");
        assert_eq!(said(End::Echo, b"\0\x01d", 3), b"\0\x01d");
    }
}
