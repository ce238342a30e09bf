//! `swell hit`: what arrives at the server.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{Answer, Folder, HEADER, Server};

/// A server that answers `ok`, and the URL of a page there.
fn server() -> (Server, String) {
    let server = Server::start(|_| Answer::ok("ok"));
    let url = format!("http://{}/page?a=1", server.addr);
    (server, url)
}

#[test]
fn a_number_of_requests_is_sent_exactly() {
    for (users, requests) in [("1", 1), ("10", 103), ("7", 3), ("3", 300)] {
        let (server, url) = server();
        let folder = Folder::new();
        let ended = folder.swell(&["hit", &url, "-c", users, "-n", &requests.to_string(), "--json"]).exits(0);
        assert_eq!(server.requests().len(), requests, "-c {users}");
        assert_eq!(ended.json()["total"]["samples"], requests);
        let connections = users.parse::<usize>().expect("a number").min(requests);
        assert_eq!(server.connections(), connections, "-c {users} -n {requests}");
    }
}

#[test]
fn requests_have_method_path_headers_and_body_as_given() {
    let (server, url) = server();
    let args = ["-n", "1", "-X", "PUT", "-H", "X-One: 1", "-H", "Content-Type:text/x", "-b", "a=${b} \\ ü"];
    Folder::new().swell(&[&["hit", &url], &args[..]].concat()).exits(0);
    let request = &server.requests()[0];
    assert!(request.head.starts_with("PUT /page?a=1 HTTP/1.1\r\n"), "{}", request.head);
    assert_eq!(String::from_utf8_lossy(&request.body), "a=${b} \\ ü");
    let headers = ["x-one", "content-type", "host", "user-agent"].map(|name| request.header(name));
    let host = server.addr.to_string();
    let agent = concat!("swell/", env!("CARGO_PKG_VERSION"));
    assert_eq!(headers, [Some("1"), Some("text/x"), Some(host.as_str()), Some(agent)]);
}

#[test]
fn a_url_is_sent_as_a_browser_would_send_it() {
    let (server, _) = server();
    for (path, sent) in [
        ("", "/"),
        ("/a b|c/${x}#part", "/a%20b%7Cc/$%7Bx%7D"),
        ("/?q=ü|${__P(a)}&l[]=1&e=a%20b+c", "/?q=%C3%BC%7C$%7B__P(a)%7D&l[]=1&e=a%20b+c"),
    ] {
        let url = format!("http://{}{path}", server.addr);
        Folder::new().swell(&["hit", &url, "-n", "1"]).exits(0);
        assert_eq!(server.requests().last().map(|request| request.path().to_owned()).as_deref(), Some(sent));
    }
}

#[test]
fn a_get_has_neither_body_nor_length() {
    let (server, url) = server();
    Folder::new().swell(&["hit", &url, "-n", "1", "-H", "User-Agent: me"]).exits(0);
    let request = &server.requests()[0];
    assert!(request.head.starts_with("GET /page?a=1 HTTP/1.1\r\n"), "{}", request.head);
    assert_eq!((request.header("content-length"), request.header("user-agent")), (None, Some("me")));
}

#[test]
fn a_body_comes_from_a_file() {
    let (server, url) = server();
    let folder = Folder::new();
    folder.write("body.json", "{\"n\": \"${x}\"}\n");
    folder.swell(&["hit", &url, "-n", "1", "-X", "POST", "-b", "@body.json"]).exits(0);
    assert_eq!(server.requests()[0].body, b"{\"n\": \"${x}\"}\n");
    folder.swell(&["hit", &url, "-b", "@none"]).refused(&["cannot read the body from `none`"]);
}

#[test]
fn every_request_has_its_connection_without_keep_alive() {
    let (server, url) = server();
    Folder::new().swell(&["hit", &url, "-c", "2", "-n", "20", "--no-keepalive"]).exits(0);
    assert_eq!((server.requests().len(), server.connections()), (20, 20));
    assert_eq!(server.requests()[0].header("connection"), Some("close"));
}

#[test]
fn a_rate_gives_as_many_requests_as_the_time_has_places_for() {
    let (server, url) = server();
    let ended =
        Folder::new().swell(&["hit", &url, "-c", "5", "-r", "100", "-d", "1500ms", "--json"]).exits(0);
    let requests = server.requests().len();
    assert!((149..=152).contains(&requests), "{requests}: {ended}");
    assert_eq!(ended.json()["total"]["samples"], requests);
    assert!(!ended.err.contains("not kept"), "{ended}");
}

#[test]
fn a_rate_makes_up_for_what_came_late() {
    // The first answer holds the only user for longer than ten places of the schedule.
    let first = AtomicBool::new(true);
    let server = Server::start(move |_| {
        if first.swap(false, Ordering::SeqCst) {
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        Answer::ok("")
    });
    let url = format!("http://{}/", server.addr);
    let ended = Folder::new().swell(&["hit", &url, "-c", "1", "-r", "50", "-d", "2s", "--json"]).exits(0);
    let requests = server.requests().len();
    assert!((99..=102).contains(&requests), "{requests}: {ended}");
    // The lateness is the busy user's: it is in the response times, not in the tool's delay.
    let total = &ended.json()["total"];
    let ms = |figure: &serde_json::Value| figure.as_f64().expect("a number");
    assert!(ms(&total["response"]["p90_ms"]) > 20.0 && ms(&total["p90_ms"]) < 20.0, "{ended}");
    assert!(ms(&total["response"]["max_ms"]) > 300.0, "{ended}");
    assert!(ms(&total["start_delay"]["max_ms"]) < 250.0, "{ended}");
}

#[test]
fn a_rate_that_cannot_be_kept_is_told() {
    let server = Server::start(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        Answer::ok("")
    });
    let url = format!("http://{}/", server.addr);
    let args = ["hit", &url, "-c", "1", "-r", "1000", "-d", "500ms"];
    let ended = Folder::new().swell(&args).exits(0);
    ended.prints(&["unusable", "% of the planned starts were not made because all users were busy"]);
    assert!(server.requests().len() <= 11, "it ends with its time, not with its schedule");
    Folder::new().swell(&[&args[..], &["--strict"]].concat()).exits(111);
}

#[test]
fn a_time_ends_it() {
    let (server, url) = server();
    let ended =
        Folder::new().swell(&["hit", &url, "-c", "2", "-d", "300ms", "-l", "out.jtl", "--json"]).exits(0);
    let json = ended.json();
    assert_eq!(json["total"]["samples"], server.requests().len());
    assert!(json["duration_s"].as_f64().is_some_and(|s| (0.25..10.0).contains(&s)), "{ended}");
}

#[test]
fn samples_are_kept_in_a_results_file() {
    let (_server, url) = server();
    let folder = Folder::new();
    folder.swell(&["hit", &url, "-n", "5", "-l", "out.jtl"]).exits(0).prints(&["/page?a=1"]);
    assert_eq!(folder.read("out.jtl").lines().next(), Some(HEADER));
    let jtl = folder.jtl("out.jtl");
    assert_eq!((jtl.len(), jtl.count("label", "/page?a=1"), jtl.count("URL", &url)), (5, 5, 5));
    assert!(!folder.has("jmeter.log"), "nothing was logged");
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let url = format!("http://127.0.0.1:{}/", crate::support::closed_port());
    let ended = Folder::new().swell(&["hit", &url, "-n", "3"]).exits(98);
    ended.prints(&["nothing answered: connection refused by", "(100 % of 3 samples)"]);
}

#[test]
fn a_response_that_takes_too_long_is_given_up() {
    let server = Server::start(|_| Answer::Silence);
    let url = format!("http://{}/", server.addr);
    Folder::new()
        .swell(&["hit", &url, "-n", "2", "--timeout", "200ms"])
        .exits(98)
        .prints(&["response timeout"]);
}

#[test]
fn a_response_that_never_ends_is_given_up() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("bound"));
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept()?;
        let head = stream.read(&mut [0; 4096])?;
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
        // There is always something to read, until the client has enough of it.
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
        std::io::Result::Ok(head)
    });
    let ended = Folder::new().swell(&["hit", &url, "-n", "1", "--timeout", "200ms"]).exits(98);
    ended.prints(&["total timeout"]);
    assert!(serving.join().expect("no panic").is_ok_and(|head| head > 0));
}

#[test]
fn users_whose_turn_comes_after_the_end_do_not_make_a_test_longer() {
    let (_server, url) = server();
    let users = 100_000;
    // With a rate, this many users are no reason to refuse the test.
    let args = ["hit", &url, "-c", &users.to_string(), "-r", "1000000", "-d", "100ms", "--json"];
    let samples = Folder::new().swell(&args).exits(0).json()["total"]["samples"].as_u64();
    assert!(samples.is_some_and(|samples| samples < users), "a request of each user: {samples:?}");
}

#[test]
fn late_reads_are_judged_by_themselves_where_they_are_in_the_times() {
    let (_server, url) = server();
    let judged = |clock| {
        // A 99th percentile of fewer than 381 is not judged.
        let args = ["hit", &url, "-n", "400", "-c", "1", "--json", "--clock", clock];
        let ended = Folder::new().swell(&args).exits(0).json();
        let gates = ended["verdict"]["gates"].as_array().expect("gates").clone();
        gates.iter().any(|gate| gate["criterion"] == "ReadDelay")
    };
    // Elsewhere the start that follows is late by them.
    assert_eq!(["kernel", "socket", "user", "bare"].map(judged), [false, false, true, false]);
}

#[test]
fn the_clock_of_user_space_has_late_reads_in_its_times() {
    let (_server, url) = server();
    let clock_of = |args: &[&str]| {
        let ended =
            Folder::new().swell(&[&["hit", &url, "-n", "50", "-c", "1", "--json"], args].concat()).exits(0);
        ended.json()["verdict"]["clock"].clone()
    };
    assert_eq!((clock_of(&[]), clock_of(&["--clock", "user"])), ("kernel".into(), "user".into()));
    assert_eq!(clock_of(&["--clock", "bare"]), "user");
    assert_eq!(clock_of(&["--clock", "socket"]), "kernel");
    Folder::new().swell(&["hit", &url, "--clock", "sun"]).refused(&["kernel", "user"]);
}
