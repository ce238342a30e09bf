//! The verdict on a world with load, and on the same world without its faults.

use swell_api::{SampleResult, Text, Timing};
use swell_results::observe;
use swell_run::{ResourceUsage, evidence_so_far};
use swell_stats::verdict::{Evidence, Grade, Verdict, verdict};
use swell_stats::{Recorder, Snapshot};

use crate::load::{self, Fault, LoadOptions, Outcome, Sample};

/// A figure that the tool changed by more than this part has to be flagged, and by this many
/// nanoseconds.
const CHANGED: (f64, f64) = (0.1, 2e6);
const QUANTILES: [f64; 3] = [0.5, 0.9, 0.95];

/// A stall of the tool that changes figures is flagged; what the site and the network do is not.
pub(super) fn check(options: &LoadOptions) -> Option<String> {
    let (wrong, with) = samples(options);
    let (wrong_too, without) = samples(&LoadOptions { faults: Vec::new(), ..options.clone() });
    if let Some(wrong) = wrong.into_iter().chain(wrong_too).next() {
        return Some(wrong);
    }
    let calm = judged(&without);
    if calm.grade != Grade::Valid {
        return Some(format!("P4 calm: {} without a fault: {:?}", calm.grade, worst(&calm)));
    }
    let verdict = judged(&with);
    let by_tool = options.faults.iter().any(|fault| matches!(fault, Fault::ToolStall { .. }));
    if !by_tool {
        let is_flagged = verdict.grade != Grade::Valid;
        return is_flagged.then(|| format!("P4 false alarm: {}: {:?}", verdict.grade, worst(&verdict)));
    }
    let (truth, seen) = (figures(&without), figures(&with));
    let changed = truth.iter().zip(&seen).find(|(truth, seen)| {
        let by = (*seen - *truth).abs();
        by > CHANGED.0 * *truth && by > CHANGED.1
    });
    let (truth, seen) = changed.filter(|_| verdict.grade == Grade::Valid)?;
    Some(format!(
        "P4 missed: a stall of the tool made a figure {seen:.0} ns of {truth:.0} ns, and the run is VALID"
    ))
}

/// Samples with the response of their route, in the order of their numbers.
fn samples(options: &LoadOptions) -> (Vec<String>, Vec<Sample>) {
    let result = load::run(options);
    let is_whole = |sample: &Sample| matches!(sample.outcome, Outcome::Response(..));
    (result.wrong, result.samples.into_iter().filter(is_whole).collect())
}

/// Means and percentiles of service times, and of response times from when each start was wanted.
fn figures(samples: &[Sample]) -> Vec<f64> {
    let service = samples.iter().map(|sample| sample.arrived_ns - sample.started_ns).collect::<Vec<_>>();
    let response = samples.iter().map(|sample| sample.arrived_ns - sample.wanted_ns).collect();
    let mut all = Vec::new();
    for mut times in [service, response] {
        times.sort_unstable();
        all.push(times.iter().sum::<i64>() as f64 / times.len().max(1) as f64);
        let at =
            |quantile: f64| times.get((quantile * times.len() as f64) as usize).copied().unwrap_or(0) as f64;
        all.extend(QUANTILES.map(at));
    }
    all
}

/// The program's verdict on what the client measured.
fn judged(samples: &[Sample]) -> Verdict {
    let mut recorder = Recorder::default();
    for sample in samples {
        let timing = Timing {
            intended_ns: sample.wanted_ns,
            ready_ns: sample.wanted_ns,
            scheduled: true,
            start_ns: sample.started_ns,
            first_byte_ns: sample.arrived_ns,
            end_ns: sample.arrived_ns,
            read_ns: sample.read_ns,
            ..Timing::default()
        };
        let result = SampleResult {
            label: Text::from("load"),
            code: Text::from("200"),
            success: true,
            timing,
            ..SampleResult::default()
        };
        recorder.record(&observe(&result));
    }
    let counted: Snapshot = recorder.take_interval();
    let seen = evidence_so_far(&counted, &counted.total(), &ResourceUsage::default());
    // The clock of the machine that simulates says nothing of the world.
    verdict(&Evidence { clock_grain_ns: None, ..seen })
}

/// What was judged worst.
fn worst(verdict: &Verdict) -> Option<(String, f64)> {
    let worst = verdict.gates.iter().max_by_key(|gate| gate.grade())?;
    Some((format!("{:?}", worst.criterion), worst.value))
}
