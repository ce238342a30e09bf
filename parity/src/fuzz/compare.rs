//! Runs a plan through both programs and finds the groups in which they differ.

use std::path::PathBuf;

use super::plan::{Trial, name};
use crate::capture::Observation;
use crate::diff::diff;
use crate::runner::Tool;

/// Both programs, and the files that plans read.
#[derive(Clone, Debug)]
pub(super) struct Bench {
    pub(super) jmeter: Tool,
    pub(super) swell: Tool,
    pub(super) data: PathBuf,
}

/// A difference between two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// Equal for differences that look alike, regardless of group, names and numbers.
    pub(super) key: String,
    /// The difference, line by line.
    pub(super) text: String,
}

/// Largest number of lines of a stored difference.
const SHOWN: usize = 80;

impl Bench {
    /// Returns the difference of each group; `None` for groups in which both agree.
    ///
    /// # Errors
    /// JMeter refuses the plan.
    pub(super) fn differences(&self, trial: &Trial) -> Result<Vec<Option<Difference>>, String> {
        let expected = capture(&self.jmeter, trial, &self.data)?;
        let actual = match capture(&self.swell, trial, &self.data) {
            Ok(actual) => actual,
            Err(error) => return Ok(self.refusals(trial, &error)),
        };
        let parts = (0..trial.groups.len()).map(|index| {
            let rules = trial.rules(Some(index));
            let part = |seen: &Observation| {
                if trial.whole { seen.render(&rules) } else { seen.part(index, &name(index)).render(&rules) }
            };
            difference(&part(&expected), &part(&actual))
        });
        let mut parts: Vec<Option<Difference>> = parts.collect();
        // A difference that belongs to no group is reported with the first one.
        if parts.iter().all(Option::is_none) && !trial.whole {
            let rules = trial.rules(None);
            parts[0] = difference(&expected.render(&rules), &actual.render(&rules));
        }
        Ok(parts)
    }

    /// Swell refuses the plan: finds the groups that it refuses alone.
    fn refusals(&self, trial: &Trial, error: &str) -> Vec<Option<Difference>> {
        let alone = |nodes: &Vec<swell_plan::Node>| {
            let alone = Trial { groups: vec![nodes.clone()], ..trial.clone() };
            Some(refusal(&capture(&self.swell, &alone, &self.data).err()?))
        };
        let mut found: Vec<Option<Difference>> = match trial.groups.as_slice() {
            [_] => vec![Some(refusal(error))],
            several => several.iter().map(alone).collect(),
        };
        if found.iter().all(Option::is_none) {
            found[0] = Some(refusal(error));
        }
        found
    }
}

fn capture(tool: &Tool, trial: &Trial, data: &std::path::Path) -> Result<Observation, String> {
    tool.capture(&|_, _| trial.plan(), &trial.rules(None), Some(data))
}

fn refusal(error: &str) -> Difference {
    let telling = |line: &&str| ["error", "did not end", "panicked"].iter().any(|word| line.contains(word));
    let line = error.lines().find(telling).or_else(|| error.lines().next()).unwrap_or_default();
    Difference { key: format!("Swell: {}", kind(line)), text: format!("Swell does not run it: {error}\n") }
}

/// Returns how two texts differ; `None` if they are equal.
fn difference(expected: &str, actual: &str) -> Option<Difference> {
    if expected == actual {
        return None;
    }
    let text = diff(expected, actual, usize::MAX);
    let key = key(&text);
    let mut shown: Vec<&str> = text.lines().take(SHOWN).collect();
    let left = text.lines().count() - shown.len();
    let more = format!("... {left} more lines");
    shown.extend((left > 0).then_some(more.as_str()));
    Some(Difference { key, text: shown.join("\n") + "\n" })
}

/// Returns the kinds of the first missing and the first new line at the first place where kinds
/// differ.
fn key(diff: &str) -> String {
    let telling = |line: &str| {
        let text = &line[1..];
        !(text.is_empty()
            || text.starts_with("=== ")
            || text.starts_with("--- ")
            || text.starts_with("(usual"))
    };
    let mut removed = None;
    let mut added = None;
    for line in diff.lines() {
        match line.as_bytes().first() {
            Some(b'-' | b'+') if !telling(line) => {}
            Some(b'-') => drop(removed.get_or_insert(&line[1..])),
            Some(b'+') => drop(added.get_or_insert(&line[1..])),
            _ if removed.is_some() || added.is_some() => break,
            _ => {}
        }
    }
    match (removed, added) {
        (Some(old), Some(new)) if is_sample(old) && is_sample(new) => {
            format!("sample: {}", changed(old, new))
        }
        (old, new) => format!("-{} +{}", kind(old.unwrap_or_default()), kind(new.unwrap_or_default())),
    }
}

fn is_sample(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("<sample ") || line.starts_with("<httpSample ")
}

/// Returns the names of the attributes in which two samples differ.
fn changed(old: &str, new: &str) -> String {
    let pairs = |line: &str| -> Vec<(String, String)> {
        let parts = line.split("\" ").filter_map(|part| part.split_once("=\""));
        parts
            .map(|(name, value)| (name.rsplit(' ').next().unwrap_or(name).to_owned(), value.to_owned()))
            .collect()
    };
    let new = pairs(new);
    let names = pairs(old).into_iter().filter(|pair| !new.contains(pair)).map(|(name, _)| name);
    names.collect::<Vec<_>>().join(" ")
}

/// Returns the start of a line without numbers or, for a sample, only its tag.
fn kind(line: &str) -> String {
    if is_sample(line) {
        return line.split_whitespace().next().unwrap_or_default().to_owned();
    }
    let mut out = String::new();
    for c in line.trim().chars().take(60) {
        match c {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(old: &str, new: &str) -> String {
        difference(old, new).map(|found| found.key).unwrap_or_default()
    }

    #[test]
    fn keys_do_not_depend_on_names_and_numbers() {
        let sample =
            |label: &str, code: &str| format!("<httpSample lb=\"{label}\" rc=\"{code}\" by=\"3\"/>\n");
        assert_eq!(key_of(&sample("a", "200"), &sample("a", "404")), "sample: rc");
        assert_eq!(key_of("", &sample("b", "200")), "- +<httpSample");
        let get = |path: &str| format!("--- connection 1\nGET {path} HTTP/1.1\nX: y\n");
        assert_eq!(key_of(&get("/G01/s12"), ""), key_of(&get("/G07/s3"), ""));
        assert_ne!(key_of(&get("/G01/s12"), ""), key_of("", &get("/G01/s12")));
    }

    #[test]
    fn the_first_telling_line_counts() {
        let old = "=== requests: 2\n--- connection 1\na\n--- connection 2\nb\n";
        let new = "=== requests: 1\n--- connection 1\na\n--- connection 1\nc\n";
        assert_eq!(key_of(old, new), "-b +c");
    }

    #[test]
    fn a_refusal_is_told_by_its_line() {
        let found = refusal("Swell left no results:\nerror: plan.jmx:12: no such thing\n");
        assert_eq!(found.key, "Swell: error: plan.jmx:#: no such thing");
    }
}
