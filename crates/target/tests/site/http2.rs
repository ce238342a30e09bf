//! The site over HTTP/2, with the client of this project and with curl.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

use swell_http2::client::{Request, Scheme, Session};
use swell_http2::{
    Data, ErrorCode, Events, Fields, ResponseHead, Scratch, Settings, StreamId, StreamReset, Trailers,
};
use swell_target::{Options, Target, start};

use super::client::{Client, PATIENCE, site};

/// A response as it came.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answer {
    status: u16,
    fields: String,
    informational: Vec<u16>,
    body: Vec<u8>,
    has_ended: bool,
    reset: Option<String>,
}

impl Answer {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a body of text")
    }

    fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.fields.lines().filter_map(|line| line.split_once(": "));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

#[derive(Default)]
struct Answers {
    by_stream: BTreeMap<StreamId, Answer>,
    /// Streams in the order in which they ended.
    ended: Vec<StreamId>,
    went_away: Option<u32>,
}

impl Answers {
    fn of(&mut self, stream: StreamId) -> &mut Answer {
        self.by_stream.entry(stream).or_default()
    }

    fn end(&mut self, stream: StreamId) {
        self.of(stream).has_ended = true;
        self.ended.push(stream);
    }
}

impl Events for Answers {
    fn response(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        let answer = self.of(stream);
        answer.status = head.status;
        answer.fields = String::from_utf8_lossy(head.fields).into_owned();
        if head.end {
            self.end(stream);
        }
    }

    fn informational(&mut self, stream: StreamId, head: ResponseHead<'_>) {
        self.of(stream).informational.push(head.status);
    }

    fn data(&mut self, stream: StreamId, data: Data<'_>) {
        self.of(stream).body.extend_from_slice(data.bytes);
        if data.end {
            self.end(stream);
        }
    }

    fn trailers(&mut self, stream: StreamId, _: Trailers<'_>) {
        self.end(stream);
    }

    fn reset(&mut self, stream: StreamId, reason: StreamReset, _: u64) {
        self.of(stream).reset = Some(reason.to_string());
        self.ended.push(stream);
    }

    fn go_away(&mut self, last: StreamId, _: ErrorCode, _: &[u8]) {
        self.went_away = Some(last.get());
    }
}

/// A client with one connection, which reads when it is asked to.
struct Http2 {
    tcp: TcpStream,
    session: Session,
    scratch: Scratch,
    out: Vec<u8>,
    answers: Answers,
}

impl Http2 {
    fn new(target: &Target) -> Self {
        let tcp = TcpStream::connect(target.addr()).expect("the site listens");
        tcp.set_read_timeout(Some(PATIENCE)).expect("a socket option");
        let mut session = Session::new(&Settings::default());
        let mut out = Vec::new();
        session.start(&mut out);
        Self { tcp, session, scratch: Scratch::default(), out, answers: Answers::default() }
    }

    fn request(&mut self, method: &str, path: &str, lines: &str, end: bool) -> StreamId {
        let request = Request {
            method: method.as_bytes(),
            scheme: Scheme::Http,
            authority: b"site:80",
            path: path.as_bytes(),
            path_repeats: true,
            constant: &Fields::default(),
            own: lines.as_bytes(),
        };
        self.session.request(&request, end, &mut self.out).expect("a stream is free")
    }

    /// Sends what waits, then receives once. False: the connection has ended.
    fn step(&mut self) -> std::io::Result<bool> {
        self.tcp.write_all(&std::mem::take(&mut self.out))?;
        let mut buffer = [0; 16_384];
        let count = self.tcp.read(&mut buffer)?;
        let fed = self.session.feed(&buffer[..count], &mut self.scratch, &mut self.out, &mut self.answers);
        fed.map_err(std::io::Error::other)?;
        Ok(count > 0)
    }

    /// The answer to that request, which has ended.
    fn answer(&mut self, stream: StreamId) -> Answer {
        while !self.answers.ended.contains(&stream) {
            assert!(self.step().expect("the site answers"), "ended before stream {stream}");
        }
        self.answers.by_stream.remove(&stream).expect("a stream that has ended is there")
    }

    fn get(&mut self, path: &str) -> Answer {
        let stream = self.request("GET", path, "", true);
        self.answer(stream)
    }

    /// Sends a body as windows allow, and waits for the answer.
    fn post(&mut self, path: &str, lines: &str, body: &[u8]) -> Answer {
        let stream = self.request("POST", path, lines, false);
        let mut rest = body;
        loop {
            let piece = &rest[..rest.len().min(60_000)];
            let sent = self.session.send_data(stream, piece, piece.len() == rest.len(), &mut self.out);
            rest = &rest[sent..];
            if rest.is_empty() || self.answers.ended.contains(&stream) {
                return self.answer(stream);
            }
            if sent < piece.len() {
                assert!(self.step().expect("the site reads"));
            }
        }
    }
}

#[test]
fn routes_answer_as_over_http_1() {
    let target = site();
    let mut old = Client::new(&target);
    let mut new = Http2::new(&target);
    for path in [
        "/",
        "/bytes/0",
        "/bytes/5",
        "/bytes/300000?type=image/png",
        "/chunked/100000?parts=7",
        "/plain_text.html",
        "/page",
        "/page/logo.png",
        "/status/404",
        "/status/204",
        "/status/503",
        "/delay/1ms?bytes=70000",
        "/delay/x",
        "/gzip?bytes=5000",
        "/redirect/2",
        "/cookies/set?a=b",
        "/api/items",
        "/no-such-path",
        "/slow-body?bytes=25&chunk=10&interval=1ms",
    ] {
        let before = old.get(path);
        let after = new.get(path);
        assert_eq!((after.status, &after.reset), (before.status(), &None), "{path}");
        assert!(after.body == before.body, "{path}");
        for name in ["content-type", "content-length", "location", "set-cookie", "server", "vary"] {
            assert_eq!(after.header(name), before.header(name), "{path}: {name}");
        }
        assert!(after.header("date").is_some(), "{path}");
    }
    assert_eq!(target.stats().open_connections, 2);
}

#[test]
fn a_body_without_a_length_is_the_end_of_the_stream() {
    let target = site();
    let mut client = Http2::new(&target);
    let answer = client.get("/no-length");
    assert_eq!((answer.text(), answer.header("content-length")), ("no length\n", None));
    assert_eq!(client.get("/bytes/3").text(), "abc", "the connection is kept");
    let head = client.request("HEAD", "/bytes/1000", "", true);
    let answer = client.answer(head);
    assert_eq!((answer.header("content-length"), answer.body.len()), (Some("1000"), 0));
}

#[test]
fn requests_reach_the_routes_with_body_and_fields() {
    let target = site();
    let mut client = Http2::new(&target);
    let form = client.post(
        "/anything?q=1",
        "Content-Type: application/x-www-form-urlencoded\r\nCookie: c=d\r\n",
        b"a=1&b=2",
    );
    let seen: serde_json::Value = serde_json::from_slice(&form.body).unwrap();
    assert_eq!(seen["method"], "POST");
    assert_eq!(seen["args"]["q"], "1");
    assert_eq!(seen["form"]["b"], "2");
    assert_eq!(seen["cookies"]["c"], "d");
    assert_eq!(seen["headers"]["Host"], "site:80");
    // Larger than both windows at first.
    let body = vec![b'x'; 3_000_000];
    let large = client.post("/anything", "Content-Length: 3000000\r\n", &body);
    let seen: serde_json::Value = serde_json::from_slice(&large.body).unwrap();
    assert_eq!(seen["bytes"], 3_000_000);
    let too_large = client.post("/anything", "", &vec![b'x'; 17 << 20]);
    assert_eq!(too_large.status, 413, "{too_large:?}");
    let waited = client.post("/anything", "Expect: 100-continue\r\n", b"x");
    assert_eq!((waited.status, waited.informational), (200, vec![100]));
    let mirrored = client.post("/mirror", "X-SetHeaders: A: b|C: d\r\n", b"body");
    assert_eq!(mirrored.header("c"), Some("d"));
    let text = mirrored.text();
    assert!(text.starts_with("POST /mirror HTTP/1.1\r\nHost: site:80\r\n") && text.ends_with("\r\n\r\nbody"));
}

#[test]
fn delays_of_many_streams_run_at_the_same_time_and_are_on_record() {
    let target = site();
    let mut client = Http2::new(&target);
    let streams: Vec<StreamId> = [120, 40, 80]
        .iter()
        .map(|ms| client.request("GET", &format!("/delay/{ms}ms?id=r{ms}"), "", true))
        .collect();
    for stream in &streams {
        assert_eq!(client.answer(*stream).text(), "ok\n");
    }
    assert_eq!(client.answers.ended, [streams[1], streams[2], streams[0]]);
    // The end of a send is noted before the next request is read.
    client.get("/bytes/1");
    let stats = target.stats();
    let delays = stats.route("/delay").unwrap();
    assert_eq!((delays.residence.count, delays.late.count, delays.send.count), (3, 3, 3));
    assert!(delays.residence.min_ns >= 40_000_000 && delays.residence.max_ns >= 120_000_000, "{delays:?}");
    let mut log = target.log();
    log.sort_by_key(|entry| entry.asked_ns);
    let ids: Vec<&str> = log.iter().map(|entry| &*entry.id).collect();
    assert_eq!(ids, ["r40", "r80", "r120"]);
    for entry in log {
        assert!(entry.before_send_ns - entry.arrival_ns >= entry.asked_ns, "{entry:?}");
        assert!(entry.after_send_ns >= entry.before_send_ns);
    }
}

#[test]
fn events_come_at_their_times() {
    let target = site();
    let mut client = Http2::new(&target);
    let answer = client.get("/sse?events=3&delay=20ms&every=10ms&bytes=2");
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(answer.text().matches("data: ").count(), 3);
    assert!(answer.text().contains("id: 2\n") && answer.text().ends_with("\n\n"), "{}", answer.text());
    assert_eq!(client.get("/sse?events=0").text(), "");
    let chat = client.post("/v1/chat/completions?tokens=2&first=1ms&every=1ms", "", b"{\"stream\":true}");
    assert!(chat.text().ends_with("data: [DONE]\n\n"), "{}", chat.text());
    assert_eq!(client.get("/ws").status, 426, "there is no WebSocket over HTTP/2");
    let stats = target.stats();
    let events = stats.route("/sse").unwrap();
    assert_eq!(events.late.count, 1);
    assert!(events.residence.max_ns >= 40_000_000, "{events:?}");
}

#[test]
fn a_stream_that_is_given_up_does_not_disturb_the_others() {
    let target = site();
    let mut client = Http2::new(&target);
    let first = client.request("GET", "/delay/10s", "", true);
    let second = client.request("GET", "/bytes/100000000", "", true);
    assert_eq!(client.get("/bytes/3").text(), "abc");
    client.session.reset(first, ErrorCode::CANCEL, &mut client.out);
    client.session.reset(second, ErrorCode::CANCEL, &mut client.out);
    assert_eq!(client.get("/bytes/3").text(), "abc");
    let routes = target.stats();
    assert!(routes.route("/delay").is_none(), "no answer, no record");
}

#[test]
fn a_connection_ends_after_the_number_of_requests_it_takes() {
    let options = Options { http2_requests_max: Some(2), http2_streams_max: 7, ..Options::default() };
    let target = start(options).unwrap();
    let mut client = Http2::new(&target);
    assert_eq!(client.get("/bytes/1").text(), "a");
    assert_eq!(client.session.peer().streams_max, 7);
    assert!(client.session.can_open());
    assert_eq!(client.get("/delay/20ms").text(), "ok\n");
    assert_eq!(client.answers.went_away, Some(3));
    while client.step().expect("a normal end") {}
    assert_eq!(client.answers.ended.len(), 2);
}

#[test]
fn routes_that_misbehave() {
    let target = site();
    let ask = |path: &str| {
        let mut client = Http2::new(&target);
        let stream = client.request("GET", path, "", true);
        (client, stream)
    };
    let end = |path: &str| {
        let (mut client, _) = ask(path);
        loop {
            match client.step() {
                Ok(true) => {}
                Ok(false) => return "end".to_owned(),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return "reset".to_owned(),
                Err(error) => return error.to_string(),
            }
        }
    };
    assert_eq!(end("/reset"), "reset");
    assert_eq!(end("/close"), "end");
    // It looks like the start of an unknown frame.
    assert_eq!(end("/garbage"), "end");
    let (mut client, stream) = ask("/short-body?bytes=10");
    let reset = client.answer(stream).reset;
    assert_eq!(reset.as_deref(), Some("a body shorter than its content-length (PROTOCOL_ERROR)"));
    let (mut client, stream) = ask("/1xx");
    let answer = client.answer(stream);
    assert_eq!((answer.informational, answer.status), (vec![102, 103], 200));
    let (mut client, stream) = ask("/big-header/50000");
    assert_eq!(client.answer(stream).header("x-big").map(str::len), Some(50_000));
    let (mut client, _) = ask("/hang");
    assert_eq!(client.get("/bytes/1").text(), "a", "only one stream hangs");
}

#[test]
fn a_client_that_breaks_rules_gets_a_goaway() {
    let target = site();
    let mut client = Http2::new(&target);
    client.out.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0, 0]);
    while client.step().expect("a normal end") {}
    assert_eq!(client.answers.went_away, Some(0));
    assert_eq!(target.stats().bad_requests, 1);
    let mut client = Http2::new(&target);
    client.tcp.set_nodelay(true).unwrap();
    let out = std::mem::take(&mut client.out);
    for byte in out {
        client.tcp.write_all(&[byte]).unwrap();
    }
    assert_eq!(client.get("/bytes/2").text(), "ab", "a preface in pieces");
}

#[test]
fn what_takes_too_long_to_arrive_is_given_up() {
    let read_timeout = Duration::from_millis(50);
    let target = start(Options { read_timeout, ..Options::default() }).unwrap();
    let mut client = Http2::new(&target);
    let slow = client.request("POST", "/anything", "", false);
    assert_eq!(client.answer(slow).reset.as_deref(), Some("stream reset by the peer: CANCEL"));
    assert_eq!(client.get("/delay/120ms").text(), "ok\n", "a delay is no late request");
    client.out.extend_from_slice(&[0, 0, 4]);
    while client.step().expect("a normal end") {}
    assert!(client.answers.went_away.is_some());
    assert_eq!(target.stats().bad_requests, 2);
}

fn has_curl() -> bool {
    let version = Command::new("curl").arg("--version").output();
    let has = version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("HTTP2"));
    if !has {
        println!("skipped: no curl with HTTP/2");
    }
    has
}

#[test]
fn curl_speaks_http_2_with_and_without_tls() {
    if !has_curl() {
        return;
    }
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let target = start(Options { tls_bind: Some(any), ..Options::default() }).unwrap();
    let tls = target.tls_addr().unwrap();
    let addr = target.addr();
    let curl = |arguments: &[&str], url: String| {
        let mut command = Command::new("curl");
        command.args(["-s", "-k", "--max-time", "20", "-o", "-", "-w", " %{http_version} %{http_code}"]);
        let output = command.args(arguments).arg(url).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    for (arguments, url, wanted) in [
        (&["--http2-prior-knowledge"][..], format!("http://{addr}/bytes/5"), "abcde 2 200"),
        (&["--http2"], format!("https://{tls}/bytes/5"), "abcde 2 200"),
        (&["--http1.1"], format!("https://{tls}/bytes/5"), "abcde 1.1 200"),
        (&["--no-alpn"], format!("https://{tls}/bytes/5"), "abcde 1.1 200"),
        (&["--http2-prior-knowledge", "-d", "x"], format!("http://{addr}/status/404"), "404\n 2 404"),
    ] {
        assert_eq!(curl(arguments, url), wanted, "{arguments:?}");
    }
}

/// `h2spec` (github.com/summerwind/h2spec 2.2.1), all of its cases.
#[test]
fn h2spec_finds_nothing() {
    let installed = std::env::var_os("HOME").map(|home| std::path::Path::new(&home).join("go/bin/h2spec"));
    let program = installed.filter(|path| path.exists()).unwrap_or_else(|| "h2spec".into());
    if Command::new(&program).arg("--version").output().is_err() {
        println!(
            "skipped: no h2spec; go install github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible"
        );
        return;
    }
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let target = start(Options { tls_bind: Some(any), ..Options::default() }).unwrap();
    let all = "145 tests, 145 passed, 0 skipped, 0 failed";
    // Without TLS the port speaks HTTP/1.1 as well: bytes that are no preface get its refusal.
    let but_one =
        "Sends invalid connection preface\n        -> The endpoint MUST terminate the TCP connection.\n";
    for (addr, tls, wanted) in [
        (target.addr(), &[][..], [but_one, "145 tests, 144 passed, 0 skipped, 1 failed"]),
        (target.tls_addr().unwrap(), &["-t", "-k"], [all, all]),
    ] {
        let port = addr.port().to_string();
        let mut command = Command::new(&program);
        let output = command.args(["-h", "127.0.0.1", "-p", &port, "-o", "5"]).args(tls).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(wanted.iter().all(|wanted| text.contains(wanted)), "{text}");
    }
    let patience = std::time::Instant::now() + Duration::from_secs(20);
    while target.stats().open_connections > 0 && std::time::Instant::now() < patience {
        std::thread::yield_now();
    }
    assert_eq!(target.stats().open_connections, 0, "every connection has ended");
}
