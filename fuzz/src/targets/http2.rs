//! HTTP/2: compressed heads, and whole sessions of a client and of a server.

use std::collections::BTreeMap;

use swell_http2::client::{self, Request, Scheme};
use swell_http2::hpack::{Decoder, Encoder};
use swell_http2::{
    Data, ErrorCode, Events, Fields, PREFACE, PeerSettings, RequestHead, ResponseHead, Scratch, Settings,
    StreamId, StreamReset, Trailers, server,
};

use crate::mutate::SEPARATOR;

use super::{pieces, random_of};

/// Largest list of fields that is decoded.
const LIST_MAX: usize = 64 << 10;

/// Heads of a connection, one after the other: what they decode to comes back from the encoder.
pub(super) fn hpack(input: &[u8]) {
    let mut decoder = Decoder::new(4_096);
    let mut encoder = Encoder::default();
    let mut again = Decoder::new(4_096);
    for block in input.split(|byte| *byte == SEPARATOR) {
        let Ok(list) = decoder.decode_list(block, LIST_MAX) else { return };
        let size: usize = list.iter().map(|(name, value)| 32 + name.len() + value.len()).sum();
        assert!(size <= LIST_MAX, "the limit holds");
        let mut coded = Vec::new();
        encoder.encode_list(list.iter().map(|(name, value)| (&name[..], &value[..])), &mut coded);
        assert_eq!(again.decode_list(&coded, LIST_MAX), Ok(list), "what is encoded comes back");
    }
}

/// Events with bodies joined: their pieces depend on how the bytes arrive.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    events: Vec<String>,
    bodies: BTreeMap<StreamId, Vec<u8>>,
    requests: Vec<StreamId>,
}

/// Lines must have the shape of HTTP/1, or a client would read a forged one.
fn check_lines(fields: &[u8]) {
    assert!(fields.is_empty() || fields.ends_with(b"\r\n"), "whole lines");
    for line in fields.split_inclusive(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r\n").expect("each line ends with CR LF");
        let colon = line.iter().position(|byte| *byte == b':').expect("each line has a colon");
        let (name, value) = line.split_at(colon);
        assert!(value.starts_with(b": "), "a blank follows the colon");
        assert!(!name.is_empty() && name.iter().all(u8::is_ascii_graphic), "a name is a token");
        assert!(!name.iter().any(u8::is_ascii_uppercase), "names are in lower case");
        assert!(!value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)), "a value is one line");
    }
}

impl Events for Seen {
    fn response(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        assert!((200..=999).contains(&head.status), "a final status");
        assert!(head.first < head.at, "the first byte comes before the last");
        check_lines(head.fields);
        self.events.push(format!("{stream} {head:?}"));
    }

    fn informational(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        assert!((100..200).contains(&head.status) && !head.end, "an informational status");
        check_lines(head.fields);
        self.events.push(format!("{stream} {head:?}"));
    }

    fn request(&mut self, stream: StreamId, head: RequestHead<'_>) {
        check_lines(head.fields);
        for part in [head.method, head.scheme, head.authority, head.path] {
            assert!(part.iter().all(|byte| *byte > b' '), "no blanks in the parts of a request");
        }
        self.requests.push(stream);
        self.events.push(format!("{stream} {head:?}"));
    }

    fn data(&mut self, stream: StreamId, data: Data<'_>) {
        self.bodies.entry(stream).or_default().extend_from_slice(data.bytes);
        if data.end {
            self.events.push(format!("{stream} end {}", data.at));
        } else {
            assert!(!data.bytes.is_empty(), "a piece without bytes is the end");
        }
    }

    fn trailers(&mut self, stream: StreamId, trailers: Trailers<'_>) {
        check_lines(trailers.fields);
        self.events.push(format!("{stream} {trailers:?}"));
    }

    fn reset(&mut self, stream: StreamId, reason: StreamReset, at: u64) {
        // Where a body breaks a rule, and what came of it before, depends on the pieces.
        let is_rule = matches!(reason, StreamReset::Rule { .. });
        let at = if is_rule { 0 } else { at };
        if is_rule {
            self.bodies.remove(&stream);
        }
        self.events.push(format!("{stream} {reason} {at}"));
    }

    fn window(&mut self, stream: StreamId) {
        self.events.push(format!("{stream} window"));
    }

    fn go_away(&mut self, last: StreamId, code: ErrorCode, debug: &[u8]) {
        self.events.push(format!("go away {last} {code} {debug:?}"));
    }

    fn settings(&mut self, peer: &PeerSettings) {
        self.events.push(format!("{peer:?}"));
    }

    fn pong(&mut self, payload: u64, at: u64) {
        self.events.push(format!("pong {payload} {at}"));
    }
}

/// Feeds a client with six requests, one of them with a body that waits for windows.
fn client_in<'b>(
    pieces: impl IntoIterator<Item = &'b [u8]>,
    scratch: &mut Scratch,
) -> (Seen, Vec<u8>, Option<String>) {
    let settings = Settings { stream_window: 100, header_list_max: 2_000, ..Settings::default() };
    let mut session = client::Session::new(&settings);
    let mut out = Vec::new();
    session.start(&mut out);
    let constant = Fields::from_lines(b"Accept: */*\r\n").expect("a field that can be sent");
    for number in 0..6 {
        let request = Request {
            method: if number == 1 { b"HEAD" } else { b"GET" },
            scheme: Scheme::Https,
            authority: b"x",
            path: b"/p",
            path_repeats: true,
            constant: &constant,
            own: b"",
        };
        let stream = session.request(&request, number != 5, &mut out).expect("a stream is free");
        session.send_data(stream, &vec![0; 70_000], true, &mut out);
    }
    out.clear();
    let mut seen = Seen::default();
    for piece in pieces {
        if let Err(error) = session.feed(piece, scratch, &mut out, &mut seen) {
            assert!(session.is_closing(), "a broken connection takes no requests");
            return (seen, out, Some(error.to_string()));
        }
        assert!(session.open_streams() <= 6);
    }
    (seen, out, None)
}

/// What a server sends, however it arrives.
pub(super) fn client(input: &[u8]) {
    let whole = client_in([input], &mut Scratch::default());
    let mut random = random_of(input);
    // Buffers that another connection has used may hold a head of the same bytes.
    let mut scratch = Scratch::default();
    for _ in 0..3 {
        let cut = client_in(pieces(input, &mut random), &mut scratch);
        assert_eq!(cut, whole, "neither pieces nor used buffers make a difference");
    }
}

/// What a client sends after the preface, however it arrives.
pub(super) fn server(input: &[u8]) {
    let run = |pieces: Vec<&[u8]>| {
        let settings = Settings { streams_max: Some(5), header_list_max: 2_000, ..Settings::server() };
        let mut session = server::Session::new(&settings);
        let mut scratch = Scratch::default();
        let mut out = Vec::new();
        let mut seen = Seen::default();
        let mut error = session.feed(PREFACE, &mut scratch, &mut out, &mut seen).err();
        for piece in pieces {
            if error.is_none() {
                error = session.feed(piece, &mut scratch, &mut out, &mut seen).err();
            }
        }
        let answered = out.len();
        for stream in std::mem::take(&mut seen.requests) {
            let sent = session.respond(stream, 200, &Fields::default(), b"a: b\r\n", false, &mut out);
            sent.expect("a field that can be sent");
            session.send_data(stream, b"body", true, &mut out);
        }
        out.truncate(answered);
        (seen, out, error)
    };
    let whole = run(vec![input]);
    let mut random = random_of(input);
    for _ in 0..3 {
        assert_eq!(run(pieces(input, &mut random)), whole, "the pieces make no difference");
    }
}
