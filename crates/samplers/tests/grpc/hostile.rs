//! The gRPC sampler with servers that break the protocol.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use swell_http2::{ErrorCode, Events, Fields, RequestHead, Scratch, Settings, StreamId, server};

use crate::bench::{PROTO, failed, result, run, text};

/// What a scripted server does with a call.
type Act = fn(&mut server::Session, StreamId, &mut Vec<u8>);

#[derive(Default)]
struct Heads(Vec<StreamId>);

impl Events for Heads {
    fn request(&mut self, stream: StreamId, _: RequestHead<'_>) {
        self.0.push(stream);
    }
}

/// A server that acts on each call as soon as its head has come, and its port.
fn scripted(act: Act) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The client may go at any time.
            let _ = serve(stream, act);
        }
    });
    port
}

fn serve(mut stream: TcpStream, act: Act) -> std::io::Result<()> {
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

fn head(session: &mut server::Session, id: StreamId, lines: &[u8], end: bool, out: &mut Vec<u8>) {
    let lines = [b"content-type: application/grpc\r\n", lines].concat();
    session.respond(id, 200, &Fields::default(), &lines, end, out).expect("valid lines");
}

/// A broken response: its name, how it is made, the status of the call and the start of its
/// description.
type Case = (&'static str, Act, &'static str, &'static str);

const OK: &[u8] = b"grpc-status: 0\r\n";

fn check(cases: &[Case]) {
    run(async |bench| {
        for (name, act, status, description) in cases {
            let texts = [("reflection", "false"), ("protoFolder", PROTO)];
            let sample = bench.call(scripted(*act), "Unary", &texts).await;
            assert_eq!(result(&sample), failed(status), "{name}: {}", text(&sample));
            assert!(text(&sample).starts_with(description), "{name}: {}", text(&sample));
        }
    });
}

#[test]
fn broken_messages_and_statuses_fail_the_sample() {
    check(&[
        (
            "a compressed message without an encoding",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\x01\0\0\0\x01x", false, out);
            },
            "13 INTERNAL",
            "Can't decode compressed gRPC message as compression not configured",
        ),
        (
            "a length of 4 GiB",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\xff\xff\xff\xff", false, out);
            },
            "8 RESOURCE_EXHAUSTED",
            "gRPC message exceeds maximum size 4194304: 4294967295",
        ),
        (
            "a message cut by the end",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\0\0\0\x05ab", false, out);
                session.send_trailers(id, OK, out).expect("valid");
            },
            "13 INTERNAL",
            "Encountered end-of-stream mid-frame",
        ),
        (
            "trailers only",
            |session, id, out| head(session, id, b"grpc-status: 7\r\ngrpc-message: no%21\r\n", true, out),
            "7 PERMISSION_DENIED",
            "no!",
        ),
        (
            "no status",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\0\0\0\0", true, out);
            },
            "2 UNKNOWN",
            "missing GRPC status in response",
        ),
        (
            "a status that is no number",
            |session, id, out| head(session, id, b"grpc-status: -1\r\n", true, out),
            "2 UNKNOWN",
            "invalid grpc-status `-1`; expected a number",
        ),
    ]);
}

#[test]
fn servers_that_break_the_protocol_fail_the_sample() {
    check(&[
        (
            "a page of a proxy",
            |session, id, out| {
                let lines = b"content-type: text/html\r\n";
                session.respond(id, 502, &Fields::default(), lines, false, out).expect("valid lines");
                session.send_data(id, b"<h1>Bad Gateway</h1>", true, out);
            },
            "14 UNAVAILABLE",
            "HTTP status code 502, invalid content-type: text/html",
        ),
        (
            "another type",
            |session, id, out| {
                session
                    .respond(id, 200, &Fields::default(), b"content-type: application/json\r\n", true, out)
                    .expect("valid lines");
            },
            "2 UNKNOWN",
            "invalid content-type: application/json",
        ),
        (
            "a reset",
            |session, id, out| session.reset(id, ErrorCode::CANCEL, out),
            "1 CANCELLED",
            "RST_STREAM: HTTP/2 error CANCEL",
        ),
        (
            "no message",
            |session, id, out| head(session, id, OK, true, out),
            "13 INTERNAL",
            "No value received for unary call",
        ),
        (
            "two messages",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\0\0\0\0\0\0\0\0\0", false, out);
                session.send_trailers(id, OK, out).expect("valid");
            },
            "13 INTERNAL",
            "More than one value received for unary call",
        ),
        (
            "a message that is none",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\0\0\0\x01\xff", false, out);
                session.send_trailers(id, OK, out).expect("valid");
            },
            "13 INTERNAL",
            "invalid message swell.EchoReply: ",
        ),
        (
            "an end of the connection",
            |session, _, out| {
                // Not a frame of HTTP/2: the client ends the connection.
                out.extend_from_slice(&[0xff; 64]);
                session.go_away(ErrorCode::NO_ERROR, out);
            },
            "13 INTERNAL",
            "HTTP/2 error FRAME_SIZE_ERROR",
        ),
    ]);
}
