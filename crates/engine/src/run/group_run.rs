//! A thread group that runs on a worker: what its users and its starter share.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use super::commands::{Event, StartGroup};
use super::interrupt::Handle;
use super::live::{Level, LiveGroup};
use super::worker::Worker;
use crate::program::GroupProgram;
use crate::schedule::{Manner, Schedule};

/// So long a user that did nothing at all is not replaced: it would turn in vain.
const BARREN_NS: i64 = 1_000_000_000;

/// A thread group on a worker. When the last user and the starter have let go of it, the coordinator is told.
pub(crate) struct GroupRun {
    pub(crate) worker: Rc<Worker>,
    pub(crate) program: Rc<GroupProgram>,
    /// Place in the plan.
    pub(crate) place: usize,
    pub(crate) name: Rc<str>,
    /// Name and number as they stand in thread names, with a hyphen at the end.
    pub(crate) prefix: String,
    pub(crate) schedule: Arc<dyn Schedule>,
    /// Each iteration of a user waits for its arrival.
    has_turns: bool,
    /// The schedule is over.
    over: Cell<bool>,
    /// Users on this worker, those who rest included.
    users: Cell<u32>,
    /// How many of them the schedule wants.
    wanted: Cell<u32>,
    /// No user is replaced before that.
    refill_ns: Cell<i64>,
    starter: Rc<Handle>,
    starter_place: usize,
    /// A user has ended: the starter is to look.
    nudged: Cell<bool>,
}

impl Drop for GroupRun {
    fn drop(&mut self) {
        for listener in self.worker.program.listeners.iter() {
            listener.group_done();
        }
        self.worker.handles.remove(self.starter_place);
        let _nobody_waits = self.worker.events.send(Event::GroupDone(self.place));
    }
}

impl GroupRun {
    pub(super) fn new(worker: &Rc<Worker>, start: StartGroup) -> Self {
        let StartGroup { group: place, name, schedule, .. } = start;
        let number = worker.prepared.groups[place].number;
        let distributed = worker.prepared.settings.props.get("__jm.D_TG").unwrap_or_default();
        let hyphen = if distributed.is_empty() { "" } else { "-" };
        // The plug-ins' starters are threads with names of their own, which their users get.
        let is_own = matches!(schedule.manner(), Manner::Iterations { .. } | Manner::Kept(_));
        let starter_name = if is_own { "-ThreadStarter" } else { "" };
        let (starter_place, starter) = worker.handles.add();
        Self {
            worker: worker.clone(),
            program: worker.program.groups[place].clone(),
            place,
            prefix: format!("{distributed}{hyphen}{name}{starter_name} {number}-"),
            name: (*name).into(),
            has_turns: matches!(schedule.manner(), Manner::Iterations { .. }),
            schedule,
            over: Cell::new(false),
            users: Cell::new(0),
            wanted: Cell::new(u32::MAX),
            refill_ns: Cell::new(i64::MIN),
            starter,
            starter_place,
            nudged: Cell::new(false),
        }
    }

    /// Counts of the group over all workers.
    pub(crate) fn live(&self) -> &LiveGroup {
        &self.worker.live.groups[self.place]
    }

    /// Users come when the schedule says so, whatever others do.
    pub(super) fn has_arrivals(&self) -> bool {
        self.has_turns || matches!(self.schedule.manner(), Manner::Visitors)
    }

    pub(super) fn has_turns(&self) -> bool {
        self.has_turns
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.get()
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

    pub(super) fn want(&self, users: u32) {
        self.wanted.set(users);
    }

    pub(super) fn user_starts(&self) {
        self.users.set(self.users.get() + 1);
    }

    /// A user has ended; whether it got as far as a sampler.
    pub(super) fn user_ended(&self, did_something: bool) {
        self.users.set(self.users.get() - 1);
        if !did_something {
            self.refill_ns.set(swell_net::now_ns() + BARREN_NS);
        }
        self.nudged.set(true);
        self.starter.wake();
    }

    /// The schedule is over: who rests ends.
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
            let ends = self.is_over() || self.live().level() != Level::Run;
            if ends && resting.leave(place) {
                return Poll::Ready(None);
            }
            handle.register(cx);
            Poll::Pending
        })
        .await
    }

    /// The starter waits until then, or until a user ends or the group is stopped.
    pub(super) async fn pause(&self, until_ns: i64) {
        let mut sleep = pin!(swell_net::sleep_until(until_ns));
        poll_fn(|cx| {
            if self.nudged.replace(false) || self.live().level() != Level::Run {
                return Poll::Ready(());
            }
            self.starter.register(cx);
            sleep.as_mut().poll(cx)
        })
        .await;
    }
}
