//! Identifies the run of the figures.

/// The identity of a run, as texts that metrics carry.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Its name.
    pub run: String,
    /// The plan.
    pub plan: String,
    /// The version of Swell.
    pub version: String,
    /// The machine that makes the load.
    pub host: String,
    /// The trial, where the run is one of many.
    pub trial: Option<TrialIdentity>,
}

/// A trial of a study.
#[derive(Clone, Debug)]
pub struct TrialIdentity {
    /// Its number, from 1.
    pub number: String,
    /// Its load and settings: `users 50`.
    pub load: String,
}

impl Identity {
    /// With the name of this machine, and nothing else.
    pub fn of_this_machine() -> Self {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Self { host, ..Self::default() }
    }

    /// The labels of all series: the run, and in a study the trial with its load.
    pub(super) fn labels(&self) -> Vec<(&'static str, &str)> {
        let mut labels = vec![("run", self.run.as_str())];
        if let Some(trial) = &self.trial {
            labels.extend([("trial", trial.number.as_str()), ("load", trial.load.as_str())]);
        }
        labels
    }
}
