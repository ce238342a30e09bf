//! Servers that break the protocol: the sample fails and says which rule, the connection goes, and
//! the user continues. Time and memory are bounded.

use std::io::Write;
use std::time::{Duration, Instant};

use swell_api::{MAX_BYTES, Needs, SampleResult};
use swell_plan::Element;
use swell_websocket::Deflater;

use super::server::{
    exchange, open, read, read_frame, read_head, said, samples, switching, websocket_server,
};
use crate::bench::{Bench, run, server};

const MESSAGES: [(&str, &str); 2] = [("swell.websocket.messages", "true"), ("swell.websocket.pings", "true")];

const DEFLATE: &str = "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n";

/// The sample whose request these bytes answer, and whether the connection can be used afterwards.
fn answered(lines: &'static str, bytes: Vec<u8>, texts: &[(&str, &str)]) -> (SampleResult, bool) {
    let port = websocket_server(lines, move |mut stream, _| {
        read_frame(&mut stream);
        // The client may have had enough.
        let _ = stream.write_all(&bytes);
        std::mem::forget(stream);
    });
    let mut both = None;
    run(async |bench: &mut Bench| {
        bench.compile.props.set(MAX_BYTES, "100000");
        let first = if lines.is_empty() { open(port) } else { open(port).with_text("name", "deflate") };
        let headers = deflate_header();
        let opened = bench.sampler(first, vec![headers], Needs::ALL);
        assert!(bench.take(&opened).await.success);
        let mut found = samples(bench, vec![exchange(texts), read(&[("readTimeout", "50")])]).await;
        let is_gone = found[1].message.contains("there is no connection");
        both = Some((found.remove(0), !is_gone));
    });
    both.expect("the test ran")
}

fn deflate_header() -> Element {
    let header = Element::new("Header", "", "")
        .with_text("Header.name", "Sec-WebSocket-Extensions")
        .with_text("Header.value", "permessage-deflate");
    Element::new("HeaderManager", "", "Headers").with_elements("HeaderManager.headers", [header])
}

#[test]
fn each_broken_rule_of_frames_is_named() {
    let io = |text: &str| ("Websocket I/O error".to_owned(), format!("WebSocket I/O error: {text}"));
    let rule = |text: &str| io(&format!("protocol error: {text}"));
    let opcode = |number: u8| {
        let text = format!("Sampler error: java.lang.RuntimeException: unsupported frame type: {number}");
        ("Sampler error".to_owned(), text)
    };
    let shortest = rule("the length of a frame is not in its shortest form");
    for (bytes, wanted) in [
        (b"\x81\x81\x00\x00\x00\x00a".to_vec(), rule("the server masked a frame")),
        (b"\xc1\x00".to_vec(), rule("a reserved bit is set that no extension uses")),
        (b"\xa1\x00".to_vec(), rule("a reserved bit is set that no extension uses")),
        (b"\x91\x00".to_vec(), rule("a reserved bit is set that no extension uses")),
        (b"\x83\x00".to_vec(), opcode(3)),
        (b"\x8f\x00".to_vec(), opcode(15)),
        ([&b"\x89\x7e\x00\x7e"[..], &[0; 126]].concat(), rule("a control frame has more than 125 bytes")),
        (b"\x09\x00".to_vec(), rule("a control frame is a fragment")),
        (b"\x81\x7e\x00\x01a".to_vec(), shortest.clone()),
        ([&b"\x81\x7f\x00\x00\x00\x00\x00\x00\x00\x7e"[..], &[0; 126]].concat(), shortest.clone()),
        (b"\x82\x7f\x80\x00\x00\x00\x00\x00\x00\x00".to_vec(), shortest),
        (
            b"\x82\x7f\x40\x00\x00\x00\x00\x00\x00\x00ab".to_vec(),
            rule("a message is larger than 100000 bytes"),
        ),
        (b"\x80\x01a".to_vec(), io("no continuation frame expected")),
    ] {
        let (sample, is_usable) = answered("", bytes.clone(), &[]);
        assert_eq!((said(&sample), sample.success, is_usable), (wanted, false, false), "{bytes:?}");
    }
}

#[test]
fn each_broken_rule_of_messages_is_named() {
    let io = |text: &str| ("Websocket I/O error".to_owned(), format!("WebSocket I/O error: {text}"));
    for (bytes, wanted) in [
        (b"\x81\x01\xff".to_vec(), io("protocol error: a text message is not UTF-8")),
        (b"\x01\x01\xc3\x80\x01x".to_vec(), io("protocol error: a text message is not UTF-8")),
        (b"\x01\x01a\x81\x01b".to_vec(), io("missing continuation frame")),
        (
            [
                &b"\x01\x01a"[..],
                b"\x00\x7e\x9c\x40",
                &vec![b'x'; 40_000],
                b"\x00\x7e\xff\xff",
                &vec![b'x'; 65_535],
            ]
            .concat(),
            io("protocol error: a message is larger than 100000 bytes"),
        ),
    ] {
        let (sample, is_usable) = answered("", bytes, &MESSAGES);
        assert_eq!((said(&sample), sample.success, is_usable), (wanted, false, false));
    }
}

#[test]
fn close_frames_of_any_content_end_the_connection() {
    for (payload, shown) in [
        (&b""[..], "null and close reason 'null'"),
        (b"\x03", "null and close reason 'null'"),
        (b"\x00\x00", "0 and close reason 'null'"),
        (b"\x03\xe7", "999 and close reason 'null'"),
        (b"\x03\xec", "1004 and close reason 'null'"),
        (b"\x03\xee", "1006 and close reason 'null'"),
        (b"\x03\xf7x", "1015 and close reason 'x'"),
        (b"\x13\x88", "5000 and close reason 'null'"),
        (b"\x03\xe8\xff", "1000 and close reason '\u{fffd}'"),
    ] {
        // Data after it are of no use.
        let bytes = [&[0x88, payload.len() as u8][..], payload, b"\x81\x01a"].concat();
        let (sample, is_usable) = answered("", bytes, &MESSAGES);
        let wanted = "Sampler error: unexpected frame type (close).".to_owned();
        let message = format!("Received: Close frame with status code {shown}");
        assert_eq!((said(&sample), is_usable), ((wanted, message), false));
    }
}

#[test]
fn frames_without_end_take_bounded_time() {
    for piece in [&b"\x89\x00"[..], b"\x00\x00", b"\x89\x7d"] {
        let port = websocket_server("", move |mut stream, _| {
            read_frame(&mut stream);
            let begun = if piece[0] == 0 { &b"\x01\x01a"[..] } else { b"" };
            let filled = if piece.len() == 2 && piece[1] == 0x7d {
                [piece, &[7; 125]].concat()
            } else {
                piece.to_vec()
            };
            let many = filled.repeat(1000);
            // Never reads an answer, as long as the client stays.
            let mut is_taken = stream.write_all(begun).is_ok();
            while is_taken {
                is_taken = stream.write_all(&many).is_ok();
            }
        });
        let began = Instant::now();
        run(async |bench: &mut Bench| {
            let texts = [&MESSAGES[..], &[("readTimeout", "300")]].concat();
            let found = samples(bench, vec![open(port), exchange(&texts)]).await;
            assert_eq!(said(&found[1]).1, "WebSocket I/O error: Read timed out", "{piece:?}");
        });
        assert!(began.elapsed() < Duration::from_secs(20), "{piece:?}");
    }
}

fn compressed(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Deflater::new(true, 15).expect("a window").message(content, &mut out);
    out
}

fn compressed_frame(payload: &[u8]) -> Vec<u8> {
    let mut out = vec![0xc1, 126];
    out.extend_from_slice(&(payload.len() as u16).to_be_bytes());
    if payload.len() < 126 {
        out = vec![0xc1, payload.len() as u8];
    }
    out.extend_from_slice(payload);
    out
}

#[test]
fn compressed_messages_are_bounded_and_valid_or_fail() {
    let failed = |text: &str| (false, format!("WebSocket I/O error: protocol error: {text}"));
    let hello = compressed(b"Hello");
    let twice = [compressed_frame(&hello), compressed_frame(b"\xf2\x00\x11\x00\x00")].concat();
    for (bytes, wanted) in [
        (compressed_frame(&hello), (true, "OK".to_owned())),
        (compressed_frame(b"\x00"), (true, "OK".to_owned())),
        (
            compressed_frame(&compressed(&vec![b'x'; 30_000_000])),
            failed("a message is larger than 100000 bytes"),
        ),
        (compressed_frame(b"\xff\xff\xff"), failed("a compressed message is not valid")),
        (twice[compressed_frame(&hello).len()..].to_vec(), failed("a compressed message is not valid")),
    ] {
        let (sample, _) = answered(DEFLATE, bytes, &MESSAGES);
        assert_eq!((sample.success, sample.message.to_string()), wanted);
    }
}

#[test]
fn compression_that_was_not_offered_is_not_used() {
    let lines = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=10\r\n";
    let (sample, is_usable) = answered(lines, compressed_frame(&compressed(b"Hello")), &[]);
    let text = "WebSocket I/O error: protocol error: a reserved bit is set that no extension uses";
    assert_eq!((&*sample.message, is_usable), (text, false));
}

/// The sample of an upgrade with that answer.
fn upgraded(answer: impl Fn(&str) -> Vec<u8> + Clone + Send + 'static, then_ends: bool) -> SampleResult {
    let port = server(move |_, mut stream| {
        let answer = answer.clone();
        std::thread::spawn(move || {
            let Some(head) = read_head(&mut stream) else { return };
            let _ = stream.write_all(&answer(&head));
            if !then_ends {
                std::mem::forget(stream);
            }
        });
    });
    let mut found = None;
    run(async |bench: &mut Bench| {
        found = samples(bench, vec![open(port).with_text("readTimeout", "200")]).await.pop();
    });
    found.expect("a sample")
}

#[test]
fn upgrades_that_are_refused_or_wrong_say_so() {
    let fixed = |text: &'static str| move |_: &str| text.as_bytes().to_vec();
    let io = |text: &str| ("Websocket I/O error".to_owned(), format!("WebSocket I/O error: {text}"));
    let status = |line: &str| {
        let code = line.split(' ').nth(1).unwrap_or_default().to_owned();
        (code.clone(), format!("Got unexpected status {code} with statusLine:{line}"))
    };
    let wrong = |text: &str| (String::new(), text.to_owned());
    let moved = "HTTP/1.1 301 Moved Permanently\r\nLocation: ws://127.0.0.1/\r\nContent-Length: 0\r\n\r\n";
    let asks =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n";
    let chunked = "HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    assert_eq!(said(&upgraded(fixed(moved), false)), status("HTTP/1.1 301 Moved Permanently"));
    assert_eq!(said(&upgraded(fixed(asks), false)), status("HTTP/1.1 401 Unauthorized"));
    assert_eq!(said(&upgraded(fixed(chunked), false)), status("HTTP/1.1 400 Bad Request"));
    assert_eq!(said(&upgraded(fixed(""), true)), io("Empty response; connection closed."));
    assert_eq!(said(&upgraded(fixed("220 smtp\r\n\r\n"), false)), io("Invalid status line"));
    assert_eq!(
        said(&upgraded(fixed("HTTP/1.1 101 x\r\nUpgrade: websocket\r\n"), false)),
        io("Read timed out")
    );
    let other_key = |head: &str| switching(&head.replace("Key: ", "Key: x"), "").into_bytes();
    let text = "Server response header 'Sec-WebSocket-Accept' has incorrect value.";
    assert_eq!(said(&upgraded(other_key, false)), wrong(text));
    let twice = |head: &str| switching(head, "Upgrade: websocket\r\n").into_bytes();
    let text = "Server response should contain 'Upgrade' header with value 'websocket'";
    assert_eq!(said(&upgraded(twice, false)), wrong(text));
    let alive = |head: &str| switching(head, "").replace(": Upgrade", ": keep-alive, Upgrade").into_bytes();
    assert_eq!(said(&upgraded(alive, false)).0, "101");
    // The plug-in asks for no subprotocol and looks at none.
    let protocol = |head: &str| switching(head, "Sec-WebSocket-Protocol: chat\r\n").into_bytes();
    assert_eq!(said(&upgraded(protocol, false)).0, "101");
}

#[test]
fn an_answer_without_end_is_cut() {
    let endless = |_: &str| [&b"HTTP/1.1 101 x\r\n"[..], &b"X: y\r\n".repeat(20_000)].concat();
    let (code, message) = said(&upgraded(endless, false));
    assert_eq!(code, "Websocket I/O error");
    assert_eq!(message, "WebSocket I/O error: the head of the response is larger than 65536 bytes");
}

#[test]
fn frames_in_the_segment_of_the_answer_are_read() {
    let port = server(|_, mut stream| {
        let Some(head) = read_head(&mut stream) else { return };
        let bytes = [switching(&head, "").as_bytes(), b"\x81\x01a\x81\x01b"].concat();
        stream.write_all(&bytes).expect("taken");
        std::mem::forget(stream);
    });
    run(async |bench: &mut Bench| {
        let found = samples(bench, vec![open(port), read(&[]), read(&[])]).await;
        let bodies: Vec<_> = found.iter().map(|sample| sample.body_text().into_owned()).collect();
        assert_eq!(bodies, ["", "a", "b"]);
    });
}
