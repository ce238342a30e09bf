//! Timers that report, and that no sample waits for unless that is wanted.

use std::rc::Rc;

use swell_api::{Delay as ApiDelay, StepProgress, User};
use swell_expr::Context;
use swell_trace::{ElementRef, Role, TimerWait};

use super::action;
use crate::timer::{Delay, Moment, Timer};

/// A timer of the engine.
pub(crate) struct TracedTimer {
    pub(crate) timer: Timer,
    pub(crate) element: ElementRef,
}

impl TracedTimer {
    /// The delay, or none if delays are skipped.
    pub(crate) fn delay(&self, cx: &mut Context, moment: &Moment, times: &mut [i64]) -> Delay {
        let keeps = keeps_timers(cx);
        let before = action::begin(cx, &self.element, Role::Timer);
        let delay = match &self.timer {
            // With one virtual user it would wait for others that never come.
            Timer::Sync(_) if !keeps => None,
            timer => Some(timer.delay(cx, moment, times)),
        };
        note(cx, delay.as_ref(), moment, keeps);
        action::end(cx, &before);
        match delay {
            Some(delay) if keeps || matches!(delay, Delay::Stop) => delay,
            _ => Delay::For(0),
        }
    }
}

/// A timer from another crate or a provider.
pub(crate) struct TracedForeignTimer {
    pub(crate) timer: Rc<dyn swell_api::Timer>,
    pub(crate) element: ElementRef,
}

impl swell_api::Timer for TracedForeignTimer {
    fn reads_request(&self) -> bool {
        self.timer.reads_request()
    }

    fn delay<'a>(&'a self, user: &'a mut User, moment: Moment) -> StepProgress<'a, ApiDelay> {
        StepProgress::Pending(Box::pin(async move {
            let keeps = keeps_timers(&user.cx);
            let before = action::begin(&mut user.cx, &self.element, Role::Timer);
            let delay = self.timer.delay(user, moment).wait().await;
            note(&mut user.cx, Some(&delay.into()), &moment, keeps);
            action::end(&mut user.cx, &before);
            if keeps || delay == ApiDelay::Stop { delay } else { ApiDelay::For(0) }
        }))
    }
}

fn keeps_timers(cx: &Context) -> bool {
    cx.trace.as_ref().is_none_or(|trace| trace.keeps_timers())
}

fn note(cx: &mut Context, delay: Option<&Delay>, moment: &Moment, keeps: bool) {
    if let Some(trace) = &mut cx.trace {
        let wait_ns = match delay {
            Some(Delay::For(wait_ns)) => Some(*wait_ns),
            Some(Delay::At(at_ns) | Delay::Slot(at_ns)) => Some(at_ns - moment.from_ns),
            Some(Delay::Stop | Delay::StopGroup(_) | Delay::Meet(..)) | None => None,
        };
        let wait_ms = wait_ns.map(|ns| ((ns.max(0) + 500_000) / 1_000_000) as u64);
        trace.timer(TimerWait { wait_ms, skipped: !keeps });
    }
}
