//! What a live page shows of a study of many trials besides the trial that runs.

use serde::Serialize;

/// Finished trials that are shown; earlier ones are counted.
const MOST: usize = 200;

/// The trials of a study.
#[derive(Clone, Debug, Serialize)]
pub struct StudyProgress {
    /// The command, such as `search`.
    pub kind: String,
    /// The URL or plan.
    pub subject: String,
    /// Start of the study, milliseconds since the epoch.
    pub start_ms: i64,
    /// The running trial; none between two of them.
    pub running: Option<TrialLoad>,
    /// Finished trials, the last ones.
    pub trials: Vec<TrialResult>,
    /// Finished trials that are no longer shown.
    pub earlier: usize,
}

/// A trial with its load.
#[derive(Clone, Debug, Serialize)]
pub struct TrialLoad {
    /// Its number, from 1.
    pub number: usize,
    /// Its load and settings: `users 50`.
    pub load: String,
}

/// The result of a trial.
#[derive(Clone, Debug, Serialize)]
pub struct TrialResult {
    /// Which trial it is.
    #[serde(flatten)]
    pub trial: TrialLoad,
    /// Samples per second.
    pub per_s: Option<f64>,
    /// 95th percentile of the response time, milliseconds.
    pub p95_ms: Option<f64>,
    /// Percentage of failed samples.
    pub error_percent: Option<f64>,
    /// Whether the thresholds are met; none without thresholds.
    pub is_met: Option<bool>,
    /// What the study says about it.
    pub text: String,
}

impl StudyProgress {
    /// A study before its first trial.
    pub fn new(kind: &str, subject: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            subject: subject.to_owned(),
            start_ms: swell_net::now_ns().div_euclid(1_000_000),
            running: None,
            trials: Vec::new(),
            earlier: 0,
        }
    }

    /// Adds a finished trial, of which the last 200 are shown.
    pub fn add(&mut self, result: TrialResult) {
        self.running = None;
        self.trials.push(result);
        if self.trials.len() > MOST {
            self.trials.remove(0);
            self.earlier += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_trials_are_shown_and_earlier_ones_counted() {
        let mut study = StudyProgress::new("search", "http://shop/");
        for number in 1..=MOST + 3 {
            let trial = TrialLoad { number, load: format!("users {number}") };
            study.running = Some(trial.clone());
            let text = "pass".to_owned();
            study.add(TrialResult {
                trial,
                per_s: None,
                p95_ms: None,
                error_percent: None,
                is_met: None,
                text,
            });
        }
        assert_eq!((study.trials.len(), study.earlier, study.trials[0].trial.number), (MOST, 3, 4));
        assert!(study.running.is_none());
        let value = serde_json::to_value(&study).expect("plain data");
        assert_eq!(
            (&value["trials"][0]["number"], &value["trials"][0]["load"]),
            (&4.into(), &"users 4".into())
        );
    }
}
