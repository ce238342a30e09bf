//! Figures and the grades that `docs/measurement.md` gives them.

use std::collections::BTreeMap;

use rand::Rng;
use rand::rngs::SmallRng;
use swell_stats::Changed;
use swell_stats::verdict::{
    Evidence, Gate as Judged, Grade, LostLoad, ScriptTime, UsersTime, Verdict, verdict,
};

/// Figures by the names of their gates.
pub(super) type Figures = BTreeMap<String, f64>;

/// The name of the median service time, milliseconds, among the figures.
const MEDIAN: &str = "Median";
/// What it is where it is not among them.
const MEDIAN_MS: f64 = 50.0;

/// Up to where a run is valid, and degraded.
#[derive(Clone, Copy)]
enum Limits {
    Fixed(f64, f64),
    /// Beyond it the machine is at fault, which is noted.
    Noted(f64),
    /// Parts of the median, or that many milliseconds, whichever is more.
    OfMedian([f64; 2], [f64; 2]),
    /// It is not judged, whatever it is.
    NotJudged,
}

/// A gate of the documentation: how its figure gets into the evidence.
struct Gate {
    /// The name of its criterion, and a mark where a criterion has several gates.
    name: &'static str,
    limits: Limits,
    /// It tells how well the tool bore the load.
    is_of_load: bool,
    /// The largest figure that has a meaning.
    most: f64,
    put: fn(&mut Evidence, f64),
}

const fn gate(
    name: &'static str,
    limits: Limits,
    is_of_load: bool,
    most: f64,
    put: fn(&mut Evidence, f64),
) -> Gate {
    Gate { name, limits, is_of_load, most, put }
}

fn ns(ms: f64) -> u64 {
    (ms * 1e6).round() as u64
}

fn lost(part: f64, none_left: bool) -> Option<LostLoad> {
    (part > 0.0).then_some(LostLoad { part, seconds: 9.0, part_then: 1.0, none_left })
}

fn scripts(calls: u64, wait_ms: f64) -> ScriptTime {
    let waited_s = calls as f64 * wait_ms / 1e3;
    ScriptTime { calls, waited_s, ran_s: 3.0, longest_wait_s: waited_s, ..ScriptTime::default() }
}

use Limits::{Fixed, NotJudged, Noted, OfMedian};

/// The table of the documentation.
const GATES: [Gate; 27] = [
    gate("StartDelay", OfMedian([0.0075, 0.2], [0.05, 1.0]), true, 1e4, |seen, ms| {
        let measured_ns = seen.elapsed_p50_ns;
        seen.late_starts =
            Some(Changed { quantile: Some(0.5), of_responses: false, measured_ns, by_ns: ns(ms) });
    }),
    // Where the change is not known, the delays are judged.
    gate("StartDelay of delays", Fixed(1.0, 10.0), true, 1e4, |seen, ms| {
        seen.start_delay_p99_ns = Some(ns(ms));
    }),
    gate("ReadDelay", OfMedian([0.01, 0.2], [0.05, 1.0]), false, 1e4, |seen, ms| {
        (seen.read_delay_p99_ns, seen.read_delay_counts) = (Some(ns(ms)), true);
    }),
    gate("ReadDelay outside", NotJudged, false, 1e4, |seen, ms| seen.read_delay_p99_ns = Some(ns(ms))),
    gate("SendDelay", OfMedian([0.01, 0.2], [0.05, 1.0]), false, 1e4, |seen, ms| {
        seen.send_delay_p99_ns = Some(ns(ms));
    }),
    gate("DroppedStarts", Fixed(0.0, 0.001), true, 1.0, |seen, part| seen.dropped_starts = Some(part)),
    gate("RateError", Fixed(0.01, 0.05), true, 1.0, |seen, part| seen.rate_error = Some(-part)),
    gate("RateError above", Fixed(0.01, 0.05), true, 1.0, |seen, part| seen.rate_error = Some(part)),
    // The cycle of these users is 2 s.
    gate("LittleGap", Fixed(0.01, 0.05), true, 1.0, |seen, part| {
        let lived_s = 100.0 * (1.0 + part);
        seen.users_time = Some(UsersTime { lived_s, sampled_s: 60.0, waited_s: 40.0, samples: 50 });
    }),
    // The cycle of these users is 5 ms, of which the limits are 0.2 and 1 ms.
    gate("LittleGap short", Fixed(0.04, 0.2), true, 1.0, |seen, part| {
        let lived_s = 100.0 * (1.0 + part);
        seen.users_time = Some(UsersTime { lived_s, sampled_s: 60.0, waited_s: 40.0, samples: 20_000 });
    }),
    gate("CpuBusy", Fixed(0.7, 0.9), true, 1.0, |seen, part| seen.cpu_busy = Some((3, part))),
    gate("RunQueueWait", Fixed(0.2, 0.4), true, 1.0, |seen, part| seen.run_queue_wait = Some(part)),
    gate("ResourceExhaustion", Fixed(0.0, 0.001), false, 1.0, |seen, part| {
        seen.resource_exhaustion = Some(part);
    }),
    gate("Unreached", Fixed(0.1, 0.999), false, 1.0, |seen, part| seen.unreached = Some(part)),
    gate("FailedUsers", Fixed(0.0, 0.05), false, 1.0, |seen, part| seen.failed_users = Some(part)),
    gate("Retransmits", Noted(0.001), false, 1.0, |seen, part| seen.retransmits = Some(part)),
    gate("AcceptQueue", Noted(0.001), false, 10.0, |seen, part| seen.accept_queue = Some(part)),
    gate("ConnectRetries", Noted(0.001), false, 1.0, |seen, part| seen.connect_retries = Some(part)),
    gate("DiskWait", Fixed(0.001, 0.01), false, 1.0, |seen, part| seen.disk_wait = Some(part)),
    gate("ScriptWait", Noted(1.0), false, 1e4, |seen, ms| seen.scripts = Some(scripts(100, ms))),
    gate("ScriptWait few", NotJudged, false, 1e4, |seen, ms| seen.scripts = Some(scripts(99, ms))),
    gate("TimedElsewhere", Noted(0.0), false, 1.0, |seen, part| seen.timed_elsewhere = Some(part)),
    gate("Steal", Noted(0.01), false, 1.0, |seen, part| seen.steal = Some(part)),
    gate("MemoryUsed", Noted(0.97), false, 1.0, |seen, part| seen.memory_free = Some(1.0 - part)),
    gate("ClockSteps", Noted(0.0), false, 1e4, |seen, steps| seen.clock_steps = Some(steps.round() as u64)),
    gate("ClockGrain", Fixed(0.005, 0.1), false, 1e3, |seen, ms| seen.clock_grain_ns = Some(ns(ms))),
    gate("LostLoad", Fixed(0.0, 0.05), false, 1.0, |seen, part| seen.lost_load = lost(part, false)),
];

/// The same with another limit, as the documentation says of it: no agent was left.
const NONE_LEFT: Gate =
    gate("LostLoad none left", Fixed(0.0, 0.0), false, 1.0, |seen, part| seen.lost_load = lost(part, true));

fn gates() -> impl Iterator<Item = &'static Gate> {
    GATES.iter().chain([&NONE_LEFT])
}

impl Gate {
    fn criterion(&self) -> &'static str {
        self.name.split(' ').next().unwrap_or(self.name)
    }

    /// Valid up to, degraded up to.
    fn limits(&self, median_ms: f64) -> Option<(f64, f64)> {
        let of_median = |[part, least_ms]: [f64; 2]| (part * median_ms).max(least_ms);
        match self.limits {
            Fixed(valid, degraded) => Some((valid, degraded)),
            Noted(valid) => Some((valid, f64::INFINITY)),
            OfMedian(valid, degraded) => Some((of_median(valid), of_median(degraded))),
            NotJudged => None,
        }
    }

    /// A figure at a limit, a little below or above it, or anywhere.
    fn draw(&self, draws: &mut SmallRng, median_ms: f64) -> f64 {
        let (valid, degraded) = self.limits(median_ms).unwrap_or((1.0, f64::INFINITY));
        let limit = if degraded.is_finite() && draws.random_bool(0.5) { degraded } else { valid };
        let about = [1.0, 0.9999, 1.0001, 0.99, 1.01, 0.9, 1.1][draws.random_range(0..7)];
        let figure = match draws.random_range(0..8) {
            0 => 0.0,
            1 => draws.random_range(0.0..self.most),
            2 => draws.random_range(0.0..=2.0 * limit),
            _ if limit > 0.0 => limit * about,
            _ => [0.0, 1e-6 * self.most.min(1.0), 1.0][draws.random_range(0..3)],
        };
        self.as_kept(figure.min(self.most))
    }

    /// The figure as the evidence keeps it: delays in nanoseconds, steps as a number.
    fn as_kept(&self, figure: f64) -> f64 {
        match self.criterion() {
            "StartDelay" | "ReadDelay" | "SendDelay" | "ClockGrain" => ns(figure) as f64 / 1e6,
            "ClockSteps" => figure.round(),
            // Where it is made of others, a figure at a limit may be on either side of it.
            "LittleGap" | "ScriptWait" | "MemoryUsed" => figure * 1.000_001,
            _ => figure,
        }
    }

    fn grade(&self, value: f64, median_ms: f64) -> Grade {
        match self.limits(median_ms) {
            Some((_, degraded)) if value > degraded => Grade::Invalid,
            Some((valid, _)) if value > valid => Grade::Degraded,
            _ => Grade::Valid,
        }
    }
}

/// Figures of some of the gates.
pub(super) fn drawn(draws: &mut SmallRng) -> Figures {
    let some = draws.random_range(0.02..0.5);
    // Limits that are parts of it are exact numbers.
    let median_ms = [0.4, 5.0, 50.0, 100.0, 800.0][draws.random_range(0..5)];
    let mut values = Figures::from([(MEDIAN.to_owned(), median_ms)]);
    let mut criteria = Vec::new();
    for gate in gates() {
        if draws.random_bool(some) && !criteria.contains(&gate.criterion()) {
            values.insert(gate.name.to_owned(), gate.draw(draws, median_ms));
            criteria.push(gate.criterion());
        }
    }
    // One of several gates of a criterion, each as often.
    if draws.random_bool(0.3) {
        let one = &GATES[draws.random_range(0..GATES.len())];
        values.retain(|name, _| name.split(' ').next() != Some(one.criterion()));
        values.insert(one.name.to_owned(), one.draw(draws, median_ms));
    }
    values
}

fn median_ms(values: &Figures) -> f64 {
    values.get(MEDIAN).copied().unwrap_or(MEDIAN_MS)
}

/// The verdict on the figures is that of the documentation.
pub(super) fn check(values: &Figures) -> Option<String> {
    let median_ms = median_ms(values);
    let mut seen = Evidence { elapsed_p50_ns: ns(median_ms), ..Evidence::default() };
    let is_load = values.get("Unreached").is_none_or(|part| *part <= 0.1);
    let mut wanted = Vec::new();
    for (name, value) in values.iter().filter(|(name, _)| *name != MEDIAN) {
        let Some(gate) = gates().find(|gate| gate.name == name) else {
            return Some(format!("P4 figures: there is no gate {name}"));
        };
        (gate.put)(&mut seen, *value);
        let is_known = gate.criterion() != "LostLoad" || *value > 0.0;
        if (is_load || !gate.is_of_load) && is_known && gate.limits(median_ms).is_some() {
            wanted.push((gate, *value));
        }
    }
    let judged = verdict(&seen);
    let grades = wanted.iter().map(|(gate, value)| gate.grade(*value, median_ms));
    let expected = grades.max().unwrap_or(Grade::Valid);
    if judged.grade != expected {
        return Some(format!("P4 figures: {} instead of {expected}: {values:?}", judged.grade));
    }
    let wrong = wanted.iter().find_map(|(gate, value)| judged_wrong(&judged, gate, *value, median_ms));
    let wrong = wrong.or_else(|| not_wanted(&judged, &wanted)).or_else(|| of_verdict(&judged, &seen));
    wrong.map(|what| format!("P4 figures: {what}: {values:?}"))
}

fn is_near(is: f64, wanted: f64) -> bool {
    let is_endless = is.is_infinite() && wanted.is_infinite();
    is_endless || (is - wanted).abs() <= 1e-9 * wanted.abs().max(1.0)
}

/// What is wrong with a gate: it is missing, or has another figure, other limits, or a grade that
/// does not fit them.
fn judged_wrong(judged: &Verdict, gate: &Gate, value: f64, median_ms: f64) -> Option<String> {
    let (valid, degraded) = gate.limits(median_ms)?;
    let name = gate.name;
    let is_it = |judged: &&Judged| format!("{:?}", judged.criterion) == gate.criterion();
    let Some(found) = judged.gates.iter().find(is_it) else {
        return Some(format!("the verdict has no gate {name}"));
    };
    let figures = [(found.value, value), (found.valid_limit, valid), (found.degraded_limit, degraded)];
    if let Some((is, wanted)) = figures.into_iter().find(|(is, wanted)| !is_near(*is, *wanted)) {
        return Some(format!("the gate {name} has {is}, not {wanted}"));
    }
    if found.grade() != gate.grade(value, median_ms) {
        return Some(format!("the gate {name} is {}", found.grade()));
    }
    let worker = (gate.criterion() == "CpuBusy").then_some(3);
    (found.worker != worker).then(|| format!("the gate {name} names the worker {:?}", found.worker))
}

/// A gate without a figure.
fn not_wanted(judged: &Verdict, wanted: &[(&Gate, f64)]) -> Option<String> {
    let criteria: Vec<&str> = wanted.iter().map(|(gate, _)| gate.criterion()).collect();
    let names = judged.gates.iter().map(|gate| format!("{:?}", gate.criterion));
    names.into_iter().find(|name| !criteria.contains(&name.as_str())).map(|name| format!("a gate {name}"))
}

/// What the verdict hands on of the evidence.
fn of_verdict(judged: &Verdict, seen: &Evidence) -> Option<String> {
    let is_same = judged.read_delay_counts == seen.read_delay_counts
        && judged.scripts == seen.scripts
        && judged.refusal.is_none();
    let refused = judged.clone().refused("no".to_owned());
    let is_refused = refused.grade == Grade::Invalid && refused.refusal.as_deref() == Some("no");
    (!is_same || !is_refused).then(|| "the verdict has other facts than the evidence".to_owned())
}

/// Whose doing a bad gate is, by the processors that programs took.
pub(super) fn culprit(draws: &mut SmallRng) -> Option<String> {
    use swell_stats::verdict::{Culprit, Neighbour, ProcessorUse};
    let here = Neighbour { address: ([127, 0, 0, 1], 80).into(), processors: 2 };
    let part = |draws: &mut SmallRng| [0.0, 0.05, 0.2, 0.21, 0.5, 1.4][draws.random_range(0..6)];
    let took = ProcessorUse {
        processors: 2,
        tool: part(draws),
        server: part(draws),
        others: part(draws),
        unseen: part(draws),
        programs: Vec::new(),
    };
    let is_here = draws.random_bool(0.5);
    let is_known = draws.random_bool(0.8);
    let waited = [0.0, 0.04, 0.05, 0.3][draws.random_range(0..4)];
    let busy = [0.1, 0.8][draws.random_range(0..2)];
    let late_ms = [0.5, 5.0][draws.random_range(0..2)];
    let stolen = [0.0, 0.5][draws.random_range(0..2)];
    let judged = verdict(&Evidence {
        neighbour: is_here.then_some(here),
        processors: is_known.then(|| took.clone()),
        run_queue_wait: Some(waited),
        cpu_busy: Some((0, busy)),
        start_delay_p99_ns: Some(ns(late_ms)),
        steal: Some(stolen),
        ..Evidence::default()
    });
    let foreign = took.others + took.unseen;
    // A tenth of the processors, and not less than the server.
    let by_others = is_known && foreign >= 0.2 && foreign >= took.server && {
        waited >= 0.05 || took.tool + took.server + foreign >= 1.4 || is_here
    };
    let is_of_tool = waited > 0.2 || busy > 0.7;
    let expected = match () {
        () if !(is_of_tool || late_ms > 1.0) => None,
        () if by_others => Some(Culprit::Others),
        () if is_here => Some(Culprit::Server),
        () => is_of_tool.then_some(Culprit::Tool),
    };
    let is_right =
        judged.culprit == expected && judged.neighbour.is_some() == (expected == Some(Culprit::Server));
    (!is_right).then(|| {
        format!("P4 culprit: {:?}, not {expected:?}: {took:?}, waited {waited}, busy {busy}, late {late_ms} ms, server here: {is_here}", judged.culprit)
    })
}
