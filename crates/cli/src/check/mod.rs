//! `swell check`: what of a plan runs, and what does not.

mod details;
mod overview;
mod properties;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use swell_engine::{ElementSupport, Settings, Support};
use swell_expr::{ForeignFunctions, Host as _, Properties, RunInfo};
use swell_plan::{Diagnostic, Plan, Severity};
use swell_results::FileOptions;

use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::messages;
use crate::plan_text;
use crate::print::print_stdout;
use crate::settings;
use swell_run::host::Machine;
use swell_run::{JvmSettings, PossibleBug, PropertiesRead, Sinks, TrialSettings};

/// An element and its support status.
#[derive(Serialize)]
struct Line {
    /// `native`, `differs`, `ignored`, `jvm` or `unsupported`.
    support: &'static str,
    class: String,
    element: String,
    #[serde(rename = "line")]
    at: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Cow<'static, str>>,
}

/// What is wrong with a plan.
#[derive(Serialize)]
struct Finding {
    severity: &'static str,
    text: String,
    /// The message without its place.
    #[serde(skip)]
    message: String,
}

/// All about one plan.
#[derive(Serialize)]
struct Checked {
    schema: &'static str,
    plan: PathBuf,
    /// It would run.
    runs: bool,
    /// How far it is native: `native`, `jvm` (but for what needs the JVM), `partly`, or `broken`
    /// (no plan at all).
    standing: Standing,
    elements: Vec<Line>,
    findings: Vec<Finding>,
    /// Why it does not run, in a line; empty if it does.
    #[serde(skip)]
    why: String,
    /// The properties that it reads.
    #[serde(skip)]
    properties: PropertiesRead,
    /// Bugs of JMeter 5.6.3 that the plan may meet.
    bugs: Vec<Bug>,
}

/// A bug of JMeter 5.6.3, which Swell follows, that a plan may meet.
#[derive(Serialize)]
struct Bug {
    issue: &'static str,
    what: &'static str,
    elements: Vec<String>,
}

impl From<PossibleBug> for Bug {
    fn from(met: PossibleBug) -> Self {
        Self { issue: met.issue, what: met.what, elements: met.elements }
    }
}

/// How far a plan is native.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Standing {
    /// Every element runs or may be left out, and nothing else is wrong.
    Native,
    /// So but for scripts and other code that only a Java machine can run.
    Jvm,
    /// Something is unsupported or wrong.
    Partly,
    /// It is not a well-formed plan.
    Broken,
}

/// Runs the command.
pub(crate) fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let mut all = Vec::new();
    for path in plan_text::plans(&args.plans)? {
        if let Some(exit) = args.set.list(&path)? {
            return Ok(exit);
        }
        all.push(check_one(args, &path)?);
    }
    print_stdout(&text(args, &all))?;
    Ok(if all.iter().all(|checked| checked.runs) { Exit::Fine } else { Exit::Settings })
}

/// One plan in full, several in a line each; `-v` shows all in full.
fn text(args: &CheckArgs, all: &[Checked]) -> String {
    if args.properties {
        return if args.json { properties::json(all) } else { properties::text(all) };
    }
    match (args.json, args.summary) {
        (true, true) => overview::json(all),
        (true, false) => all.iter().map(swell_report::json::line).collect(),
        (false, true) => overview::totals(all, args.verbose),
        (false, false) => {
            let is_one = all.len() == 1 && args.plans.iter().all(|path| !path.is_dir());
            let in_full = all.iter().filter(|_| is_one || args.verbose);
            let mut out: String = in_full.map(|checked| details::text(checked, args.verbose)).collect();
            if !is_one {
                let folder =
                    Some(&args.plans).filter(|plans| plans.len() == 1).and_then(|plans| plans.first());
                out += &overview::lines(all, folder.map(PathBuf::as_path));
                out += &overview::totals(all, args.verbose);
            }
            out
        }
    }
}

fn check_one(args: &CheckArgs, path: &Path) -> Result<Checked, Failure> {
    let props = settings::load(&args.settings).map_err(|error| Failure::settings(error.to_string()))?;
    let before = args.set.bytes(path)?;
    let changed = args.set.apply(path, &before)?;
    let bytes = changed.as_ref().map_or(&before, |changed| &changed.bytes);
    let reading = swell_plan::read(bytes, Some(path));
    let mut found = Found { diagnostics: reading.diagnostics, ..Found::default() };
    let is_plan = reading.plan.is_some();
    if let Some(plan) = reading.plan {
        found.look_into(args, path, &plan, props);
    }
    let Found { diagnostics, elements, refused, bugs, properties } = found;
    let errors = || diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let needs_script = |d: &&Diagnostic| d.message.contains(swell_expr::NEEDS_SCRIPT);
    let scripts = errors().filter(needs_script).count();
    // What is wrong besides a JVM that is not there comes first.
    let of_jvm = |d: &&Diagnostic| elements.iter().any(|line| line.is_of(d)) || needs_script(d);
    let first = errors().find(|d| !of_jvm(d)).or_else(|| errors().next());
    let why = first.map(in_a_line).unwrap_or_default();
    let errors = errors().count();
    let standing = if is_plan { standing(&elements, errors, refused, scripts) } else { Standing::Broken };
    let findings = diagnostics.iter().map(finding).collect();
    let schema = "swell.check/1";
    let plan = path.to_owned();
    let runs = errors == 0;
    Ok(Checked { schema, plan, runs, standing, elements, findings, why, properties, bugs })
}

/// What is found in a plan.
#[derive(Default)]
struct Found {
    diagnostics: Vec<Diagnostic>,
    elements: Vec<Line>,
    /// Elements that need a JVM where there is none.
    refused: usize,
    bugs: Vec<Bug>,
    properties: PropertiesRead,
}

impl Found {
    /// Prepares the plan as a run would, and asks what its elements need.
    fn look_into(&mut self, args: &CheckArgs, path: &Path, plan: &Plan, props: Properties) {
        let TrialSettings { plan_name, files, .. } = TrialSettings::of_file(path);
        let info = RunInfo { plan_name, plan_dir: files.plan_dir.clone(), ..RunInfo::default() };
        let sinks = Sinks::new(FileOptions { dry_run: true, ..files });
        let props = Arc::new(props);
        self.properties = PropertiesRead::of(&plan.root, &info.plan_dir);
        let jvm = args.jvm.settings(&args.settings, &[]);
        let host = Machine::new(info.plan_dir.clone(), messages::plain_sink());
        let class_path = swell_run::class_path_of_plan(plan, |name| host.find(name));
        let jvm = JvmSettings { only_looks: true, class_path, ..jvm };
        let registry = swell_run::registry_beside_jvm(&sinks, &[], args.jvm.mode(), &jvm, &props);
        let settings = Settings {
            props,
            host: Arc::new(host),
            run: Arc::new(info),
            functions: ForeignFunctions::default(),
            edit: None,
            trace: None,
        };
        if !swell_api::Compat::is_6(&settings.props) {
            self.bugs = swell_run::bugs_that_a_plan_may_meet(plan).into_iter().map(Bug::from).collect();
        }
        match swell_engine::prepare(plan, &registry, settings) {
            Ok(prepared) => {
                self.diagnostics.extend(prepared.diagnostics().iter().cloned());
                // The plan may be checked far from its data; a run would refuse.
                let missing = swell_engine::missing_files(&prepared, &registry).into_iter();
                self.diagnostics
                    .extend(missing.map(|file| Diagnostic { severity: Severity::Warning, ..file }));
                let survey = swell_engine::survey(&prepared, &registry);
                let is_refused = |found: &&ElementSupport| matches!(found.support, Support::NeedsJvm(_));
                self.refused = survey.iter().filter(is_refused).count();
                self.elements = survey.into_iter().map(line).collect();
            }
            Err(found) => self.diagnostics.extend(found),
        }
    }
}

/// The message of an error with its line.
fn in_a_line(error: &Diagnostic) -> String {
    let line = error.place.line;
    if line > 0 { format!("line {line}: {}", error.message) } else { error.message.clone() }
}

impl Line {
    /// Whether an error says that this element needs a JVM.
    fn is_of(&self, error: &Diagnostic) -> bool {
        self.support == "jvm" && self.at == error.place.line && self.element == error.place.element
    }
}

/// Each element that needs the JVM where there is none is an error, and so is each function that
/// runs a script; what is beyond these has other reasons.
fn standing(elements: &[Line], errors: usize, refused: usize, scripts: usize) -> Standing {
    match errors {
        0 if elements.iter().all(|line| line.support != "jvm") => Standing::Native,
        _ if errors == refused + scripts => Standing::Jvm,
        _ => Standing::Partly,
    }
}

fn line(found: ElementSupport) -> Line {
    let (support, why) = match found.support {
        Support::Native => ("native", None),
        Support::Differs(what) => ("differs", Some(what.into())),
        Support::Ignored(why) => ("ignored", Some(why)),
        Support::Jvm(why) | Support::NeedsJvm(why) => ("jvm", Some(why)),
        Support::Unsupported(why) => ("unsupported", Some(why)),
    };
    Line { support, class: found.class, element: found.place.element, at: found.place.line, why }
}

fn finding(diagnostic: &Diagnostic) -> Finding {
    let severity = match diagnostic.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    Finding { severity, text: diagnostic.to_string(), message: diagnostic.message.clone() }
}
