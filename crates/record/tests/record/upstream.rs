//! A proxy between the recorder and servers.

use swell_connect::TlsServerConfig;
use swell_fetch::Proxy;
use swell_record::Upstream;

use crate::support::{Ended, Recording, Server, expect, record, rest, send, tls_client_for, tls_server};

/// A recorder behind a proxy.
fn behind(proxy: &str) -> Recording {
    let proxy = Proxy::parse(&format!("http://u:p@{proxy}")).expect("a proxy");
    let upstream = Upstream::new(Some(proxy), |_| None).expect("usable");
    record(|options| options.upstream = upstream)
}

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const CONNECT: &[u8] =
    b"CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test:443\r\nProxy-Authorization: Basic dTpw\r\n\r\n";

const PLAIN: &[u8] = b"GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\nProxy-Authorization: Basic dTpw\r\n\r\n";

/// The plan must not have what lets the recorder into the proxy.
#[track_caller]
fn has_no_authorization(ended: &Ended) {
    let text = ended.har.to_string().to_ascii_lowercase();
    assert!(!text.contains("proxy-authorization") && !text.contains("dtpw"), "{text}");
}

#[test]
fn plain_requests_go_to_the_proxy_with_their_whole_url() {
    let proxy = Server::plain(1, |mut stream| {
        for path in ["/a?b", "/c"] {
            let head = format!(
                "GET http://shop.test{path} HTTP/1.1\r\nHost: shop.test\r\nProxy-Authorization: Basic dTpw\r\n\r\n"
            );
            expect(&mut stream, head.as_bytes());
            send(&mut stream, OK);
        }
    });
    let recording = behind(&proxy.address.to_string());
    let mut client = recording.client();
    send(&mut client, b"GET http://shop.test/a?b HTTP/1.1\r\nHost: shop.test\r\n\r\n");
    expect(&mut client, OK);
    // What the client has for the recorder does not go on.
    send(
        &mut client,
        b"GET http://shop.test/c HTTP/1.1\r\nHost: shop.test\r\nProxy-Authorization: Basic b3du\r\n\r\n",
    );
    expect(&mut client, OK);
    proxy.end();
    let ended = recording.end();
    assert_eq!(ended.lines(), ["GET http://shop.test/a?b 200", "GET http://shop.test/c 200"]);
    has_no_authorization(&ended);
}

#[test]
fn requests_in_tls_go_through_a_tunnel_of_the_proxy() {
    let (_, config) = TlsServerConfig::self_signed(vec!["shop.test".to_owned()]).expect("a certificate");
    let config = config.with_protocols(&[b"http/1.1"]).shared();
    let proxy = Server::plain(1, move |mut tcp| {
        expect(&mut tcp, CONNECT);
        send(&mut tcp, b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 Go\r\nX-Proxy: yes\r\n\r\n");
        let mut stream = tls_server(tcp, &config).expect("a handshake");
        expect(&mut stream, b"GET /x HTTP/1.1\r\nHost: shop.test\r\n\r\n");
        send(&mut stream, OK);
    });
    let recording = behind(&proxy.address.to_string());
    let mut tunnel = recording.client();
    send(&mut tunnel, b"CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test:443\r\n\r\n");
    expect(&mut tunnel, b"HTTP/1.1 200 Connection established\r\n\r\n");
    let mut client = tls_client_for("shop.test", tunnel, recording.authority.certificate().to_vec(), &[]);
    send(&mut client, b"GET /x HTTP/1.1\r\nHost: shop.test\r\n\r\n");
    expect(&mut client, OK);
    proxy.end();
    let ended = recording.end();
    assert_eq!(ended.lines(), ["GET https://shop.test/x 200"]);
    has_no_authorization(&ended);
}

#[test]
fn a_proxy_that_refuses_is_named_with_what_to_do() {
    let plain = &b"GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n"[..];
    let tunnel = &b"CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test:443\r\n\r\n"[..];
    for (request, answer, wanted) in [
        (
            plain,
            "HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n",
            "record with --upstream http://USER:PASSWORD@",
        ),
        (tunnel, "HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n", "it wants a user and a password"),
        (tunnel, "HTTP/1.1 503 No\r\n\r\n", "it refuses a tunnel to shop.test:443 with status 503"),
        (tunnel, "SSH-2.0-x\r\n\r\n", "it does not answer as a proxy does"),
        (tunnel, "", "it closed the connection"),
    ] {
        let head = if request == tunnel { CONNECT } else { PLAIN };
        let proxy = Server::plain(1, move |mut stream| {
            expect(&mut stream, head);
            send(&mut stream, answer.as_bytes());
        });
        let address = proxy.address;
        let recording = behind(&address.to_string());
        let mut client = recording.client();
        send(&mut client, request);
        let said = rest(&mut client);
        assert!(said.starts_with("HTTP/1.1 502 "), "{said}");
        assert!(said.contains(&format!("the upstream proxy {address}: ")) && said.contains(wanted), "{said}");
        proxy.end();
        has_no_authorization(&recording.end());
    }
}

#[test]
fn this_machine_is_reached_directly() {
    let server = Server::plain(1, |mut stream| {
        expect(&mut stream, b"GET / HTTP/1.1\r\n\r\n");
        send(&mut stream, OK);
    });
    // Nothing listens there.
    let recording = behind("127.0.0.1:1");
    let mut client = recording.client();
    send(&mut client, format!("GET http://{}/ HTTP/1.1\r\n\r\n", server.address).as_bytes());
    expect(&mut client, OK);
    server.end();
    assert_eq!(recording.end().entries().len(), 1);
}
