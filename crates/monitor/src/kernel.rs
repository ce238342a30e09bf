//! Parses the contents of files of `/proc`; no file is opened here.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A count of `/proc/net/snmp` or `/proc/net/netstat`: the first line of a kind has the names, the
/// second the numbers.
pub fn column(text: &str, kind: &str, wanted: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(kind));
    let names = lines.next()?;
    let numbers = lines.next()?;
    let place = names.split_whitespace().position(|name| name == wanted)?;
    numbers.split_whitespace().nth(place)?.parse().ok()
}

/// A TCP socket of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpSocket {
    /// Its address on this machine.
    pub local: SocketAddr,
    /// Its state, as the kernel numbers them (`net/tcp_states.h`).
    pub state: u8,
    /// Bytes that wait for the process; of a listener, connections that it has not accepted.
    pub waiting: u32,
    /// The user who created it.
    pub user: u32,
    /// What `/proc/PID/fd` shows of it.
    pub inode: u64,
    /// Segments that a listener dropped since its start, as a queue of its connections was full
    /// (`sk_drops`; it wraps around). None for other sockets, and where the kernel does not say.
    pub dropped: Option<u32>,
}

impl TcpSocket {
    /// States of `net/tcp_states.h`.
    pub const ESTABLISHED: u8 = 1;
    /// A handshake that the other side began.
    pub const SYN_RECEIVED: u8 = 3;
    /// Closed, and kept so that late segments find it.
    pub const TIME_WAIT: u8 = 6;
    /// Closed by the other side.
    pub const CLOSE_WAIT: u8 = 8;
    /// A listener.
    pub const LISTEN: u8 = 10;
    /// A handshake, as newer kernels keep them.
    pub const NEW_SYN_RECEIVED: u8 = 12;

    /// The port of a line's own address: what tells the lines that matter from the others, at a
    /// twentieth of the cost of the rest.
    pub(crate) fn port_of_line(line: &str) -> Option<u16> {
        let mut colons = line.bytes().enumerate().filter(|(_, byte)| *byte == b':').map(|(at, _)| at);
        let (_, colon) = (colons.next()?, colons.next()?);
        u16::from_str_radix(line.get(colon + 1..colon + 5)?, 16).ok()
    }

    /// The socket of a line such as `0: 0100007F:1F90 00000000:0000 0A 00000000:00000003
    /// 00:00000000 00000000  0  0 24 1 …`.
    pub fn of_line(line: &str) -> Option<Self> {
        let mut columns = line.split_whitespace().skip(1);
        let local = columns.next()?;
        let state = columns.nth(1)?;
        let queues = columns.next()?;
        let (ip, port) = local.split_once(':')?;
        Some(Self {
            local: SocketAddr::new(address(ip)?, u16::from_str_radix(port, 16).ok()?),
            state: u8::from_str_radix(state, 16).ok()?,
            waiting: u32::from_str_radix(queues.split_once(':')?.1, 16).ok()?,
            user: columns.nth(2)?.parse().ok()?,
            inode: columns.nth(1)?.parse().ok()?,
            dropped: None,
        })
    }
}

/// 32-bit values in this machine's byte order, each in hexadecimal.
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

/// Time of all processors in ticks, and the running threads: `/proc/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Processors {
    pub(crate) user: u64,
    pub(crate) system: u64,
    pub(crate) idle: u64,
    pub(crate) io_wait: u64,
    pub(crate) steal: u64,
    /// That part of `system` which interrupts took, and no process.
    pub(crate) interrupts: u64,
    /// Processors.
    pub(crate) count: u64,
    /// Threads that run or could.
    pub(crate) running: u64,
}

impl Processors {
    pub(crate) fn read(stat: &str) -> Option<Self> {
        let mut found = Self::default();
        for line in stat.lines() {
            let Some((name, rest)) = line.split_once(' ') else { continue };
            let numbers = || rest.split_whitespace().map_while(|number| number.parse::<u64>().ok());
            if name == "cpu" {
                let ticks: Vec<_> = numbers().take(8).collect();
                let [user, nice, system, idle, io_wait, irq, softirq, steal] = ticks.try_into().ok()?;
                let interrupts = irq + softirq;
                let user = user + nice;
                let system = system + interrupts;
                found = Self { user, system, idle, io_wait, steal, interrupts, ..found };
            } else if name.starts_with("cpu") {
                found.count += 1;
            } else if name == "procs_running" {
                found.running = numbers().next()?;
            }
        }
        (found.count > 0).then_some(found)
    }

    /// What processes took.
    pub(crate) fn of_processes(&self) -> u64 {
        self.user + self.system - self.interrupts
    }

    pub(crate) fn all(&self) -> u64 {
        self.user + self.system + self.idle + self.io_wait + self.steal
    }
}

/// A process, as in `/proc/PID/stat`. Times are in ticks, memory in pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProcessStat {
    pub(crate) name: String,
    pub(crate) parent: u32,
    pub(crate) ticks: u64,
    /// Those of children that have ended and that it has waited for.
    pub(crate) children_ticks: u64,
    pub(crate) threads: u64,
    /// Tells a process from a later one of the same number.
    pub(crate) started: u64,
    pub(crate) resident_pages: u64,
}

impl ProcessStat {
    pub(crate) fn read(stat: &str) -> Option<Self> {
        // The name is any text, parentheses as well.
        let from = stat.find('(')?;
        let to = stat.rfind(')')?;
        let rest: Vec<_> = stat.get(to + 1..)?.split_whitespace().collect();
        let number = |place: usize| rest.get(place).and_then(|text| text.parse::<u64>().ok());
        Some(Self {
            name: stat.get(from + 1..to)?.to_owned(),
            parent: u32::try_from(number(1)?).ok()?,
            ticks: number(11)?.saturating_add(number(12)?),
            children_ticks: number(13)?.saturating_add(number(14)?),
            threads: number(17)?,
            started: number(19)?,
            resident_pages: number(21)?,
        })
    }
}

/// The number in a line `Name:   12 kB` of `/proc/meminfo` and `/proc/PID/status`.
pub(crate) fn line_number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The soft limit of a line of `/proc/PID/limits`; none where there is none.
pub(crate) fn soft_limit(limits: &str, name: &str) -> Option<u64> {
    limits.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// A number of `/proc/net/sockstat`, such as `inuse` of `TCP`.
pub(crate) fn socket_count(sockstat: &str, kind: &str, wanted: &str) -> Option<u64> {
    let line = sockstat.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(':'))?;
    let mut words = line.split_whitespace();
    words.find(|word| *word == wanted)?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_tables_are_read_by_name() {
        let netstat =
            "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 0 7 8\nIpExt: A\nIpExt: 1\n";
        assert_eq!(column(netstat, "TcpExt:", "ListenDrops"), Some(8));
        assert_eq!((column(netstat, "TcpExt:", "None"), column("", "TcpExt:", "None")), (None, None));
        let sockstat = "sockets: used 12\nTCP: inuse 5 orphan 0 tw 3 alloc 9 mem 2\nTCP6: x\n";
        assert_eq!(socket_count(sockstat, "TCP", "tw"), Some(3));
        assert_eq!(socket_count(sockstat, "TCP6", "inuse"), None);
    }

    #[test]
    fn sockets_are_read() {
        if cfg!(target_endian = "little") {
            let v4 = "   0: 0100007F:1F90 00000000:0000 0A 00000000:0000000B 00:00000000 00000000  33        0 4711 1 0 100";
            let read = TcpSocket::of_line(v4).expect("a socket");
            assert_eq!((read.local.to_string().as_str(), read.state), ("127.0.0.1:8080", TcpSocket::LISTEN));
            assert_eq!((read.waiting, read.user, read.inode), (11, 33, 4711));
            assert_eq!(TcpSocket::port_of_line(v4), Some(8080));
            let v6 = "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 01 00000000:00000000 02:0 0 0 0 5";
            assert_eq!(TcpSocket::of_line(v6).expect("a socket").local.to_string(), "[::1]:80");
            assert_eq!(TcpSocket::port_of_line(v6), Some(80));
        }
        assert_eq!(TcpSocket::of_line("  sl  local_address rem_address   st tx_queue rx_queue"), None);
        assert_eq!(TcpSocket::of_line(""), None);
        assert_eq!((TcpSocket::port_of_line(""), TcpSocket::port_of_line("0: :12")), (None, None));
    }

    #[test]
    fn processors_and_processes_are_read() {
        let stat = "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2\ncpu1 1 2\nintr 5 6\nprocs_running 3\n";
        let read = Processors::read(stat).expect("processors");
        assert_eq!((read.user, read.system, read.idle, read.io_wait, read.steal), (3, 16, 4, 5, 8));
        assert_eq!((read.all(), read.count, read.running), (36, 2, 3));
        assert_eq!((read.interrupts, read.of_processes()), (13, 6));
        assert_eq!(Processors::read("cpu 1 2\n"), None);
        let stat = "42 (a) b) (c) S 7 42 42 0 -1 4194560 1 0 0 0 30 12 7 9 20 0 5 0 9876 1000 250 1844";
        let want = ProcessStat {
            name: "a) b) (c".to_owned(),
            parent: 7,
            ticks: 42,
            children_ticks: 16,
            threads: 5,
            started: 9876,
            resident_pages: 250,
        };
        assert_eq!(ProcessStat::read(stat), Some(want));
        assert_eq!((ProcessStat::read("42 (a"), ProcessStat::read(") (")), (None, None));
    }

    #[test]
    fn limits_are_numbers_or_none() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \nMax processes             63000                unlimited            processes \nMax open files            unlimited            unlimited            files     \n";
        assert_eq!(soft_limit(limits, "Max processes"), Some(63_000));
        assert_eq!(soft_limit(limits, "Max open files"), None);
        assert_eq!(line_number("MemTotal:   100 kB\nMemAvailable: 25 kB\n", "MemAvailable"), Some(25));
    }
}
