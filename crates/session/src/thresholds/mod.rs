//! Thresholds of a run: where the rules come from, the observer that judges them, and files with
//! their results.

mod judging;
mod outputs;

use std::io;
use std::path::{Path, PathBuf};

use swell_budget::input::{MOST_RULES, RULES};
use swell_expr::{FileLimits, Properties};
use swell_results::run_folder::RunFolder;
use swell_stats::Snapshot;
use swell_stats::threshold::{Group, Judge, Judgement, Threshold};

use crate::observer::Say;
use crate::{Problem, runs};

pub(crate) use judging::Thresholds;
pub use outputs::{Github, write_gitlab, write_junit};
pub(crate) use outputs::{Gitlab, Junit};

/// The rules that a run must meet.
#[derive(Clone, Debug, Default)]
pub struct ThresholdOptions {
    /// Rules, such as `p(95)<500ms`.
    pub rules: Vec<String>,
    /// A file of rules, one a line.
    pub rules_file: Option<PathBuf>,
    /// The run that rules with `baseline` compare to: a name in the history, or a folder.
    pub baseline: Option<String>,
    /// Rules that end the run when they are broken do not end it.
    pub never_stops: bool,
    /// Labels that are judged and shown together.
    pub groups: Vec<Group>,
}

/// Properties of rules: `swell.threshold.1`, `swell.threshold.login`.
const PREFIX: &str = "swell.threshold.";

/// Reads all rules, and the run that they compare to: the one that is named, else the baseline of
/// the subject. Nothing of the run that is to come has begun.
///
/// # Errors
/// A rule that cannot be understood, with its place; a file that cannot be read; a baseline that is
/// asked for and not there.
pub(crate) fn judge(
    args: &ThresholdOptions,
    props: &Properties,
    subject: Option<&str>,
    say: &Say,
) -> Result<Judge, Problem> {
    let mut rules = Vec::new();
    for text in &args.rules {
        rules.push(parse(text, "--threshold")?);
    }
    if let Some(path) = &args.rules_file {
        rules.extend(of_file(path)?);
    }
    for (name, text) in of_properties(props) {
        rules.push(parse(&text, &format!("the property {name}"))?);
    }
    for rule in &mut rules {
        let text = rule.text.clone();
        rule.find_group(&args.groups).map_err(|why| Problem::settings(format!("`{text}`: {why}")))?;
    }
    if rules.len() > MOST_RULES {
        return Err(Problem::settings(format!(
            "{} threshold rules are more than {MOST_RULES}, the limit",
            rules.len()
        ))
        .hint("a rule without a label judges all labels together"));
    }
    let baseline = baseline(args, &rules, subject, say)?;
    Ok(Judge::new(rules, baseline))
}

impl ThresholdOptions {
    /// Reads all rules but those of a plan's properties.
    ///
    /// # Errors
    /// As for a run that is about to begin.
    pub fn check(&self, say: &Say) -> Result<(), Problem> {
        judge(self, &Properties::default(), None, say).map(drop)
    }

    /// Whether there is a rule, here or in a property.
    pub fn has_rules(&self, props: &Properties) -> bool {
        !self.rules.is_empty() || self.rules_file.is_some() || !of_properties(props).is_empty()
    }
}

/// Judges a finished run by its folder, as it would have been judged while it ran.
///
/// # Errors
/// A rule that cannot be understood, or a file that cannot be read.
pub fn judge_kept(options: &ThresholdOptions, run: &RunFolder, say: &Say) -> Result<Vec<Judgement>, Problem> {
    let mut judge = judge(options, &Properties::default(), None, say)?;
    for interval in run.intervals()? {
        judge.take(&interval);
    }
    if let Some(fine) = run.fine()? {
        judge.refine(&fine);
    }
    Ok(judge.finish())
}

fn parse(text: &str, place: &str) -> Result<Threshold, Problem> {
    Threshold::parse(text).map_err(|error| Problem::settings(format!("{place}: {error}")))
}

fn of_file(path: &Path) -> Result<Vec<Threshold>, Problem> {
    let failed =
        |why: String| Problem::settings(format!("cannot read the thresholds `{}`: {why}", path.display()));
    let limits = FileLimits { whole_bytes: RULES.bytes, ..FileLimits::default() };
    let bytes = swell_run::host::read_whole(path, limits).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => failed(RULES.exceeded().to_string()),
        _ => failed(error.to_string()),
    })?;
    let text = String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8".to_owned()))?;
    let lines = (1..).zip(text.lines().map(str::trim));
    let rules = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    rules.map(|(number, line)| parse(line, &format!("{}, line {number}", path.display()))).collect()
}

/// In the order of their numbers, then of their names.
fn of_properties(props: &Properties) -> Vec<(String, String)> {
    let mut rules: Vec<_> =
        props.entries().into_iter().filter(|(name, _)| name.starts_with(PREFIX)).collect();
    let number = |name: &str| name[PREFIX.len()..].parse::<u64>().unwrap_or(u64::MAX);
    rules.sort_by(|(a, _), (b, _)| (number(a), a).cmp(&(number(b), b)));
    rules
}

fn baseline(
    args: &ThresholdOptions,
    rules: &[Threshold],
    subject: Option<&str>,
    say: &Say,
) -> Result<Option<Snapshot>, Problem> {
    let Some(rule) = rules.iter().find(|rule| rule.needs_baseline()) else { return Ok(None) };
    let of_subject = || subject.and_then(|subject| runs::baseline_of(subject, say));
    let Some(name) = args.baseline.clone().or_else(of_subject) else {
        return Err(Problem::settings(format!("`{}` compares to a baseline, and none is named", rule.text)).hint(
            "name the run with --baseline: a name of `swell history`, or a folder of a run; `swell history baseline` sets one for all runs of a plan",
        ));
    };
    let folder = runs::find(&name, say)?;
    let (run, _) = folder.run()?;
    if run.snapshot.rows.is_empty() {
        return Err(Problem::settings(format!("the baseline `{name}` has no samples")));
    }
    Ok(Some(run.snapshot))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_properties_come_in_the_order_of_their_numbers() {
        let props = Properties::default();
        for name in ["swell.threshold.10", "swell.threshold.9", "swell.threshold.login", "swell.thresholds"] {
            props.set(name, "rps>1");
        }
        let names: Vec<_> = of_properties(&props).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["swell.threshold.9", "swell.threshold.10", "swell.threshold.login"]);
    }

    #[test]
    fn a_rule_of_a_file_is_named_with_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rules");
        std::fs::write(&path, "# ours\n\n  errors<1%\nerors<1%\n").expect("written");
        let error = of_file(&path).expect_err("a typo").to_string();
        assert!(
            error.contains("rules, line 4: unknown figure `erors`")
                && error.contains("did you mean `errors`?"),
            "{error}"
        );
        std::fs::write(&path, "errors<1%\r\nrps>5").expect("written");
        assert_eq!(of_file(&path).expect("readable").len(), 2);
        assert!(of_file(&folder.path().join("none")).is_err());
    }
}
