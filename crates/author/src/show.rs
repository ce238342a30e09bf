//! A plan on the screen: one line an element, and who sets and reads each variable.

mod brief;
mod html;
mod json;
mod stable;
mod text;

use std::collections::BTreeMap;

use swell_api::Registry;
use swell_plan::Plan;

pub use json::{Shown, ShownElement, ShownVariable};

use crate::outline::{Entry, outline};
use crate::variables::{FileText, Uses, Variable, variables};

/// A plan as it is shown.
pub struct View<'p> {
    entries: Vec<Entry<'p>>,
    uses: Vec<Uses>,
    variables: BTreeMap<String, Variable>,
    registry: &'p Registry,
}

impl<'p> View<'p> {
    /// Looks at a plan. `file`: texts of data files and scripts, by the names that the plan has for
    /// them.
    pub fn of(plan: &'p Plan, registry: &'p Registry, file: &FileText<'_>) -> Self {
        let entries = outline(plan, registry);
        let uses: Vec<Uses> = entries.iter().map(|entry| entry.uses(file)).collect();
        let variables = variables(&entries, &uses);
        Self { entries, uses, variables, registry }
    }
}

#[cfg(test)]
mod tests;
