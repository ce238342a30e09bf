//! Whom a study may load, and how much.

use clap::Args;
use swell_study::ceiling::Ceiling;
use swell_study::guard::Guard;

use super::units::rate;

/// Safety options of `search` and `sweep`.
#[derive(Args, Clone, Debug)]
pub(crate) struct SafetyArgs {
    /// Public host that you are allowed to load; repeatable
    #[arg(long, value_name = "HOST", help_heading = "Safety")]
    pub(crate) i_may_load: Vec<String>,
    /// Highest request rate to try, per second
    #[arg(long, value_name = "RATE", value_parser = rate, default_value = "100000", help_heading = "Safety")]
    pub(crate) max_rate: f64,
    /// Most users and connections to try
    #[arg(long, value_name = "USERS", default_value_t = 10_000, help_heading = "Safety")]
    pub(crate) max_users: u32,
    /// Do not abort when most samples fail or take more than 30 s
    ///
    /// By default a trial aborts if more than half of its samples fail, or half take more than 30
    /// s, unless an objective covers that.
    #[arg(long, help_heading = "Safety")]
    pub(crate) no_abort: bool,
}

impl SafetyArgs {
    /// What ends a trial regardless of its rules.
    pub(crate) fn guard(&self) -> Guard {
        if self.no_abort { Guard::OFF } else { Guard::ON }
    }

    /// Limits of every trial.
    pub(crate) fn ceiling(&self) -> Ceiling {
        Ceiling { users: self.max_users, per_second: self.max_rate }
    }
}
