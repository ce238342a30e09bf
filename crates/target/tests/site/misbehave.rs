//! Routes that break HTTP on purpose.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use swell_target::{Options, start};

use super::client::{Client, site};

#[test]
fn they_are_closed_unless_opened() {
    let target = start(Options::default()).unwrap();
    let mut client = Client::new(&target);
    for path in [
        "/reset",
        "/close",
        "/hang",
        "/garbage",
        "/short-body",
        "/no-length",
        "/slow-body",
        "/1xx",
        "/big-header/9",
        "/fail?how=reset&every=1",
    ] {
        assert_eq!(client.get(path).status(), 403, "{path}");
    }
}

#[test]
fn each_breaks_in_its_way() {
    let target = site();
    let ask = |path: &str| {
        let mut client = Client::new(&target);
        client.send(format!("GET {path} HTTP/1.1\r\n\r\n"));
        client
    };
    assert_eq!(ask("/reset").end().unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(ask("/close").end().unwrap(), 0);
    assert_eq!(ask("/fail?how=reset&every=1").end().unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(ask("/garbage").rest(), b"\x00\x01this is not HTTP\r\n\r\n");
    let short = String::from_utf8(ask("/short-body?bytes=10").rest()).unwrap();
    assert!(short.contains("Content-Length: 10\r\n") && short.ends_with("\r\n\r\nabcde"), "{short}");
    let endless = String::from_utf8(ask("/no-length").rest()).unwrap();
    assert!(!endless.contains("Content-Length") && endless.ends_with("\r\n\r\nno length\n"), "{endless}");
    let big = ask("/big-header/100000").answer();
    assert_eq!(big.header("x-big").unwrap().len(), 100_000);
}

#[test]
fn a_hanging_answer_ends_with_the_client() {
    let target = site();
    let mut client = Client::new(&target);
    client.send("GET /hang HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
    client.finish_sending();
    assert_eq!(client.rest(), b"");
}

#[test]
fn interim_answers_come_before_the_answer() {
    let target = site();
    let mut client = Client::new(&target);
    client.send("GET /1xx HTTP/1.1\r\n\r\n");
    assert_eq!(client.head(), "HTTP/1.1 102 Processing\r\n\r\n");
    assert!(client.head().starts_with("HTTP/1.1 103 Early Hints\r\nLink: "));
    assert_eq!(client.answer().text(), "ok\n");
    assert_eq!(client.get("/").status(), 200, "the connection is kept");
}

#[test]
fn a_slow_body_comes_in_drops() {
    let target = site();
    let mut client = Client::new(&target);
    let start = Instant::now();
    assert_eq!(client.get("/slow-body?bytes=25&chunk=10&interval=20ms").text(), "abcdefghijabcdefghijabcde");
    assert!(start.elapsed() >= Duration::from_millis(40));
    assert_eq!(client.get("/slow-body?bytes=0").text(), "");
}
