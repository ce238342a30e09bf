//! TCP sockets of this machine: listeners and their processes, and the states of connections.

use std::collections::HashSet;
use std::fs::{File, read_dir, read_link, read_to_string};
use std::io::{BufRead, BufReader};

use swell_stats::reading::Known;

use crate::kernel::{TcpSocket, socket_count};
use crate::sock_diag::each_socket;

const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/// With more sockets than this, connections are not counted by state: the kernel reports each one.
const MOST_COUNTED: u64 = 20_000;

/// Sockets of this machine that listen.
pub fn listeners() -> Vec<TcpSocket> {
    let mut found = Vec::new();
    match each_socket(&[TcpSocket::LISTEN], |socket| found.push(socket)) {
        Ok(()) => found,
        // Where netlink is closed to this process, the tables are open to it.
        Err(_) => listeners_in_tables(),
    }
}

fn listeners_in_tables() -> Vec<TcpSocket> {
    TABLES.into_iter().flat_map(listeners_in).collect()
}

/// They come before all connections in a table, of which there may be very many.
fn listeners_in(path: &str) -> Vec<TcpSocket> {
    let is_listener = |socket: &TcpSocket| socket.state == TcpSocket::LISTEN;
    let lines = lines_of(path).map_while(|line| TcpSocket::of_line(&line).filter(is_listener));
    lines.collect()
}

/// The lines of a table without its head; none of a kernel without IPv6.
fn lines_of(path: &str) -> impl Iterator<Item = String> {
    let file = File::open(path).ok().map(BufReader::new);
    file.into_iter().flat_map(|file| file.lines().skip(1).map_while(Result::ok))
}

/// Inodes of the sockets that a process has open. None if this user may not look.
pub(crate) fn sockets_of(pid: u32) -> Option<HashSet<u64>> {
    let entries = read_dir(format!("/proc/{pid}/fd")).ok()?.filter_map(Result::ok);
    let inode = |entry: std::fs::DirEntry| {
        let target = read_link(entry.path()).ok()?;
        target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    };
    Some(entries.filter_map(inode).collect())
}

/// Whether few enough sockets are there to count them one by one.
pub(crate) fn are_countable() -> bool {
    let all = |path, kind, words: &[&str]| {
        let text = read_to_string(path).unwrap_or_default();
        words.iter().filter_map(|word| socket_count(&text, kind, word)).sum::<u64>()
    };
    // Connections that wait for late segments count with those of IPv4.
    let four = all("/proc/self/net/sockstat", "TCP", &["inuse", "tw"]);
    four + all("/proc/self/net/sockstat6", "TCP6", &["inuse"]) <= MOST_COUNTED
}

/// Connections of these ports by their states.
pub(crate) fn states_of(ports: &HashSet<u16>) -> [(Known, u64); 3] {
    let mut counted = States::default();
    let told = each_socket(&States::ALL, |socket| counted.count(&socket, ports));
    if told.is_err() {
        counted = states_in_tables(ports);
    }
    let States { established, close_wait, handshakes } = counted;
    [(Known::Established, established), (Known::CloseWait, close_wait), (Known::Handshakes, handshakes)]
}

fn states_in_tables(ports: &HashSet<u16>) -> States {
    let mut counted = States::default();
    for line in TABLES.into_iter().flat_map(lines_of) {
        // The rest of a line costs twenty times as much.
        if TcpSocket::port_of_line(&line).is_some_and(|port| ports.contains(&port))
            && let Some(socket) = TcpSocket::of_line(&line)
        {
            counted.count(&socket, ports);
        }
    }
    counted
}

/// How many connections are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct States {
    established: u64,
    close_wait: u64,
    handshakes: u64,
}

impl States {
    const ALL: [u8; 4] =
        [TcpSocket::ESTABLISHED, TcpSocket::CLOSE_WAIT, TcpSocket::SYN_RECEIVED, TcpSocket::NEW_SYN_RECEIVED];

    fn count(&mut self, socket: &TcpSocket, ports: &HashSet<u16>) {
        match socket.state {
            _ if !ports.contains(&socket.local.port()) => {}
            TcpSocket::ESTABLISHED => self.established += 1,
            TcpSocket::CLOSE_WAIT => self.close_wait += 1,
            TcpSocket::SYN_RECEIVED | TcpSocket::NEW_SYN_RECEIVED => self.handshakes += 1,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_listener_its_owner_and_its_queue_are_found() {
        let server = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let at = server.local_addr().expect("bound");
        let client = TcpStream::connect(at).expect("it listens");
        let found = listeners().into_iter().find(|socket| socket.local == at).expect("it is in the table");
        assert_eq!(found.waiting, 1, "one that was not accepted");
        let in_tables = TcpSocket { dropped: None, ..found };
        assert!(listeners_in_tables().contains(&in_tables), "as the kernel's tables have it");
        assert!(sockets_of(std::process::id()).expect("mine").contains(&found.inode));
        let ports = HashSet::from([at.port()]);
        assert_eq!(states_of(&ports)[0], (Known::Established, 1));
        let accepted = server.accept().expect("it waits");
        assert_eq!(
            listeners().into_iter().find(|socket| socket.local == at).map(|socket| socket.waiting),
            Some(0)
        );
        drop(client);
        // The kernel hands the end over at once on loopback.
        assert_eq!(states_of(&ports)[..2], [(Known::Established, 0), (Known::CloseWait, 1)]);
        assert_eq!(states_in_tables(&ports), States { close_wait: 1, ..States::default() });
        drop((server, accepted));
        assert!(sockets_of(u32::MAX).is_none());
    }
}
