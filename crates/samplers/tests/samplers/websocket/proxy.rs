//! WebSockets through a plain HTTP proxy.

use std::io::Write;
use std::sync::mpsc;

use super::server::{element, exchange, open, read_frame, read_head, said, samples, switching};
use crate::bench::{Bench, run, server};

/// A proxy that answers requests with these texts in turn, and echoes one frame in the tunnel that
/// it makes for the last; its port, and what it was asked.
fn proxy(answers: &'static [&'static str]) -> (u16, mpsc::Receiver<String>) {
    let (heard, asked) = mpsc::channel();
    let port = server(move |number, mut stream| {
        let head = read_head(&mut stream).expect("a request");
        heard.send(head).expect("the test waits");
        stream.write_all(answers[number].as_bytes()).expect("taken");
        if answers[number].contains(" 200 ") {
            let head = read_head(&mut stream).expect("an upgrade");
            heard.send(head.clone()).expect("the test waits");
            stream.write_all(switching(&head, "").as_bytes()).expect("taken");
            let (first, payload) = read_frame(&mut stream).expect("a frame");
            let frame = [&[first, payload.len() as u8][..], &payload].concat();
            stream.write_all(&frame).expect("taken");
        }
    });
    (port, asked)
}

fn use_proxy(bench: &Bench, port: u16) {
    bench.compile.props.set("http.proxyHost", "127.0.0.1");
    bench.compile.props.set("http.proxyPort", &port.to_string());
}

#[test]
fn a_plain_websocket_has_a_tunnel_through_a_proxy() {
    let (port, asked) = proxy(&["HTTP/1.1 200 Connection established\r\n\r\n"]);
    run(async |bench: &mut Bench| {
        use_proxy(bench, port);
        let to =
            element("OpenWebSocketSampler", &[("server", "ws.invalid"), ("port", "81"), ("path", "/a?b")]);
        let found = samples(bench, vec![to, exchange(&[])]).await;
        assert_eq!((&*found[0].code, &*found[1].body_text()), ("101", "hi"), "{found:?}");
        let heads: Vec<String> = asked.try_iter().collect();
        assert!(
            heads[0].starts_with("CONNECT ws.invalid:81 HTTP/1.1\r\nHost: ws.invalid:81\r\n"),
            "{heads:?}"
        );
        let upgrade = "GET http://ws.invalid:81/a?b HTTP/1.1\r\nHost: ws.invalid:81\r\n";
        assert!(heads[1].starts_with(upgrade), "{heads:?}");
    });
}

#[test]
fn a_proxy_that_asks_for_credentials_gets_them_on_another_connection() {
    let (port, asked) = proxy(&[
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
    ]);
    run(async |bench: &mut Bench| {
        use_proxy(bench, port);
        bench.compile.props.set("http.proxyUser", "u");
        bench.compile.props.set("http.proxyPass", "p");
        let found = samples(bench, vec![open(9)]).await;
        assert_eq!(&*found[0].code, "101", "{found:?}");
        let heads: Vec<String> = asked.try_iter().collect();
        assert!(
            !heads[0].contains("Proxy-Authorization")
                && heads[1].contains("Proxy-Authorization: Basic dTpw\r\n")
        );
    });
}

#[test]
fn a_proxy_that_refuses_is_named_with_its_status() {
    let (port, _asked) = proxy(&["HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"]);
    run(async |bench: &mut Bench| {
        use_proxy(bench, port);
        let found = samples(bench, vec![open(9)]).await;
        let text = "Connecting proxy failed with status code 403";
        assert_eq!(said(&found[0]), ("403".to_owned(), text.to_owned()));
    });
}
