//! Settings of which two kept runs have different ones.

use std::collections::BTreeMap;

use swell_report::compare::Difference;
use swell_results::run_folder::{Metadata, RunFolder};

/// Options with a value that say where results go, what a run is called or when it passes: not how
/// it runs.
const OTHER_OPTIONS: [&str; 16] = [
    "--name",
    "--run-dir",
    "-l",
    "--results",
    "-o",
    "--report",
    "--summary",
    "--junit",
    "--note",
    "--tag",
    "--gitlab",
    "--threshold",
    "--columns",
    "--export",
    "--live-port",
    "--color",
];

/// The same without a value.
const OTHER_FLAGS: [&str; 9] =
    ["-e", "-f", "--force", "-v", "--verbose", "--json", "--tui", "--open", "--strict"];

/// Properties that JMeter sets to the time of the start.
const TIME_PROPERTIES: [&str; 2] = ["START.", "TESTSTART."];

/// The settings of a kept run.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunSettings {
    values: BTreeMap<String, String>,
    /// The text of the plan.
    plan: Option<String>,
}

impl RunSettings {
    /// Those of a run in its folder.
    pub(crate) fn of(run: &RunFolder) -> Self {
        Self { values: values(run.metadata()), plan: run.plan() }
    }

    /// What another run has different, by name.
    pub(crate) fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut found = Vec::new();
        found.extend(self.plan.as_ref().zip(other.plan.as_ref()).and_then(|(a, b)| of_plans(a, b)));
        let names =
            self.values.keys().chain(other.values.keys().filter(|name| !self.values.contains_key(*name)));
        for name in names {
            let [before, after] = [&self.values, &other.values].map(|values| values.get(name));
            if before != after {
                let text = |value: Option<&String>| value.cloned().unwrap_or_default();
                found.push(Difference { name: name.clone(), before: text(before), after: text(after) });
            }
        }
        found
    }
}

fn of_plans(before: &str, after: &str) -> Option<Difference> {
    let size = |text: &str| format!("{} bytes", text.len());
    let change = if before.len() == after.len() { ", edited" } else { "" };
    (before != after).then(|| Difference {
        name: "contents of the plan".to_owned(),
        before: size(before),
        after: format!("{}{change}", size(after)),
    })
}

fn values(metadata: &Metadata) -> BTreeMap<String, String> {
    let machine = &metadata.machine;
    let mut values = BTreeMap::new();
    let mut put = |name: &str, value: String| {
        if !value.is_empty() {
            values.insert(name.to_owned(), value);
        }
    };
    put("plan", metadata.plan.file.clone());
    put("command", command(&metadata.command));
    put("recorded by", metadata.made_by.clone());
    if machine.processors > 0 {
        let text = format!("{}, {} processors, {}", machine.name, machine.processors, machine.system);
        put("load generator", text);
    }
    for (name, value) in &metadata.tags {
        put(&format!("tag {name}"), value.clone());
    }
    for (name, value) in &metadata.properties {
        if !TIME_PROPERTIES.iter().any(|start| name.starts_with(start)) {
            put(&format!("property {name}"), value.clone());
        }
    }
    values
}

/// The arguments that say how it runs, without the program.
fn command(arguments: &[String]) -> String {
    let mut kept = Vec::new();
    let mut is_value = false;
    for argument in arguments.iter().skip(1) {
        if std::mem::take(&mut is_value) && !argument.starts_with('-') {
            continue;
        }
        let name = argument.split('=').next().unwrap_or(argument);
        if OTHER_OPTIONS.contains(&name) {
            is_value = !argument.contains('=');
            continue;
        }
        if OTHER_FLAGS.contains(&name) {
            continue;
        }
        kept.push(argument.as_str());
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_results::run_folder::PlanFacts;

    fn settings(command: &[&str], properties: &[(&str, &str)], plan: &str) -> RunSettings {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let metadata = Metadata {
            command: command.iter().map(|&argument| argument.to_owned()).collect(),
            properties: properties.iter().map(pair).collect(),
            plan: PlanFacts { file: "shop.jmx".to_owned(), ..PlanFacts::default() },
            ..Metadata::default()
        };
        RunSettings { values: values(&metadata), plan: Some(plan.to_owned()) }
    }

    #[test]
    fn what_says_how_a_run_runs_is_compared() {
        let a = settings(
            &["swell", "run", "shop.jmx", "--run-dir", "a", "-f", "--threshold", "p(95)<1s", "-Jusers=5"],
            &[("users", "5"), ("START.MS", "1"), ("old", "x")],
            "<plan/>",
        );
        let b = settings(
            &["/usr/bin/swell", "run", "shop.jmx", "--run-dir=b", "-Jusers=10"],
            &[("users", "10"), ("START.MS", "2")],
            "<plan >",
        );
        let found: Vec<_> = a
            .differences(&b)
            .into_iter()
            .map(|one| format!("{}: {} / {}", one.name, one.before, one.after))
            .collect();
        let wanted = [
            "contents of the plan: 7 bytes / 7 bytes, edited",
            "command: run shop.jmx -Jusers=5 / run shop.jmx -Jusers=10",
            "property old: x / ",
            "property users: 5 / 10",
        ];
        assert_eq!(found, wanted);
        assert!(a.differences(&a).is_empty());
    }
}
