//! All counts of a running test.

use std::sync::Arc;

use crate::drift::drifts;
use crate::warmup::{Steady, mser5};
use crate::{
    Batches, Histogram, LabelStats, OwnGrowth, Precision, QUANTILES, Series, Snapshot, Summary, SummaryRow,
    Users,
};
use crate::{WarmUp, summary};

/// Labels beyond these have no confidence intervals: batches are most of what a label costs in
/// memory.
const LABELS_WITH_INTERVALS: usize = 100;

/// Counts of a whole run: per label, over time, and in batches for confidence intervals. Memory
/// does not grow with its length.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Counts a label.
    pub snapshot: Snapshot,
    /// Figures over time, transactions left out.
    pub series: Series,
    /// What the tool takes of its machine.
    pub own: OwnGrowth,
    batches: Batches,
    /// Batches of the first rows, with their labels.
    label_batches: Vec<(Arc<str>, Batches)>,
}

impl Run {
    /// Adds what one worker, or all, counted in a second, named by whole seconds since the epoch,
    /// with the users that there are now. Gives the total of what was added.
    pub fn add(&mut self, at_s: i64, counted: &Snapshot, users: Users) -> LabelStats {
        let total = counted.total();
        self.snapshot.merge(counted);
        self.snapshot.users = users;
        self.series.add(at_s, &total, users.active);
        self.batches.add(at_s, &total);
        self.add_labels(at_s, counted);
        total
    }

    fn add_labels(&mut self, at_s: i64, counted: &Snapshot) {
        for row in &counted.rows {
            let place = self.snapshot.place_of(&row.label, row.is_transaction);
            let Some(place) = place.filter(|place| *place < LABELS_WITH_INTERVALS) else { continue };
            let none = || (row.label.clone(), Batches::new(Precision::Two));
            if self.label_batches.len() <= place {
                self.label_batches.resize_with(place + 1, none);
            }
            if self.label_batches[place].0 != row.label {
                self.label_batches[place] = none();
            }
            self.label_batches[place].1.add(at_s, &row.stats);
        }
    }

    /// Gives the figures of the whole run that were added with two digits their third: see
    /// [`Snapshot::refine`]. Those over time and intervals of confidence keep two.
    pub fn refine(&mut self, fine: &Snapshot) -> u64 {
        self.snapshot.refine(fine)
    }

    /// Counts of all labels.
    pub fn total(&self) -> LabelStats {
        self.snapshot.total()
    }

    /// The current figures, with confidence intervals for the total.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::with_total(&self.snapshot, &self.total());
        summary.warm_up = self.warm_up();
        let width_s = self.series.width_s();
        let steady = summary.warm_up.map_or(0, |warm_up| warm_up.seconds / width_s);
        summary.drifts = drifts(&self.series, steady as usize);
        summary.drifts.extend(self.own.drifts());
        fill_intervals(&mut summary.total, &self.batches);
        for (row, (label, batches)) in summary.rows.iter_mut().zip(&self.label_batches) {
            if row.label == **label {
                fill_intervals(row, batches);
            }
        }
        summary
    }

    /// The beginning that looks unlike the rest, by the medians of seconds. None where there is
    /// none, or where no half of the run is steady.
    fn warm_up(&self) -> Option<WarmUp> {
        let points = self.series.points();
        let full: Vec<_> = (0..points.len()).filter(|at| points[*at].samples > 0).collect();
        let medians: Vec<_> = full.iter().map(|at| points[*at].elapsed.quantile(0.5) as f64).collect();
        let Steady::From(cut @ 1..) = mser5(&medians) else { return None };
        let first = *full.get(cut)?;
        let mut rest = Histogram::new(Precision::Two);
        points[first..].iter().for_each(|point| rest.merge(&point.elapsed));
        let ms = |quantile| rest.quantile(quantile) as f64 / summary::MS;
        let seconds = (first as u64).saturating_mul(self.series.width_s());
        Some(WarmUp { seconds, p50_ms: ms(0.5), p99_ms: ms(0.99) })
    }

    /// Service times of all samples in nanoseconds.
    pub fn elapsed(&self) -> Histogram {
        let mut all = Histogram::new(Precision::Three);
        let rows = self.snapshot.rows.iter().filter(|row| !row.is_transaction);
        rows.for_each(|row| all.merge(&row.stats.elapsed));
        all
    }
}

fn fill_intervals(row: &mut SummaryRow, batches: &Batches) {
    for (figure, quantile) in row.quantiles.iter_mut().zip(QUANTILES) {
        let interval = batches.interval(quantile);
        figure.interval_ms = interval.map(|found| (found.low_ns as f64 / 1e6, found.high_ns as f64 / 1e6));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Observation, Recorder};

    #[test]
    fn seconds_add_up_and_users_are_those_of_the_last() {
        let mut run = Run::default();
        let mut recorder = Recorder::default();
        for second in 0..20_u64 {
            for step in 0..100 {
                let elapsed_ns = 1_000_000 * (step + 1);
                recorder.record(&Observation {
                    label: "a",
                    success: true,
                    elapsed_ns,
                    ..Observation::default()
                });
                recorder.record(&Observation {
                    label: "t",
                    is_transaction: true,
                    elapsed_ns,
                    ..Observation::default()
                });
            }
            let users = Users { active: second, started: 20, finished: 20 - second };
            assert_eq!(run.add(second as i64, &recorder.take_interval(), users).samples, 100);
        }
        let summary = run.summary();
        assert_eq!((summary.total.samples, summary.users.active, run.elapsed().count()), (2000, 19, 2000));
        assert_eq!((run.series.points().len(), summary.rows.len()), (20, 2));
        let (low, high) = summary.total.quantiles[0].interval_ms.expect("20 batches of 100 samples");
        assert!((45.0..50.1).contains(&low) && (50.0..56.0).contains(&high), "{low} {high}");
        assert_eq!(summary.total.quantiles[4].interval_ms, None);
        for row in &summary.rows {
            let (low, high) = row.quantiles[0].interval_ms.expect("each label has separate batches");
            assert!((44.0..50.5).contains(&low) && (50.0..56.5).contains(&high), "{low} {high}");
        }
    }

    #[test]
    fn a_slow_start_is_told_and_not_cut_away() {
        let mut run = Run::default();
        let mut recorder = Recorder::default();
        for second in 0..100_u64 {
            for step in 0..20 {
                let elapsed_ns = if second < 20 { 50_000_000 } else { 1_000_000 + step * 1000 };
                recorder.record(&Observation { label: "a", elapsed_ns, ..Observation::default() });
            }
            run.add(second as i64, &recorder.take_interval(), Users::default());
        }
        let summary = run.summary();
        let warm_up = summary.warm_up.expect("twenty slow seconds");
        assert_eq!((warm_up.seconds, summary.total.samples), (20, 2000));
        assert!(warm_up.p99_ms < 1.1 && summary.total.quantiles[3].ms > 49.0, "{warm_up:?}");
        assert_eq!(Run::default().summary().warm_up, None);
    }
}
