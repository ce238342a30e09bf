//! Judges how far figures are off: the bounds, and the times of samples that were not late.

use super::{Changed, Group, LATE_NS, Late, NONE};
use crate::{Histogram, LabelStats, QUANTILES, Snapshot, supports};

/// With fewer samples there is no figure to judge.
const FEWEST: u64 = 100;
/// This many labels are examined, those with the most samples.
const MOST_LABELS: usize = 20;
/// Percentiles that are judged go to this one.
const LAST_QUANTILE: f64 = 0.99;
/// Less than this many standard deviations is chance.
const CHANCE: f64 = 1.0;
/// The same of a slope.
const OF_SLOPE: f64 = 3.0;
/// This many samples that were not late show what the others would have been.
const FEWEST_ON_TIME: u64 = 381;
/// The same of the place of a quantile among the samples.
const OF_QUANTILE: f64 = 0.5;

/// How many values are at or below each.
struct Distribution(Vec<(u64, u64)>);

/// The values of a histogram, and how many there are of each, with a sign.
fn signed(of: &Histogram, sign: i64) -> impl Iterator<Item = (u64, i64)> + '_ {
    of.iter().map(move |(_, high, times)| (high, sign * times.cast_signed()))
}

impl Distribution {
    /// The sign of histograms: added (1) or subtracted (-1).
    fn of<'a>(all: impl IntoIterator<Item = (&'a Histogram, i64)>) -> Self {
        let all = all.into_iter();
        Self::of_counts(all.flat_map(|(of, sign)| signed(of, sign)).collect())
    }

    /// With replaced values.
    fn with(&self, without: &Histogram, with: Option<&Histogram>) -> Self {
        let mut before = 0;
        let mut counts: Vec<(u64, i64)> = Vec::with_capacity(2 * self.0.len());
        counts.extend(self.0.iter().map(|&(high, below)| {
            let times = below - std::mem::replace(&mut before, below);
            (high, times.cast_signed())
        }));
        counts.extend(signed(without, -1));
        counts.extend(with.into_iter().flat_map(|with| signed(with, 1)));
        Self::of_counts(counts)
    }

    /// Adds up the counts of equal values. `counts`: values with their counts, of several
    /// distributions one after the other.
    fn of_counts(mut counts: Vec<(u64, i64)>) -> Self {
        // Each is in order, and a stable sort merges what is.
        counts.sort_by_key(|(high, _)| *high);
        let mut below = 0;
        let of_one_value = counts.chunk_by(|a, b| a.0 == b.0);
        let rising = of_one_value.filter_map(|all| {
            let times: i64 = all.iter().map(|(_, times)| times).sum();
            below += u64::try_from(times).unwrap_or(0);
            (times > 0).then_some((all[0].0, below))
        });
        Self(rising.collect())
    }

    fn count(&self) -> u64 {
        self.0.last().map_or(0, |last| last.1)
    }

    fn quantile(&self, quantile: f64) -> f64 {
        let rank = (quantile.clamp(0.0, 1.0) * self.count() as f64).ceil().max(1.0) as u64;
        let at = self.0.partition_point(|(_, below)| *below < rank);
        self.0.get(at).or(self.0.last()).map_or(0.0, |found| found.0 as f64)
    }

    fn deviation(&self) -> f64 {
        let mut before = 0;
        let mut sum = 0.0;
        let mut squares = 0.0;
        for &(value, below) in &self.0 {
            let times = (below - before) as f64;
            (sum, squares) = (sum + times * value as f64, squares + times * (value as f64).powi(2));
            before = below;
        }
        let n = before.max(1) as f64;
        (squares / n - (sum / n).powi(2)).max(0.0).sqrt()
    }
}

/// All times of one kind, and those of the late samples among them.
struct LateDistribution<'a> {
    all: Distribution,
    sum_ns: u128,
    late: &'a Group,
    /// [`slope`], where samples may be compared: they are of the same label, and their lateness is
    /// not in their times.
    slope: Option<f64>,
}

/// The part of their lateness that samples took longer, or shorter, at most: twice the slope of
/// times over lateness, with its error. `sums`: of all times and of their squares.
fn slope(late: &Group, samples: u64, sums: (u128, u128)) -> f64 {
    let n = samples as f64;
    let [mean_late, mean] = [late.sum_late_ns, sums.0].map(|sum| sum as f64 / n);
    let of_late = late.sum_late_squares_ns2 as f64 / n - mean_late * mean_late;
    let of_times = sums.1 as f64 / n - mean * mean;
    if of_late <= 0.0 {
        return 1.0;
    }
    let slope = (late.sum_products_ns2 as f64 / n - mean_late * mean) / of_late;
    let left = (of_times - slope * slope * of_late).max(0.0);
    // Those that are late by little or by much need not lie on a line.
    (2.0 * slope.abs() + OF_SLOPE * (left / of_late / n).sqrt()).min(1.0)
}

impl LateDistribution<'_> {
    /// Changes in nanoseconds of the mean and of each quantile.
    fn changes(&self) -> Vec<(Option<f64>, f64, f64)> {
        let samples = self.all.count();
        let late = &self.late.times;
        let on_time = self.all.with(&late.seen, None);
        let mean = self.sum_ns as f64 / samples as f64;
        let mut changes = vec![(None, mean, self.of_mean(mean, &on_time))];
        let [shorter, longer] =
            [&late.shorter, &late.longer].map(|bound| self.all.with(&late.seen, Some(bound)));
        for quantile in QUANTILES.into_iter().filter(|q| *q <= LAST_QUANTILE && supports(samples, *q)) {
            let seen = self.all.quantile(quantile);
            // Which sample is at a quantile is chance.
            let chance = OF_QUANTILE * (quantile * (1.0 - quantile) / samples as f64).sqrt();
            let low = shorter.quantile(quantile + chance);
            let most = (seen - low).max(longer.quantile(quantile - chance) - seen).max(0.0);
            let by = self.scaled(most, &on_time).min(self.beyond_chance(quantile, seen, &on_time));
            changes.push((Some(quantile), seen, by));
        }
        changes
    }

    /// The part of the samples that was late, and how many were not; none where these are too few
    /// to stand for all.
    fn parts(&self, on_time: &Distribution) -> Option<(f64, f64)> {
        let late = self.late.samples as f64 / self.all.count() as f64;
        (self.slope.is_some() && on_time.count() >= FEWEST_ON_TIME)
            .then(|| (late.min(1.0), on_time.count() as f64))
    }

    /// What the lateness can have done, by what it did to those that were later than others where
    /// hardly any was not late.
    fn scaled(&self, most: f64, on_time: &Distribution) -> f64 {
        const HARDLY_ANY: u64 = 10;
        let are_few = on_time.count() < self.all.count() / HARDLY_ANY;
        most * self.slope.filter(|_| are_few).unwrap_or(1.0)
    }

    fn of_mean(&self, mean: f64, on_time: &Distribution) -> f64 {
        let most = self.scaled(self.late.sum_late_ns as f64 / self.all.count() as f64, on_time);
        let Some((late, others)) = self.parts(on_time) else { return most };
        let not_late = self.all.count().saturating_sub(self.late.samples).max(1);
        let without = self.sum_ns.saturating_sub(self.late.times.sum_ns) as f64 / not_late as f64;
        let chance = CHANCE * on_time.deviation() * (late / others).sqrt();
        most.min(((mean - without).abs() - chance).max(0.0))
    }

    /// How far a quantile of all samples is from those that samples of which as many are left out
    /// by chance may have.
    fn beyond_chance(&self, quantile: f64, seen: f64, on_time: &Distribution) -> f64 {
        let Some((late, others)) = self.parts(on_time) else { return f64::INFINITY };
        let chance = CHANCE * (quantile * (1.0 - quantile) * late / others).sqrt();
        let low = on_time.quantile(quantile - chance);
        let high = on_time.quantile(quantile + chance);
        (low - seen).max(seen - high).max(0.0)
    }
}

impl LabelStats {
    /// The figure that late starts changed most, by what it may be off. None without enough
    /// samples, and where they were counted elsewhere.
    pub(super) fn changed(&self, alike: bool) -> Option<Changed> {
        if self.start_delay.count() < FEWEST {
            return None;
        }
        let Some(late) = self.late.get() else {
            let measured_ns = self.mean_ns() as u64;
            return (self.max_start_delay_ns <= LATE_NS)
                .then_some(Changed { measured_ns, ..Changed::default() });
        };
        let kinds = [(false, self.by_service(late, alike)), (true, self.by_response(late))];
        let kinds = kinds.into_iter().filter(|(_, of)| of.all.count() >= FEWEST);
        let changes = kinds.flat_map(|(of_responses, judged)| {
            judged.changes().into_iter().map(move |(quantile, measured, by)| Changed {
                quantile,
                of_responses,
                measured_ns: measured as u64,
                by_ns: by as u64,
            })
        });
        let changes = changes.chain(self.by_first_starts(late));
        changes.max_by(|a, b| a.part_of_allowed().total_cmp(&b.part_of_allowed()))
    }
}

impl LabelStats {
    /// Service times: of samples on connections that were there or of those that made one,
    /// whichever are more.
    fn by_service<'a>(&self, late: &'a Late, alike: bool) -> LateDistribution<'a> {
        let made = late.connected.count();
        let kept = self.samples.saturating_sub(made);
        let (all, sums, late) = if kept >= made {
            let sums = (
                self.sum_ns.saturating_sub(late.sum_connected_ns),
                self.sum_squares_ns2.saturating_sub(late.sum_connected_squares_ns2),
            );
            (Distribution::of([(&self.elapsed, 1), (&late.connected, -1)]), sums, &late.service[0])
        } else {
            let sums = (late.sum_connected_ns, late.sum_connected_squares_ns2);
            (Distribution::of([(&late.connected, 1)]), sums, &late.service[1])
        };
        let late = late.as_deref().unwrap_or(&NONE);
        let slope = alike.then(|| slope(late, all.count(), sums));
        LateDistribution { all, sum_ns: sums.0, late, slope }
    }

    /// A run that is short for its users keeps the order in which they came: where they were to
    /// start together and did not, as servers with queues show, figures are off by a third of the
    /// mean lateness of those who made their connection.
    fn by_first_starts(&self, late: &Late) -> Option<Changed> {
        const SHORT: u64 = 20;
        const COUNTS: f64 = 0.3;
        let made = late.connected.count();
        let kept = self.samples.saturating_sub(made);
        let first = late.service[1].as_deref().filter(|_| made * SHORT >= self.samples && kept >= made)?;
        let by_ns = (COUNTS * first.sum_late_ns as f64 / made as f64) as u64;
        Some(Changed { measured_ns: self.mean_ns() as u64, by_ns, ..Changed::default() })
    }

    /// Response times hold the lateness, whatever other samples have.
    fn by_response<'a>(&self, late: &'a Late) -> LateDistribution<'a> {
        let all = Distribution::of([(&self.response, 1)]);
        LateDistribution {
            all,
            sum_ns: self.sum_response_ns,
            late: late.response.as_deref().unwrap_or(&NONE),
            slope: None,
        }
    }
}

impl Snapshot {
    /// The figure that late starts changed most of all labels with many samples, by what it may be
    /// off. `total` is that of [`Snapshot::total`]. None where that is not known: of few samples,
    /// and of those that were counted on other machines.
    pub fn changed_by_late_starts(&self, total: &LabelStats) -> Option<Changed> {
        let mut rows: Vec<&LabelStats> =
            self.rows.iter().filter(|row| !row.is_transaction).map(|row| &row.stats).collect();
        rows.sort_by_key(|stats| std::cmp::Reverse(stats.samples));
        let of_labels = rows.into_iter().take(MOST_LABELS).filter_map(|stats| stats.changed(true));
        let most = of_labels.max_by(|a, b| a.part_of_allowed().total_cmp(&b.part_of_allowed()));
        most.or_else(|| total.changed(false))
    }
}
