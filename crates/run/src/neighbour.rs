//! Whether the server under test runs on this machine, beside the tool.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// The first of these addresses at which a socket of this machine listens.
pub(crate) fn listening(addresses: impl Iterator<Item = SocketAddr>) -> Option<SocketAddr> {
    let here: Vec<_> = addresses.filter(|address| is_local(address.ip())).collect();
    if here.is_empty() {
        return None;
    }
    let listeners: Vec<_> =
        ["/proc/self/net/tcp", "/proc/self/net/tcp6"].into_iter().flat_map(listeners_in).collect();
    here.into_iter().find(|address| listeners.iter().any(|listener| serves(*listener, *address)))
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

/// Listening sockets of a table of the kernel. They come before all connections, of which there may be very many.
fn listeners_in(path: &str) -> Vec<SocketAddr> {
    // A kernel without IPv6 has no table of it.
    let Ok(file) = File::open(path) else { return Vec::new() };
    let lines = BufReader::new(file).lines().skip(1).map_while(Result::ok);
    lines.map_while(|line| listener(&line)).collect()
}

/// The address of a line such as `0: 0100007F:1F90 00000000:0000 0A …`; none if that socket does not listen.
fn listener(line: &str) -> Option<SocketAddr> {
    const LISTEN: &str = "0A";
    let mut columns = line.split_whitespace().skip(1);
    let (local, state) = (columns.next()?, columns.nth(1)?);
    let (ip, port) = local.split_once(':')?;
    let at = SocketAddr::new(address(ip)?, u16::from_str_radix(port, 16).ok()?);
    (state == LISTEN).then_some(at)
}

/// Words of 32 bits in the order of this machine's bytes, each in hexadecimal.
fn address(hex: &str) -> Option<IpAddr> {
    let word = |place: usize| {
        let digits = hex.get(8 * place..8 * place + 8)?;
        u32::from_str_radix(digits, 16).ok().map(u32::to_ne_bytes)
    };
    match hex.len() {
        8 => Some(Ipv4Addr::from(word(0)?).into()),
        32 => {
            let mut bytes = [0; 16];
            for (place, four) in bytes.chunks_exact_mut(4).enumerate() {
                four.copy_from_slice(&word(place)?);
            }
            Some(Ipv6Addr::from(bytes).into())
        }
        _ => None,
    }
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
    fn lines_of_the_kernel_are_read() {
        let read = |line| listener(line).map(|at| at.to_string());
        if cfg!(target_endian = "little") {
            let v4 = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0";
            assert_eq!(read(v4).as_deref(), Some("127.0.0.1:8080"));
            let v6 = "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0";
            assert_eq!(read(v6).as_deref(), Some("[::1]:80"));
        }
        assert_eq!(read("   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000"), None, "a connection");
        assert_eq!(read("nonsense"), None);
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
