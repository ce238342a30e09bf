//! The coordinator: phases, thread groups, the end. A future of the calling thread, or of a loop.

mod external;
mod starting;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use swell_api::{Phase, Registry, bodies_of, foreign_work};
use swell_expr::Shared;
use swell_net::{HugePages, LoopHandle, NetContext, Receiver, RecvError, Sender};
use swell_plan::{Diagnostic, Place, Severity};

use super::before::{self, Start};
use super::commands::{Command, Event};
use super::live::{Live, StopMode, give_way};
use super::worker_thread::{self, WorkerSetup};
use super::{BeforeUsers, Control, RunOptions, RunOutcome, SessionCounts, Stopped, huge_pages};
use crate::csv::{CURSORS, Cursors};
use crate::prepare::{Group, LoadShape, MainContext, Prepared, ShapeOf, load};
use crate::schedule::{SHARE, Share};

/// How often a number of users that can vary is read again.
const TARGETS_EVERY_NS: i64 = 100_000_000;
/// While a ramp multiplies the load, users that wait for their turn at a rate check it at this
/// interval.
const RAMP_EVERY_NS: i64 = 500_000_000;

/// What to do where the machine refuses a thread or a loop.
const LIMITS_HINT: &str = "`swell doctor` shows the limits";

/// A thread group whose number of users can vary.
struct Varying {
    place: usize,
    main: MainContext,
}

struct Coordinator {
    prepared: Arc<Prepared>,
    /// Variables that users start with.
    start: Start,
    live: Arc<Live>,
    workers: Vec<Sender<Command>>,
    events: Receiver<Event>,
    to_me: Sender<Event>,
    ready: usize,
    gone: usize,
    /// Workers that still have users of a group, by group.
    busy: Vec<usize>,
    /// The part of the test that this run makes.
    share: Arc<Share>,
    shared: Arc<Shared>,
    /// Users of the groups so far.
    offset: u32,
    /// No schedule of the phase begins before.
    phase_start_ns: i64,
    varying: Vec<Varying>,
    /// When users are to look at the factor again, while a ramp leads it.
    ramp_look_ns: Option<i64>,
    compat: bool,
    shape: Option<LoadShape>,
    /// The parts of the shape that main groups have, by group; worked out when the first of them
    /// starts.
    parts: Vec<f64>,
    /// When the shape begins.
    shape_start_ns: Option<i64>,
    before_users: BeforeUsers,
    /// Starts that timers wanted but no user made.
    missed: Arc<AtomicU64>,
    stopped: Option<Stopped>,
    stopped_ns: Option<i64>,
    problems: Vec<Diagnostic>,
    net: Arc<NetContext>,
    /// Held from when there may be many users.
    huge_pages: Option<HugePages>,
}

pub(super) async fn run(
    prepared: &Arc<Prepared>,
    registry: Registry,
    options: RunOptions,
    control: &Control,
) -> RunOutcome {
    let share =
        Arc::new(options.share.clone().unwrap_or_else(|| Share::whole(options.workers.max(1) as u32)));
    let options = RunOptions { workers: share.slices.len(), ..options };
    let shared = Arc::new(Shared::with_functions(prepared.settings.functions.clone()));
    let bodies = bodies_of(&shared, &prepared.settings.props);
    let foreign = foreign_work(&shared, &prepared.settings.props, give_way);
    // Elements that share something between all users find the part of it that is this run's.
    let _ = shared.get(SHARE, || (*share).clone());
    let used = share.taken_over.as_ref().map(|taken_over| taken_over.rows_read.clone()).unwrap_or_default();
    let cursors = shared.get(CURSORS, || Cursors::begun(used));
    let live = Arc::new(Live::new(prepared, bodies, foreign, cursors, share.part()));
    let compat = options.compat;
    let before_users = options.before_users.clone();
    let net = options.net.clone();
    let shape = options.shape.clone();
    if let Some(shape) = shape.as_ref().filter(|shape| shape.of == ShapeOf::Timers) {
        crate::timer::follow(&shared, &shape.shape, shape.spacing, &share);
    }
    let (to_me, events) = swell_net::channel();
    control.attach(&live, to_me.clone(), prepared.settings.props.clone());
    let setup = WorkerSetup {
        prepared: prepared.clone(),
        registry,
        options,
        live: live.clone(),
        shared,
        events: to_me,
    };
    let start = before::start(&setup.shared);
    let missed = setup.shared.get(crate::timer::MISSED_STARTS, AtomicU64::default);
    let (workers, loops, refused) = start_workers(&setup);
    let to_me = setup.events.clone();
    let shared = setup.shared.clone();
    drop(setup);
    let mut coordinator = Coordinator {
        prepared: prepared.clone(),
        start,
        busy: vec![0; live.groups.len()],
        live,
        workers,
        events,
        to_me,
        ready: 0,
        gone: 0,
        share,
        shared,
        offset: 0,
        phase_start_ns: i64::MIN,
        varying: Vec::new(),
        ramp_look_ns: None,
        compat,
        shape,
        parts: Vec::new(),
        shape_start_ns: None,
        before_users,
        missed,
        stopped: None,
        stopped_ns: None,
        problems: Vec::new(),
        net,
        huge_pages: None,
    };
    for error in refused {
        coordinator.problem(format!("cannot start a thread: {error}"), LIMITS_HINT);
    }
    coordinator.run_phases().await;
    coordinator.end(loops).await
}

/// Ways to the workers, their loops, and why some have none. A worker without a loop counts as one
/// that is gone.
fn start_workers(setup: &WorkerSetup) -> (Vec<Sender<Command>>, Vec<LoopHandle>, Vec<io::Error>) {
    let count = setup.options.workers.max(1);
    let mut workers = Vec::new();
    let mut loops = Vec::new();
    let mut refused = Vec::new();
    for index in 0..count {
        let (sender, receiver) = swell_net::channel();
        let started = worker_thread::start(index, count, setup, receiver);
        workers.push(sender);
        match started {
            Ok(started) => loops.push(started),
            Err(error) => refused.push(error),
        }
    }
    (workers, loops, refused)
}

impl Coordinator {
    async fn run_phases(&mut self) {
        let count = self.workers.len();
        self.wait(|me| me.ready == count).await;
        self.begin();
        self.live.started_ns.store(swell_net::now_ns(), Ordering::Relaxed);
        if self.share.from == Phase::SetUp {
            self.run_phase(Phase::SetUp).await;
        }
        let main_ran = self.live.stop_mode() == StopMode::Run;
        if main_ran && self.share.from <= Phase::Main {
            self.run_phase(Phase::Main).await;
        }
        let stopped = self.live.stop_mode() != StopMode::Run;
        if stopped && main_ran && self.prepared.tear_down_on_shutdown && self.gone == 0 {
            self.live.go_on();
        }
        self.run_phase(Phase::TearDown).await;
        self.live.set_phase(None);
    }

    /// The last that can refuse the run.
    fn begin(&mut self) {
        if self.live.stop_mode() == StopMode::Run
            && let Err(message) = (self.before_users)()
        {
            self.problem(message, "nothing was run");
            self.live.raise(StopMode::Immediate);
            self.stop();
        }
    }

    /// Starts the groups of a phase one after the other and waits for their end.
    async fn run_phase(&mut self, phase: Phase) {
        let prepared = self.prepared.clone();
        let of_phase: Vec<_> =
            prepared.groups.iter().enumerate().filter(|(_, group)| group.phase == phase).collect();
        self.live.set_phase(Some(phase));
        if !of_phase.is_empty() {
            self.wait_for_release(phase).await;
        }
        for (place, group) in of_phase {
            if self.live.stop_mode() != StopMode::Run {
                break;
            }
            self.start_group(place, group);
            if prepared.serialized {
                self.wait(|me| me.busy[place] == 0).await;
            }
        }
        self.wait(|me| me.busy.iter().all(|busy| *busy == 0)).await;
        self.note_dropped(phase);
        self.live.expected_end_ns.store(0, Ordering::Relaxed);
    }

    /// Waits while something outside holds the phase.
    async fn wait_for_release(&mut self, phase: Phase) {
        self.wait(|me| me.live.gates.start_ns(phase).is_some() || me.live.stop_mode() != StopMode::Run).await;
        self.phase_start_ns = self.live.gates.start_ns(phase).unwrap_or(i64::MIN);
    }

    fn main_context(&self) -> MainContext {
        let main = MainContext::new(&self.prepared.settings, self.prepared.file.clone());
        for (name, value) in self.start.get().unwrap_or(&self.prepared.initial) {
            main.put(name, value);
        }
        main
    }

    /// Reads the numbers of users that can vary.
    fn read_targets(&mut self) {
        let Self { varying, live, prepared, busy, .. } = self;
        varying.retain(|one| busy[one.place] > 0);
        for Varying { place, main } in varying {
            let target = load::target(&prepared.groups[*place].node.element, main);
            live.groups[*place].target.store(target, Ordering::Relaxed);
        }
        self.look_at_size();
    }

    /// Takes huge pages for the rest of the run once it has many users.
    fn look_at_size(&mut self) {
        if self.huge_pages.is_none() && huge_pages::are_worth_it(&self.live) {
            self.huge_pages = Some(HugePages::hold());
        }
    }

    fn group_problem(&mut self, group: &Group, severity: Severity, message: String, hint: Option<String>) {
        let element = group.node.element.path.clone();
        let file = self.prepared.file.clone();
        let place = Place { file, line: group.node.element.line, element, property: None };
        self.problems.push(Diagnostic { severity, place, message, hint });
    }

    /// Says of the groups of a phase where arrivals had no user.
    fn note_dropped(&mut self, phase: Phase) {
        let prepared = self.prepared.clone();
        for (place, group) in prepared.groups.iter().enumerate().filter(|(_, group)| group.phase == phase) {
            let dropped = self.live.groups[place].dropped.load(Ordering::Relaxed);
            if dropped > 0 {
                self.missed.fetch_add(dropped, Ordering::Relaxed);
                let message = format!("{dropped} arrivals were dropped: the concurrency limit was reached");
                let hint = Some("raise or remove the concurrency limit".to_owned());
                self.group_problem(group, Severity::Warning, message, hint);
            }
            let missed = self.live.groups[place].missed_in_gap.load(Ordering::Relaxed);
            if missed > 0 {
                self.missed.fetch_add(missed, Ordering::Relaxed);
                let message = format!(
                    "{missed} arrivals were missed between the loss of a machine and its replacement"
                );
                self.group_problem(group, Severity::Warning, message, None);
            }
        }
    }

    /// Notes what is not known yet: every worker finds the same, and so did the preparation.
    fn note_all(&mut self, found: Vec<Diagnostic>) {
        for diagnostic in found {
            if !self.prepared.diagnostics().contains(&diagnostic) && !self.problems.contains(&diagnostic) {
                self.problems.push(diagnostic);
            }
        }
    }

    /// Notes that something failed outside of the plan.
    fn problem(&mut self, message: String, hint: &str) {
        let place = Place { file: self.prepared.file.clone(), ..Place::default() };
        let hint = Some(hint.to_owned());
        self.problems.push(Diagnostic { severity: Severity::Error, place, message, hint });
    }

    async fn wait(&mut self, until: impl Fn(&Self) -> bool) {
        while !until(self) {
            match self.next_event().await {
                Ok(event) => self.handle_event(event),
                Err(RecvError::TimedOut) => {
                    self.read_targets();
                    self.follow_ramp();
                }
                Err(RecvError::Closed) => return,
            }
        }
        // A stop that came together with what was waited for.
        if self.live.stop_mode() != StopMode::Run && self.stopped.is_none() {
            self.stop();
        }
    }

    async fn next_event(&mut self) -> Result<Event, RecvError> {
        let looks = !self.varying.is_empty() || self.ramp_look_ns.is_some();
        let until_ns = if looks { swell_net::now_ns() + TARGETS_EVERY_NS } else { i64::MAX };
        self.events.recv_until(until_ns).await
    }

    fn handle_event(&mut self, event: Event) {
        match event {
            Event::Ready(found) => {
                self.ready += 1;
                self.note_all(found);
            }
            Event::Failed(message) => self.problem(message, LIMITS_HINT),
            Event::ExternalEnded(group, how) => self.external_ended(group, how),
            Event::GroupOver(group) => self.tell(|| Command::GroupOver(group)),
            Event::GroupDone(group) => self.busy[group] = self.busy[group].saturating_sub(1),
            Event::Stop => self.stop(),
            // Who waits for it looks after each event.
            Event::Released => {}
            Event::Changed => {
                self.look_at_size();
                self.tell(|| Command::Look);
                self.await_ramp();
            }
            Event::Exited => self.worker_gone(),
        }
    }

    /// Notes that a ramp leads the factor, if one does.
    fn await_ramp(&mut self) {
        let now_ns = swell_net::now_ns();
        let changes = self.live.changes.factor_ramp().changes_after(now_ns);
        self.ramp_look_ns = changes.then(|| now_ns.saturating_add(RAMP_EVERY_NS));
    }

    /// Lets users look at the factor while a ramp leads it, and once when it is there.
    fn follow_ramp(&mut self) {
        if self.ramp_look_ns.is_some_and(|look_ns| swell_net::now_ns() >= look_ns) {
            self.live.changes.changed();
            self.tell(|| Command::Look);
            self.await_ramp();
        }
    }

    fn tell(&self, command: impl Fn() -> Command) {
        for worker in &self.workers {
            // An event already reported a worker that is gone.
            let _ = worker.send(command());
        }
    }

    fn stop(&mut self) {
        let how = match self.live.stop_mode() {
            StopMode::Run => return,
            StopMode::Graceful => Stopped::Graceful,
            StopMode::Immediate => Stopped::Immediate,
        };
        self.stopped = self.stopped.max(Some(how));
        self.stopped_ns.get_or_insert_with(swell_net::now_ns);
        self.tell(|| Command::Wake);
    }

    /// A worker ended early: the run cannot continue as planned.
    fn worker_gone(&mut self) {
        self.gone += 1;
        self.ready += 1;
        let own = self.prepared.groups.iter().zip(&mut self.busy).filter(|(group, _)| !group.is_external());
        own.for_each(|(_, busy)| *busy = busy.saturating_sub(1));
        self.live.raise(StopMode::Immediate);
        self.stop();
    }

    /// Says how much of responses was not kept.
    fn note_cut_bodies(&mut self) {
        const BODIES: &str = "the bytes cut off were counted but not evaluated; raise the property to keep \
                              them";
        const COOKIES: &str = "the oldest cookies were removed, as in a browser, and oversized ones were \
                               rejected; raise the property to keep them";
        const EVENTS: &str = "they are in the figures of their label; raise the property to have them in \
                              results files";
        let bodies = &self.live.bodies;
        let told =
            [(bodies.told(), BODIES), (bodies.cookies_told(), COOKIES), (bodies.events_told(), EVENTS)];
        for (message, hint) in told {
            let Some(message) = message else { continue };
            let place = Place { file: self.prepared.file.clone(), ..Place::default() };
            let hint = Some(hint.to_owned());
            self.problems.push(Diagnostic { severity: Severity::Warning, place, message, hint });
        }
    }

    async fn end(mut self, loops: Vec<LoopHandle>) -> RunOutcome {
        self.tell(|| Command::End);
        let count = self.workers.len() as u32;
        let mut failed_workers = 0;
        for (index, handle) in loops.into_iter().enumerate() {
            if handle.ended().await.is_err() {
                let message = format!("worker {index} failed; results may be incomplete");
                self.problem(message, "this is a bug in Swell; the worker's error message is above");
                failed_workers += 1;
            }
        }
        self.live.foreign.close();
        self.live.checks.close();
        self.note_cut_bodies();
        let status = self.live.status();
        let done = self.live.work_done();
        let closed = self.net.closed_idle();
        RunOutcome {
            started_ns: status.started_ns,
            ended_ns: swell_net::now_ns(),
            users: u64::from(status.started),
            samples: done.samples,
            external_samples: done.external_samples,
            cut: done.cut,
            left_waiting: done.left_waiting,
            closed_idle_failed: closed.failed,
            closed_idle_repeated: closed.repeated,
            sessions: SessionCounts::of(&self.net),
            missed: self.missed.load(Ordering::Relaxed),
            spent: done.spent,
            foreign: status.foreign,
            checks: status.checks,
            stopped: self.stopped,
            stopped_ns: self.stopped_ns,
            workers: count,
            failed_workers,
            problems: self.problems,
            refusal: self.prepared.settings.run.refusal.get().cloned(),
            user_faults: self.prepared.settings.run.faults.all(),
        }
    }
}
