//! WebSockets below `/ws`: each frame is recorded without its mask and answered by simple rules.
//!
//! | text | answer |
//! |---|---|
//! | `twice` | the texts `first` and `second` |
//! | `binary please` | a binary frame with the bytes 1 and 2 |
//! | `fragments` | a text in two fragments, `frag` and `ment` |
//! | `ping first` | a ping, then the text |
//! | `squeezed` | `Hello` in a compressed frame, if the client asked for such |
//! | `close please` | a close frame with the status 1001 and the reason `going` |
//! | `silence` | nothing |
//! | any other, and binary frames | the same |
//!
//! A ping gets a pong, a close frame the same back. A path `/ws/late/MS` delays each answer.

use std::io::{self, Read, Write};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest as _, Sha1};

use super::{Request, Shared};

const KEY: &str = "Sec-WebSocket-Key";

/// Whether a request asks for a WebSocket.
pub(super) fn is_upgrade(request: &Request) -> bool {
    request.header("Upgrade").is_some_and(|value| value.eq_ignore_ascii_case("websocket"))
        && request.target().starts_with("/ws")
}

/// Answers the upgrade and the frames after it.
pub(super) fn serve(
    stream: &mut (impl Read + Write),
    request: Request,
    mut unread: Vec<u8>,
    shared: &Shared,
) -> io::Result<()> {
    let key = request.header(KEY).unwrap_or_default();
    let delay_ms = request.target().strip_prefix("/ws/late/").and_then(|ms| ms.parse().ok()).unwrap_or(0);
    let extension = request.header("Sec-WebSocket-Extensions").filter(|value| value.contains("deflate"));
    let connection = request.connection;
    // The key differs from run to run.
    let head = String::from_utf8_lossy(&request.head).replace(&key, "*").into_bytes();
    shared.requests.lock().push(Request { head, ..request });
    let extension = extension.map_or("", |_| "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    let accept = accept(&key);
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n{extension}\r\n"
    );
    stream.write_all(answer.as_bytes())?;
    stream.flush()?;
    while let Some((first, payload)) = read_frame(stream, &mut unread)? {
        let shown = format!("{first:02x} {}", payload.escape_ascii());
        let head = shown.into_bytes();
        shared.requests.lock().push(Request { connection, client: None, head, body: Vec::new() });
        thread::sleep(Duration::from_millis(delay_ms));
        stream.write_all(&answers(first, &payload))?;
        stream.flush()?;
        if first & 15 == 8 {
            return Ok(());
        }
    }
    Ok(())
}

fn accept(key: &str) -> String {
    let mut sum = Sha1::new();
    sum.update(format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
    STANDARD.encode(sum.finalize())
}

/// The first byte and the payload of the next frame.
fn read_frame(stream: &mut impl Read, unread: &mut Vec<u8>) -> io::Result<Option<(u8, Vec<u8>)>> {
    let mut take = |count: usize| -> io::Result<Option<Vec<u8>>> {
        while unread.len() < count {
            let mut piece = [0; 4096];
            match stream.read(&mut piece)? {
                0 => return Ok(None),
                read => unread.extend_from_slice(&piece[..read]),
            }
        }
        let rest = unread.split_off(count);
        Ok(Some(std::mem::replace(unread, rest)))
    };
    let Some(start) = take(2)? else { return Ok(None) };
    let more = match start[1] & 127 {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    let Some(long) = take(more)? else { return Ok(None) };
    let short = usize::from(start[1] & 127);
    let length =
        if more == 0 { short } else { long.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)) };
    let Some(mask) = take(4)? else { return Ok(None) };
    let Some(mut payload) = take(length)? else { return Ok(None) };
    payload.iter_mut().enumerate().for_each(|(i, byte)| *byte ^= mask[i % 4]);
    Ok(Some((start[0], payload)))
}

fn answers(first: u8, payload: &[u8]) -> Vec<u8> {
    match (first, payload) {
        (0x81, b"twice") => [frame(0x81, b"first"), frame(0x81, b"second")].concat(),
        (0x81, b"binary please") => frame(0x82, &[1, 2]),
        (0x81, b"fragments") => [frame(0x01, b"frag"), frame(0x80, b"ment")].concat(),
        (0x81, b"ping first") => [frame(0x89, b"there?"), frame(0x81, payload)].concat(),
        // RFC 7692, section 7.2.3.1.
        (0x81, b"squeezed") => frame(0xc1, b"\xf2\x48\xcd\xc9\xc9\x07\x00"),
        (0x81, b"close please") => frame(0x88, b"\x03\xe9going"),
        (0x81, b"silence") | (0x8a, _) => Vec::new(),
        (0x89, _) => frame(0x8a, payload),
        _ => frame(first, payload),
    }
}

fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let length = payload.len();
    let mut out = vec![first];
    match u8::try_from(length) {
        Ok(short) if short < 126 => out.push(short),
        _ => {
            out.push(127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(payload);
    out
}

#[cfg(test)]
mod tests {
    use super::super::Recorder;
    use super::*;
    use std::net::TcpStream;

    #[test]
    fn frames_are_recorded_and_answered() {
        let recorder = Recorder::start().unwrap();
        let mut client = TcpStream::connect(("127.0.0.1", recorder.port())).unwrap();
        let upgrade =
            "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        client.write_all(upgrade.as_bytes()).unwrap();
        client.write_all(b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58\x88\x80\x00\x00\x00\x00").unwrap();
        let mut said = Vec::new();
        client.read_to_end(&mut said).unwrap();
        assert!(
            said.ends_with(b"Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\x81\x05Hello\x88\x00"),
            "{said:?}"
        );
        let seen: Vec<_> = recorder.finish().iter().map(Request::line).collect();
        assert_eq!(seen, ["GET /ws HTTP/1.1", "81 Hello", "88 "]);
    }
}
