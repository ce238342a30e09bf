//! Flow Control Action (`TestAction`).

use swell_api::{LoopAction, Sampler, SamplerFuture, User};
use swell_expr::{Level, StopRequest, Template};
use swell_plan::Element;

use crate::compile_context::GroupCompileContext;

const MS: i64 = 1_000_000;

/// What it does.
enum Effect {
    Stop(StopRequest),
    Pause,
    Loop(LoopAction),
    Nothing,
}

pub(super) struct Action {
    effect: Effect,
    pause_ms: Template,
}

impl Action {
    pub(super) fn compile(element: &Element, context: &GroupCompileContext<'_>) -> Self {
        let number = |property| element.text(property).map_or(0, crate::number::int);
        let test = number("ActionProcessor.target") == 2;
        let effect = match number("ActionProcessor.action") {
            0 if test => Effect::Stop(StopRequest::Test),
            2 if test => Effect::Stop(StopRequest::TestNow),
            0 | 2 => Effect::Stop(StopRequest::User),
            1 => Effect::Pause,
            3 => Effect::Loop(LoopAction::NextThreadLoop),
            4 => Effect::Loop(LoopAction::NextLoop),
            5 => Effect::Loop(LoopAction::Break),
            _ => Effect::Nothing,
        };
        Self { effect, pause_ms: context.compile.template(element, "ActionProcessor.duration", "") }
    }

    /// Until when the user pauses; the pause is cut at the end of the schedule.
    fn pause_until(&self, user: &mut User) -> i64 {
        let text = self.pause_ms.eval(&mut user.cx);
        let pause_ms = text.parse::<i64>().unwrap_or_else(|_| {
            user.cx.host.log(Level::Warn, &format!("`{text}` is no number of milliseconds, no pause"));
            0
        });
        // Timers in its scope come first.
        let from_ns = user.ready_ns;
        from_ns.saturating_add(pause_ms.max(0).saturating_mul(MS)).min(user.end_ns).min(user.interrupt_at_ns)
    }
}

impl Sampler for Action {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        match self.effect {
            Effect::Stop(stop) => user.cx.stop = Some(stop),
            Effect::Loop(action) => user.action = action,
            // No sample: the user waits until it is free.
            Effect::Pause => user.free_ns = self.pause_until(user).max(user.free_ns),
            Effect::Nothing => {}
        }
        Box::pin(std::future::ready(None))
    }
}
