//! What a controller decided.

use serde::Serialize;

use crate::step::{ElementRef, ReadVariable};

/// Result of a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The elements below it run.
    #[default]
    Entered,
    /// They do not run.
    Skipped,
    /// A loop begins its next turn.
    Turn,
    /// A loop has ended.
    Left,
}

/// What a controller decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Name of the virtual user.
    pub user: String,
    /// Name of its thread group.
    pub group: String,
    /// Iteration of the thread group, from 1.
    pub iteration: u64,
    /// The controller.
    pub element: ElementRef,
    /// Kind of the controller: `if`, `while`, `loop`, `for_each`, `switch`, `random`, `throughput`,
    /// `once_only`, `runtime`, `interleave`, `weighted`, `random_order`, `critical_section`.
    pub kind: &'static str,
    /// The result.
    pub verdict: Verdict,
    /// The condition, count or value as it is in the plan; null if there is none.
    pub written: Option<String>,
    /// The same after `${}`; null if there is none.
    pub evaluated: Option<String>,
    /// Variables in it, with their values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<ReadVariable>,
    /// The decision in a few words: `turn 2 of 3`, `chose "b"`.
    pub text: String,
}
