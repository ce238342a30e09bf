//! The options of a world of the verdict, as text.

use std::collections::BTreeMap;

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{evidence, figures};
use crate::kernel::draws;
use crate::load::{Fault, LoadOptions};

/// Draws of figures in a world of them.
const FIGURES: usize = 300;
/// The same of evidence, each of which takes thousands of samples.
const EVIDENCE: usize = 20;

/// All options of a world of the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictOptions {
    /// Figures of a run that is otherwise good.
    Figures {
        /// The seed of the draws that made them.
        seed: u64,
        /// The figures, by the names of their gates.
        values: BTreeMap<String, f64>,
    },
    /// Samples and machines that are drawn, and what is taken from them for the verdict.
    Evidence {
        /// The seed of the draws.
        seed: u64,
    },
    /// A world with load, judged with its faults and without them.
    Twins(LoadOptions),
}

/// What does not hold of evidence, or of whose doing a bad gate is.
pub(super) fn of_evidence(seed: u64) -> Option<String> {
    let mut draws = draws(seed, "evidence");
    (0..EVIDENCE).find_map(|_| evidence::check(&mut draws).or_else(|| figures::culprit(&mut draws)))
}

impl VerdictOptions {
    /// Options of a swarm.
    pub fn drawn(seed: u64) -> Self {
        let mut draws = draws(seed, "verdict options");
        let kind = draws.random_range(0..10);
        if kind < 3 {
            // They cost next to nothing, so the first of many that is judged wrong is the world's.
            let mut values = figures::drawn(&mut draws);
            for _ in 0..FIGURES {
                if figures::check(&values).is_some() {
                    break;
                }
                values = figures::drawn(&mut draws);
            }
            return Self::Figures { seed, values };
        }
        if kind < 6 {
            return Self::Evidence { seed };
        }
        let at_ms = draws.random_range(1_050..2_000);
        let for_ms = draws.random_range(1..700);
        let fault = match draws.random_range(0..6) {
            0..3 => Some(Fault::ToolStall { at_ms, for_ms }),
            3 => Some(Fault::SiteStall { at_ms, for_ms }),
            4 => Some(Fault::Jitter { most_us: draws.random_range(1..5_000) }),
            _ => None,
        };
        Self::Twins(LoadOptions {
            seed,
            requests: draws.random_range(450..700),
            rate_per_s: f64::from(draws.random_range(200..600)),
            latency_us: draws.random_range(5..5_000),
            wake_us: 0,
            read_ns: 20,
            timeout_ms: 20_000,
            misbehaving: 0.0,
            http2: false,
            faults: fault.into_iter().collect(),
        })
    }

    /// The seed of its draws.
    pub(crate) fn seed(&self) -> u64 {
        match self {
            Self::Figures { seed, .. } | Self::Evidence { seed } => *seed,
            Self::Twins(load) => load.seed,
        }
    }

    /// Options a step smaller.
    pub(crate) fn steps(&self) -> Vec<Self> {
        let Self::Figures { seed, values } = self else { return Vec::new() };
        let less = |name: &String| {
            let values = values.iter().filter(|(other, _)| *other != name);
            Self::Figures {
                seed: *seed,
                values: values.map(|(name, value)| (name.clone(), *value)).collect(),
            }
        };
        values.keys().map(less).collect()
    }
}
