//! Samplers of a plan that gave no sample in a run.

use std::collections::HashSet;

use swell_engine::PlannedSampler;
use swell_stats::Summary;

/// A sampler without a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeverRan {
    /// Its name.
    pub label: String,
    /// Names of the controllers above it, outermost first.
    pub controllers: Vec<String>,
}

/// Samplers without a sample; none if samples were counted under a common label, so that this is
/// not known, or if there was no sample at all.
pub(crate) fn never_ran(planned: &[PlannedSampler], summary: &Summary) -> Vec<NeverRan> {
    if summary.is_empty() || summary.beyond_label_limit > 0 {
        return Vec::new();
    }
    let ran: HashSet<&str> = summary.rows.iter().map(|row| &*row.label).collect();
    let mut told = HashSet::new();
    let missing = planned.iter().filter(|planned| {
        let label = &*planned.element.name;
        planned.has_own_label && !ran.contains(label) && told.insert(label)
    });
    let controllers = |planned: &PlannedSampler| {
        planned.controllers.iter().map(|controller| controller.name.clone()).collect()
    };
    missing
        .map(|planned| NeverRan { label: planned.element.name.clone(), controllers: controllers(planned) })
        .collect()
}
