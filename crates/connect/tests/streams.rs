//! Name resolution, and TLS over loopback.

use std::future::Future;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};

use swell_connect::{Stream, TlsConfig, TlsServerConfig, resolve};
use swell_net::{ConnectOptions, Runtime, TcpListener, TcpStream, now_ns, spawn};

fn run<F: Future>(future: F) -> F::Output {
    Runtime::new().expect("three descriptors").block_on(future)
}

const MS: i64 = 1_000_000;
const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The two ends of a connection over loopback: who asked for it, who accepted it.
async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let at = listener.local_addr().expect("bound");
    let client =
        spawn(async move { TcpStream::connect(at, &ConnectOptions::default()).await.expect("listening") });
    let (server, peer) = listener.accept().await.expect("a client");
    let client = client.await;
    assert_eq!(peer, client.local_addr().expect("connected"));
    assert_eq!(client.peer_addr().expect("connected"), at);
    (client, server)
}

async fn recv_all(stream: &mut Stream, want: usize) -> Vec<u8> {
    let mut all = Vec::new();
    while all.len() < want {
        let got = stream.recv(|bytes, _| bytes.to_vec()).await.expect("data");
        assert!(!got.is_empty(), "ended after {} of {want}", all.len());
        all.extend(got);
    }
    all
}

#[test]
fn names_and_literals_resolve() {
    run(async {
        let v6 = resolve("[::1]", 80).await.expect("a literal");
        assert_eq!(v6, ["[::1]:80".parse().expect("an address")]);
        let local = resolve("localhost", 1).await.expect("every machine knows it");
        assert!(local.iter().all(|a| a.ip().is_loopback() && a.port() == 1) && !local.is_empty());
        resolve("no-such-host.invalid", 1).await.expect_err("reserved never to exist");
    });
}

fn server_config() -> TlsServerConfig {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    TlsServerConfig::new(made.cert.der().to_vec(), made.signing_key.serialize_der()).expect("they fit")
}

#[test]
fn tls_carries_data_both_ways_with_stamps_and_a_clean_end() {
    run(async {
        let (client, server) = pair().await;
        let server =
            spawn(async move { Stream::tls_accept(server, &server_config()).await.expect("a handshake") });
        let config = TlsConfig::trust_all();
        let mut client = Stream::tls_connect(client, &config, "localhost").await.expect("a handshake");
        let mut server = server.await;
        let data: Vec<u8> = (0..300_000u32).map(|i| i as u8).collect();
        let sent = data.clone();
        let echo = spawn(async move {
            let got = recv_all(&mut server, sent.len()).await;
            server.send_all(&got).await.expect("sent");
            server
        });
        client.send_all(&data).await.expect("sent");
        assert_eq!(recv_all(&mut client, data.len()).await, data);
        assert!(!client.is_stale());
        drop(echo.await);
        assert_eq!(client.recv(|b, _| b.len()).await.expect("an end is not an error"), 0);
    });
}

/// The goodbye of TLS may come with the last data, and the peer may wait for ours before it closes.
#[test]
fn the_end_of_tls_is_seen_while_tcp_stays_open() {
    run(async {
        let (client, server) = pair().await;
        let serving = spawn(async move {
            let mut stream = Stream::tls_accept(server, &server_config()).await.expect("a handshake");
            stream.send_all(b"last").await.expect("sent");
            stream.finish().await.expect("said goodbye");
            stream
        });
        let mut stream =
            Stream::tls_connect(client, &TlsConfig::trust_all(), "localhost").await.expect("a handshake");
        let still_open = serving.await;
        stream.set_deadline(Some(now_ns() + 10_000 * MS));
        assert_eq!(recv_all(&mut stream, 4).await, b"last");
        for _ in 0..2 {
            assert_eq!(stream.recv(|bytes, _| bytes.len()).await.expect("an end"), 0);
        }
        drop(still_open);
    });
}

#[test]
fn garbage_in_the_tls_handshake_is_an_error() {
    run(async {
        let listener = std::net::TcpListener::bind(ANY).expect("a free port");
        let at = listener.local_addr().expect("bound");
        let server = std::thread::spawn(move || {
            let (mut peer, _) = listener.accept().expect("a client");
            let mut hello = [0; 1024];
            assert!(peer.read(&mut hello).expect("a hello") > 0);
            peer.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("sent");
        });
        let tcp = TcpStream::connect(at, &ConnectOptions::default()).await.expect("listening");
        let error =
            Stream::tls_connect(tcp, &TlsConfig::trust_all(), "localhost").await.err().expect("no TLS");
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        server.join().expect("no panic");
    });
}

/// Two messages in one record, then one in its own, read at once: the unit is the record.
#[test]
fn records_that_are_read_at_once_keep_their_times() {
    run(async {
        let listener = TcpListener::bind(ANY).expect("a free port");
        let at = listener.local_addr().expect("bound");
        let options = ConnectOptions { segments: true, ..ConnectOptions::default() };
        let client = spawn(async move { TcpStream::connect(at, &options).await.expect("listening") });
        let (server, _) = listener.accept().await.expect("a client");
        let client = client.await;
        let server =
            spawn(async move { Stream::tls_accept(server, &server_config()).await.expect("a handshake") });
        let config = TlsConfig::trust_all();
        let mut client = Stream::tls_connect(client, &config, "localhost").await.expect("a handshake");
        let mut server = server.await;
        // Tickets are out of the way.
        server.send_all(b"first").await.expect("sent");
        assert_eq!(recv_all(&mut client, 5).await, b"first");
        let mut sent = Vec::new();
        // Two records of 16 KiB and one of 7,232 bytes, then a short one.
        for length in [40_000, 10] {
            let before = now_ns();
            server.send_all(&vec![b'x'; length]).await.expect("sent");
            sent.push((before, now_ns()));
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        let mut parts = Vec::new();
        std::future::poll_fn(|cx| {
            client.poll_recv_parts(cx, |bytes, arrival| parts.push((bytes.len(), arrival)))
        })
        .await
        .expect("no error");
        let lengths: Vec<_> = parts.iter().map(|(length, _)| *length).collect();
        assert_eq!(lengths, [16_384, 16_384, 7_232, 10]);
        if swell_net::TimestampSource::Kernel.uses_kernel_program() {
            let (_, third) = parts[2];
            let (_, last) = parts[3];
            assert!(third.at_ns < sent[1].0 && last.at_ns >= sent[1].0, "{sent:?} {parts:?}");
        }
    });
}
