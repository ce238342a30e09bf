//! A load profile that replaces the rates of throughput timers: all timers together use its
//! arrivals one after the other.

use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::Moment;
use swell_shape::{Pacer, Shape, Spacing};

use super::delay::Delay;
use crate::compile_context::GroupCompileContext;
use crate::schedule::Share;

const S: f64 = 1e9;
const KEY: &str = "load shape of throughput timers";

/// The state that the timers of a run share.
#[derive(Default)]
pub(crate) struct TimerShape(Mutex<Option<Pace>>);

struct Pace {
    shape: Arc<Shape>,
    pacer: Pacer,
    /// When the first sample came to a timer.
    start_ns: Option<i64>,
    resumed_ns: i64,
}

/// A throughput timer that follows the profile.
pub(crate) struct Shaped(Arc<TimerShape>);

/// The run's throughput timers follow its share of this profile; call it before the plan is
/// compiled.
pub(crate) fn follow(shared: &swell_expr::Shared, shape: &Arc<Shape>, spacing: Spacing, share: &Share) {
    let part = share.part();
    let shape = if part < 1.0 { Arc::new(shape.scaled(part)) } else { shape.clone() };
    let first = share.slices.first().copied().unwrap_or(0);
    let spacing = match spacing {
        Spacing::Even => Spacing::Even,
        // Shares of a Poisson process are independent ones of that part of its rate.
        Spacing::Poisson { seed } => {
            Spacing::Poisson { seed: seed ^ u64::from(first).wrapping_mul(0x9e37_79b9_7f4a_7c15) }
        }
    };
    let pacer = Pacer::new(shape.clone(), spacing);
    let pace = Pace { shape, pacer, start_ns: None, resumed_ns: i64::MIN };
    let timers = shared.get(KEY, TimerShape::default);
    *timers.0.lock() = Some(pace);
}

/// The shape of the timers, if they have one, began then, where others took its arrivals up to now.
pub(crate) fn began(shared: &swell_expr::Shared, start_ns: i64, now_ns: i64) {
    let timers = shared.get(KEY, TimerShape::default);
    if let Some(pace) = timers.0.lock().as_mut() {
        pace.start_ns = Some(start_ns);
        pace.pacer.skip_to((now_ns - start_ns) as f64 / S);
    }
}

impl Shaped {
    /// None where the run's timers follow the plan.
    pub(super) fn of_run(context: &GroupCompileContext<'_>) -> Option<Self> {
        let timers = context.compile.expr.shared.get(KEY, TimerShape::default);
        let follows = timers.0.lock().is_some();
        follows.then_some(Self(timers))
    }

    pub(super) fn delay(&self, moment: &Moment) -> Delay {
        let mut pace = self.0.0.lock();
        pace.as_mut().map_or(Delay::For(0), |pace| pace.delay(moment))
    }
}

impl Pace {
    fn delay(&mut self, moment: &Moment) -> Delay {
        let start_ns = *self.start_ns.get_or_insert(moment.now_ns);
        let since = |at_ns: i64| (at_ns - start_ns) as f64 / S;
        self.pacer.multiply(moment.factor, since(moment.now_ns));
        if moment.resumed_ns > start_ns && moment.resumed_ns > self.resumed_ns {
            self.resumed_ns = moment.resumed_ns;
            self.pacer.skip_to(since(moment.resumed_ns));
        }
        let at = |seconds: f64| start_ns.saturating_add((seconds * S).round() as i64);
        let Some(due_s) = self.pacer.due_s() else {
            return Delay::StopGroup(at(self.shape.length_s()));
        };
        if at(due_s) > moment.end_ns {
            // It is left for a user that will be there.
            return Delay::Stop;
        }
        self.pacer.advance();
        Delay::Slot(at(due_s))
    }
}
