//! The controls of JMeter's HTTP Mirror Server.

use std::time::{Duration, Instant};

use swell_target::{Options, start};

use super::client::{Client, site};

fn reflect(request: &str) -> String {
    let target = site();
    let mut client = Client::new(&target);
    client.send(request);
    String::from_utf8(client.rest()).expect("requests of text come back as text")
}

#[test]
fn requests_come_back_as_they_went() {
    let bodies = [
        "",
        "Content-Length: 3\r\n\r\nabc",
        "Transfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nT: u\r\n\r\n",
    ];
    for body in bodies.map(|body| if body.is_empty() { "\r\n" } else { body }) {
        let request = format!("POST /mirror/a?b HTTP/1.1\r\nhost:  x\r\n{body}");
        assert_eq!(
            reflect(&request),
            format!("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n{request}")
        );
    }
}

#[test]
fn header_fields_and_queries_control_the_answer() {
    for (target, fields, wanted) in [
        ("", "X-ResponseStatus: 404 Not There", "HTTP/1.0 404 Not There\r\nContent-Type: text/plain\r\n\r\n"),
        (
            "?status=503%20Later",
            "X-ResponseStatus: 404 x",
            "HTTP/1.0 503 Later\r\nContent-Type: text/plain\r\n\r\n",
        ),
        (
            "?redirect=/mirror%3Fa&v",
            "X: y",
            "HTTP/1.0 302 Temporary Redirect\r\nContent-Type: text/plain\r\nLocation: /mirror?a\r\n\r\n",
        ),
        (
            "?redirect=/a&status=301+Moved",
            "X: y",
            "HTTP/1.0 301+Moved\r\nContent-Type: text/plain\r\nLocation: /a\r\n\r\n",
        ),
        (
            "",
            "X-SetHeaders: A: b|C: d\r\nX-SetCookie: e=f",
            "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nA: b\r\nC: d\r\nSet-Cookie: e=f\r\n\r\n",
        ),
    ] {
        let request = format!("GET /mirror{target} HTTP/1.1\r\n{fields}\r\n\r\n");
        assert_eq!(reflect(&request), format!("{wanted}{request}"));
    }
    let posted = reflect("POST /mirror?status=404 HTTP/1.1\r\n\r\n");
    assert!(posted.starts_with("HTTP/1.0 200 OK\r\n"), "only the query of a GET controls: {posted}");
    let cut = reflect("GET /mirror HTTP/1.1\r\nX-ResponseLength: 5\r\n\r\n");
    assert_eq!(cut, "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nGET /");
}

#[test]
fn a_sleep_is_between_head_and_body() {
    let target = site();
    let mut client = Client::new(&target);
    let start = Instant::now();
    client.send("GET /mirror HTTP/1.1\r\nX-Sleep: 40\r\n\r\n");
    assert!(client.head().starts_with("HTTP/1.0 200 OK\r\n"));
    assert!(client.rest().starts_with(b"GET /mirror"));
    assert!(start.elapsed() >= Duration::from_millis(40));
}

#[test]
fn every_path_is_a_mirror_where_that_is_asked_for() {
    let target = start(Options { mirror: true, ..Options::default() }).unwrap();
    for path in ["/", "/delay/1h", "/any/thing?a"] {
        let mut client = Client::new(&target);
        client.send(format!("GET {path} HTTP/1.1\r\n\r\n"));
        assert!(client.answer().text().starts_with(&format!("GET {path} HTTP/1.1\r\n")));
    }
    assert_eq!(Client::new(&target).get("/stats").json()["total"]["residence"]["count"], 3);
}
