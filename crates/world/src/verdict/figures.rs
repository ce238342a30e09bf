//! Figures and the grades that `docs/measurement.md` gives them.

use std::collections::BTreeMap;

use rand::Rng;
use rand::rngs::SmallRng;
use swell_stats::Changed;
use swell_stats::verdict::{Evidence, Grade, LostLoad, verdict};

/// The median time of the runs that are judged, milliseconds: 1 % of it is 0.5 ms.
const MEDIAN_MS: f64 = 50.0;

/// A gate of the documentation: how its figure gets into the evidence, and the limits up to which a
/// run is valid, and degraded. None: the machine is at fault, which is noted.
struct Gate {
    name: &'static str,
    limits: (f64, Option<f64>),
    /// It tells how well the tool bore the load.
    is_of_load: bool,
    put: fn(&mut Evidence, f64),
}

const fn gate(
    name: &'static str,
    limits: (f64, Option<f64>),
    is_of_load: bool,
    put: fn(&mut Evidence, f64),
) -> Gate {
    Gate { name, limits, is_of_load, put }
}

fn ns(ms: f64) -> u64 {
    (ms * 1e6) as u64
}

const GATES: [Gate; 19] = [
    // Late starts may change a figure by 0.75 % of it, and degrade up to 5 %.
    gate("StartDelay", (0.375, Some(2.5)), true, |seen, ms| {
        let measured_ns = ns(MEDIAN_MS);
        seen.late_starts =
            Some(Changed { quantile: Some(0.5), of_responses: false, measured_ns, by_ns: ns(ms) });
    }),
    gate("ReadDelay", (0.5, Some(2.5)), false, |seen, ms| {
        (seen.read_delay_p99_ns, seen.read_delay_counts) = (Some(ns(ms)), true);
    }),
    gate("SendDelay", (0.5, Some(2.5)), false, |seen, ms| seen.send_delay_p99_ns = Some(ns(ms))),
    gate("DroppedStarts", (0.0, Some(0.001)), true, |seen, part| seen.dropped_starts = Some(part)),
    gate("RateError", (0.01, Some(0.05)), true, |seen, part| seen.rate_error = Some(-part)),
    gate("CpuBusy", (0.7, Some(0.9)), true, |seen, part| seen.cpu_busy = Some((0, part))),
    gate("RunQueueWait", (0.2, Some(0.4)), true, |seen, part| seen.run_queue_wait = Some(part)),
    gate("ResourceExhaustion", (0.0, Some(0.001)), false, |seen, part| seen.resource_exhaustion = Some(part)),
    gate("Unreached", (0.1, Some(0.999)), false, |seen, part| seen.unreached = Some(part)),
    gate("FailedUsers", (0.0, Some(0.05)), false, |seen, part| seen.failed_users = Some(part)),
    gate("Retransmits", (0.001, None), false, |seen, part| seen.retransmits = Some(part)),
    gate("AcceptQueue", (0.001, None), false, |seen, part| seen.accept_queue = Some(part)),
    gate("ConnectRetries", (0.001, None), false, |seen, part| seen.connect_retries = Some(part)),
    gate("DiskWait", (0.001, Some(0.01)), false, |seen, part| seen.disk_wait = Some(part)),
    gate("TimedElsewhere", (0.0, None), false, |seen, part| seen.timed_elsewhere = Some(part)),
    gate("Steal", (0.01, None), false, |seen, part| seen.steal = Some(part)),
    gate("MemoryUsed", (0.97, None), false, |seen, part| seen.memory_free = Some(1.0 - part)),
    gate("ClockGrain", (0.005, Some(0.1)), false, |seen, ms| seen.clock_grain_ns = Some(ns(ms))),
    gate("LostLoad", (0.0, Some(0.05)), false, |seen, part| {
        seen.lost_load =
            (part > 0.0).then_some(LostLoad { part, seconds: 9.0, part_then: 1.0, none_left: false });
    }),
];

impl Gate {
    /// A figure on one side of its limits, 5 % away from them.
    fn draw(&self, draws: &mut SmallRng) -> f64 {
        let (valid, degraded) = self.limits;
        let most = degraded.unwrap_or(1.0);
        match draws.random_range(0..5) {
            0 if degraded.is_some() && most < 0.95 => draws.random_range(most * 1.05..1.0),
            0 if degraded.is_some() && most > 1.0 => draws.random_range(most * 1.05..most * 3.0),
            1 => draws.random_range((valid * 1.01).max(most * 0.01).min(most * 0.98)..most * 0.99),
            _ if valid > 0.0 => draws.random_range(0.0..valid * 0.99),
            _ => 0.0,
        }
    }

    fn grade(&self, value: f64) -> Grade {
        match self.limits {
            (valid, _) if value <= valid => Grade::Valid,
            (_, Some(degraded)) if value > degraded => Grade::Invalid,
            _ => Grade::Degraded,
        }
    }
}

/// Figures of some of the gates.
pub(super) fn drawn(draws: &mut SmallRng) -> BTreeMap<String, f64> {
    let some = draws.random_range(0.02..0.5);
    let mut values = BTreeMap::new();
    for gate in &GATES {
        if draws.random_bool(some) {
            values.insert(gate.name.to_owned(), gate.draw(draws));
        }
    }
    values
}

/// The verdict on the figures is that of the documentation.
pub(super) fn check(values: &BTreeMap<String, f64>) -> Option<String> {
    let mut seen = Evidence { elapsed_p50_ns: ns(MEDIAN_MS), ..Evidence::default() };
    let is_load = values.get("Unreached").is_none_or(|part| *part <= 0.1);
    let mut expected = Grade::Valid;
    for (name, value) in values {
        let Some(gate) = GATES.iter().find(|gate| gate.name == name) else {
            return Some(format!("P4 figures: there is no gate {name}"));
        };
        (gate.put)(&mut seen, *value);
        if is_load || !gate.is_of_load {
            expected = expected.max(gate.grade(*value));
        }
    }
    let judged = verdict(&seen);
    if judged.grade != expected {
        return Some(format!("P4 figures: {} instead of {expected}: {values:?}", judged.grade));
    }
    let is_named = |name: &str| judged.gates.iter().any(|gate| format!("{:?}", gate.criterion) == name);
    let is_judged = |gate: &&Gate| is_load || !gate.is_of_load;
    let named =
        GATES.iter().filter(is_judged).filter(|gate| values.get(gate.name).is_some_and(|value| *value > 0.0));
    let missing = named.map(|gate| gate.name).find(|name| !is_named(name))?;
    Some(format!("P4 figures: the verdict has no gate {missing}: {values:?}"))
}
