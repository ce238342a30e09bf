//! HTTP without TLS, in absolute form.

use std::io::Read as _;
use std::net::TcpListener;

use crate::support::{Server, expect, record, rest, send};

#[test]
fn requests_of_one_connection_pass_unchanged_and_are_recorded() {
    let server = Server::plain(1, |mut stream| {
        expect(&mut stream, b"GET /a?x=1 HTTP/1.1\r\nHost: h\r\nX-Id: 1\r\n\r\n");
        send(&mut stream, b"HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nX-A: b\r\n\r\nhi");
        expect(&mut stream, b"POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
        send(&mut stream, b"HTTP/1.1 204 No Content\r\n\r\n");
    });
    let at = server.address;
    let recording = record(|_| {});
    let mut client = recording.client();
    let head = "Host: h\r\nProxy-Connection: keep-alive\r\nX-Id: 1";
    send(&mut client, format!("GET http://{at}/a?x=1 HTTP/1.1\r\n{head}\r\n\r\n").as_bytes());
    expect(&mut client, b"HTTP/1.1 200 Fine\r\nContent-Length: 2\r\nX-A: b\r\n\r\nhi");
    send(
        &mut client,
        format!("POST http://{at}/b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe").as_bytes(),
    );
    send(&mut client, b"llo");
    expect(&mut client, b"HTTP/1.1 204 No Content\r\n\r\n");
    server.end();
    let ended = recording.end();
    let (a, b) = (format!("GET http://{at}/a?x=1 200"), format!("POST http://{at}/b 204"));
    assert_eq!(ended.lines(), [a, b]);
    let [first, second] = ended.entries() else { panic!("two entries") };
    assert_eq!(first["response"]["content"]["text"], "hi");
    assert_eq!(first["response"]["statusText"], "Fine");
    assert_eq!(second["request"]["postData"]["text"], "hello");
    assert_eq!(
        (&first["connection"], &first["serverIPAddress"]),
        (&second["connection"], &"127.0.0.1".into())
    );
    assert!(ended.recorded.failed.is_empty() && ended.recorded.not_recorded.is_empty());
}

#[test]
fn chunks_pass_as_they_are_and_are_recorded_without_their_frames() {
    let response =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: v\r\n\r\n";
    let server = Server::plain(1, |mut stream| {
        expect(
            &mut stream,
            b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwxyz\r\n0\r\n\r\n",
        );
        response.chunks(7).for_each(|piece| send(&mut stream, piece));
    });
    let recording = record(|_| {});
    let mut client = recording.client();
    let head =
        format!("POST http://{}/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", server.address);
    send(&mut client, head.as_bytes());
    send(&mut client, b"4\r\nwxyz\r\n0\r\n\r\n");
    expect(&mut client, response);
    server.end();
    let ended = recording.end();
    let entry = &ended.entries()[0];
    assert_eq!(entry["request"]["postData"]["text"], "wxyz");
    assert_eq!(entry["response"]["content"]["text"], "abcde");
}

#[test]
fn body_waits_for_the_interim_response_of_the_server() {
    let server = Server::plain(1, |mut stream| {
        expect(&mut stream, b"PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
        send(&mut stream, b"HTTP/1.1 100 Continue\r\n\r\n");
        expect(&mut stream, b"ok");
        send(&mut stream, b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
    });
    let recording = record(|_| {});
    let mut client = recording.client();
    let head = "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    send(&mut client, format!("PUT http://{}/ HTTP/1.1\r\n{head}", server.address).as_bytes());
    expect(&mut client, b"HTTP/1.1 100 Continue\r\n\r\n");
    send(&mut client, b"ok");
    expect(
        &mut client,
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
    );
    server.end();
    let ended = recording.end();
    assert_eq!(ended.entries()[0]["response"]["status"], 201);
    assert_eq!(ended.entries()[0]["request"]["postData"]["text"], "ok");
}

#[test]
fn response_without_a_length_ends_with_the_connection() {
    let server = Server::plain(1, |mut stream| {
        expect(&mut stream, b"GET / HTTP/1.0\r\n\r\n");
        send(&mut stream, b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nto the end");
    });
    let recording = record(|_| {});
    let mut client = recording.client();
    send(&mut client, format!("GET http://{}/ HTTP/1.0\r\n\r\n", server.address).as_bytes());
    assert_eq!(rest(&mut client), "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nto the end");
    server.end();
    assert_eq!(recording.end().entries()[0]["response"]["content"]["text"], "to the end");
}

#[test]
fn connection_that_the_server_closed_is_opened_again() {
    let server = Server::plain(2, |mut stream| {
        expect(&mut stream, b"GET / HTTP/1.1\r\n\r\n");
        send(&mut stream, b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    });
    let recording = record(|_| {});
    let mut client = recording.client();
    for _ in 0..2 {
        send(&mut client, format!("GET http://{}/ HTTP/1.1\r\n\r\n", server.address).as_bytes());
        expect(&mut client, b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    }
    server.end();
    let ended = recording.end();
    assert_eq!((ended.entries().len(), ended.recorded.failed.len()), (2, 0));
}

#[test]
fn unreachable_server_is_a_response_of_the_proxy_and_an_entry() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let recording = record(|_| {});
    let mut client = recording.client();
    send(&mut client, format!("GET http://{closed}/ HTTP/1.1\r\n\r\n").as_bytes());
    let answer = rest(&mut client);
    assert!(
        answer.starts_with("HTTP/1.1 502 ") && answer.contains("cannot connect to 127.0.0.1:"),
        "{answer}"
    );
    let ended = recording.end();
    assert_eq!(ended.lines(), [format!("GET http://{closed}/ 0")]);
    assert!(ended.recorded.failed[0].1.contains("Connection refused"), "{:?}", ended.recorded.failed);
}

#[test]
fn broken_requests_and_responses_are_told() {
    let server = Server::plain(1, |mut stream| {
        expect(&mut stream, b"GET / HTTP/1.1\r\n\r\n");
        send(&mut stream, b"nonsense\r\n\r\n");
    });
    let recording = record(|_| {});
    let mut client = recording.client();
    send(&mut client, format!("GET http://{}/ HTTP/1.1\r\n\r\n", server.address).as_bytes());
    assert!(rest(&mut client).starts_with("HTTP/1.1 502 "));
    let mut client = recording.client();
    send(&mut client, b"nonsense\r\n\r\n");
    assert!(rest(&mut client).starts_with("HTTP/1.1 400 "));
    let mut client = recording.client();
    send(&mut client, b"GET /other HTTP/1.1\r\n\r\n");
    assert!(rest(&mut client).contains("this is a proxy"));
    server.end();
    let ended = recording.end();
    assert!(ended.recorded.failed[0].1.contains("not an HTTP response"), "{:?}", ended.recorded.failed);
    assert!(ended.reasons()[0].contains("not valid"), "{:?}", ended.reasons());
}

#[test]
fn proxy_gives_its_certificate_to_clients_that_ask() {
    let recording = record(|_| {});
    let mut client = recording.client();
    send(&mut client, b"GET /ca.pem HTTP/1.1\r\nHost: proxy\r\n\r\n");
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.contains(&recording.authority.certificate_pem()), "{answer}");
}
