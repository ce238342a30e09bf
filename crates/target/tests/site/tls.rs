//! HTTP over TLS, with a client of this project.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};

use swell_net::{ConnectOptions, Runtime, Stream, TcpStream, TlsConfig};
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
    let _ = std::io::Read::read_to_end(&mut plain, &mut Vec::new());
    assert_eq!(target.stats().tls_failures, 1);
}
