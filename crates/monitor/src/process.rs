//! Figures of one or several processes with their children.

use std::collections::{HashMap, HashSet};
use std::fs::{metadata, read_dir, read_to_string};
use std::sync::Arc;

use swell_stats::Reading;
use swell_stats::reading::Known;

use crate::jvm::JvmLook;
use crate::kernel::{TcpSocket, soft_limit};
use crate::processes::{Processes, stat_of};
use crate::sockets;

/// How often processes are searched again: children come and go, and servers restart.
const SEARCH_EACH_S: f64 = 5.0;

/// Selects the watched processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessSelector {
    Pid(u32),
    /// A Java process that must have its counters.
    Jvm(u32),
    Port(u16),
}

/// Observes processes.
pub(crate) struct ProcessLook {
    pub(crate) who: ProcessSelector,
    pub(crate) source: Arc<str>,
    searched_s: Option<f64>,
    found: ProcessSearch,
    /// Ticks of each process at the last look, with its start.
    ticks: HashMap<u32, (u64, u64)>,
    looked_s: Option<f64>,
    jvms: Vec<JvmLook>,
}

/// What a search found.
#[derive(Default)]
struct ProcessSearch {
    roots: Vec<u32>,
    pids: Vec<u32>,
    ports: HashSet<u16>,
    user_threads: u64,
    thread_limit: Option<u64>,
    descriptor_limit: Option<u64>,
    /// The folder of its control group's number of threads.
    group: Option<String>,
}

impl ProcessLook {
    pub(crate) fn new(who: ProcessSelector) -> Self {
        let source = match who {
            ProcessSelector::Pid(pid) => format!("pid {pid}"),
            ProcessSelector::Jvm(pid) => format!("jvm {pid}"),
            ProcessSelector::Port(port) => format!("port {port}"),
        };
        Self {
            who,
            source: source.into(),
            searched_s: None,
            found: ProcessSearch::default(),
            ticks: HashMap::new(),
            looked_s: None,
            jvms: Vec::new(),
        }
    }

    /// The figures since the last look.
    ///
    /// # Errors
    /// The process does not exist (any more), or this user may not look at it.
    pub(crate) fn look(&mut self, at_s: f64) -> Result<Vec<Reading>, String> {
        let is_gone = self.found.roots.iter().all(|pid| stat_of(*pid).is_none());
        let is_due = self.searched_s.is_none_or(|last_s| at_s - last_s >= SEARCH_EACH_S);
        // If it does not come back, a search each second would be costly.
        if is_due || is_gone && !self.found.roots.is_empty() {
            self.searched_s = Some(at_s);
            self.search()?;
        }
        if self.found.roots.is_empty() {
            return Err(self.missing());
        }
        let seconds = self.looked_s.map(|last_s| at_s - last_s).filter(|seconds| *seconds > 0.0);
        self.looked_s = Some(at_s);
        let mut found = Vec::new();
        self.processes(seconds, &mut found);
        self.limits(seconds.unwrap_or(1.0), &mut found);
        self.sockets(seconds.unwrap_or(1.0), &mut found);
        for jvm in &mut self.jvms {
            // One that has just ended is noticed by the next search.
            let readings = jvm.look(&self.source, at_s).unwrap_or_default();
            Reading::merge(&mut found, &readings);
        }
        Ok(found)
    }

    /// Whether it looks at what listens at this port already.
    pub(crate) fn watches(&self, port: u16) -> bool {
        self.who == ProcessSelector::Port(port) || self.found.ports.contains(&port)
    }

    fn missing(&self) -> String {
        match self.who {
            ProcessSelector::Pid(pid) | ProcessSelector::Jvm(pid) => format!("no process has pid {pid}"),
            ProcessSelector::Port(port) => format!("no process on this machine listens on port {port}"),
        }
    }

    fn search(&mut self) -> Result<(), String> {
        let all = Processes::now();
        let before = std::mem::take(&mut self.found);
        let roots = match self.who {
            ProcessSelector::Pid(pid) | ProcessSelector::Jvm(pid) => vec![pid],
            ProcessSelector::Port(port) => {
                let at = sockets::listeners().into_iter().filter(|socket| socket.local.port() == port);
                let inodes: HashSet<_> = at.map(|socket| socket.inode).collect();
                if inodes.is_empty() {
                    return Err(self.missing());
                }
                let owners = all.owners(&inodes);
                if owners.is_empty() {
                    return Err(format!(
                        "the process that listens on port {port} belongs to another user: run as \
                        that user or as root"
                    ));
                }
                owners
            }
        };
        let pids = all.with_children(&roots);
        let roots: Vec<_> = roots.into_iter().filter(|pid| pids.contains(pid)).collect();
        let Some(first) = roots.first().copied() else { return Err(self.missing()) };
        let limits = read_to_string(format!("/proc/{first}/limits")).unwrap_or_default();
        let number = |path| read_to_string(path).ok().and_then(|text| text.trim().parse().ok());
        let machine_limits = ["/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"];
        let thread_limits = machine_limits.into_iter().filter_map(number);
        self.found = ProcessSearch {
            user_threads: all.0.get(&first).map_or(0, |process| all.threads_of(process.user)),
            thread_limit: thread_limits.chain(soft_limit(&limits, "Max processes")).min(),
            descriptor_limit: soft_limit(&limits, "Max open files"),
            group: group_of(first),
            ports: if before.pids == pids { before.ports } else { self.ports_of(&pids) },
            roots,
            pids,
        };
        if before.roots != self.found.roots {
            self.jvms = self.found.pids.iter().filter_map(|pid| JvmLook::of(*pid)).collect();
            if let (ProcessSelector::Jvm(pid), true) = (self.who, self.jvms.is_empty()) {
                self.found.roots.clear();
                return Err(format!(
                    "process {pid} has no JVM counters that this user may read: it is not a JVM, \
                    runs with -XX:-UsePerfData, or belongs to another user"
                ));
            }
        }
        Ok(())
    }

    fn ports_of(&self, pids: &[u32]) -> HashSet<u16> {
        if let ProcessSelector::Port(port) = self.who {
            return HashSet::from([port]);
        }
        let own: HashSet<u64> = pids.iter().filter_map(|pid| sockets::sockets_of(*pid)).flatten().collect();
        let listeners = sockets::listeners().into_iter().filter(|socket| own.contains(&socket.inode));
        listeners.map(|socket| socket.local.port()).collect()
    }

    fn processes(&mut self, seconds: Option<f64>, found: &mut Vec<Reading>) {
        let mut ticks = 0;
        let mut threads = 0;
        let mut pages = 0;
        let mut processes = 0_u32;
        let mut descriptors: Option<u64> = None;
        let mut now = HashMap::new();
        for pid in &self.found.pids {
            let Some(stat) = stat_of(*pid) else { continue };
            let before = self.ticks.get(pid).filter(|(started, _)| *started == stat.started);
            // When a process appeared since the last look, its start is unknown.
            let last = before.map_or(stat.ticks, |(_, ticks)| *ticks);
            ticks += stat.ticks.saturating_sub(last);
            threads += stat.threads;
            pages += stat.resident_pages;
            processes += 1;
            descriptors = descriptors.max(descriptors_of(*pid));
            now.insert(*pid, (stat.started, stat.ticks));
        }
        let is_new = self.ticks.is_empty();
        self.ticks = now;
        let mut add =
            |known, value| found.push(Reading::new(&self.source, known, value, seconds.unwrap_or(1.0)));
        if let Some(seconds) = seconds.filter(|_| !is_new) {
            let per_s = rustix::param::clock_ticks_per_second() as f64;
            add(Known::ProcessCpu, ticks as f64 / per_s / seconds);
        }
        add(Known::Processes, f64::from(processes));
        add(Known::Threads, threads as f64);
        add(Known::ProcessMemory, pages as f64 * rustix::param::page_size() as f64);
        if let Some(count) = descriptors {
            add(Known::Descriptors, count as f64);
        }
    }

    fn limits(&self, seconds: f64, found: &mut Vec<Reading>) {
        let mut add = |known, value: Option<u64>| {
            found.extend(value.map(|value| Reading::new(&self.source, known, value as f64, seconds)));
        };
        add(Known::UserThreads, Some(self.found.user_threads));
        add(Known::UserThreadLimit, self.found.thread_limit);
        add(Known::DescriptorLimit, self.found.descriptor_limit);
        if let Some(group) = &self.found.group {
            let number = |file| read_to_string(format!("{group}/{file}")).ok()?.trim().parse().ok();
            let limit = number("pids.max");
            add(Known::GroupThreads, number("pids.current").filter(|_| limit.is_some()));
            add(Known::GroupThreadLimit, limit);
        }
    }

    fn sockets(&self, seconds: f64, found: &mut Vec<Reading>) {
        let ports = &self.found.ports;
        if ports.is_empty() {
            return;
        }
        let mut add = |known, value: u64| {
            found.push(Reading::new(&self.source, known, value as f64, seconds));
        };
        let is_its = |socket: &TcpSocket| ports.contains(&socket.local.port());
        let queues = sockets::listeners().into_iter().filter(is_its).map(|socket| u64::from(socket.waiting));
        add(Known::AcceptQueue, queues.sum());
        if sockets::are_countable() {
            for (known, count) in sockets::states_of(ports) {
                add(known, count);
            }
        }
    }
}

/// Open descriptors. Newer kernels say the number as the size of the folder (6.2), older ones want
/// it to be read.
fn descriptors_of(pid: u32) -> Option<u64> {
    let folder = format!("/proc/{pid}/fd");
    match metadata(&folder).ok()?.len() {
        0 => Some(read_dir(&folder).ok()?.count() as u64),
        count => Some(count),
    }
}

/// The file where the control group of a process counts threads: of a separate hierarchy in version
/// 1, of the only one in version 2.
fn group_of(pid: u32) -> Option<String> {
    let groups = read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    let folders = groups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let controllers = parts.next()?;
        let path = parts.next()?.trim_end_matches('/');
        if controllers.is_empty() {
            return Some(format!("/sys/fs/cgroup{path}"));
        }
        let is_its = controllers.split(',').any(|controller| controller == "pids");
        is_its.then(|| format!("/sys/fs/cgroup/pids{path}"))
    });
    folders.into_iter().find(|folder| metadata(format!("{folder}/pids.max")).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn of(all: &[Reading], known: Known) -> Option<f64> {
        Reading::mean_of(all, known)
    }

    #[test]
    fn a_process_has_figures_and_those_of_time_from_the_second_look_on() {
        let server = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = server.local_addr().expect("bound").port();
        for who in [ProcessSelector::Pid(std::process::id()), ProcessSelector::Port(port)] {
            let mut look = ProcessLook::new(who);
            let first = look.look(1.0).expect("it is this process");
            assert_eq!(of(&first, Known::ProcessCpu), None);
            for known in [
                Known::Threads,
                Known::ProcessMemory,
                Known::Descriptors,
                Known::UserThreads,
                Known::UserThreadLimit,
            ] {
                assert!(of(&first, known).is_some_and(|value| value >= 1.0), "{who:?} {known:?} {first:?}");
            }
            assert!(of(&first, Known::AcceptQueue).is_some() && of(&first, Known::Established).is_some());
            assert!(of(&look.look(2.0).expect("again"), Known::ProcessCpu).is_some_and(|cpu| cpu >= 0.0));
        }
    }

    #[test]
    fn who_is_not_there_is_told() {
        let server = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = server.local_addr().expect("bound").port();
        drop(server);
        let told = |who| ProcessLook::new(who).look(1.0).expect_err("it is not there");
        assert_eq!(
            told(ProcessSelector::Port(port)),
            format!("no process on this machine listens on port {port}")
        );
        assert_eq!(told(ProcessSelector::Pid(4_000_000_000)), "no process has pid 4000000000");
        assert!(told(ProcessSelector::Jvm(std::process::id())).contains("no JVM counters"));
    }
}
