//! The load that a simulated server can handle: what a long trial without noise says.

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::queue::{Load, Model, World};

/// What the server has to keep.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// Of all requests, this part may take longer (failures do).
    Slow { part: f64, limit_s: f64 },
    /// The mean time of all requests.
    Mean { limit_s: f64 },
    /// The part that fails.
    Errors { part: f64 },
}

impl Rule {
    /// As a user writes it.
    pub(super) fn text(self) -> String {
        match self {
            Self::Slow { part, limit_s } => {
                format!("p({:.0})<{:.3}ms", 100.0 * (1.0 - part), 1e3 * limit_s)
            }
            Self::Mean { limit_s } => format!("mean<{:.3}ms", 1e3 * limit_s),
            Self::Errors { part } => format!("errors<{}%", 100.0 * part),
        }
    }
}

/// What of a long trial counts.
#[derive(Default)]
struct Seen {
    count: u64,
    slow: u64,
    failed: u64,
    sum_s: f64,
}

/// Whether this load is borne for as long as `samples` take.
pub(super) fn bears(model: &Model, load: Load, rules: &[Rule], samples: u64, seed: u64) -> bool {
    let mut world = World::new(model, load, SmallRng::seed_from_u64(seed));
    let limit_s = rules.iter().find_map(|rule| match rule {
        Rule::Slow { limit_s, .. } => Some(*limit_s),
        Rule::Mean { .. } | Rule::Errors { .. } => None,
    });
    let open = matches!(load, Load::Open(_));
    let mut seen = Seen::default();
    let mut until_s = 0.0;
    // Until the queue has its usual length, nothing counts.
    let mut left_out = samples / 10;
    while seen.count < samples {
        until_s += 1.0;
        world.run_until(until_s);
        if seen.count == 0 && world.ended.is_empty() && until_s > 1000.0 {
            return false;
        }
        for ended in world.ended.drain(..) {
            if left_out > 0 {
                left_out -= 1;
                continue;
            }
            let took_s = ended.end_s - if open { ended.due_s } else { ended.sent_s };
            seen.count += 1;
            seen.sum_s += took_s;
            seen.failed += u64::from(ended.failed.is_some());
            seen.slow += u64::from(ended.failed.is_some() || limit_s.is_some_and(|limit| took_s > limit));
        }
        if !open && starves(model, load) {
            return false;
        }
        if let Load::Open(per_s) = load
            && world.in_flight() as f64 > 60.0 * per_s
        {
            return false;
        }
    }
    let count = seen.count as f64;
    rules.iter().all(|rule| match *rule {
        Rule::Slow { part, .. } => (seen.slow as f64) < part * count,
        Rule::Mean { limit_s } => seen.sum_s < limit_s * count,
        Rule::Errors { part } => (seen.failed as f64) < part * count,
    })
}

/// Users without a place have no response at all.
fn starves(model: &Model, load: Load) -> bool {
    let Load::Closed { users, .. } = load else { return false };
    model.places.is_some_and(|(places, _)| users > places)
}

/// The highest load that is borne, between these; for users a whole number.
pub(super) fn capacity(
    of: impl Fn(f64, u64) -> bool,
    (mut low, mut high): (f64, f64),
    samples: u64,
    whole: bool,
) -> f64 {
    // The way there needs fewer samples.
    let mut close = 1.2;
    while high / low > 1.004 && !(whole && high - low <= 1.0) {
        let middle = (low * high).sqrt();
        let middle = if whole { middle.round().clamp(low + 1.0, (high - 1.0).max(low + 1.0)) } else { middle };
        let many = if high / low > close { samples / 8 } else { samples };
        if of(middle, many) {
            low = middle;
        } else {
            high = middle;
        }
        if high / low <= close && many < samples {
            // What few samples said may be wrong by a little.
            (low, high, close) = (low / 1.05, high * 1.05, f64::INFINITY);
            if whole {
                (low, high) = (low.floor().max(1.0), high.ceil());
            }
        }
    }
    if whole { low } else { (low * high).sqrt() }
}
