//! A user that waits.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use super::interrupt::{WaitResult, unless};
use super::live::StopMode;
use super::task::UserTask;

impl UserTask {
    /// Waits for something; none if the test stops first.
    pub(super) async fn wait<T>(&mut self, future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        self.wait_or_change(future, None).await
    }

    /// As [`Self::wait`]; none also if the load has changed more often than that.
    pub(super) async fn wait_or_change<T>(
        &mut self,
        future: Pin<&mut impl Future<Output = T>>,
        changes: Option<u32>,
    ) -> Option<T> {
        self.samples_since_yield = 0;
        let waiting = unless(&self.group, StopMode::Graceful, future);
        let WaitResult { value, released, .. } =
            waiting.or_released(self.may_leave()).or_changed(changes).await;
        if released {
            self.leave_group();
        }
        value
    }

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
    pub(super) fn can_be_left(&self) -> bool {
        let group = &self.group;
        self.branch.is_none() && self.chain.is_empty() && !group.has_locks && !group.has_left_idle()
    }

    /// A branch stays with its user.
    pub(super) fn may_leave(&self) -> bool {
        self.branch.is_none() && !self.was_released
    }

    /// Control wants fewer users, and this one is no longer counted.
    pub(super) fn leave_group(&mut self) {
        self.was_released = true;
        self.running = false;
    }

    /// Control may want something of the user before its next sample.
    pub(super) fn is_disturbed(&self) -> bool {
        self.group.is_held() || self.worker().live.changes.is_paused()
    }

    /// A pause after a failed sample, or to the user's end.
    pub(super) async fn pause(&mut self, pause_ns: i64) {
        let until_ns = swell_net::now_ns().saturating_add(pause_ns).min(self.user.end_ns);
        // Whether it slept to the end or the test stops is seen before the next sample.
        let _ = self.idle_or_change(until_ns, None, self.user.free_ns).await;
        self.waited();
    }

    /// Waits until what the user wrote to has caught up, or the test is stopped, which is seen by
    /// the caller.
    pub(super) async fn wait_for_writers(&mut self) {
        while let Some(mut backlog) = self.user.cx.backlog.take() {
            let _ = self.wait(std::pin::Pin::new(&mut backlog)).await;
        }
        self.waited();
    }

    /// The user waited for others, or for something other than a sample: its time continues from
    /// here.
    pub(super) fn waited(&mut self) {
        self.samples_since_yield = 0;
        let now_ns = swell_net::now_ns();
        self.worker().time_accounting.waits(now_ns - self.user.free_ns);
        self.user.free_ns = now_ns;
    }

    pub(super) fn waited_if(&mut self, waited: bool) {
        if waited {
            self.waited();
        }
    }

    /// The user waited for something other than a sample; one that was due meanwhile can only start
    /// now.
    pub(super) fn waited_since(&mut self, before_ns: i64) {
        self.samples_since_yield = 0;
        let now_ns = swell_net::now_ns();
        self.worker().time_accounting.waits((now_ns - before_ns).max(0));
        let user = &mut self.user;
        (user.free_ns, user.ready_ns) = (now_ns, now_ns);
        if !user.scheduled {
            user.intended_ns = now_ns;
        }
    }
}
