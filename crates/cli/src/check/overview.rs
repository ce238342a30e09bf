//! Many plans: a line each, then how many run, and the reasons of those that do not, grouped.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::path::Path;

use serde::Serialize;
use swell_report::plain;

use super::{Checked, Standing};

/// A line that cannot fail: the target is in memory.
macro_rules! line {
    ($out:expr, $($arguments:tt)*) => { writeln!($out, $($arguments)*).expect("a String takes it") };
}

/// Reasons of a kind that are listed one by one without `-v`.
const MOST_REASONS: usize = 10;
/// Classes that are named with a reason.
const MOST_CLASSES: usize = 3;
/// Columns of a line in a file or a pipe.
const FILE_COLUMNS: usize = 160;

/// One line a plan: how it would run, its file below `folder`, and why.
pub(super) fn lines(all: &[Checked], folder: Option<&Path>) -> String {
    let is_terminal = io::stdout().is_terminal();
    let columns = if is_terminal { crate::output::columns() } else { FILE_COLUMNS };
    let mut out = String::new();
    for checked in all {
        let file = folder.and_then(|folder| checked.plan.strip_prefix(folder).ok());
        let file = file.unwrap_or(&checked.plan).display().to_string();
        let detail = detail(checked);
        let line = match detail.as_str() {
            "" => file,
            detail if is_terminal => format!("{}: {detail}", cut_inside(&file, columns / 2)),
            detail => format!("{file}: {detail}"),
        };
        line!(out, "{}", cut(&plain(&format!("{:<13} {line}", word(checked))), columns));
    }
    out.push('\n');
    out
}

/// How a plan would run.
fn word(checked: &Checked) -> &'static str {
    match checked.standing {
        Standing::Native => "native",
        Standing::Jvm if checked.runs => "on the JVM",
        Standing::Jvm => "needs a JVM",
        Standing::Partly | Standing::Broken => "does not run",
    }
}

/// What needs the JVM, or why the plan does not run.
fn detail(checked: &Checked) -> String {
    if checked.standing != Standing::Jvm {
        return checked.why.lines().next().unwrap_or_default().to_owned();
    }
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for line in checked.elements.iter().filter(|line| line.support == "jvm") {
        *classes.entry(&line.class).or_default() += 1;
    }
    if classes.is_empty() { checked.why.clone() } else { named(&classes) }
}

/// `JSR223Sampler ×2, BeanShellSampler`, the most frequent first.
fn named(classes: &BTreeMap<&str, usize>) -> String {
    let mut all: Vec<_> = classes.iter().collect();
    all.sort_by_key(|(_, times)| std::cmp::Reverse(**times));
    let name = |(class, times): &(&&str, &usize)| {
        let class = class.rsplit('.').next().unwrap_or(class);
        if **times == 1 { class.to_owned() } else { format!("{class} ×{times}") }
    };
    let shown: Vec<_> = all.iter().take(MOST_CLASSES).map(name).collect();
    match all.len().saturating_sub(MOST_CLASSES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A text of at most that many characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// The same without its middle: the start and the end of a path tell more.
fn cut_inside(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let start = most / 3;
    let end = most - start - 1;
    text.chars().take(start).chain(['…']).chain(text.chars().skip(length - end)).collect()
}

/// A reason with all that it holds for.
#[derive(Default, Serialize)]
struct Reason {
    /// `error`, `unsupported`, `jvm`, `ignored` or `differs`.
    kind: &'static str,
    #[serde(rename = "reason")]
    text: String,
    /// How often it was found.
    times: usize,
    /// In how many plans.
    plans: usize,
    /// Classes of elements with their numbers; empty for errors.
    classes: BTreeMap<String, usize>,
}

/// In the order in which they matter.
const KINDS: [&str; 5] = ["error", "unsupported", "jvm", "ignored", "differs"];

/// Reasons by kind, the most frequent first. Names in them do not make two reasons of one.
fn reasons(all: &[Checked]) -> Vec<Reason> {
    let mut found: BTreeMap<(&'static str, String), (Reason, Option<usize>)> = BTreeMap::new();
    let mut add = |kind: &'static str, text: &str, class: Option<&str>, plan: usize| {
        let text = text.lines().next().unwrap_or_default();
        let (reason, last) = found.entry((kind, without_names(text))).or_default();
        if reason.times == 0 {
            text.clone_into(&mut reason.text);
        }
        reason.kind = kind;
        reason.times += 1;
        reason.plans += usize::from(*last != Some(plan));
        *last = Some(plan);
        if let Some(class) = class {
            *reason.classes.entry(class.to_owned()).or_default() += 1;
        }
    };
    for (plan, checked) in all.iter().enumerate() {
        for line in checked.elements.iter().filter(|line| line.support != "native") {
            add(line.support, line.why.as_deref().unwrap_or("no reason is known"), Some(&line.class), plan);
        }
        // An element that needs a JVM is in the list of elements already.
        let of_elements = |message: &str| {
            checked.elements.iter().any(|line| line.why.as_deref().is_some_and(|why| message.contains(why)))
        };
        let errors = checked.findings.iter().filter(|finding| finding.severity == "error");
        for finding in errors.filter(|finding| !of_elements(&finding.message)) {
            add("error", &finding.message, None, plan);
        }
    }
    let mut all: Vec<_> = found.into_values().map(|(reason, _)| reason).collect();
    let place = |kind: &str| KINDS.iter().position(|known| *known == kind);
    all.sort_by_key(|reason| {
        (place(reason.kind), std::cmp::Reverse(reason.plans), std::cmp::Reverse(reason.times))
    });
    all
}

/// The text with what is between back-quotes, and numbers, left out.
fn without_names(text: &str) -> String {
    let outside = text.split('`').step_by(2).collect::<Vec<_>>().join("`…`");
    outside.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// How many plans run, and reasons of those that do not.
pub(super) fn totals(all: &[Checked], verbose: bool) -> String {
    let mut out = counts(all);
    let most = if verbose { usize::MAX } else { MOST_REASONS };
    let reasons = reasons(all);
    for kind in KINDS {
        let of_kind: Vec<_> = reasons.iter().filter(|reason| reason.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        line!(out, "\n{}", heading(kind));
        for reason in of_kind.iter().take(most) {
            add_reason(reason, verbose, &mut out);
        }
        if let more @ 1.. = of_kind.len().saturating_sub(most) {
            line!(out, "  and {more} more reasons; -v lists all");
        }
    }
    out
}

fn heading(kind: &str) -> &'static str {
    match kind {
        "error" => "errors: such a plan does not run",
        "unsupported" => "unsupported elements: such a plan does not run",
        "jvm" => "elements that run on a JVM",
        "ignored" => "ignored elements: they have no effect on a run",
        _ => "elements that differ from JMeter",
    }
}

/// `  12 plans, 40 elements: why (JSR223Sampler ×30, BeanShellSampler ×10)`.
fn add_reason(reason: &Reason, verbose: bool, out: &mut String) {
    const MOST: usize = 200;
    let plural = |number: usize, noun: &str| {
        if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
    };
    let what = if reason.classes.is_empty() { "time" } else { "element" };
    let classes: BTreeMap<&str, usize> =
        reason.classes.iter().map(|(class, times)| (class.as_str(), *times)).collect();
    let of = if classes.is_empty() { String::new() } else { format!(" ({})", named(&classes)) };
    let why = if verbose { reason.text.clone() } else { cut(&reason.text, MOST) };
    let plans = plural(reason.plans, "plan");
    let times = plural(reason.times, what);
    line!(out, "  {plans}, {times}: {}{}", plain(&why), plain(&of));
}

fn counts(all: &[Checked]) -> String {
    let Totals { plans, well_formed, native, jvm, other } = Totals::of(all);
    let percent = native * 100 / well_formed.max(1);
    format!(
        "{plans} plans, {well_formed} well-formed: {native} ({percent}%) run natively, {jvm} need the JVM, {other} cannot run for another reason\n"
    )
}

#[derive(Serialize)]
struct Totals {
    plans: usize,
    well_formed: usize,
    native: usize,
    jvm: usize,
    other: usize,
}

impl Totals {
    fn of(all: &[Checked]) -> Self {
        let count = |standing| all.iter().filter(|checked| checked.standing == standing).count();
        let plans = all.len();
        let well_formed = plans - count(Standing::Broken);
        let native = count(Standing::Native);
        Self { plans, well_formed, native, jvm: count(Standing::Jvm), other: count(Standing::Partly) }
    }
}

/// A plan in the summary.
#[derive(Serialize)]
struct PlanLine<'a> {
    plan: &'a Path,
    runs: bool,
    standing: Standing,
    /// What needs the JVM, or why it does not run.
    why: Option<String>,
}

/// All of it as one JSON object.
pub(super) fn json(all: &[Checked]) -> String {
    #[derive(Serialize)]
    struct Overview<'a> {
        schema: &'static str,
        totals: Totals,
        plans: Vec<PlanLine<'a>>,
        reasons: Vec<Reason>,
    }
    let plans = all.iter().map(|checked| PlanLine {
        plan: &checked.plan,
        runs: checked.runs,
        standing: checked.standing,
        why: Some(detail(checked)).filter(|why| !why.is_empty()),
    });
    swell_report::json::line(&Overview {
        schema: "swell.check-summary/1",
        totals: Totals::of(all),
        plans: plans.collect(),
        reasons: reasons(all),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_by_names_and_numbers_are_one() {
        assert_eq!(
            without_names("cannot read `a.csv` in line 12"),
            without_names("cannot read `b` in line 3")
        );
        assert_ne!(without_names("cannot read `a`"), without_names("cannot write `a`"));
    }

    #[test]
    fn long_lines_are_cut() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut_inside("folder/another/plan.jmx", 12), "fold…lan.jmx");
        assert_eq!(cut_inside("plan.jmx", 12), "plan.jmx");
    }
}
