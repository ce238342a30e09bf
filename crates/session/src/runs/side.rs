//! A kept run as a side of a comparison.

use swell_report::compare::{ComparedRuns, RuleResult, measurement_note, steadiness};
use swell_report::leading_causes;
use swell_results::run_folder::{Outcome, RunFolder, ThresholdResult};
use swell_stats::compare::{Comparison, Measure, Options, Side};
use swell_stats::verdict::Verdict;
use swell_stats::{Snapshot, Summary};

use super::differences::RunSettings;
use crate::Problem;

/// Causes of failed samples that are named.
const MOST_CAUSES: usize = 3;

/// A run that is compared.
#[derive(Default)]
pub struct ComparedSide {
    /// Its name.
    pub name: String,
    /// Its figures over time.
    pub side: Side,
    /// What makes its figures doubtful.
    pub notes: Vec<String>,
    /// Its thresholds with their results.
    rules: Vec<RuleResult>,
    /// Its settings; none of a results file.
    settings: Option<RunSettings>,
    /// Causes of its failed samples.
    causes: Vec<String>,
    verdict: Option<Verdict>,
}

impl ComparedSide {
    /// A run without thresholds and settings, as a results file has it.
    pub fn of_results(name: &str, side: Side, notes: Vec<String>) -> Self {
        Self { name: name.to_owned(), side, notes, ..Self::default() }
    }
}

/// The run in a folder.
///
/// # Errors
/// A file of the run cannot be read.
pub fn side_of(name: &str, run: &RunFolder) -> Result<ComparedSide, Problem> {
    let mut side = Side::default();
    let mut counted = Snapshot::default();
    for interval in run.intervals()? {
        counted.merge(&interval.labels);
        side.add(&interval);
    }
    let mut notes = Vec::new();
    let outcome = run.outcome()?;
    match &outcome {
        None if run.is_running() => notes.push(format!("{name}: the run is still in progress")),
        None => notes.push(format!("{name}: the run was killed; it counts up to its last second")),
        Some(outcome) if outcome.interrupted => notes.push(format!("{name}: it was interrupted")),
        Some(_) => {}
    }
    let rules = outcome.iter().flat_map(|outcome| &outcome.thresholds).map(rule).collect();
    let verdict = outcome.as_ref().and_then(Outcome::verdict);
    let settings = Some(RunSettings::of(run));
    let causes = leading_causes(&Summary::of(&counted), MOST_CAUSES);
    Ok(ComparedSide { name: name.to_owned(), side, notes, rules, settings, causes, verdict })
}

fn rule(result: &ThresholdResult) -> RuleResult {
    RuleResult {
        rule: result.rule.clone(),
        passed: result.passed,
        all_failed: result.all_failed,
        limit: result.limit,
        unit: result.unit.clone(),
        text: result.text.clone(),
    }
}

/// Compares two runs.
///
/// # Errors
/// One of them has no samples.
pub fn compare(
    before: ComparedSide,
    after: ComparedSide,
    options: Options,
) -> Result<(ComparedRuns, Comparison), Problem> {
    let mut notes = load_notes(&before, &after);
    for run in [&before, &after] {
        if run.side.seconds() == 0 {
            return Err(Problem::settings(format!("cannot compare `{}`: it has no samples", run.name)));
        }
        notes.extend(run.notes.iter().cloned());
        notes.extend(steadiness(&run.name, &run.side.steadiness(), options.without_warm_up));
    }
    let comparison = swell_stats::compare::compare(&before.side, &after.side, options);
    notes.extend(measurement_notes(&before, &after, &comparison));
    let settings = before.settings.as_ref().zip(after.settings.as_ref());
    let measured = |side: &ComparedSide| side.verdict.as_ref().map(|verdict| verdict.grade.measurement());
    let compared = ComparedRuns {
        measurements: [measured(&before), measured(&after)],
        settings: settings.map(|(before, after)| before.differences(after)).unwrap_or_default(),
        before: before.name,
        after: after.name,
        notes,
        causes: after.causes,
        rules_before: before.rules,
        rules_after: after.rules,
        status: String::new(),
        options,
    };
    Ok((compared, comparison))
}

/// Notes on runs that were not measured well, and whether that can explain the changes.
fn measurement_notes(before: &ComparedSide, after: &ComparedSide, comparison: &Comparison) -> Vec<String> {
    let p95 = comparison.total.changes.iter().find(|change| change.measure == Measure::P95);
    let both = [(before, p95.and_then(|change| change.before)), (after, p95.and_then(|change| change.after))];
    let note = |(run, p95_ms): (&ComparedSide, Option<f64>)| {
        measurement_note(&run.name, run.verdict.as_ref()?, p95_ms, comparison)
    };
    both.into_iter().filter_map(note).collect()
}

/// Notes on the load: another load is another test.
fn load_notes(before: &ComparedSide, after: &ComparedSide) -> Vec<String> {
    let mut notes = Vec::new();
    let a = &before.side;
    let b = &after.side;
    if a.most_users() != b.most_users() {
        notes.push(format!(
            "the load differs: {} had up to {} users, {} up to {}",
            before.name,
            a.most_users(),
            after.name,
            b.most_users()
        ));
    }
    if let Some((x, y)) = a.other_rates(b) {
        notes.push(format!(
            "the load differs: {} wanted {x:.1}/s, {} wanted {y:.1}/s",
            before.name, after.name
        ));
    }
    for (run, side) in [(before, a), (after, b)] {
        if side.beyond_limit() > 0 {
            notes.push(format!(
                "{}: {} samples of further labels are in the total only",
                run.name,
                side.beyond_limit()
            ));
        }
    }
    notes
}
