//! The gRPC sampler with the site under test, and with servers that break the protocol.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{CompileContext, Make, Needs, Registry, SampleResult, Sampler, SamplerInput, User};
use swell_expr::testing::{TestHost, context_of};
use swell_expr::{Compiler, Properties};
use swell_http2::{ErrorCode, Events, Fields, RequestHead, Scratch, Settings, StreamId, server};
use swell_plan::{Element, Node};
use swell_target::{Options, Target, start};

/// The folder with the service of the site.
const PROTO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/proto");

struct Bench {
    compile: CompileContext,
    user: User,
}

impl Bench {
    fn new(properties: &[(&str, &str)]) -> Self {
        let props = Properties::default();
        for (name, value) in properties {
            props.set(name, value);
        }
        let host = TestHost::default();
        host.files.lock().insert(Path::new(PROTO).join("echo.proto"), swell_target::PROTO.into());
        let compile = CompileContext {
            expr: Compiler::new(Arc::default()),
            props: Arc::new(props),
            host: Arc::new(host),
            file: None,
            diagnostics: RefCell::default(),
            worker: 0,
            workers: 1,
            traced: false,
        };
        let cx = context_of(compile.expr.names.clone(), Arc::default());
        Self { user: User::new(cx, swell_net::now_ns()), compile }
    }

    /// A sampler of the site's service, by reflection.
    fn sampler(&self, port: u16, method: &str, texts: &[(&str, &str)], needs: Needs) -> Rc<dyn Sampler> {
        let element = Element::new("vn.zalopay.benchmark.GRPCSampler", "", "name")
            .with_text("GRPCSampler.host", "127.0.0.1")
            .with_text("GRPCSampler.port", &port.to_string())
            .with_text("GRPCSampler.fullMethod", &format!("swell.Echo/{method}"))
            .with_text("GRPCSampler.deadline", "20000")
            .with_flag("GRPCSampler.reflection", true);
        let with = |element: Element, (name, value): &(&str, &str)| {
            element.with_text(&format!("GRPCSampler.{name}"), value)
        };
        let node = Node::new(texts.iter().fold(element, with));
        let input = SamplerInput { sampler: &node, configs: Vec::new(), needs };
        let kind =
            Registry::of(swell_samplers::kinds()).kind(&node.element).expect("the kind of the sampler");
        let Make::Sampler(make) = &kind.make else { panic!("it is a sampler") };
        make(&input, &self.compile)
    }

    async fn take(&mut self, sampler: &Rc<dyn Sampler>) -> SampleResult {
        *sampler.sample(&mut self.user).await.expect("a sample")
    }

    /// One call of a new sampler.
    async fn call(&mut self, port: u16, method: &str, texts: &[(&str, &str)]) -> SampleResult {
        let sampler = self.sampler(port, method, texts, Needs::ALL);
        self.take(&sampler).await
    }
}

fn run(test: impl AsyncFnOnce(&mut Bench)) {
    run_with(&[], test);
}

fn run_with(properties: &[(&str, &str)], test: impl AsyncFnOnce(&mut Bench)) {
    let mut runtime = swell_net::Runtime::new().expect("a loop");
    runtime.block_on(async { test(&mut Bench::new(properties)).await });
}

fn site() -> Target {
    start(Options { tls_bind: Some(([127, 0, 0, 1], 0).into()), ..Options::default() }).expect("a free port")
}

fn text(sample: &SampleResult) -> String {
    sample.body_text().into_owned()
}

fn result(sample: &SampleResult) -> (String, String, bool) {
    (sample.code.to_string(), sample.message.to_string(), sample.success)
}

fn fine() -> (String, String, bool) {
    ("200".to_owned(), " success".to_owned(), true)
}

fn failed(status: &str) -> (String, String, bool) {
    (" 500".to_owned(), format!(" {status}"), false)
}

#[test]
fn a_call_has_the_results_of_the_plug_in() {
    let site = site();
    let port = site.addr().port();
    run(async |bench| {
        let json = ("requestJson", r#"{"text": "hello", "unknown": 1}"#);
        let sampler = bench.sampler(port, "Unary", &[json, ("metadata", "x-a:1%2C2")], Needs::ALL);
        let first = bench.take(&sampler).await;
        assert_eq!(result(&first), fine(), "{}", text(&first));
        let body = text(&first);
        assert!(
            body.starts_with(
                "{\n  \"text\": \"hello\",\n  \"number\": 1,\n  \"received\": 1,\n  \"sent_ns\": \""
            ),
            "{body}"
        );
        assert!(body.ends_with("\",\n  \"payload\": \"\"\n}"), "{body}");
        let sent = first.sampler_data.as_deref().expect("it is wanted");
        assert!(sent.starts_with("{\n  \"text\": \"hello\",\n  \"delayMs\": 0.0,"), "{sent}");
        assert_eq!(first.request_headers, "x-a: 1,2");
        assert!(first.response_headers.contains("x-a: 1,2\n"), "{}", first.response_headers);
        assert!(first.response_headers.ends_with("grpc-status: 0\n"), "{}", first.response_headers);
        let timing = first.timing;
        assert!(timing.connected_ns >= timing.start_ns && timing.first_byte_ns > timing.connected_ns);
        assert!(timing.end_ns >= timing.first_byte_ns && first.bytes > 0 && first.sent_bytes > 0);
        assert_eq!(first.body_size, 5 + 7 + 2 + 2 + 10, "text, two numbers, a time");
        let second = bench.take(&sampler).await;
        assert_eq!((result(&second), second.timing.connected_ns), (fine(), 0), "the channel is kept");
    });
    let stats = site.stats();
    let echo = stats.routes.iter().find(|route| route.route == "/swell.Echo").expect("it is on record");
    assert_eq!(echo.residence.count, 2);
}

#[test]
fn a_status_is_a_message_and_its_description_is_the_data() {
    let site = site();
    let port = site.addr().port();
    run(async |bench| {
        for (method, json, status, description) in [
            ("Unary", r#"{"status": 14, "description": "gone ü"}"#, "14 UNAVAILABLE", "gone ü"),
            ("ServerStream", r#"{"status": 5}"#, "5 NOT_FOUND", ""),
            ("Bidirectional", r#"[{}, {"status": 16}]"#, "16 UNAUTHENTICATED", ""),
        ] {
            let sample = bench.call(port, method, &[("requestJson", json)]).await;
            assert_eq!(
                (result(&sample), text(&sample)),
                (failed(status), description.to_owned()),
                "{method}"
            );
        }
        let late = [("requestJson", r#"{"delay_ms": 20000}"#), ("deadline", "30")];
        let sampler = bench.sampler(port, "Unary", &late, Needs::ALL);
        for _ in 0..2 {
            let sample = bench.take(&sampler).await;
            assert_eq!(result(&sample), failed("4 DEADLINE_EXCEEDED"), "{}", text(&sample));
            assert_eq!(text(&sample), "deadline exceeded after 0.03s");
            assert!(sample.timing.elapsed_ns() >= 30_000_000);
        }
        let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound").port();
        let texts = [("reflection", "false"), ("protoFolder", PROTO)];
        let sample = bench.call(free, "Unary", &texts).await;
        let wanted = format!("io exception: Connection refused: 127.0.0.1:{free}");
        assert_eq!((result(&sample), text(&sample)), (failed("14 UNAVAILABLE"), wanted));
    });
}

#[test]
fn what_is_wrong_before_a_call_is_code_400() {
    let site = site();
    let port = site.addr().port();
    run(async |bench| {
        for (texts, wanted) in [
            (
                &[("requestJson", "{\"text\": []}")][..],
                "field `text`: expected string, got an array of 0 values",
            ),
            (
                &[("metadata", "x")],
                "Metadata entry must be valid JSON String or in key1:value1,key2:value2 format",
            ),
            (&[("deadline", "soon")], "Caught exception while parsing deadline to long"),
            (&[("port", "x")], "invalid GRPCSampler.port `x`"),
            (
                &[("fullMethod", "swell.Echo/No")],
                "service `swell.Echo` has no method `No`; it has Unary, ClientStream",
            ),
            (&[("fullMethod", "a.B/C")], "server reflection: 5 NOT_FOUND"),
            (
                &[("reflection", "false"), ("protoFolder", "no/such")],
                "cannot read `no/such`: there is no such file or folder",
            ),
            (
                &[("reflection", "false"), ("protoFolder", PROTO), ("fullMethod", "a.B/C")],
                "unknown service `a.B`; there is swell.Echo",
            ),
        ] {
            let sample = bench.call(port, "Unary", texts).await;
            assert_eq!((&*sample.code, sample.success), (" 400", false), "{texts:?}");
            assert!(sample.message.starts_with(" GRPCSampler parsing exception: "), "{}", sample.message);
            assert!(text(&sample).contains(wanted), "{texts:?}: {}", text(&sample));
        }
    });
}

#[test]
fn messages_of_a_stream_are_sub_samples_with_their_times() {
    let site = site();
    let port = site.addr().port();
    run(async |bench| {
        let json = ("requestJson", r#"{"text": "a", "messages": 3, "every_ms": 20, "delay_ms": 20}"#);
        let sample = bench.call(port, "ServerStream", &[json]).await;
        assert_eq!(result(&sample), fine(), "{}", text(&sample));
        let events = sample.events.as_deref().expect("a stream");
        assert_eq!((events.count, events.arrivals_ns.len()), (3, 3));
        assert!(events.gaps_ns().all(|gap_ns| gap_ns >= 10_000_000), "{events:?}");
        let starts: Vec<i64> = sample.sub_results.iter().map(|sub| sub.timing.start_ns).collect();
        let ends: Vec<i64> = sample.sub_results.iter().map(|sub| sub.timing.end_ns).collect();
        assert_eq!(ends, events.arrivals_ns);
        assert_eq!(starts, [sample.timing.start_ns, ends[0], ends[1]]);
        assert!(text(&sample.sub_results[2]).contains("\"number\": 3"));
        let body = text(&sample);
        assert!(
            body.starts_with("[{\n") && body.matches("}, {").count() == 2 && body.ends_with("}]"),
            "{body}"
        );
        let some = bench.call(port, "ServerStream", &[json, ("maxMessages", "2")]).await;
        assert_eq!((result(&some), some.sub_results.len()), (fine(), 2), "it is ended after two");
    });
}

#[test]
fn a_client_sends_several_messages() {
    let site = site();
    let port = site.addr().port();
    run(async |bench| {
        let json = ("requestJson", r#"[{"text": "a"}, {"text": "b"}]"#);
        let sample = bench.call(port, "ClientStream", &[json]).await;
        assert_eq!((result(&sample), sample.sub_results.len()), (fine(), 0));
        assert!(
            text(&sample).contains("\"text\": \"b\",\n  \"number\": 1,\n  \"received\": 2"),
            "{}",
            text(&sample)
        );
        let json = ("requestJson", "{\"text\": \"a\", \"bytes\": 200000}\n{\"text\": \"b\"}");
        let packed = ("compression", "gzip");
        for texts in [&[json][..], &[json, packed]] {
            let sample = bench.call(port, "Bidirectional", texts).await;
            assert_eq!((result(&sample), sample.sub_results.len()), (fine(), 2), "{}", text(&sample));
            assert!(text(&sample.sub_results[0]).len() > 200_000);
            assert_eq!(sample.body_size < 100_000, texts.len() == 2, "{}", sample.body_size);
        }
    });
}

#[test]
fn limits_hold_for_messages_and_for_what_is_kept() {
    let site = site();
    let port = site.addr().port();
    run(async |bench| {
        let json = ("requestJson", r#"{"bytes": 1000}"#);
        let sample = bench.call(port, "Unary", &[json, ("maxInboundMessageSize", "500")]).await;
        assert_eq!(result(&sample), failed("8 RESOURCE_EXHAUSTED"));
        assert!(text(&sample).starts_with("gRPC message exceeds maximum size 500: 10"), "{}", text(&sample));
        let many = ("requestJson", r#"{"messages": 500}"#);
        let sampler =
            bench.sampler(port, "ServerStream", &[many], Needs { details: true, ..Needs::default() });
        let sample = bench.take(&sampler).await;
        assert_eq!((sample.sub_results.len(), sample.events.map(|events| events.count)), (100, Some(500)));
        let sampler = bench.sampler(port, "ServerStream", &[many], Needs::default());
        let sample = bench.take(&sampler).await;
        assert_eq!((sample.sub_results.len(), sample.body.len()), (0, 0), "nothing is wanted");
    });
    run_with(&[("swell.grpc.sub_samples", "2")], async |bench| {
        let sample = bench.call(port, "ServerStream", &[("requestJson", r#"{"messages": 3}"#)]).await;
        assert_eq!(sample.sub_results.len(), 2);
    });
}

#[test]
fn tls_is_verified_unless_the_plan_says_otherwise() {
    let site = site();
    let port = site.tls_addr().expect("it was asked for").port();
    let texts = [("tls", "true"), ("reflection", "false"), ("protoFolder", PROTO)];
    run(async |bench| {
        let sample = bench.call(port, "Unary", &texts).await;
        assert_eq!(result(&sample), failed("14 UNAVAILABLE"));
        assert!(text(&sample).starts_with("io exception: TLS handshake: "), "{}", text(&sample));
        let trusting = [&texts[..], &[("tlsDisableVerification", "true")]].concat();
        let sample = bench.call(port, "Unary", &trusting).await;
        assert_eq!(result(&sample), fine(), "{}", text(&sample));
        assert!(sample.timing.handshake_ns > 0);
    });
}

#[test]
fn a_server_that_ends_connections_costs_no_call() {
    let site = start(Options { http2_requests_max: Some(3), ..Options::default() }).expect("a free port");
    let port = site.addr().port();
    run(async |bench| {
        let sampler = bench.sampler(port, "Unary", &[], Needs::default());
        for number in 0..20 {
            let sample = bench.take(&sampler).await;
            assert_eq!(result(&sample), fine(), "{number}: {}", text(&sample));
        }
    });
}

/// What a scripted server does with a call.
type Act = fn(&mut server::Session, StreamId, &mut Vec<u8>);

#[derive(Default)]
struct Heads(Vec<StreamId>);

impl Events for Heads {
    fn request(&mut self, stream: StreamId, _: RequestHead<'_>) {
        self.0.push(stream);
    }
}

/// A server that acts on each call as soon as its head has come, and its port.
fn scripted(act: Act) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The client may go at any time.
            let _ = serve(stream, act);
        }
    });
    port
}

fn serve(mut stream: TcpStream, act: Act) -> std::io::Result<()> {
    let mut session = server::Session::new(&Settings::server());
    let mut out = Vec::new();
    session.start(&mut out);
    let mut heads = Heads::default();
    let mut scratch = Scratch::default();
    let mut buffer = vec![0; 64 << 10];
    loop {
        stream.write_all(&std::mem::take(&mut out))?;
        let count = stream.read(&mut buffer)?;
        if count == 0 || session.feed(&buffer[..count], &mut scratch, &mut out, &mut heads).is_err() {
            return Ok(());
        }
        for id in heads.0.drain(..) {
            act(&mut session, id, &mut out);
        }
    }
}

fn head(session: &mut server::Session, id: StreamId, lines: &[u8], end: bool, out: &mut Vec<u8>) {
    let lines = [b"content-type: application/grpc\r\n", lines].concat();
    session.respond(id, 200, &Fields::default(), &lines, end, out).expect("valid lines");
}

/// A broken response: its name, how it is made, the status of the call and the start of its
/// description.
type Case = (&'static str, Act, &'static str, &'static str);

const OK: &[u8] = b"grpc-status: 0\r\n";

fn check(cases: &[Case]) {
    run(async |bench| {
        for (name, act, status, description) in cases {
            let texts = [("reflection", "false"), ("protoFolder", PROTO)];
            let sample = bench.call(scripted(*act), "Unary", &texts).await;
            assert_eq!(result(&sample), failed(status), "{name}: {}", text(&sample));
            assert!(text(&sample).starts_with(description), "{name}: {}", text(&sample));
        }
    });
}

#[test]
fn broken_messages_and_statuses_fail_the_sample() {
    check(&[
        (
            "a compressed message without an encoding",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\x01\0\0\0\x01x", false, out);
            },
            "13 INTERNAL",
            "Can't decode compressed gRPC message as compression not configured",
        ),
        (
            "a length of 4 GiB",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\xff\xff\xff\xff", false, out);
            },
            "8 RESOURCE_EXHAUSTED",
            "gRPC message exceeds maximum size 4194304: 4294967295",
        ),
        (
            "a message cut by the end",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\0\0\0\x05ab", false, out);
                session.send_trailers(id, OK, out).expect("valid");
            },
            "13 INTERNAL",
            "Encountered end-of-stream mid-frame",
        ),
        (
            "trailers only",
            |session, id, out| head(session, id, b"grpc-status: 7\r\ngrpc-message: no%21\r\n", true, out),
            "7 PERMISSION_DENIED",
            "no!",
        ),
        (
            "no status",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\0\0\0\0", true, out);
            },
            "2 UNKNOWN",
            "missing GRPC status in response",
        ),
        (
            "a status that is no number",
            |session, id, out| head(session, id, b"grpc-status: -1\r\n", true, out),
            "2 UNKNOWN",
            "invalid grpc-status `-1`; expected a number",
        ),
    ]);
}

#[test]
fn servers_that_break_the_protocol_fail_the_sample() {
    check(&[
        (
            "a page of a proxy",
            |session, id, out| {
                let lines = b"content-type: text/html\r\n";
                session.respond(id, 502, &Fields::default(), lines, false, out).expect("valid lines");
                session.send_data(id, b"<h1>Bad Gateway</h1>", true, out);
            },
            "14 UNAVAILABLE",
            "HTTP status code 502, invalid content-type: text/html",
        ),
        (
            "another type",
            |session, id, out| {
                session
                    .respond(id, 200, &Fields::default(), b"content-type: application/json\r\n", true, out)
                    .expect("valid lines");
            },
            "2 UNKNOWN",
            "invalid content-type: application/json",
        ),
        (
            "a reset",
            |session, id, out| session.reset(id, ErrorCode::CANCEL, out),
            "1 CANCELLED",
            "RST_STREAM: HTTP/2 error CANCEL",
        ),
        (
            "no message",
            |session, id, out| head(session, id, OK, true, out),
            "13 INTERNAL",
            "No value received for unary call",
        ),
        (
            "two messages",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\0\0\0\0\0\0\0\0\0", false, out);
                session.send_trailers(id, OK, out).expect("valid");
            },
            "13 INTERNAL",
            "More than one value received for unary call",
        ),
        (
            "a message that is none",
            |session, id, out| {
                head(session, id, b"", false, out);
                session.send_data(id, b"\0\0\0\0\x01\xff", false, out);
                session.send_trailers(id, OK, out).expect("valid");
            },
            "13 INTERNAL",
            "invalid message swell.EchoReply: ",
        ),
        (
            "an end of the connection",
            |session, _, out| {
                // Not a frame of HTTP/2: the client ends the connection.
                out.extend_from_slice(&[0xff; 64]);
                session.go_away(ErrorCode::NO_ERROR, out);
            },
            "13 INTERNAL",
            "HTTP/2 error FRAME_SIZE_ERROR",
        ),
    ]);
}
