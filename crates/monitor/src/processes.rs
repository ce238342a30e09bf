//! All processes of this machine: parents and children, and the number of threads of a user.

use std::collections::{HashMap, HashSet};
use std::fs::{metadata, read_dir, read_to_string};
use std::os::unix::fs::MetadataExt as _;

use crate::kernel::ProcessStat;
use crate::sockets;

/// A process.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) user: u32,
    pub(crate) stat: ProcessStat,
}

/// A list of all processes at one time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Processes(pub(crate) HashMap<u32, Process>);

/// A process now; none if no process has that number.
pub(crate) fn stat_of(pid: u32) -> Option<ProcessStat> {
    ProcessStat::read(&read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

impl Processes {
    /// Looks at all that this user may see.
    pub(crate) fn now() -> Self {
        let entries = read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let one = |pid: u32| {
            let user = metadata(format!("/proc/{pid}")).ok()?.uid();
            Some((pid, Process { user, stat: stat_of(pid)? }))
        };
        Self(pids.filter_map(one).collect())
    }

    /// These and all that they started, and so on.
    pub(crate) fn with_children(&self, roots: &[u32]) -> Vec<u32> {
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for (pid, process) in &self.0 {
            children.entry(process.stat.parent).or_default().push(*pid);
        }
        let mut found = Vec::new();
        let mut known = HashSet::new();
        let mut waiting: Vec<_> = roots.iter().copied().filter(|pid| self.0.contains_key(pid)).collect();
        while let Some(pid) = waiting.pop() {
            if known.insert(pid) {
                found.push(pid);
                waiting.extend(children.get(&pid).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found
    }

    /// Threads of all processes of a user.
    pub(crate) fn threads_of(&self, user: u32) -> u64 {
        self.0.values().filter(|process| process.user == user).map(|process| process.stat.threads).sum()
    }

    /// The processes that have one of these sockets open, without their descendants.
    pub(crate) fn owners(&self, inodes: &HashSet<u64>) -> Vec<u32> {
        let has = |pid: u32| sockets::sockets_of(pid).is_some_and(|own| !own.is_disjoint(inodes));
        let owners: HashSet<u32> = self.0.keys().copied().filter(|pid| has(*pid)).collect();
        let is_child =
            |pid: &u32| self.0.get(pid).is_some_and(|process| owners.contains(&process.stat.parent));
        let mut found: Vec<_> = owners.iter().copied().filter(|pid| !is_child(pid)).collect();
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_of_children_belong_to_it_and_threads_are_summed_a_user() {
        let process = |parent, user, threads| Process {
            user,
            stat: ProcessStat {
                name: String::new(),
                parent,
                ticks: 0,
                children_ticks: 0,
                threads,
                started: 1,
                resident_pages: 0,
            },
        };
        let all = [
            (1, process(0, 0, 1)),
            (5, process(1, 7, 2)),
            (6, process(5, 7, 3)),
            (7, process(6, 8, 4)),
            (9, process(1, 7, 5)),
        ];
        let all = Processes(all.into_iter().collect());
        assert_eq!(all.with_children(&[5]), [5, 6, 7]);
        assert_eq!(all.with_children(&[6, 5, 99]), [5, 6, 7]);
        assert_eq!((all.threads_of(7), all.threads_of(1)), (10, 0));
    }

    #[test]
    fn this_process_is_found_by_a_socket_of_its_own() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let at = server.local_addr().expect("bound");
        let inodes = sockets::listeners().into_iter().filter(|socket| socket.local == at);
        let inodes: HashSet<_> = inodes.map(|socket| socket.inode).collect();
        assert_eq!(Processes::now().owners(&inodes), [std::process::id()]);
    }
}
