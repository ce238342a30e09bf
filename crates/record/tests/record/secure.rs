//! HTTPS: tunnels that are decrypted.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use swell_record::Trust;

use crate::support::{Server, expect, record, rest, send, tls_client};

#[test]
fn requests_in_tls_are_recorded_with_the_certificate_of_the_recorder() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(b"{\"id\":7}").unwrap();
    let body = gzip.finish().unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let response = [head.as_bytes(), &body].concat();
    let to_send = response.clone();
    let (server, _) = Server::secure(1, &[b"h2", b"http/1.1"], move |mut stream| {
        assert_eq!(stream.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
        for _ in 0..2 {
            expect(&mut stream, b"GET /x HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n");
            send(&mut stream, &to_send);
        }
    });
    let recording = record(|_| {});
    let mut client = recording.secure(server.address);
    for _ in 0..2 {
        send(&mut client, b"GET /x HTTP/1.1\r\nAccept-Encoding: gzip, zstd\r\n\r\n");
        expect(&mut client, &response);
    }
    assert_eq!(client.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
    server.end();
    let ended = recording.end();
    assert_eq!(ended.lines(), vec![format!("GET https://{}/x 200", server_at(&ended)); 2]);
    assert_eq!(ended.entries()[1]["response"]["content"]["text"], "{\"id\":7}");
    assert!(ended.entries()[0]["timings"]["ssl"].as_f64() > Some(0.0));
    assert_eq!(ended.entries()[1]["timings"]["ssl"], -1.0);
}

/// Host and port of the first entry.
fn server_at(ended: &crate::support::Ended) -> String {
    let url = ended.entries()[0]["request"]["url"].as_str().expect("a URL");
    url.split('/').nth(2).expect("a host").to_owned()
}

#[test]
fn certificate_that_is_not_trusted_is_refused_and_told() {
    let (server, _) = Server::secure(1, &[], |_| panic!("no request reaches the server"));
    let recording = record(|options| options.trust = Trust::Roots(Vec::new()));
    let mut client = recording.secure(server.address);
    send(&mut client, b"GET / HTTP/1.1\r\n\r\n");
    let answer = rest(&mut client);
    assert!(answer.starts_with("HTTP/1.1 502 ") && answer.contains("not trusted"), "{answer}");
    server.end();
    let ended = recording.end();
    assert!(ended.entries().is_empty());
    assert!(ended.reasons()[0].contains("record with -k"), "{:?}", ended.reasons());
}

#[test]
fn certificate_of_a_root_that_was_given_is_accepted() {
    let (server, certificate) = Server::secure(1, &[], |mut stream| {
        expect(&mut stream, b"GET / HTTP/1.1\r\n\r\n");
        send(&mut stream, b"HTTP/1.1 204 No Content\r\n\r\n");
    });
    let recording = record(|options| options.trust = Trust::Roots(vec![certificate]));
    let mut client = recording.secure(server.address);
    send(&mut client, b"GET / HTTP/1.1\r\n\r\n");
    expect(&mut client, b"HTTP/1.1 204 No Content\r\n\r\n");
    server.end();
    assert_eq!(recording.end().entries().len(), 1);
}

#[test]
fn client_that_does_not_trust_the_recorder_is_told() {
    let (server, own) = Server::secure(1, &[], |_| {});
    let recording = record(|_| {});
    let mut client = tls_client(recording.tunnel(server.address), own, &[]);
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").expect_err("the certificate is not the server's");
    server.end();
    drop(client);
    // The alert is on its way: the recorder tells as soon as it has come.
    while recording.watched.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    let ended = recording.end();
    assert!(ended.reasons()[0].contains("does not trust the recorder"), "{:?}", ended.reasons());
}
