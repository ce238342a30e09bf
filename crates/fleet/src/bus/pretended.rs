//! Pretended agents: all of an agent but its engine, a thousand of them in a process of their own. What they say that they counted is known,
//! so that what the controller makes of it can be compared with the truth; and what the controller costs is measured apart from them.

mod agents;
mod controlling;

use swell_stats::{Observation, Recorder, Snapshot};

const S: i64 = 1_000_000_000;
/// Samples of a label in a second.
const SAMPLES: u32 = 10;

/// How many there are, and what they count.
#[derive(Clone, Copy)]
struct Size {
    agents: u32,
    labels: u32,
    seconds: i64,
}

/// What an agent counts in each second: other times for each agent.
fn counted(agent: u32, labels: u32) -> Snapshot {
    let mut recorder = Recorder::default();
    let mut random = u64::from(agent) + 1;
    for label in 0..labels {
        let label = format!("label {label}");
        for _ in 0..SAMPLES {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let elapsed_ns = 1_000_000 + (random >> 36);
            let success = random % 97 != 0;
            recorder.record(&Observation { label: &label, success, elapsed_ns, ..Observation::default() });
        }
    }
    recorder.take_interval()
}
