//! Detects a server under test on this machine, and the connections that its listeners dropped.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr, UdpSocket};

use swell_monitor::kernel::TcpSocket;

/// The server under test, if it runs on this machine.
#[derive(Debug, Default)]
pub(crate) struct ServerHere {
    address: Option<SocketAddr>,
    /// What each listener of this machine had dropped when the run began, by its inode.
    at_start: HashMap<u64, u32>,
    /// What each listener of the server has dropped since then.
    dropped: HashMap<u64, u32>,
}

impl ServerHere {
    /// Before the first connection of a run.
    pub(crate) fn begin() -> Self {
        let dropped = |listener: TcpSocket| Some((listener.inode, listener.dropped?));
        let at_start = swell_monitor::listeners().into_iter().filter_map(dropped).collect();
        Self { at_start, ..Self::default() }
    }

    /// Looks at what listens at these addresses, those that the run connects to. The listeners of
    /// the server, where it is found now.
    pub(crate) fn look(&mut self, addresses: impl Iterator<Item = SocketAddr>) -> Option<Vec<TcpSocket>> {
        let here: Vec<_> = addresses.filter(|address| is_local(address.ip())).collect();
        if here.is_empty() {
            return None;
        }
        let was_known = self.address.is_some();
        let mut listeners = swell_monitor::listeners();
        self.take(&here, &listeners);
        listeners.retain(|listener| here.iter().any(|address| serves(listener.local, *address)));
        (!was_known && self.address.is_some()).then_some(listeners)
    }

    fn take(&mut self, here: &[SocketAddr], listeners: &[TcpSocket]) {
        let is_served = |address: &&SocketAddr| listeners.iter().any(|one| serves(one.local, **address));
        self.address = self.address.or_else(|| here.iter().find(is_served).copied());
        for listener in listeners {
            if let Some(dropped) = listener.dropped
                && here.iter().any(|address| serves(listener.local, *address))
            {
                // One that was not there at the start has dropped nothing before.
                let before = self.at_start.get(&listener.inode).copied().unwrap_or(0);
                self.dropped.insert(listener.inode, dropped.wrapping_sub(before));
            }
        }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Segments that its listeners dropped, since a queue of theirs was full; none where there is
    /// no such listener, or the kernel does not say.
    pub(crate) fn dropped(&self) -> Option<u64> {
        (!self.dropped.is_empty()).then(|| self.dropped.values().map(|dropped| u64::from(*dropped)).sum())
    }
}

/// Whether an address is one of this machine: only then a socket can be bound to it.
pub(crate) fn is_local(ip: IpAddr) -> bool {
    ip.is_loopback() || UdpSocket::bind((ip, 0)).is_ok()
}

/// Whether that listener receives the connections to that address.
fn serves(listener: SocketAddr, address: SocketAddr) -> bool {
    let ip = listener.ip().to_canonical();
    listener.port() == address.port() && (ip.is_unspecified() || ip == address.ip().to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn listening(addresses: &[SocketAddr]) -> Option<SocketAddr> {
        let mut server = ServerHere::begin();
        let found = server.look(addresses.iter().copied());
        assert_eq!(found.is_some(), server.address().is_some());
        server.address()
    }

    #[test]
    fn a_server_on_this_machine_is_found_by_its_socket() {
        for ip in ["127.0.0.1", "0.0.0.0"] {
            let server = TcpListener::bind((ip, 0)).expect("a free port");
            let port = server.local_addr().expect("bound").port();
            let at = SocketAddr::from(([127, 0, 0, 1], port));
            let elsewhere = SocketAddr::from(([240, 0, 0, 1], port));
            assert_eq!(listening(&[elsewhere, at]), Some(at));
            assert_eq!(listening(&[elsewhere]), None, "that is no address of this machine");
            drop(server);
            assert_eq!(listening(&[at]), None, "no listener is left");
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

    #[test]
    fn drops_are_those_of_the_servers_listeners_since_the_start() {
        let here: SocketAddr = "127.0.0.1:80".parse().expect("an address");
        let listener = |port: u16, inode, dropped| TcpSocket {
            local: SocketAddr::from(([0, 0, 0, 0], port)),
            state: TcpSocket::LISTEN,
            waiting: 0,
            user: 0,
            inode,
            dropped,
        };
        let mut server = ServerHere { at_start: HashMap::from([(1, 40), (9, 5)]), ..ServerHere::default() };
        assert_eq!((server.address(), server.dropped()), (None, None));
        // Two listeners share the port, and one of another port is a neighbour's.
        let drops =
            |one, two, other| vec![listener(80, 1, one), listener(80, 2, two), listener(81, 9, other)];
        server.take(&[here], &drops(Some(41), Some(3), Some(7_000)));
        assert_eq!((server.address(), server.dropped()), (Some(here), Some(4)));
        server.take(&[here], &drops(Some(42), Some(3), Some(9_000)));
        assert_eq!(server.dropped(), Some(5));
        // One that is closed before the end keeps what it had dropped by then.
        server.take(&[here], &[listener(80, 2, Some(4))]);
        assert_eq!(server.dropped(), Some(6));
        let mut silent = ServerHere::default();
        silent.take(&[here], &drops(None, None, None));
        assert_eq!((silent.address(), silent.dropped()), (Some(here), None));
    }
}
