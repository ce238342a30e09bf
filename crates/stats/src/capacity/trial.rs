//! A trial of a search.

use std::fmt;

use serde::Serialize;

/// The result of a trial. Serialized as `pass`, `fail`, `void` or `undecided`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialOutcome {
    /// The server bore the load.
    Pass,
    /// It did not.
    Fail,
    /// The tool was at fault: the trial says nothing of the server, and no bound moves.
    Void,
    /// Too few samples, or not steady: a longer trial can tell.
    Undecided,
}

impl fmt::Display for TrialOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Void => "void",
            Self::Undecided => "undecided",
        })
    }
}

/// A finished trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchTrial {
    /// Users, requests a second, or whatever is varied.
    pub load: f64,
    /// Its steady part, in seconds.
    pub seconds: f64,
    /// Its result.
    pub outcome: TrialOutcome,
    /// The load that an overloaded server tells to be near its limit: the rate that was reached
    /// where more was asked for, or with closed load the users with whom times would just have
    /// held.
    pub reached: Option<f64>,
}
