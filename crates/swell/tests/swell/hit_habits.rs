//! `swell hit` where people know curl, hey, wrk, vegeta and k6: ends, headers, redirects, bodies,
//! functions.

use std::collections::HashSet;

use crate::support::{Answer, Ended, Folder, Server};

fn server() -> (Server, String) {
    let server = Server::start(|_| Answer::ok("ok"));
    let url = format!("http://{}", server.addr);
    (server, url)
}

fn hit(args: &[&str]) -> Ended {
    Folder::new().swell(&[&["hit"], args].concat())
}

#[test]
fn a_test_against_a_silent_server_ends_and_says_what_it_waits_for() {
    let server = Server::start(|_| Answer::Silence);
    let url = format!("http://{}/", server.addr);
    let ended = hit(&[&url, "-c", "2", "-d", "300ms", "--grace", "200ms"]).exits(98);
    ended.says(&[
        "The test time has ended; waiting up to 0.2 s for 2 running requests.",
        "Aborting running samples.",
        "2 running samples were aborted",
        "no request was answered before the end of the test",
    ]);
}

#[test]
fn what_was_answered_before_the_end_counts() {
    let server =
        Server::start(|request| if request.path() == "/" { Answer::ok("") } else { Answer::Silence });
    let good = format!("http://{}/", server.addr);
    let hangs = format!("http://{}/hang", server.addr);
    let ended = hit(&[&good, &hangs, "-c", "2", "-d", "300ms", "--grace", "200ms", "--json"]).exits(0);
    assert_eq!(ended.json()["total"]["errors"], 0, "{ended}");
    ended.says(&["2 running samples were aborted"]);
}

#[test]
fn a_request_fails_after_its_timeout_and_zero_is_none() {
    let server = Server::start(|_| Answer::Silence);
    let url = format!("http://{}/", server.addr);
    let ended = hit(&[&url, "-c", "1", "-n", "2", "--timeout", "100ms", "--json"]).exits(98);
    assert_eq!(ended.json()["total"]["errors"], 2, "{ended}");
    let (_server, url) = self::server();
    hit(&[&url, "-n", "1", "--timeout", "0"]).exits(0);
}

#[test]
fn host_and_empty_segments_go_out_as_given() {
    let (server, url) = server();
    hit(&[&format!("{url}//a//b?x=//"), "-n", "1", "-H", "Host: hello"]).exits(0);
    let request = &server.requests()[0];
    assert_eq!((request.path(), request.header("host")), ("//a//b?x=//", Some("hello")));
}

#[test]
fn a_307_is_followed_with_method_and_body() {
    let server = Server::start(|request| match request.path() {
        "/r" => Answer::Keep(b"HTTP/1.1 307 T\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n".to_vec()),
        _ => Answer::ok("ok"),
    });
    let url = format!("http://{}/r", server.addr);
    hit(&[&url, "-n", "1", "-L", "-X", "POST", "-b", "p=v", "--json"]).exits(0);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(requests[1].head.starts_with("POST /ok HTTP/1.1\r\n") && requests[1].body == b"p=v");
}

#[test]
fn a_body_of_any_bytes_comes_from_a_file() {
    let (server, url) = server();
    let folder = Folder::new();
    let bytes: Vec<u8> = (0..2_000_000_u32).map(|at| (at * 7 % 256) as u8).collect();
    for (name, body) in
        [("nul", &b"a\0\r\n\xff${x}"[..]), ("large", &bytes), ("text", "ü\r\n${x}".as_bytes()), ("none", b"")]
    {
        folder.write(name, body);
        folder.swell(&["hit", &url, "-n", "1", "-b", &format!("@{name}")]).exits(0);
        let request = server.requests().pop().expect("one came");
        assert!(request.body == body, "{name}: {} bytes", request.body.len());
        assert_eq!(request.header("content-length"), Some(&*body.len().to_string()));
    }
}

#[test]
fn functions_are_literal_unless_they_are_asked_for() {
    let (server, url) = server();
    let url = format!("{url}/i/${{__Random(1,9,)}}/a b?id=${{__UUID()}}&c=${{__counter(FALSE,)}}");
    let args = ["-c", "1", "-n", "3", "-H", "X-Id: ${__UUID}", "-b", "{\"n\": \"${__threadNum}\"}"];
    hit(&[&[&*url, "--functions"], &args[..]].concat()).exits(0);
    let requests = server.requests();
    let ids: HashSet<_> = requests.iter().map(|request| request.header("x-id")).collect();
    let paths: HashSet<_> = requests.iter().map(|request| request.path().to_owned()).collect();
    assert_eq!((ids.len(), paths.len()), (3, 3));
    for (request, count) in requests.iter().zip(1..) {
        let path = request.path();
        assert!(
            path.starts_with("/i/") && path.contains("/a%20b?id=") && path.ends_with(&format!("&c={count}"))
        );
        assert!(!request.head.contains("${") && request.body == b"{\"n\": \"1\"}", "{}", request.head);
    }
    hit(&[&[&*url], &args[..]].concat()).exits(0);
    let literal = server.requests().pop().expect("one came");
    assert_eq!(literal.header("x-id"), Some("${__UUID}"));
    hit(&["http://${__P(host)}/", "--functions", "-n", "1"]).refused(&["path", "hint: "]);
}

#[test]
fn a_body_waits_for_100_continue() {
    let server = Server::start(|_| {
        Answer::Close(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec())
    });
    let url = format!("http://{}/", server.addr);
    // The server reads whole requests, so the body goes out after the wait and is answered then.
    let ended =
        hit(&[&url, "-n", "1", "-c", "1", "-b", "", "-H", "Expect: 100-continue", "--json"]).exits(98);
    assert!(ended.out.contains("413"), "{ended}");
}
