//! A user that waits: timers, meetings, locks.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use swell_api::StepRun;

use super::interrupt::unless;
use super::live::Level;
use super::user::Runner;
use crate::program::Package;
use crate::timer::{Arrived, Barrier, Delay, Moment, Timer};

impl Runner {
    /// Waits for something; none if the test stops first.
    pub(super) async fn wait<T>(&mut self, future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        self.greedy = 0;
        unless(self.group.live(), Level::Gently, future).await.0
    }

    /// `JMeterThread.delay`: the sum of all timers, then one sleep. Without timers the sample is due as soon as the user is
    /// free. Whether the sample is to be taken.
    pub(super) async fn delay(&mut self, package: &Package) -> bool {
        let arrives = std::mem::take(&mut self.arrives);
        if package.timers.is_empty() {
            self.set_due(self.user.free_ns, arrives);
            return self.is_running();
        }
        let (mut wait_ns, mut slot_ns, mut late_ns, mut scheduled) = (0_i64, None, 0, arrives);
        for timer in &package.timers {
            let moment = self.moment();
            let delay = match &**timer {
                Timer::Foreign(timer) => Box::pin(self.ask(&**timer, moment)).await,
                timer => timer.delay(&mut self.user.cx, &moment, &mut self.times),
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
        // A slot that is over was to be taken then.
        self.set_due(due_ns - late_ns, scheduled);
        if due_ns > swell_net::now_ns() {
            if due_ns > self.user.end_ns {
                self.running = false;
                return false;
            }
            // Whether it slept to the end or the test stops is seen below.
            let _stopped = self.wait(std::pin::pin!(swell_net::sleep_until(due_ns))).await;
        }
        self.is_running() || scheduled && self.owes(due_ns)
    }

    /// A start that was due before the group was stopped gently: the user is late, and the schedule is owed it.
    fn owes(&self, due_ns: i64) -> bool {
        self.running && self.group.live().level() == Level::Gently && due_ns <= swell_net::now_ns()
    }

    /// From when timers count: the end of what the user did before, or in JMeter's manner now.
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
            self.worker().ledger.waits(waits_ns);
        }
    }

    /// Asks a timer that may wait before it answers; if the test stops meanwhile, the user ends.
    async fn ask(&mut self, timer: &dyn swell_api::Timer, moment: Moment) -> Delay {
        let live = self.group.clone();
        match timer.delay(&mut self.user, moment) {
            StepRun::Done(delay) => delay.into(),
            StepRun::Pending(answer) => {
                let answer = unless(live.live(), Level::Gently, std::pin::pin!(answer)).await.0;
                answer.map_or(Delay::Stop, Delay::from)
            }
        }
    }

    fn moment(&self) -> Moment {
        let worker = &*self.group.worker;
        Moment {
            now_ns: swell_net::now_ns(),
            from_ns: self.delays_from(),
            end_ns: self.user.end_ns,
            test_start_ns: worker.live.started_ns.load(Ordering::Relaxed),
            active: worker.live.active.load(Ordering::Relaxed),
            group_active: worker.live.groups[self.group.place].active.load(Ordering::Relaxed),
            group_users: self.group.schedule.users(),
        }
    }

    /// Waits until then, and stops all users of the group.
    async fn stop_group(&mut self, at_ns: i64) {
        let _stopped = self.wait(std::pin::pin!(swell_net::sleep_until(at_ns))).await;
        self.waited();
        self.running = false;
        self.worker().stop_group(self.group.place);
    }

    async fn meet(&mut self, barrier: &Arc<Barrier>, until_ns: Option<i64>) {
        let (sender, mut receiver) = swell_net::channel();
        if barrier.arrive(sender) == Arrived::Wait {
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

    /// A pause after a failed sample, or to the user's end.
    pub(super) async fn pause(&mut self, pause_ns: i64) {
        let until_ns = swell_net::now_ns().saturating_add(pause_ns).min(self.user.end_ns);
        // Whether it slept to the end or the test stops is seen before the next sample.
        let _ = self.wait(std::pin::pin!(swell_net::sleep_until(until_ns))).await;
        self.waited();
    }

    /// The user waited for others, or for what is no sample: its time goes on from here.
    pub(super) fn waited(&mut self) {
        self.greedy = 0;
        let now_ns = swell_net::now_ns();
        self.worker().ledger.waits(now_ns - self.user.free_ns);
        self.user.free_ns = now_ns;
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
