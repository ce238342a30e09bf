//! The process of the agents. It is this test program, started for one test that is none.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use swell_stats::Snapshot;
use swell_stats::encoding::encode;
use swell_stats::verdict::Evidence;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;

use super::{S, Size, counted};
use crate::Join;
use crate::bus::agent::{AgentBusOptions, Event, Order, attend};
use crate::reporting::IntervalReporter;
use crate::wire::{Body, ControllerMessage, ShareEnd, ShareStatus, State};

/// Environment variable: what the process is to do.
const WORK: &str = "SWELL_PRETENDED_AGENTS";
/// The test that is the process.
const ENTRY: &str = "bus::fake_agents::agents::these_are_the_agents_of_another_process";
/// How often an agent looks.
const LOOK: Duration = Duration::from_millis(20);

/// Starts the process; it ends when its standard input does. Its standard output says how agents
/// began.
pub(super) fn start(size: Size, join: &Join, folder: &Path) -> std::process::Child {
    let Size { agents, labels, seconds, interval_s } = size;
    let mut process = std::process::Command::new(std::env::current_exe().expect("it runs"));
    process.args(["--exact", ENTRY, "--ignored", "--nocapture"]);
    process.env(WORK, format!("{agents} {labels} {seconds} {interval_s} {join} {}", folder.display()));
    process.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    process.spawn().expect("it starts")
}

#[test]
#[ignore = "the process of agents that other tests start"]
fn these_are_the_agents_of_another_process() {
    let Ok(work) = std::env::var(WORK) else {
        return println!("skipped: other tests start this as a process");
    };
    let mut words = work.splitn(6, ' ');
    let mut word = || words.next().expect("there are six");
    let mut number = || word().parse::<u32>().expect("a number");
    let agents = number();
    let labels = number();
    let seconds = i64::from(number());
    let size = Size { agents, labels, seconds, interval_s: number() };
    let join = word().parse().expect("a place");
    let folder = PathBuf::from(word());
    end_with_standard_input();
    swell_net::machine::raise_descriptor_limit().expect("descriptors for all connections");
    pretend(size, &join, &folder);
}

/// The process that started this may be gone, for any reason.
fn end_with_standard_input() {
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(1);
    });
}

/// All agents on as many threads as there are processors, until the run has finished.
fn pretend(size: Size, join: &Join, folder: &Path) {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
    let starts = StartTimes::new(size.agents);
    let (wanted, starter) = starter(starts.clone());
    let running: Vec<_> = (0..threads)
        .map(|thread| {
            let join = join.clone();
            let folder = folder.to_owned();
            let starts = starts.clone();
            let wanted = wanted.clone();
            let own = (thread..size.agents).step_by(threads as usize);
            let all = async move || {
                LocalSet::new().run_until(agents_of(size, own, join, folder, starts, wanted)).await;
            };
            crate::bus::spawn(all).expect("a thread")
        })
        .collect();
    drop(wanted);
    for thread in running {
        thread.join().expect("no panic");
    }
    starter.join().expect("no panic");
    println!("{}", starts.told());
}

/// When agents were to begin and did, on the clock of this process.
struct StartTimes {
    wanted: OnceLock<i64>,
    /// When each meant to begin.
    decided: Vec<AtomicI64>,
    began: Vec<AtomicI64>,
}

impl StartTimes {
    fn new(agents: u32) -> Arc<Self> {
        let none = || (0..agents).map(|_| AtomicI64::new(0)).collect();
        Arc::new(Self { wanted: OnceLock::new(), decided: none(), began: none() })
    }

    fn begin(&self, agent: u32) {
        self.began[agent as usize].store(swell_net::now_ns(), Ordering::Relaxed);
    }

    fn began_ns(&self, agent: u32) -> Option<i64> {
        Some(self.began[agent as usize].load(Ordering::Relaxed)).filter(|at_ns| *at_ns > 0)
    }

    /// The controller is on this machine: its clock is that of this process, and the differences
    /// between starts are the truth. Agents in separate processes start when they decided to; here
    /// one loop has all their timers, so this shows what such a loop costs alone.
    fn told(&self) -> String {
        let wanted = self.wanted.get().copied().unwrap_or(0);
        let of = |all: &[AtomicI64]| {
            let (first, last) = ends(all);
            let [within, first, last] =
                [last - first, first - wanted, last - wanted].map(|ns| ns as f64 / 1e6);
            format!(
                "within {within:.3} ms of each other, {first:+.3} to {last:+.3} ms from the time of the word"
            )
        };
        let alone = Self::new(self.began.len() as u32);
        wake_all(&alone);
        let (first, last) = ends(&alone.began);
        format!(
            "{} agents began {}\nagents decided to begin {}\na loop with that many timers and nothing else woke them within {:.3} ms",
            self.began.len(),
            of(&self.began),
            of(&self.decided),
            (last - first) as f64 / 1e6
        )
    }
}

/// The first and the last of these times.
fn ends(times: &[AtomicI64]) -> (i64, i64) {
    let times = || times.iter().map(|at_ns| at_ns.load(Ordering::Relaxed));
    (times().min().unwrap_or(0), times().max().unwrap_or(0))
}

/// As many timers of one event loop as there are agents, all of the same time.
fn wake_all(starts: &Arc<StartTimes>) {
    let at_ns = swell_net::now_ns() + S / 10;
    let all = (0..starts.began.len() as u32).map(|agent| (agent, at_ns)).collect();
    begin_all(starts, all);
}

/// Begins agents at their times, by the timers of one event loop.
fn begin_all(starts: &Arc<StartTimes>, agents: Vec<(u32, i64)>) {
    let starts = starts.clone();
    swell_net::Runtime::new().expect("an event loop").block_on(async move {
        let begin = |(agent, at_ns)| {
            let starts = starts.clone();
            swell_net::spawn(async move {
                swell_net::sleep_until(at_ns).await;
                starts.begin(agent);
            })
        };
        for task in agents.into_iter().map(begin).collect::<Vec<_>>() {
            task.await;
        }
    });
}

/// Begins each agent at its time, by the timers that workers have. Takes agents with their times,
/// on the clock of this process.
fn starter(starts: Arc<StartTimes>) -> (Sender<(u32, i64)>, JoinHandle<()>) {
    let (sender, wanted) = channel::<(u32, i64)>();
    let begin = move || {
        swell_net::machine::prefer_punctuality();
        let mut known: Vec<(u32, i64)> = Vec::new();
        let everybody = starts.began.len();
        while known.len() < everybody {
            // All of them know the time by then, or begin late.
            let until_ns = known.iter().map(|(_, at_ns)| at_ns - S / 10).min();
            let left_ns = until_ns.map_or(S, |until_ns| until_ns - swell_net::now_ns());
            let Ok(left_ns) = u64::try_from(left_ns) else { break };
            match wanted.recv_timeout(Duration::from_nanos(left_ns)) {
                Ok(one) => known.push(one),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
            }
        }
        begin_all(&starts, known);
        for (agent, _) in wanted {
            starts.begin(agent);
        }
    };
    let thread = std::thread::Builder::new().name("swell-starter".to_owned()).spawn(begin);
    (sender, thread.expect("a thread"))
}

/// The agents of a thread.
async fn agents_of(
    size: Size,
    numbers: impl Iterator<Item = u32>,
    join: Join,
    folder: PathBuf,
    starts: Arc<StartTimes>,
    wanted: Sender<(u32, i64)>,
) {
    let mut all: Vec<_> =
        numbers.map(|number| FakeAgent::begin(number, size, &join, &folder, &starts, &wanted)).collect();
    drop(wanted);
    while !all.iter().all(|agent| agent.over) {
        tokio::time::sleep(LOOK).await;
        for agent in &mut all {
            agent.look(size.seconds);
        }
    }
}

struct FakeAgent {
    number: u32,
    orders: UnboundedSender<Order>,
    events: Receiver<Event>,
    counted: Snapshot,
    share: Option<(String, Vec<u32>)>,
    reporter: IntervalReporter,
    /// How far the controller's clock is ahead, as the agent has measured it.
    offset_ns: Arc<AtomicI64>,
    starts: Arc<StartTimes>,
    wanted: Sender<(u32, i64)>,
    /// On the controller's clock.
    start_ns: Option<i64>,
    told_s: i64,
    through_s: i64,
    over: bool,
}

/// An agent of that number, which leaves the clock of its process alone.
pub(super) fn attend_of(number: u32, join: &Join, folder: &Path) -> AgentBusOptions {
    let folder = folder.join(number.to_string());
    std::fs::create_dir_all(&folder).expect("a folder");
    AgentBusOptions {
        join: join.clone(),
        agent: format!("a{number}"),
        name: format!("a{number}"),
        host: "here".into(),
        workers: 1,
        folder,
        patience: Duration::from_mins(10),
        on_lease: Arc::new(|_| {}),
        shift_clock: Arc::new(|_| {}),
    }
}

impl FakeAgent {
    fn begin(
        number: u32,
        size: Size,
        join: &Join,
        folder: &Path,
        starts: &Arc<StartTimes>,
        wanted: &Sender<(u32, i64)>,
    ) -> Self {
        let (orders, inbox) = unbounded_channel();
        let (to_us, events) = channel();
        let offset_ns = Arc::<AtomicI64>::default();
        let measured = offset_ns.clone();
        // The clock of the process is that of all: each keeps its own correction.
        let shift_clock = move |by_ns| {
            measured.fetch_add(by_ns, Ordering::Relaxed);
        };
        let of_one =
            AgentBusOptions { shift_clock: Arc::new(shift_clock), ..attend_of(number, join, folder) };
        tokio::task::spawn_local(async move {
            if let Err(error) = Box::pin(attend(of_one, inbox, to_us)).await {
                // One is enough to spoil the figure; the others would say the same.
                eprintln!("a{number}: {error}");
                std::process::exit(1);
            }
        });
        let counted = counted(number, size.labels);
        let reporter = IntervalReporter::new(&format!("a{number}"), size.interval_s);
        let starts = starts.clone();
        let wanted = wanted.clone();
        Self {
            number,
            orders,
            events,
            counted,
            share: None,
            reporter,
            offset_ns,
            starts,
            wanted,
            start_ns: None,
            told_s: 0,
            through_s: 0,
            over: false,
        }
    }

    fn order(&self, order: Order) {
        // One that has left takes none.
        let _ = self.orders.send(order);
    }

    fn share_name(&self) -> String {
        self.share.as_ref().map(|(share, _)| share.clone()).expect("it makes load")
    }

    fn count(&self, body: Body) {
        self.order(Order::Count { share: self.share_name(), body });
    }

    fn look(&mut self, seconds: i64) {
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Run(_) => self.order(Order::State(State::Ready)),
                Event::Slices(share, slices) => {
                    self.share = Some((share, slices.iter().map(|granted| granted.slice).collect()));
                    self.order(Order::State(State::Running { held: Some(1) }));
                }
                Event::Down(ControllerMessage::Go { phase: 1, start_ns }) => self.begins_at(start_ns),
                Event::Down(ControllerMessage::Over) => {
                    self.over = true;
                    self.order(Order::Leave);
                }
                Event::LeasesOver(slices) => panic!("leases of {slices:?} are over"),
                _ => {}
            }
        }
        let Some(start_ns) = self.start_ns else { return };
        let now_ns = swell_net::now_ns() + self.offset_ns.load(Ordering::Relaxed);
        while self.told_s < seconds && now_ns >= start_ns + (self.told_s + 1) * S {
            self.tell(start_ns / S + self.told_s, seconds);
        }
    }

    fn begins_at(&mut self, start_ns: i64) {
        self.start_ns = Some(start_ns);
        self.starts.wanted.get_or_init(|| start_ns);
        let own_ns = start_ns - self.offset_ns.load(Ordering::Relaxed);
        self.starts.decided[self.number as usize].store(own_ns, Ordering::Relaxed);
        // One that comes after all others have begun is in no time.
        let _ = self.wanted.send((self.number, own_ns));
    }

    fn tell(&mut self, at_s: i64, seconds: i64) {
        if self.told_s == 0 {
            self.order(Order::State(State::Running { held: None }));
        }
        self.told_s += 1;
        self.reporter.count(at_s, &self.counted);
        let share = self.share_name();
        let orders = self.orders.clone();
        let send = |body| drop(orders.send(Order::Count { share: share.clone(), body }));
        let mut through_s = self.reporter.tell(at_s + 1, send);
        if self.told_s == seconds {
            self.reporter.finish(send);
            through_s = at_s + 1;
        }
        let samples = self.reporter.samples();
        if std::mem::replace(&mut self.through_s, through_s) != through_s {
            let status = ShareStatus { phase: Some(1), samples, ..ShareStatus::default() };
            self.count(Body::Goes { through_s, samples, status, load: swell_stats::Load::default() });
        }
        if self.told_s == seconds {
            let evidence = encode(&Evidence::default());
            let began_ns = self.starts.began_ns(self.number);
            let offset_ns = self.offset_ns.load(Ordering::Relaxed);
            let began = self.start_ns.zip(began_ns.map(|at_ns| at_ns + offset_ns));
            self.count(Body::End(Box::new(ShareEnd { samples, evidence, began, ..ShareEnd::default() })));
            let (share, slices) = self.share.clone().expect("it makes load");
            self.order(Order::GiveBack { share, slices, done: true });
        }
    }
}
