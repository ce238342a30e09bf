//! What an agent learns of a run before it begins: its files, its properties, what it needs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use swell_engine::Support;
use swell_run::Trial;
use swell_shape::{Shape, Spacing};

use super::PROTOCOL;
use crate::FleetError;
use crate::coordinator::OnLoss;

/// A run, as its controller describes it. JSON, in the object store.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the run")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`PROTOCOL`] of the controller.
    pub protocol: u32,
    /// Version of Swell of the controller.
    pub version: String,
    /// The run.
    pub run: String,
    /// Name of the plan's file, without folders.
    pub plan: String,
    /// Files, the plan first.
    pub files: Vec<FileEntry>,
    /// Properties of the test.
    pub properties: BTreeMap<String, String>,
    /// How many slices the load is cut into.
    pub slices: u32,
    /// Each agent runs the whole plan, as JMeter's servers do.
    pub multiply: bool,
    /// Treatment of the slices of lost agents: if others take them, they claim them.
    pub on_loss: OnLoss,
    /// Files that the plan names are those of the folder that an agent was started in.
    pub local_files: bool,
    /// A results file is wanted besides those of the plan's listeners (`-l`).
    pub wants_rows: bool,
    /// Timers round as JMeter's.
    pub compat: bool,
    /// Makes users' random numbers the same in each run.
    pub seed: Option<u64>,
    /// The load over time instead of the plan's, if there is one.
    pub shape: Option<SentShape>,
    /// Failures of each label and response code that agents keep and send; 0: none.
    pub keep_failures: u16,
    /// They keep bodies of them.
    pub keep_failure_bodies: bool,
    /// Seconds between two messages of an agent with what it counts.
    pub interval_s: u32,
    /// Agents end after the run.
    pub exit_after: bool,
    /// Scripts of the plan run in a JVM or start processes: an agent may refuse that.
    pub needs: Needs,
}

impl Manifest {
    /// A run of this version, for tests.
    #[cfg(test)]
    pub(crate) fn of_test(run: &str, plan: &str, files: Vec<FileEntry>, slices: u32) -> Self {
        Self {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: run.to_owned(),
            plan: plan.to_owned(),
            files,
            properties: BTreeMap::new(),
            slices,
            multiply: false,
            on_loss: OnLoss::Redistribute,
            local_files: false,
            wants_rows: false,
            compat: false,
            seed: None,
            shape: None,
            keep_failures: 0,
            keep_failure_bodies: false,
            interval_s: 1,
            exit_after: true,
            needs: Needs::default(),
        }
    }

    /// Why an agent cannot read it, if it cannot.
    pub fn unreadable(&self) -> Option<String> {
        (self.protocol != PROTOCOL || self.version != env!("CARGO_PKG_VERSION")).then(|| {
            format!(
                "the controller runs Swell {} (protocol {}), and this agent runs {} ({PROTOCOL}); \
                run the same version everywhere",
                self.version,
                self.protocol,
                env!("CARGO_PKG_VERSION")
            )
        })
    }
}

/// A load over time. Each agent makes its slices of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentShape {
    /// Its levels.
    pub shape: Shape,
    /// Spacing of arrivals.
    pub spacing: Spacing,
}

/// What of a plan an agent may refuse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// Scripts and classes that run in a JVM.
    pub scripts: bool,
    /// Processes of the system.
    pub processes: bool,
}

impl Needs {
    /// What this plan needs.
    pub fn of(trial: &Trial) -> Self {
        let mut needs = Self::default();
        for found in trial.survey() {
            needs.scripts |= matches!(found.support, Support::Jvm(_));
            needs.processes |= trial.registry().starts_processes(&found.class);
        }
        needs
    }

    /// Why an agent does not run a plan with these needs, if its owner does not let it.
    ///
    /// # Errors
    /// The owner does not.
    pub(crate) fn are_met(self, allows_scripts: bool, allows_processes: bool) -> Result<(), FleetError> {
        if self.scripts && !allows_scripts {
            return Err(refusal("run scripts", "--allow-scripts"));
        }
        if self.processes && !allows_processes {
            return Err(refusal("start processes", "--allow-process"));
        }
        Ok(())
    }
}

/// What the owner of an agent does not let plans do, and the option that would.
pub(crate) fn refusal(what: &str, option: &str) -> FleetError {
    FleetError::new(format!("its owner does not allow plans to {what}; `swell agent {option}` allows it"))
}

/// A file of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its name, without variables.
    pub name: String,
    /// Other texts by which the plan names it.
    pub texts: Vec<String>,
    /// Any text of the plan that is its name stands for it.
    pub given: bool,
    /// Its name in the object store.
    pub object: String,
    /// SHA-256, hexadecimal.
    pub sha256: String,
    /// Length.
    pub bytes: u64,
}
