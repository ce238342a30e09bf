//! A run on many machines, as the code that starts a trial sees it: a trial that is ready goes in,
//! one that runs comes out.

mod takeover;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use swell_engine::{ControlError, LoadChange, Prepared, RunElsewhere, Status, Stopped};
use swell_plan::NodeId;
use swell_results::WriteFailure;
use swell_run::{EndElsewhere, Feed, RunShape, RunningTrial, Trial};
use tokio::sync::mpsc::unbounded_channel;

use crate::bus;
use crate::bus::controller::{FetchedRows, LeadOptions, Order, Orders, Report};
pub use crate::coordinator::OnLoss;
use crate::coordinator::{CoordinatorOptions, End};
use crate::files::{self, SentFile};
use crate::wire::{FileEntry, Manifest, Needs, PROTOCOL, SentShape};
use crate::{FleetError, Join, Scratch};

/// Reports that wait for the trial at most.
const QUEUE: usize = 64;

/// Options of a run on many machines.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Clone, Debug)]
pub struct ControllerOptions {
    /// Where the broker is, with the run.
    pub join: Join,
    /// The run.
    pub run: String,
    /// Which agents take part, and the treatment of losses.
    pub coordinator: CoordinatorOptions,
    /// The plan's file.
    pub plan: SentFile,
    /// All other files.
    pub files: Vec<SentFile>,
    /// Properties that agents get.
    pub properties: BTreeMap<String, String>,
    /// Files that the plan names are those that agents have.
    pub local_files: bool,
    /// A results file is wanted besides those of the plan (`-l`).
    pub wants_rows: bool,
    /// Timers round as JMeter's.
    pub compat: bool,
    /// Makes users' random numbers the same in each run.
    pub seed: Option<u64>,
    /// The load over time instead of the plan's.
    pub shape: Option<RunShape>,
    /// Failures of each label and response code that agents keep and send; 0: none.
    pub keep_failures: u16,
    /// They keep bodies of them.
    pub keep_failure_bodies: bool,
    /// Agents end after the run.
    pub exit_after: bool,
    /// What agents may refuse.
    pub needs: Needs,
    /// The run is already running, and its controller was lost.
    pub takes_over: Option<TakeOver>,
}

/// New options of a run whose controller was lost. All others stay as its agents received them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TakeOver {
    /// Treatment of the slices of lost agents.
    pub on_loss: Option<OnLoss>,
    /// Seconds between two messages of an agent with its counts: if given, the same as before.
    pub interval_s: Option<u32>,
}

/// Leads runs on many machines.
#[derive(Debug)]
pub struct Controller {
    lead: LeadOptions,
    /// Why the run could not start or continue.
    failed: Arc<Mutex<Option<String>>>,
}

impl std::fmt::Debug for LeadOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lead")
            .field("join", &self.join)
            .field("manifest", &self.manifest)
            .finish_non_exhaustive()
    }
}

impl Controller {
    /// The parts of a run whose files are read now.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn new(options: ControllerOptions) -> Result<Self, FleetError> {
        let join = options.join.clone();
        let said = options.takes_over;
        let mut coordinator = options.coordinator.clone();
        let all: Vec<_> = std::iter::once(options.plan.clone()).chain(options.files.clone()).collect();
        let mut manifest = manifest_of(options, files::entries(&all)?);
        if let Some(said) = said {
            let join = join.clone();
            let run = manifest.run.clone();
            let known = on_bus(async move || bus::controller::manifest_of(join, run).await)?;
            takeover::take(&mut coordinator, said, &known, &manifest)?;
            manifest = known;
        }
        let lead = LeadOptions {
            join,
            manifest,
            files: all.into_iter().map(|file| file.path).collect(),
            coordinator,
            takes_over: said.is_some(),
            rows_folder: PathBuf::new(),
        };
        Ok(Self { lead, failed: Arc::default() })
    }

    /// Why the run could not start or continue, after it has finished; to be kept while
    /// [`Controller::start`] consumes the rest.
    pub fn failure(&self) -> Arc<Mutex<Option<String>>> {
        self.failed.clone()
    }

    /// Starts the trial on the agents. Its control changes their load, its seconds have what they
    /// count.
    ///
    /// # Errors
    /// No thread can be had.
    pub fn start(self, trial: Trial) -> io::Result<RunningTrial> {
        let prepared = trial.prepared().clone();
        let (orders, inbox) = unbounded_channel();
        let (reports, outbox) = sync_channel(QUEUE);
        let Self { mut lead, failed } = self;
        // One of another process may be that of a controller that this one takes over from.
        let name = format!("{}-{}", lead.manifest.run, std::process::id());
        let rows = Scratch::new(&std::env::temp_dir(), "rows", &name)?;
        rows.path().clone_into(&mut lead.rows_folder);
        let remote = Arc::new(Remote { orders: orders.clone(), status: Mutex::default(), prepared });
        trial.start_elsewhere(lead.coordinator.interval_s, move |feed| {
            let leading =
                bus::spawn(async move || Box::pin(bus::controller::lead(lead, inbox, reports)).await)?;
            let relay = Relay { feed, orders, remote: remote.clone(), _rows: rows, failed };
            let thread = std::thread::Builder::new().name("swell-relay".to_owned());
            thread.spawn(move || relay.run(&outbox, leading))?;
            Ok(remote)
        })
    }
}

/// Connects to a broker and disconnects again.
///
/// # Errors
/// It is not there, rejects these credentials, or is unsuitable for runs.
pub fn try_broker(join: &Join) -> Result<(), FleetError> {
    let join = join.clone();
    on_bus(async move || bus::connect(&join, "swell controller").await.map(drop))
}

/// Asks the broker something, and waits for the answer.
fn on_bus<T: Send + 'static>(
    ask: impl AsyncFnOnce() -> Result<T, FleetError> + Send + 'static,
) -> Result<T, FleetError> {
    let asking = bus::spawn(async move || Box::pin(ask()).await)
        .map_err(|error| FleetError::new(format!("cannot start a thread: {error}")))?;
    asking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The manifest of a run with these files.
fn manifest_of(options: ControllerOptions, files: Vec<FileEntry>) -> Manifest {
    Manifest {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        run: options.run,
        plan: options.plan.name,
        files,
        properties: options.properties,
        slices: options.coordinator.slices.unwrap_or(0),
        multiply: options.coordinator.multiply,
        on_loss: options.coordinator.on_loss,
        local_files: options.local_files,
        wants_rows: options.wants_rows,
        compat: options.compat,
        seed: options.seed,
        shape: options
            .shape
            .map(|RunShape { shape, spacing }| SentShape { shape: (*shape).clone(), spacing }),
        keep_failures: options.keep_failures,
        keep_failure_bodies: options.keep_failure_bodies,
        interval_s: options.coordinator.interval_s,
        exit_after: options.exit_after,
        needs: options.needs,
    }
}

/// Control of the load on the agents.
struct Remote {
    orders: Orders,
    status: Mutex<Option<Status>>,
    prepared: Arc<Prepared>,
}

impl RunElsewhere for Remote {
    fn status(&self) -> Option<Status> {
        self.status.lock().clone()
    }

    fn change(&self, change: &LoadChange) -> Result<(), ControlError> {
        change.check(&self.prepared)?;
        let gone = |_| ControlError::NotSent("the run is finished".to_owned());
        self.orders.send(Order::Change(change.clone())).map_err(gone)
    }

    fn stop(&self, how: Stopped) {
        // A finished run needs no stop.
        let _ = self.orders.send(Order::Stop(how));
    }
}

/// Hands on what the bus reports.
struct Relay {
    feed: Feed,
    orders: Orders,
    remote: Arc<Remote>,
    /// The folder of rows, which goes when they are in the results files.
    _rows: Scratch,
    failed: Arc<Mutex<Option<String>>>,
}

impl Relay {
    fn run(self, reports: &Receiver<Report>, leading: JoinHandle<Result<(), FleetError>>) {
        let mut end = None;
        for report in reports {
            match report {
                Report::Begin => drop(self.orders.send(Order::Begun(self.feed.begin()))),
                Report::Counted(at_s, counted) => self.feed.counts(at_s, *counted),
                Report::Busy(load) => self.feed.load(load),
                Report::Failure(agent, packed) => self.feed.failure(&agent, &packed),
                Report::Say(text) => self.feed.say(&text),
                Report::Status(status) => {
                    *self.remote.status.lock() = Some(*status);
                }
                Report::End(over, rows) => {
                    end = Some((over, rows));
                    break;
                }
            }
        }
        let broke = match leading.join() {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let (end, rows) = end.unwrap_or_default();
        self.finish(*end, &rows, broke);
    }

    fn finish(self, end: End, rows: &FetchedRows, broke: Option<String>) {
        let mut by_listener: BTreeMap<u32, Vec<PathBuf>> = BTreeMap::new();
        for (listener, path) in &rows.files {
            by_listener.entry(*listener).or_default().push(path.clone());
        }
        let mut unwritten = 0_u64;
        for (listener, path, samples) in &rows.unended {
            by_listener.entry(*listener).or_default().push(path.clone());
            let rows = swell_results::rows_in(path).unwrap_or(0);
            unwritten = unwritten.saturating_add(samples.saturating_sub(rows));
        }
        let mut write_failures = Vec::new();
        let mut added = 0;
        for (listener, paths) in by_listener {
            match self.feed.files().add_rows_of(NodeId(listener), &paths) {
                Ok(rows) => added += rows,
                Err(error) => write_failures.push(WriteFailure {
                    path: format!("results of element {listener}").into(),
                    cause: error.to_string(),
                    rows_written: 0,
                    rows_lost: 0,
                }),
            }
        }
        let rows_lost = end.rows_lost.saturating_add(rows.lost).saturating_add(unwritten);
        if rows_lost > 0 {
            write_failures.push(WriteFailure {
                path: self.feed.files().paths().into_iter().next().unwrap_or_default(),
                cause: "some agents were lost, or could not keep or send their rows".to_owned(),
                rows_written: added,
                rows_lost,
            });
        }
        let failed = broke.or(end.failed);
        if let Some(why) = &failed {
            *self.failed.lock() = Some(why.clone());
        }
        self.feed.end(EndElsewhere {
            outcome: end.outcome,
            machines: end.machines,
            servers: end.servers,
            io: end.io,
            write_failures,
            lost: end.lost,
            invalid: end.invalid,
            fine: Some(end.fine),
        });
    }
}
