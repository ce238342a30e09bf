//! Timers return how long a user waits before a sample. The user does the waiting.

mod barrier;
mod delay;
mod precise;
mod random;
mod shaped;
mod shaping;
mod sync;
mod throughput;

use std::rc::Rc;

use swell_expr::{Context, Template};
use swell_plan::{Element, Node};

use crate::compile_context::GroupCompileContext;
use crate::number;
use crate::script::ScriptTimer;
use crate::trace::TracedTimer;
pub(crate) use barrier::{ArrivalOutcome, Barrier};
pub(crate) use delay::{Delay, MS};
pub(crate) use precise::Precise;
pub(crate) use random::Distribution;
pub(crate) use shaped::{Shaped, began, follow};
pub(crate) use shaping::{MISSED_STARTS, Shaping};
pub(crate) use swell_api::Moment;
pub(crate) use sync::Sync;
pub(crate) use throughput::{Throughput, is_of_each_user, multiplied};

/// A compiled timer.
pub(crate) enum Timer {
    /// `ConstantTimer`.
    Constant { delay_ms: Template },
    /// `UniformRandomTimer`, `GaussianRandomTimer`, `PoissonRandomTimer`.
    Random { law: Distribution, offset_ms: Template, range_ms: Template, factor: f32 },
    /// `ConstantThroughputTimer`.
    Throughput(Throughput),
    /// `PreciseThroughputTimer`.
    Precise(Precise),
    /// `VariableThroughputTimer`.
    Shaping(Box<Shaping>),
    /// A throughput timer of any kind in a run that has a load shape.
    Shaped(Shaped),
    /// `SyncTimer`.
    Sync(Sync),
    /// `JSR223Timer`, `BeanShellTimer`.
    Script(ScriptTimer),
    /// One that another crate or a provider brought. It may wait, so its user asks it, and not
    /// [`Timer::delay`].
    Foreign(Rc<dyn swell_api::Timer>),
    /// One that reports, in a program that is traced.
    Traced(Box<TracedTimer>),
}

/// Constant Timer.
pub(crate) fn constant(node: &Node, context: &GroupCompileContext<'_>, _times: &mut usize) -> Timer {
    Timer::Constant { delay_ms: context.whole_number(&node.element, "ConstantTimer.delay") }
}

/// Uniform Random Timer.
pub(crate) fn uniform(node: &Node, context: &GroupCompileContext<'_>, _times: &mut usize) -> Timer {
    random(&node.element, Distribution::Uniform, context)
}

/// Gaussian Random Timer.
pub(crate) fn gaussian(node: &Node, context: &GroupCompileContext<'_>, _times: &mut usize) -> Timer {
    random(&node.element, Distribution::Gaussian, context)
}

/// Poisson Random Timer.
pub(crate) fn poisson(node: &Node, context: &GroupCompileContext<'_>, _times: &mut usize) -> Timer {
    random(&node.element, Distribution::Poisson, context)
}

/// Constant Throughput Timer.
pub(crate) fn constant_throughput(
    node: &Node,
    context: &GroupCompileContext<'_>,
    times: &mut usize,
) -> Timer {
    shaped_or(context, || {
        Timer::Throughput(Throughput::compile(&node.element, context, times, context.options.compat))
    })
}

/// Precise Throughput Timer.
pub(crate) fn precise_throughput(
    node: &Node,
    context: &GroupCompileContext<'_>,
    _times: &mut usize,
) -> Timer {
    shaped_or(context, || Timer::Precise(Precise::compile(&node.element, context)))
}

/// Synchronizing Timer.
pub(crate) fn synchronizing(node: &Node, context: &GroupCompileContext<'_>, _times: &mut usize) -> Timer {
    Timer::Sync(Sync::compile(node, context))
}

/// Throughput Shaping Timer.
pub(crate) fn throughput_shaping(
    node: &Node,
    context: &GroupCompileContext<'_>,
    _times: &mut usize,
) -> Timer {
    shaped_or(context, || Timer::Shaping(Box::new(Shaping::compile(node, context))))
}

/// A throughput timer: it follows the run's load profile, if there is one, and not its own rate.
fn shaped_or(context: &GroupCompileContext<'_>, make: impl FnOnce() -> Timer) -> Timer {
    Shaped::of_run(context).map_or_else(make, Timer::Shaped)
}

fn random(element: &Element, law: Distribution, context: &GroupCompileContext<'_>) -> Timer {
    let offset_ms = context.whole_number(element, "ConstantTimer.delay");
    let range_ms = context.compile.template(element, "RandomTimer.range", "");
    let factor = context.compile.props.get("timer.factor");
    let factor = factor.and_then(|text| text.trim().parse().ok()).unwrap_or(1.0);
    Timer::Random { law, offset_ms, range_ms, factor }
}

impl Timer {
    /// It reads the sampler before it runs.
    pub(crate) fn reads_request(&self) -> bool {
        matches!(self, Self::Foreign(timer) if timer.reads_request())
    }

    /// Its delays come from a rate that control can multiply.
    pub(crate) fn has_shared_rate(&self) -> bool {
        match self {
            Self::Throughput(timer) => timer.is_shared(),
            Self::Precise(_) | Self::Shaping(_) | Self::Shaped(_) => true,
            Self::Traced(traced) => traced.timer.has_shared_rate(),
            _ => false,
        }
    }

    /// The schedule that it takes its slots from, where that is one for all users of the run, and
    /// slots are given in the order of their times.
    pub(crate) fn schedule_of_all(&self) -> Option<&'static str> {
        match self {
            Self::Throughput(timer) => timer.schedule_of_all(),
            Self::Shaped(_) => Some("load profile"),
            _ => None,
        }
    }

    /// The delay now. `times` are the times that this user's timers keep.
    pub(crate) fn delay(&self, cx: &mut Context, moment: &Moment, times: &mut [i64]) -> Delay {
        match self {
            Self::Constant { delay_ms } => Delay::For(number::long(&delay_ms.eval(cx)).saturating_mul(MS)),
            Self::Random { law, offset_ms, range_ms, factor } => {
                let offset = number::long(&offset_ms.eval(cx));
                let range = number::double(&range_ms.eval(cx));
                let delay = law.draw(&mut cx.random, offset, range);
                #[expect(clippy::float_cmp, reason = "exactly 1 is the default, which disables rounding")]
                let delay =
                    if *factor == 1.0 { delay } else { number::round(f64::from(delay as f32 * factor)) };
                Delay::For(delay.saturating_mul(MS))
            }
            Self::Throughput(timer) => timer.delay(cx, moment, times),
            Self::Precise(timer) => timer.delay(cx, moment),
            Self::Shaping(timer) => timer.delay(cx, moment),
            Self::Shaped(timer) => timer.delay(moment),
            Self::Sync(timer) => timer.delay(cx, moment),
            Self::Script(timer) => Delay::For(timer.delay_ms(cx).saturating_mul(MS)),
            Self::Traced(traced) => traced.delay(cx, moment, times),
            Self::Foreign(_) => unreachable!("foreign timers may wait, so the user calls them"),
        }
    }
}
