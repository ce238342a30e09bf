//! Sends lines by UDP (`UdpMetricsSender`): all lines of a transmission in one datagram.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs, UdpSocket};

/// Sends lines to `host:port`.
///
/// # Errors
/// What went wrong. A missing receiver is not noticed.
pub(super) fn send(address: &str, lines: &str) -> Result<(), String> {
    let parts: Vec<_> = address.split(':').collect();
    let [host, port] = parts[..] else {
        return Err("its address is not of the form host:port".to_owned());
    };
    let port: u16 = port.parse().map_err(|_| format!("invalid port `{port}`"))?;
    let said = |error: std::io::Error| error.to_string();
    let mut found = (host, port).to_socket_addrs().map_err(said)?;
    let to = found.next().ok_or("the host has no address")?;
    let any = if to.is_ipv4() { IpAddr::from(Ipv4Addr::UNSPECIFIED) } else { IpAddr::from([0_u16; 8]) };
    let socket = UdpSocket::bind(SocketAddr::new(any, 0)).map_err(said)?;
    socket.send_to(lines.as_bytes(), to).map(|_| ()).map_err(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_one_datagram() {
        let server = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let address = server.local_addr().expect("an address").to_string();
        send(&address, "a 1\nb 2\n").expect("it is sent");
        let mut buffer = [0; 64];
        let length = server.recv(&mut buffer).expect("a datagram");
        assert_eq!(&buffer[..length], b"a 1\nb 2\n");
        for wrong in ["localhost", "http://localhost:1", "localhost:x"] {
            assert!(send(wrong, "a").is_err(), "{wrong}");
        }
    }
}
