//! `swell hit` and servers that break HTTP/2, WebSocket or gRPC in one of their answers: it fails
//! with a message that says how, and the test continues within bounded time and memory.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use swell_http2::{ErrorCode, Fields, StreamId, server};
use swell_net::Runtime;

use crate::grpc_script::{self, Act, bomb, closed_windows, scripted};
use crate::http2_script::{
    self, CONTINUATION, DATA, END, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PRIORITY,
    RST_STREAM, SETTINGS, Script, WINDOW_UPDATE, frame, settings, with,
};
use crate::support::{Call, Ended, Folder};
use crate::websocket_script::{read_frame, read_head, server as tcp_server, switching};

/// Private memory that the program may take, in KiB: what a server sends without end is more.
const MEMORY_KIB: u32 = 600_000;

/// The samples of each run, and the one whose answer is broken.
const SAMPLES: usize = 6;
const BROKEN: usize = 3;

fn hit(url: &str, timeout: &str, more: &[&str]) -> Ended {
    let folder = Folder::new();
    let samples = SAMPLES.to_string();
    let usual = ["hit", url, "-n", &samples, "-c", "1", "-w", "1", "--json", "--timeout", timeout];
    let before = format!("ulimit -d {MEMORY_KIB}");
    Call::in_shell(folder.path(), &before, &[&usual, more].concat(), "").run()
}

/// One sample failed with that text, and all others were good.
fn check_one_failed(name: &str, ended: Ended, rule: &str) {
    let ended = ended.exits(0);
    let json = ended.json();
    let total = &json["total"];
    assert_eq!((&total["samples"], &total["errors"]), (&SAMPLES.into(), &1.into()), "{name}: {ended}");
    assert!(json["errors"].to_string().contains(rule), "{name}: `{rule}` is missing in {}", json["errors"]);
}

/// A server whose answer to the request [`BROKEN`] is that of the script, and its port.
fn http2_server(script: Script) -> u16 {
    let (sender, port) = mpsc::channel();
    std::thread::spawn(move || {
        Runtime::new().expect("a loop").block_on(async move {
            let (port, _) = http2_script::listen(Script { after: BROKEN as u32 - 1, ..script });
            sender.send(port).expect("awaited");
            std::future::pending::<()>().await;
        });
    });
    port.recv().expect("it listens")
}

#[test]
fn a_server_that_breaks_http2_fails_one_sample_of_a_test() {
    let ok = http2_script::OK;
    let head = |block: &[u8]| Script::of(frame(HEADERS, END, 1, block));
    let begun = || frame(HEADERS, END_HEADERS, 1, ok);
    let bomb = [ok, &[0x40, 0x01, b'n', 0x7f, 0xa1, 0x1e], &[b'x'; 4_000], &[0xbe; 12_000]].concat();
    let overflow = frame(WINDOW_UPDATE, 0, 0, &((1_u32 << 31) - 1).to_be_bytes());
    for (name, script, rule) in [
        ("a head that is a bomb", head(&bomb), "a head larger than was announced"),
        ("an index beyond the table", head(&[0xe4]), "an index beyond the table"),
        ("a field that forges a line", head(&with("a", "b\r\nset-cookie: c")), "line end, NUL, or blanks"),
        (
            "a head without end",
            Script::flood(frame(HEADERS, 0, 1, ok), frame(CONTINUATION, 0, 1, b"")),
            "more than 8 CONTINUATION",
        ),
        ("a response on an idle stream", Script::of(frame(HEADERS, END, 7, ok)), "cannot be opened"),
        ("DATA before the head", Script::of(frame(DATA, END_STREAM, 1, b"x")), "DATA before the head"),
        (
            "too much padding",
            Script::of([begun(), frame(DATA, PADDED, 1, &[9, 0, 0])].concat()),
            "padding longer",
        ),
        ("a window that overflows", Script::of(overflow), "window"),
        ("a reset", Script::of(frame(RST_STREAM, 0, 1, &2_u32.to_be_bytes())), "INTERNAL_ERROR"),
        ("bytes of HTTP/1.1", Script::of(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()), "a frame longer"),
    ] {
        check_one_failed(name, hit_http2(script, "10s"), rule);
    }
}

fn hit_http2(script: Script, timeout: &str) -> Ended {
    let url = format!("http://127.0.0.1:{}/", http2_server(script));
    hit(&url, timeout, &["--http2"])
}

#[test]
fn floods_of_http2_frames_fail_one_sample_of_a_test() {
    let begun = frame(HEADERS, END_HEADERS, 1, http2_script::OK);
    for (name, first, again) in [
        ("PING", vec![], frame(PING, 0, 0, &[0; 8])),
        ("SETTINGS", vec![], settings(&[])),
        ("acknowledgements", vec![], frame(SETTINGS, 1, 0, b"")),
        ("PRIORITY", vec![], frame(PRIORITY, 0, 1, &[0; 5])),
        ("windows of 1 byte", vec![], frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])),
        ("empty DATA", begun, frame(DATA, 0, 1, b"")),
    ] {
        check_one_failed(name, hit_http2(Script::flood(first, again), "10s"), "ENHANCE_YOUR_CALM");
    }
}

#[test]
fn a_response_of_http2_without_end_fails_one_sample_of_a_test_by_its_time_limit() {
    let begun = frame(HEADERS, END_HEADERS, 1, http2_script::OK);
    for (name, bytes) in [("nothing", vec![]), ("no end of a body", begun)] {
        check_one_failed(name, hit_http2(Script::of(bytes), "300ms"), "timed out");
    }
    let away = [5_u32.to_be_bytes(), 0_u32.to_be_bytes()].concat();
    let away = [frame(GOAWAY, 0, 0, &away), frame(HEADERS, END, 1, http2_script::OK)].concat();
    let json = hit_http2(Script::of(away), "10s").exits(0).json();
    assert_eq!(json["total"]["errors"], 0, "the announced end counted as an error: {json}");
}

/// A server that echoes, but answers the message [`BROKEN`] of all with these bytes, `times` times.
fn websocket_server(bytes: &[u8], times: usize) -> u16 {
    let (bytes, messages) = (bytes.repeat(times.min(1_000)), Arc::new(AtomicUsize::new(0)));
    tcp_server(move |_, mut stream| {
        let (bytes, messages) = (bytes.clone(), messages.clone());
        std::thread::spawn(move || {
            let Some(head) = read_head(&mut stream) else { return };
            let mut is_taken = stream.write_all(switching(&head, "").as_bytes()).is_ok();
            while is_taken && read_frame(&mut stream).is_some() {
                if messages.fetch_add(1, Ordering::Relaxed) + 1 == BROKEN {
                    for _ in 0..times.div_ceil(1_000) {
                        is_taken = is_taken && stream.write_all(&bytes).is_ok();
                    }
                } else {
                    is_taken = stream.write_all(b"\x81\x02hi").is_ok();
                }
            }
        });
    })
}

/// As many messages as come in a time: with a number of them, a user has one connection.
fn hit_websocket(bytes: &[u8], times: usize) -> Ended {
    let url = format!("ws://127.0.0.1:{}/", websocket_server(bytes, times));
    let folder = Folder::new();
    let args = ["hit", &url, "--send", "hi", "-d", "2s", "-r", "100", "-c", "1", "-w", "1", "--json"];
    let limits = ["--timeout", "300ms"];
    let before = format!("ulimit -d {MEMORY_KIB}");
    Call::in_shell(folder.path(), &before, &[&args[..], &limits].concat(), "").run()
}

#[test]
fn a_server_that_breaks_websockets_fails_one_message_of_a_test() {
    const FLOOD: usize = 3_000_000;
    let larger = [&b"\x82\x7f\x40\x00\x00\x00\x00\x00\x00\x00"[..], &[7; 4096]].concat();
    for (name, bytes, times, rule) in [
        ("a mask", &b"\x81\x81\x00\x00\x00\x00a"[..], 1, "the server masked a frame"),
        ("a reserved bit", b"\xc1\x00", 1, "a reserved bit is set that no extension uses"),
        ("an unknown frame", b"\x83\x00", 1, "unsupported frame type: 3"),
        ("a control frame in parts", b"\x09\x00", 1, "a control frame is a fragment"),
        ("a long length", b"\x81\x7e\x00\x01a", 1, "the length of a frame is not in its shortest form"),
        ("2^62 bytes", &larger, 1, "a message is larger than"),
        ("text that is not UTF-8", b"\x81\x01\xff", 1, "a text message is not UTF-8"),
        ("a continuation of nothing", b"\x80\x01a", 1, "no continuation frame expected"),
        ("a close with a wrong status", b"\x88\x02\x00\x00", 1, "unexpected frame type (close)"),
        ("half a message", b"\x81\x05hi", 1, "Read timed out"),
        ("pings without end", b"\x89\x00", FLOOD, "Read timed out"),
        ("fragments without end", b"\x00\x00", 0, "Read timed out"),
    ] {
        let (bytes, times) = if times == 0 { (&b"\x01\x01a\x00\x00\x00\x00"[..], 1) } else { (bytes, times) };
        let ended = hit_websocket(bytes, times).exits(0);
        let json = ended.json();
        let total = &json["total"];
        assert_eq!(total["errors"], 1, "{name}: {ended}");
        assert!(total["samples"].as_u64() > Some(20), "the test continues after {name}: {ended}");
        assert!(
            json["errors"].to_string().contains(rule),
            "{name}: `{rule}` is missing in {}",
            json["errors"]
        );
    }
}

const PROTO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/proto");

/// What is acted on the call [`BROKEN`]; all others are answered.
fn hit_grpc(act: Act, timeout: &str) -> Ended {
    let calls = Arc::new(AtomicUsize::new(0));
    let port = scripted(move |session, id, out| {
        if calls.fetch_add(1, Ordering::Relaxed) + 1 == BROKEN {
            return act(session, id, out);
        }
        answer(session, id, out);
    });
    let url = format!("grpc://127.0.0.1:{port}/swell.Echo/Unary");
    hit(&url, timeout, &["--proto", PROTO])
}

fn answer(session: &mut server::Session, id: StreamId, out: &mut Vec<u8>) {
    grpc_script::head(session, id, b"", false, out);
    session.send_data(id, &[0; 5], false, out);
    session.send_trailers(id, grpc_script::OK, out).expect("valid");
}

#[test]
fn a_server_that_breaks_grpc_fails_one_call_of_a_test() {
    use grpc_script::head;
    let cases: [(&str, Act, &str); 9] = [
        (
            "a length of 4 GiB",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\xff\xff\xff\xff", false, out);
            },
            "gRPC message exceeds maximum size 4194304: 4294967295",
        ),
        (
            "a bomb",
            |session, id, out| {
                head(session, id, b"grpc-encoding: gzip\r\n", false, out);
                session.send_data(id, &bomb(), false, out);
            },
            "gRPC message exceeds maximum size 4194304",
        ),
        (
            "an unknown encoding",
            |session, id, out| {
                head(session, id, b"grpc-encoding: br\r\n", false, out);
                session.send_data(id, b"\x01\0\0\0\x01x", false, out);
            },
            "unknown grpc-encoding `br`; expected gzip or identity",
        ),
        (
            "no status",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, &[0; 5], true, out);
            },
            "missing GRPC status in response",
        ),
        (
            "a status that is not a number",
            |session, id, out| head(session, id, b"grpc-status: -1\r\n", true, out),
            "invalid grpc-status `-1`; expected a number",
        ),
        (
            "a message that is cut off",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\0\0\0\x05ab", false, out);
                session.send_trailers(id, grpc_script::OK, out).expect("valid");
            },
            "Encountered end-of-stream mid-frame",
        ),
        (
            "a page of a proxy",
            |session, id, out| {
                let lines = b"content-type: text/html\r\n";
                session.respond(id, 502, &Fields::default(), lines, true, out).expect("valid lines");
            },
            "HTTP status code 502",
        ),
        ("a reset", |session, id, out| session.reset(id, ErrorCode::CANCEL, out), "HTTP/2 error CANCEL"),
        ("no frame at all", |_, _, out| out.extend_from_slice(&[0xff; 64]), "FRAME_SIZE_ERROR"),
    ];
    for (name, act, rule) in cases {
        check_one_failed(name, hit_grpc(act, "10s"), rule);
    }
    check_one_failed("silence", hit_grpc(|_, _, _| {}, "300ms"), "DEADLINE_EXCEEDED");
}

#[test]
fn closed_windows_of_a_grpc_server_end_each_call_by_its_deadline() {
    let data = format!(r#"{{"text":"{}"}}"#, "x".repeat(70_000));
    let url = format!("grpc://127.0.0.1:{}/swell.Echo/Unary", closed_windows());
    let ended = hit(&url, "100ms", &["--proto", PROTO, "--data", &data]).exits(98);
    let json = ended.json();
    assert_eq!(json["total"]["errors"], SAMPLES, "{json}");
    assert!(json["errors"].to_string().contains("DEADLINE_EXCEEDED"), "{json}");
}
