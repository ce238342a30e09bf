//! Many worlds, one after the other; and the smallest that still fails.

use super::options::LoadOptions;
use super::run::{LoadResult, run};

/// One world in this many runs twice, and must be the same.
const TWICE: u64 = 10;

/// What a swarm of worlds came to.
#[derive(Clone, Debug, Default)]
pub struct Swarm {
    /// Worlds that ran.
    pub worlds: u64,
    /// Requests in them, and those that got the response of their route.
    pub requests: (usize, usize),
    /// Worlds that ran twice.
    pub twice: u64,
    /// The first world that failed, and what did not hold in it.
    pub failed: Option<(LoadOptions, Vec<String>)>,
}

/// Runs worlds of the seeds from `first` on while `goes_on` says so, up to the first that fails.
pub fn swarm(first: u64, mut goes_on: impl FnMut(u64) -> bool) -> Swarm {
    let mut all = Swarm::default();
    for seed in first.. {
        if !goes_on(all.worlds) {
            break;
        }
        let options = LoadOptions::drawn(seed);
        let result = run_checked(&options, seed % TWICE == 0);
        all.worlds += 1;
        all.twice += u64::from(seed % TWICE == 0);
        all.requests.0 += result.requests.0;
        all.requests.1 += result.requests.1;
        if !result.wrong.is_empty() {
            all.failed = Some((options, result.wrong));
            break;
        }
    }
    all
}

/// Runs a world, twice if `twice`: then both must be the same.
fn run_checked(options: &LoadOptions, twice: bool) -> LoadResult {
    let mut first = run(options);
    if twice && first.wrong.is_empty() {
        let again = run(options);
        if (again.trace, again.rows) != (first.trace, first.rows) {
            let what = format!("P12: two runs differ: {:?} {:?}", first.counts, again.counts);
            first.wrong.push(what);
        }
    }
    first
}

/// The name of a violation, such as `P3 arrivals`.
fn name(wrong: &[String]) -> Option<&str> {
    wrong.first().map(|line| line.split(':').next().unwrap_or(line))
}

/// Whether the world of some options fails as another did, of which this did not hold.
pub fn fails_alike(options: &LoadOptions, wrong: &[String]) -> bool {
    let twice = wrong.iter().any(|line| line.starts_with("P12"));
    let again = run_checked(options, twice);
    !again.wrong.is_empty() && name(&again.wrong) == name(wrong)
}

/// The smallest options found that `fails` holds for, as it does for these: with fewer faults and
/// requests, and without routes that break HTTP. Greedy: each step is kept if it still holds.
pub fn shrink(options: &LoadOptions, fails: impl Fn(&LoadOptions) -> bool) -> LoadOptions {
    let mut best = options.clone();
    while let Some(smaller) = steps(&best).into_iter().find(&fails) {
        best = smaller;
    }
    best
}

/// Options a step smaller.
fn steps(options: &LoadOptions) -> Vec<LoadOptions> {
    let mut all: Vec<_> = (0..options.faults.len())
        .map(|place| {
            let mut less = options.clone();
            less.faults.remove(place);
            less
        })
        .collect();
    if options.misbehaving > 0.0 {
        all.push(LoadOptions { misbehaving: 0.0, ..options.clone() });
    }
    if options.requests > 1 {
        all.push(LoadOptions { requests: options.requests / 2, ..options.clone() });
        all.push(LoadOptions { requests: options.requests - 1, ..options.clone() });
    }
    all
}
