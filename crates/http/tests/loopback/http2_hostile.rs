//! Servers that break HTTP/2: the sample fails with the rule that was broken, and the next one is
//! as usual.

use std::rc::Rc;

use swell_api::{Needs, SampleResult};
use swell_plan::Element;

use crate::http2_script::{
    BUFFERED, CONTINUATION, DATA, END, END_HEADERS, END_STREAM, GOAWAY, HEADERS, OK, PADDED, PING, PRIORITY,
    PUSH_PROMISE, RST_STREAM, Record, SETTINGS, Script, WINDOW_UPDATE, frame, listen, settings, with,
};
use crate::site::{Site, Visitor, on_loop, shown};

pub(crate) fn start(script: Script) -> (Site, Rc<Record>) {
    let (port, record) = listen(script);
    (Site { port, seen: Rc::default() }, record)
}

const CONNECTION: &str = "org.apache.hc.core5.http2.H2ConnectionException";
const STREAM: &str = "org.apache.hc.core5.http2.H2StreamResetException";
const TIMEOUT: &str = "java.net.SocketTimeoutException";

pub(crate) async fn get(visitor: &mut Visitor, timeout_ms: &str) -> SampleResult {
    let sample = visitor.get_with("/", |it| it.with_text("HTTPSampler.response_timeout", timeout_ms));
    sample.await.expect("a sample")
}

/// Class and message of the sample against the script; two more come after it.
async fn against(script: Script, timeout_ms: &str) -> (String, String, Rc<Record>) {
    let before = script.after;
    let (site, record) = start(script);
    let mut visitor = Visitor::with(&site, &[("swell.http.version", "2")], vec![], Needs::ALL);
    for _ in 0..before {
        assert_eq!(&*get(&mut visitor, "20000").await.code, "200");
    }
    let (class, message) = shown(&get(&mut visitor, timeout_ms).await);
    for _ in 0..2 {
        let sample = get(&mut visitor, "20000").await;
        assert_eq!(&*sample.code, "200", "after {class} {message}: {}", sample.message);
    }
    (class, message, record)
}

/// The first request of a connection, and one over an open connection.
fn check(name: &'static str, script: Script, class: &'static str, rule: &'static str) {
    check_after(0, name, script.clone(), class, rule);
    check_after(2, name, script, class, rule);
}

fn check_after(after: u32, name: &'static str, script: Script, class: &'static str, rule: &'static str) {
    on_loop(async move {
        let (found, message, record) = against(Script { after, ..script }, "20000").await;
        assert_eq!(found, class, "{name}: {message}");
        assert!(message.contains(rule), "{name}: {message}");
        let connections = record.connections.get();
        assert_eq!(connections, if class == STREAM { 1 } else { 2 }, "{name}: {message}");
        assert!(record.flooded.get() < BUFFERED, "{name}: {} bytes", record.flooded.get());
    });
}

#[test]
fn heads_that_break_the_table_or_never_end() {
    let head = |block: &[u8]| Script::of(frame(HEADERS, END, 1, block));
    let begun = || frame(HEADERS, 0, 1, OK);
    let mut bomb = [OK, &[0x40, 0x01, b'n', 0x7f, 0xa1, 0x1e], &[b'x'; 4_000]].concat();
    bomb.extend([0xbe; 12_000]);
    for (name, script, rule) in [
        ("index 0", head(&[0x80]), "index 0"),
        ("an index beyond the table", head(&[0xe4]), "an index beyond the table"),
        ("an endless integer", head(&[0xff; 12]), "an integer that is cut off or too large"),
        ("a larger table", head(&[0x3f, 0xe2, 0x1f, 0x88]), "a table larger than was announced"),
        ("a late change of the table", head(&[0x88, 0x20]), "a change of the table size within a head"),
        ("a string that is cut off", head(&[0x88, 0, 5, b'a']), "a string that is cut off"),
        ("padding of Huffman", head(&[0x88, 0, 1, b'a', 0x82, 0xff, 0xff]), "an invalid Huffman code"),
        ("a bomb", head(&bomb), "a head larger than was announced"),
        (
            "endless frames",
            Script::flood(begun(), frame(CONTINUATION, 0, 1, b"")),
            "more than 8 CONTINUATION",
        ),
        (
            "an interrupted head",
            Script::of([begun(), frame(PING, 0, 0, &[0; 8])].concat()),
            "a head was interrupted by another frame",
        ),
        (
            "a head continued elsewhere",
            Script::of([begun(), frame(CONTINUATION, END_HEADERS, 3, b"")].concat()),
            "a head was interrupted by another frame",
        ),
        ("CONTINUATION alone", Script::of(frame(CONTINUATION, END_HEADERS, 1, OK)), "CONTINUATION without"),
    ] {
        check(name, script, CONNECTION, rule);
    }
}

#[test]
fn fields_that_forge_lines_or_break_a_head() {
    let head = |block: Vec<u8>| Script::of(frame(HEADERS, END, 1, &block));
    let no_status = with("a", "b")[1..].to_vec();
    let trailers = [frame(HEADERS, END_HEADERS, 1, OK), frame(HEADERS, END, 1, OK)].concat();
    for (name, script, rule) in [
        ("a line end in a value", head(with("a", "b\r\nset-cookie: c")), "line end, NUL, or blanks"),
        ("NUL in a value", head(with("a", "b\0")), "line end, NUL, or blanks"),
        ("a blank before a value", head(with("a", " b")), "line end, NUL, or blanks"),
        ("capitals", head(with("Name", "b")), "capitals"),
        ("a colon in a name", head(with("a:b", "c")), "characters that are not allowed"),
        ("a field of the connection", head(with("transfer-encoding", "chunked")), "about the connection"),
        ("no status", head(no_status), "a response without :status"),
        ("two statuses", head([OK, OK].concat()), ":status twice"),
        ("an unknown pseudo-header field", head(with(":x", "b")), "an unknown pseudo-header field"),
        ("a late status", head([&with("a", "b")[1..], OK].concat()), "after other fields"),
        ("a status in trailers", Script::of(trailers), "a pseudo-header field in trailers"),
        (
            "a length that is not a number",
            head(with("content-length", "-1")),
            "content-length is not a number",
        ),
    ] {
        check(name, script, STREAM, rule);
    }
}

#[test]
fn frames_on_streams_where_they_must_not_be() {
    let answer = || frame(HEADERS, END_HEADERS, 1, OK);
    for (name, bytes, class, rule) in [
        ("a response on an idle stream", frame(HEADERS, END, 7, OK), CONNECTION, "cannot be opened"),
        ("a response on an even stream", frame(HEADERS, END, 2, OK), CONNECTION, "cannot be opened"),
        ("DATA on an idle stream", frame(DATA, END_STREAM, 7, b"x"), CONNECTION, "never opened"),
        ("DATA without a stream", frame(DATA, END_STREAM, 0, b"x"), CONNECTION, "never opened"),
        ("RST_STREAM of an idle stream", frame(RST_STREAM, 0, 7, &[0; 4]), CONNECTION, "never opened"),
        ("DATA before the head", frame(DATA, END_STREAM, 1, b"x"), STREAM, "DATA before the head"),
        (
            "a push",
            frame(PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2, 0x82]),
            CONNECTION,
            "PUSH_PROMISE, although push is off",
        ),
        (
            "a body that is too long",
            [frame(HEADERS, END_HEADERS, 1, &with("content-length", "1")), frame(DATA, END_STREAM, 1, b"xy")]
                .concat(),
            STREAM,
            "a body longer than its content-length",
        ),
        (
            "a body that is too short",
            [frame(HEADERS, END_HEADERS, 1, &with("content-length", "3")), frame(DATA, END_STREAM, 1, b"xy")]
                .concat(),
            STREAM,
            "a body shorter than its content-length",
        ),
        (
            "a second head",
            [answer(), frame(HEADERS, END_HEADERS, 1, &with("a", "b")[1..])].concat(),
            STREAM,
            "a second head",
        ),
        (
            "too much padding",
            [answer(), frame(DATA, PADDED, 1, &[9, 0, 0])].concat(),
            CONNECTION,
            "padding longer",
        ),
        (
            "a frame of 17 KiB",
            [answer(), frame(DATA, 0, 1, &vec![0; 17 << 10])].concat(),
            CONNECTION,
            "a frame longer",
        ),
        ("101", frame(HEADERS, END_HEADERS, 1, &[8, 3, b'1', b'0', b'1']), STREAM, "or 101"),
        ("a reset", frame(RST_STREAM, 0, 1, &2_u32.to_be_bytes()), STREAM, "INTERNAL_ERROR"),
    ] {
        check(name, Script::of(bytes), class, rule);
    }
}

#[test]
fn windows_that_overflow() {
    let update = |stream, by: u32| frame(WINDOW_UPDATE, 0, stream, &by.to_be_bytes());
    let most = (1 << 31) - 1;
    for (name, bytes, class, rule) in [
        ("nothing on the connection", update(0, 0), CONNECTION, "WINDOW_UPDATE"),
        ("too much on the connection", update(0, most), CONNECTION, "window"),
        ("nothing on the stream", update(1, 0), STREAM, "WINDOW_UPDATE"),
        ("too much on the stream", update(1, most), STREAM, "window"),
        ("an initial window", settings(&[(4, 1 << 31)]), CONNECTION, "INITIAL_WINDOW_SIZE"),
        (
            "a late initial window",
            [update(1, 1 << 30), settings(&[(4, most)])].concat(),
            CONNECTION,
            "window",
        ),
        ("a frame size", settings(&[(5, 1)]), CONNECTION, "MAX_FRAME_SIZE"),
    ] {
        check(name, Script::of(bytes), class, rule);
    }
    // The stream's window is 1 MiB.
    let head = frame(HEADERS, END_HEADERS, 1, OK);
    check_floods("more than the windows", Script::flood(head, frame(DATA, 0, 1, &vec![0; 16_384])));
}

/// A body of many windows, which are given back as it comes.
fn check_floods(name: &'static str, script: Script) {
    on_loop(async move {
        let (again, _) = script.again;
        let last = frame(DATA, END_STREAM, 1, b"");
        let (site, _) = start(Script { again: (again, 2_000), last, ..script });
        let mut visitor = Visitor::with(&site, &[("swell.http.version", "2")], vec![], Needs::default());
        let sample = get(&mut visitor, "20000").await;
        assert_eq!(&*sample.code, "200", "{name}: {}", sample.message);
        assert_eq!(sample.received, Some(2_000 * 16_393 + 10 + 9), "{name}");
        assert_eq!(&*get(&mut visitor, "20000").await.code, "200");
    });
}

#[test]
fn floods_end_the_connection() {
    let head = || frame(HEADERS, END_HEADERS, 1, OK);
    let calm = "ENHANCE_YOUR_CALM";
    for (name, first, again) in [
        ("PING", vec![], frame(PING, 0, 0, &[0; 8])),
        ("answers to PING", vec![], frame(PING, 1, 0, &[0; 8])),
        ("SETTINGS", vec![], settings(&[])),
        ("acknowledgements", vec![], frame(SETTINGS, 1, 0, b"")),
        ("PRIORITY", vec![], frame(PRIORITY, 0, 1, &[0; 5])),
        ("unknown frames", vec![], frame(99, 0, 0, b"x")),
        ("windows of 1 byte", vec![], frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])),
        ("empty DATA", head(), frame(DATA, 0, 1, b"")),
        ("DATA of padding", head(), frame(DATA, PADDED, 1, &[2, 0, 0])),
    ] {
        check(name, Script::flood(first, again), CONNECTION, calm);
    }
    let hint = frame(HEADERS, END_HEADERS, 1, &[8, 3, b'1', b'0', b'3']);
    check("informational responses", Script::flood(vec![], hint), CONNECTION, calm);
}

#[test]
fn what_is_no_http_2_is_named() {
    for (name, bytes, rule) in [
        (
            "HTTP/1.1",
            &b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"[..],
            "it answered in HTTP/1.1",
        ),
        ("HTML", b"<html><body>not here</body></html>", "the first frame is not SETTINGS"),
        ("a TLS alert", &[0x15, 3, 3, 0, 2, 2, 80, 0, 0, 0], "the first frame is not SETTINGS"),
        (
            "no SETTINGS",
            &[0, 0, 8, PING, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            "the first frame is not SETTINGS",
        ),
    ] {
        check_after(0, name, Script::greeting(bytes.to_vec()), CONNECTION, rule);
    }
}

#[test]
fn responses_that_do_not_end_time_out_and_others_have_a_new_connection() {
    for (name, bytes) in [
        ("nothing", vec![]),
        ("no end", frame(HEADERS, END_HEADERS, 1, OK)),
        ("a body without end", [frame(HEADERS, END_HEADERS, 1, OK), frame(DATA, 0, 1, b"part")].concat()),
        ("half a frame", frame(HEADERS, END, 1, OK)[..5].to_vec()),
    ] {
        for after in [0, 2] {
            let script = Script { after, ..Script::of(bytes.clone()) };
            on_loop(async move {
                let (class, message, record) = against(script, "50").await;
                assert_eq!((&*class, &*message), (TIMEOUT, "Read timed out"), "{name}");
                assert_eq!(record.connections.get(), 2, "{name}");
            });
        }
    }
}

#[test]
fn a_server_that_allows_no_stream_is_waited_for_until_the_time_limit() {
    on_loop(async {
        let answer = frame(HEADERS, END, 1, OK);
        let (site, record) = start(Script::of([answer, settings(&[(3, 0)])].concat()));
        let mut visitor = Visitor::with(&site, &[("swell.http.version", "2")], vec![], Needs::ALL);
        assert_eq!(&*get(&mut visitor, "20000").await.code, "200");
        for _ in 0..2 {
            assert_eq!(shown(&get(&mut visitor, "50").await).0, TIMEOUT);
        }
        assert_eq!(*record.requests.borrow(), [(1, 1)], "nothing more was sent");
    });
}

#[test]
fn a_window_that_is_never_opened_ends_an_upload_by_the_time_limit() {
    on_loop(async {
        let (site, record) = start(Script::greeting(settings(&[(4, 10)])));
        let mut visitor = Visitor::with(&site, &[("swell.http.version", "2")], vec![], Needs::ALL);
        // The first time its SETTINGS may come after the body.
        let sample = post(&mut visitor, "x".repeat(200_000)).await;
        assert_eq!(shown(&sample).0, TIMEOUT, "{}", sample.message);
        assert_eq!(&*get(&mut visitor, "20000").await.code, "200");
        assert_eq!(record.connections.get(), 2);
        assert_eq!(*record.codes.borrow(), [8], "the stream was cancelled");
    });
}

async fn post(visitor: &mut Visitor, body: String) -> SampleResult {
    let argument = Element::new("HTTPArgument", "", "")
        .with_text("Argument.value", &body)
        .with_flag("HTTPArgument.always_encode", false);
    let arguments = Element::new("Arguments", "", "").with_elements("Arguments.arguments", [argument]);
    let sample = visitor.get_with("/", |it| {
        it.with_text("HTTPSampler.method", "POST")
            .with_text("HTTPSampler.response_timeout", "50")
            .with_flag("HTTPSampler.postBodyRaw", true)
            .with_element("HTTPsampler.Arguments", arguments)
    });
    sample.await.expect("a sample")
}

/// GOAWAY that refuses the stream, that accepts it, and that comes later with a lower number.
#[test]
fn go_away_is_no_error_of_a_sample() {
    // Stream 5 is that of the third request.
    let away = |last: u32| frame(GOAWAY, 0, 0, &[last.to_be_bytes(), 0_u32.to_be_bytes()].concat());
    let answer = || frame(HEADERS, END, 1, OK);
    for (name, bytes, connections) in [
        ("before the response", [away(5), answer()].concat(), 2),
        ("after the response", [answer(), away(5)].concat(), 2),
        ("not processed", away(0), 2),
        ("twice, lower", [away(9), away(0)].concat(), 2),
        ("twice, higher", [away(5), away(9), answer()].concat(), 2),
    ] {
        let away = Script { after: 2, ..Script::of(bytes.clone()) };
        for script in [Script::of(bytes), away] {
            on_loop(async move {
                let (site, record) = start(script);
                let mut visitor = Visitor::with(&site, &[("swell.http.version", "2")], vec![], Needs::ALL);
                for round in 0..5 {
                    let sample = get(&mut visitor, "20000").await;
                    assert_eq!(&*sample.code, "200", "{name}, {round}: {}", sample.message);
                }
                assert_eq!(record.connections.get(), connections, "{name}");
            });
        }
    }
}
