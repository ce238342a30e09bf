//! Servers of gRPC that act on each call as a test says. Tests of the program use them, too.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};

use swell_http2::{Events, Fields, RequestHead, Scratch, Settings, StreamId, server};

/// What a scripted server does with a call.
pub(crate) type Act = fn(&mut server::Session, StreamId, &mut Vec<u8>);

#[derive(Default)]
struct Heads(Vec<StreamId>);

impl Events for Heads {
    fn request(&mut self, stream: StreamId, _: RequestHead<'_>) {
        self.0.push(stream);
    }
}

/// A server that acts on each call as soon as its head has come, and its port.
pub(crate) fn scripted(
    act: impl Fn(&mut server::Session, StreamId, &mut Vec<u8>) + Clone + Send + 'static,
) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let act = act.clone();
            // The client may go at any time.
            std::thread::spawn(move || drop(serve(stream, act)));
        }
    });
    port
}

fn serve(
    mut stream: TcpStream,
    act: impl Fn(&mut server::Session, StreamId, &mut Vec<u8>),
) -> io::Result<()> {
    let mut session = server::Session::new(&Settings::server());
    let mut out = Vec::new();
    session.start(&mut out);
    let mut heads = Heads::default();
    let mut scratch = Scratch::default();
    let mut buffer = vec![0; 64 << 10];
    loop {
        stream.write_all(&std::mem::take(&mut out))?;
        let count = stream.read(&mut buffer)?;
        if count == 0 || session.feed(&buffer[..count], &mut scratch, &mut out, &mut heads).is_err() {
            return Ok(());
        }
        for id in heads.0.drain(..) {
            act(&mut session, id, &mut out);
        }
    }
}

/// The head of a response with further lines.
pub(crate) fn head(session: &mut server::Session, id: StreamId, lines: &[u8], end: bool, out: &mut Vec<u8>) {
    let lines = [b"content-type: application/grpc\r\n", lines].concat();
    session.respond(id, 200, &Fields::default(), &lines, end, out).expect("valid lines");
}

/// A status that says that all is well.
pub(crate) const OK: &[u8] = b"grpc-status: 0\r\n";

/// A server whose windows stay closed, and its port.
pub(crate) fn closed_windows() -> u16 {
    // SETTINGS with INITIAL_WINDOW_SIZE 0.
    const SETTINGS: [u8; 15] = [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0];
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // The client may go at any time.
            let _ = stream.write_all(&SETTINGS).and_then(|()| io::copy(&mut stream, &mut io::sink()));
        }
    });
    port
}

/// A message of 8 MiB in a few kilobytes.
pub(crate) fn bomb() -> Vec<u8> {
    let mut bytes = Vec::new();
    swell_grpc::write_gzip(&vec![0; 8 << 20], &mut bytes);
    bytes
}
