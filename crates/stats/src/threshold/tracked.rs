//! The data that a rule has received about its samples.

use crate::{Batches, LabelStats, Precision};

use super::metric::{Metric, Statistic, Times};
use super::sliding::SlidingWindow;
use super::{Threshold, Window};

/// A rule without a window that ends the run is not judged before this time of samples: the first
/// moments are no figure.
const EARLIEST_ABORT_MS: u64 = 10_000;

/// The samples of one rule, or of one label of a rule for each.
#[derive(Clone, Debug)]
pub(super) struct RuleSamples {
    /// All that counts.
    pub(super) whole: LabelStats,
    /// Those of them that are known never to have reached a server.
    pub(super) unreached: u64,
    /// The time in which it was counted.
    pub(super) counted_ms: u64,
    /// For the confidence interval of a quantile of service times.
    pub(super) batches: Option<Batches>,
    window: Option<SlidingWindow>,
    /// For how long the rule was broken without a break.
    broken_for_ms: u64,
    pub(super) broken: Option<RuleViolation>,
}

/// When and how a rule was violated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RuleViolation {
    /// Milliseconds since the epoch.
    pub(super) at_ms: i64,
    pub(super) value: f64,
}

/// Counts of an interval.
pub(super) struct IntervalCounts<'s> {
    pub(super) stats: &'s LabelStats,
    /// All failed samples of the interval never reached a server.
    pub(super) failed_unreached: bool,
    pub(super) start_ms: i64,
    pub(super) length_ms: u64,
}

impl IntervalCounts<'_> {
    fn end_ms(&self) -> i64 {
        self.start_ms.saturating_add_unsigned(self.length_ms)
    }
}

impl RuleSamples {
    pub(super) fn new(rule: &Threshold) -> Self {
        let has_interval = matches!(rule.metric, Metric::Time(Times::Elapsed, Statistic::Quantile(_)));
        Self {
            whole: LabelStats::default(),
            unreached: 0,
            counted_ms: 0,
            batches: (has_interval && rule.window == Window::Whole).then(|| Batches::new(Precision::Two)),
            window: match rule.window {
                Window::Over(length_ms) => Some(SlidingWindow::new(length_ms)),
                Window::Whole | Window::For(_) => None,
            },
            broken_for_ms: 0,
            broken: None,
        }
    }

    /// Takes an interval; whether the rule is broken by it, and was not before.
    pub(super) fn take(
        &mut self,
        rule: &Threshold,
        limit: Option<f64>,
        counted: &IntervalCounts<'_>,
    ) -> bool {
        self.whole.merge(counted.stats);
        self.unreached += if counted.failed_unreached { counted.stats.errors } else { 0 };
        self.counted_ms += counted.length_ms;
        if let Some(batches) = &mut self.batches {
            batches.add(counted.start_ms.div_euclid(1000), counted.stats);
        }
        if self.broken.is_some() {
            return false;
        }
        let Some(limit) = limit else { return false };
        let broken_value = match rule.window {
            Window::Whole => self.broken_so_far(rule, limit),
            Window::For(length_ms) => self.broken_for(rule, limit, counted, length_ms),
            Window::Over(_) => self.broken_over(rule, limit, counted),
        };
        self.broken = broken_value.map(|value| RuleViolation { at_ms: counted.end_ms(), value });
        self.broken.is_some()
    }

    /// No sample reached a server.
    pub(super) fn is_unreached(&self) -> bool {
        self.unreached == self.whole.samples
    }

    /// The rule judges times, and all samples that have them failed.
    pub(super) fn all_failed(&self, rule: &Threshold) -> bool {
        let is_of_times = matches!(rule.metric, Metric::Time(..));
        is_of_times && self.whole.samples > 0 && self.whole.errors == self.whole.samples
    }

    /// The figure of all samples that count. The time until a connection is refused is not a time
    /// of the server.
    pub(super) fn value(&self, rule: &Threshold) -> Option<f64> {
        if matches!(rule.metric, Metric::Time(..)) && self.is_unreached() {
            return None;
        }
        // As in the table: from the first start to the last end.
        let seconds =
            if self.whole.span_s() > 0.0 { self.whole.span_s() } else { self.counted_ms as f64 / 1e3 };
        rule.metric.of(&self.whole, seconds)
    }

    /// Broken in all of the time that there was, which was shorter than the rule's.
    pub(super) fn was_always_broken(&self, length_ms: u64) -> bool {
        self.counted_ms < length_ms && self.broken_for_ms > 0 && self.broken_for_ms == self.counted_ms
    }

    /// The window of a run that was shorter than it.
    pub(super) fn has_short_window(&self) -> bool {
        self.window.as_ref().is_some_and(|window| !window.is_full())
    }

    fn broken_so_far(&self, rule: &Threshold, limit: f64) -> Option<f64> {
        // A whole run is judged at its end, unless the rule ends it.
        let is_early = self.counted_ms < EARLIEST_ABORT_MS && rule.after_ms == 0;
        if !rule.aborts || is_early || !rule.metric.is_supported_by(&self.whole) {
            return None;
        }
        let value = rule.metric.of(&self.whole, self.counted_ms as f64 / 1e3)?;
        (!rule.comparison.holds(value, limit)).then_some(value)
    }

    fn broken_for(
        &mut self,
        rule: &Threshold,
        limit: f64,
        counted: &IntervalCounts<'_>,
        length_ms: u64,
    ) -> Option<f64> {
        // A second without samples says nothing about their times.
        let value = rule.metric.of(counted.stats, counted.length_ms as f64 / 1e3)?;
        if rule.comparison.holds(value, limit) {
            self.broken_for_ms = 0;
            return None;
        }
        self.broken_for_ms += counted.length_ms;
        (self.broken_for_ms >= length_ms).then_some(value)
    }

    fn broken_over(&mut self, rule: &Threshold, limit: f64, counted: &IntervalCounts<'_>) -> Option<f64> {
        let window = self.window.as_mut()?;
        window.push(counted.stats, counted.length_ms);
        if !window.is_full() {
            return None;
        }
        let (stats, seconds) = window.total();
        let value = rule.metric.of(&stats, seconds)?;
        (!rule.comparison.holds(value, limit)).then_some(value)
    }
}
