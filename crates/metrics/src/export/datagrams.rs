//! Sends lines by UDP, as many in a datagram as a network carries in one packet.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};

use super::push::{Attempt, Carrier};

/// Most bytes of a datagram: more would be split on an Ethernet with an MTU of 1,500.
pub(super) const MOST_BYTES: usize = 1432;

/// A socket that is connected to a receiver, so that the kernel reports one that is not there.
pub(super) struct Datagrams {
    socket: UdpSocket,
}

impl Datagrams {
    /// # Errors
    /// The host has no address, or the socket cannot be opened.
    pub(super) fn connect(host: &str, port: u16) -> io::Result<Self> {
        let to = (host, port).to_socket_addrs()?.next();
        let to = to.ok_or_else(|| io::Error::other(format!("the host `{host}` has no address")))?;
        let any: IpAddr =
            if to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let socket = UdpSocket::bind(SocketAddr::new(any, 0))?;
        socket.connect(to)?;
        Ok(Self { socket })
    }

    /// Sends one datagram. A receiver on this machine that is not there is noticed at once, one on
    /// another machine when a later datagram is sent; that one is sent again.
    fn send(&self, datagram: &[u8], attempt: &mut Attempt) {
        let mut sent = self.socket.send(datagram).map(drop);
        if let Err(error) = &sent
            && error.kind() == io::ErrorKind::ConnectionRefused
        {
            // It is about an earlier datagram.
            attempt.why = Some(error.to_string());
            attempt.dropped += 1;
            attempt.delivered = attempt.delivered.saturating_sub(1);
            sent = self.socket.send(datagram).map(drop);
        }
        let refused = sent.and_then(|()| self.socket.take_error()?.map_or(Ok(()), Err));
        match refused {
            Ok(()) => attempt.delivered += 1,
            Err(error) => {
                attempt.dropped += 1;
                attempt.why = Some(error.to_string());
            }
        }
    }
}

impl Carrier for Datagrams {
    /// Datagrams are not repeated: a count would be counted twice.
    fn carry(&mut self, request: &[u8]) -> Attempt {
        let mut attempt = Attempt::default();
        for datagram in datagrams(request) {
            self.send(datagram, &mut attempt);
        }
        attempt
    }
}

/// Whole lines, as many as fit in a datagram; one that is longer has its own.
fn datagrams(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = lines;
    std::iter::from_fn(move || {
        let mut end = 0;
        for line in rest.split_inclusive(|byte| *byte == b'\n') {
            if end > 0 && end + line.len() > MOST_BYTES {
                break;
            }
            end += line.len();
        }
        let (datagram, after) = rest.split_at(end);
        rest = after;
        (!datagram.is_empty()).then_some(datagram)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_and_fill_datagrams() {
        let line = |length: usize| format!("{}\n", "x".repeat(length - 1));
        let text = [line(1000), line(432), line(1), line(2000), line(10)].concat();
        let lengths: Vec<_> = datagrams(text.as_bytes()).map(<[u8]>::len).collect();
        assert_eq!(lengths, [1432, 1, 2000, 10]);
        assert_eq!(datagrams(b"").count(), 0);
    }

    #[test]
    fn datagrams_arrive_as_they_are() {
        let server = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let port = server.local_addr().expect("an address").port();
        let mut sender = Datagrams::connect("127.0.0.1", port).expect("a socket");
        let attempt = sender.carry(b"a:1|c\nb:2|g\n");
        assert_eq!((attempt.delivered, attempt.dropped, attempt.why), (1, 0, None));
        let mut buffer = [0; 64];
        let length = server.recv(&mut buffer).expect("a datagram");
        assert_eq!(&buffer[..length], b"a:1|c\nb:2|g\n");
    }

    #[test]
    fn a_receiver_that_is_not_there_is_counted_for_each_datagram() {
        let closed = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port");
        let mut sender = Datagrams::connect("127.0.0.1", closed.port()).expect("a socket");
        let mut all = Attempt::default();
        for _ in 0..3 {
            let attempt = sender.carry(b"a:1|c\n");
            all.delivered += attempt.delivered;
            all.dropped += attempt.dropped;
            assert!(attempt.why.is_some_and(|why| why.contains("refused")));
        }
        assert_eq!((all.delivered, all.dropped), (0, 3));
    }
}
