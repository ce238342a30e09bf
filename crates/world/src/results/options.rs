//! The options of a world of results, as text.

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::kernel::draws;

/// All options of a world of results. The same options give the same world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultsOptions {
    /// The seed of all draws during the run.
    pub seed: u64,
    /// Samples that are made.
    pub samples: u32,
    /// Workers that make them.
    pub workers: u32,
    /// Listeners of each worker that write to the same file.
    pub listeners: u32,
    /// The file is XML.
    pub xml: bool,
    /// The share of samples with a text of many kilobytes.
    pub long: f64,
    /// The share of samples after which the writer runs.
    pub writer: f64,
    /// Bytes that the disk takes at a time, at most.
    pub piece: u32,
    /// The share of writes that a signal interrupts.
    pub interrupted: f64,
    /// Bytes that the disk holds; none: it is never full.
    pub full_at: Option<u64>,
}

impl ResultsOptions {
    /// Options of a swarm.
    pub fn drawn(seed: u64) -> Self {
        let mut draws = draws(seed, "results options");
        let share = |share: f64| (share * 1e6).round() / 1e6;
        let samples = draws.random_range(1..600);
        Self {
            seed,
            samples,
            workers: draws.random_range(1..4),
            listeners: draws.random_range(1..3),
            xml: draws.random_bool(0.4),
            long: if draws.random_bool(0.7) { 0.0 } else { share(draws.random_range(0.0..0.05)) },
            writer: if draws.random_bool(0.3) { 1.0 } else { share(draws.random_range(0.0..0.3)) },
            piece: if draws.random_bool(0.3) { u32::MAX } else { draws.random_range(1..3_000) },
            interrupted: if draws.random_bool(0.7) { 0.0 } else { share(draws.random_range(0.0..0.3)) },
            full_at: draws.random_bool(0.5).then(|| draws.random_range(0..u64::from(samples) * 120)),
        }
    }

    /// Options a step smaller.
    pub(crate) fn steps(&self) -> Vec<Self> {
        let smaller = [
            Self { samples: self.samples / 2, ..self.clone() },
            Self { samples: self.samples.saturating_sub(1), ..self.clone() },
            Self { workers: 1, ..self.clone() },
            Self { listeners: 1, ..self.clone() },
            Self { long: 0.0, ..self.clone() },
            Self { writer: 1.0, ..self.clone() },
            Self { piece: u32::MAX, ..self.clone() },
            Self { interrupted: 0.0, ..self.clone() },
            Self { full_at: None, ..self.clone() },
        ];
        smaller.into_iter().filter(|smaller| smaller != self && smaller.samples > 0).collect()
    }
}
