//! The machine's effect on the tool during a test, sampled several times a second and kept as a few
//! numbers.

use std::collections::{BTreeMap, VecDeque};
use std::fs::read_to_string;
use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_engine::WorkerThread;
use swell_monitor::ProcessorWatch;
use swell_net::{NetContext, Peer, TcpTotals};
use swell_stats::verdict::ProcessorUse;
use swell_stats::{Load, OwnUse};

use crate::neighbour::{self, ServerHere};
use crate::tcp_counts::Tcp;

/// Time between two looks.
const EACH_NS: i64 = 250_000_000;

/// A load must last so long to count: shorter ones are in the delays.
const LASTS_NS: i64 = 5_000_000_000;

/// CPU time of a thread and the time it waited for a processor, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ThreadTime {
    cpu_ns: u64,
    waited_ns: u64,
}

/// Counts of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    tcp: Option<Tcp>,
    processors: Option<Processors>,
}

/// Time of all processors, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Processors {
    all: u64,
    /// That of it in which they had nothing to do.
    idle: u64,
    /// That of it which the hypervisor took.
    stolen: u64,
}

/// The results of the observation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ResourceUsage {
    /// The busiest worker, and the busy part (0..1) of its time: the largest that lasted.
    pub cpu_busy: Option<(usize, f64)>,
    /// The largest part (0..1) of its time that a worker waited for a processor.
    pub run_queue_wait: Option<f64>,
    /// TCP counts of the whole machine, from all of its programs.
    pub tcp: Option<Tcp>,
    /// What it did on the connections of the run that have ended.
    pub connections: TcpTotals,
    /// Where the server under test listens, if it runs on this machine.
    pub neighbour: Option<SocketAddr>,
    /// Connections to servers elsewhere for which the kernel had to ask again, and how often it
    /// did.
    pub asked_again: (u64, u64),
    /// How often the kernel asked again for connections to this machine.
    pub asked_again_here: u64,
    /// Segments that the listeners of the server on this machine dropped; none where there is none,
    /// or the kernel does not say.
    pub dropped_here: Option<u64>,
    /// Part (0..1) of the processors' time that the hypervisor took.
    pub steal: Option<f64>,
    /// Least part (0..1) of the memory that was free.
    pub memory_free: Option<f64>,
}

/// A worker over the last seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkerLoad {
    /// Its number.
    pub worker: usize,
    /// Length of the time, at most about five seconds.
    pub over_s: f64,
    /// Part (0..1) of that in which it ran.
    pub busy: f64,
    /// Part (0..1) of that in which it waited for a processor.
    pub waited: f64,
}

/// The threads of a run's workers; each worker adds its thread when it starts.
pub(crate) type WorkerThreads = Arc<Mutex<Vec<WorkerThread>>>;

/// Observes the machine. It keeps the last five seconds of each worker.
#[derive(Debug, Default)]
pub(crate) struct ResourceMonitor {
    threads: WorkerThreads,
    net: Arc<NetContext>,
    last_ns: i64,
    workers: BTreeMap<usize, Worker>,
    first: Counts,
    now: Counts,
    /// Counts at the end of the last interval.
    interval_start: Counts,
    memory_free_now: Option<f64>,
    memory_free: Option<f64>,
    server: ServerHere,
    /// None where the load is made elsewhere.
    programs: Option<ProcessorWatch>,
}

#[derive(Debug, Default)]
struct Worker {
    looks: VecDeque<(i64, ThreadTime)>,
    first: (i64, ThreadTime),
    /// Largest busy part of five seconds.
    busiest: Option<f64>,
}

impl ResourceMonitor {
    /// The first look at the machine of a run that has these workers and this context of its event
    /// loops.
    pub(crate) fn begin(threads: WorkerThreads, net: Arc<NetContext>, now_ns: i64) -> Self {
        let mut monitor = Self { threads, net, server: ServerHere::begin(), ..Self::default() };
        monitor.programs = Some(ProcessorWatch::begin());
        monitor.look_once_more(now_ns);
        monitor
    }

    /// Looks, if the last look is long enough ago.
    pub(crate) fn look(&mut self, now_ns: i64) {
        if now_ns - self.last_ns >= EACH_NS {
            self.look_once_more(now_ns);
        }
    }

    /// Looks, however short ago the last look was.
    pub(crate) fn look_once_more(&mut self, now_ns: i64) {
        let counts = Counts::of_this_machine();
        if self.last_ns == 0 {
            (self.first, self.interval_start) = (counts, counts);
        }
        self.last_ns = now_ns;
        self.now = counts;
        self.memory_free_now = memory_free();
        self.memory_free = self.memory_free.into_iter().chain(self.memory_free_now).reduce(f64::min);
        let threads = self.threads.lock().clone();
        for thread in threads {
            if let Some(spent) = spent_by(thread) {
                self.workers.entry(thread.worker).or_default().look(now_ns, spent);
            }
        }
    }

    /// The last seconds of each worker that was looked at twice.
    pub(crate) fn loads(&self) -> Vec<WorkerLoad> {
        self.workers.iter().filter_map(|(number, worker)| worker.load(*number)).collect()
    }

    /// How busy tool and machine were since the last call, as of the last look; workers over up to
    /// five seconds.
    pub(crate) fn interval_load(&mut self) -> Load {
        let [from, now] = [self.interval_start, self.now].map(|counts| counts.processors);
        self.interval_start = self.now;
        let of_workers = |what: fn(&WorkerLoad) -> f64| self.loads().iter().map(what).reduce(f64::max);
        Load {
            worker_busy: of_workers(|load| load.busy),
            worker_waited: of_workers(|load| load.waited),
            machine_busy: part(from, now, |ticks| ticks.idle + ticks.stolen).map(|idle| 1.0 - idle),
            steal: part(from, now, |ticks| ticks.stolen),
            memory_free: self.memory_free_now,
        }
    }

    /// What this process takes of the machine now.
    pub(crate) fn own() -> OwnUse {
        let status = read_to_string("/proc/self/status");
        OwnUse {
            memory_bytes: status.ok().and_then(|status| resident_bytes(&status)),
            // The size of the folder is how many it holds since Linux 6.2, and 0 before.
            descriptors: std::fs::metadata("/proc/self/fd")
                .map(|meta| meta.len())
                .ok()
                .filter(|count| *count > 0),
        }
    }

    /// Looks whether the server under test runs on this machine, and at its listeners.
    pub(crate) fn look_for_server(&mut self) {
        let found = self.server.look(self.net.peers().iter().map(|peer| peer.address));
        if let Some(programs) = &mut self.programs {
            if let Some(listeners) = found {
                programs.server_listens(&listeners);
            }
            programs.look_if_due();
        }
    }

    /// Looks for the last time.
    pub(crate) fn end(&mut self, now_ns: i64) {
        self.look_for_server();
        self.look_once_more(now_ns);
        self.programs.iter_mut().for_each(ProcessorWatch::look);
    }

    /// The programs that used the processors from the first look to the last.
    pub(crate) fn processors(&self) -> Option<ProcessorUse> {
        self.programs.as_ref()?.took()
    }

    /// Where the server under test listens, if it runs on this machine and was found.
    pub(crate) fn server(&self) -> Option<SocketAddr> {
        self.server.address()
    }

    /// What was found from the first look to the last.
    pub(crate) fn found(&self) -> ResourceUsage {
        let busy = self.workers.iter().filter_map(|(number, worker)| Some((*number, worker.busy()?)));
        let (here, elsewhere) = asked_again(&self.net.peers());
        ResourceUsage {
            cpu_busy: busy.reduce(|most, next| if next.1 > most.1 { next } else { most }),
            run_queue_wait: self.workers.values().filter_map(Worker::waited).reduce(f64::max),
            tcp: self.now.tcp.zip(self.first.tcp).map(|(now, first)| now.since(&first)),
            connections: self.net.tcp_totals(),
            neighbour: self.server.address(),
            asked_again: elsewhere,
            asked_again_here: here.1,
            dropped_here: self.server.dropped(),
            steal: surely_stolen(self.first.processors, self.now.processors),
            memory_free: self.memory_free,
        }
    }
}

impl Worker {
    fn look(&mut self, now_ns: i64, spent: ThreadTime) {
        if self.looks.is_empty() {
            self.first = (now_ns, spent);
        }
        self.looks.push_back((now_ns, spent));
        // The oldest look is the youngest that is five seconds old.
        while self.looks.get(1).is_some_and(|(at_ns, _)| now_ns - at_ns >= LASTS_NS) {
            self.looks.pop_front();
        }
        let (from_ns, from) = self.looks[0];
        if now_ns - from_ns >= LASTS_NS {
            let busy = spent.cpu_ns.saturating_sub(from.cpu_ns) as f64 / (now_ns - from_ns) as f64;
            self.busiest = self.busiest.into_iter().chain([busy]).reduce(f64::max);
        }
    }

    /// The largest busy part of five seconds, or that of the whole of a shorter run.
    fn busy(&self) -> Option<f64> {
        self.busiest.or_else(|| self.overall(|spent| spent.cpu_ns))
    }

    fn waited(&self) -> Option<f64> {
        self.overall(|spent| spent.waited_ns)
    }

    fn load(&self, worker: usize) -> Option<WorkerLoad> {
        let (from_ns, from) = *self.looks.front()?;
        let (now_ns, now) = *self.looks.back()?;
        let passed_ns = (now_ns - from_ns) as f64;
        let part = |now: u64, from: u64| now.saturating_sub(from) as f64 / passed_ns;
        (now_ns > from_ns).then(|| WorkerLoad {
            worker,
            over_s: passed_ns / 1e9,
            busy: part(now.cpu_ns, from.cpu_ns),
            waited: part(now.waited_ns, from.waited_ns),
        })
    }

    fn overall(&self, what: impl Fn(ThreadTime) -> u64) -> Option<f64> {
        let (now_ns, now) = *self.looks.back()?;
        let passed_ns = now_ns - self.first.0;
        (passed_ns > 0).then(|| what(now).saturating_sub(what(self.first.1)) as f64 / passed_ns as f64)
    }
}

/// The part of the processors' time between two looks that something took.
fn part(first: Option<Processors>, now: Option<Processors>, what: fn(Processors) -> u64) -> Option<f64> {
    let first = first?;
    let now = now?;
    let all = now.all.checked_sub(first.all).filter(|all| *all > 0)?;
    Some(what(now).saturating_sub(what(first)) as f64 / all as f64)
}

/// The part of the processors' time that the hypervisor gave to others, at least: the first tick
/// may have begun before the first look, and of a short test one tick is many times what the
/// verdict allows.
fn surely_stolen(first: Option<Processors>, now: Option<Processors>) -> Option<f64> {
    let first = first?;
    let now = now?;
    let sure = now.stolen.saturating_sub(first.stolen).saturating_sub(1);
    let all = now.all.checked_sub(first.all).filter(|all| *all > 0)?;
    Some(sure as f64 / all as f64)
}

/// CPU and waiting time of a thread; none if it has ended or the kernel does not say.
fn spent_by(thread: WorkerThread) -> Option<ThreadTime> {
    spent(&read_to_string(format!("/proc/self/task/{}/schedstat", thread.thread_id)).ok()?)
}

fn spent(schedstat: &str) -> Option<ThreadTime> {
    let mut numbers = schedstat.split_whitespace().map(str::parse);
    Some(ThreadTime { cpu_ns: numbers.next()?.ok()?, waited_ns: numbers.next()?.ok()? })
}

impl Counts {
    fn of_this_machine() -> Self {
        Self {
            tcp: Tcp::of_this_machine(),
            processors: read_to_string("/proc/stat").ok().and_then(|text| processors(&text)),
        }
    }
}

/// Connections that the kernel asked for again, and how often: those to this machine, and those to
/// others.
fn asked_again(peers: &[Peer]) -> ((u64, u64), (u64, u64)) {
    let is_here = |peer: &&Peer| neighbour::is_local(peer.address.ip());
    let (here, elsewhere): (Vec<_>, Vec<_>) = peers.iter().filter(|peer| peer.retried > 0).partition(is_here);
    let sum = |peers: Vec<&Peer>| {
        peers.iter().fold((0, 0), |(retried, retries), peer| (retried + peer.retried, retries + peer.retries))
    };
    (sum(here), sum(elsewhere))
}

/// Ticks of the first line (`cpu  user nice system idle iowait irq softirq steal guest …`; guest
/// time is in user time already).
fn processors(stat: &str) -> Option<Processors> {
    let ticks: Vec<u64> =
        stat.lines().next()?.split_whitespace().skip(1).map_while(|tick| tick.parse().ok()).collect();
    let tick = |place: usize| ticks.get(place).copied();
    let idle = tick(3)? + tick(4)?;
    Some(Processors { all: ticks.iter().take(8).sum(), idle, stolen: tick(7)? })
}

fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

fn memory_free() -> Option<f64> {
    free_part(&read_to_string("/proc/meminfo").ok()?)
}

fn free_part(meminfo: &str) -> Option<f64> {
    let of = |wanted: &str| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(wanted))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    Some(of("MemAvailable:")? / of("MemTotal:")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    fn spent_ms(cpu: u64, waited: u64) -> ThreadTime {
        ThreadTime { cpu_ns: cpu * 1_000_000, waited_ns: waited * 1_000_000 }
    }

    #[test]
    fn a_load_counts_once_it_lasts_five_seconds() {
        // Idle for 10 s, then one busy second, then idle: at most a fifth busy over five seconds.
        let mut worker = Worker::default();
        for quarter in 0..80_u64 {
            let busy = quarter.clamp(40, 44) - 40;
            worker.look(S + quarter as i64 * S / 4, spent_ms(busy * 250, quarter));
        }
        assert!((worker.busy().expect("looked at") - 0.2).abs() < 1e-9, "{worker:?}");
        assert!((worker.waited().expect("looked at") - 0.004).abs() < 1e-9);
        assert!(worker.looks.len() <= 22, "only what is needed is kept");
    }

    #[test]
    fn a_short_run_is_taken_as_a_whole() {
        let mut worker = Worker::default();
        assert_eq!(worker.busy(), None);
        worker.look(S, spent_ms(100, 0));
        assert_eq!(worker.busy(), None);
        worker.look(2 * S, spent_ms(400, 50));
        assert_eq!((worker.busy(), worker.waited()), (Some(0.3), Some(0.05)));
        assert_eq!(worker.load(4), Some(WorkerLoad { worker: 4, over_s: 1.0, busy: 0.3, waited: 0.05 }));
    }

    #[test]
    fn the_busiest_worker_is_named() {
        let mut monitor = ResourceMonitor::default();
        for (number, cpu) in [(0, 200), (7, 900), (9, 300)] {
            let worker = monitor.workers.entry(number).or_default();
            worker.look(S, spent_ms(0, 0));
            worker.look(2 * S, spent_ms(cpu, cpu / 10));
        }
        let found = monitor.found();
        assert_eq!((found.cpu_busy, found.run_queue_wait), (Some((7, 0.9)), Some(0.09)));
        assert_eq!((found.steal, found.tcp, found.memory_free), (None, None, None));
    }

    #[test]
    fn one_tick_is_no_proof_of_a_hypervisor_that_takes_time() {
        let stolen = |all: u64, stolen: u64| {
            let found = |all, stolen| Some(Processors { all, idle: 0, stolen });
            surely_stolen(found(1_000, 10), found(1_000 + all, 10 + stolen))
        };
        assert_eq!((stolen(6, 1), stolen(6, 4)), (Some(0.0), Some(0.5)));
        assert_eq!((stolen(2_000, 41), stolen(0, 0)), (Some(0.02), None));
    }

    #[test]
    fn the_load_of_an_interval_is_that_since_the_last() {
        let counts = |all, idle, stolen| Counts {
            processors: Some(Processors { all, idle, stolen }),
            ..Counts::default()
        };
        let mut monitor = ResourceMonitor { memory_free_now: Some(0.5), ..ResourceMonitor::default() };
        let mut load = |now| {
            monitor.now = now;
            let load = monitor.interval_load();
            (load.machine_busy, load.steal, load.memory_free)
        };
        assert_eq!(load(counts(100, 0, 0)), (None, None, Some(0.5)), "there was no look before");
        assert_eq!(load(counts(300, 100, 50)), (Some(0.25), Some(0.25), Some(0.5)));
        assert_eq!(load(counts(500, 100, 50)), (Some(1.0), Some(0.0), Some(0.5)));
        assert_eq!(load(counts(500, 100, 50)), (None, None, Some(0.5)), "no tick has passed");
    }

    #[test]
    fn connections_to_this_machine_are_not_those_of_a_server_elsewhere() {
        let peer = |ip: [u8; 4], retried, retries| Peer { address: (ip, 80).into(), retried, retries };
        let peers = [peer([127, 0, 0, 1], 5, 6), peer([240, 0, 0, 1], 2, 3), peer([240, 0, 0, 2], 1, 1)];
        assert_eq!(asked_again(&peers), ((5, 6), (3, 4)));
    }

    #[test]
    fn files_of_the_kernel_are_read() {
        assert_eq!(spent("123 45 6\n"), Some(ThreadTime { cpu_ns: 123, waited_ns: 45 }));
        assert_eq!(spent("x"), None);
        let ticks = |all, idle, stolen| Some(Processors { all, idle, stolen });
        assert_eq!(processors("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1\n"), ticks(36, 9, 8));
        let stolen = |first, now| part(first, now, |ticks| ticks.stolen);
        assert_eq!(stolen(ticks(1000, 0, 10), ticks(3000, 0, 30)), Some(0.01));
        assert_eq!(stolen(ticks(1000, 0, 10), ticks(1000, 0, 10)), None);
        assert_eq!(resident_bytes("Name:\tx\nVmRSS:\t     120 kB\n"), Some(120 << 10));
        assert_eq!(free_part("MemTotal: 100 kB\nMemAvailable: 25 kB\n"), Some(0.25));
    }

    #[test]
    fn a_worker_is_found_by_the_number_of_its_thread_and_not_by_a_name() {
        let (tell, told) = std::sync::mpsc::channel();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        // A thread of another run has the same name.
        let named = || std::thread::Builder::new().name("swell-worker-3".to_owned());
        let other = named().spawn(|| {}).expect("a thread");
        let thread = named().spawn(move || {
            tell.send(swell_net::machine::thread_id()).expect("a listener is there");
            wait.recv()
        });
        let thread = thread.expect("a thread");
        let thread_id = told.recv().expect("it says its number");
        assert!(spent_by(WorkerThread { worker: 3, thread_id }).is_some_and(|spent| spent.cpu_ns > 0));
        drop(go);
        assert!(thread.join().is_ok() && other.join().is_ok());
        assert_eq!(spent_by(WorkerThread { worker: 3, thread_id }), None, "it has ended");
    }
}
