//! A server that speaks TLS and asks its clients for certificates.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::mpsc::{self, Receiver};
use std::task::Poll;

use swell_connect::{Stream, TlsServerConfig};
use swell_net::{ConnectOptions, Runtime, TcpListener, TcpStream, spawn_detached};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/// Runs a server on a separate thread until the tests end, and gives its port.
fn in_background<F: Future<Output = ()>>(serve: impl FnOnce(TcpListener) -> F + Send + 'static) -> u16 {
    let (port_sender, port) = mpsc::channel();
    std::thread::spawn(move || {
        Runtime::new().expect("a loop").block_on(async move {
            let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
            port_sender.send(listener.local_addr().expect("bound").port()).expect("awaited");
            serve(listener).await;
        });
    });
    port.recv().expect("it listens")
}

/// A server; `config_of` gives its configuration for a connection, by its number. It answers one
/// request per connection. Gives its port, and for each connection with a request the certificate
/// that it received.
pub(crate) fn tls_server(
    mut config_of: impl FnMut(u32) -> TlsServerConfig + Send + 'static,
) -> (u16, Receiver<Option<Vec<u8>>>) {
    let (sender, seen) = mpsc::channel();
    let port = in_background(move |listener| async move {
        for number in 0.. {
            let Ok((tcp, _)) = listener.accept().await else { return };
            // A client that does not trust the server ends the handshake.
            let Ok(mut stream) = Stream::tls_accept(tcp, &config_of(number)).await else { continue };
            let shown = stream.peer_certificate().map(<[u8]>::to_vec);
            if let Ok(1..) = stream.recv(|bytes, _| bytes.len()).await {
                // The test may have ended.
                let _ = sender.send(shown);
                // So may the client.
                let _ = stream.send_all(OK).await;
                let _ = stream.finish().await;
            }
        }
    });
    (port, seen)
}

/// A server with TLS that hands what it receives to a plain one, and its port. For each connection,
/// it says which certificate the client showed.
pub(crate) fn tls_forwarder(config: TlsServerConfig, to: SocketAddr) -> (u16, Receiver<Option<Vec<u8>>>) {
    let (sender, seen) = mpsc::channel();
    let port = in_background(move |listener| async move {
        loop {
            let Ok((tcp, _)) = listener.accept().await else { return };
            let Ok(outer) = Stream::tls_accept(tcp, &config).await else { continue };
            // The test may have ended.
            let _ = sender.send(outer.peer_certificate().map(<[u8]>::to_vec));
            let inner = TcpStream::connect(to, &ConnectOptions::default()).await.expect("a server");
            spawn_detached(forward(outer, Stream::Tcp(inner)));
        }
    });
    (port, seen)
}

/// Moves bytes both ways until one side ends.
async fn forward(mut outer: Stream, mut inner: Stream) {
    let mut ways = [(Vec::new(), 0), (Vec::new(), 0)];
    poll_fn(|cx| {
        loop {
            let mut has_moved = false;
            for (at, (bytes, sent)) in ways.iter_mut().enumerate() {
                let (from, to) = if at == 0 { (&mut outer, &mut inner) } else { (&mut inner, &mut outer) };
                if bytes.is_empty() {
                    match from.poll_recv(cx, |received, _| received.to_vec()) {
                        Poll::Ready(Ok(received)) if !received.is_empty() => *bytes = received,
                        Poll::Ready(_) => return Poll::Ready(()),
                        Poll::Pending => continue,
                    }
                }
                match to.poll_send_all(cx, bytes, sent) {
                    Poll::Ready(Ok(())) => (*bytes, *sent) = (Vec::new(), 0),
                    Poll::Ready(Err(_)) => return Poll::Ready(()),
                    Poll::Pending => continue,
                }
                has_moved = true;
            }
            if !has_moved {
                return Poll::Pending;
            }
        }
    })
    .await;
}
