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

const ACTION: &str = "ActionProcessor.action";
const TARGET: &str = "ActionProcessor.target";
const DURATION: &str = "ActionProcessor.duration";

impl Effect {
    fn of(action: i32, target: i32) -> Self {
        let test = target == 2;
        match action {
            0 if test => Self::Stop(StopRequest::Test),
            2 if test => Self::Stop(StopRequest::TestNow),
            0 | 2 => Self::Stop(StopRequest::User),
            1 => Self::Pause,
            3 => Self::Loop(LoopAction::NextThreadLoop),
            4 => Self::Loop(LoopAction::NextLoop),
            5 => Self::Loop(LoopAction::Break),
            _ => Self::Nothing,
        }
    }
}

pub(super) struct Action {
    /// `ActionProcessor.action`.
    what: i32,
    target: i32,
    pause_ms: Template,
}

impl Action {
    pub(super) fn compile(element: &Element, context: &GroupCompileContext<'_>) -> Self {
        let number = |property| element.text(property).map_or(0, crate::number::int);
        let pause_ms = context.compile.template(element, DURATION, "");
        Self { what: number(ACTION), target: number(TARGET), pause_ms }
    }

    /// What it does now, which a script may have set.
    fn effect(&self, user: &User) -> Effect {
        let number = |name, plan| user.sampler_property(name).map_or(plan, crate::number::int);
        Effect::of(number(ACTION, self.what), number(TARGET, self.target))
    }

    /// Until when the user pauses; the pause is cut at the end of the schedule.
    fn pause_until(&self, user: &mut User) -> i64 {
        let set = user.sampler_property(DURATION).map(str::to_owned);
        let text = set.map_or_else(|| self.pause_ms.eval(&mut user.cx), Into::into);
        let pause_ms = text.parse::<i64>().unwrap_or_else(|_| {
            user.cx.host.log(
                Level::Warn,
                &format!(
                    "invalid pause `{text}`: use milliseconds; there is no \
                                                    pause"
                ),
            );
            0
        });
        // Timers in its scope come first.
        let from_ns = user.ready_ns;
        from_ns.saturating_add(pause_ms.max(0).saturating_mul(MS)).min(user.end_ns).min(user.interrupt_at_ns)
    }
}

impl Sampler for Action {
    fn sample<'a>(&'a self, user: &'a mut User) -> SamplerFuture<'a> {
        match self.effect(user) {
            Effect::Stop(stop) => user.cx.stop = Some(stop),
            Effect::Loop(action) => user.action = action,
            // No sample: the user waits until it is free.
            Effect::Pause => user.free_ns = self.pause_until(user).max(user.free_ns),
            Effect::Nothing => {}
        }
        Box::pin(std::future::ready(None))
    }

    fn followed(&self) -> &'static [&'static str] {
        &[ACTION, TARGET, DURATION]
    }
}
