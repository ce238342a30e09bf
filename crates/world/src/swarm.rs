//! Many worlds, as many at a time as there are processors; and the smallest that still fails.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::fleet::{self, FleetOptions};
use crate::load::{self, Fault, LoadOptions};
use crate::parts::{self, PartOptions};
use crate::results::{self, ResultsOptions};
use crate::trial::{self, TrialOptions};
use crate::verdict::{self, VerdictOptions};

/// One world in this many runs twice, and must be the same: of all kinds, which repeat each ten
/// seeds.
const TWICE: u64 = 11;

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
    /// Single parts and their models.
    Parts(PartOptions),
    /// A plan, run by the engine.
    Trial(TrialOptions),
}

/// A world with few faults, in which what they may do is known more closely than among many.
fn focused(options: &LoadOptions) -> LoadOptions {
    let only =
        |is_it: fn(&Fault) -> bool| options.faults.iter().filter(|fault| is_it(fault)).cloned().collect();
    let calm = LoadOptions { misbehaving: 0.0, timeout_ms: 20_000, ..options.clone() };
    match options.seed / 10 % 3 {
        // Sessions that break with many requests under way.
        0 => {
            let mut faults: Vec<Fault> = only(|fault| matches!(fault, Fault::SiteKilled { .. }));
            faults.push(Fault::Resets { share: 0.01 });
            LoadOptions { http2: true, faults, rate_per_s: 600.0, ..calm }
        }
        // Stamps.
        1 => {
            let is_of_clock = |fault: &Fault| {
                matches!(fault, Fault::WallStep { .. } | Fault::Drift { .. } | Fault::ToolSuspended { .. })
            };
            LoadOptions { http2: false, faults: only(is_of_clock), ..calm }
        }
        // Parts of calls, buffers that are full, and instants that meet.
        _ => {
            let is_of_sockets = |fault: &Fault| {
                matches!(fault, Fault::Partial { .. } | Fault::SmallBuffers { .. } | Fault::NearTies { .. })
            };
            LoadOptions { http2: false, faults: only(is_of_sockets), ..calm }
        }
    }
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

impl WorldResult {
    /// That of a world in which nothing is but checks.
    fn of_checks(wrong: Vec<String>) -> Self {
        let checked = (1, u64::from(wrong.is_empty()));
        Self { wrong, checked, ..Self::default() }
    }
}

impl WorldOptions {
    /// Options of a swarm: the seed also draws the kind.
    pub fn drawn(seed: u64) -> Self {
        match seed % 10 {
            3 | 8 => Self::Fleet(FleetOptions::drawn(seed)),
            2 | 6 => Self::Results(ResultsOptions::drawn(seed)),
            5 => Self::Verdict(VerdictOptions::drawn(seed)),
            1 => Self::Parts(PartOptions::drawn(seed)),
            0 => Self::Load(focused(&LoadOptions::drawn(seed))),
            4 => Self::Trial(TrialOptions::drawn(seed)),
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
            Self::Parts(options) => options.seed,
            Self::Trial(options) => options.seed,
        }
    }

    /// The kind of world.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Load(_) => "load",
            Self::Fleet(_) => "fleet",
            Self::Results(_) => "results",
            Self::Verdict(_) => "verdict",
            Self::Parts(_) => "parts",
            Self::Trial(_) => "trial",
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
            Self::Verdict(options) => WorldResult::of_checks(verdict::run(options)),
            Self::Parts(options) => WorldResult::of_checks(parts::run(options)),
            Self::Trial(options) => {
                let result = trial::run(options);
                WorldResult {
                    wrong: result.wrong,
                    hashes: [result.trace, result.rows],
                    checked: result.samples,
                    said: Vec::new(),
                }
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
            Self::Parts(options) => options.steps().into_iter().map(Self::Parts).collect(),
            Self::Trial(options) => options.steps().into_iter().map(Self::Trial).collect(),
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
    /// Whether a world of an earlier seed has failed.
    fn failed_before(&self, seed: u64) -> bool {
        self.failed.as_ref().is_some_and(|(options, _)| options.seed() < seed)
    }

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

/// Runs worlds of the seeds from `first` on, on all processors, up to the first that fails.
/// `goes_on`: whether to start one more after this many.
pub fn swarm(first: u64, goes_on: impl Fn(u64) -> bool + Sync) -> Swarm {
    swarm_of(None, first, goes_on)
}

/// As [`swarm`], but only worlds of a kind ([`WorldOptions::kind`]).
pub fn swarm_of(kind: Option<&str>, first: u64, goes_on: impl Fn(u64) -> bool + Sync) -> Swarm {
    let all = Mutex::<Swarm>::default();
    // The next seed, and worlds that have started.
    let next = Mutex::new((first, 0));
    let take = || {
        let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = |options: &WorldOptions| kind.is_none_or(|kind| kind == options.kind());
        let found = (next.0..u64::MAX).map(WorldOptions::drawn).find(is_wanted)?;
        let is_last = lock(&all).failed_before(found.seed()) || !goes_on(next.1);
        *next = (found.seed() + 1, next.1 + 1);
        (!is_last).then_some(found)
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(|| {
                while let Some(options) = take() {
                    run_one(options, &all);
                }
            });
        }
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn lock(all: &Mutex<Swarm>) -> MutexGuard<'_, Swarm> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run_one(options: WorldOptions, all: &Mutex<Swarm>) {
    let seed = options.seed();
    let twice = seed.is_multiple_of(TWICE);
    let result = options.run_checked(twice);
    let mut all = lock(all);
    all.worlds += 1;
    all.twice += u64::from(twice);
    all.note(options.kind(), result.checked);
    if !result.wrong.is_empty() && !all.failed_before(seed) {
        all.failed = Some((options, result.wrong));
    }
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
