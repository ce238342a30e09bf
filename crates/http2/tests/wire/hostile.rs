//! Peers that break rules: the connection or the stream ends, with the code that RFC 9113 asks for.

use swell_http2::{ErrorCode, Scratch, Settings, server};

use crate::frames::frames;
use crate::record::{
    ACK, CONTINUATION, Client, DATA, END_HEADERS, END_STREAM, GET, GOAWAY, HEADERS, Log, PADDED, PING,
    PRIORITIZED, PRIORITY, PUSH_PROMISE, RST_STREAM, SETTINGS, Server, WINDOW_UPDATE, block, frame, settings,
};

type Case = (&'static str, Vec<u8>, ErrorCode);

const PROTOCOL: ErrorCode = ErrorCode::PROTOCOL_ERROR;
const SIZE: ErrorCode = ErrorCode::FRAME_SIZE_ERROR;
const FLOW: ErrorCode = ErrorCode::FLOW_CONTROL_ERROR;

fn head(stream: u32, flags: u8, block: &[u8]) -> Vec<u8> {
    frame(HEADERS, flags, stream, block)
}

/// The head of a request whose body follows.
fn open() -> Vec<u8> {
    head(1, END_HEADERS, GET)
}

fn broken_streams() -> Vec<Case> {
    let compression = ErrorCode::COMPRESSION_ERROR;
    let closed = ErrorCode::STREAM_CLOSED;
    let get = head(1, END_HEADERS | END_STREAM, GET);
    vec![
        ("DATA on stream 0", frame(DATA, 0, 0, b"x"), PROTOCOL),
        ("DATA on an idle stream", frame(DATA, 0, 1, b"x"), PROTOCOL),
        ("DATA on an even stream", frame(DATA, 0, 2, b"x"), PROTOCOL),
        ("padding as long as the frame", [open(), frame(DATA, PADDED, 1, b"\x05abcd")].concat(), PROTOCOL),
        ("padding without a length", [open(), frame(DATA, PADDED, 1, b"")].concat(), SIZE),
        ("HEADERS on stream 0", head(0, END_HEADERS, GET), PROTOCOL),
        ("HEADERS on an even stream", head(2, END_HEADERS, GET), PROTOCOL),
        ("HEADERS with too much padding", head(1, END_HEADERS | PADDED, b"\x07\x82\x86\x84"), PROTOCOL),
        ("HEADERS shorter than its priority", head(1, END_HEADERS | PRIORITIZED, b"\0\0"), SIZE),
        (
            "HEADERS that depend on themselves",
            head(1, END_HEADERS | PRIORITIZED, b"\0\0\0\x01\x10\x82"),
            PROTOCOL,
        ),
        ("a number that falls", [head(5, END_HEADERS, GET), head(3, END_HEADERS, GET)].concat(), PROTOCOL),
        ("another frame within a head", [head(1, 0, GET), frame(PING, 0, 0, &[0; 8])].concat(), PROTOCOL),
        ("DATA within a head", [head(1, 0, GET), frame(DATA, 0, 1, b"x")].concat(), PROTOCOL),
        (
            "a head of another stream within a head",
            [head(1, 0, GET), frame(CONTINUATION, 4, 3, b"")].concat(),
            PROTOCOL,
        ),
        ("CONTINUATION without HEADERS", frame(CONTINUATION, END_HEADERS, 1, GET), PROTOCOL),
        ("CONTINUATION after a whole head", [open(), frame(CONTINUATION, 4, 1, b"")].concat(), PROTOCOL),
        (
            "a block that cannot be decoded",
            head(1, END_HEADERS, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            compression,
        ),
        ("an index beyond the table", head(1, END_HEADERS, &[0x80 | 70]), compression),
        ("DATA on a closed stream", [get.clone(), answer(), frame(DATA, 0, 1, b"x")].concat(), closed),
        ("HEADERS on a closed stream", [get.clone(), answer(), get.clone()].concat(), closed),
        (
            "DATA after the client's reset",
            [open(), frame(RST_STREAM, 0, 1, &[0; 4]), frame(DATA, 0, 1, b"x")].concat(),
            closed,
        ),
        (
            "a change of windows above 2^31",
            [open(), frame(WINDOW_UPDATE, 0, 1, &0x7fff_0000_u32.to_be_bytes()), settings(&[(4, 100_000)])]
                .concat(),
            FLOW,
        ),
    ]
}

fn broken_controls() -> Vec<Case> {
    let maximum = 0x7fff_ffff_u32.to_be_bytes();
    vec![
        ("PRIORITY on stream 0", frame(PRIORITY, 0, 0, &[0; 5]), PROTOCOL),
        ("PRIORITY with 4 bytes", frame(PRIORITY, 0, 1, &[0; 4]), SIZE),
        ("PRIORITY on itself", frame(PRIORITY, 0, 1, &[0, 0, 0, 1, 0]), PROTOCOL),
        ("RST_STREAM on stream 0", frame(RST_STREAM, 0, 0, &[0; 4]), PROTOCOL),
        ("RST_STREAM on an idle stream", frame(RST_STREAM, 0, 1, &[0; 4]), PROTOCOL),
        ("RST_STREAM with 3 bytes", [open(), frame(RST_STREAM, 0, 1, &[0; 3])].concat(), SIZE),
        ("SETTINGS on a stream", frame(SETTINGS, 0, 1, &[]), PROTOCOL),
        ("SETTINGS with 5 bytes", frame(SETTINGS, 0, 0, &[0; 5]), SIZE),
        ("an acknowledgement with content", frame(SETTINGS, ACK, 0, &[0; 6]), SIZE),
        ("push of 2", settings(&[(2, 2)]), PROTOCOL),
        ("a window of 2^31", settings(&[(4, 1 << 31)]), FLOW),
        ("frames of 100 bytes", settings(&[(5, 100)]), PROTOCOL),
        ("PUSH_PROMISE", [open(), frame(PUSH_PROMISE, 4, 1, &[0, 0, 0, 2])].concat(), PROTOCOL),
        ("PING on a stream", frame(PING, 0, 1, &[0; 8]), PROTOCOL),
        ("PING with 7 bytes", frame(PING, 0, 0, &[0; 7]), SIZE),
        ("GOAWAY on a stream", frame(GOAWAY, 0, 1, &[0; 8]), PROTOCOL),
        ("GOAWAY with 7 bytes", frame(GOAWAY, 0, 0, &[0; 7]), SIZE),
        ("WINDOW_UPDATE of 0", frame(WINDOW_UPDATE, 0, 0, &[0; 4]), PROTOCOL),
        ("WINDOW_UPDATE with 3 bytes", frame(WINDOW_UPDATE, 0, 0, &[0; 3]), SIZE),
        ("WINDOW_UPDATE on an idle stream", frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]), PROTOCOL),
        ("a window above 2^31", frame(WINDOW_UPDATE, 0, 0, &maximum), FLOW),
        ("a frame longer than announced", frame(DATA, 0, 1, &[0; 16_385]), SIZE),
    ]
}

/// What each of these bytes, after a preface and SETTINGS, does to a server's connection.
#[test]
fn a_broken_rule_of_the_connection_ends_it() {
    for (name, bytes, code) in broken_streams().into_iter().chain(broken_controls()) {
        let mut server = Server::new();
        let mut result = Ok(());
        for part in bytes.split_inclusive(|byte| *byte == ANSWER) {
            match part.strip_suffix(&[ANSWER]) {
                None => result = result.and_then(|()| server.feed(part)),
                Some(part) => {
                    result = result.and_then(|()| server.feed(part));
                    let fields = swell_http2::Fields::default();
                    let stream = Client::new().get();
                    server.session.respond(stream, 204, &fields, b"", true, &mut server.out).unwrap();
                }
            }
        }
        let error = result.expect_err(name);
        assert_eq!(error.code, code, "{name}: {error}");
        let (kind, _, length, stream) = *frames(&server.out).last().expect("a GOAWAY");
        assert_eq!((kind, length, stream), (GOAWAY, 8 + error.rule.len(), 0), "{name}");
        assert!(server.session.is_closing(), "{name}");
        server.forget();
        assert_eq!(server.feed(&frame(PING, 0, 0, &[0; 8])), Err(error), "{name}: it stays broken");
        assert!(server.out.is_empty() && server.log.take().is_empty(), "{name}");
    }
}

/// Marks the place at which the server answers the first request.
const ANSWER: u8 = 0xaa;

fn answer() -> Vec<u8> {
    vec![ANSWER]
}

#[test]
fn a_broken_rule_of_a_stream_ends_the_stream() {
    let more: &[(&str, &str)] = &[];
    let request = |fields: &[(&str, &str)]| {
        let usual = [(":method", "GET"), (":scheme", "http"), (":path", "/")];
        block(&[&usual[..], fields].concat())
    };
    let protocol = ErrorCode::PROTOCOL_ERROR;
    let all: &[(&str, Vec<u8>)] = &[
        ("capitals", request(&[("A", "b")])),
        ("a space in a name", request(&[("a b", "c")])),
        ("a colon in a name", request(&[("a:b", "c")])),
        ("an empty name", request(&[("", "c")])),
        ("CR LF in a value", request(&[("a", "b\r\nc: d")])),
        ("NUL in a value", request(&[("a", "b\0")])),
        ("a blank before a value", request(&[("a", " b")])),
        ("a blank after a value", request(&[("a", "b\t")])),
        ("connection", request(&[("connection", "close")])),
        ("keep-alive", request(&[("keep-alive", "5")])),
        ("proxy-connection", request(&[("proxy-connection", "x")])),
        ("transfer-encoding", request(&[("transfer-encoding", "chunked")])),
        ("upgrade", request(&[("upgrade", "h2c")])),
        ("te", request(&[("te", "gzip")])),
        ("an unknown pseudo-header field", request(&[(":x", "y")])),
        (":status in a request", request(&[(":status", "200")])),
        ("a pseudo-header field after others", request(&[("a", "b"), (":authority", "x")])),
        (":method twice", request(&[(":method", "GET")])),
        (":path twice", request(&[(":path", "/")])),
        ("no :path", block(&[(":method", "GET"), (":scheme", "http")])),
        ("an empty :path", block(&[(":method", "GET"), (":scheme", "http"), (":path", "")])),
        (":path without a slash", block(&[(":method", "GET"), (":scheme", "http"), (":path", "x")])),
        ("a space in :path", block(&[(":method", "GET"), (":scheme", "http"), (":path", "/x HTTP/1.1")])),
        ("no :scheme", block(&[(":method", "GET"), (":path", "/")])),
        ("no :method", block(&[(":scheme", "http"), (":path", "/")])),
        ("a space in :method", block(&[(":method", "GET /"), (":scheme", "http"), (":path", "/")])),
        ("CONNECT with a path", block(&[(":method", "CONNECT"), (":authority", "x"), (":path", "/")])),
        ("content-length that is not a number", request(&[("content-length", "-1")])),
        ("two lengths", request(&[("content-length", "1"), ("content-length", "2")])),
        ("an end before the length", request(&[("content-length", "1")])),
        ("no field at all", block(more)),
    ];
    for (name, block) in all {
        let mut server = Server::new();
        server.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, block)).expect(name);
        assert_eq!(server.out, frame(RST_STREAM, 0, 1, &protocol.0.to_be_bytes()), "{name}");
        assert_eq!(server.log.take().len(), 1, "{name}: the reset, no request");
        server.out.clear();
        server.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 3, GET)).expect(name);
        assert_eq!(server.log.take(), ["3 request GET http://x/  end"], "{name}: the connection works");
    }
    let mut server = Server::new();
    let fields = block(&[(":method", "GET"), (":scheme", "http"), (":path", "/"), ("te", "trailers")]);
    server.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &fields)).unwrap();
    assert_eq!(server.log.take(), ["1 request GET http:/// te: trailers; end"]);
}

#[test]
fn frames_that_do_not_fit_a_stream_end_it() {
    let size = |length: &str| block(&[("content-length", length)]);
    let data = |flags, bytes: &[u8]| frame(DATA, flags, 1, bytes);
    for (name, length, bytes, code) in [
        ("a body longer than its length", "3", data(0, b"abcd"), ErrorCode::PROTOCOL_ERROR),
        ("a body shorter than its length", "3", data(END_STREAM, b"ab"), ErrorCode::PROTOCOL_ERROR),
        ("trailers before the length", "3", frame(HEADERS, 5, 1, &[]), ErrorCode::PROTOCOL_ERROR),
        (
            "trailers with a pseudo-header field",
            "0",
            frame(HEADERS, 5, 1, &[0x88]),
            ErrorCode::PROTOCOL_ERROR,
        ),
        ("trailers without the end", "0", frame(HEADERS, 4, 1, &[]), ErrorCode::PROTOCOL_ERROR),
        ("WINDOW_UPDATE of 0", "0", frame(WINDOW_UPDATE, 0, 1, &[0; 4]), ErrorCode::PROTOCOL_ERROR),
        (
            "a window above 2^31",
            "0",
            frame(WINDOW_UPDATE, 0, 1, &0x7fff_ffff_u32.to_be_bytes()),
            ErrorCode::FLOW_CONTROL_ERROR,
        ),
    ] {
        let mut server = Server::new();
        server.feed(&frame(HEADERS, END_HEADERS, 1, &[GET, &size(length)].concat())).unwrap();
        server.forget();
        server.feed(&bytes).expect(name);
        assert_eq!(server.out, frame(RST_STREAM, 0, 1, &code.0.to_be_bytes()), "{name}");
        assert_eq!(server.session.open_streams(), 0, "{name}");
        // What was under way is dropped.
        server.forget();
        server.feed(&data(END_STREAM, b"late")).expect(name);
        assert!(server.log.take().is_empty() && server.out.is_empty(), "{name}");
    }
    let mut server = Server::new();
    server.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, GET)).unwrap();
    server.feed(&data(0, b"x")).unwrap();
    assert!(server.log.take()[1].contains("STREAM_CLOSED"), "DATA after the end");
}

#[test]
fn more_data_than_a_window_is_refused() {
    let all = Settings { frame_max: 1 << 20, connection_window: 65_535, ..Settings::server() };
    let mut server = Server::with(&all, &[]);
    server.feed(&frame(HEADERS, END_HEADERS, 1, GET)).unwrap();
    let error = server.feed(&frame(DATA, 0, 1, &vec![0; 65_536])).unwrap_err();
    assert_eq!(error.code, ErrorCode::FLOW_CONTROL_ERROR);

    let one = Settings { stream_window: 1_000, ..Settings::server() };
    let mut server = Server::with(&one, &[]);
    // Until the client acknowledges it, the default holds.
    server.feed(&frame(HEADERS, END_HEADERS, 1, GET)).unwrap();
    server.feed(&frame(DATA, 0, 1, &[0; 1_001])).unwrap();
    server.feed(&frame(SETTINGS, ACK, 0, &[])).unwrap();
    server.feed(&frame(HEADERS, END_HEADERS, 3, GET)).unwrap();
    server.forget();
    server.feed(&frame(DATA, 0, 3, &[0; 1_001])).unwrap();
    assert_eq!(server.out, frame(RST_STREAM, 0, 3, &ErrorCode::FLOW_CONTROL_ERROR.0.to_be_bytes()));
}

#[test]
fn too_many_streams_are_refused_and_the_table_stays_right() {
    let settings = Settings { streams_max: Some(1), ..Settings::server() };
    let mut server = Server::with(&settings, &[]);
    server.feed(&frame(HEADERS, END_HEADERS, 1, GET)).unwrap();
    let inserted = [GET, b"\x40\x01a\x01b"].concat();
    server.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 3, &inserted)).unwrap();
    server.feed(&frame(RST_STREAM, 0, 1, &8_u32.to_be_bytes())).unwrap();
    let again = [&[0x82, 0x86, 0x84, 0x80 | 63][..], &[0x80 | 62]].concat();
    server.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 5, &again)).unwrap();
    assert_eq!(
        server.log.take(),
        [
            "1 request GET http://x/ ",
            "3 more streams than were announced (REFUSED_STREAM)",
            "1 stream reset by the peer: CANCEL",
            "5 request GET http://x/ a: b; end",
        ]
    );
}

#[test]
fn floods_end_the_connection() {
    let head = frame(HEADERS, END_HEADERS | END_STREAM, 1, GET);
    for (name, bytes) in [
        ("PING", frame(PING, 0, 0, &[0; 8])),
        ("PING answers", frame(PING, ACK, 0, &[0; 8])),
        ("SETTINGS", frame(SETTINGS, 0, 0, &[])),
        ("acknowledgements", frame(SETTINGS, ACK, 0, &[])),
        ("PRIORITY", frame(PRIORITY, 0, 1, &[0; 5])),
        ("unknown frames", frame(99, 0, 0, b"x")),
        ("RST_STREAM", frame(RST_STREAM, 0, 1, &[0; 4])),
    ] {
        let mut server = Server::new();
        server.feed(&head).unwrap();
        let rounds = (0..20_000).take_while(|_| {
            server.out.clear();
            server.feed(&bytes).is_ok()
        });
        let rounds = rounds.count();
        assert!((9_000..11_000).contains(&rounds), "{name}: {rounds}");
        assert_eq!(server.feed(&bytes).unwrap_err().code, ErrorCode::ENHANCE_YOUR_CALM, "{name}");
    }
}

#[test]
fn empty_data_and_small_windows_are_floods() {
    for (name, bytes) in [
        ("empty DATA", frame(DATA, 0, 1, b"")),
        ("DATA of padding", frame(DATA, PADDED, 1, b"\x02\0\0")),
        ("windows of 1 byte", frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])),
    ] {
        let mut server = Server::new();
        server.feed(&frame(HEADERS, END_HEADERS, 1, GET)).unwrap();
        let ended = (0..20_000).any(|_| server.feed(&bytes).is_err());
        assert!(ended, "{name}");
        let code = server.feed(&bytes).unwrap_err().code;
        assert_eq!(code, ErrorCode::ENHANCE_YOUR_CALM, "{name}");
    }
}

#[test]
fn answers_that_are_not_read_end_the_connection() {
    let mut server = Server::new();
    let ping = frame(PING, 0, 0, &[0; 8]);
    let get = |stream| frame(HEADERS, END_HEADERS | END_STREAM, stream, GET);
    // Requests in between keep the count of idle frames low.
    let mut error = None;
    for round in 0..200_u32 {
        let pings = ping.repeat(1_000);
        error = server.feed(&get(round * 2 + 1)).and_then(|()| server.feed(&pings)).err();
        server.log.take();
        if error.is_some() {
            break;
        }
    }
    let error = error.expect("an end");
    assert_eq!(error.code, ErrorCode::ENHANCE_YOUR_CALM);
    assert!(server.out.len() < 2 << 20, "{}", server.out.len());
}

#[test]
fn resets_of_every_request_end_the_connection() {
    let mut server = Server::new();
    let mut rounds = 0_u32;
    let error = loop {
        let stream = rounds * 2 + 1;
        let both = [frame(HEADERS, END_HEADERS, stream, GET), frame(RST_STREAM, 0, stream, &[0, 0, 0, 8])];
        if let Err(error) = server.feed(&both.concat()) {
            break error;
        }
        server.forget();
        rounds += 1;
    };
    assert_eq!((rounds, error.code), (1_000, ErrorCode::ENHANCE_YOUR_CALM));
}

#[test]
fn heads_without_end_end_the_connection() {
    let mut server = Server::new();
    server.feed(&frame(HEADERS, 0, 1, GET)).unwrap();
    let empty = frame(CONTINUATION, 0, 1, b"");
    let rounds = (0..100).take_while(|_| server.feed(&empty).is_ok()).count();
    assert_eq!(rounds, 8);
    let mut server = Server::new();
    server.feed(&frame(HEADERS, 0, 1, &[0; 16_384])).unwrap();
    let full = frame(CONTINUATION, 0, 1, &[0; 16_384]);
    let rounds = (0..100).take_while(|_| server.feed(&full).is_ok()).count();
    assert_eq!(rounds, 3, "65,536 bytes");
}

/// One byte refers to a field of 4,000 bytes.
#[test]
fn a_bomb_ends_the_connection() {
    let mut bomb = [GET, &[0x40, 0x01, b'n', 0x7f, 0xa1, 0x1e], &[b'x'; 4_000]].concat();
    bomb.extend([0x80 | 62; 12_000]);
    let mut server = Server::new();
    let error = server.feed(&frame(HEADERS, END_HEADERS, 1, &bomb)).unwrap_err();
    assert_eq!(error.code, ErrorCode::ENHANCE_YOUR_CALM);
    assert!(server.log.take().is_empty());
}

#[test]
fn what_is_not_http_2_is_refused() {
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", &[0; 24]] {
        let mut session = server::Session::new(&Settings::server());
        let mut log = Log::default();
        let fed = session.feed(bytes, &mut Scratch::default(), &mut Vec::new(), &mut log);
        assert_eq!(fed.unwrap_err().code, ErrorCode::PROTOCOL_ERROR);
    }
    let mut session = server::Session::new(&Settings::server());
    let bytes = [&swell_http2::PREFACE[..], &frame(PING, 0, 0, &[0; 8])].concat();
    let fed = session.feed(&bytes, &mut Scratch::default(), &mut Vec::new(), &mut Log::default());
    assert_eq!(fed.unwrap_err().rule, "the first frame is not SETTINGS");
}
