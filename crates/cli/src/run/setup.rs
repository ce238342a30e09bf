//! From arguments to a plan that can run.

use std::path::Path;

use swell_api::Role;
use swell_author::Edited;
use swell_engine::Support;
use swell_expr::{Level, Properties};
use swell_plan::{Element, Node, Plan};
use swell_results::FileOptions;
use swell_run::{MessageSink, PrepareError, Trial, TrialSettings};
use swell_session::{Grace, Graces};

use crate::args::{CompatLevel, IoArg, RunArgs, SetArgs, grace};
use crate::exit::Failure;
use crate::plan_text;
use crate::print::print_stderr;
use crate::settings;
use crate::target_process::TargetProcess;
use crate::text_plan::{self, Use};

/// Starts the built-in target.
pub(crate) fn target() -> Result<TargetProcess, Failure> {
    TargetProcess::start()
        .map_err(|error| Failure::settings(format!("cannot start the built-in target: {error}")))
}

/// Reads a plan file with the changes of `--set`, and these changes; what is wrong with the plan
/// goes to standard error.
pub(crate) fn read_plan(path: &Path, set: &SetArgs) -> Result<(Plan, Option<Edited>), Failure> {
    let ReadPlan { plan, changed, .. } = read_plan_for(path, set, Use::Trial)?;
    Ok((plan, changed))
}

/// A plan as it was read.
pub(crate) struct ReadPlan {
    plan: Plan,
    changed: Option<Edited>,
    /// Asserts of a text file that are not in the plan.
    skipped_asserts: usize,
}

/// Reads the plan for one use. A plan made from a text file counts as changed: agents cannot read
/// it as a plan.
fn read_plan_for(path: &Path, set: &SetArgs, purpose: Use<'_>) -> Result<ReadPlan, Failure> {
    let (before, skipped) = match text_plan::read(path, &set.text, purpose)? {
        Some(text) => (text.bytes, Some(text.skipped)),
        None => (plan_text::bytes(path)?, None),
    };
    let changed = set.apply(path, &before)?;
    let plan = plan_text::plan(path, changed.as_ref().map_or(&before, |changed| &changed.bytes))?;
    let made = skipped.map(|_| Edited { bytes: before, changes: Vec::new() });
    Ok(ReadPlan { plan, changed: changed.or(made), skipped_asserts: skipped.unwrap_or(0) })
}

/// `-l`, as JMeter has it: a listener at the root whose columns the properties decide
/// (`JMeter.runNonGui`).
pub(crate) fn add_results_file(plan: &mut Plan, path: &Path) {
    let collector = Element::new("ResultCollector", "SimpleDataWriter", "-l")
        .with_text("filename", &path.to_string_lossy());
    plan.root.children.push(Node::new(collector));
}

fn log_level(args: &RunArgs) -> Result<Level, Failure> {
    let mut level = Level::Info;
    for text in &args.log_levels {
        let (category, name) = text.rsplit_once('=').unwrap_or(("", text));
        let named = match name.to_ascii_uppercase().as_str() {
            "TRACE" => Level::Trace,
            "DEBUG" => Level::Debug,
            "INFO" => Level::Info,
            "WARN" => Level::Warn,
            "ERROR" | "FATAL" => Level::Error,
            _ => {
                return Err(Failure::settings(format!("unknown log level `{name}`"))
                    .hint("levels are TRACE, DEBUG, INFO, WARN, ERROR"));
            }
        };
        // Categories are Java's packages; Swell has one log, so the most detailed level applies to
        // all of it.
        level = if category.is_empty() { named } else { level.min(named) };
    }
    Ok(level)
}

/// The plan of a run.
pub(crate) struct PlanOfRun {
    pub(crate) plan: Plan,
    /// Its file as it runs, if options have changed it.
    pub(crate) changed_text: Option<Vec<u8>>,
    /// Asserts of a text file that are not in the plan.
    pub(crate) skipped_asserts: usize,
}

/// Reads settings and plan, opens nothing yet.
pub(crate) fn plan_and_settings(
    args: &RunArgs,
    target: Option<&TargetProcess>,
    messages: MessageSink,
) -> Result<(PlanOfRun, TrialSettings), Failure> {
    let props = settings::load(&args.settings).map_err(|error| Failure::settings(error.to_string()))?;
    args.jvm.set_properties(&props);
    CompatLevel::set(args.compat, &props);
    if let Some(target) = target {
        target.set_properties(&props);
    }
    args.one.version.apply(&props);
    let paths = args.paths();
    paths.check_overlaps()?;
    let ReadPlan { mut plan, changed, skipped_asserts } =
        read_plan_for(args.plan(), &args.set, Use::Run(&args.text_load))?;
    plan_text::say_changes(changed.as_ref().map_or(&[], |changed| &changed.changes));
    let changed_text = changed.map(|changed| changed.bytes);
    if let Some(path) = &args.logfile {
        add_results_file(&mut plan, path);
    }
    let monitor = args.one.observe.monitor.start(&messages)?;
    let shape = args.one.shape.read()?;
    let settings = TrialSettings::of_file(args.plan());
    args.check_long_over_agents()?;
    let rotation = args.one.rotation.rotation();
    let files = FileOptions { replace: args.force, protected: paths.protected(), rotation, ..settings.files };
    let settings = TrialSettings {
        props,
        files,
        log: Some(args.jmeterlogfile.clone()),
        log_level: log_level(args)?,
        scripts: args.jvm.mode(),
        jvm: args.jvm.settings(&args.settings, &args.log_levels),
        workers: args.one.workers.map(usize::from),
        files_are_elsewhere: args.fleet.local_files,
        compat: args.compat == Some(CompatLevel::Rounding),
        timestamps: args.one.clock.source(),
        io: IoArg::of(args.one.io),
        slack: args.one.slack,
        source: args.one.source.clone(),
        ends_process: true,
        lasts: args.lasts,
        seed: args.one.shape.seed,
        failures: args.failures(),
        shape,
        monitor,
        messages,
        ..settings
    };
    Ok((PlanOfRun { plan, changed_text, skipped_asserts }, settings))
}

/// Makes a plan ready, opens its results files, and says what is wrong. From here on the process
/// runs tests, and has huge pages only for those with many users. (Its own target was started
/// before, and has them.)
pub(crate) fn prepare(plan: &Plan, settings: TrialSettings) -> Result<Trial, Failure> {
    swell_net::avoid_huge_pages();
    let trial = Trial::prepare(plan, settings).map_err(|error| {
        plan_text::say(error.diagnostics());
        match error {
            PrepareError::Setting(why) => Failure::settings(why),
            PrepareError::Plan(_) => Failure::settings("this plan cannot run as it is")
                .hint("`swell check` lists its elements and shows which are supported"),
            PrepareError::Results(_) => Failure::settings("not all results files can be written"),
        }
    })?;
    plan_text::say(trial.diagnostics());
    Ok(trial)
}

/// Says what of plan and properties has no effect, or another than in JMeter.
pub(crate) fn say_what_is_ignored(trial: &Trial) {
    let without_file = trial.listeners_without_file();
    if without_file > 0 {
        print_stderr(&format!(
            "{without_file} listeners without a file are ignored: without a window they have nothing to show"
        ));
    }
    say_ignored(trial);
    say_what_differs(trial);
    let ignored = settings::ignored_properties(trial.props());
    if !ignored.is_empty() {
        print_stderr(&format!("these properties have no effect in Swell: {}", ignored.join(", ")));
    }
}

/// One line for all listeners that have an effect in JMeter and none in Swell.
fn say_ignored(trial: &Trial) {
    let mut ignored = std::collections::BTreeMap::new();
    for found in trial.survey() {
        let is_listener = found.role == Some(Role::Listener);
        if let (Support::Ignored(why), true) = (found.support, is_listener) {
            ignored.insert(found.class, why);
        }
    }
    if !ignored.is_empty() {
        let all: Vec<_> = ignored.iter().map(|(class, why)| format!("`{class}` ({why})")).collect();
        print_stderr(&format!("ignored: {}", all.join(", ")));
    }
}

/// One line for all elements that do not run as one of their settings says.
fn say_what_differs(trial: &Trial) {
    let mut counts = std::collections::BTreeMap::new();
    for found in trial.survey() {
        if let Support::Differs(what) = found.support {
            let (count, _) = counts.entry(found.class).or_insert((0, what));
            *count += 1;
        }
    }
    if !counts.is_empty() {
        let all: Vec<_> =
            counts.iter().map(|(class, (count, what))| format!("{count} `{class}` ({what})")).collect();
        print_stderr(&format!("warning: not as the plan says: {}", all.join(", ")));
    }
}

/// Property: how long running samples may continue after a signal.
const GRACE: &str = "swell.grace";

/// How long running samples may continue after a signal: as the option says, or the property, or by
/// default.
///
/// # Errors
/// The property is not a time.
pub(crate) fn graces(option: Option<Grace>, props: &Properties) -> Result<Graces, Failure> {
    let property = props.get(GRACE).filter(|text| option.is_none() && !text.is_empty());
    let property = property.map(|text| grace(&text)).transpose();
    let property = property.map_err(|why| Failure::settings(format!("{GRACE}: {why}")))?;
    Ok(option.or(property).map_or_else(Graces::default, Graces::all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn option_and_property_say_how_long_running_samples_may_continue() {
        let props = Properties::default();
        let read = |option: Option<Grace>| graces(option, &props).map_err(|failure| failure.message);
        let time = Grace::of(Duration::from_secs(3));
        assert_eq!(read(None), Ok(Graces::default()));
        props.set(GRACE, "3s");
        assert_eq!(read(None), Ok(Graces::all(time)));
        assert_eq!(read(Some(Grace::UNLIMITED)), Ok(Graces::all(Grace::UNLIMITED)));
        props.set(GRACE, "soon");
        assert!(read(None).is_err_and(|why| why.starts_with("swell.grace: invalid time `soon`")));
    }
}
