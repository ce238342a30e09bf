//! `swell check`: what of a plan runs, and what does not.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use swell_engine::{ElementSupport, Settings, Support};
use swell_expr::{FileLimits, ForeignFunctions, RunInfo};
use swell_plan::{Diagnostic, Severity};
use swell_report::{plain, plain_lines};
use swell_results::FileOptions;

use crate::args::CheckArgs;
use crate::exit::{Exit, Failure};
use crate::messages;
use crate::print::print_stdout;
use crate::settings;
use swell_run::host::{Machine, read_whole};
use swell_run::{JvmSettings, PossibleBug, Sinks, TrialSettings};

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
}

/// All about one plan.
#[derive(Serialize)]
struct Checked {
    schema: &'static str,
    plan: PathBuf,
    /// It would run.
    runs: bool,
    /// How far it is native: `native`, `jvm` (but for what needs the JVM), `partly`, or `broken` (no plan at all).
    standing: Standing,
    elements: Vec<Line>,
    findings: Vec<Finding>,
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
    /// It is no well-formed plan.
    Broken,
}

/// Runs the command.
pub(crate) fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let mut all = Vec::new();
    for path in plans(&args.plans)? {
        all.push(check_one(args, &path)?);
    }
    for checked in all.iter().filter(|_| !args.summary) {
        if args.json { print_stdout(&json(checked))? } else { print_stdout(&table(checked))? }
    }
    if args.summary || all.len() > 1 && !args.json {
        print_stdout(&counts(&all))?;
    }
    Ok(if all.iter().all(|checked| checked.runs) { Exit::Fine } else { Exit::Settings })
}

/// Plans among the arguments, folders searched through.
fn plans(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            search(path, &mut found).map_err(|error| {
                Failure::settings(format!("cannot read the folder `{}`: {error}", path.display()))
            })?;
        } else {
            found.push(path.clone());
        }
    }
    if found.is_empty() {
        return Err(Failure::settings("no .jmx file in these folders"));
    }
    Ok(found)
}

fn search(dir: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<_> =
        std::fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?.iter().map(std::fs::DirEntry::path).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            search(&path, found)?;
        } else if path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("jmx")) {
            found.push(path);
        }
    }
    Ok(())
}

fn check_one(args: &CheckArgs, path: &Path) -> Result<Checked, Failure> {
    let props = settings::load(&args.settings).map_err(|error| Failure::settings(error.to_string()))?;
    let bytes = read_whole(path, FileLimits::default())
        .map_err(|error| Failure::settings(format!("cannot read the plan `{}`: {error}", path.display())))?;
    let reading = swell_plan::read(&bytes, Some(path));
    let mut diagnostics = reading.diagnostics;
    let mut elements = Vec::new();
    let mut refused = 0;
    let mut bugs = Vec::new();
    let is_plan = reading.plan.is_some();
    if let Some(plan) = reading.plan {
        let TrialSettings { plan_name, files, .. } = TrialSettings::of_file(path);
        let info = RunInfo { plan_name, plan_dir: files.plan_dir.clone(), ..RunInfo::default() };
        let sinks = Sinks::new(FileOptions { dry_run: true, ..files });
        let props = Arc::new(props);
        let jvm = args.jvm.settings(&args.settings, &[]);
        let class_path = swell_run::class_path_of_plan(&plan, &info.plan_dir);
        let jvm = JvmSettings { only_looks: true, class_path, ..jvm };
        let registry = swell_run::registry_beside_jvm(&sinks, &[], args.jvm.mode(), &jvm, &props);
        let host = Machine::new(info.plan_dir.clone(), messages::plain_sink());
        let settings = Settings {
            props,
            host: Arc::new(host),
            run: Arc::new(info),
            functions: ForeignFunctions::default(),
            edit: None,
        };
        if !swell_api::Compat::is_6(&settings.props) {
            bugs = swell_run::bugs_that_a_plan_may_meet(&plan).into_iter().map(Bug::from).collect();
        }
        match swell_engine::prepare(&plan, &registry, settings) {
            Ok(prepared) => {
                diagnostics.extend(prepared.diagnostics().iter().cloned());
                // The plan may be checked far from its data; a run would refuse.
                let missing = swell_engine::missing_files(&prepared, &registry).into_iter();
                diagnostics.extend(missing.map(|file| Diagnostic { severity: Severity::Warning, ..file }));
                let survey = swell_engine::survey(&prepared, &registry);
                let is_refused = |found: &&ElementSupport| matches!(found.support, Support::NeedsJvm(_));
                refused = survey.iter().filter(is_refused).count();
                elements = survey.into_iter().map(line).collect();
            }
            Err(found) => diagnostics.extend(found),
        }
    }
    let errors = || diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let scripts = errors().filter(|d| d.message.contains(swell_expr::NEEDS_SCRIPT)).count();
    let errors = errors().count();
    let standing = if is_plan { standing(&elements, errors, refused, scripts) } else { Standing::Broken };
    let findings = diagnostics.iter().map(finding).collect();
    let schema = "swell.check/1";
    Ok(Checked { schema, plan: path.to_owned(), runs: errors == 0, standing, elements, findings, bugs })
}

/// Each element that needs the JVM where there is none is an error, and so is each function that runs a script; what is beyond these
/// has other reasons.
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
    Finding { severity, text: diagnostic.to_string() }
}

fn json(checked: &Checked) -> String {
    swell_report::json::harmless(&serde_json::to_string(checked).expect("plain data")) + "\n"
}

fn table(checked: &Checked) -> String {
    let mut out = format!("{}\n", plain(&checked.plan.display().to_string()));
    for line in &checked.elements {
        let name = plain(line.element.rsplit(" > ").next().unwrap_or_default());
        let class = plain(&line.class);
        let depth = line.element.matches(" > ").count() * 2;
        let why = line.why.as_ref().map(|why| format!("   ({})", plain(why))).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {:<11} {:>5}  {:depth$}{} `{name}`{why}", line.support, line.at, "", class);
    }
    for finding in &checked.findings {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {}", plain_lines(&finding.text));
    }
    for Bug { issue, what, elements } in &checked.bugs {
        let first = plain(elements.first().map_or("", String::as_str));
        let more =
            if elements.len() > 1 { format!(" and {} more", elements.len() - 1) } else { String::new() };
        // Writing to a String cannot fail.
        let _ =
            writeln!(out, "  as in JMeter 5.6.3 (its issue {issue}): {what}; may concern `{first}`{more}");
    }
    if !checked.bugs.is_empty() {
        out.push_str("  hint: `swell run --compat=6.0` follows JMeter 6.0 in these\n");
    }
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "  {}\n",
        if checked.runs { "This plan runs." } else { "This plan cannot run as it is." }
    );
    out
}

fn counts(all: &[Checked]) -> String {
    let count = |standing| all.iter().filter(|checked| checked.standing == standing).count();
    let native = count(Standing::Native);
    let well_formed = all.len() - count(Standing::Broken);
    let mut out = format!(
        "{} plans, {well_formed} well-formed: {native} ({}%) run natively, {} need the JVM, {} cannot run for another reason\n",
        all.len(),
        native * 100 / well_formed.max(1),
        count(Standing::Jvm),
        count(Standing::Partly),
    );
    let mut classes: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for checked in all {
        let mut seen = std::collections::BTreeSet::new();
        for line in checked.elements.iter().filter(|line| line.support != "native") {
            let key = (line.support, line.class.as_str());
            let count = classes.entry(key).or_default();
            count.0 += 1;
            count.1 += usize::from(seen.insert(key));
        }
    }
    let mut rows: Vec<_> = classes.into_iter().collect();
    rows.sort_by_key(|((support, _), (elements, plans))| {
        (std::cmp::Reverse(*support), std::cmp::Reverse((*plans, *elements)))
    });
    for ((support, class), (elements, plans)) in rows {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {support:<11} {:<60} {elements:>5} elements in {plans} plans", plain(class));
    }
    out
}
