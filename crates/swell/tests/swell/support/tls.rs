//! A server that speaks TLS and asks its clients for certificates.

use std::net::SocketAddr;
use std::sync::mpsc::{self, Receiver};

use swell_connect::{Stream, TlsServerConfig};
use swell_net::{Runtime, TcpListener};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/// A server on a separate thread until the tests end; `config_of` gives its configuration for a
/// connection, by its number. It answers one request per connection. Gives its port, and for each
/// connection with a request the certificate that it received.
pub(crate) fn tls_server(
    mut config_of: impl FnMut(u32) -> TlsServerConfig + Send + 'static,
) -> (u16, Receiver<Option<Vec<u8>>>) {
    let (port_sender, port) = mpsc::channel();
    let (sender, seen) = mpsc::channel();
    std::thread::spawn(move || {
        let mut runtime = Runtime::new().expect("a loop");
        runtime.block_on(async move {
            let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
            port_sender.send(listener.local_addr().expect("bound").port()).expect("awaited");
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
    });
    (port.recv().expect("it listens"), seen)
}
