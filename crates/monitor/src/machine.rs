//! Figures of this machine as a whole.

use std::fs::read_to_string;
use std::sync::Arc;

use swell_stats::Reading;
use swell_stats::reading::Known;

use crate::kernel::{Processors, column, line_number, socket_count};
use crate::rise::Rises;

/// Counts of `/proc/net/netstat` that tell of a listener.
const TURNED_AWAY: [(&str, Known); 3] = [
    ("ListenOverflows", Known::ListenOverflows),
    ("ListenDrops", Known::ListenDrops),
    ("TCPReqQFullDrop", Known::HandshakesDropped),
];

/// Observes the machine.
pub(crate) struct MachineLook {
    source: Arc<str>,
    processors: Option<Processors>,
    rises: Rises<Known>,
}

impl MachineLook {
    pub(crate) fn new() -> Self {
        Self { source: "machine".into(), processors: None, rises: Rises::default() }
    }

    /// The figures since the last look.
    pub(crate) fn look(&mut self, at_s: f64) -> Vec<Reading> {
        let mut found = Vec::new();
        let seconds = self.rises.begin(at_s);
        let mut add = |known, value| {
            found.push(Reading::new(&self.source, known, value, seconds.unwrap_or(1.0)));
        };
        let text = |path| read_to_string(path).unwrap_or_default();
        if let Some(now) = Processors::read(&text("/proc/stat")) {
            add(Known::Processors, now.count as f64);
            // The thread that looks is one of them.
            add(Known::RunQueue, now.running.saturating_sub(1) as f64);
            if let Some(last) = self.processors.replace(now) {
                shares(&last, &now, &mut add);
            }
        }
        if let Some(load) = text("/proc/loadavg").split_whitespace().next().and_then(|load| load.parse().ok())
        {
            add(Known::LoadAverage, load);
        }
        let memory = text("/proc/meminfo");
        let of = |name| line_number(&memory, name).map(|kib| kib as f64 * 1024.0);
        if let (Some(total), Some(available)) = (of("MemTotal"), of("MemAvailable")) {
            add(Known::MachineMemoryUsed, total - available);
            add(Known::MachineMemoryTotal, total);
        }
        if let Some(waits) = socket_count(&text("/proc/self/net/sockstat"), "TCP", "tw") {
            add(Known::TimeWait, waits as f64);
        }
        // The counts of this process, since a container has separate counts.
        let netstat = text("/proc/self/net/netstat");
        let snmp = text("/proc/self/net/snmp");
        let turned_away = TURNED_AWAY.iter().map(|(name, known)| (column(&netstat, "TcpExt:", name), *known));
        let again = [(column(&snmp, "Tcp:", "RetransSegs"), Known::Retransmits)];
        for (count, known) in turned_away.chain(again) {
            if let Some(per_s) = count.and_then(|count| self.rises.per_s(known, count as f64)) {
                add(known, per_s);
            }
        }
        found
    }
}

fn shares(last: &Processors, now: &Processors, add: &mut impl FnMut(Known, f64)) {
    let passed = now.all().saturating_sub(last.all());
    if passed == 0 {
        return;
    }
    let mut share = |known, what: fn(&Processors) -> u64| {
        add(known, what(now).saturating_sub(what(last)) as f64 / passed as f64);
    };
    share(Known::MachineUser, |ticks| ticks.user);
    share(Known::MachineSystem, |ticks| ticks.system);
    share(Known::MachineIoWait, |ticks| ticks.io_wait);
    share(Known::MachineSteal, |ticks| ticks.steal);
    share(Known::MachineIdle, |ticks| ticks.idle);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_processors_sum_to_one() {
        let at = |user, idle| Processors { user, idle, system: 5, count: 2, ..Processors::default() };
        let mut found = Vec::new();
        shares(&at(10, 100), &at(40, 190), &mut |known, value| found.push((known, value)));
        let of = |known| found.iter().find(|(name, _)| *name == known).map(|(_, value)| *value);
        assert_eq!((of(Known::MachineUser), of(Known::MachineIdle)), (Some(0.25), Some(0.75)));
        assert!((found.iter().map(|(_, value)| value).sum::<f64>() - 1.0).abs() < 1e-12);
        found.clear();
        shares(&at(10, 100), &at(10, 100), &mut |known, value| found.push((known, value)));
        assert_eq!(found, [], "no tick has passed");
    }

    #[test]
    fn this_machine_has_figures() {
        let mut machine = MachineLook::new();
        assert!(Reading::mean_of(&machine.look(1.0), Known::Processors).is_some_and(|count| count >= 1.0));
        let second = machine.look(2.0);
        for known in [Known::RunQueue, Known::MachineMemoryUsed, Known::ListenDrops] {
            assert!(Reading::mean_of(&second, known).is_some_and(|value| value >= 0.0), "{known:?}");
        }
    }
}
