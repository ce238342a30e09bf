//! HTTP/1.1 itself: connections, bodies, broken requests.

use std::time::Duration;

use swell_target::{Options, start};

use super::client::{Client, site};

#[test]
fn a_page_is_these_bytes() {
    let target = site();
    let mut client = Client::new(&target);
    client.send("GET /delay/0 HTTP/1.1\r\nHost: x\r\n\r\n");
    let head = client.head();
    let (before, rest) = head.split_once("Date: ").unwrap();
    assert_eq!(before, "HTTP/1.1 200 OK\r\nServer: swell-target\r\n");
    assert_eq!(
        &rest[25..],
        " GMT\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\n"
    );
    assert_eq!(client.take(3), b"ok\n");
}

#[test]
fn connections_are_kept_as_the_client_says() {
    let target = site();
    for (request, kept) in [
        ("GET / HTTP/1.1\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", false),
        ("GET / HTTP/1.0\r\n\r\n", false),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true),
        ("GET /headers HTTP/1.0\r\n\r\n", false),
    ] {
        let mut client = Client::new(&target);
        client.send(request);
        let answer = client.answer();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.header("connection"), Some(if kept { "keep-alive" } else { "close" }), "{request}");
        if kept {
            assert_eq!(client.get("/status/201").status(), 201, "{request}");
        } else {
            assert_eq!(client.end().unwrap(), 0, "{request}");
        }
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let target = site();
    let mut client = Client::new(&target);
    let bodies = "POST /anything/a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc\
                  POST /plain_text.html HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n\r\n";
    client.send(format!("{bodies}GET /delay/20ms HTTP/1.1\r\n\r\nGET /bytes/5 HTTP/1.1\r\n\r\n"));
    assert_eq!(client.answer().json()["data"], "abc");
    assert_eq!(client.answer().body.len(), 10_184);
    assert_eq!(client.answer().text(), "ok\n");
    assert_eq!(client.answer().text(), "abcde");
}

#[test]
fn a_request_may_come_byte_by_byte() {
    let target = site();
    let mut client = Client::new(&target);
    for byte in
        b"\r\nPOST /anything HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nT: x\r\n\r\n"
    {
        client.send([*byte]);
    }
    assert_eq!(client.answer().json()["data"], "hi");
    assert_eq!(client.get("/").status(), 200);
}

#[test]
fn head_has_the_head_and_no_body() {
    let target = site();
    let mut client = Client::new(&target);
    for (path, length) in [
        ("/plain_text.html", Some("10184")),
        ("/bytes/100000000", Some("100000000")),
        ("/bytes/7", Some("7")),
        ("/chunked/50", None),
    ] {
        client.send(format!("HEAD {path} HTTP/1.1\r\n\r\n"));
        let head = client.head();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        if let Some(length) = length {
            assert!(head.contains(&format!("Content-Length: {length}\r\n")), "{head}");
        }
    }
    assert_eq!(client.get("/bytes/1").text(), "a");
}

#[test]
fn clients_that_wait_for_100_are_told_to_continue() {
    let target = site();
    let mut client = Client::new(&target);
    client.send("POST /anything HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    assert_eq!(client.head(), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("ok");
    assert_eq!(client.answer().json()["data"], "ok");
    client.send("POST /anything HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok");
    assert_eq!(client.answer().status(), 200, "who does not wait is not told");
}

#[test]
fn a_body_that_nobody_reads_may_be_large() {
    let target = site();
    let mut client = Client::new(&target);
    client.send("POST /delay/0 HTTP/1.1\r\nContent-Length: 40000000\r\n\r\n");
    for _ in 0..40 {
        client.send(vec![b'x'; 1_000_000]);
    }
    assert_eq!(client.answer().text(), "ok\n");
}

#[test]
fn a_body_that_is_read_may_not() {
    let target = site();
    let mut client = Client::new(&target);
    client.send("POST /anything HTTP/1.1\r\nContent-Length: 17000000\r\n\r\n");
    client.send(vec![b'x'; 16 * 1024 * 1024 + 1]);
    let answer = client.answer();
    assert_eq!((answer.status(), answer.header("connection")), (413, Some("close")));
}

#[test]
fn broken_requests_are_refused_and_the_connection_closes() {
    let target = site();
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(40_000));
    let table: [(&[u8], u16); 7] = [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"HELO example.org\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nnot hexadecimal\r\n", 400),
        (b"GET / HTTP/3.0\r\n\r\n", 505),
        (b"GET / HTTP/1.1\r\nExpect: the unexpected\r\n\r\n", 417),
        (long.as_bytes(), 431),
    ];
    for (bytes, status) in table {
        let mut client = Client::new(&target);
        client.send(bytes);
        let answer = client.answer();
        assert_eq!(
            (answer.status(), answer.header("connection")),
            (status, Some("close")),
            "{}",
            bytes.escape_ascii()
        );
        assert!(answer.text().ends_with('\n'));
        client.finish_sending();
        assert_eq!(client.end().unwrap(), 0);
    }
    assert_eq!(target.stats().bad_requests, 7);
}

#[test]
fn half_closed_clients_get_their_answer() {
    let target = site();
    let mut client = Client::new(&target);
    client.send("GET /delay/30ms HTTP/1.1\r\n\r\n");
    client.finish_sending();
    assert_eq!(client.answer().text(), "ok\n");
    assert_eq!(client.end().unwrap(), 0);
}

#[test]
fn unfinished_requests_end_with_their_time() {
    let target = start(Options { read_timeout: Duration::from_millis(50), ..Options::default() }).unwrap();
    for begun in ["GET / HT", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab"] {
        let mut client = Client::new(&target);
        assert_eq!(client.get("/").status(), 200);
        client.send(begun);
        assert_eq!(client.end().unwrap(), 0, "{begun}");
    }
    assert_eq!(target.stats().bad_requests, 2);
}

#[test]
fn a_client_that_leaves_midway_harms_nobody() {
    let target = site();
    for begun in [
        "GET / HT",
        "POST /anything HTTP/1.1\r\nContent-Length: 5\r\n\r\nab",
        "GET /bytes/90000000 HTTP/1.1\r\n\r\n",
    ] {
        Client::new(&target).send(begun);
    }
    assert_eq!(Client::new(&target).get("/").status(), 200);
}

#[test]
fn a_stopped_site_closes_its_connections() {
    let target = start(Options { workers: 3, ..Options::default() }).unwrap();
    let mut clients: Vec<Client> = (0..10).map(|_| Client::new(&target)).collect();
    for client in &mut clients {
        assert_eq!(client.get("/").status(), 200);
    }
    clients[0].send("GET /delay/1h HTTP/1.1\r\n\r\n");
    assert_eq!(target.stats().open_connections, 10);
    target.stop();
    for client in &mut clients {
        assert!(matches!(client.end(), Ok(0) | Err(_)));
    }
}

#[test]
fn a_taken_port_is_an_error() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    assert!(start(Options { bind: taken.local_addr().unwrap(), ..Options::default() }).is_err());
}
