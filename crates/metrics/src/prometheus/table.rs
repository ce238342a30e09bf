//! The counts of one metric, by the values of its labels.

use std::collections::HashMap;

use hdrhistogram::Histogram;

use super::definition::{Definition, Kind, Measuring};

/// Most sets of label values of a metric and worker: what a plan makes up without end is counted
/// apart.
const MOST: usize = 10_000;

/// Parts of a window; the oldest part is left out at each step.
const PARTS: usize = 5;

/// Values of labels, joined by a byte that no text of a plan holds.
pub(super) const SEPARATOR: char = '\u{1f}';

/// Counts by label values.
#[derive(Default)]
pub(super) struct Table {
    pub(super) rows: HashMap<Box<str>, Counts>,
    /// What found no room.
    pub(super) lost: u64,
}

/// The counts of one set of label values.
#[derive(Clone)]
pub(super) enum Counts {
    Counter(u64),
    Ratio {
        successes: u64,
        failures: u64,
    },
    /// Counts of the buckets, infinity last, not added up.
    Histogram {
        buckets: Vec<u64>,
        sum: f64,
    },
    Summary {
        window: Box<Window>,
        count: u64,
        sum: f64,
    },
}

/// Recent values: `PARTS` histograms that began one after the other, the oldest of which is shown
/// (`TimeWindowQuantiles` of the Java client).
#[derive(Clone)]
pub(super) struct Window {
    parts: Vec<Histogram<u64>>,
    oldest: usize,
    next_ns: i64,
    step_ns: i64,
}

/// An observation, in the unit of the metric.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) success: bool,
    pub(super) value: i64,
    pub(super) at_ns: i64,
}

impl Table {
    /// Counts something under label values.
    pub(super) fn count(&mut self, labels: &str, definition: &Definition, event: Event) {
        if let Some(counts) = self.rows.get_mut(labels) {
            return counts.count(definition, event);
        }
        if self.rows.len() >= MOST {
            self.lost += 1;
        } else if let Some(mut counts) = Counts::new(definition, event.at_ns) {
            // A counter that did not count has no row.
            let silent =
                matches!(counts, Counts::Counter(0)) && !counts_in(definition.measuring, event.success);
            if !silent {
                counts.count(definition, event);
                self.rows.insert(labels.into(), counts);
            }
        }
    }

    /// Adds the counts of another worker.
    pub(super) fn add(&mut self, other: &Self, definition: &Definition, now_ns: i64) {
        self.lost += other.lost;
        for (labels, counts) in &other.rows {
            if let Some(known) = self.rows.get_mut(labels) {
                known.add(counts, now_ns);
            } else if let Some(mut empty) = Counts::new(definition, now_ns) {
                empty.add(counts, now_ns);
                self.rows.insert(labels.clone(), empty);
            }
        }
    }
}

/// Whether a counter counts a success or failure.
fn counts_in(measuring: Measuring, success: bool) -> bool {
    match measuring {
        Measuring::Count => true,
        Measuring::Successes => success,
        Measuring::Failures => !success,
        _ => false,
    }
}

impl Counts {
    /// None where nothing is ever counted: the plug-in does nothing for a measurement that does not
    /// go with the type.
    fn new(definition: &Definition, now_ns: i64) -> Option<Self> {
        let aggregates = matches!(
            definition.measuring,
            Measuring::ResponseTime
                | Measuring::ResponseSize
                | Measuring::Latency
                | Measuring::IdleTime
                | Measuring::ConnectTime
        );
        Some(match &definition.kind {
            Kind::Counter if !aggregates => Self::Counter(0),
            Kind::SuccessRatio if !aggregates => Self::Ratio { successes: 0, failures: 0 },
            Kind::Histogram(bounds) if aggregates => {
                Self::Histogram { buckets: vec![0; bounds.len() + 1], sum: 0.0 }
            }
            Kind::Summary { window_s, .. } if aggregates => {
                Self::Summary { window: Box::new(Window::new(*window_s, now_ns)), count: 0, sum: 0.0 }
            }
            _ => return None,
        })
    }

    fn count(&mut self, definition: &Definition, event: Event) {
        let value = event.value as f64;
        match (self, &definition.kind) {
            (Self::Counter(count), _) => *count += u64::from(counts_in(definition.measuring, event.success)),
            (Self::Ratio { successes, .. }, _) if event.success => *successes += 1,
            (Self::Ratio { failures, .. }, _) => *failures += 1,
            (Self::Histogram { buckets, sum }, Kind::Histogram(bounds)) => {
                buckets[bounds.partition_point(|bound| *bound < value)] += 1;
                *sum += value;
            }
            (Self::Summary { window, count, sum }, _) => {
                window.record(event.value, event.at_ns);
                *count += 1;
                *sum += value;
            }
            (Self::Histogram { .. }, _) => {}
        }
    }

    fn add(&mut self, other: &Self, now_ns: i64) {
        match (self, other) {
            (Self::Counter(count), Self::Counter(more)) => *count += more,
            (Self::Ratio { successes, failures }, Self::Ratio { successes: s, failures: f }) => {
                *successes += s;
                *failures += f;
            }
            (Self::Histogram { buckets, sum }, Self::Histogram { buckets: more, sum: s }) => {
                buckets.iter_mut().zip(more).for_each(|(count, more)| *count += more);
                *sum += s;
            }
            (Self::Summary { window, count, sum }, Self::Summary { window: w, count: c, sum: s }) => {
                window.add(w, now_ns);
                *count += c;
                *sum += s;
            }
            _ => {}
        }
    }
}

impl Window {
    fn new(window_s: i64, now_ns: i64) -> Self {
        let part = || Histogram::new(2).expect("2 digits are within its limits");
        let step_ns = window_s * 1_000_000_000 / PARTS as i64;
        Self { parts: (0..PARTS).map(|_| part()).collect(), oldest: 0, next_ns: now_ns + step_ns, step_ns }
    }

    /// Empties the expired parts.
    fn turn(&mut self, now_ns: i64) {
        let mut steps = 0;
        while now_ns >= self.next_ns && steps < PARTS {
            self.parts[self.oldest].reset();
            self.oldest = (self.oldest + 1) % PARTS;
            self.next_ns += self.step_ns;
            steps += 1;
        }
        if steps == PARTS {
            self.next_ns = now_ns + self.step_ns;
        }
    }

    fn record(&mut self, value: i64, at_ns: i64) {
        self.turn(at_ns);
        for part in &mut self.parts {
            // It grows as it must, so nothing is refused; a value below 0 is none.
            let _ = part.record(value.max(0) as u64);
        }
    }

    fn add(&mut self, other: &Self, now_ns: i64) {
        let mut other = other.clone();
        other.turn(now_ns);
        let shown = &other.parts[other.oldest];
        for part in &mut self.parts {
            // Both grow as they must.
            let _ = part.add(shown);
        }
    }

    /// A quantile of the window; not a number where it is empty.
    pub(super) fn quantile(&self, quantile: f64) -> f64 {
        let shown = &self.parts[self.oldest];
        if shown.is_empty() { f64::NAN } else { shown.value_at_quantile(quantile) as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(kind: Kind, measuring: Measuring) -> Definition {
        Definition {
            has_suffix: false,
            name: "m".into(),
            help: "h".into(),
            labels: vec!["label".into()],
            kind,
            measuring,
            assertions: false,
        }
    }

    fn event(success: bool, value: i64) -> Event {
        Event { success, value, at_ns: 0 }
    }

    #[test]
    fn counters_count_what_they_are_for() {
        for (measuring, wanted) in [
            (Measuring::Count, Some(3)),
            (Measuring::Successes, Some(1)),
            (Measuring::Failures, Some(2)),
            (Measuring::Latency, None),
        ] {
            let definition = definition(Kind::Counter, measuring);
            let mut table = Table::default();
            for success in [false, true, false] {
                table.count("a", &definition, event(success, 7));
            }
            let found = table.rows.get("a").map(|counts| match counts {
                Counts::Counter(count) => *count,
                _ => unreachable!("a counter"),
            });
            assert_eq!(found, wanted, "{measuring:?}");
        }
    }

    #[test]
    fn a_bucket_includes_its_bound_and_workers_add_up() {
        let definition = definition(Kind::Histogram(vec![10.0, 20.0]), Measuring::ResponseTime);
        let mut one = Table::default();
        let mut two = Table::default();
        let mut all = Table::default();
        for value in [10, 11, 21] {
            one.count("a", &definition, event(true, value));
            two.count("a", &definition, event(true, value));
        }
        two.count("b", &definition, event(true, 5));
        all.add(&one, &definition, 0);
        all.add(&two, &definition, 0);
        let Counts::Histogram { buckets, sum } = &all.rows["a"] else { unreachable!("a histogram") };
        assert_eq!((&**buckets, *sum, all.rows.len()), (&[2, 2, 2][..], 84.0, 2));
    }

    #[test]
    fn a_window_forgets() {
        let second = 1_000_000_000;
        let mut window = Window::new(10, 0);
        window.record(100, 0);
        assert!((window.quantile(0.5) - 100.0).abs() < 1.5);
        window.record(300, 5 * second);
        window.turn(9 * second);
        assert!((window.quantile(0.0) - 100.0).abs() < 1.5);
        window.turn(10 * second);
        assert!((window.quantile(0.0) - 300.0).abs() < 3.5, "{}", window.quantile(0.0));
        window.turn(100 * second);
        assert!(window.quantile(0.5).is_nan());
    }

    #[test]
    fn rows_are_bounded() {
        let definition = definition(Kind::Counter, Measuring::Count);
        let mut table = Table::default();
        for number in 0..MOST + 5 {
            table.count(&number.to_string(), &definition, event(true, 0));
        }
        assert_eq!((table.rows.len(), table.lost), (MOST, 5));
    }
}
