//! HTTP over TLS, with a client of this project.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use swell_connect::{Stream, TlsConfig};
use swell_net::{ConnectOptions, Runtime, TcpStream};
use swell_target::{Options, start};

#[test]
fn the_site_speaks_tls() {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let target = start(Options { tls_bind: Some(any), workers: 2, ..Options::default() }).unwrap();
    assert!(target.certificate().is_some_and(|der| der.starts_with(b"\x30")));
    let addr = target.tls_addr().unwrap();
    let answers = Runtime::new().unwrap().block_on(async {
        let tcp = TcpStream::connect(addr, &ConnectOptions::default()).await.unwrap();
        let mut stream = Stream::tls_connect(tcp, &TlsConfig::trust_all(), "localhost").await.unwrap();
        stream
            .send_all(b"GET /bytes/5 HTTP/1.1\r\n\r\nGET /bytes/200000 HTTP/1.1\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut seen = Vec::new();
        while let Ok(1..) = stream
            .recv(|bytes, _| {
                seen.extend_from_slice(bytes);
                bytes.len()
            })
            .await
        {}
        seen
    });
    assert!(answers.starts_with(b"HTTP/1.1 200 OK\r\n"));
    assert!(answers.windows(9).any(|window| window == b"\r\n\r\nabcde"));
    assert!(answers.len() > 200_000 && answers.ends_with(b"\n"), "{}", answers.len());
}

#[test]
fn what_is_no_tls_is_counted() {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let target = start(Options { tls_bind: Some(any), ..Options::default() }).unwrap();
    let mut plain = std::net::TcpStream::connect(target.tls_addr().unwrap()).unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let patience = Instant::now() + Duration::from_secs(20);
    while target.stats().tls_failures == 0 && Instant::now() < patience {
        std::thread::yield_now();
    }
    assert_eq!(target.stats().tls_failures, 1);
}

/// With a client that trusts this certificate only and takes an end without a goodbye for an
/// attack.
#[test]
fn the_certificate_can_be_trusted_and_a_body_until_the_end_has_an_end() {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let target = start(Options { tls_bind: Some(any), misbehave: true, ..Options::default() }).unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(target.certificate().unwrap().to_vec().into()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let session = rustls::ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let tcp = std::net::TcpStream::connect(target.tls_addr().unwrap()).unwrap();
    let mut stream = rustls::StreamOwned::new(session, tcp);
    stream.write_all(b"GET /no-length HTTP/1.1\r\n\r\n").unwrap();
    let mut seen = String::new();
    stream.read_to_string(&mut seen).unwrap();
    assert!(seen.ends_with("\r\n\r\nno length\n"), "{seen}");
}
