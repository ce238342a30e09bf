//! The WebSocket Sampler of the first plug-in.

use std::io::Write;
use std::sync::mpsc;

use swell_api::{Needs, SampleResult};
use swell_net::{now_ns, sleep_until};
use swell_plan::Element;

use super::server::{read_frame, websocket_server};
use crate::bench::{Bench, run};

const MS: i64 = 1_000_000;

/// The sampler as the plug-in's dialog writes it, with other texts.
fn sampler(port: u16, texts: &[(&str, &str)]) -> Element {
    let class = "JMeter.plugins.functional.samplers.websocket.WebSocketSampler";
    let port = port.to_string();
    let own = [
        ("serverAddress", "127.0.0.1"),
        ("serverPort", &*port),
        ("implementation", "RFC6455 (v13)"),
        ("protocol", "ws"),
        ("contextPath", "/chat"),
        ("requestPayload", "hi"),
        ("responseTimeout", "2000"),
    ];
    let all = [&own[..], texts].concat();
    all.iter().fold(Element::new(class, "", "ws"), |element, (name, value)| element.with_text(name, value))
}

async fn sample(bench: &mut Bench, element: Element) -> SampleResult {
    let sampler = bench.sampler(element, Vec::new(), Needs::ALL);
    bench.take(&sampler).await
}

fn text_frame(text: &str) -> Vec<u8> {
    [&[0x81, text.len() as u8][..], text.as_bytes()].concat()
}

/// A server that answers each text with these.
fn answering(answers: &'static [&'static str]) -> u16 {
    websocket_server("", move |mut stream, _| {
        while read_frame(&mut stream).is_some_and(|(first, _)| first == 0x81) {
            for answer in answers {
                stream.write_all(&text_frame(answer)).expect("taken");
            }
        }
    })
}

#[test]
fn the_log_of_a_sample_is_its_message() {
    let port = answering(&["one", "two \u{1f600}"]);
    run(async |bench| {
        let texts = [("responsePattern", "t.o"), ("connectionTimeout", "5000")];
        let found = sample(bench, sampler(port, &texts)).await;
        assert_eq!((&*found.code, found.success), ("200", true), "{found:?}");
        assert_eq!(found.body_text(), "[Message 1]\none\n\n[Message 2]\ntwo \u{1f600}\n\n");
        assert_eq!(
            &*found.message,
            "\n\n[Execution Flow]\n - Opening new connection\n - Using response message pattern \"t.o\"\n \
             - Using disconnect pattern \"\"\n - Waiting for the server connection for 5000 MILLISECONDS\n \
             - WebSocket conection has been opened\n - Connection established\n \
             - Waiting for messages for 2000 MILLISECONDS\n - Received message #1 (3 bytes); didn't match any pattern\n \
             - Received message #2 (6 bytes); matched response pattern\n \
             - WebSocket session closed by the client\n - WebSocket client closed by the client\n\n\n\
             [Variables]\n - Message count: 2\n\n\n[Problems]\n"
                .replace("\n  - ", "\n - ")
        );
        assert_eq!((found.sampler_data.as_deref(), found.bytes), (Some("hi"), found.body.len() as u64));
        assert!(found.sent_bytes > 100 && found.received > Some(100), "{found:?}");
        let timing = &found.timing;
        assert!(timing.connected_ns >= timing.start_ns && timing.end_ns >= timing.first_byte_ns);
    });
}

#[test]
fn a_timeout_is_a_success_and_only_the_last_messages_are_shown() {
    let port = answering(&["a", "b", "c", "d"]);
    run(async |bench| {
        let texts = [("responsePattern", "never"), ("responseTimeout", "60"), ("messageBacklog", "2")];
        let found = sample(bench, sampler(port, &texts)).await;
        assert_eq!((&*found.code, found.success), ("200", true), "{found:?}");
        assert!(found.timing.elapsed_ns() >= 60 * MS);
        assert_eq!(found.body_text(), "[Message 3]\nc\n\n[Message 4]\nd\n\n");
        let silent = websocket_server("", |stream, _| std::mem::forget(stream));
        let found =
            sample(bench, sampler(silent, &[("responseTimeout", "30"), ("requestPayload", "")])).await;
        assert_eq!((&*found.code, found.success, found.bytes), ("200", true, 0));
    });
}

#[test]
fn a_streaming_connection_stays_and_counts_what_comes_between_samples() {
    let (go, wait) = mpsc::channel::<()>();
    let wait = std::sync::Arc::new(std::sync::Mutex::new(wait));
    let port = websocket_server("", move |mut stream, _| {
        let (_, text) = read_frame(&mut stream).expect("the first");
        stream.write_all(&[&[0x81, text.len() as u8][..], &text].concat()).expect("taken");
        wait.lock().expect("one connection").recv().expect("the user thinks");
        stream.write_all(&text_frame("pushed")).expect("taken");
        while let Some((_, text)) = read_frame(&mut stream) {
            let answer = String::from_utf8_lossy(&text).to_uppercase();
            stream.write_all(&text_frame(&answer)).expect("taken");
        }
    });
    run(async |bench| {
        let texts = [("streamingConnection", "true"), ("connectionId", "c")];
        let first = sample(bench, sampler(port, &texts)).await;
        assert!(first.message.contains(" - Leaving streaming connection open\n"), "{first:?}");
        go.send(()).expect("the server waits");
        sleep_until(now_ns() + 50 * MS).await;
        let second = sample(bench, sampler(port, &texts)).await;
        assert_eq!(second.body_text(), "[Message 1]\nhi\n\n[Message 2]\npushed\n\n[Message 3]\nHI\n\n");
        assert_eq!(
            &*second.message,
            "\n\n[Execution Flow]\n - Reusing exising connection\n - Waiting for messages for 2000 MILLISECONDS\n \
             - Received message #3 (2 bytes); matched response pattern\n - Leaving streaming connection open\n\n\n\
             [Variables]\n - Message count: 3\n\n\n[Problems]\n"
                .replace("\n  - ", "\n - ")
        );
        assert_eq!(second.timing.connected_ns, 0);
    });
}

#[test]
fn a_pattern_closes_the_connection_for_good() {
    let port = answering(&["bye"]);
    run(async |bench| {
        let texts = [
            ("streamingConnection", "true"),
            ("responsePattern", "never"),
            ("closeConncectionPattern", "^bye"),
            ("responseTimeout", "1000"),
        ];
        let first = sample(bench, sampler(port, &texts)).await;
        assert!(first.success && first.message.contains("; matched connection close pattern\n"), "{first:?}");
        assert!(first.timing.elapsed_ns() < 900 * MS, "the message ends it");
        let second = sample(bench, sampler(port, &texts)).await;
        assert_eq!((&*second.code, second.success), ("", false));
        let text = " - Unexpected error: RemoteEndpoint unavailable, current state [CLOSED], expecting [OPEN or CONNECTED]\n";
        assert!(second.message.ends_with(text), "{second:?}");
    });
}

#[test]
fn a_close_of_the_server_is_normal_or_its_status_is_the_code() {
    for (close, code, success, line) in [
        (
            &b"\x88\x02\x03\xe8"[..],
            "200",
            true,
            " - WebSocket conection has been successfully closed by the server\n",
        ),
        (
            b"\x88\x06\x03\xf3oops",
            "1011",
            false,
            " - WebSocket conection closed unexpectedly by the server: [1011] oops\n",
        ),
        (
            b"\x88\x00",
            "1005",
            false,
            " - WebSocket conection closed unexpectedly by the server: [1005] null\n",
        ),
        (
            b"",
            "1006",
            false,
            " - WebSocket conection closed unexpectedly by the server: [1006] Disconnected\n",
        ),
        (b"\x83\x00", "1002", false, "[1002] the opcode 3 is reserved\n"),
    ] {
        let port = websocket_server("", move |mut stream, _| {
            read_frame(&mut stream);
            stream.write_all(close).expect("taken");
            if !close.is_empty() {
                std::mem::forget(stream);
            }
        });
        run(async |bench| {
            let found = sample(bench, sampler(port, &[("responsePattern", "never")])).await;
            assert_eq!((&*found.code, found.success), (code, success), "{found:?}");
            assert!(found.message.contains(line), "{found:?}");
        });
    }
}

#[test]
fn a_connection_that_fails_is_a_500_with_its_reason() {
    let closed =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound").port();
    run(async |bench| {
        let found = sample(bench, sampler(closed, &[])).await;
        assert_eq!((&*found.code, found.success, found.sent_bytes), ("500", false, 0));
        let text = " - Cannot connect to the remote server\n\n\n[Problems]\n - Connection couldn't be opened: Connection refused\n";
        assert!(found.message.ends_with(text), "{found:?}");
        let found = sample(bench, sampler(closed, &[("protocol", "http")])).await;
        assert_eq!(
            (&*found.code, &*found.message),
            ("", "\n\n[Problems]\n - Invalid URI syntax: Unsupported scheme: http\n")
        );
    });
}

#[test]
fn the_query_comes_from_arguments() {
    let (heard, asked) = mpsc::channel();
    let port = websocket_server("", move |mut stream, head| {
        heard.send(head.lines().next().unwrap_or_default().to_owned()).expect("the test waits");
        stream.write_all(&text_frame("x")).expect("taken");
        std::mem::forget(stream);
    });
    let argument = |name: &str, value: &str, is_encoded: bool| {
        Element::new("HTTPArgument", "HTTPArgument", "")
            .with_flag("HTTPArgument.always_encode", is_encoded)
            .with_text("Argument.name", name)
            .with_text("Argument.value", value)
            .with_text("Argument.metadata", "=")
    };
    let arguments = [argument("a", "b c&\u{e4}", true), argument("", "x", true), argument("d", "e f", false)];
    let arguments =
        Element::new("Arguments", "HTTPArgumentsPanel", "").with_elements("Arguments.arguments", arguments);
    run(async |bench| {
        let element =
            sampler(port, &[("requestPayload", "")]).with_element("queryStringParameters", arguments);
        assert!(sample(bench, element).await.success);
        assert_eq!(asked.recv().expect("asked"), "GET /chat?a=b+c%2526%25C3%25A4&d=e%20f HTTP/1.1");
    });
}
