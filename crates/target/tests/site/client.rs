//! A client that sends given bytes and keeps the responses.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use swell_target::{Options, Target, start};

/// Long enough never to pass in a test that works, short enough that one that hangs fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn site() -> Target {
    start(Options { misbehave: true, log_entries: 100, ..Options::default() }).expect("a free port")
}

pub(crate) struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

pub(crate) struct Answer {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn new(target: &Target) -> Self {
        let stream = TcpStream::connect(target.addr()).expect("the site listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket option");
        Self { stream, read: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).expect("the site reads");
    }

    pub(crate) fn finish_sending(&self) {
        self.stream.shutdown(Shutdown::Write).expect("the connection is open");
    }

    /// GET on this connection.
    pub(crate) fn get(&mut self, target: &str) -> Answer {
        self.send(format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n"));
        self.answer()
    }

    /// The next answer with its body, by length, by chunks, or up to the end of the connection.
    pub(crate) fn answer(&mut self) -> Answer {
        let head = self.head();
        let bodiless = head.contains(" 304 ") || head.contains(" 204 ") || head.starts_with("HTTP/1.1 1");
        let body = match head_value(&head, "content-length") {
            _ if bodiless => Vec::new(),
            Some(length) => self.take(length.parse().expect("a number")),
            None if head_value(&head, "transfer-encoding") == Some("chunked") => self.chunks().concat(),
            None => self.rest(),
        };
        Answer { head, body }
    }

    /// The head of the next answer.
    pub(crate) fn head(&mut self) -> String {
        loop {
            if let Some(end) = self.read.windows(4).position(|window| window == b"\r\n\r\n") {
                return String::from_utf8(self.take(end + 4)).expect("a head is text");
            }
            assert!(self.more() > 0, "ended within a head: {}", self.read.escape_ascii());
        }
    }

    /// The chunks up to the last one, which is empty.
    pub(crate) fn chunks(&mut self) -> Vec<Vec<u8>> {
        let mut chunks = Vec::new();
        loop {
            while !self.read.windows(2).any(|window| window == b"\r\n") {
                assert!(self.more() > 0, "ended within a chunk");
            }
            let end = self.read.windows(2).position(|window| window == b"\r\n").expect("just seen");
            let line = String::from_utf8(self.take(end + 2)).expect("a size is text");
            let size = usize::from_str_radix(line.trim(), 16).expect("a size is hexadecimal");
            let mut chunk = self.take(size + 2);
            assert_eq!(chunk.split_off(size), b"\r\n");
            if size == 0 {
                return chunks;
            }
            chunks.push(chunk);
        }
    }

    pub(crate) fn take(&mut self, count: usize) -> Vec<u8> {
        while self.read.len() < count {
            assert!(self.more() > 0, "ended after {} of {count} bytes", self.read.len());
        }
        let rest = self.read.split_off(count);
        std::mem::replace(&mut self.read, rest)
    }

    /// Everything up to the end of the connection.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while self.more() > 0 {}
        std::mem::take(&mut self.read)
    }

    /// How the connection ends.
    pub(crate) fn end(&mut self) -> std::io::Result<usize> {
        self.stream.read(&mut [0; 1])
    }

    fn more(&mut self) -> usize {
        let mut buffer = [0; 16_384];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(count) => {
                    self.read.extend_from_slice(&buffer[..count]);
                    return count;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("{error} after {}", self.read.escape_ascii()),
            }
        }
    }
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.head[9..12].parse().expect("a status line has a status")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        head_value(&self.head, name)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a body of text")
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("a body of JSON")
    }
}

fn head_value<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let pairs = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    pairs.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}
