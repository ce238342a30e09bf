//! Starting the users of a thread group on a worker, each at its time. Until then a user costs nothing.

use std::rc::Rc;
use std::sync::atomic::Ordering;

use super::commands::StartGroup;
use super::group_run::GroupRun;
use super::live::Level;
use super::user;
use super::worker::Worker;
use crate::schedule::{ConcurrencyPlan, Manner, Slice, Start};

/// Bytes of a user's task, without its variables and what samplers keep for it.
const LARGEST_LIFE: usize = 2560;
/// Users that are started without letting those before them run.
const AT_ONCE: u32 = 32;
/// A number of users that can change is looked at so often.
const LOOK_NS: i64 = 50_000_000;

/// Starts the users of a slice, each at its time.
pub(super) fn start(worker: &Rc<Worker>, start: StartGroup) {
    let slice = start.slice;
    let group = Rc::new(GroupRun::new(worker, start));
    swell_net::spawn(async move {
        let mut starter = Starter { group, slice, started: 0 };
        let schedule = starter.group.schedule.clone();
        match schedule.manner() {
            Manner::Users => starter.users().await,
            Manner::Visitors => {
                starter.users().await;
                starter.end(Level::AtOnce).await;
            }
            Manner::Iterations { at_most } => {
                starter.iterations(at_most).await;
                starter.end(Level::Run).await;
            }
            Manner::Kept(plan) => {
                starter.keep(plan).await;
                starter.group.close();
            }
        }
    });
}

struct Starter {
    group: Rc<GroupRun>,
    slice: Slice,
    started: u32,
}

impl Starter {
    fn runs(&self) -> bool {
        self.group.live().level() == Level::Run
    }

    /// Waits until then; false if the group is stopped first.
    async fn wait_until(&self, at_ns: i64) -> bool {
        while swell_net::now_ns() < at_ns && self.runs() {
            self.group.pause(at_ns).await;
        }
        self.runs()
    }

    /// Starts a user for each start.
    async fn users(&mut self) {
        let schedule = self.group.schedule.clone();
        for start in self.slice.cut(schedule.starts()) {
            if !self.wait_until(start.start_ns).await {
                return;
            }
            self.spawn(start).await;
        }
    }

    /// Gives each start to a user that rests, or to a new one.
    async fn iterations(&mut self, at_most: Option<u32>) {
        let schedule = self.group.schedule.clone();
        for start in self.slice.cut(schedule.starts()) {
            if !self.wait_until(start.start_ns).await {
                return;
            }
            if self.group.live().resting.call(start.start_ns) {
                continue;
            }
            let live = self.group.live();
            if at_most.is_some_and(|most| live.active.load(Ordering::Relaxed) >= most) {
                live.dropped.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            self.spawn_next(start.start_ns).await;
        }
    }

    /// The schedule goes on to its end; then those who rest end, and those who run as far as that says.
    async fn end(&self, level: Level) {
        let end_ns = self.group.schedule.end_ns().unwrap_or(i64::MIN);
        if self.wait_until(end_ns).await {
            self.group.live().raise(level);
        }
        self.group.close();
    }

    /// Keeps as many users running as the plan wants of this slice.
    async fn keep(&mut self, plan: &ConcurrencyPlan) {
        let end_ns = self.group.schedule.end_ns().unwrap_or(i64::MAX);
        let start_ns = end_ns.saturating_sub(plan.length_ns());
        let mut members = 0;
        while self.runs() && swell_net::now_ns() < end_ns {
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
                    self.spawn_next(risen_ns).await;
                    continue;
                }
                self.group.pause(late_ns).await;
                continue;
            }
            self.group.pause(next_ns.min(end_ns).min(now_ns.saturating_add(LOOK_NS))).await;
        }
    }

    /// Starts a user with the next number of the group.
    async fn spawn_next(&mut self, start_ns: i64) {
        let user = self.group.live().numbers.fetch_add(1, Ordering::Relaxed);
        self.spawn(Start { user, start_ns, end_ns: i64::MAX }).await;
    }

    async fn spawn(&mut self, start: Start) {
        self.group.user_starts();
        let life = user::live(self.group.clone(), start);
        debug_assert!(std::mem::size_of_val(&life) <= LARGEST_LIFE, "tens of thousands of these must fit");
        swell_net::spawn(life);
        // Where many start at once, the first need not wait for the last.
        self.started += 1;
        if self.started.is_multiple_of(AT_ONCE) {
            swell_net::yield_now().await;
        }
    }
}
