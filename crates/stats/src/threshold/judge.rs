//! Judges the intervals of a run and reports the result of each rule.

use std::collections::{BTreeMap, BTreeSet};

use crate::{FailureKind, FigureStats, Interval, LabelStats, Snapshot};

use super::nearest::nearest;
use super::text;
use super::tracked::{IntervalCounts, RuleSamples, RuleViolation};
use super::{Metric, Scope, Statistic, Threshold, Unit, Window};

/// Labels that are remembered to tell which ones there were.
const LABELS_KNOWN: usize = 1000;

/// Judges a run by rules.
#[derive(Clone, Debug)]
pub struct Judge {
    rules: Vec<Rule>,
    start_ms: Option<i64>,
    end_ms: i64,
    /// A user has started. Before that, agents of other machines join, and nothing is to be judged.
    has_begun: bool,
    labels: BTreeSet<String>,
    baseline: Option<Snapshot>,
}

#[derive(Clone, Debug)]
struct Rule {
    threshold: Threshold,
    /// By label where each is judged by itself, else by an empty text.
    tracked: BTreeMap<String, RuleSamples>,
    aborted: bool,
}

/// Result of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The rule as it was written; where each label is judged, with the label.
    pub rule: String,
    /// It was kept.
    pub passed: bool,
    /// The figure that decided; none if there was none.
    pub value: Option<f64>,
    /// What it was compared with.
    pub limit: Option<f64>,
    /// Unit of both.
    pub unit: Unit,
    /// When it was first broken, milliseconds since the epoch; none for rules that are judged at
    /// the end.
    pub broken_at_ms: Option<i64>,
    /// It ended the run.
    pub aborted: bool,
    /// It judges times, and all samples that have them failed: passing says nothing.
    pub all_failed: bool,
    /// What happened, in a sentence.
    pub text: String,
}

impl Judge {
    /// Judges by these rules. `baseline`: what the run to compare with counted.
    pub fn new(rules: Vec<Threshold>, baseline: Option<Snapshot>) -> Self {
        let begun = |threshold| Rule { threshold, tracked: BTreeMap::new(), aborted: false };
        Self {
            rules: rules.into_iter().map(begun).collect(),
            start_ms: None,
            end_ms: 0,
            has_begun: false,
            labels: BTreeSet::new(),
            baseline,
        }
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Takes the next interval of the run. Gives the rules that it broke and that end the run.
    pub fn take(&mut self, interval: &Interval) -> Vec<String> {
        let is_blank = interval.labels.rows.is_empty();
        let begins = !self.has_begun && (!is_blank || interval.users.started > 0);
        if begins {
            (self.has_begun, self.start_ms) = (true, Some(interval.start_ms));
        }
        let start_ms = *self.start_ms.get_or_insert(interval.start_ms);
        self.end_ms = interval.end_ms();
        if is_blank && (interval.is_paused || !self.has_begun) {
            return Vec::new();
        }
        for row in &interval.labels.rows {
            if self.labels.len() < LABELS_KNOWN && !self.labels.contains(&*row.label) {
                self.labels.insert(row.label.to_string());
            }
        }
        let baseline = self.baseline.as_ref();
        let due = |rule: &&mut Rule| {
            interval.start_ms.saturating_sub(start_ms) >= rule.threshold.after_ms.cast_signed()
        };
        let broken = self.rules.iter_mut().filter(due).filter_map(|rule| {
            let is_new = rule.take(interval, baseline);
            rule.aborted |= is_new && rule.threshold.aborts;
            (is_new && rule.threshold.aborts).then(|| rule.threshold.text.clone())
        });
        broken.collect()
    }

    /// Gives figures of the whole run that came with two digits their third ([`Snapshot::refine`]),
    /// before [`Judge::finish`]. Windows and rules that leave a part of the run out are judged with
    /// two.
    pub fn refine(&mut self, fine: &Snapshot) {
        let whole = |rule: &&mut Rule| rule.threshold.window == Window::Whole && rule.threshold.after_ms == 0;
        for rule in self.rules.iter_mut().filter(whole) {
            for (label, mut stats) in rule.threshold.scope.select(fine) {
                if let Some(tracked) = rule.tracked.get_mut(&label) {
                    // What contradicts leaves the rule at two digits; the verdict of the run tells
                    // it.
                    let _ = tracked.whole.refine(&mut stats);
                }
            }
        }
    }

    /// Results of the rules, in order.
    pub fn finish(&self) -> Vec<Judgement> {
        self.rules.iter().flat_map(|rule| self.judged(rule)).collect()
    }

    fn judged(&self, rule: &Rule) -> Vec<Judgement> {
        if rule.tracked.is_empty() || rule.tracked.values().all(|tracked| tracked.whole.samples == 0) {
            return vec![self.without_samples(rule)];
        }
        let seen = rule.tracked.iter().filter(|(_, tracked)| tracked.whole.samples > 0);
        seen.map(|(label, tracked)| self.judgement(rule, label, tracked)).collect()
    }

    fn judgement(&self, rule: &Rule, label: &str, tracked: &RuleSamples) -> Judgement {
        let threshold = &rule.threshold;
        let baseline = rule.baseline(label, self.baseline.as_ref());
        let limit = threshold.limit.value(baseline);
        let value = tracked.broken.map_or_else(|| tracked.value(threshold), |broken| Some(broken.value));
        let verdict = limit.zip(value);
        let all_failed = value.is_some() && tracked.all_failed(threshold);
        let passed = verdict.is_some_and(|(limit, value)| kept(threshold, tracked, value, limit));
        let text = match verdict {
            Some((limit, value)) => {
                let told_limit = text::limit(threshold, limit, baseline);
                let figure = text::figure(value, threshold.metric.unit());
                let name = text::name(threshold.metric);
                let when = self.when(threshold, tracked);
                let doubt = doubt(threshold, tracked, limit);
                let failed = if all_failed { "; all samples failed" } else { "" };
                format!("{name} {figure}{when} ({told_limit}){failed}{doubt}")
            }
            None if value.is_none() && tracked.is_unreached() => {
                format!("{} was not measured: no sample reached a server", text::name(threshold.metric))
            }
            None if value.is_none() => {
                format!("{} was not measured: no sample has this figure", text::name(threshold.metric))
            }
            None => format!("the baseline has no sample{}", told_of(rule, label)),
        };
        Judgement {
            rule: if label.is_empty() {
                threshold.text.clone()
            } else {
                format!("{} — {label}", threshold.text)
            },
            passed,
            value,
            limit,
            unit: threshold.metric.unit(),
            broken_at_ms: tracked.broken.map(|broken| broken.at_ms),
            aborted: rule.aborted && tracked.broken.is_some(),
            all_failed,
            text,
        }
    }

    /// For which part of the run the figure is.
    fn when(&self, threshold: &Threshold, tracked: &RuleSamples) -> String {
        let since_start = |at_ms: i64| (at_ms - self.start_ms.unwrap_or(at_ms)) as f64 / 1e3;
        match (threshold.window, tracked.broken) {
            (Window::For(ms), Some(RuleViolation { at_ms, .. })) => {
                format!(
                    " in the last of {} consecutive seconds, {:.0} s after the start",
                    ms as f64 / 1e3,
                    since_start(at_ms)
                )
            }
            (Window::Over(ms), Some(RuleViolation { at_ms, .. })) => {
                format!(" over the {} s up to {:.0} s after the start", ms as f64 / 1e3, since_start(at_ms))
            }
            (Window::Whole, Some(RuleViolation { at_ms, .. })) => {
                format!(" {:.0} s after the start", since_start(at_ms))
            }
            (Window::For(ms) | Window::Over(ms), None) if tracked.counted_ms < ms => {
                " over the whole run, which was shorter than the window".to_owned()
            }
            (_, None) => String::new(),
        }
    }

    fn without_samples(&self, rule: &Rule) -> Judgement {
        let threshold = &rule.threshold;
        let ran_ms = self.start_ms.map_or(0, |start_ms| self.end_ms.saturating_sub(start_ms));
        let text = if threshold.after_ms > 0 && ran_ms < threshold.after_ms.cast_signed() {
            format!("the run ended after {} s, so nothing is left to judge", ran_ms as f64 / 1e3)
        } else {
            let known = || self.labels.iter().map(String::as_str);
            let near = threshold.scope.name().and_then(|name| nearest(name, known()));
            let hint = near.map(|label| format!("; did you mean `{label}`?")).or_else(|| self.told_labels());
            let of = told_of(rule, "");
            format!("no match: there is no sample{of}{}", hint.unwrap_or_default())
        };
        Judgement {
            rule: threshold.text.clone(),
            passed: false,
            value: None,
            limit: None,
            unit: threshold.metric.unit(),
            broken_at_ms: None,
            aborted: false,
            all_failed: false,
            text,
        }
    }

    fn told_labels(&self) -> Option<String> {
        const MOST: usize = 5;
        let some: Vec<_> = self.labels.iter().take(MOST).map(|label| format!("`{label}`")).collect();
        let more = if self.labels.len() > MOST { ", …" } else { "" };
        (!some.is_empty()).then(|| format!("; labels of the run: {}{more}", some.join(", ")))
    }
}

impl Rule {
    /// Whether the rule is broken by this interval and was not before.
    fn take(&mut self, interval: &Interval, baseline: Option<&Snapshot>) -> bool {
        let mut selected = self.threshold.scope.select(&interval.labels);
        // Where nothing came, that is a figure, too: no samples a second.
        let known = self.tracked.keys().filter(|known| selected.iter().all(|(label, _)| label != *known));
        let silent: Vec<_> = known.map(|label| (label.clone(), LabelStats::default())).collect();
        selected.extend(silent);
        if selected.is_empty() && !self.threshold.scope.is_each() {
            selected.push((String::new(), LabelStats::default()));
        }
        // Causes are counted of all labels together. Where they are mixed, a label's own are not
        // known.
        let errors = &interval.labels.errors;
        let unreached = errors.count(FailureKind::is_unreached);
        let failed_unreached = unreached > 0 && unreached == errors.count(|_| true);
        let mut is_new = false;
        for (label, stats) in selected {
            let baseline = self.baseline(&label, baseline);
            let limit = self.threshold.limit.value(baseline);
            let counted = IntervalCounts {
                stats: &stats,
                failed_unreached,
                start_ms: interval.start_ms,
                length_ms: interval.length_ms,
            };
            let tracked = self.tracked.entry(label).or_insert_with(|| RuleSamples::new(&self.threshold));
            is_new |= tracked.take(&self.threshold, limit, &counted);
        }
        is_new
    }

    /// The same figure of the run to compare with.
    fn baseline(&self, label: &str, baseline: Option<&Snapshot>) -> Option<f64> {
        if !self.threshold.needs_baseline() {
            return None;
        }
        let selected = self.threshold.scope.select(baseline?);
        let (_, stats) = selected.into_iter().find(|(found, _)| found == label)?;
        self.threshold.metric.of(&stats, stats.span_s())
    }
}

fn told_of(rule: &Rule, label: &str) -> String {
    match &rule.threshold.scope {
        Scope::All => String::new(),
        _ if !label.is_empty() => format!(" of `{label}`"),
        scope @ Scope::Rows { .. } => format!(" of {}", scope.told()),
    }
}

/// Whether a rule was kept, given the figure that decides.
fn kept(threshold: &Threshold, tracked: &RuleSamples, value: f64, limit: f64) -> bool {
    if tracked.broken.is_some() {
        return false;
    }
    match threshold.window {
        Window::Whole => threshold.comparison.holds(value, limit),
        Window::For(length_ms) => !tracked.was_always_broken(length_ms),
        Window::Over(_) => !tracked.has_short_window() || threshold.comparison.holds(value, limit),
    }
}

/// How far the figure can be trusted: a limit within its confidence interval could have been kept
/// or broken by chance.
fn doubt(threshold: &Threshold, tracked: &RuleSamples, limit: f64) -> String {
    if !threshold.metric.is_supported_by(&tracked.whole) && tracked.broken.is_none() {
        let count = match threshold.metric {
            Metric::Figure(name, _) => {
                let values = tracked.whole.figures.get(name).map_or(0, FigureStats::count);
                format!("{values} values")
            }
            _ => format!("{} samples", tracked.whole.samples),
        };
        return format!("; {count} are not enough to be sure");
    }
    let Metric::Time(_, Statistic::Quantile(quantile)) = threshold.metric else { return String::new() };
    let interval = tracked.batches.as_ref().and_then(|batches| batches.interval(quantile));
    let ends = interval.map(|interval| (interval.low_ns as f64 / 1e6, interval.high_ns as f64 / 1e6));
    match ends {
        Some((low, high)) if low <= limit && limit <= high => {
            let [low, high] = [low, high].map(|end| text::figure(end, Unit::Milliseconds));
            format!("; within noise: its 95 % confidence interval is {low} to {high}")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
