//! Starts the users of a thread group on a worker, each at its time. A user that has not started
//! takes no memory.

mod arrivals;
mod hold;
mod takeover;

use std::rc::{Rc, Weak};
use std::sync::atomic::Ordering;

use super::commands::{Event, StartGroup};
use super::group_run::GroupRun;
use super::live::StopMode;
use super::user;
use super::worker::Worker;
use crate::schedule::{ConcurrencyPlan, ScheduleMode, Slice, Start, Takeover};
use arrivals::{Arrival, Arrivals};

/// Bytes of a user's task, without its variables and what samplers keep for it. Blocks of the
/// allocator have this size; the next has 1,536.
const LARGEST_LIFE: usize = 1280;
/// Users that are started without letting those before them run.
const AT_ONCE: u32 = 32;
/// The interval at which a changing number of users is checked.
const LOOK_NS: i64 = 50_000_000;

/// Starts the users of a slice, each at its time. The group lives as long as it has users or starts
/// to come.
pub(super) fn start(worker: &Rc<Worker>, start: StartGroup) -> Weak<GroupRun> {
    let slice = start.slice;
    let at_most = start.at_most;
    let taken_over = start.taken_over.clone();
    let group = Rc::new(GroupRun::new(worker, start));
    let running = Rc::downgrade(&group);
    swell_net::spawn(async move {
        let mut launcher = Launcher { group, slice, taken_over, started: 0, done: false };
        let schedule = launcher.group.schedule.clone();
        match schedule.mode() {
            ScheduleMode::Users => launcher.users().await,
            ScheduleMode::OneShot => {
                launcher.arrivals(ArrivalKind::User).await;
                launcher.end(StopMode::Immediate).await;
            }
            ScheduleMode::Iterations { .. } => {
                launcher.arrivals(ArrivalKind::Iteration { at_most }).await;
                launcher.end(StopMode::Run).await;
            }
            ScheduleMode::Level => {
                launcher.hold(Replaces::Always).await;
                launcher.group.close();
            }
            ScheduleMode::ConstantConcurrency(plan) => {
                launcher.keep(plan).await;
                launcher.group.close();
            }
        }
        launcher.group.starter_ends();
    });
    running
}

/// What an arrival is.
#[derive(Clone, Copy)]
enum ArrivalKind {
    /// A new user.
    User,
    /// An iteration of a user that is idle, or of a new one as long as there are fewer than that.
    Iteration { at_most: Option<u32> },
}

/// How waiting for a time ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitEnd {
    /// It has come.
    Due,
    /// Control has changed the load.
    Changed,
    /// The group is stopped.
    Stopped,
}

/// Whether a user that ended by itself is replaced before the wanted number changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Replaces {
    /// A group that keeps a number of users running.
    Always,
    /// A group whose users end when they have done their loops.
    AfterChanges,
}

struct Launcher {
    group: Rc<GroupRun>,
    slice: Slice,
    taken_over: Option<Takeover>,
    started: u32,
    /// It has no users and no starts to come, and its group knows.
    done: bool,
}

impl Launcher {
    fn runs(&self) -> bool {
        self.group.live().stop_mode() == StopMode::Run
    }

    /// Waits until then, or until something else is to be looked at.
    async fn wait_until(&self, at_ns: i64) -> WaitEnd {
        loop {
            if !self.runs() {
                return WaitEnd::Stopped;
            }
            if self.group.sees_change() {
                return WaitEnd::Changed;
            }
            if swell_net::now_ns() >= at_ns {
                return WaitEnd::Due;
            }
            self.group.pause(at_ns).await;
        }
    }

    /// Starts a user for each start, and stays as long as a user of the group runs, on whichever
    /// worker: control can ask for more.
    async fn users(&mut self) {
        let schedule = self.group.schedule.clone();
        let starts: Vec<_>;
        let mut starts: Box<dyn Iterator<Item = Start>> = match &self.taken_over {
            None => Box::new(self.slice.cut(schedule.starts())),
            Some(taken_over) => {
                starts = self.left_of(taken_over, self.slice.cut(schedule.starts()));
                Box::new(starts.into_iter())
            }
        };
        let mut next = starts.next();
        loop {
            let waited = match next {
                Some(start) => self.wait_until(start.start_ns).await,
                None => self.wait_for_the_end().await,
            };
            match waited {
                WaitEnd::Stopped => return,
                WaitEnd::Changed if self.is_adjusted() => return self.hold(Replaces::AfterChanges).await,
                WaitEnd::Changed => {}
                WaitEnd::Due => {
                    let Some(start) = next else { return };
                    if schedule.starts_by_end() && swell_net::now_ns() > start.end_ns {
                        // The groups after it would end with it.
                        next = None;
                        continue;
                    }
                    self.spawn(start).await;
                    next = starts.next();
                }
            }
        }
    }

    /// What is left to start of a slice that was begun elsewhere.
    fn left_of(&self, taken_over: &Takeover, starts: impl Iterator<Item = Start>) -> Vec<Start> {
        let ended = taken_over.ended_users.get(self.group.place).copied().unwrap_or(0);
        takeover::left(starts, swell_net::now_ns(), ended, taken_over.ramp_ns)
    }

    /// Waits until no user of the group runs any more.
    async fn wait_for_the_end(&mut self) -> WaitEnd {
        loop {
            if !self.runs() {
                return WaitEnd::Stopped;
            }
            if self.group.sees_change() {
                return WaitEnd::Changed;
            }
            if self.group_is_over(self.group.users() == 0) {
                return WaitEnd::Due;
            }
            // Each user that ends wakes the launcher, and so does the end of the group.
            self.group.pause(i64::MAX).await;
        }
    }

    /// Whether the launchers of all workers have nothing to do any more; `done`: this one has not.
    fn group_is_over(&mut self, done: bool) -> bool {
        let launchers = &self.group.live().launchers;
        if done != self.done {
            self.done = done;
            if !done {
                launchers.goes_on();
            } else if launchers.is_done() {
                // The coordinator is gone only if it failed.
                let _ = self.group.worker.events.send(Event::GroupOver(self.group.place));
            }
        }
        launchers.are_over()
    }

    /// Makes something of each arrival, to the end of the schedule.
    async fn arrivals(&mut self, each: ArrivalKind) {
        let schedule = self.group.schedule.clone();
        let mut arrivals = Arrivals::new(&*schedule, self.slice);
        if let Some(taken_over) = &self.taken_over {
            let missed = arrivals.begin_at(swell_net::now_ns(), taken_over.lost_ns);
            self.group.live().missed_in_gap.fetch_add(missed, Ordering::Relaxed);
        }
        let end_ns = schedule.end_ns().unwrap_or(i64::MAX);
        loop {
            let next = arrivals.next();
            let due_ns = next.map_or(end_ns, |next| next.due_ns);
            match self.wait_until(due_ns.min(end_ns)).await {
                WaitEnd::Stopped => return,
                WaitEnd::Changed => {
                    let changes = &self.group.worker.live.changes;
                    let group = &self.group.live().changes;
                    self.group.live().numbers.fetch_max(schedule.users(), Ordering::Relaxed);
                    arrivals.adjust(group.per_second(), changes.factor_ramp(), swell_net::now_ns());
                }
                WaitEnd::Due => {
                    // The last arrival of a limited number is due just when the schedule ends.
                    let Some(next) = next.filter(|next| next.due_ns <= end_ns) else { return };
                    arrivals.take();
                    if !self.group.worker.live.changes.is_paused() {
                        self.arrive(each, next).await;
                    }
                }
            }
        }
    }

    async fn arrive(&mut self, each: ArrivalKind, Arrival { due_ns, user }: Arrival) {
        let ArrivalKind::Iteration { at_most } = each else {
            match user {
                Some(user) => self.spawn(Start { user, start_ns: due_ns, end_ns: i64::MAX }).await,
                None => self.spawn_next(due_ns, i64::MAX).await,
            }
            return;
        };
        let live = self.group.live();
        if live.resting.call(due_ns) {
            return;
        }
        if at_most.is_some_and(|most| live.active.load(Ordering::Relaxed) >= most) {
            live.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.spawn_next(due_ns, i64::MAX).await;
    }

    /// The schedule continues to its end; then idle users end, and running users continue as far as
    /// it says.
    async fn end(&self, mode: StopMode) {
        let end_ns = self.group.schedule.end_ns().unwrap_or(i64::MIN);
        while self.wait_until(end_ns).await == WaitEnd::Changed {}
        if self.runs() {
            self.group.live().raise(mode);
        }
        self.group.close();
    }

    /// Keeps as many users running as the plan wants of this slice.
    async fn keep(&mut self, plan: &ConcurrencyPlan) {
        let end_ns = self.group.schedule.end_ns().unwrap_or(i64::MAX);
        let start_ns = end_ns.saturating_sub(plan.length_ns());
        let mut members = 0;
        while self.runs() && swell_net::now_ns() < end_ns {
            // Changes up to now are looked at here.
            let _ = self.group.sees_change();
            if self.is_adjusted() {
                return self.hold(Replaces::Always).await;
            }
            let target = self.group.live().target.load(Ordering::Relaxed);
            let plan = ConcurrencyPlan { target, ..*plan };
            let now_ns = swell_net::now_ns();
            let due = |member: u32| Some(start_ns.saturating_add(plan.reaches_ns(self.slice.place(member))?));
            while members > 0 && self.slice.place(members - 1) >= target {
                members -= 1;
            }
            let mut risen_ns = now_ns;
            while let Some(at_ns) = due(members).filter(|at_ns| *at_ns <= now_ns) {
                (members, risen_ns) = (members + 1, at_ns);
                if self.group.users() < members {
                    break;
                }
            }
            let next_ns = due(members).unwrap_or(end_ns);
            self.group.want(members);
            if self.group.users() < members {
                let late_ns = self.group.refill_ns();
                if late_ns <= now_ns {
                    self.spawn_next(risen_ns, i64::MAX).await;
                    continue;
                }
                self.group.pause(late_ns).await;
                continue;
            }
            self.group.pause(next_ns.min(end_ns).min(now_ns.saturating_add(LOOK_NS))).await;
        }
    }

    /// Starts a user with the next number of the group.
    async fn spawn_next(&mut self, start_ns: i64, end_ns: i64) {
        let count = self.group.live().numbers.fetch_add(1, Ordering::Relaxed);
        let user = self.group.worker.share.number(count);
        self.spawn(Start { user, start_ns, end_ns }).await;
    }

    async fn spawn(&mut self, start: Start) {
        self.group.user_starts();
        let life = user::live(self.group.clone(), start);
        let size = std::mem::size_of_val(&life);
        debug_assert!(
            size <= LARGEST_LIFE,
            "a user has {size} bytes; tens of thousands of them must fit in memory"
        );
        swell_net::spawn_detached(life);
        // Where many start at once, the first need not wait for the last.
        self.started += 1;
        if self.started.is_multiple_of(AT_ONCE) {
            swell_net::yield_now().await;
        }
    }
}
