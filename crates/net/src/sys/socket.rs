//! Sockets: non-blocking, close-on-exec, with Nagle's algorithm off.

use std::io;
use std::mem::{size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::check;
use crate::tcp_totals::Segments;

const KIND: libc::c_int = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;

/// `linux/in.h`: the ports from which a connection's own is taken, the lowest and, 16 bits higher,
/// the highest.
const IP_LOCAL_PORT_RANGE: libc::c_int = 51;
/// From whatever the system gives to whatever it gives. A socket that names a range gets the next
/// free port; for the others Linux looks through every other port first, so once half of them are
/// taken each connect goes through 14,000 taken ones (a millisecond and more:
/// `__inet_hash_connect`).
const ALL_PORTS: libc::c_int = 0xffff_0000_u32.cast_signed();

/// Starts a connect. `Ok((fd, true))`: connected at once; `false`: wait until it is writable, then
/// [`take_error`].
pub(crate) fn connect_start(to: SocketAddr, source: Option<IpAddr>) -> io::Result<(OwnedFd, bool)> {
    let fd = stream_socket(to)?;
    // Linux before 6.3 lacks this option; then the kernel chooses ports as usual.
    let _ = set(&fd, libc::SOL_IP, IP_LOCAL_PORT_RANGE, ALL_PORTS);
    if let Some(source) = source {
        // The port is chosen at connect, by the whole four-tuple: a source address does not cost
        // the port range.
        set(&fd, libc::SOL_IP, libc::IP_BIND_ADDRESS_NO_PORT, 1)?;
        let (address, length) = to_c(SocketAddr::new(source, 0));
        // SAFETY: `address` holds `length` valid bytes during the call.
        check(unsafe { libc::bind(fd.as_raw_fd(), (&raw const address).cast(), length) })?;
    }
    let (address, length) = to_c(to);
    // SAFETY: `address` holds `length` valid bytes during the call.
    match check(unsafe { libc::connect(fd.as_raw_fd(), (&raw const address).cast(), length) }) {
        Ok(_) => Ok((fd, true)),
        Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => Ok((fd, false)),
        Err(error) => Err(error),
    }
}

/// Connects to a socket in the file system; `WouldBlock` while its queue is full.
pub(crate) fn connect_unix(path: &Path) -> io::Result<OwnedFd> {
    // SAFETY: all zeroes is a valid `sockaddr_un`.
    let mut address: libc::sockaddr_un = unsafe { zeroed() };
    let bytes = path.as_os_str().as_bytes();
    // The last byte stays zero, which ends the path.
    if bytes.len() >= address.sun_path.len() || bytes.contains(&0) {
        let why = format!("the path of a socket has at most {} bytes", address.sun_path.len() - 1);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    for (to, from) in address.sun_path.iter_mut().zip(bytes) {
        *to = from.cast_signed() as libc::c_char;
    }
    // SAFETY: no pointers; the result is a new descriptor.
    let fd = check(unsafe { libc::socket(libc::AF_UNIX, KIND, 0) })?;
    // SAFETY: `fd` was just created and has no owner.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    let length = size_of::<libc::sockaddr_un>() as libc::socklen_t;
    // SAFETY: `address` holds `length` valid bytes during the call.
    check(unsafe { libc::connect(fd.as_raw_fd(), (&raw const address).cast(), length) })?;
    Ok(fd)
}

/// A listening socket that shares its port with others of this process (SO_REUSEPORT).
pub(crate) fn listen(at: SocketAddr, backlog: i32) -> io::Result<OwnedFd> {
    let fd = stream_socket(at)?;
    set(&fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1)?;
    set(&fd, libc::SOL_SOCKET, libc::SO_REUSEPORT, 1)?;
    let (address, length) = to_c(at);
    // SAFETY: `address` holds `length` valid bytes during the call.
    check(unsafe { libc::bind(fd.as_raw_fd(), (&raw const address).cast(), length) })?;
    // SAFETY: no pointers.
    check(unsafe { libc::listen(fd.as_raw_fd(), backlog) })?;
    Ok(fd)
}

/// Whether a port can be bound by a socket that does not share it.
pub(crate) fn is_free(at: SocketAddr) -> io::Result<()> {
    std::net::TcpListener::bind(at).map(drop)
}

/// A datagram socket on a port that the system chooses, which only receives from one peer.
pub(crate) fn udp_to(peer: SocketAddr) -> io::Result<OwnedFd> {
    let here: SocketAddr =
        if peer.is_ipv4() { (Ipv4Addr::UNSPECIFIED, 0).into() } else { (Ipv6Addr::UNSPECIFIED, 0).into() };
    let socket = std::net::UdpSocket::bind(here)?;
    socket.connect(peer)?;
    socket.set_nonblocking(true)?;
    Ok(OwnedFd::from(socket))
}

/// Takes a connection from a listening socket.
pub(crate) fn accept(listener: RawFd) -> io::Result<(OwnedFd, SocketAddr)> {
    // SAFETY: all zeroes is a valid `sockaddr_storage`.
    let mut address: libc::sockaddr_storage = unsafe { zeroed() };
    let mut length = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: `address` has room for `length` bytes.
    let fd = check(unsafe { libc::accept4(listener, (&raw mut address).cast(), &raw mut length, flags) })?;
    // SAFETY: `fd` was just created and has no owner.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    // Inherited from the listener on Linux; asking again is for kernels that do not.
    prepare(&fd)?;
    Ok((fd, from_c(&address)?))
}

fn stream_socket(for_addr: SocketAddr) -> io::Result<OwnedFd> {
    let family = if for_addr.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    // SAFETY: no pointers; the result is a new descriptor.
    let fd = check(unsafe { libc::socket(family, KIND, 0) })?;
    // SAFETY: `fd` was just created and has no owner.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    prepare(&fd)?;
    Ok(fd)
}

fn prepare(fd: &impl AsRawFd) -> io::Result<()> {
    set(fd, libc::IPPROTO_TCP, libc::TCP_NODELAY, 1)
}

/// Reads tell when their last byte arrived.
pub(crate) fn stamp_receives(fd: &impl AsRawFd) -> io::Result<()> {
    set(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)
}

pub(super) fn set(
    fd: &impl AsRawFd,
    level: libc::c_int,
    option: libc::c_int,
    value: libc::c_int,
) -> io::Result<()> {
    let size = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: `value` has `size` bytes during the call.
    check(unsafe { libc::setsockopt(fd.as_raw_fd(), level, option, (&raw const value).cast(), size) })
        .map(drop)
}

/// Whether small sends go out at once, without waiting for what was sent before to be acknowledged
/// (RFC 896).
pub(crate) fn set_nodelay(fd: &impl AsRawFd, nodelay: bool) -> io::Result<()> {
    set(fd, libc::IPPROTO_TCP, libc::TCP_NODELAY, libc::c_int::from(nodelay))
}

/// Closing sends a reset instead of a FIN.
pub(crate) fn linger_zero(fd: &impl AsRawFd) -> io::Result<()> {
    let value = libc::linger { l_onoff: 1, l_linger: 0 };
    let size = size_of::<libc::linger>() as libc::socklen_t;
    let raw = fd.as_raw_fd();
    let level = libc::SOL_SOCKET;
    // SAFETY: `value` has `size` bytes during the call.
    check(unsafe { libc::setsockopt(raw, level, libc::SO_LINGER, (&raw const value).cast(), size) }).map(drop)
}

/// The pending error of a socket, which says how a connect ended.
pub(crate) fn take_error(fd: &impl AsRawFd) -> io::Result<()> {
    let mut value: libc::c_int = 0;
    let mut size = size_of::<libc::c_int>() as libc::socklen_t;
    let raw = fd.as_raw_fd();
    let level = libc::SOL_SOCKET;
    // SAFETY: `value` has room for `size` bytes.
    check(unsafe { libc::getsockopt(raw, level, libc::SO_ERROR, (&raw mut value).cast(), &raw mut size) })?;
    if value == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(value)) }
}

/// What this connection has sent so far. `struct tcp_info` of `linux/tcp.h` has both counts at
/// these places of four bytes; the C library's has only the first of them.
pub(crate) fn segments(fd: &impl AsRawFd) -> io::Result<Segments> {
    const SENT_AGAIN: usize = 100 / 4;
    const SENT: usize = 136 / 4;
    // Before Linux 4.2 the kernel fills less and the second count stays zero.
    let mut info = [0_u32; SENT + 1];
    let mut size = size_of_val(&info) as libc::socklen_t;
    let raw = fd.as_raw_fd();
    let level = libc::IPPROTO_TCP;
    // SAFETY: `info` has room for `size` bytes.
    check(unsafe { libc::getsockopt(raw, level, libc::TCP_INFO, (&raw mut info).cast(), &raw mut size) })?;
    Ok(Segments { sent: info[SENT].into(), sent_again: info[SENT_AGAIN].into() })
}

pub(crate) fn shutdown_write(fd: RawFd) -> io::Result<()> {
    // SAFETY: no pointers.
    check(unsafe { libc::shutdown(fd, libc::SHUT_WR) }).map(drop)
}

/// An argument of a system call by its number.
fn long(value: libc::c_int) -> libc::c_long {
    value.into()
}

/// Sends without blocking and without SIGPIPE.
///
/// By its number: the C library's own function is a point where a thread can be cancelled, and in a
/// process with threads it marks so before and after the call, with atomic operations. The same for
/// [`recv_stamped`]; others are called too seldom.
pub(crate) fn send(fd: RawFd, bytes: &[u8]) -> io::Result<usize> {
    let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
    let to = std::ptr::null::<libc::sockaddr>();
    // SAFETY: the slice is valid for its length during the call, and no address is passed.
    let sent = unsafe {
        libc::syscall(libc::SYS_sendto, long(fd), bytes.as_ptr(), bytes.len(), long(flags), to, 0_usize)
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent as usize) }
}

/// Looks at the next byte without taking it: `Ok(0)` is the peer's end.
pub(crate) fn peek(fd: RawFd) -> io::Result<usize> {
    let mut byte = 0u8;
    let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
    // SAFETY: one byte of room is offered, and there is one.
    let got = unsafe { libc::recv(fd, (&raw mut byte).cast(), 1, flags) };
    if got < 0 { Err(io::Error::last_os_error()) } else { Ok(got as usize) }
}

/// Receives without blocking and without a stamp.
pub(crate) fn recv(fd: RawFd, into: &mut [u8]) -> io::Result<usize> {
    let flags = libc::MSG_DONTWAIT;
    let from = std::ptr::null::<libc::sockaddr>();
    // SAFETY: the slice is valid for its length during the call, and no address is asked for.
    let got = unsafe {
        let room = (into.as_mut_ptr(), into.len());
        libc::syscall(libc::SYS_recvfrom, long(fd), room.0, room.1, long(flags), from, 0_usize)
    };
    if got < 0 { Err(io::Error::last_os_error()) } else { Ok(got as usize) }
}

/// Drops received bytes in the kernel, at most that many, without blocking and without a stamp: how
/// many there were (`man 7 tcp`, `MSG_TRUNC`).
pub(crate) fn skip(fd: RawFd, most: usize) -> io::Result<usize> {
    let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
    let nothing = std::ptr::null::<libc::sockaddr>();
    // SAFETY: with this flag the kernel writes nothing of a TCP stream, and no address is asked for.
    let got =
        unsafe { libc::syscall(libc::SYS_recvfrom, long(fd), 0_usize, most, long(flags), nothing, 0_usize) };
    if got < 0 { Err(io::Error::last_os_error()) } else { Ok(got as usize) }
}

/// Room for one control message with a `timespec`, aligned as control messages must be.
#[repr(C, align(8))]
struct Control([u8; 64]);

/// Receives without blocking: how many bytes, and the wall-clock time at which the last of them
/// reached the kernel, if it says so (`SO_TIMESTAMPNS`: the stamp of the highest byte that the call
/// returns).
pub(crate) fn recv_stamped(fd: RawFd, into: &mut [u8]) -> io::Result<(usize, Option<i64>)> {
    receive_message(fd, libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() }, 0)
}

/// [`skip`] with the time of [`recv_stamped`].
pub(crate) fn skip_stamped(fd: RawFd, most: usize) -> io::Result<(usize, Option<i64>)> {
    let nowhere = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: most };
    receive_message(fd, nowhere, libc::MSG_TRUNC)
}

/// `part` is valid for the kernel to write to, or `flags` say that it does not write.
fn receive_message(fd: RawFd, mut part: libc::iovec, flags: i32) -> io::Result<(usize, Option<i64>)> {
    let mut control = std::mem::MaybeUninit::<Control>::uninit();
    // SAFETY: all zeroes is a valid `msghdr`.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of::<Control>() as _; // its width depends on the C library
    let flags = flags | libc::MSG_DONTWAIT;
    // SAFETY: every pointer in `message` that is written to is valid for its length during the call.
    let got = unsafe { libc::syscall(libc::SYS_recvmsg, long(fd), &raw mut message, long(flags)) };
    if got < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((got as usize, stamp_of(&message)))
}

fn stamp_of(message: &libc::msghdr) -> Option<i64> {
    // SAFETY: `message` was filled by the kernel; the macro checks the length it wrote.
    let header = unsafe { libc::CMSG_FIRSTHDR(message).as_ref() }?;
    if header.cmsg_level != libc::SOL_SOCKET || header.cmsg_type != libc::SCM_TIMESTAMPNS {
        return None;
    }
    // SAFETY: a control message of this type holds a `timespec`; it may be unaligned, so it is
    // copied out.
    let stamp = unsafe { std::ptr::read_unaligned(libc::CMSG_DATA(header).cast::<libc::timespec>()) };
    Some(stamp.tv_sec * 1_000_000_000 + stamp.tv_nsec)
}

/// Switches stamps of what is sent from now on; they come on the error queue, see [`sent_stamp`].
/// Kernel documentation, networking/timestamping.
pub(crate) fn stamp_sends(fd: &impl AsRawFd, on: bool) -> io::Result<()> {
    let flags = libc::SOF_TIMESTAMPING_TX_SOFTWARE
        | libc::SOF_TIMESTAMPING_SOFTWARE
        | libc::SOF_TIMESTAMPING_OPT_TSONLY;
    set(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, if on { flags as libc::c_int } else { 0 })
}

/// Room for the control messages of a send's stamp: three `timespec`s and where it comes from.
#[repr(C, align(8))]
struct ErrorControl([u8; 256]);

/// The wall-clock time at which the kernel handed the last byte of the last stamped send to the
/// device; takes all stamps that are there.
pub(crate) fn sent_stamp(fd: RawFd) -> Option<i64> {
    let mut last = None;
    loop {
        let mut control = std::mem::MaybeUninit::<ErrorControl>::uninit();
        // SAFETY: all zeroes is a valid `msghdr`.
        let mut message: libc::msghdr = unsafe { zeroed() };
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of::<ErrorControl>() as _;
        // SAFETY: every pointer in `message` is valid for its length during the call.
        let got = unsafe { libc::recvmsg(fd, &raw mut message, libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT) };
        if got < 0 {
            return last;
        }
        last = software_stamp(&message).or(last);
    }
}

fn software_stamp(message: &libc::msghdr) -> Option<i64> {
    // SAFETY: `message` was filled by the kernel; the macro checks the length it wrote.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(message) };
    // SAFETY: the macros give null or a header within the control messages.
    while let Some(found) = unsafe { header.as_ref() } {
        if found.cmsg_level == libc::SOL_SOCKET && found.cmsg_type == libc::SCM_TIMESTAMPING {
            // SAFETY: a control message of this type holds three `timespec`s, the first of which is
            // the software's; it may be unaligned, so it is copied out.
            let stamp = unsafe { std::ptr::read_unaligned(libc::CMSG_DATA(header).cast::<libc::timespec>()) };
            return Some(stamp.tv_sec * 1_000_000_000 + stamp.tv_nsec);
        }
        // SAFETY: `header` is one of the message's.
        header = unsafe { libc::CMSG_NXTHDR(message, header) };
    }
    None
}

pub(crate) fn local_addr(fd: RawFd) -> io::Result<SocketAddr> {
    // SAFETY: a place with room for `length` bytes is handed on.
    name_of(|address, length| unsafe { libc::getsockname(fd, address, length) })
}

pub(crate) fn peer_addr(fd: RawFd) -> io::Result<SocketAddr> {
    // SAFETY: a place with room for `length` bytes is handed on.
    name_of(|address, length| unsafe { libc::getpeername(fd, address, length) })
}

fn name_of(ask: impl Fn(*mut libc::sockaddr, *mut libc::socklen_t) -> libc::c_int) -> io::Result<SocketAddr> {
    // SAFETY: all zeroes is a valid `sockaddr_storage`.
    let mut address: libc::sockaddr_storage = unsafe { zeroed() };
    let mut length = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    check(ask((&raw mut address).cast(), &raw mut length))?;
    from_c(&address)
}

fn to_c(address: SocketAddr) -> (libc::sockaddr_storage, libc::socklen_t) {
    // SAFETY: all zeroes is a valid `sockaddr_storage`.
    let mut storage: libc::sockaddr_storage = unsafe { zeroed() };
    let length = match address {
        SocketAddr::V4(v4) => {
            let to = (&raw mut storage).cast::<libc::sockaddr_in>();
            let addr = libc::in_addr { s_addr: u32::from(*v4.ip()).to_be() };
            let value = libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: v4.port().to_be(),
                sin_addr: addr,
                sin_zero: [0; 8],
            };
            // SAFETY: a storage is larger than and aligned for every kind of address.
            unsafe { to.write(value) };
            size_of::<libc::sockaddr_in>()
        }
        SocketAddr::V6(v6) => {
            let to = (&raw mut storage).cast::<libc::sockaddr_in6>();
            let value = libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            };
            // SAFETY: as above.
            unsafe { to.write(value) };
            size_of::<libc::sockaddr_in6>()
        }
    };
    (storage, length as libc::socklen_t)
}

fn from_c(storage: &libc::sockaddr_storage) -> io::Result<SocketAddr> {
    match i32::from(storage.ss_family) {
        libc::AF_INET => {
            // SAFETY: the family says that this is the kind of address that is stored.
            let v4 = unsafe { *(&raw const *storage).cast::<libc::sockaddr_in>() };
            let ip = Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr));
            Ok(SocketAddrV4::new(ip, u16::from_be(v4.sin_port)).into())
        }
        libc::AF_INET6 => {
            // SAFETY: as above.
            let v6 = unsafe { *(&raw const *storage).cast::<libc::sockaddr_in6>() };
            let ip = Ipv6Addr::from(v6.sin6_addr.s6_addr);
            Ok(SocketAddrV6::new(ip, u16::from_be(v6.sin6_port), v6.sin6_flowinfo, v6.sin6_scope_id).into())
        }
        family => Err(io::Error::other(format!("unknown address family {family}"))),
    }
}
