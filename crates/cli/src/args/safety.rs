//! Whom a study may load, and how much.

use clap::Args;
use swell_study::ceiling::Ceiling;
use swell_study::guard::Guard;

use super::units::rate;

/// Of `search` and `sweep`.
#[derive(Args, Clone, Debug)]
pub(crate) struct SafetyArgs {
    /// A host that is neither this machine nor in a private network, and that you may load; may be repeated
    #[arg(long, value_name = "HOST", help_heading = "Safety")]
    pub(crate) i_may_load: Vec<String>,
    /// No rate above this is asked for
    #[arg(long, value_name = "RATE", value_parser = rate, default_value = "100000", help_heading = "Safety")]
    pub(crate) max_rate: f64,
    /// No number of users, and of connections, above this
    #[arg(long, value_name = "USERS", default_value_t = 10_000, help_heading = "Safety")]
    pub(crate) max_users: u32,
    /// Go on where more than half of the samples fail or half of them take more than 30 s, and no rule is about that
    #[arg(long, help_heading = "Safety")]
    pub(crate) no_abort: bool,
}

impl SafetyArgs {
    /// What ends a trial whatever its rules say.
    pub(crate) fn guard(&self) -> Guard {
        if self.no_abort { Guard::OFF } else { Guard::ON }
    }

    /// What no trial may pass.
    pub(crate) fn ceiling(&self) -> Ceiling {
        Ceiling { users: self.max_users, per_second: self.max_rate }
    }
}
