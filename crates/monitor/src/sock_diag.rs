//! TCP sockets from the kernel by netlink: sock_diag(7), `linux/inet_diag.h`. The kernel sends only
//! sockets in the requested states, while its tables in `/proc` contain all. For listeners alone,
//! it does not walk its table of connections, which has a quarter of a million slots. Measured with
//! 3,000 recently closed connections: 0.2 ms of processor time for listeners, 1 ms for open
//! connections, and 5 ms for each reading of the tables in `/proc`.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};

use crate::kernel::TcpSocket;

const IPV4: u8 = 2;
const IPV6: u8 = 10;
const TCP: u8 = 6;

/// `NLM_F_REQUEST | NLM_F_DUMP`.
const DUMP: u16 = 0x301;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;

/// Bytes of `struct nlmsghdr`, and of it with `struct inet_diag_req_v2`.
const HEADER: usize = 16;
const REQUEST: usize = HEADER + 56;
/// Bytes of `struct inet_diag_msg`.
const SOCKET: usize = 72;

/// The attribute with memory and drops of a socket, and its bit in a request
/// (`INET_DIAG_SKMEMINFO`).
const SKMEMINFO: u16 = 7;
const SKMEMINFO_BIT: u8 = 1 << (SKMEMINFO - 1);
/// Where that has the drops: the ninth number (`SK_MEMINFO_DROPS` of `linux/sock_diag.h`).
const DROPS: usize = 8 * 4;

/// Calls `each` with the sockets that are in one of these states (`net/tcp_states.h`), of both
/// families.
///
/// # Errors
/// The kernel, or what confines this process, does not answer such questions.
pub(crate) fn each_socket(states: &[u8], mut each: impl FnMut(TcpSocket)) -> io::Result<()> {
    let kernel =
        socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, Some(netlink::SOCK_DIAG))?;
    // There may be very many connections, and their drops say nothing.
    let wanted = if states == [TcpSocket::LISTEN] { SKMEMINFO_BIT } else { 0 };
    let states = states.iter().fold(0, |mask, state| mask | 1 << state);
    for family in [IPV4, IPV6] {
        send(&kernel, &request(family, wanted, states), SendFlags::empty())?;
        answers(&kernel, &mut each)?;
    }
    Ok(())
}

fn request(family: u8, wanted: u8, states: u32) -> [u8; REQUEST] {
    let mut bytes = [0; REQUEST];
    bytes[0..4].copy_from_slice(&(REQUEST as u32).to_ne_bytes());
    bytes[4..6].copy_from_slice(&SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    bytes[6..8].copy_from_slice(&DUMP.to_ne_bytes());
    bytes[HEADER] = family;
    bytes[HEADER + 1] = TCP;
    bytes[HEADER + 2] = wanted;
    bytes[HEADER + 4..HEADER + 8].copy_from_slice(&states.to_ne_bytes());
    bytes
}

fn answers(kernel: &OwnedFd, each: &mut impl FnMut(TcpSocket)) -> io::Result<()> {
    // The kernel fills what it is given, up to 32 KiB.
    let mut buffer = vec![0; 32 << 10];
    loop {
        let (_, length) = recv(kernel, buffer.as_mut_slice(), RecvFlags::empty())?;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if read_messages(&buffer[..length.min(buffer.len())], each)? {
            return Ok(());
        }
    }
}

/// Whether these messages were the last.
fn read_messages(mut bytes: &[u8], each: &mut impl FnMut(TcpSocket)) -> io::Result<bool> {
    while let (Some(length), Some(kind)) = (four(bytes, 0), two(bytes, 4)) {
        let length = u32::from_ne_bytes(length) as usize;
        let message = bytes.get(..length).filter(|message| message.len() >= HEADER);
        let Some(message) = message else { return Err(io::ErrorKind::InvalidData.into()) };
        match u16::from_ne_bytes(kind) {
            NLMSG_DONE => return Ok(true),
            NLMSG_ERROR => {
                let code = four(message, HEADER).map_or(0, i32::from_ne_bytes);
                return Err(io::Error::from_raw_os_error(-code));
            }
            _ => {
                if let Some(socket) = socket_of(&message[HEADER..]) {
                    each(socket);
                }
            }
        }
        // Messages begin at multiples of four bytes.
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(false)
}

/// `struct inet_diag_msg`: family, state, timer, retransmits; ports and addresses in the order of
/// the network, interface and cookie; then expiry, queues, user and inode in the order of this
/// machine.
fn socket_of(message: &[u8]) -> Option<TcpSocket> {
    let (message, attributes) = message.split_at_checked(SOCKET)?;
    let ip: IpAddr = match message[0] {
        IPV4 => Ipv4Addr::from(four(message, 8)?).into(),
        IPV6 => Ipv6Addr::from(<[u8; 16]>::try_from(&message[8..24]).ok()?).into(),
        _ => return None,
    };
    Some(TcpSocket {
        local: SocketAddr::new(ip, u16::from_be_bytes(two(message, 4)?)),
        state: message[1],
        waiting: u32::from_ne_bytes(four(message, 56)?),
        user: u32::from_ne_bytes(four(message, 64)?),
        inode: u32::from_ne_bytes(four(message, 68)?).into(),
        dropped: dropped(attributes),
    })
}

/// Attributes are `struct rtattr`: length with these four bytes, kind, data; each begins at a
/// multiple of four bytes.
fn dropped(mut attributes: &[u8]) -> Option<u32> {
    loop {
        let length = usize::from(u16::from_ne_bytes(two(attributes, 0)?));
        let attribute = attributes.get(4..length)?;
        if u16::from_ne_bytes(two(attributes, 2)?) == SKMEMINFO {
            return four(attribute, DROPS).map(u32::from_ne_bytes);
        }
        attributes = attributes.get(length.next_multiple_of(4)..)?;
    }
}

fn two(bytes: &[u8], at: usize) -> Option<[u8; 2]> {
    bytes.get(at..at + 2)?.try_into().ok()
}

fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..at + 4)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(kind: u16, rest: &[u8]) -> Vec<u8> {
        let mut bytes = ((HEADER + rest.len()) as u32).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.resize(HEADER, 0);
        bytes.extend(rest);
        bytes
    }

    fn attribute(kind: u16, data: &[u8]) -> Vec<u8> {
        let mut bytes = ((4 + data.len()) as u16).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    fn told(family: u8, ip: &[u8], attributes: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; SOCKET];
        (bytes[0], bytes[1]) = (family, TcpSocket::LISTEN);
        bytes[4..6].copy_from_slice(&[0x1F, 0x90]);
        bytes[8..8 + ip.len()].copy_from_slice(ip);
        bytes[56..60].copy_from_slice(&11_u32.to_ne_bytes());
        bytes[64..68].copy_from_slice(&33_u32.to_ne_bytes());
        bytes[68..72].copy_from_slice(&4711_u32.to_ne_bytes());
        bytes.extend(attributes);
        message(SOCK_DIAG_BY_FAMILY, &bytes)
    }

    #[test]
    fn sockets_of_both_families_are_read_to_the_last_message() {
        let mut v6 = [0; 16];
        v6[15] = 1;
        let mut memory = [0; 36];
        memory[DROPS..].copy_from_slice(&97_u32.to_ne_bytes());
        let attributes = [attribute(8, &[1]), attribute(SKMEMINFO, &memory)].concat();
        let four = told(IPV4, &[127, 0, 0, 1], &attributes);
        let bytes = [four, told(IPV6, &v6, &[]), message(NLMSG_DONE, &[0; 4])].concat();
        let mut found = Vec::new();
        assert!(read_messages(&bytes, &mut |socket| found.push(socket)).expect("sound"));
        let socket = |at: &str, dropped| TcpSocket {
            local: at.parse().expect("an address"),
            state: TcpSocket::LISTEN,
            waiting: 11,
            user: 33,
            inode: 4711,
            dropped,
        };
        assert_eq!(found, [socket("127.0.0.1:8080", Some(97)), socket("[::1]:8080", None)]);
        let first = HEADER + SOCKET + attributes.len();
        assert!(!read_messages(&bytes[..first], &mut |_| ()).expect("more will come"));
    }

    #[test]
    fn a_refusal_is_an_error() {
        let refused = message(NLMSG_ERROR, &(-2_i32).to_ne_bytes());
        let error = read_messages(&refused, &mut |_| ()).expect_err("refused");
        assert_eq!(error.raw_os_error(), Some(2));
        assert!(read_messages(&refused[..12], &mut |_| ()).is_err(), "longer than what came");
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes: Vec<u8>) {
            let _ = read_messages(&bytes, &mut |_| ());
            let _ = dropped(&bytes);
        }
    }
}
