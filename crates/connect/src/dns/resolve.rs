//! Resolves names to addresses.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use swell_net::blocking;

/// Addresses of a host, in the order the system gives them. Literal addresses need no look-up; the
/// look-up itself (`getaddrinfo`) runs on a helper thread.
///
/// # Errors
/// The name is unknown or the resolver does not answer.
pub async fn resolve(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let literal = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    if let Ok(ip) = literal.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let host = host.to_owned();
    blocking(move || (host.as_str(), port).to_socket_addrs().map(Iterator::collect)).await
}
