//! Timers: how long a user waits before a sample. Delays are numbers; the waiting is the user's.

mod precise;
mod random;
mod shaping;
mod sync;
mod throughput;

use std::sync::Arc;

use swell_expr::{Context, Template};
use swell_plan::{Element, Node};

use crate::number;
use crate::program::Manner;
use crate::script::ScriptTimer;
pub(crate) use precise::Precise;
pub(crate) use random::Law;
pub(crate) use shaping::{MISSED_STARTS, Shaping};
pub(crate) use sync::{Arrived, Barrier, Sync};
pub(crate) use throughput::{Moment, Throughput};

pub(crate) const MS: i64 = 1_000_000;

/// A compiled timer.
pub(crate) enum Timer {
    /// `ConstantTimer`.
    Constant { delay_ms: Template },
    /// `UniformRandomTimer`, `GaussianRandomTimer`, `PoissonRandomTimer`.
    Random { law: Law, offset_ms: Template, range_ms: Template, factor: f32 },
    /// `ConstantThroughputTimer`.
    Throughput(Throughput),
    /// `PreciseThroughputTimer`.
    Precise(Precise),
    /// `VariableThroughputTimer`.
    Shaping(Box<Shaping>),
    /// `SyncTimer`.
    Sync(Sync),
    /// `JSR223Timer`, `BeanShellTimer`.
    Script(ScriptTimer),
}

/// Whether a timer's class is known.
pub(crate) fn is_native(class: &str) -> bool {
    const NATIVE: &[&str] = &[
        "ConstantTimer",
        "UniformRandomTimer",
        "GaussianRandomTimer",
        "PoissonRandomTimer",
        "ConstantThroughputTimer",
        "PreciseThroughputTimer",
        "SyncTimer",
        shaping::CLASS,
    ];
    NATIVE.contains(&class)
}

/// What a timer answers.
pub(crate) enum Delay {
    /// Wait so long from the end of the think time before.
    For(i64),
    /// Not before this time.
    At(i64),
    /// A slot of a rate that is kept whatever happens: at this time, or at once if it is over; then the sample is late.
    Slot(i64),
    /// Do not go: the schedule ends before.
    Stop,
    /// Do not go; at this time all users of the group are to stop.
    StopGroup(i64),
    /// Wait for others first.
    Meet(Arc<Barrier>, Option<i64>),
}

/// A timer of an element; none if its class is not known. `times` counts the timers that keep a time for each user.
pub(crate) fn compile(node: &Node, at_hand: &crate::program::AtHand<'_>, times: &mut usize) -> Option<Timer> {
    let element = &node.element;
    let Manner { compat, .. } = at_hand.manner;
    let law = match element.class.as_str() {
        "ConstantTimer" => {
            let delay_ms = at_hand.whole_number(element, "ConstantTimer.delay");
            return Some(Timer::Constant { delay_ms });
        }
        "ConstantThroughputTimer" => {
            return Some(Timer::Throughput(Throughput::compile(element, at_hand, times, compat)));
        }
        "PreciseThroughputTimer" => return Some(Timer::Precise(Precise::compile(element, at_hand))),
        shaping::CLASS => return Some(Timer::Shaping(Box::new(Shaping::compile(node, at_hand)))),
        "SyncTimer" => return Some(Timer::Sync(Sync::compile(node, at_hand))),
        "UniformRandomTimer" => Law::Uniform,
        "GaussianRandomTimer" => Law::Gaussian,
        "PoissonRandomTimer" => Law::Poisson,
        _ => return ScriptTimer::compile(node, at_hand.compile).map(Timer::Script),
    };
    Some(random(element, law, at_hand))
}

fn random(element: &Element, law: Law, at_hand: &crate::program::AtHand<'_>) -> Timer {
    let offset_ms = at_hand.whole_number(element, "ConstantTimer.delay");
    let range_ms = at_hand.compile.template(element, "RandomTimer.range", "");
    let factor = at_hand.compile.props.get("timer.factor");
    let factor = factor.and_then(|text| text.trim().parse().ok()).unwrap_or(1.0);
    Timer::Random { law, offset_ms, range_ms, factor }
}

impl Timer {
    /// The delay now. `times` are the times that this user's timers keep.
    pub(crate) fn delay(&self, cx: &mut Context, moment: &Moment, times: &mut [i64]) -> Delay {
        match self {
            Self::Constant { delay_ms } => Delay::For(number::long(&delay_ms.eval(cx)).saturating_mul(MS)),
            Self::Random { law, offset_ms, range_ms, factor } => {
                let offset = number::long(&offset_ms.eval(cx));
                let range = number::double(&range_ms.eval(cx));
                let delay = law.draw(&mut cx.random, offset, range);
                #[expect(clippy::float_cmp, reason = "exactly 1 is the default, and then nothing is rounded")]
                let delay =
                    if *factor == 1.0 { delay } else { number::round(f64::from(delay as f32 * factor)) };
                Delay::For(delay.saturating_mul(MS))
            }
            Self::Throughput(timer) => timer.delay(cx, moment, times),
            Self::Precise(timer) => timer.delay(cx, moment),
            Self::Shaping(timer) => timer.delay(cx, moment),
            Self::Sync(timer) => timer.delay(cx, moment),
            Self::Script(timer) => Delay::For(timer.delay_ms(cx).saturating_mul(MS)),
        }
    }
}
