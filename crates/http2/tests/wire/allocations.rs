//! What a request costs in memory.

use allocation_counter::measure;
use swell_http2::client::Request;
use swell_http2::hpack::Encoder;
use swell_http2::{Events, Fields};

use crate::record::{Client, DATA, END_HEADERS, END_STREAM, HEADERS, Log, frame, plain};

struct Nothing;

impl Events for Nothing {}

/// As nginx answers: its fields are inserted with each response and never referred to.
fn nginx() -> Vec<u8> {
    let fields: [(&[u8], &[u8]); 5] = [
        (b":status", b"200"),
        (b"server", b"nginx/1.22.1"),
        (b"date", b"Thu, 26 Nov 2026 10:00:00 GMT"),
        (b"content-type", b"text/plain"),
        (b"content-length", b"64"),
    ];
    let mut block = Vec::new();
    Encoder::default().encode_list(fields, &mut block);
    block
}

#[test]
fn a_request_and_its_response_allocate_nothing_once_buffers_have_grown() {
    let constant = Fields::from_lines(b"User-Agent: swell\r\nAccept: */*\r\n").unwrap();
    let nginx = nginx();
    let mut client = Client::new();
    let request = Request { path: b"/index", constant: &constant, ..plain("GET", &constant) };
    let one = |client: &mut Client| {
        let stream = client.session.request(&request, true, &mut client.out).unwrap();
        let head = frame(HEADERS, END_HEADERS, stream.get(), &nginx);
        let data = frame(DATA, END_STREAM, stream.get(), &[b'x'; 64]);
        let used = measure(|| {
            client.session.feed(&head, &mut client.scratch, &mut client.out, &mut Nothing).unwrap();
            client.session.feed(&data, &mut client.scratch, &mut client.out, &mut Nothing).unwrap();
        });
        client.out.clear();
        used.count_total
    };
    for _ in 0..300 {
        one(&mut client);
    }
    let used: u64 = (0..100).map(|_| one(&mut client)).sum();
    assert_eq!(used, 0);
    let request = Request { own: b"Cookie: a=b\r\n", ..request };
    let used = measure(|| {
        client.session.request(&request, true, &mut client.out).unwrap();
    });
    assert_eq!(used.count_total, 0);
}

#[test]
fn an_idle_session_is_small() {
    let constant = Fields::from_lines(b"User-Agent: swell\r\nAccept: */*\r\n").unwrap();
    let mut client = None;
    let used = measure(|| {
        let mut new = Client::new();
        let request = Request { path: b"/index", constant: &constant, ..plain("GET", &constant) };
        for _ in 0..3 {
            let stream = new.session.request(&request, true, &mut new.out).unwrap();
            new.feed(&frame(HEADERS, END_HEADERS | END_STREAM, stream.get(), &[0x88])).unwrap();
        }
        new.out = Vec::new();
        new.log = Log::default();
        new.scratch = swell_http2::Scratch::default();
        client = Some(new);
    });
    let bytes = used.bytes_current + i64::try_from(size_of::<swell_http2::client::Session>()).unwrap();
    assert!(bytes <= 2_048, "{bytes}");
}
