//! When a trial does more harm than good: the server fails or delays most of the requests.

use swell_stats::LabelStats;

/// This many samples can be chance.
const FEWEST: u64 = 20;
/// A server that fails more than this part of its samples is broken by the load.
const ERRORS: f64 = 0.5;
/// No user waits longer than this.
const LONGEST_S: f64 = 30.0;

/// Ends trials. Both are on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Where more than half of the samples fail.
    pub errors: bool,
    /// Where half of the samples take more than 30 s.
    pub times: bool,
}

impl Guard {
    /// Both.
    pub const ON: Self = Self { errors: true, times: true };
    /// None.
    pub const OFF: Self = Self { errors: false, times: false };

    /// Why a trial in which that was counted is to end.
    pub fn broken(self, all: &LabelStats) -> Option<String> {
        if all.samples < FEWEST {
            return None;
        }
        let failed = all.errors as f64 / all.samples as f64;
        if self.errors && failed > ERRORS {
            return Some(format!("{:.0} % of the samples failed, more than half", 100.0 * failed));
        }
        let median_s = all.quantile_ns(0.5) as f64 / 1e9;
        (self.times && median_s > LONGEST_S).then(|| {
            format!("half of the samples took more than {median_s:.0} s (more than {LONGEST_S:.0} s)")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    fn samples(count: u64, failed: u64, seconds: u64) -> LabelStats {
        let mut recorder = Recorder::default();
        for number in 0..count {
            let success = number >= failed;
            let elapsed_ns = seconds * 1_000_000_000;
            recorder.record(&Observation { success, elapsed_ns, ..Observation::default() });
        }
        recorder.take_interval().total()
    }

    #[test]
    fn a_server_that_fails_or_keeps_waiting_most_is_left_alone() {
        for (all, broken) in [
            (samples(100, 50, 1), None),
            (samples(100, 51, 1), Some("51 % of the samples failed, more than half")),
            (samples(19, 19, 1), None),
            (samples(100, 0, 31), Some("half of the samples took more than 31 s (more than 30 s)")),
            (samples(100, 0, 29), None),
        ] {
            assert_eq!(Guard::ON.broken(&all).as_deref(), broken);
            assert_eq!(Guard::OFF.broken(&all), None);
        }
    }
}
