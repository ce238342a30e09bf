//! Limits, many exchanges, and ends in the middle.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use swell_record::{Limits, RecorderError, Watch};

use crate::support::{Server, expect, record, send};

const CLIENTS: usize = 8;
const REQUESTS: usize = 250;

#[test]
fn two_thousand_exchanges_of_many_connections_are_all_recorded() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let connections = (0..CLIENTS).map(|_| {
            let (mut stream, _) = listener.accept().unwrap();
            thread::spawn(move || {
                let mut buffer = [0; 1024];
                let mut head = Vec::new();
                while let Ok(count @ 1..) = stream.read(&mut buffer) {
                    head.extend_from_slice(&buffer[..count]);
                    while let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
                        head.drain(..end + 4);
                        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc").unwrap();
                    }
                }
            })
        });
        connections.collect::<Vec<_>>().into_iter().for_each(|one| one.join().unwrap());
    });
    let recording = record(|_| {});
    let clients = (0..CLIENTS).map(|client| {
        let mut stream = recording.client();
        thread::spawn(move || {
            for request in 0..REQUESTS {
                send(&mut stream, format!("GET http://{at}/{client}/{request} HTTP/1.1\r\n\r\n").as_bytes());
                expect(&mut stream, b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
            }
        })
    });
    clients.collect::<Vec<_>>().into_iter().for_each(|one| one.join().unwrap());
    let ended = recording.end();
    server.join().unwrap();
    let urls: BTreeSet<_> =
        ended.entries().iter().map(|entry| entry["request"]["url"].as_str().unwrap()).collect();
    assert_eq!((ended.entries().len(), urls.len()), (CLIENTS * REQUESTS, CLIENTS * REQUESTS));
    assert!(ended.entries().iter().all(|entry| entry["response"]["content"]["text"] == "abc"));
}

#[test]
fn large_bodies_are_cut_in_the_file_only() {
    let server = Server::plain(1, |mut stream| {
        expect(&mut stream, b"POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\n123456");
        send(&mut stream, b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nabcdefgh");
    });
    let recording = record(|options| options.limits = Limits { body_bytes: 4, ..Limits::ALL_HOSTS });
    let mut client = recording.client();
    send(
        &mut client,
        format!("POST http://{}/ HTTP/1.1\r\nContent-Length: 6\r\n\r\n123456", server.address).as_bytes(),
    );
    expect(&mut client, b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nabcdefgh");
    server.end();
    let ended = recording.end();
    assert_eq!(ended.entries()[0]["request"]["postData"]["text"], "1234");
    assert_eq!(ended.entries()[0]["response"]["content"]["comment"], "cut: the first 4 of 8 bytes");
    assert_eq!(ended.recorded.cut.len(), 1);
}

#[test]
fn recording_ends_at_its_limit_and_the_client_goes_on() {
    let server = Server::plain(1, |mut stream| {
        for _ in 0..3 {
            expect(&mut stream, b"GET / HTTP/1.1\r\n\r\n");
            send(&mut stream, b"HTTP/1.1 204 No Content\r\n\r\n");
        }
    });
    let recording = record(|options| options.limits = Limits { exchanges: 2, ..Limits::ALL_HOSTS });
    let mut client = recording.client();
    for _ in 0..3 {
        send(&mut client, format!("GET http://{}/ HTTP/1.1\r\n\r\n", server.address).as_bytes());
        expect(&mut client, b"HTTP/1.1 204 No Content\r\n\r\n");
    }
    server.end();
    let watched = recording.watched.clone();
    let ended = recording.end();
    assert_eq!(ended.entries().len(), 2);
    assert!(watched.lock().unwrap().contains(&Watch::Full("2 exchanges are recorded".to_owned())));
    assert_eq!(ended.recorded.ended_early.as_deref(), Some("2 exchanges are recorded"));
}

#[test]
fn exchange_that_the_end_cuts_off_is_recorded() {
    let server = Server::plain(1, |mut stream| {
        expect(&mut stream, b"GET /events HTTP/1.1\r\n\r\n");
        send(&mut stream, b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
        let mut rest = Vec::new();
        // The recorder ends the connection.
        let _ = stream.read_to_end(&mut rest);
    });
    let recording = record(|_| {});
    let mut client = recording.client();
    send(&mut client, format!("GET http://{}/events HTTP/1.1\r\n\r\n", server.address).as_bytes());
    expect(&mut client, b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
    let ended = recording.end();
    server.end();
    assert_eq!(ended.entries()[0]["response"]["content"]["text"], "data: 1\n\n");
    assert_eq!(ended.entries()[0]["comment"], "the recording ended in this exchange");
    assert_eq!(ended.recorded.failed.len(), 1);
}

#[test]
fn file_that_exists_is_not_overwritten() {
    let recording = record(|_| {});
    let raw = recording.raw.clone();
    let authority = recording.authority.clone();
    let again = swell_record::Recorder::start(
        swell_record::RecorderOptions {
            bind: ([127, 0, 0, 1], 0).into(),
            hosts: swell_record::HostPatterns::default(),
            authority,
            trust: swell_record::Trust::Machine,
            upstream: swell_record::Upstream::default(),
            raw,
            overwrites: false,
            transactions: swell_record::Transactions::None,
            browses: None,
            limits: Limits::ALL_HOSTS,
        },
        |_| {},
    );
    assert!(matches!(again, Err(RecorderError::Exists(_))));
}
