//! Builds the world of a trial, runs it, and has it checked.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use swell_api::{CompileContext, Listener, Needs, SampleEvent};
use swell_engine::{Control, Prepared, RunOptions, RunOutcome, Settings};
use swell_expr::testing::TestHost;
use swell_expr::{ForeignFunctions, Properties, RunInfo};
use swell_net::{NetContext, TimestampSource};
use swell_results::CountingListener;
use swell_results::simulated::{Disk, WorldFile};
use swell_stats::Snapshot;
use swell_target::{Options, serve_here};

use super::check::{Seen, check};
use super::options::{LoadOfGroup, StopOptions, TrialFault, TrialOptions};
use super::plan;
use super::samples::Heard;
use crate::kernel::{Clock, Link, Span};
use crate::results::row_format;
use crate::world::{Machine, World, caught, in_world};

const MS: i64 = 1_000_000;
const S: i64 = 1_000_000_000;
/// How long a request may take.
pub(super) const TIMEOUT_MS: u32 = 20_000;
/// Where the site listens.
const SITE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2)), 80);

/// What a world with a trial came to.
#[derive(Clone, Debug, Default)]
pub struct TrialResult {
    /// What did not hold, in words; empty where all did.
    pub wrong: Vec<String>,
    /// A hash of everything that happened in the kernel of the world.
    pub trace: u64,
    /// A hash of the results file and of all samples.
    pub rows: u64,
    /// Samples, and those of them that were successful.
    pub samples: (u64, u64),
}

/// Runs a world and checks it. A panic in it is one of the things that did not hold.
pub fn run(options: &TrialOptions) -> TrialResult {
    // Its first use looks at files and at the real clock; names of zones come from there.
    jiff::tz::db();
    let ran = caught(|| in_world(options.seed, |world| run_in(world, options)));
    ran.unwrap_or_else(|panic| TrialResult { wrong: vec![panic], ..TrialResult::default() })
}

fn run_in(world: &mut World, options: &TrialOptions) -> TrialResult {
    let (tool_machine, site_machine) = build(world, options);
    let target = Options { bind: SITE, log_entries: 1 << 20, seed: options.seed, ..Options::default() };
    let (record, serving) = serve_here(target);
    let site = world.service(site_machine, "site", async move {
        serving.await.expect("the port is free");
    });
    let collected = Collected::new();
    let outcome = Rc::new(RefCell::new(None));
    let control = Control::new();
    let (ended, collecting, controlling) = (outcome.clone(), collected.clone(), control.clone());
    let trial = options.clone();
    let tool = world.process(tool_machine, "coordinator", async move {
        *ended.borrow_mut() = Some(run_engine(&trial, &collecting, &controlling).await);
    });
    if let Some(stop) = options.stop {
        world.service(tool_machine, "hand", stop_later(stop, control));
    }
    for fault in &options.faults {
        match *fault {
            TrialFault::ToolStall { at_ms, for_ms } => world.stall(tool, span(at_ms, for_ms)),
            TrialFault::SiteStall { at_ms, for_ms } => world.stall(site, span(at_ms, for_ms)),
            TrialFault::SiteKilled { at_ms } => world.kill(site, i64::from(at_ms) * MS),
            _ => {}
        }
    }
    let stuck = world.run().err().map(|stuck| stuck.to_string());
    let outcome = outcome.take();
    let (heard, rows, counted) = collected.take();
    let mut hasher = DefaultHasher::new();
    (&heard, &rows).hash(&mut hasher);
    let successes = heard.iter().filter(|sample| sample.success).count() as u64;
    let samples = (heard.len() as u64, successes);
    let seen = Seen { options, heard, rows, counted, log: record.log(), outcome, stuck };
    TrialResult { wrong: check(&seen), trace: world.trace(), rows: hasher.finish(), samples }
}

/// Machines and links.
fn build(world: &mut World, options: &TrialOptions) -> (Machine, Machine) {
    let mut link = Link { latency_ns: i64::from(options.latency_us) * 1_000, ..Link::default() };
    for fault in &options.faults {
        match *fault {
            TrialFault::Jitter { most_us } => link.jitter_ns = i64::from(most_us) * 1_000,
            TrialFault::Loss { share } => link.loss = share,
            TrialFault::Resets { share } => link.reset = share,
            TrialFault::Partial { share } => link.partial = share,
            TrialFault::Cut { at_ms, for_ms } => link.cuts.push(span(at_ms, for_ms)),
            TrialFault::SlowTurns { most_us } => world.set_turn_ns(i64::from(most_us) * 1_000),
            _ => {}
        }
    }
    let tool = world.machine([10, 0, 0, 1], Clock::default());
    let site = world.machine([10, 0, 0, 2], Clock::default());
    world.link(tool, site, link);
    world.set_read_ns(i64::from(options.read_ns));
    world.set_wake_ns(i64::from(options.wake_us) * 1_000);
    world.set_limit_ns(limit_ns(options));
    (tool, site)
}

/// By when a trial has ended, whatever happened: a plan of a few hundred requests, each of which
/// may time out.
fn limit_ns(options: &TrialOptions) -> i64 {
    let hours = if options.has(|fault| matches!(fault, TrialFault::SiteKilled { .. })) { 24 } else { 3 };
    hours * 3_600 * S
}

fn span(at_ms: u32, for_ms: u32) -> Span {
    Span::new(i64::from(at_ms) * MS, i64::from(for_ms) * MS)
}

async fn stop_later(stop: StopOptions, control: Control) {
    swell_net::sleep_until(swell_net::now_ns() + i64::from(stop.at_ms) * MS).await;
    if stop.at_once { control.stop_now() } else { control.stop() }
}

/// The trial, from its text to its outcome.
async fn run_engine(options: &TrialOptions, collected: &Collected, control: &Control) -> RunOutcome {
    let registry = swell_run::table_of_elements();
    let prepared = Arc::new(prepare(options, &registry));
    let collecting = collected.clone();
    let run = RunOptions {
        workers: options.workers as usize,
        compat: options.compat,
        seed: Some(options.seed),
        root_listeners: Arc::new(move |compile| vec![Rc::new(Collector::new(&collecting, compile)) as _]),
        // A world has one thread.
        aside: Some(Arc::new(|job| {
            job();
            Box::pin(async {})
        })),
        net: Arc::new(NetContext::new(TimestampSource::Socket)),
        ..RunOptions::default()
    };
    swell_engine::run_in_loop(&prepared, registry, run, control).await
}

fn prepare(options: &TrialOptions, registry: &swell_api::Registry) -> Prepared {
    let text = plan::jmx(options);
    let plan = swell_plan::read(text.as_bytes(), None).plan.expect("the plan of a world is well-formed");
    let host = TestHost::default();
    for (place, group) in options.groups.iter().enumerate() {
        if let Some(csv) = group.csv {
            host.add_file(plan::csv_name(place), plan::csv_text(csv));
        }
    }
    let settings = Settings {
        props: Arc::new(Properties::default()),
        host: Arc::new(host),
        run: Arc::new(RunInfo::default()),
        functions: ForeignFunctions::default(),
        edit: None,
        trace: None,
    };
    swell_engine::prepare(&plan, registry, settings).expect("the plan of a world can run")
}

/// What the listeners of all workers collect; clones are the same.
#[derive(Clone)]
struct Collected(Arc<Mutex<Parts>>);

struct Parts {
    heard: Vec<Heard>,
    counted: Snapshot,
    disk: Memory,
    file: Option<WorldFile<Memory>>,
}

impl Collected {
    fn new() -> Self {
        let format = row_format(false).expect("the defaults are right");
        let disk = Memory::default();
        let workers_max = 8;
        let file =
            WorldFile::new(disk.clone(), format, (workers_max, 1), Arc::new(|failure| panic!("{failure:?}")));
        Self(Arc::new(Mutex::new(Parts {
            heard: Vec::new(),
            counted: Snapshot::default(),
            disk,
            file: Some(file),
        })))
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The samples, the results file, and what was counted.
    fn take(&self) -> (Vec<Heard>, String, Snapshot) {
        let mut parts = self.parts();
        let failure = parts.file.take().and_then(WorldFile::close);
        assert!(failure.is_none(), "the memory takes all: {failure:?}");
        let rows = String::from_utf8_lossy(&parts.disk.bytes()).into_owned();
        (std::mem::take(&mut parts.heard), rows, std::mem::take(&mut parts.counted))
    }
}

/// A disk without limits.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Disk for Memory {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.bytes().truncate(length as usize);
        Ok(())
    }
}

/// The listener of a worker.
struct Collector {
    worker: usize,
    collected: Collected,
    counts: CountingListener,
}

impl Collector {
    fn new(collected: &Collected, compile: &CompileContext) -> Self {
        Self { worker: compile.worker, collected: collected.clone(), counts: CountingListener::default() }
    }

    fn hand_over(&self) {
        self.collected.parts().counted.merge(&self.counts.take_interval());
    }
}

impl Listener for Collector {
    fn needs(&self) -> Needs {
        Needs { details: true, ..self.counts.needs() }
    }

    fn sample(&self, event: &SampleEvent<'_>) {
        self.counts.sample(event);
        let mut parts = self.collected.parts();
        parts.heard.push(Heard::from(event.sample));
        if let Some(file) = &mut parts.file {
            file.sample((self.worker, 0), event.sample, event.cx);
        }
    }

    fn inner_sample(&self, event: &SampleEvent<'_>) {
        self.counts.inner_sample(event);
    }

    fn tick(&self, _at_ns: i64) {
        self.hand_over();
        if let Some(file) = &mut self.collected.parts().file {
            file.step();
        }
    }

    fn finish(&self) {
        self.hand_over();
    }
}

impl TrialOptions {
    /// Users that a group has over its time.
    pub(super) fn users_of(&self, group: usize) -> usize {
        match self.groups[group].load {
            LoadOfGroup::Users { users, .. } => users as usize,
            LoadOfGroup::Open { per_s, for_s, .. } => (per_s * for_s) as usize,
        }
    }
}
