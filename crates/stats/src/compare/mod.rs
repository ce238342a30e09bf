//! Compares two runs: which figures changed by more than their noise.
//!
//! A run is cut into 32 to 64 blocks of equal time. The blocks are resampled with replacement some
//! hundred times (the block bootstrap; Efron and Tibshirani, *An Introduction to the Bootstrap*,
//! 1993). The variation of a figure over these resamples is its noise. Correlated neighbours do not
//! count as independent as long as they are in the same block.
//!
//! A difference counts as a change if it exceeds the noise of both runs at a level of 2 % for the
//! whole comparison: with more labels, each must be more certain (Bonferroni). A figure without a
//! change counts as equal only if its 95 % interval is within a band around no change (equivalence;
//! Schuirmann 1987). Otherwise the runs cannot decide, and [`Change::smallest`] and
//! [`Change::needed`] give what they could detect.

mod blocks;
mod change_points;
mod detection;
mod level_changes;
mod normal;
mod side;

pub use change_points::ChangePoint;
pub use detection::RequiredLength;
pub use level_changes::{LevelChange, Scale, level_changes};
pub use side::{Side, Steadiness};

use std::cmp::Ordering;
use std::sync::Arc;

use blocks::{Blocks, Figures};
use detection::{Noise, needed_for_percentile};

/// The level of the whole comparison: how often two runs that are alike may show a change.
const LEVEL: f64 = 0.02;

/// With fewer blocks their spread says too little.
const FEWEST_BLOCKS: usize = 10;

/// The compared figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Mean service time, milliseconds.
    Mean,
    /// Median, milliseconds.
    P50,
    /// 95th percentile, milliseconds.
    P95,
    /// 99th percentile, milliseconds.
    P99,
    /// Samples a second.
    Rate,
    /// Failed samples of a hundred.
    ErrorPercent,
}

impl Measure {
    /// All, in their order.
    pub const ALL: [Self; 6] = [Self::Mean, Self::P50, Self::P95, Self::P99, Self::Rate, Self::ErrorPercent];

    /// Its name, with its unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean_ms",
            Self::P50 => "p50_ms",
            Self::P95 => "p95_ms",
            Self::P99 => "p99_ms",
            Self::Rate => "throughput_per_s",
            Self::ErrorPercent => "error_percent",
        }
    }

    /// More of it is better.
    fn more_is_better(self) -> bool {
        self == Self::Rate
    }

    /// Which percentile it is, in 0..1.
    fn quantile(self) -> Option<f64> {
        match self {
            Self::P50 => Some(0.5),
            Self::P95 => Some(0.95),
            Self::P99 => Some(0.99),
            Self::Mean | Self::Rate | Self::ErrorPercent => None,
        }
    }

    /// It is a time.
    fn is_time(self) -> bool {
        !matches!(self, Self::Rate | Self::ErrorPercent)
    }

    /// Compared by its ratio and not by its difference.
    fn by_ratio(self) -> bool {
        self != Self::ErrorPercent
    }
}

/// The result for one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No change, and the 95 % interval lies within [`Options::same_within`].
    Same,
    /// Better beyond the noise.
    Better,
    /// Worse beyond the noise.
    Worse,
    /// Neither a change nor the same: the runs are too short, too noisy, or have too few samples.
    Unknown,
}

impl Finding {
    /// Whether it is a change.
    pub fn is_change(self) -> bool {
        matches!(self, Self::Better | Self::Worse)
    }
}

/// Why a figure is no news, although it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obscured {
    /// All samples of one of the runs failed: its times are times of failures.
    AllFailed,
    /// The figure is better, but more samples failed, which are often the faster ones.
    MoreFailed,
    /// The rate went the way of the load: there were more users, or a higher rate was wanted, or
    /// fewer and a lower one.
    OtherLoad,
}

/// One figure of both runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Which.
    pub measure: Measure,
    /// The figure of the first run; none if it has none.
    pub before: Option<f64>,
    /// The figure of the second run.
    pub after: Option<f64>,
    /// By how much it changed: `after / before - 1`, or the difference for
    /// [`Measure::ErrorPercent`].
    pub change: Option<f64>,
    /// The 95 % interval of that.
    pub interval: Option<(f64, f64)>,
    /// The smallest change that would have been found in 80 of 100 comparisons, in the unit of
    /// `change`; none if nothing is known of the noise.
    pub smallest: Option<f64>,
    /// What each run needs to show a change of the size of [`Options::same_within`] in 80 of 100
    /// comparisons.
    pub needed: Option<RequiredLength>,
    /// The answer.
    pub finding: Finding,
    /// Why failed samples or another load leave it [`Finding::Unknown`].
    pub obscured: Option<Obscured>,
}

impl Change {
    /// A rate that the load explains is an answer.
    fn leaves_total_unknown(&self) -> bool {
        self.finding == Finding::Unknown && self.obscured != Some(Obscured::OtherLoad)
    }

    /// Leaves no answer, and no longer run would give one.
    fn obscure(&mut self, why: Obscured) {
        self.finding = Finding::Unknown;
        self.obscured = Some(why);
        self.smallest = None;
        self.needed = None;
    }
}

/// A label, or the total, of both runs.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelComparison {
    /// The label; `TOTAL` for the total.
    pub label: Arc<str>,
    /// Made by a Transaction Controller.
    pub is_transaction: bool,
    /// Samples of both runs, without those of a beginning that was left out.
    pub samples: (u64, u64),
    /// Whether all samples of each run failed.
    pub all_failed: (bool, bool),
    /// [`Measure::ALL`] in their order.
    pub changes: Vec<Change>,
}

impl LabelComparison {
    /// Whether a figure is worse beyond the noise.
    pub fn is_worse(&self) -> bool {
        self.changes.iter().any(|change| change.finding == Finding::Worse)
    }

    /// A time that only failures have is neither better nor worse, and nothing is better where more
    /// samples fail.
    fn without_news_of_failures(mut self) -> Self {
        let all_failed = self.all_failed.0 || self.all_failed.1;
        let more_failed = self.has_more_failures();
        for change in &mut self.changes {
            if all_failed && change.measure.is_time() {
                change.obscure(Obscured::AllFailed);
            } else if more_failed && change.finding == Finding::Better {
                change.obscure(Obscured::MoreFailed);
            }
        }
        self
    }

    /// A rate that went the way of the load is neither better nor worse.
    fn without_news_of_the_load(mut self, load: Ordering) -> Self {
        let expected = match load {
            Ordering::Less => Finding::Worse,
            Ordering::Equal => return self,
            Ordering::Greater => Finding::Better,
        };
        let rates = self.changes.iter_mut().filter(|change| change.measure == Measure::Rate);
        rates.filter(|change| change.finding == expected).for_each(|rate| rate.obscure(Obscured::OtherLoad));
        self
    }

    /// Whether more samples failed, beyond the noise.
    pub fn has_more_failures(&self) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|change| change.measure == Measure::ErrorPercent && change.finding == Finding::Worse)
    }

    /// Whether a figure is better beyond the noise.
    pub fn is_better(&self) -> bool {
        self.changes.iter().any(|change| change.finding == Finding::Better)
    }
}

/// A comparison of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// All samples.
    pub total: LabelComparison,
    /// Labels of both runs, in the order of the second.
    pub labels: Vec<LabelComparison>,
    /// Labels that only the first has.
    pub only_before: Vec<Arc<str>>,
    /// Labels that only the second has.
    pub only_after: Vec<Arc<str>>,
}

impl Comparison {
    /// The total and all labels.
    pub fn rows(&self) -> impl Iterator<Item = &LabelComparison> {
        [&self.total].into_iter().chain(&self.labels)
    }

    /// The answer for the whole: worse or better if a figure of any row is; else unknown if a
    /// figure of the total is.
    pub fn finding(&self) -> Finding {
        if self.is_worse() {
            Finding::Worse
        } else if self.rows().any(LabelComparison::is_better) {
            Finding::Better
        } else if self.total.changes.iter().any(Change::leaves_total_unknown) {
            Finding::Unknown
        } else {
            Finding::Same
        }
    }

    /// Whether anything is worse beyond the noise.
    pub fn is_worse(&self) -> bool {
        self.total.is_worse() || self.labels.iter().any(LabelComparison::is_worse)
    }
}

/// Options of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Leave a beginning out that looks unlike the rest.
    pub without_warm_up: bool,
    /// Relative changes smaller than this are none, however certain they are.
    pub at_least: f64,
    /// A figure is the same if its 95 % interval lies within this share of no change, 0.1 for ±10
    /// %; for the share of errors, within a tenth of it, ±1 percentage point.
    pub same_within: f64,
}

impl Options {
    /// The equivalence band of a figure: a ratio less 1, or a difference in percentage points.
    pub fn band(&self, measure: Measure) -> f64 {
        if measure.by_ratio() { self.same_within } else { self.same_within * 100.0 / 10.0 }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { without_warm_up: true, at_least: 0.01, same_within: 0.1 }
    }
}

/// What changed from `before` to `after`.
pub fn compare(before: &Side, after: &Side, options: Options) -> Comparison {
    let a = before.blocks(options.without_warm_up);
    let b = after.blocks(options.without_warm_up);
    let both: Vec<_> = b.labels.iter().filter_map(|(key, after)| Some((key, a.find(key)?, after))).collect();
    // A single label is the total, too.
    let judged = if both.len() > 1 { both.len() + 1 } else { 1 };
    let load = after.load_against(before);
    let level = LEVEL / (judged * Measure::ALL.len()) as f64;
    let of = |label: &Arc<str>, is_transaction, before: &Blocks, after: &Blocks| {
        LabelComparison {
            label: label.clone(),
            is_transaction,
            samples: (before.all_samples(), after.all_samples()),
            all_failed: (before.all_failed(), after.all_failed()),
            changes: changes(before, after, level, options),
        }
        .without_news_of_failures()
        .without_news_of_the_load(load)
    };
    let only = |one: &side::BlocksOfRun, other: &side::BlocksOfRun| {
        let missing = one.labels.iter().filter(|(key, _)| other.find(key).is_none());
        missing.map(|(key, _)| key.0.clone()).collect()
    };
    Comparison {
        total: of(&Arc::from("TOTAL"), false, &a.total, &b.total),
        labels: both.into_iter().map(|(key, before, after)| of(&key.0, key.1, before, after)).collect(),
        only_before: only(&a, &b),
        only_after: only(&b, &a),
    }
}

fn changes(before: &Blocks, after: &Blocks, level: f64, options: Options) -> Vec<Change> {
    const SEEDS: [u64; 2] = [1, 2];
    let [drawn_before, drawn_after] = [before.draws(SEEDS[0]), after.draws(SEEDS[1])];
    let freedom = before.count().min(after.count()).saturating_sub(1);
    let now = after.figures();
    let then = before.figures();
    let figures = Measure::ALL.into_iter().map(|measure| {
        let [x, y] = [(before, &drawn_before), (after, &drawn_after)]
            .map(|(blocks, draws)| spread(blocks, draws, measure));
        let noise = x.zip(y).map(|(before, after)| Noise { before, after, freedom, level });
        let seen = unknown(measure, then.get(measure), now.get(measure));
        let Some(noise) = noise.filter(|_| seen.before.is_some() && seen.after.is_some()) else {
            return Change { needed: needed_for_percentile(measure, before, after), ..seen };
        };
        let needed = noise.needed(measure, options.band(measure), before, after);
        if before.count().min(after.count()) < FEWEST_BLOCKS {
            return Change { needed, ..seen };
        }
        Change { needed, ..judged(&seen, noise, options) }
    });
    figures.collect()
}

fn unknown(measure: Measure, before: Option<f64>, after: Option<f64>) -> Change {
    let change = before.zip(after).and_then(|(a, b)| relative(measure, a, b));
    let finding = Finding::Unknown;
    Change {
        measure,
        before,
        after,
        change,
        interval: None,
        smallest: None,
        needed: None,
        finding,
        obscured: None,
    }
}

fn judged(seen: &Change, noise: Noise, options: Options) -> Change {
    let measure = seen.measure;
    let a = seen.before.unwrap_or(0.0);
    let b = seen.after.unwrap_or(0.0);
    let difference = if measure.by_ratio() { (b / a).ln() } else { b - a };
    let half = noise.of_difference() * normal::student(0.05 / 2.0, noise.freedom);
    let ends = [difference - half, difference + half];
    let [low, high] = if measure.by_ratio() { ends.map(f64::exp_m1) } else { ends };
    // Shares of errors are compared to what would be a change of them.
    let least = if measure.by_ratio() { options.at_least } else { 1e-9 };
    let is_small = seen.change.is_none_or(|change| change.abs() < least);
    let certain = noise.of_difference() * normal::student(noise.level / 2.0, noise.freedom);
    let is_better = (difference > 0.0) == measure.more_is_better();
    let band = options.band(measure);
    let finding = match (difference.abs() > certain && !is_small, is_better) {
        (true, true) => Finding::Better,
        (true, false) => Finding::Worse,
        (false, _) if low >= -band && high <= band => Finding::Same,
        (false, _) => Finding::Unknown,
    };
    let interval = Some((low, high));
    let smallest = Some(noise.smallest_change(measure));
    Change { interval, smallest, finding, ..seen.clone() }
}

fn relative(measure: Measure, a: f64, b: f64) -> Option<f64> {
    if measure.by_ratio() { (a > 0.0).then(|| b / a - 1.0) } else { Some(b - a) }
}

/// The standard deviation of a figure over the draws; of its logarithm where ratios are compared.
fn spread(blocks: &Blocks, draws: &[Figures], measure: Measure) -> Option<f64> {
    let scaled = |figure: f64| if measure.by_ratio() { figure.ln() } else { figure };
    let values: Vec<f64> = draws.iter().filter_map(|draw| draw.get(measure)).map(scaled).collect();
    let n = values.len() as f64;
    if values.len() < 2 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    Some(if measure == Measure::ErrorPercent { spread.max(blocks.least_error_noise()) } else { spread })
}

#[cfg(test)]
mod tests;
