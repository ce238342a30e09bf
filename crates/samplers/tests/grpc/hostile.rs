//! The gRPC sampler with servers that break the protocol.

use std::sync::atomic::{AtomicU64, Ordering};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use swell_api::Needs;
use swell_http2::{ErrorCode, Fields, StreamId, server};

use crate::bench::{PROTO, failed, result, run, text};
use crate::scripted::{Act, OK, bomb, closed_windows, head, scripted};

/// A broken response: its name, how it is made, the status of the call and the start of its
/// description.
type Case = (&'static str, Act, &'static str, &'static str);

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
            "a status that is not a number",
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

#[test]
fn compressed_messages_and_odd_statuses_fail_the_sample() {
    check(&[
        (
            "a message that is longer when it is decompressed",
            |session, id, out| {
                head(session, id, b"grpc-encoding: gzip\r\n", false, out);
                session.send_data(id, &bomb(), false, out);
            },
            "8 RESOURCE_EXHAUSTED",
            "gRPC message exceeds maximum size 4194304: 4194305",
        ),
        (
            "an unknown encoding",
            |session, id, out| {
                head(session, id, b"grpc-encoding: br\r\n", false, out);
                session.send_data(id, b"\x01\0\0\0\x01x", false, out);
            },
            "13 INTERNAL",
            "unknown grpc-encoding `br`; expected gzip or identity",
        ),
        (
            "two statuses",
            |session, id, out| head(session, id, b"grpc-status: 0\r\ngrpc-status: 5\r\n", true, out),
            "2 UNKNOWN",
            "two values of grpc-status",
        ),
        (
            "a status that no list has",
            |session, id, out| head(session, id, b"grpc-status: 99\r\ngrpc-message: odd\r\n", true, out),
            "2 UNKNOWN",
            "unknown grpc-status 99: odd",
        ),
        (
            "a description that is not percent-coded as it should be",
            |session, id, out| head(session, id, b"grpc-status: 9\r\ngrpc-message: a%zz%4\r\n", true, out),
            "9 FAILED_PRECONDITION",
            "a%zz%4",
        ),
        (
            "a reset after the message",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\0\0\0\0", false, out);
                session.reset(id, ErrorCode::INTERNAL_ERROR, out);
            },
            "13 INTERNAL",
            "RST_STREAM: HTTP/2 error INTERNAL_ERROR",
        ),
    ]);
}

#[test]
fn a_deadline_ends_a_call_whose_request_the_server_does_not_take() {
    let port = closed_windows();
    run(async |bench| {
        let json = format!(r#"{{"text": "{}"}}"#, "x".repeat(200_000));
        let json = ("requestJson", &*json);
        let texts = [("reflection", "false"), ("protoFolder", PROTO), json, ("deadline", "50")];
        let sample = bench.call(port, "Unary", &texts).await;
        assert_eq!(result(&sample), failed("4 DEADLINE_EXCEEDED"), "{}", text(&sample));
        assert!((1..200_000).contains(&sample.sent_bytes), "{}", sample.sent_bytes);
    });
}

/// Answers, and breaks the protocol in one of many ways in one of ten answers.
fn by_chance(session: &mut server::Session, id: StreamId, out: &mut Vec<u8>) {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let mut random = StdRng::seed_from_u64(CALLS.fetch_add(1, Ordering::Relaxed));
    let mut message = [0; 5];
    if random.random_ratio(1, 10) {
        match random.random_range(0..7) {
            0 => return session.reset(id, ErrorCode::INTERNAL_ERROR, out),
            1 => return head(session, id, b"grpc-status: x\r\n", true, out),
            2 => return out.extend_from_slice(&[0xff; 30]),
            3 => return session.go_away(ErrorCode::PROTOCOL_ERROR, out),
            4 => {
                let mut noise = vec![0; random.random_range(1..200)];
                random.fill(&mut noise[..]);
                return out.extend_from_slice(&noise);
            }
            5 => message = [2, 0, 0, 0, 0],
            _ => message = [0, 0xff, 0, 0, 0],
        }
    }
    head(session, id, b"", false, out);
    session.send_data(id, &message, false, out);
    session.send_trailers(id, OK, out).expect("valid");
}

#[test]
fn a_server_that_breaks_calls_by_chance_is_survived() {
    const CALLS: usize = 1_000;
    let port = scripted(by_chance);
    run(async |bench| {
        let texts = [("reflection", "false"), ("protoFolder", PROTO), ("deadline", "100")];
        let sampler = bench.sampler(port, "Unary", &texts, Needs::ALL);
        let mut failed = 0;
        for number in 0..CALLS {
            let sample = bench.take(&sampler).await;
            if !sample.success {
                failed += 1;
                let named = (&*sample.code, sample.message.starts_with(' '));
                assert_eq!(named, (" 500", true), "{number}: {}", sample.message);
            }
        }
        assert!((CALLS / 20..CALLS / 2).contains(&failed), "{failed}");
    });
}
