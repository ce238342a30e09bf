//! HTTP/2: over TLS and without, several streams on a connection, and servers that end them.

use std::cell::RefCell;
use std::rc::Rc;

use swell_api::{Needs, SampleResult};
use swell_connect::{Stream, TlsServerConfig};
use swell_http2::server::Session;
use swell_http2::{Data, ErrorCode, Events, Fields, RequestHead, Scratch, Settings, StreamId, Trailers};
use swell_net::{TcpListener, spawn_detached};
use swell_plan::Element;

use crate::site::{Site, Visitor, on_loop, shown};

const VERSION_2: (&str, &str) = ("swell.http.version", "2");
const AUTO: (&str, &str) = ("swell.http.version", "auto");

/// What a server does with a request.
#[derive(Clone)]
enum Act {
    /// A head with lines, and the body; none: the stream stays open.
    Answer(u16, &'static str, Option<Vec<u8>>),
    Reset(ErrorCode),
    GoAway,
    Close,
}

fn ok(body: &str) -> Vec<Act> {
    vec![Act::Answer(200, "content-type: text/plain\r\n", Some(body.as_bytes().to_vec()))]
}

/// A complete request.
#[derive(Clone, Debug, Default)]
struct Asked {
    stream: Option<StreamId>,
    /// From 1.
    connection: usize,
    method: String,
    path: String,
    authority: String,
    fields: String,
    body: Vec<u8>,
}

#[derive(Default)]
struct Requests {
    open: Vec<Asked>,
    whole: Vec<Asked>,
}

impl Requests {
    fn end(&mut self, stream: StreamId) {
        if let Some(at) = self.open.iter().position(|asked| asked.stream == Some(stream)) {
            self.whole.push(self.open.remove(at));
        }
    }
}

impl Events for Requests {
    fn request(&mut self, stream: StreamId, head: RequestHead<'_>) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.open.push(Asked {
            stream: Some(stream),
            method: text(head.method),
            path: text(head.path),
            authority: text(head.authority),
            fields: text(head.fields),
            ..Asked::default()
        });
        if head.end {
            self.end(stream);
        }
    }

    fn data(&mut self, stream: StreamId, data: Data<'_>) {
        if let Some(asked) = self.open.iter_mut().find(|asked| asked.stream == Some(stream)) {
            asked.body.extend_from_slice(data.bytes);
        }
        if data.end {
            self.end(stream);
        }
    }

    fn trailers(&mut self, stream: StreamId, _: Trailers<'_>) {
        self.end(stream);
    }
}

type Rule = Rc<dyn Fn(&Asked) -> Vec<Act>>;
type Log = Rc<RefCell<Vec<Asked>>>;

/// Serves one connection until it ends.
async fn serve(mut stream: Stream, settings: Settings, connection: usize, (rule, log): (Rule, Log)) {
    let mut session = Session::new(&settings);
    let mut scratch = Scratch::default();
    let mut requests = Requests::default();
    let mut out = Vec::new();
    session.start(&mut out);
    loop {
        if stream.send_all(&out).await.is_err() {
            return;
        }
        out.clear();
        let fed = stream.recv(|bytes, _| {
            !bytes.is_empty() && session.feed(bytes, &mut scratch, &mut out, &mut requests).is_ok()
        });
        if !fed.await.unwrap_or(false) {
            return;
        }
        for asked in std::mem::take(&mut requests.whole) {
            let asked = Asked { connection, ..asked };
            log.borrow_mut().push(asked.clone());
            let id = asked.stream.expect("of a stream");
            for act in rule(&asked) {
                match act {
                    Act::Answer(status, lines, body) => {
                        let own = lines.as_bytes();
                        session.respond(id, status, &Fields::default(), own, false, &mut out).expect("valid");
                        if let Some(body) = body {
                            // Windows of 1 MiB are larger than any body here.
                            assert_eq!(session.send_data(id, &body, true, &mut out), body.len());
                        }
                    }
                    Act::Reset(code) => session.reset(id, code, &mut out),
                    Act::GoAway => session.go_away(ErrorCode::NO_ERROR, &mut out),
                    Act::Close => {
                        let _ = stream.send_all(&out).await;
                        return;
                    }
                }
            }
        }
    }
}

/// A site that speaks HTTP/2. `protocols`: with TLS, choosing one of these.
fn site(
    protocols: Option<&'static [&'static [u8]]>,
    settings: Settings,
    rule: impl Fn(&Asked) -> Vec<Act> + 'static,
) -> (Site, Log) {
    let listener = TcpListener::bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let log = Log::default();
    let shared: (Rule, Log) = (Rc::new(rule), log.clone());
    let tls = protocols.map(|protocols| {
        let (_, config) = TlsServerConfig::self_signed(vec!["localhost".to_owned()]).expect("a certificate");
        config.with_protocols(protocols)
    });
    spawn_detached(async move {
        let mut connection = 0;
        while let Ok((tcp, _)) = listener.accept().await {
            connection += 1;
            let shared = shared.clone();
            let tls = tls.clone();
            spawn_detached(async move {
                let stream = match &tls {
                    Some(tls) => Stream::tls_accept(tcp, tls).await.expect("a handshake"),
                    None => Stream::Tcp(tcp),
                };
                serve(stream, settings, connection, shared).await;
            });
        }
    });
    (Site { port, seen: Rc::default() }, log)
}

fn paths(log: &Log) -> Vec<(usize, String)> {
    log.borrow().iter().map(|asked| (asked.connection, asked.path.clone())).collect()
}

async fn https(visitor: &mut Visitor, path: &str) -> SampleResult {
    let sample = visitor.get_with(path, |it| it.with_text("HTTPSampler.protocol", "https")).await;
    sample.expect("a sample")
}

#[test]
fn requests_go_over_one_connection_with_and_without_tls() {
    for tls in [false, true] {
        on_loop(async move {
            const H2: &[&[u8]] = &[b"h2"];
            let protocols = tls.then_some(H2);
            let (site, log) = site(protocols, Settings::default(), |asked| ok(&format!("{}!", asked.path)));
            let version = if tls { AUTO } else { VERSION_2 };
            let mut visitor = Visitor::with(&site, &[version], vec![], Needs::ALL);
            for path in ["/a", "/b?c=d", "/a"] {
                let sample = if tls { https(&mut visitor, path).await } else { visitor.get(path).await };
                assert_eq!((&*sample.code, &*sample.message), ("200", "OK"));
                assert_eq!(sample.body, format!("{path}!").into_bytes());
                assert_eq!(sample.response_headers, "HTTP/2.0 200 OK\ncontent-type: text/plain\n");
                assert_eq!(sample.bytes, sample.header_size + path.len() as u64 + 1);
                assert!(sample.received.is_some_and(|framed| framed < sample.bytes && framed > 18));
                let timing = sample.timing;
                assert!(timing.start_ns <= timing.first_byte_ns && timing.first_byte_ns <= timing.end_ns);
                assert!(timing.end_ns <= timing.read_ns && timing.arrived_ns <= timing.read_ns);
            }
            let all = [(1, "/a".to_owned()), (1, "/b?c=d".to_owned()), (1, "/a".to_owned())];
            assert_eq!(paths(&log), all);
            let first = log.borrow()[0].clone();
            assert_eq!((&*first.method, &*first.authority), ("GET", &*format!("127.0.0.1:{}", site.port)));
            assert!(first.fields.starts_with("user-agent: Apache-HttpClient/"), "{}", first.fields);
            assert!(!first.fields.contains("connection"));
        });
    }
}

#[test]
fn a_server_that_chooses_http_1_gets_it() {
    on_loop(async {
        let site = Site::start_tls(|_, _| crate::site::ok("old"));
        let mut visitor = Visitor::with(&site, &[AUTO], vec![], Needs::ALL);
        for _ in 0..2 {
            let sample = https(&mut visitor, "/x").await;
            assert_eq!((&*sample.code, &*sample.body), ("200", &b"old"[..]));
            assert!(sample.response_headers.starts_with("HTTP/1.1 200 OK"));
        }
        let connections: Vec<_> = site.targets().into_iter().map(|(connection, _)| connection).collect();
        assert_eq!(connections, [1, 1]);
    });
}

#[test]
fn a_server_without_http_2_is_named() {
    on_loop(async {
        let site = Site::start_tls(|_, _| crate::site::ok("old"));
        let mut visitor = Visitor::with(&site, &[VERSION_2], vec![], Needs::ALL);
        let (class, message) = shown(&https(&mut visitor, "/x").await);
        assert_eq!(class, "org.apache.hc.core5.http2.H2ConnectionException");
        assert!(message.starts_with("The server does not speak HTTP/2: by ALPN it chose"), "{message}");
        let site =
            Site::start(|_, _| crate::site::answer("HTTP/1.1 400 Bad\r\n\r\n", crate::site::Then::Close));
        let mut visitor = Visitor::with(&site, &[VERSION_2], vec![], Needs::ALL);
        let (_, message) = shown(&visitor.get("/x").await);
        assert!(message.contains("it answered in HTTP/1.1"), "{message}");
    });
}

#[test]
fn bodies_go_in_pieces_through_windows() {
    on_loop(async {
        let settings = Settings { stream_window: 70_000, connection_window: 70_000, ..Settings::default() };
        let (site, log) = site(None, settings, |asked| ok(&asked.body.len().to_string()));
        let mut visitor = Visitor::with(&site, &[VERSION_2], vec![], Needs::ALL);
        for size in [1, 65_535, 500_000] {
            let body = "x".repeat(size);
            let sample = visitor.get_with("/up", |it| {
                let argument = Element::new("HTTPArgument", "", "")
                    .with_text("Argument.value", &body)
                    .with_flag("HTTPArgument.always_encode", false);
                let arguments =
                    Element::new("Arguments", "", "").with_elements("Arguments.arguments", [argument]);
                it.with_text("HTTPSampler.method", "POST")
                    .with_flag("HTTPSampler.postBodyRaw", true)
                    .with_element("HTTPsampler.Arguments", arguments)
            });
            let sample = sample.await.expect("a sample");
            assert_eq!((&*sample.code, sample.body.to_vec()), ("200", size.to_string().into_bytes()));
            assert!(sample.sent_bytes > size as u64);
        }
        assert_eq!(log.borrow()[2].body.len(), 500_000);
    });
}

#[test]
fn after_go_away_the_next_request_has_a_new_connection_and_none_fails() {
    on_loop(async {
        let (site, log) = site(None, Settings::default(), |asked| {
            let mut acts = ok("fine");
            if asked.path == "/last" {
                acts.push(Act::GoAway);
            }
            acts
        });
        let mut visitor = Visitor::with(&site, &[VERSION_2], vec![], Needs::ALL);
        for path in ["/a", "/last", "/b"] {
            assert_eq!(&*visitor.get(path).await.code, "200");
        }
        let all = [(1, "/a".to_owned()), (1, "/last".to_owned()), (2, "/b".to_owned())];
        assert_eq!(paths(&log), all);
    });
}

#[test]
fn what_was_not_processed_is_sent_again_once() {
    on_loop(async {
        let (site, log) = site(None, Settings::default(), |asked| match (&*asked.path, asked.connection) {
            ("/never", _) | ("/second", 1) => vec![Act::Reset(ErrorCode::REFUSED_STREAM)],
            _ => ok("fine"),
        });
        let mut visitor = Visitor::with(&site, &[VERSION_2], vec![], Needs::ALL);
        let (class, _) = shown(&visitor.get("/never").await);
        assert_eq!(class, "org.apache.hc.core5.http.RequestNotExecutedException");
        assert_eq!(paths(&log).len(), 2, "sent twice");
    });
}

#[test]
fn resources_of_a_page_are_streams_on_the_connection_of_the_user() {
    on_loop(async {
        let (site, log) = site(None, Settings::default(), |asked| match &*asked.path {
            "/page" => {
                let page = "<img src=/1><img src=/2><img src=/3><img src=/4>";
                vec![Act::Answer(200, "content-type: text/html\r\n", Some(page.as_bytes().to_vec()))]
            }
            _ => ok("image"),
        });
        let mut visitor = Visitor::with(&site, &[VERSION_2], vec![], Needs::ALL);
        let sample = visitor.get_with("/page", |it| {
            it.with_flag("HTTPSampler.image_parser", true)
                .with_flag("HTTPSampler.concurrentDwn", true)
                .with_text("HTTPSampler.concurrentPool", "4")
        });
        let sample = sample.await.expect("a sample");
        assert_eq!((sample.success, sample.sub_results.len()), (true, 5));
        assert!(paths(&log).iter().all(|(connection, _)| *connection == 1), "{:?}", paths(&log));
        assert_eq!(paths(&log).len(), 5);
    });
}

#[test]
fn streams_that_break_say_why() {
    on_loop(async {
        let (site, log) = site(None, Settings::default(), |asked| match &*asked.path {
            "/reset" => vec![Act::Reset(ErrorCode::INTERNAL_ERROR)],
            "/closed" => vec![Act::Close],
            "/half" => vec![Act::Answer(200, "", None), Act::Close],
            _ => ok("fine"),
        });
        let mut visitor = Visitor::with(&site, &[VERSION_2], vec![], Needs::ALL);
        let (class, message) = shown(&visitor.get("/reset").await);
        assert_eq!(class, "org.apache.hc.core5.http2.H2StreamResetException");
        assert_eq!(message, "The server reset the stream: INTERNAL_ERROR");
        let (class, _) = shown(&visitor.get("/closed").await);
        assert_eq!(class, "org.apache.http.NoHttpResponseException");
        let (class, _) = shown(&visitor.get("/half").await);
        assert_eq!(class, "org.apache.http.ConnectionClosedException");
        assert_eq!(&*visitor.get("/fine").await.code, "200");
        let connections: Vec<_> = paths(&log).into_iter().map(|(connection, _)| connection).collect();
        assert_eq!(connections, [1, 1, 2, 3], "a reset stream leaves the connection alone");
    });
}

#[test]
fn a_response_that_does_not_come_is_a_timeout_and_its_connection_is_left_alone() {
    on_loop(async {
        let (site, log) = site(None, Settings::default(), |asked| match &*asked.path {
            "/hang" => vec![Act::Answer(200, "", None)],
            _ => ok("fine"),
        });
        let mut visitor = Visitor::with(&site, &[VERSION_2], vec![], Needs::ALL);
        let sample = visitor.get_with("/hang", |it| it.with_text("HTTPSampler.response_timeout", "50")).await;
        let (class, message) = shown(&sample.expect("a sample"));
        assert_eq!((&*class, &*message), ("java.net.SocketTimeoutException", "Read timed out"));
        assert_eq!(&*visitor.get("/fine").await.code, "200");
        assert_eq!(paths(&log).len(), 2);
    });
}
