//! Fake agents: all of an agent but its engine, a thousand of them in a separate process. What they
//! claim to have counted is known, so that the controller's result can be compared with the truth;
//! and what the controller costs is measured separately.

mod agents;
mod controlling;
mod leaving;

use swell_stats::{Observation, Recorder, Snapshot};

const S: i64 = 1_000_000_000;
/// Samples of a label in a second; of the first there are enough to be told with two digits.
const SAMPLES: u32 = 10;
const SAMPLES_OF_FIRST: u32 = 300;

/// How many there are, and what they count.
#[derive(Clone, Copy)]
struct Size {
    agents: u32,
    labels: u32,
    seconds: i64,
    /// Seconds between two messages with what they count.
    interval_s: u32,
}

impl Size {
    /// Samples of all agents.
    fn samples(self) -> u64 {
        let of_second = SAMPLES_OF_FIRST + (self.labels - 1) * SAMPLES;
        u64::from(of_second) * u64::from(self.agents) * self.seconds.unsigned_abs()
    }
}

/// What an agent counts in each second: other times for each agent.
fn counted(agent: u32, labels: u32) -> Snapshot {
    let mut recorder = Recorder::default();
    let mut random = u64::from(agent) + 1;
    for label in 0..labels {
        let samples = if label == 0 { SAMPLES_OF_FIRST } else { SAMPLES };
        let label = format!("label {label}");
        for _ in 0..samples {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let elapsed_ns = 1_000_000 + (random >> 36);
            let success = random % 97 != 0;
            recorder.record(&Observation { label: &label, success, elapsed_ns, ..Observation::default() });
        }
    }
    recorder.take_interval()
}
