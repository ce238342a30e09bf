//! Objectives that a server must meet, in the syntax of thresholds.

use swell_stats::capacity::{Parts, Proportion, least_samples};
use swell_stats::threshold::{Comparison, Limit, Metric, Scope, Statistic, Threshold, Times, Unit, Window};
use swell_stats::{LabelStats, Snapshot};

/// How sure a trial must be of a share.
const CONFIDENCE: f64 = 0.95;
/// How sure it must be to end a trial before its time.
const EARLY: f64 = 0.9995;

/// A rule for each trial.
#[derive(Clone, Debug)]
pub struct Slo {
    rule: Threshold,
    limit: f64,
    /// Failed samples do not count as late ones.
    errors_apart: bool,
}

/// What a trial says of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleResult {
    /// Kept, broken, or not told yet.
    pub outcome: Proportion,
    /// The figure in the unit of the rule; none without samples.
    pub value: Option<f64>,
}

impl Slo {
    /// Parses a rule such as `p(99)<200ms` or `errors<1%`.
    ///
    /// # Errors
    /// It is not a rule, or makes no sense for a trial.
    pub fn parse(text: &str) -> Result<Self, String> {
        let rule = Threshold::parse(text).map_err(|error| error.to_string())?;
        if rule.window != Window::Whole || rule.after_ms > 0 || rule.aborts {
            return Err(format!(
                "`{text}`: a search judges the steady part of each trial, so a rule cannot have \
                `for`, `over`, `after` or `abort`"
            ));
        }
        let Limit::Fixed(limit) = rule.limit else {
            return Err(format!("`{text}`: a search has no run to compare with; use a number"));
        };
        if matches!(rule.metric, Metric::Errors | Metric::Samples) {
            return Err(format!(
                "`{text}`: trials differ in length, so use a rule about a share or a time: \
                errors<1%, p(99)<200ms"
            ));
        }
        if rule.scope.is_each() {
            return Err(format!(
                "`{text}`: write a rule for each label that matters, such as label(\"Login\"): p(99)<1s"
            ));
        }
        Ok(Self { rule, limit, errors_apart: false })
    }

    /// The same, with failed samples counted as late ones or not.
    #[must_use]
    pub fn with_errors_apart(self, errors_apart: bool) -> Self {
        Self { errors_apart, ..self }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.rule.text
    }

    /// The unit of its figure.
    pub fn unit(&self) -> Unit {
        self.rule.metric.unit()
    }

    /// The limit of a time, milliseconds; none for other figures.
    pub fn limit_ms(&self) -> Option<f64> {
        matches!(self.rule.metric, Metric::Time(..)).then_some(self.limit)
    }

    /// The limit of a time of all samples, milliseconds; none for other figures.
    pub fn limit_ms_of_all(&self) -> Option<f64> {
        self.limit_ms().filter(|_| matches!(self.rule.scope, Scope::All))
    }

    /// Whether its figure contains what the tool starts late.
    pub fn is_of_responses(&self, open: bool) -> bool {
        match self.rule.metric {
            Metric::Time(Times::Response, _) => true,
            Metric::Time(Times::Elapsed, _) => open,
            _ => false,
        }
    }

    /// The samples that it is about.
    pub fn select(&self, total: &LabelStats, labels: impl FnOnce() -> Snapshot) -> LabelStats {
        if matches!(self.rule.scope, Scope::All) {
            return total.clone();
        }
        let mut all = LabelStats::default();
        self.rule.scope.select(&labels()).iter().for_each(|(_, stats)| all.merge(stats));
        all
    }

    /// How many independent samples it takes to be sure that it is kept.
    pub fn least_samples(&self) -> u64 {
        self.share().map_or(1, |share| least_samples(share, CONFIDENCE))
    }

    /// Judges the seconds of a steady part.
    pub fn judge(&self, seconds: &[LabelStats], length_s: f64, open: bool) -> RuleResult {
        let mut all = LabelStats::default();
        for second in seconds {
            all.merge(second);
        }
        let metric = self.metric(open, &all);
        let value = metric.of(&all, length_s);
        let outcome = match (self.share(), value) {
            (_, None) => Proportion::Unsure,
            (Some(share), _) => self.parts(seconds, metric).test(share, CONFIDENCE),
            (None, Some(value)) => point(self.rule.comparison, value, self.limit),
        };
        RuleResult { outcome, value }
    }

    /// Whether the figure itself keeps the rule, where the samples are too few to be sure.
    pub fn figure_holds(&self, judged: &RuleResult) -> bool {
        judged.value.is_some_and(|value| self.rule.comparison.holds(value, self.limit))
    }

    /// Whether a trial can end: the rule is certainly broken, and the rest of its time cannot
    /// change that.
    pub fn is_lost(&self, seconds: &[LabelStats], of_all: f64, open: bool) -> bool {
        let Some(share) = self.share() else { return false };
        let mut all = LabelStats::default();
        for second in seconds {
            all.merge(second);
        }
        let parts = self.parts(seconds, self.metric(open, &all));
        let (samples, bad) = parts.total();
        parts.test(share, EARLY) == Proportion::Beyond && bad as f64 > 2.0 * share * (samples as f64 / of_all)
    }

    /// Whether enough samples failed that the rule is broken whatever their times.
    pub fn is_broken_by_failures(&self, all: &LabelStats) -> bool {
        let counts = matches!(self.rule.metric, Metric::ErrorPercent) || !self.errors_apart;
        counts && self.share().is_some_and(|share| all.errors as f64 > share * all.samples as f64)
    }

    /// The share of samples that may be bad; none for other figures than percentiles and errors.
    fn share(&self) -> Option<f64> {
        let below = matches!(self.rule.comparison, Comparison::Less | Comparison::LessOrEqual);
        match self.rule.metric {
            Metric::Time(_, Statistic::Quantile(quantile)) if below && quantile < 1.0 => Some(1.0 - quantile),
            Metric::ErrorPercent if below && self.limit > 0.0 && self.limit < 100.0 => {
                Some(self.limit / 100.0)
            }
            _ => None,
        }
    }

    /// Under open load, times count from when the request was due.
    fn metric(&self, open: bool, all: &LabelStats) -> Metric {
        match self.rule.metric {
            Metric::Time(Times::Elapsed, statistic) if open && !all.response.is_empty() => {
                Metric::Time(Times::Response, statistic)
            }
            other => other,
        }
    }

    fn parts(&self, seconds: &[LabelStats], metric: Metric) -> Parts {
        let mut parts = Parts::default();
        for stats in seconds {
            match metric {
                Metric::Time(times, _) => {
                    let histogram = times.histogram(stats);
                    let limit_ns = (self.limit * 1e6) as u64;
                    let above = histogram.count() - histogram.count_up_to(limit_ns);
                    // A quick failure must not help.
                    let failed = if self.errors_apart { 0 } else { stats.failed.count_up_to(limit_ns) };
                    parts.add(histogram.count(), above + failed);
                }
                _ => parts.add(stats.samples, stats.errors),
            }
        }
        parts
    }
}

fn point(comparison: Comparison, value: f64, limit: f64) -> Proportion {
    if comparison.holds(value, limit) { Proportion::Within } else { Proportion::Beyond }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    /// A second of samples: how many, of how many milliseconds, and how many of them failed.
    fn second(count: u64, ms: u64, failed: u64) -> LabelStats {
        let mut recorder = Recorder::default();
        for number in 0..count {
            let success = number >= failed;
            recorder.record(&Observation { success, elapsed_ns: ms * 1_000_000, ..Observation::default() });
        }
        recorder.take_interval().total()
    }

    fn judged(rule: &str, seconds: &[LabelStats]) -> Proportion {
        Slo::parse(rule).expect("a rule").judge(seconds, seconds.len() as f64, false).outcome
    }

    #[test]
    fn a_percentile_is_a_share_of_late_samples_and_quick_failures_are_late() {
        let quick: Vec<_> = (0..10).map(|_| second(100, 5, 0)).collect();
        let failing: Vec<_> = (0..10).map(|_| second(100, 5, 5)).collect();
        assert_eq!(judged("p(99)<10ms", &quick), Proportion::Within);
        assert_eq!(judged("p(99)<4ms", &quick), Proportion::Beyond);
        assert_eq!(judged("p(99)<10ms", &quick[..2]), Proportion::Unsure);
        assert_eq!(judged("p(99)<10ms", &failing), Proportion::Beyond);
        let apart = Slo::parse("p(99)<10ms").expect("a rule").with_errors_apart(true);
        assert_eq!(apart.judge(&failing, 10.0, false).outcome, Proportion::Within);
        assert_eq!(judged("errors<1%", &failing), Proportion::Beyond);
        assert_eq!(judged("errors<10%", &failing), Proportion::Within);
        assert_eq!(judged("p(99)<10ms", &[]), Proportion::Unsure);
    }

    #[test]
    fn other_figures_are_compared_as_they_are() {
        let seconds: Vec<_> = (0..5).map(|_| second(100, 20, 0)).collect();
        assert_eq!(judged("mean<30ms", &seconds), Proportion::Within);
        assert_eq!(judged("rps>=101", &seconds), Proportion::Beyond);
        assert_eq!(judged("max<1ms", &seconds), Proportion::Beyond);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for rule in [
            "p(99)<1s for 5s",
            "mean<baseline",
            "errors<5",
            "each label: mean<1s",
            "p(99)<1s abort",
            "nonsense",
        ] {
            assert!(Slo::parse(rule).is_err(), "{rule}");
        }
        assert_eq!(Slo::parse("p(99)<1s").expect("a rule").least_samples(), 299);
    }

    #[test]
    fn a_lost_trial_is_known_early() {
        let slow: Vec<_> = (0..3).map(|_| second(100, 500, 0)).collect();
        let slo = Slo::parse("p(99)<100ms").expect("a rule");
        assert!(slo.is_lost(&slow, 0.3, false));
        let mixed = [second(1000, 5, 0), second(1000, 5, 8)];
        assert!(!slo.is_lost(&mixed, 0.3, false));
    }
}
