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
}

impl Identity {
    /// With the name of this machine, and nothing else.
    pub fn of_this_machine() -> Self {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Self { host, ..Self::default() }
    }
}
