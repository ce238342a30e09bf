//! TCP counts of this machine during a test, from all programs: retransmitted segments, and
//! connections that listeners dropped.

use std::fs::read_to_string;

use swell_monitor::kernel::column;
use swell_stats::verdict::MachineTcp;

/// Counts of the kernel, in total or between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tcp {
    /// Segments sent.
    pub(crate) sent: u64,
    /// Segments sent again.
    pub(crate) sent_again: u64,
    /// Connections asked for from here.
    pub(crate) opened: u64,
    /// What listeners of this machine dropped because a queue of theirs was full: first segments of
    /// connections, and the last of a handshake with what follows it (`ListenDrops`;
    /// `ListenOverflows` and `TCPReqQFullDrop` are part of that). Each is sent again once.
    pub(crate) turned_away: u64,
}

impl Tcp {
    /// None where the kernel does not say.
    pub(crate) fn of_this_machine() -> Option<Self> {
        // The counts of this process, since a container has separate counts.
        let snmp = read_to_string("/proc/self/net/snmp").ok()?;
        let netstat = read_to_string("/proc/self/net/netstat").unwrap_or_default();
        Self::read(&snmp, &netstat)
    }

    fn read(snmp: &str, netstat: &str) -> Option<Self> {
        let tcp = |name| column(snmp, "Tcp:", name);
        Some(Self {
            sent: tcp("OutSegs")?,
            sent_again: tcp("RetransSegs")?,
            opened: tcp("ActiveOpens")?,
            // Old kernels without these counts turn away in silence.
            turned_away: column(netstat, "TcpExt:", "ListenDrops").unwrap_or(0),
        })
    }

    /// As the verdict has it.
    pub(crate) fn hint(&self) -> MachineTcp {
        let Self { sent, sent_again, opened, turned_away } = *self;
        MachineTcp { opened, sent, sent_again, dropped_by_listeners: turned_away }
    }

    /// What happened since.
    pub(crate) fn since(&self, first: &Self) -> Self {
        let passed = |count: fn(&Self) -> u64| count(self).saturating_sub(count(first));
        Self {
            sent: passed(|tcp| tcp.sent),
            sent_again: passed(|tcp| tcp.sent_again),
            opened: passed(|tcp| tcp.opened),
            turned_away: passed(|tcp| tcp.turned_away),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_kernel_are_read() {
        let snmp = "Ip: A\nIp: 1\nTcp: ActiveOpens OutSegs RetransSegs\nTcp: 5 1000 10\n";
        let netstat =
            "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 0 7 8\nIpExt: A\nIpExt: 1\n";
        let read = Tcp { sent: 1000, sent_again: 10, opened: 5, turned_away: 8 };
        assert_eq!(Tcp::read(snmp, netstat), Some(read));
        assert_eq!(Tcp::read(snmp, ""), Some(Tcp { turned_away: 0, ..read }));
        assert_eq!(Tcp::read("Tcp: OutSegs\n", netstat), None);
    }

    #[test]
    fn counts_are_those_between_two_looks() {
        let first = Tcp { sent: 1000, sent_again: 10, opened: 5, turned_away: 8 };
        let now = Tcp { sent: 3000, sent_again: 107, opened: 205, turned_away: 105 };
        assert_eq!(now.since(&first), Tcp { sent: 2000, sent_again: 97, opened: 200, turned_away: 97 });
    }
}
