//! The options of a world of a fleet, as text.

use rand::Rng;
use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};

use crate::kernel::draws;

/// All options of a world of a fleet. The same options give the same world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetOptions {
    /// The seed of all draws during the run.
    pub seed: u64,
    /// Agents that the controller waits for.
    pub agents: u32,
    /// Slices of the load.
    pub slices: u32,
    /// How long load is made, seconds.
    pub length_s: u32,
    /// Samples of each slice every 50 ms.
    pub samples: u32,
    /// Seconds between two messages of an agent with its counts.
    pub interval_s: u32,
    /// One way between a machine and the broker, microseconds.
    pub latency_us: u32,
    /// What goes wrong.
    #[serde(default)]
    pub faults: Vec<FleetFault>,
}

/// The ways between a machine and the broker that are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutWays {
    /// To the broker.
    Up,
    /// From the broker.
    Down,
    /// Both.
    Both,
}

/// Something that goes wrong with a fleet. Times are milliseconds of world time; agents are
/// numbered from 0, also those that join late.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum FleetFault {
    /// Nothing passes between an agent and the broker.
    Cut {
        /// The agent.
        agent: u32,
        /// From then.
        at_ms: u32,
        /// For this long.
        for_ms: u32,
        /// Which way.
        ways: CutWays,
    },
    /// What the broker sends to an agent takes this much longer.
    Lags {
        /// The agent.
        agent: u32,
        /// From then.
        at_ms: u32,
        /// For this long.
        for_ms: u32,
        /// Milliseconds.
        by_ms: u32,
    },
    /// The process of an agent gets no processor.
    Paused {
        /// The agent.
        agent: u32,
        /// From then.
        at_ms: u32,
        /// For this long.
        for_ms: u32,
    },
    /// The machine of an agent is suspended.
    Suspended {
        /// The agent.
        agent: u32,
        /// From then.
        at_ms: u32,
        /// For this long.
        for_ms: u32,
    },
    /// The process of an agent ends.
    Killed {
        /// The agent.
        agent: u32,
        /// At that time.
        at_ms: u32,
    },
    /// One more agent joins.
    Joins {
        /// At that time.
        at_ms: u32,
    },
    /// An agent is asked to leave.
    Leaves {
        /// The agent.
        agent: u32,
        /// At that time.
        at_ms: u32,
    },
    /// The clock of an agent runs at another rate.
    Drift {
        /// The agent.
        agent: u32,
        /// Parts per million.
        ppm: i32,
    },
    /// Nothing passes between controller and broker.
    ControllerCut {
        /// From then.
        at_ms: u32,
        /// For this long.
        for_ms: u32,
    },
    /// The controller gets no processor.
    ControllerPaused {
        /// From then.
        at_ms: u32,
        /// For this long.
        for_ms: u32,
    },
    /// The controller ends, and another takes the run over.
    TakenOver {
        /// At that time.
        at_ms: u32,
        /// After this long.
        after_ms: u32,
    },
    /// Answers of the broker are lost.
    LostAnswers {
        /// The share of them.
        share: f64,
    },
    /// The broker stores messages twice that come twice.
    StoresTwice,
}

impl FleetFault {
    /// One of each kind, as strong as drawn.
    fn all(draws: &mut SmallRng, agents: u32, length_s: u32) -> Vec<Self> {
        let last_ms = 3_000 + length_s * 1_000;
        let mut at = || draws.random_range(500..last_ms);
        let times: Vec<u32> = (0..10).map(|_| at()).collect();
        let mut agent = || draws.random_range(0..agents);
        let of: Vec<u32> = (0..7).map(|_| agent()).collect();
        let mut long = || {
            if draws.random_bool(0.4) {
                draws.random_range(11_000..26_000)
            } else {
                draws.random_range(50..9_000)
            }
        };
        let [cut, again, paused, suspended] = [long(), long(), long(), long()];
        let ways = [CutWays::Up, CutWays::Down, CutWays::Both];
        let mut way = || ways[draws.random_range(0..ways.len())];
        vec![
            Self::Cut { agent: of[0], at_ms: times[0], for_ms: cut, ways: way() },
            Self::Cut { agent: of[1], at_ms: times[1], for_ms: again, ways: way() },
            Self::Paused { agent: of[2], at_ms: times[2], for_ms: paused },
            Self::Suspended { agent: of[3], at_ms: times[3], for_ms: suspended },
            Self::Killed { agent: of[4], at_ms: times[4] },
            Self::Joins { at_ms: times[5] },
            Self::Leaves { agent: of[5], at_ms: times[6] },
            Self::Drift { agent: of[6], ppm: draws.random_range(-4_500..4_500) },
            Self::ControllerCut { at_ms: times[7], for_ms: draws.random_range(50..20_000) },
            Self::ControllerPaused { at_ms: times[8], for_ms: draws.random_range(50..20_000) },
            Self::TakenOver { at_ms: times[9].max(4_000), after_ms: draws.random_range(0..8_000) },
            Self::LostAnswers { share: (draws.random_range(0.0_f64..0.2) * 1e6).round() / 1e6 },
            Self::StoresTwice,
        ]
    }
}

impl FleetOptions {
    /// Options of a swarm: a seed draws which faults exist, about a quarter, and then how strong
    /// they are. In every tenth world there are none. In half of the worlds a lease of the first
    /// agent is at its end.
    pub fn drawn(seed: u64) -> Self {
        let mut draws = draws(seed, "fleet options");
        let agents = draws.random_range(1..4);
        let length_s = draws.random_range(5..40);
        let is_calm = draws.random_bool(0.1);
        let exists: Vec<bool> = (0..32).map(|_| !is_calm && draws.random_bool(0.25)).collect();
        let faults = FleetFault::all(&mut draws, agents, length_s).into_iter().zip(exists);
        let drawn = Self {
            seed,
            agents,
            slices: agents + draws.random_range(0..4),
            length_s,
            // With many, reports have two digits at first.
            samples: if draws.random_bool(0.9) {
                draws.random_range(1..4)
            } else {
                draws.random_range(40..80)
            },
            interval_s: if draws.random_bool(0.7) { 1 } else { 5 },
            latency_us: draws.random_range(50..50_000),
            faults: faults.filter(|(_, exists)| *exists).map(|(fault, _)| fault).collect(),
        };
        if is_calm || draws.random_bool(0.5) { drawn } else { drawn.at_the_end_of_a_lease(&mut draws) }
    }

    /// A world in which the first agent cannot reach the broker, or gets no processor, for about as
    /// long as its leases last, and another can take its slices.
    fn at_the_end_of_a_lease(self, draws: &mut SmallRng) -> Self {
        let at_ms = draws.random_range(5_000..12_000);
        let faults = if draws.random_bool(0.6) {
            let ways = if draws.random_bool(0.5) { CutWays::Up } else { CutWays::Both };
            let mut faults = vec![
                FleetFault::Lags {
                    agent: 0,
                    at_ms: at_ms - 3_000,
                    for_ms: 6_000,
                    by_ms: draws.random_range(100..2_800),
                },
                FleetFault::Cut { agent: 0, at_ms, for_ms: draws.random_range(12_000..24_000), ways },
                FleetFault::Drift { agent: 0, ppm: draws.random_range(-4_500..4_500) },
            ];
            // The agent that has taken the slices over is cut off as well.
            let next_ms = at_ms + draws.random_range(12_000..15_500);
            if draws.random_bool(0.4) {
                faults.push(FleetFault::Cut { agent: 1, at_ms: next_ms, for_ms: 15_000, ways });
            }
            faults
        } else {
            let mut faults = vec![
                FleetFault::Paused { agent: 0, at_ms, for_ms: draws.random_range(10_500..15_500) },
                FleetFault::LostAnswers { share: f64::from(draws.random_range(10..50)) / 100.0 },
            ];
            if draws.random_bool(0.5) {
                faults.push(FleetFault::StoresTwice);
            }
            faults
        };
        let agents = self.agents.max(2);
        Self {
            agents,
            slices: agents + draws.random_range(0..4),
            length_s: draws.random_range(25..40),
            faults,
            ..self
        }
    }

    /// The options as TOML.
    ///
    /// # Panics
    /// Never: every value has a form in TOML.
    pub fn to_text(&self) -> String {
        toml::to_string(self).expect("options have a form in TOML")
    }

    /// Options a step smaller: with fewer faults, shorter, with fewer slices.
    pub(crate) fn steps(&self) -> Vec<Self> {
        let mut all: Vec<_> = (0..self.faults.len())
            .map(|place| {
                let mut less = self.clone();
                less.faults.remove(place);
                less
            })
            .collect();
        if self.length_s > 1 {
            all.push(Self { length_s: self.length_s / 2, ..self.clone() });
        }
        if self.slices > self.agents {
            all.push(Self { slices: self.slices - 1, ..self.clone() });
        }
        if self.samples > 1 {
            all.push(Self { samples: 1, ..self.clone() });
        }
        all
    }

    /// Whether a fault of a kind exists.
    pub(super) fn has(&self, is_it: impl Fn(&FleetFault) -> bool) -> bool {
        self.faults.iter().any(is_it)
    }
}
