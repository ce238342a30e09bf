//! `PreciseThroughputTimer`: a Poisson process with an exact number of events in each window.

use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use swell_api::Moment;
use swell_expr::{Context, Template};
use swell_plan::Element;

use super::delay::Delay;
use crate::compile_context::GroupCompileContext;
use crate::number;

/// A compiled Precise Throughput Timer.
pub(crate) struct Precise {
    throughput: Template,
    period_s: Template,
    duration_s: Template,
    batch: Template,
    seed: Template,
    /// JMeter has one process for each thread group, whatever the number of timers.
    process: Arc<Mutex<Option<Process>>>,
}

impl Precise {
    pub(super) fn compile(element: &Element, context: &GroupCompileContext<'_>) -> Self {
        let text = |property: &str| context.compile.template(element, property, "");
        let key = format!("precise throughput of group {}", context.group);
        Self {
            throughput: text("throughput"),
            period_s: text("throughputPeriod"),
            duration_s: text("duration"),
            batch: text("batchSize"),
            seed: text("randomSeed"),
            process: context.compile.expr.shared.get(&key, Mutex::default),
        }
    }

    pub(super) fn delay(&self, cx: &mut Context, moment: &Moment) -> Delay {
        let per_second = number::double(&self.throughput.eval(cx)) / number::double(&self.period_s.eval(cx));
        let per_second = per_second * moment.factor;
        let duration_s = number::long(&self.duration_s.eval(cx));
        let batch = number::int(&self.batch.eval(cx)).max(1);
        let seed = number::long(&self.seed.eval(cx));
        if cx.thrown.is_some() {
            return Delay::For(0);
        }
        let mut process = self.process.lock();
        let process = process.get_or_insert_with(|| Process::new(seed));
        loop {
            let Some(event_s) = process.next(per_second, duration_s, batch as u32) else {
                return Delay::Stop;
            };
            let at_ns = moment.test_start_ns.saturating_add((event_s * 1e9) as i64);
            if at_ns >= moment.resumed_ns {
                return if at_ns > moment.end_ns { Delay::Stop } else { Delay::Slot(at_ns) };
            }
        }
    }
}

/// The events of a window, drawn when the previous window is used up or when the rate has changed.
pub(crate) struct Process {
    random: SmallRng,
    events: Vec<f64>,
    used: usize,
    repeated: u32,
    window_end_s: f64,
    rate: f64,
}

/// Windows without an event that are passed before the process counts as one that gives nothing.
const EMPTY_WINDOWS: u32 = 3;

impl Process {
    fn new(seed: i64) -> Self {
        let random = if seed == 0 { SmallRng::from_os_rng() } else { SmallRng::seed_from_u64(seed as u64) };
        Self { random, events: Vec::new(), used: 0, repeated: 0, window_end_s: 0.0, rate: 0.0 }
    }

    /// The next event in seconds from the start of the test; each is given `batch` times.
    fn next(&mut self, per_second: f64, duration_s: i64, batch: u32) -> Option<f64> {
        let changed = (per_second - self.rate).abs() >= 1e-5;
        if changed || (self.repeated == 0 && self.used == self.events.len()) {
            for _ in 0..EMPTY_WINDOWS {
                self.draw_window(per_second, duration_s, batch);
                if !self.events.is_empty() {
                    break;
                }
            }
        }
        if self.repeated == 0 {
            self.used += 1;
        }
        self.repeated = (self.repeated + 1) % batch;
        self.events.get(self.used.checked_sub(1)?).copied()
    }

    fn draw_window(&mut self, per_second: f64, duration_s: i64, batch: u32) {
        self.rate = per_second;
        (self.used, self.repeated) = (0, 0);
        let length = duration_s as f64;
        let count = (per_second / f64::from(batch) * length).ceil().max(0.0) as usize;
        let start = self.window_end_s;
        self.events.clear();
        self.events.extend((0..count).map(|_| start + self.random.random::<f64>() * length));
        self.events.sort_unstable_by(f64::total_cmp);
        self.window_end_s += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_holds_exactly_its_events_in_order() {
        let mut process = Process::new(42);
        let events: Vec<_> = (0..200).map(|_| process.next(10.0, 10, 1).unwrap()).collect();
        assert!(events.is_sorted());
        assert_eq!(events.iter().filter(|at| **at < 10.0).count(), 100);
        assert!(events.iter().all(|at| *at < 20.0));
        let mean = events.iter().sum::<f64>() / 200.0;
        assert!((mean - 10.0).abs() < 1.0, "{mean}");
    }

    #[test]
    fn a_batch_gives_each_event_several_times() {
        let mut process = Process::new(42);
        let events: Vec<_> = (0..30).map(|_| process.next(3.0, 10, 3).unwrap()).collect();
        assert!(events.chunks(3).all(|batch| batch[2] - batch[0] < 1e-12));
        assert!(events[2] < events[3]);
    }

    #[test]
    fn a_changed_rate_draws_a_new_window_and_no_rate_gives_nothing() {
        let mut process = Process::new(42);
        assert!(process.next(1.0, 10, 1).unwrap() < 10.0);
        assert!(process.next(2.0, 10, 1).unwrap() >= 10.0);
        assert_eq!(Process::new(1).next(0.0, 10, 1), None);
    }
}
