//! The gRPC sampler with the site under test.

use std::net::TcpListener;

use swell_api::Needs;
use swell_target::{Options, Target, start};

use crate::bench::{PROTO, failed, fine, result, run, run_with, text};

fn site() -> Target {
    start(Options { tls_bind: Some(([127, 0, 0, 1], 0).into()), ..Options::default() }).expect("a free port")
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
        let json = ("requestJson", r#"{"status": 5, "description": "no such user"}"#);
        let sample = bench.call(port, "Unary", &[json, ("describeFailures", "true")]).await;
        assert_eq!(result(&sample), failed("5 NOT_FOUND: no such user"));
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
                &[("requestJson", "{\"txt\": \"\"}"), ("strictJson", "true")],
                "field `txt`: expected a field of message swell.EchoRequest",
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
            assert!(sample.message.contains(wanted), "{texts:?}: {}", sample.message);
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
        let due_ns = |number: usize| sample.timing.start_ns + 20_000_000 * (number as i64 + 1);
        let mut arrivals = events.arrivals_ns.iter().enumerate();
        assert!(arrivals.all(|(number, at_ns)| *at_ns >= due_ns(number)), "{events:?}");
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
