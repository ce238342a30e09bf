//! Worlds with whole trials.

use swell_world::trial::options::{
    GroupOptions, LoadOfGroup, PhaseOfGroup, PlanNode, RouteOfRequest, Think, TrialOptions,
};
use swell_world::{swarm_of, trial};

/// Worlds of the swarm.
const WORLDS: u64 = 25;

#[test]
fn random_trials_hold() {
    let all = swarm_of(Some("trial"), 1, |worlds| worlds < WORLDS);
    if let Some((options, wrong)) = all.failed {
        panic!("{}\n{}", wrong.join("\n"), options.to_text());
    }
}

fn plan(users: u32, loops: u32) -> TrialOptions {
    let think = Think { least_ms: 10, range_ms: 30 };
    let request = PlanNode::Request { route: RouteOfRequest::Delay(5), think, asserts: None };
    let load = LoadOfGroup::Users { users, ramp_s: 1, loops, delay_s: 0, duration_s: 0 };
    let nodes = vec![request];
    TrialOptions {
        seed: 1,
        workers: 2,
        compat: false,
        latency_us: 100,
        wake_us: 20,
        read_ns: 20,
        serialized: false,
        stop: None,
        groups: vec![GroupOptions { phase: PhaseOfGroup::Main, load, rate: None, csv: None, nodes }],
        faults: Vec::new(),
    }
}

#[test]
fn a_seed_gives_the_same_rows_and_another_seed_others() {
    let first = trial::run(&plan(4, 5));
    assert_eq!((first.wrong.as_slice(), first.samples), (&[] as &[String], (20, 20)));
    let again = trial::run(&plan(4, 5));
    assert_eq!((again.rows, again.trace), (first.rows, first.trace));
    let other = trial::run(&TrialOptions { seed: 2, ..plan(4, 5) });
    assert_ne!(other.rows, first.rows, "the think times are drawn");
}

#[test]
fn a_plan_of_minutes_takes_moments() {
    let result = trial::run(&plan(1, 10_000));
    assert_eq!((result.wrong.as_slice(), result.samples), (&[] as &[String], (10_000, 10_000)));
}
