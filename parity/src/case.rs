//! A case: a plan with rules for its comparison, which are in the comment of its Test Plan.

use std::io;
use std::path::{Path, PathBuf};

use swell_plan::{Plan, read};

/// The order of requests and samples that is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Requests in the order of the whole run, for plans with one user at a time. Samples in the
    /// order of each thread, since no plan decides in which order threads write to a results file.
    #[default]
    Run,
    /// Requests in the order of each connection, samples in that of each thread.
    Thread,
    /// No order: a plan with random choices is compared as a set.
    None,
}

/// How a plan is run and its output is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule that holds or not")]
pub struct Rules {
    /// JMeter properties, as with `-J`.
    pub properties: Vec<(String, String)>,
    /// Further command-line arguments; `{port}` is the recorder's port.
    pub arguments: Vec<String>,
    /// The order that is compared.
    pub order: Order,
    /// Columns of the CSV file (and XML attributes) that differ from run to run, in addition to
    /// times.
    pub masked: Vec<String>,
    /// Whether response bodies differ from run to run.
    pub bodies_masked: bool,
    /// Whether summary lines are compared.
    pub summaries: bool,
    /// Whether data sent by TCP or UDP to the port `parity.metrics` is compared.
    pub metrics: bool,
    /// Whether sizes of transactions around samples without a response include a Java stack trace,
    /// whose size is not compared.
    pub traces_in_sums: bool,
    /// Whether only the number and methods of requests and the codes of samples are compared.
    pub shape_only: bool,
}

/// A plan of `cases/`.
#[derive(Clone, Debug)]
pub struct Case {
    /// File name without its extension.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// Its rules.
    pub rules: Rules,
    /// The plan.
    pub plan: Plan,
}

impl Case {
    /// Reads a plan and its rules.
    ///
    /// # Errors
    /// The file cannot be read or is not a plan, or a rule is invalid.
    pub fn load(file: &Path) -> Result<Self, String> {
        let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let reading = read(&bytes, Some(file));
        let said = || reading.diagnostics.iter().map(|d| d.message.as_str()).collect::<Vec<_>>().join("; ");
        let plan = reading.plan.clone().ok_or_else(|| format!("{}: no plan: {}", file.display(), said()))?;
        let comment = plan.root.element.text_or_empty("TestPlan.comments").to_owned();
        let rules = Rules::parse(&comment).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, file: file.to_owned(), rules, plan })
    }

    /// All plans of a folder, by name.
    ///
    /// # Errors
    /// The folder cannot be listed, or one of its plans cannot be loaded.
    pub fn load_all(folder: &Path) -> Result<Vec<Self>, String> {
        let mut files = plans_in(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        files.sort();
        files.iter().map(|file| Self::load(file)).collect()
    }
}

fn plans_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let is_plan = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "jmx");
    paths.filter(|path| path.as_ref().map_or(true, is_plan)).collect()
}

impl Rules {
    /// Reads the lines of a comment that start with `parity:`; others are for readers.
    ///
    /// # Errors
    /// Such a line is not a known rule.
    pub fn parse(comment: &str) -> Result<Self, String> {
        let mut rules = Self::default();
        for line in comment.lines().filter_map(|line| line.trim().strip_prefix("parity:")) {
            rules.add(line.trim())?;
        }
        Ok(rules)
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match (key, value) {
            ("property", setting) if setting.contains('=') => {
                let (name, value) = setting.split_once('=').unwrap_or_default();
                self.properties.push((name.to_owned(), value.to_owned()));
            }
            ("arguments", words) if !words.is_empty() => {
                self.arguments.extend(words.split(' ').map(str::to_owned));
            }
            ("order", "thread") => self.order = Order::Thread,
            ("order", "none") => self.order = Order::None,
            ("keep", "summaries") => self.summaries = true,
            ("keep", "metrics") => self.metrics = true,
            ("mask", "bodies") => self.bodies_masked = true,
            ("mask", columns) if !columns.is_empty() => {
                self.masked.extend(columns.split(' ').map(str::to_owned));
            }
            _ => {
                let known = "`property NAME=VALUE`, `arguments WORD ...`, `order thread`, `order none`, `mask bodies`, `mask COLUMN ...`, `keep summaries`, `keep metrics`";
                return Err(format!("`parity: {line}` is not understood; known are {known}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_lines_of_the_comment() {
        let comment = "What it is about.\nparity: property a=b=c\nparity: arguments -P {port}\nparity: order thread\n parity: mask bytes sentBytes\n\
                       parity: mask bodies\nparity: keep summaries\nparity: keep metrics";
        let expected = Rules {
            properties: vec![("a".to_owned(), "b=c".to_owned())],
            arguments: vec!["-P".to_owned(), "{port}".to_owned()],
            order: Order::Thread,
            masked: vec!["bytes".to_owned(), "sentBytes".to_owned()],
            bodies_masked: true,
            summaries: true,
            metrics: true,
            traces_in_sums: false,
            shape_only: false,
        };
        assert_eq!(Rules::parse(comment), Ok(expected));
        assert_eq!(Rules::parse("No rules at all."), Ok(Rules::default()));
    }

    #[test]
    fn an_unknown_rule_is_an_error() {
        for line in ["parity: order random", "parity: property name", "parity: mask", "parity: nonsense"] {
            assert!(Rules::parse(line).is_err_and(|error| error.contains("known are")), "{line}");
        }
    }
}
