//! A running trial: its threads, and the handle to it.

use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use swell_engine::{Control, LoadShape, PlannedSampler, Prepared, RunElsewhere, RunOptions, Status};
use swell_expr::{Host as _, Level, Properties};
use swell_net::NetContext;
use swell_net::machine::Awake;
use swell_results::FileWriters;
use swell_stats::Snapshot;

use crate::counting::{Counting, root_listeners};
use crate::elsewhere::Feed;
use crate::end_elsewhere::EndElsewhere;
use crate::failures;
use crate::monitor::{End, Event, RunMonitor, SharedTrialState};
use crate::never_ran::never_ran;
use crate::properties_read::{PropertiesRead, properties_read};
use crate::report::FinishedTrial;
use crate::resources::{ResourceMonitor, WorkerLoad, WorkerThreads};
use crate::subscription::Publisher;
use crate::{Message, Subscription, Trial, TrialReport, TrialSettings};

/// Property: whether the processors of this machine are kept out of deep idle while the test runs;
/// the second is its older name.
const DISABLE_DEEP_IDLE: [&str; 2] = ["swell.disable_deep_idle", "swell.stay_awake"];

/// Starts a trial, locally or elsewhere.
pub type Starter = Box<dyn FnOnce(Trial) -> io::Result<RunningTrial>>;

/// A running trial. Dropping it stops the trial immediately without waiting for it.
pub struct RunningTrial {
    control: TrialControl,
    publisher: Arc<Publisher>,
    monitor: Option<JoinHandle<TrialReport>>,
}

/// A handle to a trial; clones refer to the same trial. It may be used from any thread, also after
/// the end.
#[derive(Clone)]
pub struct TrialControl {
    engine: Control,
    props: Arc<Properties>,
    events: Sender<Event>,
    watched: SharedTrialState,
    hurries: Arc<AtomicBool>,
    net: Arc<NetContext>,
    prepared: Arc<Prepared>,
}

/// The status of a trial.
#[derive(Clone, Debug)]
pub struct Progress {
    /// Its phase and users; none before the engine has started.
    pub status: Option<Status>,
    /// What was counted since the start, a label, with errors by their causes.
    pub counted: Snapshot,
    /// The last five seconds of each worker.
    pub workers: Vec<WorkerLoad>,
}

impl TrialControl {
    /// Stops: running samples finish, no new ones start.
    pub fn stop(&self) {
        self.engine.stop();
    }

    /// Stops at once: running samples are aborted.
    pub fn stop_now(&self) {
        self.engine.stop_now();
    }

    /// Stops at once and ends the trial without waiting for its users, for users that do not end
    /// after [`TrialControl::stop_now`]. Its report has no outcome, and threads of users that do
    /// not end are left behind.
    pub fn abandon(&self) {
        // A finished trial needs no end.
        let _ = self.events.send(Event::Abandon);
    }

    /// What comes after the last sample is cut short: metrics are not kept for a last fetch
    /// (`prometheus.delay`).
    pub fn hurry(&self) {
        self.hurries.store(true, Ordering::Relaxed);
    }

    /// The load may continue until then, on the clock of [`swell_net::boot_ns`]; see
    /// [`NetContext::lease`].
    pub fn lease(&self, until_ns: i64) {
        self.net.lease(until_ns);
    }

    /// How the trial goes; none before the engine has started.
    pub fn status(&self) -> Option<Status> {
        self.engine.status()
    }

    /// Whether load is made: here as soon as the trial is started, elsewhere from the first user
    /// that has started there.
    pub fn has_begun(&self) -> bool {
        !self.engine.is_elsewhere() || self.status().is_some_and(|status| status.started > 0)
    }

    /// Progress of the trial, with all counts until now; nothing is counted after the end, when the
    /// report has the counts.
    pub fn progress(&self) -> Progress {
        let watched = self.watched.lock();
        let counted = watched.run.snapshot.clone();
        let workers = watched.workers.clone();
        Progress { status: self.status(), counted, workers }
    }

    /// What changes the load of the trial while it runs: users, rates, a factor, a pause; see
    /// `docs/live-control.md`.
    pub fn load(&self) -> &Control {
        &self.engine
    }

    /// Which properties the plan reads.
    pub fn properties_read(&self) -> PropertiesRead {
        properties_read(&self.prepared)
    }

    /// Sets a property of the trial. Elements that read it while they run follow: throughput
    /// timers, Concurrency Thread Groups.
    pub fn set_property(&self, name: &str, value: &str) {
        self.props.set(name, value);
    }
}

impl RunningTrial {
    /// A handle on it.
    pub fn control(&self) -> TrialControl {
        self.control.clone()
    }

    /// Its seconds from now on.
    pub fn subscribe(&self) -> Subscription {
        self.publisher.subscribe(None)
    }

    /// Waits for the end.
    ///
    /// # Panics
    /// The monitor of the trial did, by a fault of the tool.
    pub fn wait(mut self) -> TrialReport {
        let monitor = self.monitor.take().expect("it is taken once, here");
        monitor.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for RunningTrial {
    fn drop(&mut self) {
        if self.monitor.is_some() {
            self.control.stop_now();
        }
    }
}

/// What the monitor's thread needs for the end.
struct TrialFinisher {
    /// None where the load is made elsewhere.
    engine: Option<JoinHandle<()>>,
    net: Arc<NetContext>,
    hurries: Arc<AtomicBool>,
    settings: TrialSettings,
    shape: Option<LoadShape>,
    host: Arc<crate::host::Machine>,
    ended_by: Arc<OnceLock<String>>,
    /// The samplers of the plan.
    planned: Vec<PlannedSampler>,
    /// Held until the end.
    _awake: Option<io::Result<Awake>>,
}

/// What a trial begins with, wherever its load is made.
struct TrialStart {
    control: TrialControl,
    events: Sender<Event>,
    inbox: Receiver<Event>,
    monitor: RunMonitor,
}

impl Trial {
    /// Starts it, on separate threads.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn start(mut self) -> io::Result<RunningTrial> {
        let net = NetContext::new(self.settings.timestamps).with_io(self.settings.io);
        let net = net.with_slack(self.settings.slack.unwrap_or_default());
        let net = Arc::new(net.with_sources(self.sources.take()));
        // Loaded now if this clock wants it, the program is no part of the first connection's time.
        // Where it may not be, reads bring stamps.
        let _ = net.source().uses_kernel_program();
        // Where that is not allowed, the trial runs on processors that sleep.
        let [name, older] = DISABLE_DEEP_IDLE;
        let disables = self.props().flag(name, self.props().flag(older, true));
        let awake = disables.then(swell_net::machine::disable_deep_idle);
        let threads = WorkerThreads::default();
        let TrialStart { control, events, inbox, monitor } = self.begin(net.clone(), threads.clone());
        if self.settings.holds_phases {
            control.engine.hold_phases();
        }
        let ended_by = self.watch_providers(&control.engine);
        let monitor = monitor
            .giving_up(self.settings.give_up)
            .telling_halves(self.settings.twice_a_second)
            .monitoring(self.settings.monitor.clone())
            .wanting(self.settings.wanted.map(|wanted| wanted.rate_per_s))
            .shaped(self.shape.as_ref());
        let options = self.options(&events, &net, threads, ended_by.clone());
        if let Some(kept) = &self.settings.failures {
            failures::begin(kept, &self);
        }
        let engine = Some(self.start_engine(options, control.engine.clone(), events)?);
        let hurries = control.hurries.clone();
        let planned = self.planned_samplers();
        let publisher = self.publisher;
        let settings = self.settings;
        let shape = self.shape;
        let host = self.host;
        let ending =
            TrialFinisher { engine, net, hurries, settings, shape, host, ended_by, planned, _awake: awake };
        let monitor = start_monitor(monitor, inbox, ending).inspect_err(|_| control.stop_now())?;
        Ok(RunningTrial { control, publisher, monitor: Some(monitor) })
    }

    /// Starts it where `make` makes its load, which gets a way to tell what is counted there: on
    /// other machines. What comes from there is counted over intervals of `interval_s` seconds, and
    /// subscribers get those.
    ///
    /// # Errors
    /// No thread can be had, or `make` cannot begin.
    pub fn start_elsewhere(
        self,
        interval_s: u32,
        make: impl FnOnce(Feed) -> io::Result<Arc<dyn RunElsewhere>>,
    ) -> io::Result<RunningTrial> {
        let net = Arc::new(NetContext::new(self.settings.timestamps));
        let TrialStart { control, events, inbox, monitor } =
            self.begin(net.clone(), WorkerThreads::default());
        let failures = self.settings.failures.clone();
        if let Some(kept) = &failures {
            failures::begin(kept, &self);
        }
        let files = self.sinks.files.clone();
        let feed = Feed::new(events, files, self.host.clone(), self.settings.messages.clone(), failures);
        control.engine.attach_elsewhere(&make(feed)?);
        let hurries = control.hurries.clone();
        let publisher = self.publisher;
        let ending = TrialFinisher {
            engine: None,
            net,
            hurries,
            settings: self.settings,
            shape: None,
            host: self.host,
            ended_by: Arc::default(),
            planned: Vec::new(),
            _awake: None,
        };
        let monitor = start_monitor(monitor.of_load_elsewhere(interval_s), inbox, ending)
            .inspect_err(|_| control.stop_now())?;
        Ok(RunningTrial { control, publisher, monitor: Some(monitor) })
    }

    /// Begins to look at the machine, before the first connection.
    fn begin(&self, net: Arc<NetContext>, threads: WorkerThreads) -> TrialStart {
        let resources = ResourceMonitor::begin(threads, net.clone(), swell_net::now_ns());
        let watched = SharedTrialState::default();
        let (events, inbox) = mpsc::channel();
        let engine = Control::new();
        let sinks = self.sinks.clone();
        let messages = self.settings.messages.clone();
        let monitor = RunMonitor::new(engine.clone(), sinks, messages, watched.clone(), resources)
            .summarising_transactions(swell_results::counts_transactions(self.props()))
            .publishing_to(self.publisher.clone());
        let props = self.props().clone();
        let hurries = Arc::default();
        let prepared = self.prepared.clone();
        let control = TrialControl { engine, props, events: events.clone(), watched, hurries, net, prepared };
        TrialStart { control, events, inbox, monitor }
    }

    /// Stops at once where elements of a provider can run no more; what comes back has the first
    /// reason then.
    fn watch_providers(&self, engine: &Control) -> Arc<OnceLock<String>> {
        let host = self.host.clone();
        let messages = self.settings.messages.clone();
        let engine = engine.clone();
        let ended_by = Arc::new(OnceLock::new());
        let first = ended_by.clone();
        self.registry.watch_providers(
            &(Arc::new(move |reason: &str| {
                host.log(Level::Error, reason);
                if first.set(reason.to_owned()).is_ok() {
                    messages(Message::Broken(reason));
                }
                engine.stop_now();
            }) as _),
        );
        ended_by
    }

    fn options(
        &self,
        events: &Sender<Event>,
        net: &Arc<NetContext>,
        threads: WorkerThreads,
        ended_by: Arc<OnceLock<String>>,
    ) -> RunOptions {
        let defaults = RunOptions::default();
        let files = self.sinks.files.clone();
        let host = self.host.clone();
        let registry = self.registry.clone();
        RunOptions {
            workers: self.settings.workers.unwrap_or(defaults.workers),
            share: self.settings.share.clone(),
            compat: self.settings.compat,
            seed: self.settings.seed,
            shape: self.shape.clone(),
            ends_process: self.settings.ends_process,
            root_listeners: root_listeners(Counting {
                to: events.clone(),
                backs_off: self.settings.give_up.is_some(),
                twice_a_second: self.settings.twice_a_second,
                figures: self.figures.iter().map(|figure| figure.name).collect(),
                failures: self.settings.failures.clone(),
            }),
            recent: self.settings.failures.as_ref().map(|kept| kept.pool().clone()),
            watched: self.figures.iter().map(|figure| figure.variable.clone()).collect(),
            before_users: Arc::new(move || {
                // What cannot run is known before results of an earlier run are replaced.
                registry.providers_ready().inspect_err(|why| {
                    // The first reason counts.
                    let _ = ended_by.set(why.clone());
                })?;
                host.begin_log();
                files.begin().map_err(|error| error.to_string())
            }),
            on_worker: Arc::new(move |thread| {
                threads.lock().push(thread);
            }),
            net: net.clone(),
            ..defaults
        }
    }

    fn start_engine(
        &self,
        options: RunOptions,
        control: Control,
        events: Sender<Event>,
    ) -> io::Result<JoinHandle<()>> {
        let prepared = self.prepared.clone();
        let registry = self.registry.clone();
        let host = self.host.clone();
        std::thread::Builder::new().name("swell-run".to_owned()).spawn(move || {
            let run = AssertUnwindSafe(|| {
                let outcome = swell_engine::run(&prepared, registry.clone(), options, &control);
                registry.providers_end(&*host);
                outcome
            });
            // The text of the panic is on standard error by now.
            let event =
                std::panic::catch_unwind(run).map_or(Event::Broken, |outcome| Event::Over(Box::new(outcome)));
            // The monitor is gone only if the trial was abandoned.
            let _ = events.send(event);
        })
    }
}

fn start_monitor(
    mut monitor: RunMonitor,
    inbox: Receiver<Event>,
    ending: TrialFinisher,
) -> io::Result<JoinHandle<TrialReport>> {
    let thread = std::thread::Builder::new().name("swell-monitor".to_owned());
    thread.spawn(move || {
        // Workers come first; where the kernel will not, this thread competes with them.
        swell_net::machine::give_way();
        let end = monitor.watch(&inbox);
        ending.finish(&monitor, end)
    })
}

impl TrialFinisher {
    fn finish(self, monitor: &RunMonitor, end: End) -> TrialReport {
        let write_failures = monitor.sinks.files.finish();
        let at_once =
            self.hurries.load(Ordering::Relaxed) || !matches!(end, End::Over(_) | End::Elsewhere(_));
        monitor.sinks.metrics.finish(at_once);
        self.host.finish_files(if at_once { Duration::from_secs(1) } else { FileWriters::PATIENCE });
        let disk_waits = monitor.sinks.files.disk_waits() + self.host.writers().disk_waits();
        let broken = matches!(end, End::Broken);
        let mut elsewhere: Option<EndElsewhere> = None;
        let outcome = match end {
            End::Elsewhere(end) => {
                let outcome = end.outcome.clone();
                elsewhere = Some(*end);
                Some(outcome)
            }
            End::Over(outcome) => {
                let joined = self.engine.map(JoinHandle::join);
                debug_assert!(matches!(joined, Some(Ok(()))), "it has sent its outcome");
                Some(*outcome)
            }
            // Without an outcome, what was measured is on disk: do not wait for threads that may
            // hang.
            End::Broken | End::Abandoned => None,
        };
        let refused = monitor.sinks.files.options().confinement.refused().map(str::to_owned);
        let finished = FinishedTrial {
            outcome,
            run: std::mem::take(&mut monitor.watched.lock().run),
            resources: monitor.resources(),
            processors: monitor.processors(),
            write_failures,
            logged: self.host.logged(),
            broken,
            began: monitor.sinks.files.has_begun(),
            ended_by: self.ended_by.get().cloned().or(refused),
            disk_waits,
        };
        let report = match elsewhere {
            Some(elsewhere) => finished.judged_elsewhere(elsewhere),
            None => finished.judged(&self.net, self.settings.wanted, self.shape.as_ref()),
        };
        let never_ran = never_ran(&self.planned, &report.summary);
        let failures_too_large = self.settings.failures.as_ref().map_or(0, |kept| kept.too_large());
        TrialReport { never_ran, failures_too_large, ..report }
    }
}
