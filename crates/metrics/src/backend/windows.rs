//! The windows of averages, extremes and percentiles: JMeter uses the last 100 values, across
//! intervals.

use std::collections::{BTreeMap, VecDeque};

use super::estimator::Estimator;
use super::metering::Metering;
use super::table::{Ring, Sums, Taken};

/// Most labels with windows.
const MOST: usize = 10_000;

/// Windows of all labels and of all samples together.
#[derive(Default)]
pub(super) struct Windows {
    of_labels: BTreeMap<Box<str>, Label>,
    all: Label,
    users: Window,
}

/// Windows of a label.
#[derive(Default)]
pub(super) struct Label {
    pub(super) ok: Window,
    pub(super) ko: Window,
    pub(super) all: Window,
    /// For percentiles of all.
    pub(super) last: Window,
}

/// The most recent values, and the method for their percentiles.
#[derive(Clone, Debug, Default)]
pub(super) struct Window(VecDeque<f64>, Estimator);

/// Sums of an interval.
#[derive(Default)]
pub(super) struct Interval {
    pub(super) labels: BTreeMap<Box<str>, Sums>,
    pub(super) all: Sums,
}

impl Windows {
    /// Takes in the tables of all workers; gives the sums of the interval.
    pub(super) fn take_in(&mut self, tables: Vec<Taken>, metering: &Metering) -> Interval {
        let mut interval = Interval::default();
        let mut rings: BTreeMap<Box<str>, (Vec<Ring>, Vec<Ring>)> = BTreeMap::new();
        let mut all = (Vec::new(), Vec::new());
        let mut users = Vec::new();
        for mut table in tables {
            interval.all.add_numbers(&table.all);
            all.0.push(std::mem::take(&mut table.all.ok));
            all.1.push(std::mem::take(&mut table.all.ko));
            users.push(table.users);
            for (label, mut sums) in table.labels {
                let (ok, ko) = rings.entry(label.clone()).or_default();
                ok.push(std::mem::take(&mut sums.ok));
                ko.push(std::mem::take(&mut sums.ko));
                interval.labels.entry(label).or_default().add_numbers(&sums);
            }
        }
        self.users.extend(merged(&users), metering.percentile_window, metering.estimator);
        self.all.extend(&all, metering);
        for (label, pair) in rings {
            if self.of_labels.contains_key(&label) || self.of_labels.len() < MOST {
                self.of_labels.entry(label).or_default().extend(&pair, metering);
            }
        }
        interval
    }

    pub(super) fn label(&self, label: &str) -> Option<&Label> {
        self.of_labels.get(label)
    }

    pub(super) fn all(&self) -> &Label {
        &self.all
    }

    pub(super) fn users(&self) -> &Window {
        &self.users
    }
}

impl Label {
    fn extend(&mut self, (ok, ko): &(Vec<Ring>, Vec<Ring>), metering: &Metering) {
        if metering.timed {
            for window in [&mut self.ok, &mut self.ko, &mut self.all] {
                window.0.clear();
            }
        }
        let ok = merged(ok);
        let ko = merged(ko);
        let mut both: Vec<_> = ok.iter().chain(&ko).copied().collect();
        both.sort_by_key(|(at_ns, _)| *at_ns);
        self.ok.extend(ok, metering.window, metering.estimator);
        self.ko.extend(ko, metering.window, metering.estimator);
        self.all.extend(both.clone(), metering.window, metering.estimator);
        self.last.extend(both, metering.percentile_window, metering.estimator);
    }
}

/// Values of several workers in the order of their times.
fn merged(rings: &[Ring]) -> Vec<(i64, f64)> {
    let mut all: Vec<_> = rings.iter().flat_map(|ring| ring.0.iter().copied()).collect();
    all.sort_by_key(|(at_ns, _)| *at_ns);
    all
}

impl Window {
    fn extend(&mut self, values: Vec<(i64, f64)>, most: usize, estimator: Estimator) {
        self.1 = estimator;
        self.0.extend(values.into_iter().map(|(_, value)| value));
        let over = self.0.len().saturating_sub(most);
        self.0.drain(..over);
    }

    pub(super) fn min(&self) -> Option<f64> {
        self.0.iter().copied().reduce(f64::min)
    }

    pub(super) fn max(&self) -> Option<f64> {
        self.0.iter().copied().reduce(f64::max)
    }

    pub(super) fn mean(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.iter().sum::<f64>() / self.0.len() as f64)
    }

    pub(super) fn percentile(&self, percent: f64) -> f64 {
        let mut sorted: Vec<_> = self.0.iter().copied().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        self.1.estimate(&sorted, percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(values: &[f64], most: usize) -> Window {
        let mut window = Window::default();
        window.extend(values.iter().map(|value| (0, *value)).collect(), most, Estimator::Legacy);
        window
    }

    #[test]
    fn a_window_keeps_the_last_values() {
        let last = window(&[9.0, 1.0, 2.0, 3.0, 4.0], 4);
        assert_eq!((last.min(), last.max(), last.mean()), (Some(1.0), Some(4.0), Some(2.5)));
        let percentiles = [0.0, 50.0, 60.0, 100.0].map(|percent| last.percentile(percent).to_string());
        assert_eq!(percentiles, ["1", "2.5", "3", "4"]);
        assert!(window(&[], 4).percentile(50.0).is_nan() && window(&[], 4).mean().is_none());
    }

    #[test]
    fn values_of_workers_are_put_in_order() {
        let ring = |values: &[(i64, f64)]| Ring(values.iter().copied().collect());
        let all = merged(&[ring(&[(1, 1.0), (4, 4.0)]), ring(&[(2, 2.0), (3, 3.0)])]);
        assert_eq!(all.into_iter().map(|(_, value)| value).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0]);
    }
}
