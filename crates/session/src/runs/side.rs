//! A kept run as a side of a comparison.

use swell_report::compare::{ComparedRuns, steadiness};
use swell_results::run_folder::RunFolder;
use swell_stats::compare::{Comparison, Options, Side};
use swell_stats::verdict::Grade;

use crate::Problem;

/// A run that is compared.
pub struct ComparedSide {
    /// Its name.
    pub name: String,
    /// Its figures over time.
    pub side: Side,
    /// What makes its figures doubtful.
    pub notes: Vec<String>,
}

/// The run in a folder.
///
/// # Errors
/// A file of the run cannot be read.
pub fn side_of(name: &str, run: &RunFolder) -> Result<ComparedSide, Problem> {
    let mut side = Side::default();
    for interval in run.intervals()? {
        side.add(&interval);
    }
    let mut notes = Vec::new();
    match run.outcome()? {
        None if run.is_running() => notes.push(format!("{name}: the run is still in progress")),
        None => notes.push(format!("{name}: the run was killed; it counts up to its last second")),
        Some(outcome) => {
            let grade = outcome.verdict().map(|verdict| verdict.grade).filter(|grade| *grade > Grade::Valid);
            notes.extend(grade.map(|grade| {
                format!(
                    "{name}: its measurement is {} ({grade}): Swell or its machine changed its figures",
                    grade.measurement()
                )
            }));
            if outcome.interrupted {
                notes.push(format!("{name}: it was interrupted"));
            }
        }
    }
    Ok(ComparedSide { name: name.to_owned(), side, notes })
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
    Ok((ComparedRuns { before: before.name, after: after.name, notes, options }, comparison))
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
    if let (Some(x), Some(y)) = (a.wanted_per_s(), b.wanted_per_s())
        && (x / y - 1.0).abs() > 0.01
    {
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
