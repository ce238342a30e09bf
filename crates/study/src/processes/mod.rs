//! What a tree of processes of this machine uses: memory, processors, threads.
//!
//! The tree is every process of a process group and every descendant of one: a child that starts a
//! separate group (a JVM started by a script, Erlang's emulator) counts as well.

mod stat;

use std::collections::HashSet;
use std::fs;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub use stat::{Process, parse_stat};

/// What a tree uses at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processes.
    pub processes: u64,
    /// Their threads.
    pub threads: u64,
    /// Resident memory in bytes; pages that several processes share count for each.
    pub rss_bytes: u64,
    /// CPU time in clock ticks of the kernel (hundredths of a second).
    pub cpu_ticks: u64,
}

/// Over a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    /// Mean of the resident memory, bytes; none if no process was seen.
    pub rss_mean_bytes: Option<f64>,
    /// Most resident memory that was seen, bytes.
    pub rss_peak_bytes: Option<u64>,
    /// Processors that were busy with it, on the mean: 1.5 is one and a half.
    pub processors: Option<f64>,
    /// Most threads that were seen.
    pub threads_peak: Option<u64>,
    /// Mean of the tasks of this machine that ran or wanted to, this look left out.
    pub run_queue: Option<f64>,
}

/// Clock ticks a second in `/proc` (`USER_HZ`), 100 on every architecture that Linux has for
/// servers.
const TICKS_PER_S: f64 = 100.0;

/// The processes of a group and their descendants.
fn tree(all: &[Process], group: u32) -> Vec<Process> {
    let mut known: HashSet<u32> =
        all.iter().filter(|process| process.group == group).map(|process| process.id).collect();
    loop {
        let before = known.len();
        let born = |process: &&Process| known.contains(&process.parent);
        let more: Vec<_> = all.iter().filter(born).map(|process| process.id).collect();
        known.extend(more);
        if known.len() == before {
            return all.iter().filter(|process| known.contains(&process.id)).copied().collect();
        }
    }
}

/// What the tree of a group uses now. A process that ends meanwhile is left out.
pub fn usage(group: u32) -> Usage {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let all: Vec<_> = ids.filter_map(|id| parse_stat(&fs::read(format!("/proc/{id}/stat")).ok()?)).collect();
    let page_bytes = rustix::param::page_size() as u64;
    tree(&all, group).iter().fold(Usage::default(), |sum, process| Usage {
        processes: sum.processes + 1,
        threads: sum.threads + process.threads,
        rss_bytes: sum.rss_bytes + process.rss_pages * page_bytes,
        cpu_ticks: sum.cpu_ticks + process.cpu_ticks,
    })
}

/// How many processes and threads a process's user may have (`RLIMIT_NPROC`); none if there is no
/// limit, or the process belongs to root, which has none.
pub fn process_limit(id: u32) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(format!("/proc/{id}/{name}")).ok();
    let is_root =
        read("status")?.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_whitespace().next()
            == Some("0");
    process_limit_in(&read("limits")?).filter(|_| !is_root)
}

/// `Max processes             400                  400                  processes`: the first
/// number is the limit that holds.
fn process_limit_in(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max processes"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The tasks of this machine that run or want to, the one that asks left out; none where the kernel
/// does not say.
pub fn run_queue() -> Option<f64> {
    run_queue_in(&fs::read_to_string("/proc/loadavg").ok()?)
}

/// `0.20 0.18 0.12 1/80 11206`: the fourth is tasks that run over all tasks.
fn run_queue_in(text: &str) -> Option<f64> {
    let (running, _) = text.split_whitespace().nth(3)?.split_once('/')?;
    Some((running.parse::<f64>().ok()? - 1.0).max(0.0))
}

/// Observes a tree, on a separate thread, until the result is requested.
#[derive(Debug)]
pub struct Watch {
    end: Sender<()>,
    thread: JoinHandle<Used>,
}

impl Watch {
    /// Looks at the tree of this group (none: only at the run queue) as often as `every` says, from
    /// now on.
    pub fn begin(group: Option<u32>, every: Duration) -> Self {
        let (end, ended) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            // It disturbs what is measured as little as it can.
            swell_net::machine::give_way();
            let mut sums = Sums::default();
            loop {
                sums.add(group.map(usage), run_queue(), Instant::now());
                if ended.recv_timeout(every) != Err(RecvTimeoutError::Timeout) {
                    // A short time has two looks as well.
                    sums.add(group.map(usage), None, Instant::now());
                    return sums.used();
                }
            }
        });
        Self { end, thread }
    }

    /// What was seen; this looks a last time.
    pub fn end(self) -> Used {
        // Its thread waits for this, or has ended by a panic, which the join tells.
        let _ = self.end.send(());
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

#[derive(Default)]
struct Sums {
    looks: u64,
    rss_sum: f64,
    rss_peak: u64,
    threads_peak: u64,
    queue: (f64, u64),
    first: Option<(u64, Instant)>,
    last: Option<(u64, Instant)>,
}

impl Sums {
    fn add(&mut self, usage: Option<Usage>, queue: Option<f64>, at: Instant) {
        if let Some(queue) = queue {
            self.queue = (self.queue.0 + queue, self.queue.1 + 1);
        }
        let Some(usage) = usage.filter(|usage| usage.processes > 0) else { return };
        self.looks += 1;
        self.rss_sum += usage.rss_bytes as f64;
        self.rss_peak = self.rss_peak.max(usage.rss_bytes);
        self.threads_peak = self.threads_peak.max(usage.threads);
        // The time of a process that ended is no longer in the sum: the largest sum counts.
        let ticks = usage.cpu_ticks.max(self.last.map_or(0, |(ticks, _)| ticks));
        self.first.get_or_insert((ticks, at));
        self.last = Some((ticks, at));
    }

    fn used(&self) -> Used {
        let seen = self.looks > 0;
        let processors = match (self.first, self.last) {
            (Some((before, from)), Some((after, to))) if to > from => {
                Some((after - before) as f64 / TICKS_PER_S / (to - from).as_secs_f64())
            }
            _ => None,
        };
        Used {
            rss_mean_bytes: seen.then(|| self.rss_sum / self.looks as f64),
            rss_peak_bytes: seen.then_some(self.rss_peak),
            processors,
            threads_peak: seen.then_some(self.threads_peak),
            run_queue: (self.queue.1 > 0).then(|| self.queue.0 / self.queue.1 as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    #[test]
    fn a_tree_has_descendants_of_other_groups() {
        let one = |id, parent, group| Process { id, parent, group, ..Process::default() };
        let all =
            [one(1, 0, 1), one(10, 1, 10), one(11, 10, 10), one(12, 11, 12), one(13, 1, 13), one(14, 12, 14)];
        let ids: Vec<_> = tree(&all, 10).iter().map(|process| process.id).collect();
        assert_eq!(ids, [10, 11, 12, 14]);
    }

    #[test]
    fn a_limit_of_processes_is_read_where_there_is_one() {
        let line = |soft: &str| {
            format!(
                "Max stack size  1  2  bytes\nMax processes             {soft}                  500                  processes\n"
            )
        };
        assert_eq!(process_limit_in(&line("400")), Some(400));
        assert_eq!(process_limit_in(&line("unlimited")), None);
        assert_eq!(process_limit_in(""), None);
    }

    #[test]
    fn the_run_queue_leaves_the_asker_out() {
        assert_eq!(run_queue_in("0.20 0.18 0.12 3/80 11206\n"), Some(2.0));
        assert_eq!(run_queue_in("0.20 0.18"), None);
    }

    #[test]
    fn means_are_over_the_looks_and_processors_over_the_time() {
        let mut sums = Sums::default();
        let start = Instant::now();
        for (second, rss, ticks) in [(0, 100, 50), (1, 300, 150), (2, 200, 200)] {
            let usage = Usage { processes: 1, threads: second + 5, rss_bytes: rss, cpu_ticks: ticks };
            sums.add(Some(usage), Some(2.0), start + Duration::from_secs(second));
        }
        sums.add(Some(Usage::default()), None, start + Duration::from_secs(9));
        let used = sums.used();
        assert_eq!((used.rss_mean_bytes, used.rss_peak_bytes), (Some(200.0), Some(300)));
        assert_eq!((used.processors, used.threads_peak, used.run_queue), (Some(0.75), Some(7), Some(2.0)));
        assert_eq!(Sums::default().used(), Used::default());
    }

    #[test]
    fn a_real_group_is_seen() {
        let mut child = Command::new("sleep").arg("1000").process_group(0).spawn().expect("it starts");
        let watch = Watch::begin(Some(child.id()), Duration::from_millis(1));
        let seen = usage(child.id());
        let used = watch.end();
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        assert_eq!((seen.processes, seen.threads), (1, 1));
        assert!(used.rss_peak_bytes.is_some_and(|bytes| bytes > 0), "{used:?}");
        assert_eq!(usage(child.id()), Usage::default());
    }
}
