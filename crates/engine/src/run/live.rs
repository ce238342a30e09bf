//! State that all workers share during a run: counts that change when users start and end, and
//! whether to stop.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use swell_api::{Bodies, GroupChange, GroupUsers, Needs, Phase, Pool, PoolFigures, RunningGroup};
use swell_expr::{PhaseUsers, RunningUsers};
use swell_pool::PoolOptions;

use super::control_error::ControlError;
use super::gates::PhaseGates;
use super::idle_users::IdleUsers;
use super::launchers::Launchers;
use super::load::{GroupChanges, LoadChanges};
use super::time_accounting::TimeSpent;
use crate::csv::Cursors;
use crate::prepare::Prepared;
use crate::schedule::{ConcurrencyPlan, Schedule, ScheduleMode};

/// The kind of stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum StopMode {
    Run = 0,
    /// No new samples.
    Graceful = 1,
    /// No new samples, and running ones are cut.
    Immediate = 2,
}

impl StopMode {
    fn of(value: u8) -> Self {
        match value {
            0 => Self::Run,
            1 => Self::Graceful,
            _ => Self::Immediate,
        }
    }
}

/// Counts of a thread group.
pub(crate) struct LiveGroup {
    name: String,
    phase: Phase,
    has_arrivals: bool,
    /// How far its users are to stop: as far as the whole test, or further.
    stop_mode: AtomicU8,
    /// How many users a group that keeps a number of them wants now.
    pub(crate) target: AtomicU32,
    /// Arrivals without a free user.
    pub(crate) dropped: AtomicU64,
    /// Arrivals missed between the loss of a machine and its replacement.
    pub(crate) missed_in_gap: AtomicU64,
    /// Numbers given to users so far, where the schedule does not give them.
    pub(crate) numbers: AtomicU32,
    /// Who waits for an arrival.
    pub(crate) resting: IdleUsers,
    /// What control has changed.
    pub(crate) changes: GroupChanges,
    /// What starts its users on the workers.
    pub(crate) launchers: Launchers,
    /// Known when the group has started.
    pub(crate) schedule: OnceLock<Arc<dyn Schedule>>,
    pub(crate) active: AtomicU32,
    pub(crate) started: AtomicU32,
    pub(crate) finished: AtomicU32,
    pub(crate) planned: AtomicU32,
    /// What runs its users, where that is something else.
    external: OnceLock<Arc<dyn RunningGroup>>,
    is_external: bool,
}

/// Shared state of a run.
pub(crate) struct Live {
    stop_mode: AtomicU8,
    phase: AtomicU8,
    pub(crate) active: AtomicU32,
    /// The part of the test that this run makes: of rates that all users share.
    pub(crate) part: f64,
    pub(crate) groups: Vec<LiveGroup>,
    /// When all workers were ready.
    pub(crate) started_ns: AtomicI64,
    /// When the first user of each phase was to start, and did.
    pub(crate) first_starts: [OnceLock<(i64, i64)>; 3],
    /// 0 while unknown.
    pub(crate) expected_end_ns: AtomicI64,
    /// What of responses is kept in memory.
    pub(crate) bodies: Arc<Bodies>,
    /// Ends checks on helper threads: the test stops at once.
    pub(crate) stop_checks: Arc<AtomicBool>,
    /// Threads for checks of large bodies, which come after the workers.
    pub(crate) checks: Pool,
    /// Threads for foreign work.
    pub(crate) foreign: Arc<Pool>,
    /// What the users of each worker have done, as it last told.
    work: Mutex<Vec<WorkDone>>,
    /// How far data files are read.
    cursors: Arc<Cursors>,
    /// What control has changed of the load.
    pub(crate) changes: LoadChanges,
    /// What listeners read of the samples of groups that something else runs; known when a worker
    /// is ready.
    pub(crate) external_needs: OnceLock<Needs>,
    /// What holds phases back.
    pub(crate) gates: PhaseGates,
}

/// Counts of the users' work.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkDone {
    pub(crate) samples: u64,
    pub(crate) external_samples: u64,
    pub(crate) cut: u64,
    pub(crate) left_waiting: u64,
    pub(crate) spent: TimeSpent,
}

/// The status of a run.
#[derive(Clone, Debug)]
pub struct Status {
    /// What runs now; none before the start and after the end.
    pub phase: Option<Phase>,
    /// The phase that runs waits for its release ([`crate::Control::release`]).
    pub is_held: bool,
    /// The run is paused ([`crate::Control::pause`]).
    pub is_paused: bool,
    /// Users that run.
    pub active: u32,
    /// Users that have started.
    pub started: u32,
    /// Users that have ended.
    pub finished: u32,
    /// Users of the groups that have started so far.
    pub planned: u32,
    /// When the run started, on the clock of [`swell_api::Timing`].
    pub started_ns: i64,
    /// When the running groups end, if their schedules define it.
    pub expected_end_ns: Option<i64>,
    /// Samples that samplers gave, transactions not counted; workers tell once a second, so the
    /// last second may be missing.
    pub samples: u64,
    /// How users spent their time, told likewise; a user has lived when it has ended.
    pub spent: TimeSpent,
    /// The threads for foreign work: scripts and elements that other code runs.
    pub foreign: PoolFigures,
    /// The threads for checks of large bodies.
    pub checks: PoolFigures,
    /// Thread groups in the order of [`Prepared::groups`].
    pub groups: Vec<GroupStatus>,
    /// Rows that were read of each data file that users share.
    pub rows_read: BTreeMap<String, u64>,
}

/// The status of a thread group.
#[derive(Clone, Debug)]
pub struct GroupStatus {
    /// Name.
    pub name: String,
    /// When it runs.
    pub phase: Phase,
    /// Users that run.
    pub active: u32,
    /// Users that have started.
    pub started: u32,
    /// Users that have ended.
    pub finished: u32,
    /// Users that it has in all; 0 before it starts.
    pub planned: u32,
    /// How many users are wanted now, by the plan or by control; none where users come by arrivals,
    /// and before the group starts.
    pub wanted_users: Option<u32>,
    /// How many arrivals a second are wanted now; none where users do not come by arrivals, and
    /// before the group starts.
    pub wanted_per_second: Option<f64>,
}

/// Helper threads come after the workers. Where the kernel will not, they compete with them.
pub(crate) fn give_way() {
    swell_net::machine::give_way();
}

const PHASES: [Phase; 3] = [Phase::SetUp, Phase::Main, Phase::TearDown];

impl Live {
    pub(crate) fn new(
        prepared: &Prepared,
        bodies: Arc<Bodies>,
        foreign: Arc<Pool>,
        cursors: Arc<Cursors>,
        part: f64,
    ) -> Self {
        let groups = prepared.groups.iter().map(|group| LiveGroup {
            name: group.node.element.name().to_owned(),
            phase: group.phase,
            has_arrivals: group.load.has_arrivals(),
            stop_mode: AtomicU8::new(StopMode::Run as u8),
            target: AtomicU32::new(0),
            dropped: AtomicU64::new(0),
            missed_in_gap: AtomicU64::new(0),
            numbers: AtomicU32::new(0),
            resting: IdleUsers::default(),
            changes: GroupChanges::default(),
            launchers: Launchers::default(),
            schedule: OnceLock::new(),
            active: AtomicU32::new(0),
            started: AtomicU32::new(0),
            finished: AtomicU32::new(0),
            planned: AtomicU32::new(0),
            external: OnceLock::new(),
            is_external: group.is_external(),
        });
        Self {
            stop_mode: AtomicU8::new(StopMode::Run as u8),
            phase: AtomicU8::new(u8::MAX),
            active: AtomicU32::new(0),
            part,
            groups: groups.collect(),
            started_ns: AtomicI64::new(swell_net::now_ns()),
            first_starts: Default::default(),
            expected_end_ns: AtomicI64::new(0),
            bodies,
            stop_checks: Arc::default(),
            checks: Pool::new(PoolOptions { prepare: give_way, ..PoolOptions::calculating("swell-checks") }),
            foreign,
            work: Mutex::default(),
            cursors,
            changes: LoadChanges::default(),
            external_needs: OnceLock::new(),
            gates: PhaseGates::default(),
        }
    }

    /// A worker tells what its users have done since the start.
    pub(crate) fn tell_work(&self, worker: usize, done: WorkDone) {
        let mut work = self.work.lock();
        if work.len() <= worker {
            work.resize(worker + 1, WorkDone::default());
        }
        work[worker] = done;
    }

    /// What the users of all workers have done, as last reported.
    pub(crate) fn work_done(&self) -> WorkDone {
        let mut all = WorkDone::default();
        for done in self.work.lock().iter() {
            all.samples += done.samples;
            all.external_samples += done.external_samples;
            all.cut += done.cut;
            all.left_waiting += done.left_waiting;
            all.spent.merge(&done.spent);
        }
        all
    }

    pub(crate) fn stop_mode(&self) -> StopMode {
        StopMode::of(self.stop_mode.load(Ordering::Relaxed))
    }

    /// How many users run, of a group and of all.
    pub(crate) fn running_users(&self, group: usize) -> RunningUsers {
        let group = self.groups[group].active.load(Ordering::Relaxed);
        RunningUsers { group, all: self.active.load(Ordering::Relaxed) }
    }

    /// The users of thread groups that are next to each other, as far as these have begun.
    pub(crate) fn users_of(&self, groups: Range<usize>) -> PhaseUsers {
        let groups = &self.groups[groups];
        let sum = |count: fn(&LiveGroup) -> &AtomicU32| {
            groups.iter().map(|group| count(group).load(Ordering::Relaxed)).sum()
        };
        PhaseUsers { planned: sum(|group| &group.planned), started: sum(|group| &group.started) }
    }

    /// Asks to stop; a stop is never taken back by a weaker one.
    pub(crate) fn raise(&self, mode: StopMode) {
        self.stop_mode.fetch_max(mode as u8, Ordering::SeqCst);
        if mode == StopMode::Immediate {
            self.stop_checks.store(true, Ordering::SeqCst);
        }
        for group in &self.groups {
            group.raise(mode);
        }
    }

    /// For tear-down groups after a stop.
    pub(crate) fn go_on(&self) {
        self.stop_mode.store(StopMode::Run as u8, Ordering::SeqCst);
        self.stop_checks.store(false, Ordering::SeqCst);
        for group in &self.groups {
            group.stop_mode.store(StopMode::Run as u8, Ordering::SeqCst);
        }
    }

    pub(crate) fn set_phase(&self, phase: Option<Phase>) {
        self.phase.store(phase.map_or(u8::MAX, |phase| phase as u8), Ordering::Relaxed);
    }

    /// Whether the load of all groups can follow a line.
    ///
    /// # Errors
    /// The first that something else runs now.
    pub(super) fn can_ramp(&self) -> Result<(), ControlError> {
        let mut running = self.groups.iter().filter(|group| group.external.get().is_some());
        running.try_for_each(LiveGroup::can_ramp)
    }

    /// Changes the load of all groups that run elsewhere now.
    pub(super) fn change_elsewhere(&self, change: GroupChange) -> Result<(), ControlError> {
        let running = self.groups.iter().filter(|group| group.external.get().is_some());
        // One that cannot does not keep others from it.
        let made: Vec<_> = running.map(|group| group.change_elsewhere(change)).collect();
        made.into_iter().collect()
    }

    pub(crate) fn user_started(&self, group: usize) {
        self.bodies.account().user_started();
        self.active.fetch_add(1, Ordering::Relaxed);
        self.groups[group].active.fetch_add(1, Ordering::Relaxed);
        self.groups[group].started.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn users_ended(&self, group: usize, users: u32) {
        self.bodies.account().users_ended(users);
        self.active.fetch_sub(users, Ordering::Relaxed);
        self.groups[group].active.fetch_sub(users, Ordering::Relaxed);
        self.groups[group].finished.fetch_add(users, Ordering::Relaxed);
    }

    /// How many users a group has that something else runs.
    pub(crate) fn external_users(&self, group: usize, users: GroupUsers) {
        let GroupUsers { active, started, finished, planned } = users;
        let group = &self.groups[group];
        let before = group.active.swap(active, Ordering::Relaxed);
        // Wrapping: the difference may be negative.
        self.active.fetch_add(active.wrapping_sub(before), Ordering::Relaxed);
        group.started.store(started, Ordering::Relaxed);
        group.finished.store(finished, Ordering::Relaxed);
        group.planned.store(planned, Ordering::Relaxed);
    }

    /// A user has nothing to do, and does not count as one that runs.
    pub(crate) fn user_rests(&self, group: usize) {
        self.active.fetch_sub(1, Ordering::Relaxed);
        self.groups[group].active.fetch_sub(1, Ordering::Relaxed);
    }

    /// A user that rested runs again.
    pub(crate) fn user_returns(&self, group: usize) {
        self.active.fetch_add(1, Ordering::Relaxed);
        self.groups[group].active.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn status(&self) -> Status {
        let now_ns = swell_net::now_ns();
        let groups: Vec<_> = self.groups.iter().map(|group| group.status(&self.changes, now_ns)).collect();
        let sum = |count: fn(&GroupStatus) -> u32| groups.iter().map(count).sum();
        let end_ns = self.expected_end_ns.load(Ordering::Relaxed);
        let done = self.work_done();
        let phase = PHASES.get(usize::from(self.phase.load(Ordering::Relaxed))).copied();
        Status {
            phase,
            is_held: phase.is_some_and(|phase| self.gates.start_ns(phase).is_none()),
            is_paused: self.changes.is_paused(),
            active: self.active.load(Ordering::Relaxed),
            started: sum(|group| group.started),
            finished: sum(|group| group.finished),
            planned: sum(|group| group.planned),
            started_ns: self.started_ns.load(Ordering::Relaxed),
            expected_end_ns: (end_ns != 0).then_some(end_ns),
            samples: done.samples,
            spent: done.spent,
            foreign: self.foreign.figures(),
            checks: self.checks.figures(),
            groups,
            rows_read: self.cursors.rows(),
        }
    }
}

impl LiveGroup {
    pub(crate) fn stop_mode(&self) -> StopMode {
        StopMode::of(self.stop_mode.load(Ordering::Relaxed))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Users come by arrivals, at a rate.
    pub(crate) fn has_arrivals(&self) -> bool {
        self.has_arrivals
    }

    /// Asks its users to stop.
    pub(crate) fn raise(&self, mode: StopMode) {
        self.stop_mode.fetch_max(mode as u8, Ordering::SeqCst);
        if let Some(external) = self.external.get().filter(|_| mode != StopMode::Run) {
            external.stop(mode == StopMode::Immediate);
        }
    }

    /// Foreign code runs its users from now on; it receives a stop that came before.
    pub(crate) fn runs_elsewhere(&self, group: &Arc<dyn RunningGroup>) {
        // A group is started once in a run.
        let _ = self.external.set(group.clone());
        self.raise(self.stop_mode());
    }

    /// Something else runs its users.
    pub(crate) fn is_external(&self) -> bool {
        self.is_external
    }

    /// Whether its load can follow a line.
    ///
    /// # Errors
    /// Something else runs it.
    pub(super) fn can_ramp(&self) -> Result<(), ControlError> {
        if !self.is_external {
            return Ok(());
        }
        let why = "it has no ramps; set its load at once".to_owned();
        Err(ControlError::RunsElsewhere { name: self.name.clone(), why })
    }

    /// Changes the load of a group that something else runs.
    pub(super) fn change_elsewhere(&self, change: GroupChange) -> Result<(), ControlError> {
        let running = self.external.get().ok_or_else(|| "it does not run yet".to_owned());
        let name = || self.name.clone();
        running
            .and_then(|running| running.change(change))
            .map_err(|why| ControlError::RunsElsewhere { name: name(), why })
    }

    /// How many users are wanted at a time; none where users come by arrivals, and before the group
    /// starts.
    pub(crate) fn wanted_users(&self, run: &LoadChanges, at_ns: i64) -> Option<u32> {
        let schedule = self.schedule.get()?;
        let planned = match schedule.mode() {
            ScheduleMode::OneShot | ScheduleMode::Iterations { .. } => return None,
            ScheduleMode::Users | ScheduleMode::Level => schedule.users_at(at_ns),
            ScheduleMode::ConstantConcurrency(plan) => {
                let start_ns = schedule.end_ns().unwrap_or(i64::MAX).saturating_sub(plan.length_ns());
                let target = self.target.load(Ordering::Relaxed);
                ConcurrencyPlan { target, ..*plan }.users_at(at_ns.saturating_sub(start_ns))
            }
        };
        let wanted = match self.changes.users() {
            Some(users) => users.at(at_ns),
            None => f64::from(planned) * run.factor(at_ns),
        };
        Some(wanted.round() as u32)
    }

    /// How many users arrive a second; none where there is a number of them, and before the group
    /// starts.
    pub(super) fn wanted_per_second(&self, run: &LoadChanges, at_ns: i64) -> Option<f64> {
        let planned = self.schedule.get()?.per_second_at(at_ns)?;
        Some(self.changes.per_second().map_or(planned, |rate| rate.at(at_ns)) * run.factor(at_ns))
    }

    fn status(&self, run: &LoadChanges, now_ns: i64) -> GroupStatus {
        let get = |count: &AtomicU32| count.load(Ordering::Relaxed);
        GroupStatus {
            name: self.name.clone(),
            phase: self.phase,
            active: get(&self.active),
            started: get(&self.started),
            finished: get(&self.finished),
            planned: get(&self.planned),
            wanted_users: self.wanted_users(run, now_ns),
            wanted_per_second: self.wanted_per_second(run, now_ns),
        }
    }
}
