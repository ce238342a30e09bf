//! Literal bytes of each frame, both ways.

use swell_http2::client::{OpenError, Request, Scheme};
use swell_http2::{ErrorCode, Fields, PREFACE, Settings, StreamId};

use crate::record::{
    ACK, CONTINUATION, Client, DATA, END_HEADERS, END_STREAM, GET, GOAWAY, HEADERS, PADDED, PING,
    PRIORITIZED, RST_STREAM, Server, WINDOW_UPDATE, block, field, frame, plain, settings,
};

#[test]
fn a_client_begins_with_preface_settings_and_window() {
    let client = Client::with(&Settings::default());
    let wanted = [
        &PREFACE[..],
        &settings(&[(2, 0), (4, 1 << 20), (6, 65_536)]),
        &frame(WINDOW_UPDATE, 0, 0, &((16 << 20) - 65_535_u32).to_be_bytes()),
    ]
    .concat();
    assert_eq!(client.out, wanted);
    let small = Settings {
        header_table: 0,
        stream_window: 65_535,
        connection_window: 65_535,
        frame_max: 20_000,
        header_list_max: 1_000,
        streams_max: Some(0),
    };
    let wanted = settings(&[(1, 0), (2, 0), (3, 0), (4, 65_535), (5, 20_000), (6, 1_000)]);
    assert_eq!(Client::with(&small).out[PREFACE.len()..], wanted);
}

#[test]
fn requests_are_literal_bytes_and_become_indices() {
    let mut client = Client::new();
    let constant = Fields::from_lines(b"User-Agent: swell\r\nAccept: */*\r\n").unwrap();
    let request = Request {
        authority: b"127.0.0.1",
        path: b"/x",
        constant: &constant,
        own: b"Cookie: a=b\r\nContent-Length: 3\r\n",
        ..plain("POST", &constant)
    };
    assert_eq!(client.session.request(&request, false, &mut client.out).unwrap().get(), 1);
    // Values are coded where that is shorter.
    let block = [
        &b"\x83\x86\x41\x87\x08\x9d\x5c\x0b\x81\x70\xff"[..],
        b"\x44\x02/x\x7a\x84\x47\x82\xd1\x47\x53\x03*/*\x1f\x11\x03a=b\x0f\x0d\x013",
    ];
    assert_eq!(client.out, frame(HEADERS, END_HEADERS, 1, &block.concat()));
    client.out.clear();
    client.session.request(&request, false, &mut client.out).unwrap();
    let block =
        [&[0x83, 0x86, 0x80 | 65, 0x80 | 64, 0x80 | 63, 0x80 | 62][..], b"\x1f\x11\x03a=b\x0f\x0d\x013"];
    assert_eq!(client.out, frame(HEADERS, END_HEADERS, 3, &block.concat()));
    client.out.clear();
    let request = Request { own: b"", scheme: Scheme::Https, path: b"/", ..request };
    client.session.request(&request, true, &mut client.out).unwrap();
    let block = [0x83, 0x87, 0x80 | 65, 0x84, 0x80 | 63, 0x80 | 62];
    assert_eq!(client.out, frame(HEADERS, END_HEADERS | END_STREAM, 5, &block));
}

#[test]
fn what_cannot_be_sent_is_refused_before_anything_is_written() {
    let mut client = Client::new();
    let constant = Fields::default();
    let good = plain("GET", &constant);
    for request in [
        Request { method: b"GE T", ..good },
        Request { method: b"", ..good },
        Request { path: b"/a b", ..good },
        Request { authority: b"x\r\n", ..good },
        Request { own: b"a b: c\r\n", ..good },
    ] {
        let error = client.session.request(&request, true, &mut client.out);
        assert!(matches!(error, Err(OpenError::Field(_))), "{request:?}");
    }
    assert!(client.out.is_empty());
    assert_eq!(client.get().get(), 1);
    assert_eq!(
        client.out,
        frame(HEADERS, END_HEADERS | END_STREAM, 1, &[0x82, 0x86, 0x41, 0x01, b'x', 0x84])
    );
}

#[test]
fn a_response_with_body_and_trailers() {
    let mut client = Client::new();
    client.get();
    client.out.clear();
    let start = client.session.fed();
    assert_eq!(start, 9, "the settings");
    client.feed(&frame(HEADERS, END_HEADERS, 1, &[&[0x88][..], &block(&[("a", "b")])].concat())).unwrap();
    client.feed(&frame(DATA, PADDED, 1, b"\x03hello\0\0\0")).unwrap();
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &block(&[("grpc-status", "0")]))).unwrap();
    assert_eq!(
        client.log.take(),
        [
            // Nine bytes of settings before; the frame has 9 + 1 + 5 bytes.
            "1 response 200 a: b; 10-24 15",
            "1 data hello 42 18",
            "1 trailers grpc-status: 0;",
        ]
    );
    assert_eq!(client.session.open_streams(), 0);
    assert!(client.out.is_empty());
}

#[test]
fn informational_responses_come_before_the_response() {
    let mut client = Client::new();
    client.get();
    client.feed(&frame(HEADERS, END_HEADERS, 1, &block(&[(":status", "103"), ("link", "x")]))).unwrap();
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &[0x89])).unwrap();
    assert_eq!(client.log.take(), ["1 informational 103 link: x;", "1 response 204  end 40-49 10"]);
}

#[test]
fn a_head_may_come_in_pieces_with_padding_and_priority() {
    let mut client = Client::new();
    client.get();
    let payload = [&[2, 0, 0, 0, 3, 16][..], &[0x88], &[0, 0]].concat();
    client.feed(&frame(HEADERS, PADDED | PRIORITIZED | END_STREAM, 1, &payload)).unwrap();
    client.feed(&frame(CONTINUATION, 0, 1, &field("a", "b")[..2])).unwrap();
    client.feed(&frame(CONTINUATION, END_HEADERS, 1, &field("a", "b")[2..])).unwrap();
    assert_eq!(client.log.take(), ["1 response 200 a: b; end 10-50 41"]);
}

#[test]
fn pings_are_answered_and_reported() {
    let mut client = Client::new();
    client.feed(&frame(PING, 0, 0, b"12345678")).unwrap();
    assert_eq!(client.out, frame(PING, ACK, 0, b"12345678"));
    client.out.clear();
    client.session.ping(7, &mut client.out);
    assert_eq!(client.out, frame(PING, 0, 0, &7_u64.to_be_bytes()));
    client.feed(&frame(PING, ACK, 0, &7_u64.to_be_bytes())).unwrap();
    assert_eq!(client.log.take(), ["pong 7 43"]);
}

#[test]
fn resets_end_streams_from_both_sides() {
    let mut client = Client::new();
    let first = client.get();
    let second = client.get();
    client.forget();
    client.session.reset(first, ErrorCode::CANCEL, &mut client.out);
    assert_eq!(client.out, frame(RST_STREAM, 0, 1, &8_u32.to_be_bytes()));
    client.out.clear();
    client.session.reset(first, ErrorCode::CANCEL, &mut client.out);
    assert!(client.out.is_empty(), "it is gone already");
    // What was under way for it is decoded, counted and dropped.
    client.feed(&frame(HEADERS, END_HEADERS, 1, &[0x88])).unwrap();
    client.feed(&frame(DATA, END_STREAM, 1, b"late")).unwrap();
    client.feed(&frame(RST_STREAM, 0, second.get(), &7_u32.to_be_bytes())).unwrap();
    assert_eq!(client.log.take(), ["3 stream reset by the peer: REFUSED_STREAM"]);
    assert_eq!(client.session.open_streams(), 0);
}

#[test]
fn a_goaway_lets_streams_finish_and_names_those_that_were_not_processed() {
    let mut client = Client::new();
    for _ in 0..3 {
        client.get();
    }
    client.feed(&frame(GOAWAY, 0, 0, b"\0\0\0\x03\0\0\0\0bye")).unwrap();
    assert_eq!(
        client.log.take(),
        ["5 the peer closed the connection before it processed the stream", "go away after 3: NO_ERROR bye"]
    );
    assert!(client.session.is_closing() && !client.session.can_open());
    let constant = Fields::default();
    let request = plain("GET", &constant);
    assert_eq!(client.session.request(&request, true, &mut client.out), Err(OpenError::Closing));
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 3, &[0x88])).unwrap();
    // A number that rises again brings nothing back.
    client.feed(&frame(GOAWAY, 0, 0, b"\x7f\xff\xff\xff\0\0\0\0")).unwrap();
    assert_eq!(client.log.take(), ["3 response 200  end 30-39 10", "go away after 3: NO_ERROR "]);
}

#[test]
fn the_servers_limit_of_streams_holds() {
    let mut client = Client::with(&Settings::default());
    assert!(client.session.can_open(), "requests need not wait for SETTINGS");
    assert!(!client.session.has_settings());
    client.feed(&settings(&[(3, 1)])).unwrap();
    let stream = client.get();
    let constant = Fields::default();
    let second = client.session.request(&plain("GET", &constant), true, &mut client.out);
    assert_eq!(second, Err(OpenError::StreamsMax));
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, stream.get(), &[0x88])).unwrap();
    assert!(client.session.can_open());
    client.feed(&settings(&[(3, 0)])).unwrap();
    assert!(!client.session.can_open() && !client.session.is_closing());
}

#[test]
fn a_server_reads_requests_and_writes_responses() {
    let mut server = Server::new();
    server.feed(&frame(HEADERS, END_HEADERS, 1, &[GET, &block(&[("a", "b")])].concat())).unwrap();
    server.feed(&frame(DATA, END_STREAM, 1, b"body")).unwrap();
    assert_eq!(server.log.take(), ["1 request GET http://x/ a: b;", "1 data body end 66 13"]);
    let constant = Fields::from_lines(b"Server: s\r\n").unwrap();
    let stream = first();
    server.session.inform(stream, 103, b"Link: x\r\n", &mut server.out).unwrap();
    let own = b"Content-Length: 2\r\nConnection: keep-alive\r\n";
    server.session.respond(stream, 200, &constant, own, false, &mut server.out).unwrap();
    assert_eq!(server.session.send_data(stream, b"ok", false, &mut server.out), 2);
    server.session.send_trailers(stream, b"X-End: 1\r\n", &mut server.out).unwrap();
    let wanted = [
        frame(HEADERS, END_HEADERS, 1, b"\x48\x82\x08\x19\x0f\x1e\x01x"),
        frame(HEADERS, END_HEADERS, 1, b"\x88\x76\x01s\x0f\x0d\x012"),
        frame(DATA, 0, 1, b"ok"),
        frame(HEADERS, END_HEADERS | END_STREAM, 1, &field("x-end", "1")),
    ]
    .concat();
    assert_eq!(server.out, wanted);
    assert_eq!(server.session.open_streams(), 0);
    assert_eq!(server.session.send_data(stream, b"more", true, &mut server.out), 0);
}

fn first() -> StreamId {
    Client::new().get()
}

#[test]
fn a_frame_or_a_head_that_has_begun_is_known() {
    let mut server = Server::new();
    let head = frame(HEADERS, 0, 1, GET);
    let rest = frame(CONTINUATION, END_HEADERS, 1, b"");
    assert!(!server.session.awaits_rest());
    for bytes in [&head[..4], &head[4..12], &head[12..], &rest[..8]] {
        server.feed(bytes).unwrap();
        assert!(server.session.awaits_rest());
    }
    server.feed(&rest[8..]).unwrap();
    assert!(!server.session.awaits_rest());
}

#[test]
fn a_servers_goaway_names_the_last_stream_and_later_ones_are_dropped() {
    let mut server = Server::new();
    server.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, GET)).unwrap();
    server.session.go_away(ErrorCode::NO_ERROR, &mut server.out);
    assert_eq!(server.out, frame(GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0]));
    server.forget();
    server.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 3, GET)).unwrap();
    assert!(server.log.take().is_empty() && server.session.is_closing());
    let answered = server.session.respond(first(), 200, &Fields::default(), b"", true, &mut server.out);
    assert_eq!(answered, Ok(()));
    assert_eq!(server.out, frame(HEADERS, END_HEADERS | END_STREAM, 1, &[0x88]));
}

#[test]
fn long_heads_are_split() {
    let mut client = Client::new();
    let constant = Fields::default();
    let cookie = format!("Cookie: {}\r\n", "c".repeat(40_000));
    let request = Request { own: cookie.as_bytes(), ..plain("GET", &constant) };
    client.session.request(&request, true, &mut client.out).unwrap();
    let kinds: Vec<(u8, u8, usize)> = frames(&client.out).iter().map(|f| (f.0, f.1, f.2)).collect();
    let rest = 40_000 + 6 + 2 + 4 - 2 * 16_384;
    let wanted =
        [(HEADERS, END_STREAM, 16_384), (CONTINUATION, 0, 16_384), (CONTINUATION, END_HEADERS, rest)];
    assert_eq!(kinds, wanted);
    let mut server = Server::new();
    server.feed(&client.out).unwrap();
    let wanted = format!("1 request GET http://x/ cookie: {}; end", "c".repeat(40_000));
    assert_eq!(server.log.take(), [wanted]);
}

/// Kind, flags, length and stream of each frame.
pub(crate) fn frames(bytes: &[u8]) -> Vec<(u8, u8, usize, u32)> {
    let mut rest = bytes;
    let mut frames = Vec::new();
    while let Some((head, tail)) = rest.split_first_chunk::<9>() {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        frames.push((head[3], head[4], length, stream));
        rest = &tail[length..];
    }
    assert!(rest.is_empty(), "whole frames");
    frames
}

/// The same bytes of a head are decoded once; the tables of all connections must follow.
#[test]
fn heads_that_repeat_insert_their_fields_on_each_connection() {
    let get = |client: &mut Client, block: &[u8]| {
        let stream = client.get();
        client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, stream.get(), block)).unwrap();
        let line = client.log.take().pop().unwrap();
        line.split_once(" response ").map(|(_, rest)| rest.split(" end").next().unwrap().to_owned())
    };
    let inserting = b"\x88\x40\x01a\x01b\x40\x01c\x01d";
    let naming = b"\x88\x40\x01e\x01f";
    let mut clients = [Client::new(), Client::new()];
    for _ in 0..3 {
        for place in [0, 1] {
            assert_eq!(get(&mut clients[place], inserting).as_deref(), Some("200 a: b;c: d;"));
            // Both use the same buffers.
            let [first, second] = &mut clients;
            std::mem::swap(&mut first.scratch, &mut second.scratch);
        }
    }
    for client in &mut clients {
        // Six entries: the newest is `c`.
        assert_eq!(get(client, &[0x88, 0x80 | 62, 0x80 | 67]).as_deref(), Some("200 c: d;a: b;"));
        assert_eq!(get(client, naming).as_deref(), Some("200 e: f;"));
        assert_eq!(get(client, &[0x88, 0x80 | 62, 0x80 | 68]).as_deref(), Some("200 e: f;a: b;"));
        // What reads the table is not repeated from memory.
        assert_eq!(get(client, naming).as_deref(), Some("200 e: f;"));
        assert_eq!(get(client, &[0x88, 0x80 | 62, 0x80 | 68]).as_deref(), Some("200 e: f;c: d;"));
        // Nor what inserts a pseudo-header field.
        for _ in 0..2 {
            assert_eq!(get(client, b"\x48\x03302\x40\x01g\x01h").as_deref(), Some("302 g: h;"));
        }
        assert_eq!(get(client, &[0x80 | 63, 0x80 | 62]).as_deref(), Some("302 g: h;"));
        assert_eq!(get(client, &[0x80 | 65, 0x80 | 64]).as_deref(), Some("302 g: h;"));
    }
}
