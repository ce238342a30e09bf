//! Worlds with load: a short swarm, and what shrinks.

use swell_world::load::{Fault, LoadOptions, run};
use swell_world::{WorldOptions, shrink, swarm};

use crate::alone::{again, text};

/// Worlds of the swarm that every run of the tests makes.
const WORLDS: u64 = 40;

#[test]
fn a_swarm_of_worlds_holds() {
    let all = swarm(1, |worlds| worlds < WORLDS);
    if let Some((options, wrong)) = all.failed {
        panic!("{}\n{}", options.to_text(), wrong.join("\n"));
    }
    for count in all.kinds {
        let (samples, expected) = count.checked;
        assert!(expected > samples / 3, "{count:?}: faults leave too little to check");
    }
}

#[test]
fn a_seed_is_the_same_world_in_another_process() {
    let hashes = || {
        let hash = |seed| {
            let [one, other] = WorldOptions::drawn(seed).run().hashes;
            format!("seed {seed}: {one:016x} {other:016x}")
        };
        // One of each kind, and some more.
        (9..19).map(hash).collect::<Vec<_>>()
    };
    match again(module_path!(), "a_seed_is_the_same_world_in_another_process") {
        Some(output) => {
            let text = text(&output);
            for line in hashes() {
                assert!(text.contains(&line), "{line} is not in\n{text}");
            }
        }
        None => println!("{}", hashes().join("\n")),
    }
}

#[test]
fn one_fault_more_leaves_the_requests_as_they_are() {
    let calm = LoadOptions { faults: Vec::new(), ..LoadOptions::drawn(3) };
    let stalled =
        LoadOptions { faults: vec![Fault::ToolStall { at_ms: 1_100, for_ms: 200 }], ..calm.clone() };
    let (calm, stalled) = (run(&calm), run(&stalled));
    assert_eq!(calm.requests, stalled.requests);
    assert_ne!(calm.rows, stalled.rows, "the stall changed nothing");
}

#[test]
fn a_world_that_fails_shrinks_to_what_makes_it_fail() {
    let kept = Fault::Resets { share: 0.002 };
    let faults = vec![Fault::Jitter { most_us: 100 }, kept.clone(), Fault::SlowTurns { most_us: 5 }];
    let options = LoadOptions { requests: 50, misbehaving: 0.1, faults, ..LoadOptions::drawn(1) };
    let fails = |options: &WorldOptions| match options {
        WorldOptions::Load(options) => options.faults.contains(&kept) && options.requests >= 7,
        _ => false,
    };
    let small = shrink(&WorldOptions::Load(options.clone()), fails);
    let smallest = LoadOptions { requests: 7, misbehaving: 0.0, faults: vec![kept.clone()], ..options };
    assert_eq!(small, WorldOptions::Load(smallest));
}
