//! `Expect: 100-continue`, and servers that respond before the body is sent, byte for byte.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;

use swell_api::{Needs, SampleResult};
use swell_net::{TcpListener, TcpStream};
use swell_plan::Element;

use crate::site::{Site, Visitor, on_loop, shown};

/// What came, in parts that end where the server says something.
type Parts = Rc<RefCell<Vec<Vec<u8>>>>;

/// One connection: after a head these bytes are sent, and after what is to come then (how many
/// bytes) the others.
fn server(first: &'static [u8], then: Option<(usize, &'static [u8])>) -> (Site, Parts) {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
    let site = Site { port: listener.local_addr().expect("it listens").port(), seen: Rc::default() };
    let parts = Parts::default();
    let seen = parts.clone();
    drop(swell_net::spawn(async move {
        let (mut tcp, _) = listener.accept().await.expect("a connection");
        let head = read(&mut tcp, |bytes| bytes.windows(4).any(|four| four == b"\r\n\r\n")).await;
        seen.borrow_mut().push(head);
        tcp.send_all(first).await.expect("it is open");
        let Some((length, last)) = then else { return };
        let body = read(&mut tcp, |bytes| bytes.len() >= length).await;
        seen.borrow_mut().push(body);
        tcp.send_all(last).await.expect("it is open");
        read(&mut tcp, |_| false).await;
    }));
    (site, parts)
}

async fn read(tcp: &mut TcpStream, ends: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut all = Vec::new();
    while !ends(&all) {
        let received = tcp.recv(|bytes, _| {
            all.extend_from_slice(bytes);
            bytes.len()
        });
        if received.await.unwrap_or(0) == 0 {
            break;
        }
    }
    all
}

fn expecting() -> Element {
    let header = Element::new("Header", "", "")
        .with_text("Header.name", "Expect")
        .with_text("Header.value", "100-continue");
    Element::new("HeaderManager", "HeaderPanel", "Headers").with_elements("HeaderManager.headers", [header])
}

fn post(element: Element, body: &str) -> Element {
    let argument = Element::new("HTTPArgument", "HTTPArgument", "")
        .with_flag("HTTPArgument.always_encode", false)
        .with_text("Argument.value", body)
        .with_text("Argument.metadata", "=");
    element.with_text("HTTPSampler.method", "POST").with_flag("HTTPSampler.postBodyRaw", true).with_element(
        "HTTPsampler.Arguments",
        Element::new("Arguments", "HTTPArgumentsPanel", "").with_elements("Arguments.arguments", [argument]),
    )
}

async fn sample(site: &Site, props: &[(&str, &str)], configs: Vec<Element>, body: &str) -> SampleResult {
    let mut visitor = Visitor::with(site, props, configs, Needs::ALL);
    visitor.get_with("/up", |element| post(element, body)).await.expect("a sample")
}

fn head(port: u16) -> String {
    format!(
        "POST /up HTTP/1.1\r\nConnection: keep-alive\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\
         Content-Type: text/plain; charset=UTF-8\r\nHost: 127.0.0.1:{port}\r\n\
         User-Agent: Apache-HttpClient/4.5.14 (Java/17.0.15)\r\n\r\n"
    )
}

#[test]
fn the_body_follows_100_continue() {
    on_loop(async {
        let last = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        let (site, parts) = server(b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n", Some((5, last)));
        let sample = sample(&site, &[], vec![expecting()], "12345").await;
        assert_eq!((&*sample.code, &*sample.body), ("200", &b"ok"[..]));
        assert_eq!(*parts.borrow(), [head(site.port).into_bytes(), b"12345".to_vec()]);
        assert_eq!(sample.sent_bytes as usize, head(site.port).len() + 5);
        assert_eq!(sample.bytes as usize, last.len(), "the interim response is not counted");
    });
}

#[test]
fn a_final_response_keeps_the_body_back() {
    on_loop(async {
        let answer = b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig";
        let (site, parts) = server(answer, Some((1, b"")));
        let sample = sample(&site, &[], vec![expecting()], "12345").await;
        assert_eq!((&*sample.code, &*sample.message, &*sample.body), ("413", "Too Large", &b"big"[..]));
        assert_eq!(sample.sent_bytes as usize, head(site.port).len());
        assert_eq!(parts.borrow()[0], head(site.port).into_bytes());
        while parts.borrow().len() < 2 {
            swell_net::yield_now().await;
        }
        assert_eq!(parts.borrow()[1], b"", "no byte of the body");
    });
}

#[test]
fn another_interim_response_is_an_error_as_in_httpclient() {
    on_loop(async {
        let (site, _) = server(b"HTTP/1.1 103 Early Hints\r\n\r\n", Some((1, b"")));
        let sample = sample(&site, &[], vec![expecting()], "12345").await;
        assert_eq!(shown(&sample).0, "org.apache.http.client.ClientProtocolException");
        assert!(sample.body_text().contains("Unexpected response: HTTP/1.1 103 Early Hints"));
    });
}

#[test]
fn an_early_response_counts_where_that_is_wanted() {
    const EARLY: [(&str, &str); 1] = [("swell.http.early_responses", "read")];
    for (props, code) in [(&EARLY[..], "413"), (&[], "Non HTTP response code: java.net.SocketException")] {
        on_loop(async move {
            // The rest of the body arrives at a closed connection.
            let (site, _) = server(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n", None);
            let sample = sample(&site, props, vec![], &"x".repeat(32 << 20)).await;
            assert_eq!(&*sample.code, code, "{}", sample.message);
        });
    }
}
