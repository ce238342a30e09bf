//! What there is to say about a run at its end, besides its figures.

use swell_engine::RunOutcome;
use swell_expr::Refusal;
use swell_results::WriteFailure;
use swell_run::NeverRan;

use crate::exports::losses;
use crate::log_entry::without_stack;
use crate::{Ended, Ending};

/// What there is to say about a run besides its figures, one message an entry.
pub fn messages(ended: &Ended) -> Vec<String> {
    let report = &ended.report;
    let problems = report.outcome.iter().flat_map(|outcome| &outcome.problems).map(ToString::to_string);
    let mut lines: Vec<_> = problems.chain(report.write_failures.iter().map(lost)).collect();
    if let Some(first) = &report.logged.first_error {
        let place =
            report.logged.path.as_ref().map(|path| format!(" in {}", path.display())).unwrap_or_default();
        lines.push(format!(
            "errors logged{place}: {}; the first: {}",
            report.logged.errors,
            without_stack(first)
        ));
    }
    lines.extend(report.outcome.as_ref().and_then(failed_users));
    lines.extend(without_samples(&report.never_ran));
    lines.extend(too_large(report.failures_too_large));
    lines.extend(losses(&ended.exports));
    match &report.outcome {
        Some(outcome) if outcome.cut > 0 => lines.push(format!(
            "{} running samples were aborted, by a stop, the end of -d or the end of an open model: they are counted, but not written to the results",
            outcome.cut
        )),
        Some(_) => {}
        None if report.broken => lines.push(
            "error: internal error: the run was aborted (message above)\n  \
             what was measured before is in the results; the last second may be missing in the summary"
                .to_owned(),
        ),
        None => lines.push(
            "left while samples were running; the last second may be missing in the summary".to_owned(),
        ),
    }
    match ended.by_events() {
        Ending::NothingRan => lines.push("error: no sample was completed".to_owned()),
        Ending::ByScript => lines.extend(report.refusal().map(script_refused)),
        Ending::NothingSucceeded => lines.extend(report.nothing_worked().map(|why| format!("error: {why}"))),
        _ => {}
    }
    lines
}

/// How many users an error ended, and by what.
fn failed_users(outcome: &RunOutcome) -> Option<String> {
    let all = outcome.failed_users();
    let causes: Vec<_> =
        outcome.user_faults.iter().take(3).map(|(cause, users)| format!("{users} by {cause}")).collect();
    let more = if outcome.user_faults.len() > 3 { ", and others" } else { "" };
    (all > 0).then(|| {
        format!(
            "error: {all} of {} users were ended by an error, and made no further load: {}{more}; the log says where",
            outcome.users,
            causes.join(", ")
        )
    })
}

/// The samplers that never ran, with the controllers above them: a condition that is false looks
/// like success otherwise.
fn without_samples(never_ran: &[NeverRan]) -> Option<String> {
    const SHOWN: usize = 5;
    let shown = never_ran.iter().take(SHOWN).map(|sampler| {
        let above: Vec<_> = sampler.controllers.iter().map(|name| format!("`{name}`")).collect();
        let below = if above.is_empty() { String::new() } else { format!(" (below {})", above.join(" > ")) };
        format!("{}{below}", sampler.label)
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = match never_ran.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} others"),
    };
    (!never_ran.is_empty()).then(|| {
        let count = never_ran.len();
        let samplers = if count == 1 { "sampler" } else { "samplers" };
        format!("{count} {samplers} never ran: {shown}{more}; `swell debug` shows why")
    })
}

/// How many failures are not among those that the run kept.
fn too_large(count: usize) -> Option<String> {
    let failures = if count == 1 { "failure" } else { "failures" };
    (count > 0).then(|| {
        format!("{count} {failures} of agents are not kept: too large to be sent (`--keep-failures`)")
    })
}

fn script_refused(refusal: &Refusal) -> String {
    format!(
        "error: {refusal}; the test was ended, and what ran before is not what the plan says\n  \
         hint: `swell check` names what of a plan needs a script engine; rewrite the script, or run this plan with JMeter"
    )
}

fn lost(failure: &WriteFailure) -> String {
    format!(
        "error: results could not be written to `{}` any more: {}\n  {} samples are in the file, {} are lost; the summary has them all",
        failure.path.display(),
        failure.cause,
        failure.rows_written,
        failure.rows_lost
    )
}
