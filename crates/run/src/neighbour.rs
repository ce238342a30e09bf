//! Whether the server under test runs on this machine, beside the tool.

use std::net::{IpAddr, SocketAddr, UdpSocket};

/// The first of these addresses at which a socket of this machine listens.
pub(crate) fn listening(addresses: impl Iterator<Item = SocketAddr>) -> Option<SocketAddr> {
    let here: Vec<_> = addresses.filter(|address| is_local(address.ip())).collect();
    if here.is_empty() {
        return None;
    }
    let listeners = swell_monitor::listeners();
    here.into_iter().find(|address| listeners.iter().any(|listener| serves(listener.local, *address)))
}

/// Whether an address is one of this machine: only then a socket can be bound to it.
pub(crate) fn is_local(ip: IpAddr) -> bool {
    ip.is_loopback() || UdpSocket::bind((ip, 0)).is_ok()
}

/// Whether who listens there gets the connections to that address.
fn serves(listener: SocketAddr, address: SocketAddr) -> bool {
    let ip = listener.ip().to_canonical();
    listener.port() == address.port() && (ip.is_unspecified() || ip == address.ip().to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_server_on_this_machine_is_found_by_its_socket() {
        for ip in ["127.0.0.1", "0.0.0.0"] {
            let server = TcpListener::bind((ip, 0)).expect("a free port");
            let port = server.local_addr().expect("bound").port();
            let at = SocketAddr::from(([127, 0, 0, 1], port));
            let elsewhere = SocketAddr::from(([240, 0, 0, 1], port));
            assert_eq!(listening([elsewhere, at].into_iter()), Some(at));
            assert_eq!(listening([elsewhere].into_iter()), None, "that is no address of this machine");
            drop(server);
            assert_eq!(listening([at].into_iter()), None, "nobody listens any more");
        }
    }

    #[test]
    fn who_listens_at_all_addresses_serves_each() {
        let at = |text: &str| text.parse::<SocketAddr>().expect("an address");
        assert!(serves(at("[::]:80"), at("127.0.0.1:80")) && serves(at("0.0.0.0:80"), at("10.0.0.1:80")));
        assert!(
            !serves(at("10.0.0.2:80"), at("10.0.0.1:80")) && !serves(at("0.0.0.0:81"), at("10.0.0.1:80"))
        );
    }
}
