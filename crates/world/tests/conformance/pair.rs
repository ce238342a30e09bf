//! Both ends of a connection, and reads of whole texts.

use std::net::{Ipv4Addr, SocketAddr};

use swell_net::{ConnectOptions, TcpListener, TcpStream, spawn};

/// A free port of the loopback address.
pub(crate) const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The two ends of a connection: who asked for it, who accepted it.
pub(crate) async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind(ANY).expect("a free port");
    let at = listener.local_addr().expect("bound");
    let client = spawn(async move { connect(at).await.expect("it listens") });
    let (server, _) = listener.accept().await.expect("a client");
    (client.await, server)
}

pub(crate) async fn connect(at: SocketAddr) -> std::io::Result<TcpStream> {
    TcpStream::connect(at, &ConnectOptions::default()).await
}

/// Reads as many bytes.
pub(crate) async fn read(stream: &mut TcpStream, count: usize) -> Vec<u8> {
    let mut all = Vec::new();
    while all.len() < count {
        let got = stream.recv(|bytes, _| bytes.to_vec()).await.expect("data");
        assert!(!got.is_empty(), "ended after {} of {count} bytes", all.len());
        all.extend(got);
    }
    all
}

/// Bytes that tell their place.
pub(crate) fn numbered(count: usize) -> Vec<u8> {
    (0..count).map(|place| (place * 7 % 251) as u8).collect()
}
