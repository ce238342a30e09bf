//! Trials of a swarm, drawn from a seed.

use rand::Rng;
use rand::rngs::SmallRng;

use super::options::{
    CsvOptions, GroupOptions, LoadOfGroup, PhaseOfGroup, PlanNode, Rate, RateOf, RouteOfRequest, StopOptions,
    Think, TrialFault, TrialOptions,
};
use crate::kernel::draws;

/// How deep controllers are in each other.
const DEPTH_MAX: u32 = 3;
/// Directly below a thread group.
const TOP: Above = Above { depth: 0, counts: true, transacts: true };

impl TrialOptions {
    /// Options of a swarm. In a third of the worlds nothing goes wrong.
    pub fn drawn(seed: u64) -> Self {
        let mut draws = draws(seed, "trial");
        let count = draws.random_range(1..=3);
        let mut groups: Vec<_> = (0..count).map(|_| group(&mut draws, PhaseOfGroup::Main)).collect();
        if draws.random_bool(0.3) {
            groups.push(group(&mut draws, PhaseOfGroup::SetUp));
        }
        if draws.random_bool(0.3) {
            groups.push(group(&mut draws, PhaseOfGroup::TearDown));
        }
        if draws.random_bool(0.1) {
            let at_once = draws.random_bool(0.5);
            groups[0].nodes.push(PlanNode::StopTest { at_once });
        }
        let stop = draws
            .random_bool(0.1)
            .then(|| StopOptions { at_ms: draws.random_range(1..4_000), at_once: draws.random_bool(0.5) });
        let is_calm = draws.random_bool(0.33);
        let faults = faults(&mut draws);
        let exists: Vec<bool> = faults.iter().map(|_| !is_calm && draws.random_bool(0.25)).collect();
        let faults = faults.into_iter().zip(exists).filter(|(_, exists)| *exists).map(|(fault, _)| fault);
        Self {
            seed,
            workers: draws.random_range(1..=3),
            compat: draws.random_bool(0.2),
            latency_us: draws.random_range(5..5_000),
            wake_us: if draws.random_bool(0.3) { 0 } else { draws.random_range(1..50) },
            read_ns: if draws.random_bool(0.4) { 0 } else { draws.random_range(1..30) },
            serialized: draws.random_bool(0.2),
            stop,
            groups,
            faults: faults.collect(),
        }
    }
}

/// One of each kind, as strong as drawn.
fn faults(draws: &mut SmallRng) -> Vec<TrialFault> {
    let mut at = || draws.random_range(1..4_000);
    let (cut, tool, site, kill) = (at(), at(), at(), at());
    vec![
        TrialFault::Jitter { most_us: draws.random_range(1..5_000) },
        TrialFault::Loss { share: rounded(draws.random_range(0.0..0.05)) },
        TrialFault::Resets { share: rounded(draws.random_range(0.0..0.01)) },
        TrialFault::Partial { share: rounded(draws.random_range(0.0..0.5)) },
        TrialFault::Cut { at_ms: cut, for_ms: draws.random_range(1..2_000) },
        TrialFault::ToolStall { at_ms: tool, for_ms: draws.random_range(1..1_000) },
        TrialFault::SiteStall { at_ms: site, for_ms: draws.random_range(1..1_000) },
        TrialFault::SlowTurns { most_us: draws.random_range(1..50) },
        TrialFault::SiteKilled { at_ms: kill },
    ]
}

/// Six decimals, so that a share reads the same from its text.
fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

fn group(draws: &mut SmallRng, phase: PhaseOfGroup) -> GroupOptions {
    let is_open = phase == PhaseOfGroup::Main && draws.random_bool(0.15);
    let load = if is_open {
        LoadOfGroup::Open {
            per_s: draws.random_range(1..20),
            for_s: draws.random_range(1..5),
            random: draws.random_bool(0.5),
        }
    } else {
        users(draws)
    };
    let count = draws.random_range(1..=4);
    let mut nodes: Vec<_> = (0..count).map(|_| node(draws, TOP)).collect();
    // Without a request an iteration takes no time.
    nodes.insert(0, request(draws));
    let is_timed = !is_open && draws.random_bool(0.25);
    let rate = is_timed.then(|| Rate {
        of: [RateOf::User, RateOf::Group, RateOf::Precise][draws.random_range(0..3)],
        per_minute: draws.random_range(60..6_000),
    });
    let csv = draws
        .random_bool(0.25)
        .then(|| CsvOptions { rows: draws.random_range(1..30), recycles: draws.random_bool(0.6) });
    if draws.random_bool(0.08) {
        nodes.push(PlanNode::StopThread {});
    }
    GroupOptions { phase, load, rate, csv, nodes }
}

fn users(draws: &mut SmallRng) -> LoadOfGroup {
    let has_scheduler = draws.random_bool(0.4);
    let is_endless = has_scheduler && draws.random_bool(0.7);
    LoadOfGroup::Users {
        users: draws.random_range(1..8),
        ramp_s: draws.random_range(0..4),
        loops: if is_endless { 0 } else { draws.random_range(1..5) },
        delay_s: if has_scheduler { draws.random_range(0..3) } else { 0 },
        duration_s: if has_scheduler { draws.random_range(1..5) } else { 0 },
    }
}

fn request(draws: &mut SmallRng) -> PlanNode {
    let route = match draws.random_range(0..10) {
        0..5 => RouteOfRequest::Delay(draws.random_range(1..200)),
        5..7 => RouteOfRequest::Bytes(draws.random_range(0..3_000)),
        7..8 => RouteOfRequest::Status([200, 204, 404, 503][draws.random_range(0..4)]),
        _ => RouteOfRequest::Anything,
    };
    let think = match draws.random_range(0..4) {
        0 => Think { least_ms: draws.random_range(1..400), range_ms: 0 },
        1 => Think { least_ms: draws.random_range(1..200), range_ms: draws.random_range(1..200) },
        // At least a little, so that no iteration is endless at one instant.
        _ => Think { least_ms: 20, range_ms: 0 },
    };
    let asserts = draws.random_bool(0.3).then(|| draws.random_bool(0.7));
    PlanNode::Request { route, think, asserts }
}

/// Where a node is.
#[derive(Clone, Copy)]
struct Above {
    depth: u32,
    /// Once Only and Throughput Controllers count the iterations of the controller that they are
    /// in, and that is simple where it is the group or a loop.
    counts: bool,
    /// No transaction contains it.
    transacts: bool,
}

impl Above {
    /// What holds for the children of a node that is here.
    fn below(self, counts: bool) -> Self {
        Self { depth: self.depth + 1, counts, ..self }
    }
}

fn node(draws: &mut SmallRng, above: Above) -> PlanNode {
    let Above { depth, counts, transacts } = above;
    if depth == DEPTH_MAX || draws.random_bool(0.45) {
        return request(draws);
    }
    match draws.random_range(0..8) {
        0 => PlanNode::Simple { below: children(draws, above.below(false)) },
        1 => PlanNode::If { holds: draws.random_bool(0.6), below: children(draws, above.below(false)) },
        2 | 3 => {
            PlanNode::Loop { turns: draws.random_range(1..4), below: children(draws, above.below(true)) }
        }
        4 if transacts => {
            let inside = Above { transacts: false, ..above.below(false) };
            PlanNode::Transaction { parent: draws.random_bool(0.5), below: children(draws, inside) }
        }
        5 if counts => PlanNode::Once { below: children(draws, above.below(false)) },
        6 if counts => {
            let percent = draws.random_bool(0.5);
            let amount = if percent { draws.random_range(1..100) } else { draws.random_range(0..4) };
            PlanNode::Throughput { amount, percent, below: children(draws, above.below(false)) }
        }
        7 => {
            let count = draws.random_range(1..4);
            PlanNode::Interleave { below: (0..count).map(|_| request(draws)).collect() }
        }
        _ => request(draws),
    }
}

fn children(draws: &mut SmallRng, above: Above) -> Vec<PlanNode> {
    let count = draws.random_range(0..3);
    let mut below: Vec<_> = (0..count).map(|_| node(draws, above)).collect();
    below.insert(0, request(draws));
    below
}
