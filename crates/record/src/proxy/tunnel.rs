//! CONNECT: what is inside decides whether it is recorded.

use rustls::server::Acceptor;
use swell_connect::Stream;
use swell_net::{TcpStream, now_ns};

use super::Shared;
use super::answer::refuse;
use super::forward::{For, serve};
use super::peer::{Peer, Received, Side, receive_either, relay};
use super::request::{RequestHead, authority};
use super::server::{Connected, Origin, ServerError, reach, secure};

const HELLO_NS: i64 = 30_000_000_000;
/// A message that begins TLS is smaller.
const HELLO_BYTES: usize = 64 << 10;

/// What a client says first.
struct Hello {
    server_name: Option<String>,
    /// It offers protocols, and HTTP/1.1 is not among them.
    lacks_http1: bool,
}

/// The beginning of what a client sends in a tunnel.
enum Inside {
    Tls(Hello),
    Http,
    Other(&'static str),
    /// It sent nothing, or what it began is not complete.
    Nothing,
}

/// Answers a CONNECT.
pub(super) async fn tunnel(shared: &Shared, mut client: Peer, head: &RequestHead) {
    let Some((host, port)) = authority(&head.target) else {
        return refuse(&mut client, 400, "CONNECT wants a host and a port, such as shop.test:443").await;
    };
    let refusal = shared.refusal(&host, port);
    let (tcp, input) = match reach(shared, &host, port).await {
        Ok(reached) => reached,
        Err(error) => {
            let why = error.to_string();
            shared.not_recorded(&host, refusal.unwrap_or(&why));
            return refuse(&mut client, 502, &why).await;
        }
    };
    if client.stream.send_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.is_err() {
        return;
    }
    let mut server = Peer { stream: Stream::Tcp(tcp), input };
    if let Some(why) = refusal {
        shared.not_recorded(&host, why);
        return relay(&mut client, &mut server).await;
    }
    let plain = Origin { is_secure: false, server_name: host.clone(), host, port };
    match inside(&mut client, &mut server).await {
        Inside::Tls(hello) => Box::pin(decrypt(shared, client, server, plain, hello)).await,
        Inside::Http => {
            let Stream::Tcp(tcp) = server.stream else { unreachable!("made so above") };
            let connected = secure(shared, &plain, tcp).await.ok();
            serve_inside(shared, client, &plain, connected).await;
        }
        Inside::Other(what) => {
            shared.not_recorded(&plain.host, what);
            relay(&mut client, &mut server).await;
        }
        Inside::Nothing => {}
    }
}

async fn serve_inside(shared: &Shared, mut client: Peer, origin: &Origin, server: Option<Connected>) {
    // A second CONNECT inside is a request like another to the server, which none of them serves.
    let _ = Box::pin(serve(shared, &mut client, For::Origin(origin), server)).await;
}

/// Waits for the first that one of the ends says.
async fn inside(client: &mut Peer, server: &mut Peer) -> Inside {
    let mut acceptor = Acceptor::default();
    let mut read = 0;
    loop {
        match client.input.first() {
            Some(0x16) => match hello(&mut acceptor, &client.input, &mut read) {
                Ok(Some(hello)) => return Inside::Tls(hello),
                Ok(None) if client.input.len() < HELLO_BYTES => {}
                Ok(None) | Err(()) => return Inside::Other("a connection that is not HTTP"),
            },
            Some(_) => match method(&client.input) {
                Some(true) => return Inside::Http,
                Some(false) => return Inside::Other("a connection that is not HTTP"),
                None => {}
            },
            None => {}
        }
        match receive_either(client, server).await {
            (Side::Client, Ok(Received::Bytes)) => {
                client.stream.set_deadline(Some(now_ns() + HELLO_NS));
            }
            (Side::Server, Ok(Received::Bytes)) => return Inside::Other("a connection that is not HTTP"),
            _ => return Inside::Nothing,
        }
    }
}

/// Whether the bytes begin with a method of HTTP and a blank; none if they are too few.
fn method(bytes: &[u8]) -> Option<bool> {
    let name = bytes.iter().take_while(|byte| byte.is_ascii_uppercase() || **byte == b'-').count();
    match bytes.get(name) {
        Some(b' ') => Some(name > 0 && !bytes.starts_with(b"PRI ")),
        Some(_) => Some(false),
        None if name > 20 => Some(false),
        None => None,
    }
}

/// Feeds the rest of the bytes to the acceptor. An error: it is no ClientHello.
fn hello(acceptor: &mut Acceptor, bytes: &[u8], read: &mut usize) -> Result<Option<Hello>, ()> {
    while *read < bytes.len() {
        let mut rest = &bytes[*read..];
        let taken = acceptor.read_tls(&mut rest).map_err(|_| ())?;
        *read += taken;
        match acceptor.accept() {
            Ok(Some(accepted)) => {
                let hello = accepted.client_hello();
                return Ok(Some(Hello {
                    server_name: hello.server_name().map(str::to_owned),
                    lacks_http1: hello
                        .alpn()
                        .is_some_and(|mut offered| !offered.any(|name| name == b"http/1.1")),
                }));
            }
            Ok(None) if taken > 0 => {}
            Ok(None) => return Ok(None),
            Err(_) => return Err(()),
        }
    }
    Ok(None)
}

/// TLS is in the tunnel: it ends here, and begins again towards the server.
async fn decrypt(shared: &Shared, mut client: Peer, mut server: Peer, plain: Origin, hello: Hello) {
    if hello.lacks_http1 {
        shared.not_recorded(&plain.host, "the client speaks no HTTP/1.1 (gRPC, for example)");
        client.stream.set_deadline(None);
        return relay(&mut client, &mut server).await;
    }
    let server_name = hello.server_name.unwrap_or_else(|| plain.host.clone());
    let origin = Origin { is_secure: true, server_name, ..plain };
    let Stream::Tcp(tcp) = server.stream else { unreachable!("made so above") };
    let connected = match secure(shared, &origin, tcp).await {
        Err(ServerError::NoHttp1) => {
            shared.not_recorded(&origin.host, "the server speaks no HTTP/1.1 (gRPC, for example)");
            let Ok((tcp, _)) = reach(shared, &origin.host, origin.port).await else { return };
            client.stream.set_deadline(None);
            return relay(&mut client, &mut Peer::new(Stream::Tcp(tcp))).await;
        }
        connected => connected,
    };
    let Some(mut client) = accept(shared, client, &origin).await else { return };
    match connected {
        Ok(connected) => serve_inside(shared, client, &origin, Some(connected)).await,
        Err(error) => {
            shared.not_recorded(&origin.host, &error.to_string());
            // The browser shows it, and may try again.
            if matches!(client.receive().await, Ok(Received::Bytes)) {
                refuse(&mut client, 502, &format!("{}: {error}", origin.url())).await;
            }
        }
    }
}

/// Answers the client's handshake as the server.
async fn accept(shared: &Shared, client: Peer, origin: &Origin) -> Option<Peer> {
    let config = match shared.authority.server(&origin.server_name) {
        Ok(config) => config,
        Err(error) => {
            shared.not_recorded(&origin.host, &error.to_string());
            return None;
        }
    };
    let Stream::Tcp(mut tcp) = client.stream else { return None };
    tcp.set_deadline(Some(now_ns() + HELLO_NS));
    match accepted(&client.input, tcp, &config).await {
        Ok(mut stream) => {
            stream.set_deadline(None);
            Some(Peer::new(stream))
        }
        Err(error) => {
            let distrusts = matches!(
                error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>()),
                Some(rustls::Error::AlertReceived(_))
            );
            let why = if distrusts {
                "the client does not trust the recorder's certificate (swell record ca)".to_owned()
            } else {
                format!("the TLS handshake with the client failed: {error}")
            };
            shared.not_recorded(&origin.host, &why);
            None
        }
    }
}

async fn accepted(
    received: &[u8],
    tcp: TcpStream,
    config: &swell_connect::TlsServerConfig,
) -> std::io::Result<Stream> {
    Stream::tls_accept_after(received, tcp, config).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_of_a_tunnel_tell_http() {
        for (bytes, wanted) in [
            ("GET / HTTP/1.1", Some(true)),
            ("M-SEARCH * ", Some(true)),
            ("GE", None),
            ("PRI * HTTP/2.0", Some(false)),
            ("SSH-2.0-x", Some(false)),
            (" ", Some(false)),
            ("AAAAAAAAAAAAAAAAAAAAAAAAA", Some(false)),
        ] {
            assert_eq!(method(bytes.as_bytes()), wanted, "{bytes}");
        }
    }
}
