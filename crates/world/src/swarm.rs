//! Many worlds, one after the other; and the smallest that still fails.

use serde::{Deserialize, Serialize};

use crate::fleet::{self, FleetOptions};
use crate::load::{self, LoadOptions};
use crate::results::{self, ResultsOptions};
use crate::verdict::{self, VerdictOptions};

/// One world in this many runs twice, and must be the same.
const TWICE: u64 = 10;

/// The options of a world of any kind. The same options give the same world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorldOptions {
    /// A client and the site.
    Load(LoadOptions),
    /// A controller and agents.
    Fleet(FleetOptions),
    /// Results files and statistics.
    Results(ResultsOptions),
    /// The verdict.
    Verdict(VerdictOptions),
}

/// What a world of any kind came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldResult {
    /// What did not hold, in words; empty where all did.
    pub wrong: Vec<String>,
    /// Hashes of everything that happened.
    pub hashes: [u64; 2],
    /// What there was to check, and what of it was as in a world without faults: requests, samples.
    pub checked: (u64, u64),
    /// What its controllers told their users.
    pub said: Vec<String>,
}

impl WorldOptions {
    /// Options of a swarm: the seed also draws the kind.
    pub fn drawn(seed: u64) -> Self {
        match seed % 8 {
            3 | 7 => Self::Fleet(FleetOptions::drawn(seed)),
            1 | 6 => Self::Results(ResultsOptions::drawn(seed)),
            5 => Self::Verdict(VerdictOptions::drawn(seed)),
            _ => Self::Load(LoadOptions::drawn(seed)),
        }
    }

    /// The seed of its draws.
    pub fn seed(&self) -> u64 {
        match self {
            Self::Load(options) => options.seed,
            Self::Fleet(options) => options.seed,
            Self::Results(options) => options.seed,
            Self::Verdict(options) => options.seed(),
        }
    }

    /// The kind of world.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Load(_) => "load",
            Self::Fleet(_) => "fleet",
            Self::Results(_) => "results",
            Self::Verdict(_) => "verdict",
        }
    }

    /// The options as TOML.
    ///
    /// # Panics
    /// Never: every value has a form in TOML.
    pub fn to_text(&self) -> String {
        toml::to_string(self).expect("options have a form in TOML")
    }

    /// Runs the world and checks it.
    pub fn run(&self) -> WorldResult {
        match self {
            Self::Load(options) => {
                let result = load::run(options);
                let checked = (result.requests.0 as u64, result.requests.1 as u64);
                WorldResult {
                    wrong: result.wrong,
                    hashes: [result.trace, result.rows],
                    checked,
                    said: Vec::new(),
                }
            }
            Self::Fleet(options) => {
                let result = fleet::run(options);
                WorldResult {
                    wrong: result.wrong,
                    hashes: [result.trace, 0],
                    checked: result.samples,
                    said: result.said,
                }
            }
            Self::Results(options) => {
                let result = results::run(options);
                WorldResult {
                    wrong: result.wrong,
                    hashes: [result.hash, 0],
                    checked: result.samples,
                    said: Vec::new(),
                }
            }
            Self::Verdict(options) => {
                let wrong = verdict::run(options);
                let checked = (1, u64::from(wrong.is_empty()));
                WorldResult { wrong, checked, ..WorldResult::default() }
            }
        }
    }

    /// Runs it, twice if `twice`: then both must be the same.
    fn run_checked(&self, twice: bool) -> WorldResult {
        let mut first = self.run();
        if twice && first.wrong.is_empty() && self.run().hashes != first.hashes {
            first.wrong.push("P12: two runs differ".to_owned());
        }
        first
    }

    /// Options a step smaller.
    fn steps(&self) -> Vec<Self> {
        match self {
            Self::Load(options) => options.steps().into_iter().map(Self::Load).collect(),
            Self::Fleet(options) => options.steps().into_iter().map(Self::Fleet).collect(),
            Self::Results(options) => options.steps().into_iter().map(Self::Results).collect(),
            Self::Verdict(options) => options.steps().into_iter().map(Self::Verdict).collect(),
        }
    }
}

/// Worlds of a kind, and what was checked in them.
#[derive(Clone, Copy, Debug, Default)]
pub struct KindCount {
    /// The kind.
    pub kind: &'static str,
    /// Worlds that ran.
    pub worlds: u64,
    /// As [`WorldResult::checked`].
    pub checked: (u64, u64),
}

/// What a swarm of worlds came to.
#[derive(Clone, Debug, Default)]
pub struct Swarm {
    /// Worlds that ran.
    pub worlds: u64,
    /// Worlds that ran twice.
    pub twice: u64,
    /// Worlds of each kind.
    pub kinds: Vec<KindCount>,
    /// The first world that failed, and what did not hold in it.
    pub failed: Option<(WorldOptions, Vec<String>)>,
}

impl Swarm {
    fn note(&mut self, kind: &'static str, checked: (u64, u64)) {
        let known = self.kinds.iter().position(|count| count.kind == kind);
        let place = known.unwrap_or_else(|| {
            self.kinds.push(KindCount { kind, ..KindCount::default() });
            self.kinds.len() - 1
        });
        let count = &mut self.kinds[place];
        count.worlds += 1;
        count.checked = (count.checked.0 + checked.0, count.checked.1 + checked.1);
    }
}

/// Runs worlds of the seeds from `first` on while `goes_on` says so, up to the first that fails.
pub fn swarm(first: u64, mut goes_on: impl FnMut(u64) -> bool) -> Swarm {
    let mut all = Swarm::default();
    for seed in first.. {
        if !goes_on(all.worlds) {
            break;
        }
        let options = WorldOptions::drawn(seed);
        let twice = seed % TWICE == 0;
        let result = options.run_checked(twice);
        all.worlds += 1;
        all.twice += u64::from(twice);
        all.note(options.kind(), result.checked);
        if !result.wrong.is_empty() {
            all.failed = Some((options, result.wrong));
            break;
        }
    }
    all
}

/// The name of a violation, such as `P3 arrivals`.
fn name(wrong: &[String]) -> Option<&str> {
    wrong.first().map(|line| line.split(':').next().unwrap_or(line))
}

/// Whether the world of some options fails as another did, of which this did not hold.
pub fn fails_alike(options: &WorldOptions, wrong: &[String]) -> bool {
    let twice = wrong.iter().any(|line| line.starts_with("P12"));
    let again = options.run_checked(twice);
    !again.wrong.is_empty() && name(&again.wrong) == name(wrong)
}

/// The smallest options found that `fails` holds for, as it does for these. Greedy: each step is
/// kept if it still holds.
pub fn shrink(options: &WorldOptions, fails: impl Fn(&WorldOptions) -> bool) -> WorldOptions {
    let mut best = options.clone();
    while let Some(smaller) = best.steps().into_iter().find(&fails) {
        best = smaller;
    }
    best
}
