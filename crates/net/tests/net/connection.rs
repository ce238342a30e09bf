//! Helpers of the socket tests.

use swell_net::{ConnectOptions, TcpListener, TcpStream, spawn};

/// The two ends of a connection over loopback: who asked for it, who accepted it.
pub(crate) async fn pair() -> (TcpStream, TcpStream) {
    pair_with(&ConnectOptions::default()).await
}

/// The same with options of who asks for it.
pub(crate) async fn pair_with(options: &ConnectOptions) -> (TcpStream, TcpStream) {
    let options = *options;
    let listener = TcpListener::bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let at = listener.local_addr().expect("bound");
    let client = spawn(async move { TcpStream::connect(at, &options).await.expect("listening") });
    let (server, peer) = listener.accept().await.expect("a client");
    let client = client.await;
    assert_eq!(peer, client.local_addr().expect("connected"));
    assert_eq!(client.peer_addr().expect("connected"), at);
    (client, server)
}
