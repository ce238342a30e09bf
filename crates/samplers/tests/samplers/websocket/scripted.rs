//! Servers of WebSockets that do what a test says. Tests of the program use them, too.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use swell_websocket::handshake::accept;

/// A server that hands each connection to `serve`, and its port.
pub(crate) fn server(serve: impl Fn(usize, TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            serve(number, stream);
        }
    });
    port
}

/// Reads a head, and no byte more.
pub(crate) fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

/// The answer to an upgrade, with further lines.
pub(crate) fn switching(head: &str, lines: &str) -> String {
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap_or_default();
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {}\r\n{lines}\r\n",
        accept(key)
    )
}

/// A server that agrees to each upgrade and hands the connection to a thread with `serve`.
pub(crate) fn websocket_server(
    lines: &'static str,
    serve: impl Fn(TcpStream, String) + Clone + Send + 'static,
) -> u16 {
    server(move |_, mut stream| {
        let serve = serve.clone();
        std::thread::spawn(move || {
            let Some(head) = read_head(&mut stream) else { return };
            if stream.write_all(switching(&head, lines).as_bytes()).is_ok() {
                serve(stream, head);
            }
        });
    })
}

/// Reads a frame of a client with at most 125 bytes: its first byte and its payload.
pub(crate) fn read_frame(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 6];
    stream.read_exact(&mut head).ok()?;
    let mut payload = vec![0; usize::from(head[1] & 0x7f)];
    stream.read_exact(&mut payload).ok()?;
    for (at, byte) in payload.iter_mut().enumerate() {
        *byte ^= head[2 + at % 4];
    }
    Some((head[0], payload))
}
