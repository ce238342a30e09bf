//! The description of a run: plan, program, machine and target.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `run.json`. Fields may be added within a version of [`Metadata::SCHEMA`]; readers ignore unknown
/// ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// [`Metadata::SCHEMA`].
    pub schema: String,
    /// Name of the run, unique in the history of its user.
    pub name: String,
    /// Program and version that made it, such as `Swell 0.2.0`.
    pub made_by: String,
    /// The subcommand, such as `run` or `hit`; `import` for results of another tool.
    pub kind: String,
    /// When it was started, milliseconds since the epoch.
    pub start_ms: i64,
    /// The command line, secrets masked.
    pub command: Vec<String>,
    /// The plan.
    pub plan: PlanFacts,
    /// Properties of the run, values of secret names masked.
    pub properties: BTreeMap<String, String>,
    /// Tags that the user gave it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// A note that the user wrote.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Groups of labels that are shown together, each pattern as `NAME=PATTERN`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub label_groups: Vec<String>,
    /// The machine that made the load.
    pub machine: MachineFacts,
}

impl Metadata {
    /// Name and version of the form.
    pub const SCHEMA: &str = "swell.run/1";
}

/// The plan of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanFacts {
    /// Its file, as it was named; empty where there was none.
    pub file: String,
    /// Name of its Test Plan element.
    pub title: String,
    /// Names of its thread groups, in the order of the plan.
    pub groups: Vec<String>,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineFacts {
    /// Its name.
    pub name: String,
    /// Kernel and release, such as `Linux 6.12.3`.
    pub system: String,
    /// Processors that the program may use.
    pub processors: usize,
    /// Memory, bytes.
    pub memory_bytes: u64,
}

impl MachineFacts {
    /// Facts about the machine that this program runs on; unknown ones are empty or 0.
    pub fn of_this_machine() -> Self {
        let system = rustix::system::uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        Self {
            name: text(system.nodename()),
            system: format!("{} {}", text(system.sysname()), text(system.release())),
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            memory_bytes: std::fs::read_to_string("/proc/meminfo").map_or(0, |text| memory_bytes(&text)),
        }
    }
}

fn memory_bytes(meminfo: &str) -> u64 {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|total| total.split_whitespace().next()?.parse::<u64>().ok());
    kib.map_or(0, |kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_read_from_what_the_kernel_says() {
        assert_eq!(memory_bytes("MemFree: 7 kB\nMemTotal:       100 kB\n"), 102_400);
        assert_eq!(memory_bytes("nothing"), 0);
    }

    #[test]
    fn this_machine_has_processors() {
        let facts = MachineFacts::of_this_machine();
        assert!(facts.processors > 0 && facts.system.contains(' '), "{facts:?}");
    }

    #[test]
    fn what_a_later_version_adds_is_ignored_and_what_is_missing_is_empty() {
        let read: Metadata = serde_json::from_str(r#"{"schema":"swell.run/1","name":"a","new":{"x":1}}"#)
            .expect("a later version of the same form");
        assert_eq!((read.name.as_str(), read.start_ms), ("a", 0));
    }
}
