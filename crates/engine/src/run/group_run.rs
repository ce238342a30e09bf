//! A running thread group on a worker: the state that its users and its launcher share.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::ops::Range;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use swell_expr::{PhaseUsers, RunningUsers, UserCounts};

use super::commands::{Event, StartGroup};
use super::handles::Handle;
use super::idle_sum::Idle;
use super::live::{Live, LiveGroup, StopMode};
use super::worker::Worker;
use crate::control::{Control, Kind};
use crate::program::GroupProgram;
use crate::schedule::{Schedule, ScheduleMode};

/// How long a user that did nothing at all is not replaced, so that it does not loop without
/// effect.
const EMPTY_USER_PAUSE_NS: i64 = 1_000_000_000;

/// A thread group on a worker. When the last user and the launcher release it, the coordinator is
/// notified.
pub(crate) struct GroupRun {
    pub(crate) worker: Rc<Worker>,
    pub(crate) program: Rc<GroupProgram>,
    /// Place in the plan.
    pub(crate) place: usize,
    pub(crate) name: Rc<str>,
    /// What its users learn about the number of running users.
    pub(crate) user_counts: Rc<dyn UserCounts>,
    /// Name and number as in thread names, with a hyphen at the end.
    pub(crate) prefix: String,
    pub(crate) schedule: Arc<dyn Schedule>,
    /// How many of its users this run has.
    pub(crate) share_users: u32,
    /// Each iteration of a user waits for its arrival.
    iterates_per_arrival: bool,
    /// There are Critical Sections: users may hold locks.
    pub(super) has_locks: bool,
    /// The schedule has finished, and every start was made.
    over: Cell<bool>,
    /// When the schedule ends, where users check this themselves.
    over_ns: i64,
    /// Users on this worker, those who rest included.
    pub(super) users: Cell<u32>,
    /// How many of them the schedule wants.
    wanted: Cell<u32>,
    /// Those of them who only wait.
    pub(super) idle: Cell<Idle>,
    /// They were left: see [`super::idle`].
    pub(super) has_left_idle: Cell<bool>,
    /// The coordinator was notified of the end.
    is_done: Cell<bool>,
    starter_ended: Cell<bool>,
    /// No user is replaced before that.
    refill_ns: Cell<i64>,
    launcher: Rc<Handle>,
    starter_place: usize,
    /// A user or the group has ended: the launcher is to look.
    nudged: Cell<bool>,
    /// Control says how many users there are: one too many leaves after its sample, not after its
    /// iteration.
    held: Cell<bool>,
    /// Users that ended by themselves since the wanted number last changed.
    ended: Cell<u32>,
    /// How many changes of the load the launcher has seen.
    seen: Cell<u32>,
}

/// How a user ended.
pub(super) struct UserEnd {
    /// It got as far as a sampler.
    pub(super) did_something: bool,
    /// Control wanted fewer users.
    pub(super) was_released: bool,
    /// It had done what the plan gives it to do: neither its time nor control ended it.
    pub(super) by_itself: bool,
}

impl Drop for GroupRun {
    fn drop(&mut self) {
        self.done();
    }
}

/// The number of running users. Separate from the group, whose release is awaited.
struct GroupUserCounts {
    live: Arc<Live>,
    place: usize,
    /// The thread groups of its phase.
    phase: Range<usize>,
}

impl UserCounts for GroupUserCounts {
    fn running_users(&self) -> RunningUsers {
        self.live.running_users(self.place)
    }

    fn phase_users(&self) -> PhaseUsers {
        self.live.users_of(self.phase.clone())
    }
}

impl GroupRun {
    pub(super) fn new(worker: &Rc<Worker>, start: StartGroup) -> Self {
        let StartGroup { group: place, name, schedule, share_users, .. } = start;
        let number = worker.prepared.groups[place].number;
        let distributed = worker.prepared.settings.props.get("__jm.D_TG").unwrap_or_default();
        let hyphen = if distributed.is_empty() { "" } else { "-" };
        // The plug-ins' starters are threads with their own names, which their users inherit.
        let is_own =
            matches!(schedule.mode(), ScheduleMode::Iterations { .. } | ScheduleMode::ConstantConcurrency(_));
        let starter_name = if is_own { "-ThreadStarter" } else { "" };
        let (starter_place, launcher) = worker.handles.add();
        let program = worker.program.groups[place].clone();
        let is_lock = |control: &Control| matches!(control.kind, Kind::Critical { .. });
        Self {
            worker: worker.clone(),
            has_locks: program.controls.iter().any(is_lock),
            program,
            place,
            prefix: format!("{distributed}{hyphen}{name}{starter_name} {number}-"),
            name: (*name).into(),
            user_counts: Rc::new(GroupUserCounts {
                live: worker.live.clone(),
                place,
                phase: worker.prepared.phase_of(place),
            }),
            over_ns: schedule.end_ns().filter(|_| is_own).unwrap_or(i64::MAX),
            iterates_per_arrival: matches!(schedule.mode(), ScheduleMode::Iterations { .. }),
            schedule,
            share_users,
            over: Cell::new(false),
            users: Cell::new(0),
            wanted: Cell::new(u32::MAX),
            idle: Cell::default(),
            has_left_idle: Cell::new(false),
            is_done: Cell::new(false),
            starter_ended: Cell::new(false),
            refill_ns: Cell::new(i64::MIN),
            launcher,
            starter_place,
            nudged: Cell::new(false),
            held: Cell::new(false),
            ended: Cell::new(0),
            seen: Cell::new(0),
        }
    }

    /// Once: no user is here any more, and none will come.
    fn done(&self) {
        if self.is_done.replace(true) {
            return;
        }
        for listener in self.worker.program.listeners.iter() {
            listener.group_done();
        }
        self.worker.handles.remove(self.starter_place);
        let _ = self.worker.events.send(Event::GroupDone(self.place));
    }

    /// If users were abandoned, nothing else notices that the others and the launcher have ended.
    pub(super) fn end_if_over(&self) {
        if self.has_left_idle.get() && self.starter_ended.get() && self.users.get() == 0 {
            self.done();
        }
    }

    pub(super) fn starter_ends(&self) {
        self.starter_ended.set(true);
        self.end_if_over();
    }

    /// Counts of the group over all workers.
    pub(crate) fn live(&self) -> &LiveGroup {
        &self.worker.live.groups[self.place]
    }

    /// Users come when the schedule says so, whatever others do.
    pub(super) fn has_arrivals(&self) -> bool {
        self.iterates_per_arrival || matches!(self.schedule.mode(), ScheduleMode::OneShot)
    }

    pub(super) fn iterates_per_arrival(&self) -> bool {
        self.iterates_per_arrival
    }

    /// Users end before their next sampler: by the clock, and not when the launcher gets to it,
    /// which may be late.
    pub(super) fn is_over(&self) -> bool {
        self.over.get() || (self.over_ns != i64::MAX && swell_net::now_ns() >= self.over_ns)
    }

    /// There are more users here than the schedule wants.
    pub(super) fn is_one_too_many(&self) -> bool {
        self.users.get() > self.wanted.get()
    }

    pub(super) fn users(&self) -> u32 {
        self.users.get()
    }

    pub(super) fn refill_ns(&self) -> i64 {
        self.refill_ns.get()
    }

    /// Whether more users run than that.
    pub(super) fn want(&self, users: u32) -> bool {
        self.wanted.set(users);
        self.is_one_too_many()
    }

    /// From now on control says how many users there are.
    pub(super) fn hold(&self) {
        self.held.set(true);
    }

    /// Control says how many users there are.
    pub(super) fn is_held(&self) -> bool {
        self.held.get()
    }

    /// Users that ended by themselves since the wanted number last changed.
    pub(super) fn ended(&self) -> u32 {
        self.ended.get()
    }

    pub(super) fn forget_ended(&self) {
        self.ended.set(0);
    }

    /// Whether the load has changed since this was last asked.
    pub(super) fn sees_change(&self) -> bool {
        let count = self.worker.live.changes.count();
        self.seen.replace(count) != count
    }

    /// Lets the user go that asks, if control wants fewer; it counts no longer.
    pub(super) fn releases(&self) -> bool {
        let leaves = self.held.get() && self.is_one_too_many();
        if leaves {
            self.users.set(self.users.get() - 1);
        }
        leaves
    }

    pub(super) fn user_starts(&self) {
        self.users.set(self.users.get() + 1);
    }

    /// A user has ended.
    pub(super) fn user_ended(&self, how: &UserEnd) {
        if !how.was_released {
            self.users.set(self.users.get() - 1);
        }
        if how.by_itself {
            self.ended.set(self.ended.get() + 1);
        }
        if !how.did_something {
            self.refill_ns.set(swell_net::now_ns() + EMPTY_USER_PAUSE_NS);
        }
        self.nudge();
        self.end_if_over();
    }

    /// The launcher is to look.
    pub(super) fn nudge(&self) {
        self.nudged.set(true);
        self.launcher.wake();
    }

    /// The schedule has finished: idle users end.
    pub(super) fn close(&self) {
        self.over.set(true);
        self.worker.handles.wake_all();
    }

    /// A user waits for its next arrival; none if there will be none.
    pub(super) async fn rest(&self, handle: &Rc<Handle>) -> Option<i64> {
        let resting = &self.live().resting;
        let (place, mut receiver) = resting.begin();
        let mut told = pin!(receiver.recv());
        poll_fn(|cx| {
            if let Poll::Ready(due_ns) = told.as_mut().poll(cx) {
                return Poll::Ready(due_ns);
            }
            // The last arrival may still be on its way.
            let ends = self.over.get() || self.live().stop_mode() != StopMode::Run;
            if ends && resting.leave(place) {
                return Poll::Ready(None);
            }
            handle.register(cx);
            Poll::Pending
        })
        .await
    }

    /// The launcher waits until then, or until a user ends, the group is stopped, or the load
    /// changes; it ends at once as long as the launcher has not seen the change
    /// ([`Self::sees_change`]).
    pub(super) async fn pause(&self, until_ns: i64) {
        let mut sleep = pin!(swell_net::sleep_until(until_ns));
        poll_fn(|cx| {
            let changed = self.seen.get() != self.worker.live.changes.count();
            if self.nudged.replace(false) || changed || self.live().stop_mode() != StopMode::Run {
                return Poll::Ready(());
            }
            self.launcher.register(cx);
            sleep.as_mut().poll(cx)
        })
        .await;
    }
}
