//! Finds which programs use the processors of this machine: the tool, the server under test, and
//! other programs by name.

use std::collections::{HashMap, HashSet};
use std::fs::{read_link, read_to_string};
use std::time::{Duration, Instant};

use swell_stats::verdict::{ProcessorUse, Program};

use crate::kernel::{ProcessStat, Processors, TcpSocket};
use crate::processes::Processes;

/// Minimum time between two looks.
const EACH: Duration = Duration::from_secs(1);
/// Also this multiple of the duration of a look, which grows with the number of processes.
const TIMES_COST: u32 = 200;
/// A shorter time has too few ticks.
const LEAST_S: f64 = 0.1;
/// Ticks a second in `/proc` (`USER_HZ`).
const TICKS_PER_S: f64 = 100.0;
/// Programs that are listed by name.
const MOST_NAMED: usize = 5;
/// Names that are counted separately.
const MOST_NAMES: usize = 1000;

/// Whose a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessOwner {
    Tool,
    Server,
    /// It may be the server's or not: the process that listens belongs to another user and cannot
    /// be looked into.
    Unknown,
    Other,
}

/// A process as of the last look.
#[derive(Clone, Debug)]
struct ProcessSnapshot {
    stat: ProcessStat,
    side: ProcessOwner,
    /// Ticks since the first look of all: its own, and those of children that ended before any look
    /// saw them.
    taken: u64,
}

/// What was taken, in ticks.
#[derive(Clone, Debug, Default)]
struct Sums {
    tool: u64,
    server: u64,
    unknown: u64,
    /// Ticks and processes, by name.
    programs: HashMap<String, (u64, u32)>,
}

impl Sums {
    fn add(&mut self, process: &ProcessSnapshot) {
        match process.side {
            ProcessOwner::Tool => self.tool += process.taken,
            ProcessOwner::Server => self.server += process.taken,
            ProcessOwner::Unknown => self.unknown += process.taken,
            ProcessOwner::Other if process.taken > 0 => {
                let is_known = self.programs.contains_key(&process.stat.name);
                let name =
                    if is_known || self.programs.len() < MOST_NAMES { &process.stat.name } else { "further" };
                let (ticks, processes) = self.programs.entry(name.to_owned()).or_default();
                (*ticks, *processes) = (*ticks + process.taken, *processes + 1);
            }
            ProcessOwner::Other => {}
        }
    }

    /// `busy`: ticks that all processes took.
    fn used(&self, busy: u64, processors: u64, seconds: f64) -> ProcessorUse {
        let of = |ticks: u64| ticks as f64 / TICKS_PER_S / seconds;
        let others: u64 = self.programs.values().map(|(ticks, _)| ticks).sum();
        // Children that ended are guessed at; together all had no more than the machine was busy.
        let left = busy.saturating_sub(self.tool + self.server + self.unknown);
        let sure = others.min(left);
        let unseen = left.saturating_sub(others);
        let part = sure as f64 / others.max(1) as f64;
        let mut programs: Vec<_> = self.programs.iter().collect();
        programs.sort_by_key(|(name, (ticks, _))| (std::cmp::Reverse(*ticks), (*name).clone()));
        let program = |(name, (ticks, processes)): (&String, &(u64, u32))| Program {
            name: name.clone(),
            processes: *processes,
            processors: part * of(*ticks),
        };
        ProcessorUse {
            processors: processors as usize,
            tool: of(self.tool),
            server: of(self.server),
            others: of(sure),
            unseen: of(unseen),
            programs: programs.into_iter().take(MOST_NAMED).map(program).collect(),
        }
    }
}

/// Observes all processes from its creation on.
#[derive(Debug)]
pub struct ProcessorWatch {
    began: Instant,
    last: Instant,
    cost: Duration,
    /// Ticks of the machine at the first look and at the last.
    machine: [Option<Processors>; 2],
    seen: HashMap<u32, ProcessSnapshot>,
    ended: Sums,
    servers: Vec<u32>,
    /// Users of listeners whose processes cannot be looked into.
    hidden: HashSet<u32>,
}

impl ProcessorWatch {
    /// The first look.
    pub fn begin() -> Self {
        let mut watch = Self::new();
        watch.look();
        watch.began = watch.last;
        watch
    }

    fn new() -> Self {
        let now = Instant::now();
        Self {
            began: now,
            last: now,
            cost: Duration::ZERO,
            machine: [None; 2],
            seen: HashMap::new(),
            ended: Sums::default(),
            servers: Vec::new(),
            hidden: HashSet::new(),
        }
    }

    /// Looks, if the last look is long enough ago.
    pub fn look_if_due(&mut self) {
        if self.last.elapsed() >= EACH.max(self.cost * TIMES_COST) {
            self.look();
        }
    }

    /// Looks at all processes.
    pub fn look(&mut self) {
        let now = Instant::now();
        let all = Processes::now();
        let machine = read_to_string("/proc/stat").ok().and_then(|text| Processors::read(&text));
        self.take(&all, (std::process::id(), root(&all)), machine);
        (self.last, self.cost) = (now, now.elapsed());
    }

    /// The server under test listens with these sockets.
    pub fn server_listens(&mut self, sockets: &[TcpSocket]) {
        let inodes = sockets.iter().map(|socket| socket.inode).collect();
        self.servers = Processes::now().owners(&inodes);
        if self.servers.is_empty() {
            self.hidden.extend(sockets.iter().map(|socket| socket.user));
        }
    }

    /// `me` is this process, and `root` the first of its program that started it.
    fn take(&mut self, all: &Processes, (me, root): (u32, u32), machine: Option<Processors>) {
        let is_first = self.machine[0].is_none();
        self.machine = [self.machine[0].or(machine), machine];
        let is_there = |(pid, seen): &(u32, ProcessSnapshot)| {
            all.0.get(pid).is_some_and(|process| process.stat.started == seen.stat.started)
        };
        let before = std::mem::take(&mut self.seen);
        let (there, gone): (HashMap<_, _>, HashMap<_, _>) = before.into_iter().partition(is_there);
        let of_gone = inherited(&gone);
        for seen in gone.values() {
            self.ended.add(seen);
        }
        let sides = ProcessGroups::of(all, (me, root), &self.servers);
        for (pid, process) in &all.0 {
            let known = there.get(pid);
            let stat = &process.stat;
            // One that was not there at the first look has taken all of its time since then.
            let from = known.map(|known| &known.stat).or(is_first.then_some(stat));
            let (ticks, children) = from.map_or((0, 0), |from| (from.ticks, from.children_ticks));
            let of_children = stat.children_ticks.saturating_sub(children);
            let unseen = of_children.saturating_sub(of_gone.get(pid).copied().unwrap_or(0));
            let more = stat.ticks.saturating_sub(ticks) + unseen;
            let taken = known.map_or(0, |known| known.taken) + more;
            let is_hidden = self.hidden.contains(&process.user);
            let side = sides.side(*pid).unwrap_or_else(|| match known.map(|known| known.side) {
                // Its parent has ended.
                Some(side @ (ProcessOwner::Tool | ProcessOwner::Server)) => side,
                _ if is_hidden => ProcessOwner::Unknown,
                _ => ProcessOwner::Other,
            });
            self.seen.insert(*pid, ProcessSnapshot { stat: stat.clone(), side, taken });
        }
    }

    /// The programs that used the processors from the first look to the last; none if that is too
    /// short to decide, or nothing can be read.
    pub fn took(&self) -> Option<ProcessorUse> {
        let seconds = (self.last - self.began).as_secs_f64();
        let first = self.machine[0]?;
        let last = self.machine[1]?;
        let busy = last.of_processes().saturating_sub(first.of_processes());
        let mut sums = self.ended.clone();
        self.seen.values().for_each(|process| sums.add(process));
        (seconds >= LEAST_S).then(|| sums.used(busy, last.count, seconds))
    }
}

/// Ticks of processes that have ended, as of the last look, by heir: their first living ancestor.
fn inherited(gone: &HashMap<u32, ProcessSnapshot>) -> HashMap<u32, u64> {
    let mut ticks: HashMap<u32, u64> = HashMap::new();
    for seen in gone.values() {
        let mut parent = seen.stat.parent;
        // A parent has the number of a process that ended before only where that number was used
        // again; then this ends all the same.
        for _ in 0..gone.len() {
            match gone.get(&parent) {
                Some(above) => parent = above.stat.parent,
                None => break,
            }
        }
        *ticks.entry(parent).or_default() += seen.stat.ticks + seen.stat.children_ticks;
    }
    ticks
}

/// The processes of the tool and of the server.
struct ProcessGroups {
    tool: HashSet<u32>,
    servers: HashSet<u32>,
}

impl ProcessGroups {
    fn of(all: &Processes, (me, root): (u32, u32), servers: &[u32]) -> Self {
        let mut tool: HashSet<u32> = all.with_children(&[root]).into_iter().collect();
        let mut servers: HashSet<u32> = all.with_children(servers).into_iter().collect();
        if servers.contains(&me) {
            // The server started the tool, or is a part of it.
            servers.retain(|pid| !tool.contains(pid));
        } else {
            tool.retain(|pid| !servers.contains(pid));
        }
        Self { tool, servers }
    }

    fn side(&self, pid: u32) -> Option<ProcessOwner> {
        let is_server = || self.servers.contains(&pid).then_some(ProcessOwner::Server);
        self.tool.contains(&pid).then_some(ProcessOwner::Tool).or_else(is_server)
    }
}

/// This process, or the first of the same program that started it: agents that a controller starts
/// are its own.
fn root(all: &Processes) -> u32 {
    let program = |pid: u32| read_link(format!("/proc/{pid}/exe")).ok();
    let mut root = std::process::id();
    let mine = program(std::process::id());
    while let Some(parent) = all.0.get(&root).map(|process| process.stat.parent)
        && parent != root
        && mine.is_some()
        && program(parent) == mine
    {
        root = parent;
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processes::Process;

    const ME: u32 = 20;

    /// Number, parent, name, ticks, ticks of children.
    type Line = (u32, u32, &'static str, u64, u64);

    fn processes(lines: &[Line]) -> Processes {
        let process = |&(pid, parent, name, ticks, children_ticks): &Line| {
            let name = name.to_owned();
            let started = u64::from(pid);
            let stat =
                ProcessStat { name, parent, ticks, children_ticks, threads: 1, started, resident_pages: 1 };
            (pid, Process { user: pid / 100, stat })
        };
        Processes(lines.iter().map(process).collect())
    }

    /// Looks one second apart, on two processors, of which this many ticks were busy.
    fn took(servers: &[u32], hidden: &[u32], looks: &[&[Line]], busy: u64) -> ProcessorUse {
        let mut watch = ProcessorWatch::new();
        watch.servers = servers.to_vec();
        watch.hidden = hidden.iter().copied().collect();
        for (at, look) in looks.iter().enumerate() {
            let user = if at == 0 { 1000 } else { 1000 + busy };
            let machine = Processors { user, count: 2, ..Processors::default() };
            watch.take(&processes(look), (ME, ME), Some(machine));
        }
        watch.last = watch.began + Duration::from_secs(1);
        watch.took().expect("long enough")
    }

    fn close(figures: [f64; 4], wanted: [f64; 4]) {
        assert!(figures.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9), "{figures:?}, not {wanted:?}");
    }

    #[test]
    fn tool_server_and_others_are_told_apart_by_name() {
        let first: &[Line] = &[
            (1, 0, "init", 500, 900),
            (ME, 1, "swell", 10, 0),
            (21, ME, "java", 0, 0),
            (30, 1, "nginx", 50, 0),
            (31, 30, "nginx", 5, 0),
            (40, 1, "python3", 7, 0),
        ];
        let last: &[Line] = &[
            (1, 0, "init", 500, 900),
            (ME, 1, "swell", 20, 0),
            (21, ME, "java", 10, 0),
            (30, 1, "nginx", 50, 0),
            (31, 30, "nginx", 35, 0),
            (40, 1, "python3", 57, 0),
            (41, 1, "python3", 40, 0),
            (42, 1, "cc1", 20, 0),
        ];
        let took = took(&[30], &[], &[first, last], 180);
        close([took.tool, took.server, took.others, took.unseen], [0.2, 0.3, 1.1, 0.2]);
        let programs: Vec<_> = took.programs.iter().map(|one| (&*one.name, one.processes)).collect();
        assert_eq!((took.processors, programs), (2, vec![("python3", 2), ("cc1", 1)]));
    }

    #[test]
    fn processes_that_end_count_once() {
        // One ends between the looks, with ticks that its parent gets; another is never seen.
        let looks: [&[Line]; 3] = [
            &[(ME, 1, "swell", 0, 0), (50, 1, "make", 1, 100)],
            &[(ME, 1, "swell", 0, 0), (50, 1, "make", 1, 100), (51, 50, "cc1", 60, 0)],
            &[(ME, 1, "swell", 0, 0), (50, 1, "make", 1, 175)],
        ];
        let took = took(&[], &[], &looks, 75);
        close([took.tool, took.server, took.others, took.unseen], [0.0, 0.0, 0.75, 0.0]);
        let programs: Vec<_> = took.programs.iter().map(|one| (&*one.name, one.processors)).collect();
        assert_eq!(programs, [("cc1", 0.6), ("make", 0.15)]);
    }

    #[test]
    fn what_a_whole_family_took_before_the_run_is_nobodys() {
        // A compiler that had run for long ends with its parent, whose parent inherits the ticks of
        // both.
        let looks: [&[Line]; 2] = [
            &[
                (ME, 1, "swell", 0, 0),
                (50, 1, "bash", 1, 0),
                (51, 50, "cargo", 2, 0),
                (52, 51, "rustc", 900, 0),
            ],
            &[(ME, 1, "swell", 0, 0), (50, 1, "bash", 1, 912)],
        ];
        let took = took(&[], &[], &looks, 180);
        close([took.tool, took.server, took.others, took.unseen], [0.0, 0.0, 0.1, 1.7]);
    }

    #[test]
    fn others_took_no_more_than_the_machine_was_busy() {
        let looks: [&[Line]; 2] = [
            &[(ME, 1, "swell", 0, 0)],
            &[(ME, 1, "swell", 20, 0), (50, 1, "bash", 300, 0), (51, 1, "cc1", 100, 0)],
        ];
        let took = took(&[], &[], &looks, 180);
        close([took.tool, took.server, took.others, took.unseen], [0.2, 0.0, 1.6, 0.0]);
        assert!((took.programs[0].processors - 1.2).abs() < 1e-9, "{took:?}");
    }

    #[test]
    fn a_number_that_is_used_again_is_another_process() {
        let mut later = processes(&[(ME, 1, "swell", 0, 0), (60, 1, "new", 30, 0)]);
        later.0.get_mut(&60).expect("there").stat.started = 999;
        let mut watch = ProcessorWatch::new();
        let machine = |user| Some(Processors { user, count: 2, ..Processors::default() });
        watch.take(&processes(&[(ME, 1, "swell", 0, 0), (60, 1, "old", 500, 0)]), (ME, ME), machine(0));
        watch.take(&later, (ME, ME), machine(30));
        watch.last = watch.began + Duration::from_secs(1);
        let took = watch.took().expect("long enough");
        assert_eq!(took.programs.iter().map(|one| &*one.name).collect::<Vec<_>>(), ["new"]);
    }

    #[test]
    fn a_server_that_started_the_tool_is_no_tool_and_the_other_way_round() {
        let first: &[Line] = &[(10, 1, "tests", 0, 0), (ME, 10, "swell", 0, 0), (70, ME, "target", 0, 0)];
        let last: &[Line] = &[(10, 1, "tests", 40, 0), (ME, 10, "swell", 20, 0), (70, ME, "target", 70, 0)];
        let of = |servers: &[u32]| {
            let took = took(servers, &[], &[first, last], 130);
            [took.tool, took.server, took.others, took.unseen]
        };
        close(of(&[10]), [0.9, 0.4, 0.0, 0.0]);
        close(of(&[70]), [0.2, 0.7, 0.4, 0.0]);
        close(of(&[ME]), [0.9, 0.0, 0.4, 0.0]);
    }

    #[test]
    fn what_may_be_the_server_of_another_user_is_nobodys() {
        let looks: [&[Line]; 2] = [
            &[(ME, 1, "swell", 0, 0), (300, 1, "java", 0, 0)],
            &[(ME, 1, "swell", 0, 0), (300, 1, "java", 90, 0)],
        ];
        let took = took(&[], &[3], &looks, 90);
        close([took.tool, took.server, took.others, took.unseen], [0.0; 4]);
    }

    #[test]
    fn this_machine_can_be_looked_at() {
        let mut watch = ProcessorWatch::begin();
        // A second of the clock is not waited for: the ticks are what counts.
        watch.began -= Duration::from_secs(1);
        watch.look();
        let took = watch.took().expect("long enough");
        assert!(took.processors > 0 && took.busy() >= 0.0, "{took:?}");
    }
}
