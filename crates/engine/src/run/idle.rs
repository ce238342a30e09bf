//! Users who only wait. When the test stops, waking a million of them one by one would take
//! seconds. So they are left as they are: counted as ended, and never polled to any effect again.
//! Their memory goes with the worker's loop, or with the process.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};

use super::group_run::GroupRun;
use super::idle_sum::Idle;
use super::interrupt::{WaitResult, unless};
use super::live::StopMode;
use super::user::Runner;

impl Runner {
    /// Waits until then, or until the test or the group is stopped. The wait was accounted for
    /// beforehand, to its end.
    pub(super) async fn idle_until(&mut self, until_ns: i64) {
        if self.idle_or_change(until_ns, None, until_ns).await.is_none() {
            self.account_less(until_ns);
        }
    }

    /// A wait that was accounted for to that time has ended now, by a stop.
    pub(super) fn account_less(&self, until_ns: i64) {
        self.worker().time_accounting.waits_longer(i128::from((swell_net::now_ns() - until_ns).min(0)));
    }

    /// As [`Self::wait_or_change`], for a time. The time_accounting accounts for the user's time
    /// until `accounted_ns`.
    pub(super) async fn idle_or_change(
        &mut self,
        until_ns: i64,
        changes: Option<u32>,
        accounted_ns: i64,
    ) -> Option<()> {
        if !self.can_be_left() {
            return self.wait_or_change(pin!(swell_net::sleep_until(until_ns)), changes).await;
        }
        self.samples_since_yield = 0;
        let group = &*self.group;
        let sleep = pin!(swell_net::sleep_uncut_until(until_ns));
        let mut waiting =
            pin!(unless(group, StopMode::Graceful, sleep).or_released(self.may_leave()).or_changed(changes));
        group.idles(self.place, (self.started_ns, accounted_ns), true);
        let until_left = |cx: &mut Context<'_>| {
            if group.has_left_idle() { Poll::Pending } else { waiting.as_mut().poll(cx) }
        };
        let WaitResult { value: slept, released, .. } = poll_fn(until_left).await;
        group.idles(self.place, (self.started_ns, accounted_ns), false);
        if released {
            self.leave_group();
        }
        slept
    }

    /// Nothing awaits its end, and it has nothing to report: no open transaction and no lock.
    fn can_be_left(&self) -> bool {
        let group = &self.group;
        self.branch.is_none() && self.chain.is_empty() && !group.has_locks && !group.has_left_idle()
    }
}

impl GroupRun {
    /// A user begins or ceases to only wait.
    fn idles(&self, place: usize, (started_ns, accounted_ns): (i64, i64), idle: bool) {
        self.worker.handles.set_idle(place, idle);
        let Idle { users, started_ns: starts_ns, accounted_ns: accounts_ns } = self.idle.get();
        let sign = if idle { 1 } else { -1 };
        self.idle.set(Idle {
            users: users.wrapping_add_signed(sign),
            started_ns: starts_ns + i128::from(sign) * i128::from(started_ns),
            accounted_ns: accounts_ns + i128::from(sign) * i128::from(accounted_ns),
        });
    }

    pub(super) fn has_left_idle(&self) -> bool {
        self.has_left_idle.get()
    }

    /// The test stops: users who only wait have ended. How many these are.
    pub(super) fn leave_idle(&self) -> u32 {
        let idle = if self.has_left_idle.replace(true) { Idle::default() } else { self.idle.get() };
        let Idle { users, started_ns, accounted_ns } = idle;
        self.worker.live.users_ended(self.place, users);
        let ends_ns = i128::from(users) * i128::from(swell_net::now_ns());
        self.worker.time_accounting.lived_all(ends_ns - started_ns);
        self.worker.time_accounting.waits_longer(ends_ns - accounted_ns);
        self.users.set(self.users.get() - users);
        self.end_if_over();
        users
    }
}
