//! The page of a kept run.

use std::path::Path;

use swell_report::Earlier;
use swell_report::page::{self, About, Apdex, Ending, Event, Intervals, Rule, RunPage};
use swell_results::run_folder::{Metadata, Outcome, RecordEnd, RunFolder};
use swell_stats::threshold::Group;
use swell_stats::verdict::Verdict;

use super::Annotation;
use crate::{MADE_BY, Problem, name_of, transactions};

/// The page of the run in a folder, and its verdict. Without a title it has that of its plan. It
/// shows the groups of labels with which it was made, and these, which replace those of the same
/// name; and what changed since the `earlier` run.
///
/// # Errors
/// A file of the run cannot be read.
pub fn page_of(
    run: &RunFolder,
    title: Option<&str>,
    apdex: Apdex,
    groups: &[Group],
    earlier: Option<Earlier>,
) -> Result<(RunPage, Option<Verdict>), Problem> {
    let metadata = run.metadata();
    let outcome = run.outcome()?;
    let mut page = RunPage::new(About {
        title: title.map_or_else(|| title_of(metadata), str::to_owned),
        made_by: MADE_BY.to_owned(),
        facts: facts(metadata),
        apdex,
        transactions: run.plan().map(|text| transactions::of_text(&text)).unwrap_or_default(),
        groups: groups_of(metadata, groups),
    });
    let mut intervals = run.intervals()?;
    intervals.by_ref().for_each(|interval| page.add(&interval));
    if let Some(fine) = run.fine()? {
        page.refine(&fine);
    }
    for event in run.events()? {
        page.event(Event { at_ms: event.at_ms, who: event.source, what: event.text });
    }
    let summary = run.summary().unwrap_or_default();
    if let Some(outcome) = &outcome {
        let intervals = Intervals::of_json(&summary);
        page.end(Ending { intervals, earlier, ..ending(outcome) });
    } else {
        page.note(if run.is_running() {
            "The run is still in progress: these are interim results."
        } else {
            "The run was killed: this is what it had done up to its last second."
        });
    }
    for said in swell_report::json::own_drifts(&summary) {
        page.note(said);
    }
    match intervals.end() {
        Some(RecordEnd::Damaged(why)) => {
            page.note(format!("The file of intervals is damaged, and what follows is not read: {why}"));
        }
        Some(RecordEnd::Whole | RecordEnd::Cut) | None => {}
    }
    Ok((page, outcome.and_then(|outcome| outcome.verdict())))
}

fn groups_of(metadata: &Metadata, more: &[Group]) -> Vec<Group> {
    let own = Group::of_definitions(&metadata.label_groups).into_iter();
    let own = own.filter(|group| more.iter().all(|other| other.name != group.name));
    own.chain(more.iter().cloned()).collect()
}

fn title_of(metadata: &Metadata) -> String {
    match metadata.plan.file.as_str() {
        "" => metadata.name.clone(),
        file => name_of(Path::new(file)),
    }
}

fn facts(metadata: &Metadata) -> Vec<(String, String)> {
    let fact = |name: &str, value: String| (!value.is_empty()).then(|| (name.to_owned(), value));
    let machine = &metadata.machine;
    let load_generator = format!("{}, {} processors, {}", machine.name, machine.processors, machine.system);
    let written = Annotation { tags: metadata.tags.clone(), note: metadata.note.clone() };
    let first = [fact("Run", metadata.name.clone())].into_iter().flatten();
    let rest = [
        fact("Plan", metadata.plan.file.clone()),
        fact("Command", metadata.command.join(" ")),
        // An imported run does not say which machine made its load.
        fact(page::LOAD_GENERATOR, if machine.processors > 0 { load_generator } else { String::new() }),
        fact("Recorded by", metadata.made_by.clone()),
    ];
    first.chain(written.facts()).chain(rest.into_iter().flatten()).collect()
}

/// How a run ended, from its folder; the tool's own usage is in the summary.
fn ending(outcome: &Outcome) -> Ending {
    let rules = outcome.thresholds.iter().map(|rule| Rule {
        rule: rule.rule.clone(),
        passed: Some(rule.passed),
        text: rule.text.clone(),
        aborted: rule.aborted,
        all_failed: rule.all_failed,
        ..Rule::on_tile(&rule.rule, rule.limit)
    });
    Ending {
        servers: outcome.servers.clone(),
        thresholds: rules.collect(),
        problems: outcome.problems.clone(),
        ..Ending::default()
    }
}
