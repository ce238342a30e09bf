//! The options of a world of parts, as text.

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::kernel::draws;

/// A part that is compared with its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// One lease: [`swell_fleet::lease::Lease`].
    Lease,
    /// All leases of an agent: [`swell_fleet::lease::Leases`].
    Held,
    /// Claims of slices: [`swell_fleet::claims`].
    Claims,
    /// Grants of the controller: [`swell_fleet::coordinator`].
    Coordinator,
    /// Numbers of messages and the account of samples: [`swell_fleet::ledger`].
    Account,
    /// Messages on their way: [`swell_fleet::outbox`].
    Outbox,
    /// Counts as agents report them: [`swell_fleet::reporting`].
    Reports,
    /// Percentiles: [`swell_stats::Histogram`].
    Histograms,
    /// Counts, their merging, their encoding, and what the summary says of them.
    Statistics,
    /// What late starts change: [`swell_stats::Changed`].
    Late,
    /// Sleeps and deadlines of a loop: [`swell_net`].
    Timers,
    /// Connections of a loop, their deadlines and their ends.
    Connections,
}

impl Part {
    const ALL: [Self; 12] = [
        Self::Lease,
        Self::Held,
        Self::Claims,
        Self::Coordinator,
        Self::Account,
        Self::Outbox,
        Self::Reports,
        Self::Histograms,
        Self::Statistics,
        Self::Late,
        Self::Timers,
        Self::Connections,
    ];
}

/// All options of a world of parts. The same options give the same world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartOptions {
    /// The seed of all draws.
    pub seed: u64,
    /// Operations on each part.
    pub operations: u32,
    /// The parts.
    pub parts: Vec<Part>,
}

impl PartOptions {
    /// Options of a swarm: all parts.
    pub fn drawn(seed: u64) -> Self {
        let operations = draws(seed, "part options").random_range(20..200);
        Self { seed, operations, parts: Part::ALL.to_vec() }
    }

    /// Options a step smaller: with one part, with fewer operations.
    pub(crate) fn steps(&self) -> Vec<Self> {
        let mut all = Vec::new();
        if self.parts.len() > 1 {
            all.extend(self.parts.iter().map(|part| Self { parts: vec![*part], ..self.clone() }));
        }
        for operations in [self.operations / 2, self.operations.saturating_sub(1)] {
            if (1..self.operations).contains(&operations) {
                all.push(Self { operations, ..self.clone() });
            }
        }
        all
    }
}
