//! What changed since an earlier run of the same plan, as far as the history has its figures.

use serde::Serialize;
use swell_stats::{Summary, supports};

use crate::cause::share;
use crate::headline::{rate, time};

/// A change of the rate that is worth saying: another load is another test.
const OTHER_LOAD: f64 = 0.1;

/// Seconds of both runs from which on their rates are compared.
const LEAST_S: f64 = 1.0;

/// An earlier run of the same plan, and the name of this one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Earlier {
    /// Its name in the history.
    pub name: String,
    /// When it began, milliseconds since the epoch.
    pub start_ms: i64,
    /// Its samples.
    pub samples: u64,
    /// Those that failed.
    pub errors: u64,
    /// Its 95th percentile.
    pub p95_ms: Option<f64>,
    /// Its samples a second.
    pub per_s: Option<f64>,
    /// The name of this run, for the command that compares both.
    pub this: String,
    /// Labels that changed beyond noise, a line each.
    pub label_changes: Vec<String>,
}

/// The same as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ShownEarlier {
    name: String,
    start_ms: i64,
    change: String,
    command: String,
}

impl Earlier {
    /// What changed: `p95 18 ms → 20 ms (+11 %), failed 1 % → 42 %; login: worse, p95 …`.
    pub fn change(&self, now: &Summary) -> String {
        let total = &now.total;
        let failed = format!(
            "failed {} % → {} %",
            share(self.errors, self.samples),
            share(total.errors, total.samples)
        );
        let other_load = self.per_s.filter(|per_s| {
            let now_per_s = total.throughput_per_s;
            // A rate says nothing of a moment.
            let lengths_s = [self.samples as f64 / per_s, now.duration_s];
            lengths_s.iter().all(|length_s| *length_s >= LEAST_S)
                && (now_per_s / per_s - 1.0).abs() > OTHER_LOAD
        });
        let load =
            other_load.map(|per_s| format!("rate {}/s → {}/s", rate(per_s), rate(total.throughput_per_s)));
        let total = [Some(self.p95_change(now)), Some(failed), load];
        let total = total.into_iter().flatten().collect::<Vec<_>>().join(", ");
        [total].into_iter().chain(self.label_changes.iter().cloned()).collect::<Vec<_>>().join("; ")
    }

    fn p95_change(&self, now: &Summary) -> String {
        let total = &now.total;
        let p95 = &total.quantiles[2];
        let all_failed = total.all_failed() || (self.samples > 0 && self.errors == self.samples);
        let before = self.p95_ms.filter(|_| supports(self.samples, 0.95));
        match before {
            _ if all_failed => "p95 not comparable (all failed)".to_owned(),
            Some(before) if p95.supported && before > 0.0 => {
                let by = 100.0 * (p95.ms / before - 1.0);
                format!("p95 {} → {} ({by:+.0} %)", time(before), time(p95.ms))
            }
            _ => "p95 unknown (too few samples)".to_owned(),
        }
    }

    /// The command that compares both runs.
    pub fn command(&self) -> String {
        format!("swell compare {} {}", self.name, self.this)
    }

    pub(crate) fn shown(&self, now: &Summary) -> ShownEarlier {
        ShownEarlier {
            name: self.name.clone(),
            start_ms: self.start_ms,
            change: self.change(now),
            command: self.command(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    /// Samples of 20 ms, one every 5 ms; the first ones failed.
    fn run(samples: u64, errors: u64) -> Summary {
        let mut recorder = Recorder::default();
        for number in 0..samples {
            let start_ns = number.cast_signed() * 5_000_000;
            recorder.record(&Observation {
                success: number >= errors,
                start_ns,
                end_ns: start_ns + 20_000_000,
                elapsed_ns: 20_000_000,
                ..Observation::default()
            });
        }
        Summary::of(&recorder.take_interval())
    }

    fn earlier() -> Earlier {
        Earlier {
            name: "shop-1".to_owned(),
            this: "shop-2".to_owned(),
            samples: 2400,
            errors: 24,
            p95_ms: Some(16.0),
            per_s: Some(198.0),
            ..Earlier::default()
        }
    }

    #[test]
    fn a_change_has_both_figures_and_a_command() {
        let text = earlier().change(&run(2400, 1008));
        assert_eq!(text, "p95 16 ms → 20 ms (+25 %), failed 1 % → 42 %");
        assert_eq!(earlier().command(), "swell compare shop-1 shop-2");
        let moment = Earlier { samples: 10, errors: 0, per_s: Some(10_000.0), ..earlier() };
        assert!(!moment.change(&run(2400, 0)).contains("rate"), "a rate of a moment");
        let labels = vec!["login: worse, p95 8.00 → 18.00 ms (+125.0 %)".to_owned()];
        let with_labels = Earlier { label_changes: labels, ..earlier() };
        let text = with_labels.change(&run(2400, 1008));
        assert!(text.ends_with("failed 1 % → 42 %; login: worse, p95 8.00 → 18.00 ms (+125.0 %)"), "{text}");
        let slower = Earlier { per_s: Some(100.0), ..earlier() };
        assert!(slower.change(&run(2400, 0)).ends_with(", failed 1 % → 0 %, rate 100/s → 200/s"));
    }

    #[test]
    fn times_of_failures_and_of_a_few_samples_are_not_compared() {
        let text = earlier().change(&run(2400, 2400));
        assert_eq!(text, "p95 not comparable (all failed), failed 1 % → 100 %");
        let few = Earlier { samples: 10, errors: 0, ..earlier() };
        assert!(few.change(&run(2400, 0)).starts_with("p95 unknown (too few samples), failed 0 % → 0 %"));
    }
}
