//! Prepares a plan to run: collects its elements, compiles it once to find problems, and shows it
//! to the providers of its elements.

use std::path::PathBuf;

use swell_api::{Registry, RunPlan};
use swell_plan::{Diagnostic, Plan, Severity};

use crate::prepare::{self, Group, Prepared, Settings};
use crate::program;

/// Makes a plan ready: takes the enabled tree, fills Module and Include Controllers, evaluates user
/// defined variables, finds the thread groups, and compiles everything once to see what is wrong
/// with it. Nothing is sent and no results file is opened.
///
/// # Errors
/// The plan cannot run at all: a module without target, a file that cannot be included. What is
/// wrong but lets the plan run is in [`Prepared::diagnostics`].
pub fn prepare(plan: &Plan, registry: &Registry, settings: Settings) -> Result<Prepared, Vec<Diagnostic>> {
    let mut prepared = prepare::gather(plan, registry, settings)?;
    prepared.note(program::trial(&prepared, registry));
    give_plan(&prepared, registry);
    // A plan that is traced runs without them, and says so.
    if prepared.settings.trace.is_none() {
        prepared.note(prepare::unsupported(&prepared, registry));
    }
    let mut warnings = registry.doubts();
    if prepared.groups.is_empty() {
        warnings.push("no enabled thread group, so nothing runs".to_owned());
    }
    let place = swell_plan::Place { file: prepared.file.clone(), ..swell_plan::Place::default() };
    let warning =
        |message| Diagnostic { severity: Severity::Warning, place: place.clone(), message, hint: None };
    prepared.note(warnings.into_iter().map(warning));
    Ok(prepared)
}

/// Gives the plan to providers whose elements are in it, as far as the engine runs it itself.
fn give_plan(prepared: &Prepared, registry: &Registry) {
    if !prepared.groups.is_empty() && prepared.groups.iter().all(Group::is_external) {
        return;
    }
    let root = &prepare::own_tree(&prepared.root, registry);
    let run = &prepared.settings.run;
    let unsaved = run.plan_dir.join(if run.plan_name.is_empty() { "plan.jmx" } else { &run.plan_name });
    let file = prepared.file.as_deref().map_or(&*unsaved, PathBuf::as_path);
    registry.give_plan(&RunPlan { root, registry, variables: &prepared.initial, file });
}
