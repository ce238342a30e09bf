//! Finds what will surprise the author of a plan, without a run.

mod context;
mod rules;
mod sarif;
mod scopes;
mod settings;
mod unread;
mod unset;

use serde::Serialize;
use swell_api::Registry;
use swell_plan::{Edit, Plan};

pub use context::Surroundings;
pub use rules::{RULES, Rule, Severity, reference_page};
pub use sarif::sarif;

use context::Context;

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static str,
    /// How bad it is.
    pub level: Severity,
    /// Names from the root to the element, joined by ` > `.
    pub element: String,
    /// Line of the element.
    pub line: u32,
    /// The property, if one is to blame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// What is wrong.
    pub message: String,
    /// Why it matters.
    pub why: &'static str,
    /// What to do.
    pub remedy: String,
    /// A change that is safe to make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

/// A change of the plan that only does what its author meant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fix {
    /// What is done.
    pub does: String,
    /// The changes of the text.
    #[serde(skip)]
    pub edits: Vec<Edit>,
}

/// All findings about a plan, in the order of the file.
pub fn lint(plan: &Plan, registry: &Registry, around: &Surroundings<'_>) -> Vec<Finding> {
    let cx = Context::new(plan, registry, around);
    let mut all = Vec::new();
    unset::find(&cx, &mut all);
    unread::find(&cx, &mut all);
    scopes::find(&cx, &mut all);
    settings::find(&cx, &mut all);
    all.sort_by_key(|finding| finding.line);
    all
}

#[cfg(test)]
mod tests;
