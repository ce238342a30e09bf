//! Timers and meetings before a sample, and control that holds a user back.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use swell_api::StepProgress;

use super::interrupt::unless;
use super::live::StopMode;
use super::task::UserTask;
use crate::program::Package;
use crate::timer::{ArrivalOutcome, Barrier, Delay, Moment, Timer, multiplied};

impl UserTask {
    /// Sleeps until a time that comes from a rate. Where control multiplies the rate meanwhile, the
    /// time moves.
    async fn sleep_for_rate(&mut self, mut due_ns: i64) {
        loop {
            let changes = &self.worker().live.changes;
            let count = changes.count();
            let factor = changes.factor(swell_net::now_ns());
            if self.worker().program.reads_may_wait {
                swell_net::reads_may_wait_until(due_ns);
            }
            let start_ns = swell_net::start_with_others_ns(due_ns);
            let slept = self.idle_or_change(start_ns, Some(count), due_ns).await;
            if slept.is_some() {
                return;
            }
            if !self.is_running() {
                self.account_less(due_ns);
                return;
            }
            let now_ns = swell_net::now_ns();
            let moved_ns = multiplied(due_ns, now_ns, factor, self.worker().live.changes.factor(now_ns));
            let by_ns = moved_ns.saturating_sub(due_ns);
            self.worker().time_accounting.waits_longer(i128::from(by_ns));
            self.user.intended_ns = self.user.intended_ns.saturating_add(by_ns);
            self.user.ready_ns = self.user.ready_ns.saturating_add(by_ns);
            due_ns = moved_ns;
        }
    }

    /// Lets control hold the user back before its next sample, or let it go; until when its time is
    /// accounted for is given. Whether the sample is to be taken.
    async fn is_let_on(&mut self, mut since_ns: i64) -> bool {
        if self.may_leave() && self.group.releases() {
            self.leave_group();
        }
        let live = self.worker().live.clone();
        while self.is_running() && live.changes.is_paused() {
            let resumed = poll_fn(|_| if live.changes.is_paused() { Poll::Pending } else { Poll::Ready(()) });
            // Whether it is resumed or stopped is seen by the loop.
            let _ = self.wait(std::pin::pin!(resumed)).await;
            let now_ns = swell_net::now_ns();
            self.worker().time_accounting.waits(now_ns - since_ns);
            since_ns = now_ns;
            self.user.free_ns = now_ns;
            self.set_due(now_ns, false);
        }
        self.is_running()
    }

    /// Like [`Self::delay`], without timers and without changes by control; `None` if there are
    /// some.
    pub(super) fn delay_at_once(&mut self, package: &Package) -> Option<bool> {
        if !package.timers.is_empty() || self.is_disturbed() {
            return None;
        }
        let arrives = std::mem::take(&mut self.arrives);
        self.set_due(self.user.free_ns, arrives);
        Some(self.is_running())
    }

    /// `JMeterThread.delay`: the sum of all timers, then one sleep. Without timers the sample is
    /// due as soon as the user is free. Whether the sample is to be taken.
    pub(super) async fn delay(&mut self, package: &Package) -> bool {
        // What happens seldom is boxed, so that users are small.
        if self.is_disturbed() && !Box::pin(self.is_let_on(self.user.free_ns)).await {
            return false;
        }
        let arrives = std::mem::take(&mut self.arrives);
        if package.timers.is_empty() {
            self.set_due(self.user.free_ns, arrives);
            return self.is_running();
        }
        let mut wait_ns = 0_i64;
        let mut slot_ns = None;
        let mut late_ns = 0;
        let mut scheduled = arrives;
        for timer in &package.timers {
            self.user.cx.begin_evaluation();
            let (delay, moment) = loop {
                if timer.reads_request() {
                    self.show_coming_sampler(package);
                }
                let moment = self.moment();
                let delay = match &**timer {
                    Timer::Foreign(timer) => {
                        let delay = Box::pin(self.ask(&**timer, moment)).await;
                        self.change_managers(package);
                        delay
                    }
                    timer => timer.delay(&mut self.user.cx, &moment, &mut self.times),
                };
                if !(self.is_suspended() && self.answered(None).await) {
                    break (delay, moment);
                }
            };
            scheduled |= matches!(delay, Delay::Slot(_));
            match delay {
                Delay::For(delay_ns) => wait_ns = wait_ns.saturating_add(delay_ns),
                Delay::At(at_ns) | Delay::Slot(at_ns) => {
                    let later_ns = (at_ns - moment.from_ns).max(0);
                    late_ns = (moment.from_ns - at_ns).max(0);
                    slot_ns = Some(slot_ns.unwrap_or(moment.from_ns).saturating_add(later_ns));
                }
                Delay::Stop => self.running = false,
                Delay::StopGroup(at_ns) => Box::pin(self.stop_group(at_ns)).await,
                Delay::Meet(barrier, until_ns) => Box::pin(self.meet(&barrier, until_ns)).await,
            }
            if let Some(stop) = self.user.cx.stop.take() {
                self.stop(stop);
            }
            if !self.is_running() || self.user.cx.thrown.is_some() {
                return self.is_running();
            }
        }
        let due_ns = slot_ns.unwrap_or_else(|| self.delays_from()).saturating_add(wait_ns);
        // The missed slot should have been taken then.
        self.set_due(due_ns - late_ns, scheduled);
        if due_ns > swell_net::now_ns() {
            if due_ns > self.user.end_ns {
                // It ends now, and not when that wait would be over.
                self.account_less(self.user.ready_ns);
                self.running = false;
                return false;
            }
            // Whether it slept to the end or the test stops is seen below.
            if package.timers.iter().any(|timer| timer.has_shared_rate()) {
                self.sleep_for_rate(due_ns).await;
            } else {
                self.idle_until(due_ns).await;
            }
            if self.is_disturbed() && !Box::pin(self.is_let_on(self.user.ready_ns)).await {
                return false;
            }
        }
        self.is_running() || scheduled && self.owes(due_ns)
    }

    /// A start that was due before the group was stopped gently: the user is late, and the schedule
    /// is owed it.
    fn owes(&self, due_ns: i64) -> bool {
        self.running && self.group.live().stop_mode() == StopMode::Graceful && due_ns <= swell_net::now_ns()
    }

    /// From when timers count: the end of what the user did before, or now, as in JMeter.
    fn delays_from(&self) -> i64 {
        if self.worker().compat { swell_net::now_ns() } else { self.user.free_ns }
    }

    /// When the plan wants the next sample. Until then the user waits because it is meant to.
    fn set_due(&mut self, intended_ns: i64, scheduled: bool) {
        let user = &mut self.user;
        user.intended_ns = intended_ns;
        user.ready_ns = intended_ns.max(user.free_ns);
        user.scheduled = scheduled;
        let waits_ns = user.ready_ns - user.free_ns;
        if waits_ns > 0 {
            self.worker().time_accounting.waits(waits_ns);
        }
    }

    /// Asks a timer that may wait before it answers; if the test stops meanwhile, the user ends.
    async fn ask(&mut self, timer: &dyn swell_api::Timer, moment: Moment) -> Delay {
        let group = self.group.clone();
        match timer.delay(&mut self.user, moment) {
            StepProgress::Done(delay) => delay.into(),
            StepProgress::Pending(answer) => {
                let answer = unless(&group, StopMode::Graceful, std::pin::pin!(answer)).await.value;
                answer.map_or(Delay::Stop, Delay::from)
            }
        }
    }

    fn moment(&self) -> Moment {
        let worker = &*self.group.worker;
        let now_ns = swell_net::now_ns();
        Moment {
            now_ns,
            from_ns: self.delays_from(),
            end_ns: self.user.end_ns,
            factor: worker.live.changes.factor(now_ns) * worker.live.part,
            resumed_ns: worker.live.changes.resumed_ns(),
            test_start_ns: worker.live.started_ns.load(Ordering::Relaxed),
            active: worker.live.active.load(Ordering::Relaxed),
            group_active: worker.live.groups[self.group.place].active.load(Ordering::Relaxed),
            group_users: self.group.share_users,
        }
    }

    /// Waits until then, and stops all users of the group.
    async fn stop_group(&mut self, at_ns: i64) {
        let _ = self.wait(std::pin::pin!(swell_net::sleep_until(at_ns))).await;
        self.waited();
        self.running = false;
        self.worker().stop_group(self.group.place);
    }

    async fn meet(&mut self, barrier: &Arc<Barrier>, until_ns: Option<i64>) {
        let (sender, mut receiver) = swell_net::channel();
        if barrier.arrive(sender) == ArrivalOutcome::Wait {
            let told = std::pin::pin!(receiver.recv());
            let met = match until_ns {
                None => self.wait(told).await.is_some(),
                Some(until_ns) => {
                    let late = std::pin::pin!(swell_net::sleep_until(until_ns));
                    self.wait(std::pin::pin!(first(told, late))).await == Some(true)
                }
            };
            if !met {
                barrier.give_up();
            }
        }
        self.waited();
    }
}

/// Whether the first of two futures is done first.
async fn first<A, B>(
    mut a: Pin<&mut impl Future<Output = A>>,
    mut b: Pin<&mut impl Future<Output = B>>,
) -> bool {
    std::future::poll_fn(|cx| {
        if a.as_mut().poll(cx).is_ready() {
            return std::task::Poll::Ready(true);
        }
        b.as_mut().poll(cx).map(|_| false)
    })
    .await
}
