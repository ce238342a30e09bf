//! Servers that break rules, as a client meets them.

use swell_http2::client::HTTP_1_ANSWER;
use swell_http2::{ErrorCode, Settings};

use crate::record::{
    Client, DATA, END_HEADERS, END_STREAM, HEADERS, PUSH_PROMISE, RST_STREAM, block, frame, settings,
};

#[test]
fn a_broken_rule_of_the_connection_ends_it() {
    let protocol = ErrorCode::PROTOCOL_ERROR;
    let ok = frame(HEADERS, END_HEADERS | END_STREAM, 1, &[0x88]);
    let cases: Vec<(&str, Vec<u8>, ErrorCode)> = vec![
        ("a response to a stream that is idle", frame(HEADERS, END_HEADERS, 5, &[0x88]), protocol),
        ("a response on an even stream", frame(HEADERS, END_HEADERS, 2, &[0x88]), protocol),
        ("DATA on a stream that is idle", frame(DATA, 0, 5, b"x"), protocol),
        ("a second response", [ok.clone(), ok.clone()].concat(), ErrorCode::STREAM_CLOSED),
        ("DATA after the response", [ok, frame(DATA, 0, 1, b"x")].concat(), ErrorCode::STREAM_CLOSED),
        ("a push", frame(PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2, 0x82]), protocol),
        ("a server that wants to push", settings(&[(2, 1)]), protocol),
        ("RST_STREAM of a stream that is idle", frame(RST_STREAM, 0, 5, &[0; 4]), protocol),
        (
            "a head for a broken table",
            frame(HEADERS, END_HEADERS, 1, &[0x80 | 100]),
            ErrorCode::COMPRESSION_ERROR,
        ),
    ];
    for (name, bytes, code) in cases {
        let mut client = Client::new();
        client.get();
        client.get();
        let error = client.feed(&bytes).expect_err(name);
        assert_eq!(error.code, code, "{name}: {error}");
        assert!(client.session.is_closing(), "{name}");
    }
}

#[test]
fn a_broken_rule_of_a_response_ends_its_stream() {
    let status = |status: &str| block(&[(":status", status)]);
    let end = END_HEADERS | END_STREAM;
    let with = |fields: &[(&str, &str)]| [&[0x88][..], &block(fields)].concat();
    for (name, bytes) in [
        ("no status", frame(HEADERS, end, 1, &block(&[("a", "b")]))),
        ("status 99", frame(HEADERS, end, 1, &status("099"))),
        ("status 1000", frame(HEADERS, end, 1, &status("1000"))),
        ("a status that is not a number", frame(HEADERS, end, 1, &status("2x0"))),
        ("status twice", frame(HEADERS, end, 1, &[0x88, 0x88])),
        (":path in a response", frame(HEADERS, end, 1, &[0x88, 0x84])),
        ("101", frame(HEADERS, END_HEADERS, 1, &status("101"))),
        ("an informational end", frame(HEADERS, end, 1, &status("103"))),
        ("DATA before the head", frame(DATA, END_STREAM, 1, b"x")),
        ("DATA after an informational head", {
            [frame(HEADERS, END_HEADERS, 1, &status("103")), frame(DATA, END_STREAM, 1, b"x")].concat()
        }),
        ("a forged line", frame(HEADERS, end, 1, &with(&[("a", "b\r\nset-cookie: c")]))),
        ("a length without a body", frame(HEADERS, end, 1, &with(&[("content-length", "5")]))),
        ("a body after 204", [frame(HEADERS, END_HEADERS, 1, &[0x89]), frame(DATA, 1, 1, b"x")].concat()),
    ] {
        let mut client = Client::new();
        client.get();
        client.get();
        client.forget();
        client.feed(&bytes).expect(name);
        let reset = frame(RST_STREAM, 0, 1, &ErrorCode::PROTOCOL_ERROR.0.to_be_bytes());
        assert_eq!(client.out, reset, "{name}");
        assert!(client.log.take().last().expect(name).contains("PROTOCOL_ERROR"), "{name}");
        client.feed(&frame(HEADERS, end, 3, &[0x88])).expect(name);
        assert_eq!(client.session.open_streams(), 0, "{name}");
    }
}

/// The head is decoded for the table, and its limit holds.
#[test]
fn a_bomb_for_a_stream_that_was_reset_ends_the_connection() {
    let mut client = Client::new();
    let stream = client.get();
    client.session.reset(stream, ErrorCode::CANCEL, &mut client.out);
    let mut bomb = [&[0x88, 0x40, 0x01, b'n', 0x7f, 0xa1, 0x1e][..], &[b'x'; 4_000]].concat();
    bomb.extend([0x80 | 62; 12_000]);
    let error = client.feed(&frame(HEADERS, END_HEADERS, 1, &bomb)).unwrap_err();
    assert_eq!(error.code, ErrorCode::ENHANCE_YOUR_CALM);
}

#[test]
fn responses_without_a_body_may_name_its_length() {
    let head = [&[0x88][..], &block(&[("content-length", "5")])].concat();
    let mut client = Client::new();
    client.request("HEAD", true);
    client.get();
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &head)).unwrap();
    let unchanged = [&[0x8b][..], &block(&[("content-length", "5")])].concat();
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 3, &unchanged)).unwrap();
    let log = client.log.take();
    assert!(log[0].starts_with("1 response 200 content-length: 5; end"), "{log:?}");
    assert!(log[1].starts_with("3 response 304 content-length: 5; end"), "{log:?}");
}

#[test]
fn an_answer_in_http_1_is_named() {
    for bytes in ["HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP/1.0 200 OK\r\n"] {
        let mut client = Client::with(&Settings::default());
        assert_eq!(client.feed(bytes.as_bytes()).unwrap_err().rule, HTTP_1_ANSWER);
    }
    for bytes in [&b"<html><body>"[..], &[0x15, 3, 3, 0, 2, 2, 80, 0, 0, 0], &frame(HEADERS, 5, 1, &[0x88])] {
        let mut client = Client::with(&Settings::default());
        client.get();
        let error = client.feed(bytes).unwrap_err();
        assert_eq!(error.rule, "the first frame is not SETTINGS");
    }
}

#[test]
fn a_response_that_ends_before_the_request_is_complete() {
    let mut client = Client::new();
    let stream = client.request("POST", false);
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &[0x88])).unwrap();
    assert!(client.log.take()[0].contains("end"));
    client.feed(&frame(RST_STREAM, 0, 1, &[0; 4])).unwrap();
    assert_eq!(client.log.take(), ["1 stream reset by the peer: NO_ERROR"]);
    assert_eq!(client.session.send_data(stream, b"more", true, &mut client.out), 0);
}

#[test]
fn endless_informational_responses_end() {
    let mut client = Client::new();
    client.get();
    let hint = frame(HEADERS, END_HEADERS, 1, &block(&[(":status", "103")]));
    let rounds = (0..20_000).take_while(|_| client.feed(&hint).is_ok()).count();
    assert!((9_000..11_000).contains(&rounds), "{rounds}");
    assert_eq!(client.feed(&hint).unwrap_err().code, ErrorCode::ENHANCE_YOUR_CALM);
}
