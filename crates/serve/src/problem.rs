//! Problems of a session as HTTP refusals.

use std::fmt::Display;

use swell_http1::server::Refusal;
use swell_session::{Problem, ProblemKind};

/// The history is locked or damaged.
pub(crate) fn unreadable(why: impl Display) -> Refusal {
    Refusal::new(503, format!("cannot read the history of runs: {why}"))
}

/// The problem with its hint.
pub(crate) fn refusal(problem: Problem) -> Refusal {
    let status = match problem.kind {
        ProblemKind::Settings => 400,
        ProblemKind::Output => 507,
    };
    let hint = problem.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
    Refusal::new(status, format!("{}{hint}", problem.message))
}
