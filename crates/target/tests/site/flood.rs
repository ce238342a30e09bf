//! The site of the flood scenario.

use std::io::Read;
use std::time::{Duration, Instant};

use super::client::{Client, site};

#[test]
fn the_cacheable_page_is_sent_once() {
    let target = site();
    let mut client = Client::new(&target);
    let first = client.get("/plain_text.html");
    assert_eq!(first.header("connection"), Some("keep-alive"));
    assert_eq!((first.header("vary"), first.body.len()), (Some("Accept-Encoding"), 10_184));
    let since = first.header("last-modified").unwrap();
    client.send(format!("GET /plain_text.html HTTP/1.1\r\nIf-Modified-Since: {since}\r\n\r\n"));
    let again = client.answer();
    assert_eq!((again.status(), again.header("content-length")), (304, None));
    assert_eq!(client.get("/plain_text.html").body.len(), 10_184, "no byte of a body came with the 304");
}

#[test]
fn clients_that_take_gzip_get_it() {
    let target = site();
    let mut client = Client::new(&target);
    client.send("GET /plain_text.html HTTP/1.1\r\nAccept-Encoding: gzip,deflate,sdch\r\n\r\n");
    let answer = client.answer();
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    let mut plain = String::new();
    flate2::read::GzDecoder::new(&answer.body[..]).read_to_string(&mut plain).unwrap();
    assert_eq!(plain, client.get("/plain_text.html").text());
}

#[test]
fn a_post_to_a_file_gets_the_file() {
    let target = site();
    let mut client = Client::new(&target);
    client.send("POST /plain_text.html HTTP/1.1\r\nContent-Length: 4\r\n\r\nid=1");
    assert_eq!((client.answer().body.len(), client.get("/").status()), (10_184, 200));
}

/// Four paths at once, as long as the slowest: each takes its time, has its body and no length, and
/// closes.
#[test]
fn slow_pages_take_their_time_and_close() {
    let target = site();
    let ask = |request: &str, wanted: Duration, body: &[u8]| {
        let mut client = Client::new(&target);
        let start = Instant::now();
        client.send(request);
        let answer = client.answer();
        assert!(start.elapsed() >= wanted, "{request}");
        assert_eq!((answer.status(), answer.header("connection")), (200, Some("close")), "{request}");
        assert_eq!(
            (answer.header("content-length"), answer.header("transfer-encoding")),
            (None, None),
            "{request}"
        );
        assert!(answer.body == body, "{request}");
    };
    let repeated = "GET /repeat?a=1&b HTTP/1.1\r\n\r\n";
    std::thread::scope(|scope| {
        scope.spawn(|| {
            ask("GET /slow HTTP/1.1\r\n\r\n", Duration::from_millis(3_500), &b"slow".repeat(10_240));
        });
        let blind = b"Little Blind Text".repeat(1_024);
        scope.spawn(move || ask("GET /non_cacheable?id=1 HTTP/1.1\r\n\r\n", Duration::from_secs(2), &blind));
        let posted = "POST /slow_post HTTP/1.1\r\nContent-Length: 4\r\n\r\nid=1";
        scope.spawn(|| ask(posted, Duration::from_secs(4), &b"slowpost".repeat(1_024)));
        scope.spawn(|| ask(repeated, Duration::from_millis(2_123), b"a=1\nb\n"));
        let head = "GET /request HTTP/1.1\r\nX: y\r\n\r\n";
        scope.spawn(|| ask(head, Duration::from_secs(3), &head.as_bytes().repeat(1_024)));
    });
}

#[test]
fn the_stub_status_counts() {
    let target = site();
    let mut client = Client::new(&target);
    client.get("/");
    assert_eq!(
        client.get("/status").text(),
        "Active connections: 1 \nserver accepts handled requests\n 1 1 1 \nReading: 0 Writing: 1 Waiting: 0 \n"
    );
}
