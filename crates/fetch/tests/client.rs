//! The client with servers that send literal bytes.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use swell_fetch::{BodyLimit, Client, FetchError, Limits, Request};

const PATIENCE: Duration = Duration::from_secs(20);

fn limits(body: BodyLimit, redirects: u8) -> Limits {
    Limits { connect: PATIENCE, silence: PATIENCE, total: PATIENCE, body, redirects }
}

/// A server that answers requests without a body, a given number on each of its connections, and
/// returns the heads of all.
fn server(answers: Vec<Vec<String>>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let at = format!("http://{}", listener.local_addr().expect("bound"));
    let served = thread::spawn(move || {
        let mut heads = Vec::new();
        for answers in answers {
            let mut stream = BufReader::new(listener.accept().expect("a client").0);
            for answer in answers {
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    assert_ne!(stream.read_line(&mut head).expect("open"), 0, "closed too early");
                }
                heads.push(head);
                stream.get_mut().write_all(answer.as_bytes()).expect("open");
            }
        }
        heads
    });
    (at, served)
}

#[test]
fn redirects_are_followed_up_to_their_limit() {
    let to =
        |location: &str| format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_owned();
    let (at, served) = server(vec![vec![to("/b?x=1"), to("c"), ok, to("/1"), to("/2"), to("/3")]]);
    let client = Client::new(limits(BodyLimit::Refuse(100), 2), None);
    let answer = client.send(Request::get(&format!("{at}/a"))).expect("an answer");
    assert_eq!((answer.status, &*answer.body), (200, &b"ok"[..]));
    let error = client.send(Request::get(&at)).expect_err("too many");
    assert!(matches!(error, FetchError::Redirects(2)), "{error}");
    let heads = served.join().expect("served");
    let targets: Vec<_> = heads.iter().map(|head| head.split(' ').nth(1).expect("a target")).collect();
    assert_eq!(targets, ["/a", "/b?x=1", "/c", "/", "/1", "/2"]);
}

#[test]
fn header_fields_of_the_caller_do_not_follow_a_redirect_to_another_server() {
    let to =
        |location: &str| format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned();
    let (other, served_there) = server(vec![vec![to("/again"), ok]]);
    let (at, served) = server(vec![vec![to("/b"), to(&format!("{other}/c"))]]);
    let client = Client::new(limits(BodyLimit::Refuse(100), 5), None);
    let headers = [("Authorization", "Bearer secret".to_owned())];
    let url = format!("{at}/a");
    let request = Request { headers: &headers, ..Request::get(&url) };
    assert_eq!(client.send(request).expect("an answer").status, 200);
    let has_secret = |served: JoinHandle<Vec<String>>| {
        let heads = served.join().expect("served");
        heads.iter().map(|head| head.contains("secret")).collect::<Vec<_>>()
    };
    assert_eq!(has_secret(served), [true, true]);
    assert_eq!(has_secret(served_there), [false, false]);
}

#[test]
fn body_beyond_its_limit_is_refused_or_cut() {
    let long = format!("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n{}", "x".repeat(200_000));
    let (at, served) = server(vec![vec![long.clone()], vec![long]]);
    let refusing = Client::new(limits(BodyLimit::Refuse(100_000), 0), None);
    let error = refusing.send(Request::get(&at)).expect_err("too large");
    assert_eq!(error.to_string(), "the answer is larger than 100000 bytes");
    drop(refusing);
    let cutting = Client::new(limits(BodyLimit::Cut(100_000), 0), None);
    let answer = cutting.send(Request::get(&at)).expect("an answer");
    assert!((100_000..200_000).contains(&answer.body.len()), "{}", answer.body.len());
    drop(cutting);
    // The second connection may be closed before all of it was written.
    drop(served);
}

#[test]
fn body_without_length_ends_with_the_connection() {
    let (at, served) = server(vec![vec!["HTTP/1.0 200 OK\r\n\r\nabc".to_owned()]]);
    let client = Client::new(limits(BodyLimit::Refuse(100), 0), None);
    assert_eq!(client.send(Request::get(&at)).expect("an answer").body, b"abc");
    assert_eq!(served.join().expect("served").len(), 1);
}

#[test]
fn silent_server_is_given_up_after_the_limit() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let at = format!("http://{}", listener.local_addr().expect("bound"));
    let silence = Duration::from_millis(50);
    let client = Client::new(Limits { silence, ..limits(BodyLimit::Refuse(1), 0) }, None);
    let error = client.send(Request::get(&at)).expect_err("nothing comes");
    assert_eq!(error.to_string(), "no answer within 50 ms");
}
