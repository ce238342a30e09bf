//! Runs any plans through both programs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::case::Case;
use crate::diff::diff;
use crate::rewrite::rewrite;
use crate::runner::{JMeter, Swell, Tool};

/// The result for a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Both programs did the same.
    Same,
    /// Both did the same things, but different numbers of times, which chance or the clock decides.
    SameInKind,
    /// They differ; with the difference.
    Different(String),
    /// JMeter refused the plan; with the reason.
    Refused(String),
    /// Swell refused the plan; with the reason.
    Failed(String),
    /// The plan was skipped; with the reason.
    LeftOut(String),
    /// Swell cannot run all of it natively.
    NotNative,
}

/// Why a plan with such a script is skipped.
pub const UNKNOWN_SCRIPT: &str = "it runs a script that Swell does not understand, which may do anything";

/// Text in scripts that may reach files, processes or the JVM. Their network is cut off.
const REACHES_OUT: [&str; 14] = [
    "File",
    "Path",
    "execute",
    "Runtime",
    "Process",
    "exit",
    "delete",
    "Writer",
    "OutputStream",
    "Stream(",
    "source(",
    "load(",
    "Class",
    "Sql",
];

/// Largest number of lines of a stored difference.
const SHOWN: usize = 80;

/// Returns all plans among files and folders, in order.
///
/// # Errors
/// A folder cannot be listed.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let entries = entries.map_err(|error| format!("{}: {error}", path.display()))?;
        let mut inside: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
        inside.retain(|path| path.is_dir() || path.extension().is_some_and(|ending| ending == "jmx"));
        inside.sort();
        found.extend(find(&inside)?);
    }
    Ok(found)
}

/// Whether Swell can run all of a plan natively.
///
/// # Errors
/// Swell cannot be started.
pub fn is_native(swell: &Swell, plan: &Path) -> Result<bool, String> {
    let output = Command::new(swell.binary()).args(["check", "--json"]).arg(plan).output();
    let output = output.map_err(|error| format!("{}: {error}", swell.binary().display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).contains("\"standing\":\"native\""))
}

/// Returns why a plan with scripts is skipped even if scripts are allowed.
fn reach(case: &Case) -> Option<String> {
    let mut found = None;
    case.plan.root.walk(&mut |node: &swell_plan::Node| {
        let fields =
            ["script", "filename", "BeanShellSampler.query", "BeanShellAssertion.query", "BSFSampler.query"];
        for text in fields.iter().filter_map(|field| node.element.text(field)) {
            let word = REACHES_OUT.iter().find(|word| text.contains(**word));
            found = found.take().or_else(|| word.map(|word| format!("a script of it says `{word}`")));
        }
    });
    found
}

/// Makes a plan harmless, runs it through both programs and compares. With `scripts`, this includes
/// plans with scripts that only the engines understand, unless they seem to reach files or
/// processes.
pub fn compare(file: &Path, jmeter: &JMeter, swell: &Swell, scripts: bool) -> Fate {
    let case = match Case::load(file) {
        Ok(case) => case,
        Err(error) => return Fate::LeftOut(error),
    };
    let rewritten = rewrite(&case);
    if let Some(reason) = &rewritten.skip {
        return Fate::LeftOut(reason.clone());
    }
    if rewritten.has_scripts && is_native(swell, file) != Ok(true) {
        let reason = if scripts { reach(&case) } else { Some(UNKNOWN_SCRIPT.to_owned()) };
        if let Some(reason) = reason {
            return Fate::LeftOut(reason);
        }
    }
    let expected = rewritten.render(&Tool::JMeter(jmeter.clone()));
    let actual = rewritten.render(&Tool::Swell(swell.clone()));
    match (expected, actual) {
        (Ok(expected), Ok(actual)) if expected == actual => Fate::Same,
        (Ok(expected), Ok(actual)) if rewritten.rules.shape_only && kinds(&expected) == kinds(&actual) => {
            Fate::SameInKind
        }
        (Ok(expected), Ok(actual)) => Fate::Different(diff(&expected, &actual, SHOWN)),
        (Err(error), _) => Fate::Refused(error),
        (_, Err(error)) => Fate::Failed(error),
    }
}

/// Returns the kinds of entries in a shape, without their numbers.
fn kinds(shape: &str) -> BTreeSet<(&str, &str)> {
    let mut part = "";
    let mut found = BTreeSet::new();
    for line in shape.lines() {
        match line.strip_prefix("=== ") {
            Some(title) => part = title.split(':').next().unwrap_or_default(),
            None => drop(found.insert((part, line))),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_do_not_count() {
        let once = "=== requests: 1\nGET\n=== out.jtl\n200,U 1-1,true\n";
        let twice = "=== requests: 2\nGET\nGET\n=== out.jtl\n200,U 1-1,true\n200,U 1-1,true\n";
        assert_eq!(kinds(once), kinds(twice));
        assert_ne!(kinds(once), kinds("=== requests: 1\nPOST\n=== out.jtl\n200,U 1-1,true\n"));
    }

    #[test]
    fn plans_of_folders_are_found_in_order() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("b")).unwrap();
        for name in ["c.jmx", "b/x.jmx", "a.txt", "a.jmx"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = find(&[folder.path().to_owned()]).unwrap();
        let names = found.iter().map(|file| file.strip_prefix(folder.path()).unwrap().to_str().unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["a.jmx", "b/x.jmx", "c.jmx"]);
    }
}
