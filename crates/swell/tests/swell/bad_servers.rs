//! Servers that break HTTP or their connection: error samples as JMeter has them, and the run
//! continues.

use std::sync::mpsc;

use swell_plan::{Element, Node};

use crate::support::{Answer, Ended, Folder, Jtl, LIMIT, Server, closed_port, plan};

/// One sample against that port: its code and message, without JMeter's `Non HTTP response …: `.
#[track_caller]
fn failure(host: &str, port: u16) -> (String, String) {
    let folder =
        Folder::with_plan([plan::group(1, 1).with(plan::get_from(host, &port.to_string(), "/", "400"))]);
    let ended = folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "--json"]).exits(98);
    let summary = ended.json();
    let jtl = folder.jtl("out.jtl");
    let counts = (&summary["total"]["samples"], &summary["total"]["errors"]);
    assert_eq!(
        (jtl.len(), jtl.count("success", "false"), counts.0.as_u64(), counts.1.as_u64()),
        (1, 1, Some(1), Some(1)),
        "{ended}"
    );
    let code = jtl.column("responseCode")[0].to_owned();
    assert_eq!(summary["errors"][0]["code"].as_str(), Some(code.as_str()), "{ended}");
    let plain = |text: &str, prefix: &str| {
        text.strip_prefix(prefix).unwrap_or_else(|| panic!("`{text}` has no {prefix}")).to_owned()
    };
    let message = jtl.column("responseMessage")[0];
    (plain(&code, "Non HTTP response code: "), plain(message, "Non HTTP response message: "))
}

/// The answer to one request makes an error sample of that exception.
#[track_caller]
fn is_failure(answer: fn() -> Answer, class: &str, message: &str) {
    let server = Server::start(move |_| answer());
    let message = message.replace("HOST", &server.addr.to_string());
    assert_eq!(failure("127.0.0.1", server.addr.port()), (class.to_owned(), message));
}

const OK: &str = "HTTP/1.1 200 OK\r\n";

fn ok(rest: &str) -> Vec<u8> {
    format!("{OK}{rest}").into_bytes()
}

#[test]
fn a_refused_connection() {
    let port = closed_port();
    let (class, message) = failure("127.0.0.1", port);
    assert_eq!(class, "org.apache.http.conn.HttpHostConnectException");
    assert_eq!(message, format!("Connect to 127.0.0.1:{port} [/127.0.0.1] failed: Connection refused"));
}

#[test]
fn an_unknown_host() {
    let (class, message) = failure("no-such-host.invalid", 80);
    assert_eq!(class, "java.net.UnknownHostException");
    assert_eq!(message, "no-such-host.invalid: Name or service not known");
}

#[test]
fn a_reset_before_the_answer() {
    is_failure(|| Answer::Reset(Vec::new()), "java.net.SocketException", "Connection reset");
}

#[test]
fn a_reset_in_the_middle_of_the_body() {
    let half = || Answer::Reset(ok("Content-Length: 100\r\n\r\nhalf"));
    is_failure(half, "java.net.SocketException", "Connection reset");
}

#[test]
fn a_connection_closed_without_an_answer() {
    let class = "org.apache.http.NoHttpResponseException";
    is_failure(|| Answer::Close(Vec::new()), class, "HOST failed to respond");
    is_failure(|| Answer::HalfClose(Vec::new()), class, "HOST failed to respond");
}

#[test]
fn garbage_for_a_status_line() {
    let class = "org.apache.http.client.ClientProtocolException";
    is_failure(|| Answer::Close(b"\x00\x01this is not HTTP\r\n\r\n".to_vec()), class, "null");
    is_failure(|| Answer::Close(b"HTTP/1.1 abc OK\r\n\r\n".to_vec()), class, "null");
}

#[test]
fn a_body_shorter_than_it_was_promised() {
    let short = || Answer::Close(ok("Content-Length: 100\r\n\r\nhalf"));
    let message = "Premature end of Content-Length delimited message body (expected: 100; received: 4)";
    is_failure(short, "org.apache.http.ConnectionClosedException", message);
    let half_closed = || Answer::HalfClose(ok("Content-Length: 100\r\n\r\nhalf"));
    is_failure(half_closed, "org.apache.http.ConnectionClosedException", message);
}

#[test]
fn chunks_that_are_none() {
    let garbage = || Answer::Close(ok("Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n"));
    is_failure(garbage, "org.apache.http.MalformedChunkCodingException", "Bad chunk header: zz");
    let cut = || Answer::Close(ok("Transfer-Encoding: chunked\r\n\r\n5\r\nab"));
    let class = "org.apache.http.TruncatedChunkException";
    is_failure(cut, class, "Truncated chunk (expected size: 5; actual size: 2)");
}

#[test]
fn a_server_that_never_answers() {
    is_failure(|| Answer::Silence, "java.net.SocketTimeoutException", "Read timed out");
    let half = || Answer::Keep(ok("Content-Length: 100\r\n\r\nhalf"));
    is_failure(half, "java.net.SocketTimeoutException", "Read timed out");
}

#[test]
fn a_length_beyond_all_memory_takes_none() {
    let huge = || Answer::Close(ok("Content-Length: 9000000000000000000\r\n\r\nhalf"));
    let message = "Premature end of Content-Length delimited message body (expected: 9,000,000,000,000,000,000; received: 4)";
    is_failure(huge, "org.apache.http.ConnectionClosedException", message);
    let chunk = || Answer::Close(ok("Transfer-Encoding: chunked\r\n\r\n7fffffff\r\nhalf"));
    let message = "Truncated chunk (expected size: 2,147,483,647; actual size: 4)";
    is_failure(chunk, "org.apache.http.TruncatedChunkException", message);
}

#[test]
fn plain_http_where_tls_is_wanted() {
    let server = Server::start(|_| Answer::Close(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec()));
    // The first bytes of a handshake are no request: the server reads on until the client gives up.
    let url = format!("https://{}/", server.addr);
    let ended = Folder::new().swell(&["hit", &url, "-n", "2", "--timeout", "300ms", "--json"]).exits(98);
    let json = ended.json();
    assert_eq!((&json["total"]["samples"], &json["total"]["errors"]), (&2.into(), &2.into()));
}

#[test]
fn texts_of_a_server_do_not_break_rows() {
    let status = "HTTP/1.1 500 a,\"b\" \u{fc}\u{1b}[31m\r\nContent-Length: 0\r\n\r\n";
    let server = Server::start(move |_| Answer::Keep(status.as_bytes().to_vec()));
    let folder = Folder::with_plan([plan::group(1, 2).with(plan::get(server.addr, "/"))]);
    let ended = folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).exits(98);
    let jtl = folder.jtl("out.jtl");
    assert_eq!((jtl.len(), jtl.count("responseCode", "500")), (2, 2));
    assert!(jtl.column("responseMessage")[0].starts_with("a,\"b\" "), "{jtl:?}");
    assert!(!ended.out.contains('\u{1b}'), "{ended}");
}

#[test]
fn a_broken_answer_does_not_spoil_the_next() {
    let server = Server::start(|request| match request.path() {
        "/reset" => Answer::Reset(Vec::new()),
        "/short" => Answer::Close(ok("Content-Length: 9\r\n\r\n")),
        "/garbage" => Answer::Close(b"?\r\n".to_vec()),
        _ => Answer::ok("fine"),
    });
    let paths = ["/fine", "/reset", "/fine", "/short", "/fine", "/garbage"];
    let users = paths.iter().fold(plan::group(4, 5), |group, path| group.with(plan::get(server.addr, path)));
    let folder = Folder::with_plan([users]);
    let ended = folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "--json"]).exits(0);
    let jtl = folder.jtl("out.jtl");
    assert_eq!((jtl.len(), jtl.count("success", "false")), (120, 60), "{ended}");
    assert_eq!(jtl.count("responseCode", "200"), 60);
    assert_eq!(ended.json()["total"]["errors"], 60);
    assert_eq!(server.requests().len(), 120, "nothing is sent twice");
}

/// Runs samples at `/` whose bodies are not read. Gives the largest resident memory that they took,
/// and their codes.
fn memory_of(answer: impl Fn() -> Answer + Send + Sync + 'static) -> (u64, Vec<String>) {
    let (bytes, jtl, _) = memory_of_run(&[], |sampler| sampler, answer);
    (bytes, jtl.column("responseCode").iter().map(|code| (*code).to_owned()).collect())
}

/// The same with options, and something done to the samplers: the memory, the results, and how it
/// ended.
fn memory_of_run(
    options: &[&str],
    with: impl Fn(Node) -> Node,
    answer: impl Fn() -> Answer + Send + Sync + 'static,
) -> (u64, Jtl, Ended) {
    let (reached, at_end) = mpsc::channel();
    let (go, going) = mpsc::channel();
    let going = parking_lot::Mutex::new(going);
    let server = Server::start(move |request| {
        if request.path() != "/end" {
            return answer();
        }
        // The test looks at the memory while this request waits.
        reached.send(()).expect("the test waits");
        going.lock().recv_timeout(LIMIT).expect("the test has looked");
        Answer::ok("")
    });
    let sampler = || with(plan::get(server.addr, "/"));
    let users = plan::group(1, 1).with(sampler()).with(sampler());
    let folder = Folder::with_plan([users.with(plan::get(server.addr, "/end"))]);
    let running = folder.call(&[&["run", "plan.jmx", "-l", "out.jtl"], options].concat()).start();
    at_end.recv_timeout(LIMIT).expect("the samples end");
    let bytes = running.peak_bytes();
    go.send(()).expect("the server waits");
    let ended = running.wait().exits(0);
    (bytes, folder.jtl("out.jtl"), ended)
}

const MB: usize = 1 << 20;

#[test]
fn a_header_of_ten_megabytes_is_taken_within_bounds() {
    let (bytes, codes) = memory_of(|| {
        let header = format!("X-Big: {}\r\nContent-Length: 2\r\n\r\nok", "x".repeat(10 * MB));
        Answer::Keep(ok(&header))
    });
    assert_eq!(codes, ["200", "200", "200"]);
    assert!(bytes < 128 * MB as u64, "{} MB", bytes >> 20);
}

#[test]
fn a_header_without_end_is_an_error_within_bounds() {
    let (bytes, codes) = memory_of(|| Answer::Close(ok(&"X-More: and more\r\n".repeat(4 * MB))));
    let class = "Non HTTP response code: org.apache.http.client.ClientProtocolException";
    assert_eq!(codes, [class, class, "200"]);
    assert!(bytes < 128 * MB as u64, "{} MB", bytes >> 20);
}

#[test]
fn a_body_that_nobody_reads_takes_no_memory() {
    let (bytes, codes) = memory_of(|| {
        let head = ok(&format!("Content-Length: {}\r\n\r\n", 100 * MB));
        Answer::Keep([head, vec![b'x'; 100 * MB]].concat())
    });
    assert_eq!(codes, ["200", "200", "200"]);
    // An unoptimised program alone takes 67 MB; a body would add 100.
    assert!(bytes < 96 * MB as u64, "{} MB", bytes >> 20);
}

/// Something that reads the body.
fn reader() -> Node {
    let texts = [("refname", "x"), ("regex", "(y)"), ("template", "$1$"), ("match_number", "1")];
    let element = Element::new("RegexExtractor", "RegexExtractorGui", "reader");
    Node::new(
        texts.iter().fold(element, |element, (name, text)| {
            element.with_text(&format!("RegexExtractor.{name}"), text)
        }),
    )
}

#[test]
fn of_a_body_that_is_read_the_beginning_is_kept_and_the_run_says_so() {
    let options = ["-Jresponse.max_bytes=4000000"];
    let (bytes, jtl, ended) = memory_of_run(
        &options,
        |sampler| sampler.with(reader()),
        || {
            let head = ok(&format!("Content-Length: {}\r\n\r\n", 100 * MB));
            Answer::Keep([head, vec![b'x'; 100 * MB]].concat())
        },
    );
    assert_eq!(jtl.column("responseCode"), ["200", "200", "200"]);
    let received: u64 = jtl.column("bytes").iter().map(|bytes| bytes.parse::<u64>().unwrap()).sum();
    assert!(received > 200 * MB as u64, "{received}");
    assert!(bytes < 96 * MB as u64, "{} MB", bytes >> 20);
    let told = "response bodies were cut: 2 longer than 4000000 bytes (`response.max_bytes`)";
    ended.says(&[told]);
}

#[test]
fn a_limit_that_is_no_number_is_refused() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::get_from("127.0.0.1", "1", "/", "400"))]);
    let args = ["run", "plan.jmx", "-Jresponse.max_bytes=64MB", "-Jhttp.total_timeout=1s"];
    let ended =
        folder.swell(&args).refused(&["response.max_bytes: `64MB` is not a whole number of 0 or more"]);
    ended.says(&["http.total_timeout: `1s` is not a whole number of 0 or more"]);
}
