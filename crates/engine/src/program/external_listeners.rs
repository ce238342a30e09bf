//! Listeners for the samples of a thread group run by another component.

use std::collections::HashMap;

use swell_api::SampleAudience;
use swell_plan::NodeId;

/// The listeners that receive the samples of such a group, by their index in the program.
pub(crate) struct ExternalListeners {
    /// Listeners of elements that have something to do in a run.
    pub(super) of_elements: HashMap<NodeId, u32>,
    /// Directly below the group or the Test Plan.
    pub(super) of_group: Vec<u32>,
    /// That came with the run.
    pub(super) roots: Vec<u32>,
}

impl ExternalListeners {
    /// The places of all.
    pub(super) fn places(&self) -> impl Iterator<Item = u32> {
        self.of_elements.values().chain(&self.roots).copied()
    }

    /// The places of those that hear of a sample.
    pub(crate) fn of<'l>(&'l self, heard_by: &'l SampleAudience) -> Box<dyn Iterator<Item = u32> + 'l> {
        match heard_by {
            SampleAudience::Group => Box::new(self.of_group.iter().chain(&self.roots).copied()),
            SampleAudience::Elements { listeners, counts } => {
                let named = listeners.iter().filter_map(|id| self.of_elements.get(id));
                let roots = if *counts { &self.roots[..] } else { &[] };
                Box::new(named.chain(roots).copied())
            }
        }
    }
}
