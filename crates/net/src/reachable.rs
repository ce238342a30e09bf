//! The address by which others reach a listener.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

/// An address that others can use: of a listener on all addresses, the one from which this machine
/// reaches others.
pub fn reachable(listening: IpAddr) -> IpAddr {
    if !listening.is_unspecified() {
        return listening;
    }
    // Nothing is sent: the system only says which address it would send from. 192.0.2.0/24 is
    // reserved for documents (RFC 5737).
    let outgoing = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).and_then(|()| socket.local_addr())
    });
    outgoing.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |outgoing| outgoing.ip())
}
