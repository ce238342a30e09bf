//! `swell show`, `set`, `diff`, `lint` and `fmt`: plans as text, without a run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use swell_api::Registry;
use swell_author::{Addition, Finding, RULES, Rule, Severity, Surroundings, View};
use swell_elements::Question;
use swell_plan::Edit;
use swell_report::{json, plain, plain_lines};
use swell_run::table_of_elements;

use crate::args::{DiffArgs, FmtArgs, LintArgs, SetCommandArgs, ShowArgs};
use crate::exit::{Exit, Failure};
use crate::print::{print_stderr, print_stdout};
use crate::{plan_text, question_elements};

/// `swell show`.
pub(crate) fn show(args: &ShowArgs) -> Result<Exit, Failure> {
    if let Some(exit) = args.set.list(&args.plan)? {
        return Ok(exit);
    }
    let before = args.set.bytes(&args.plan)?;
    let bytes = args.set.apply(&args.plan, &before)?.map_or(before, |changed| changed.bytes);
    let plan = match plan_text::plan(&args.plan, &bytes) {
        // Git shows the difference of any two versions, also of broken ones.
        Err(failure) if args.stable => {
            print_stderr(&format!("{failure}\n  hint: it is shown as text"));
            print_stdout(&plain_lines(&String::from_utf8_lossy(&bytes)))?;
            return Ok(Exit::Fine);
        }
        plan => plan?,
    };
    let registry = table_of_elements();
    let file = |name: &str| plan_text::file_text(&args.plan, name);
    let view = View::of(&plan, &registry, &file);
    let text = if args.json {
        json::line(&view.shown())
    } else if args.stable {
        view.stable()
    } else if args.html {
        view.html(&args.plan.display().to_string())
    } else {
        view.to_string()
    };
    print_stdout(&text)?;
    Ok(Exit::Fine)
}

/// `swell set`.
pub(crate) fn set(args: &SetCommandArgs) -> Result<Exit, Failure> {
    if args.sets == ["list"] {
        return plan_text::print_list(&args.plan);
    }
    let before = plan_text::bytes(&args.plan)?;
    let edited = swell_author::set(&before, Some(&args.plan), &table_of_elements(), &args.sets);
    let edited = edited.map_err(plan_text::failed)?;
    plan_text::say_changes(&edited.changes);
    let additions = additions(args)?;
    let bytes = match &additions[..] {
        [] => edited.bytes,
        additions => plan_text::enlarge(&args.plan, &edited.bytes, additions)?.bytes,
    };
    match &args.output {
        Some(path) => plan_text::write(path, &bytes, args.force)?,
        None if args.in_place && bytes != before => plan_text::replace(&args.plan, &bytes)?,
        None if args.in_place => {}
        None => print_stderr("nothing is written: add -i to change the plan, or -o FILE"),
    }
    Ok(Exit::Fine)
}

/// Elements that `swell set` adds.
fn additions(args: &SetCommandArgs) -> Result<Vec<Addition>, Failure> {
    let Some(below) = &args.below else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for text in &args.extracts {
        let (name, expression) = text.split_once('=').ok_or_else(|| {
            Failure::settings(format!("invalid extractor `{text}`: expected NAME=EXPR"))
                .hint("such as --extract 'order_id=$.order.id'")
        })?;
        let question = Question::parse(expression).map_err(|error| Failure::settings(error.to_string()))?;
        all.push(question_elements::addition(
            below,
            question_elements::extractor(&question, name),
            Some(name),
        ));
    }
    if args.equals.is_some() && args.asserts.len() > 1 {
        return Err(Failure::settings("--equals belongs to one --assert, and there are more")
            .hint("add the assertions one by one"));
    }
    for question in &args.asserts {
        let element = question_elements::assertion(question, args.equals.as_deref())?;
        all.push(question_elements::addition(below, element, None));
    }
    if all.is_empty() {
        let what = format!("nothing is to be added below `{below}`");
        return Err(Failure::settings(what).hint("name it with --extract NAME=EXPR or --assert EXPR"));
    }
    Ok(all)
}

/// `swell diff`.
pub(crate) fn diff(args: &DiffArgs) -> Result<Exit, Failure> {
    let before = plan_text::plan(&args.before, &plan_text::shown_bytes(&args.before)?)?;
    let after = plan_text::plan(&args.after, &plan_text::shown_bytes(&args.after)?)?;
    let diff = swell_author::diff(&before, &after);
    if args.json {
        print_stdout(&json::line(&diff))?;
    } else {
        print_stdout(&diff.to_string())?;
    }
    Ok(if diff.differences.is_empty() { Exit::Fine } else { Exit::Found })
}

/// What lint found in one plan.
#[derive(Serialize)]
struct Linted {
    schema: &'static str,
    plan: PathBuf,
    /// Changes that were made.
    fixed: usize,
    findings: Vec<Finding>,
}

/// `swell lint`.
pub(crate) fn lint(args: &LintArgs) -> Result<Exit, Failure> {
    if args.rules {
        print_stdout(&rules())?;
        return Ok(Exit::Fine);
    }
    let registry = table_of_elements();
    let mut all = Vec::new();
    let mut failed = 0;
    for path in plan_text::plans(&args.plans)? {
        match lint_one(args, &registry, path) {
            Ok(linted) => all.push(linted),
            Err(failure) => {
                failed += 1;
                print_stderr(&failure.to_string());
            }
        }
    }
    if args.sarif {
        let files = all.iter().map(|linted| (linted.plan.display().to_string(), &linted.findings[..]));
        print_stdout(&json::line(&swell_author::sarif(files, env!("CARGO_PKG_VERSION"))))?;
    } else if args.json {
        print_stdout(&all.iter().map(json::line).collect::<String>())?;
    } else {
        print_stdout(&all.iter().map(table).collect::<String>())?;
        print_stdout(&summary(&all))?;
    }
    if failed > 0 {
        return Ok(Exit::Settings);
    }
    let worst = all.iter().flat_map(|linted| &linted.findings).map(|found| found.level).max();
    let fails = worst == Some(Severity::Warning) || args.strict && worst.is_some();
    Ok(if fails { Exit::Found } else { Exit::Fine })
}

fn rules() -> String {
    let mut out = String::new();
    for rule in RULES {
        let Rule { name, level, finds, why } = rule;
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{name:<24} {:<8} {finds}\n{:34}{why}", level.name(), "");
    }
    out
}

/// One change may bring another finding to light; a plan that needs more rounds has a cycle.
const MOST_ROUNDS: usize = 20;

/// What is found in a plan, after the fixes.
fn lint_one(args: &LintArgs, registry: &Registry, plan: PathBuf) -> Result<Linted, Failure> {
    let path = plan.as_path();
    let mut bytes = plan_text::shown_bytes(path)?;
    let mut findings = findings(args, registry, path, &bytes)?;
    let mut fixed = 0;
    for _ in 0..MOST_ROUNDS {
        // One fix an element and round: two may change the same text.
        let mut changed = std::collections::BTreeSet::new();
        let fixes = findings.iter().filter_map(|found| Some((found.line, found.fix.as_ref()?)));
        let fixes: Vec<_> = fixes.filter(|(line, _)| args.fix && changed.insert(*line)).collect();
        if fixes.is_empty() {
            break;
        }
        let edits: Vec<Edit> = fixes.iter().flat_map(|(_, fix)| fix.edits.clone()).collect();
        for (line, fix) in &fixes {
            print_stderr(&format!("{}:{line}: fixed: {}", path.display(), fix.does));
        }
        fixed += fixes.len();
        bytes = swell_plan::edit(&bytes, &edits)
            .map_err(|error| Failure::settings(format!("cannot fix `{}`: {error}", path.display())))?;
        findings = self::findings(args, registry, path, &bytes)?;
    }
    if fixed > 0 {
        plan_text::replace(path, &bytes)?;
    }
    Ok(Linted { schema: "swell.lint/1", plan, fixed, findings })
}

fn findings(
    args: &LintArgs,
    registry: &Registry,
    path: &Path,
    bytes: &[u8],
) -> Result<Vec<Finding>, Failure> {
    let plan = plan_text::plan(path, bytes)?;
    let around = Surroundings {
        file: &|name| plan_text::file_text(path, name),
        relative: &|name| plan_text::relative(path, name),
    };
    let mut found = swell_author::lint(&plan, registry, &around);
    found.retain(|found| !args.skip.iter().any(|rule| rule == found.rule));
    Ok(found)
}

fn table(linted: &Linted) -> String {
    let mut out = String::new();
    for found in &linted.findings {
        let level = found.level.name();
        let plan = linted.plan.display().to_string();
        let property = found.property.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
        let Finding { line, element, message, why, remedy, rule, .. } = found;
        let text = format!("{plan}:{line}: {level}: [{element}] {property}{message}");
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{} ({rule})\n  why: {why}\n  hint: {}", plain(&text), plain(remedy));
    }
    out
}

fn summary(all: &[Linted]) -> String {
    let findings = || all.iter().flat_map(|linted| &linted.findings);
    let count = |level| findings().filter(|found| found.level == level).count();
    let fixable = findings().filter(|found| found.fix.is_some()).count();
    let plans = if all.len() == 1 { "1 plan".to_owned() } else { format!("{} plans", all.len()) };
    let fix = if fixable > 0 { format!("; --fix can fix {fixable}") } else { String::new() };
    format!("{plans}: {} warnings, {} notes{fix}\n", count(Severity::Warning), count(Severity::Note))
}

/// `swell fmt`.
pub(crate) fn fmt(args: &FmtArgs) -> Result<Exit, Failure> {
    let mut differ = 0;
    let mut failed = 0;
    for path in plan_text::plans(&args.plans)? {
        match format_one(args, &path) {
            Ok(is_same) => differ += usize::from(!is_same),
            Err(failure) => {
                failed += 1;
                print_stderr(&failure.to_string());
            }
        }
    }
    Ok(match (failed, args.check && differ > 0) {
        (0, false) => Exit::Fine,
        (0, true) => Exit::Found,
        _ => Exit::Settings,
    })
}

/// Whether a plan has JMeter's layout; unless it is only checked, it gets it.
fn format_one(args: &FmtArgs, path: &Path) -> Result<bool, Failure> {
    let layout = swell_plan::layout(&plan_text::bytes(path)?).map_err(|mut wrong| {
        let file = std::sync::Arc::new(path.to_owned());
        for found in &mut wrong {
            found.place.file = Some(file.clone());
        }
        plan_text::say(&wrong);
        Failure::settings(format!("the layout of `{}` cannot be changed", path.display()))
    })?;
    if layout.is_same {
        return Ok(true);
    }
    if args.check {
        print_stdout(&format!("{}\n", plain(&path.display().to_string())))?;
    } else {
        plan_text::replace(path, layout.text.as_bytes())?;
        print_stderr(&format!("formatted {}", path.display()));
    }
    Ok(false)
}
