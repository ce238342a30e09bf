//! A thread group that something else runs: only its listeners are compiled.

use std::collections::HashMap;

use swell_api::HeardBy;
use swell_plan::{Node, NodeId};

use super::GroupProgram;
use super::build::{CompileContext, Listeners};
use super::package::OnError;
use crate::prepare::hears_from_engine;

/// The listeners that hear of the samples of such a group, by their places in the program.
pub(crate) struct ExternalListeners {
    /// Of elements that have something to do in a run.
    of_elements: HashMap<NodeId, u32>,
    /// Directly below the group or the Test Plan.
    of_group: Vec<u32>,
    /// That came with the run.
    roots: Vec<u32>,
}

impl ExternalListeners {
    /// The places of all.
    pub(super) fn places(&self) -> impl Iterator<Item = u32> {
        self.of_elements.values().chain(&self.roots).copied()
    }

    /// The places of those that hear of a sample.
    pub(crate) fn of<'l>(&'l self, heard_by: &'l HeardBy) -> Box<dyn Iterator<Item = u32> + 'l> {
        match heard_by {
            HeardBy::Group => Box::new(self.of_group.iter().chain(&self.roots).copied()),
            HeardBy::Elements { listeners, counts } => {
                let named = listeners.iter().filter_map(|id| self.of_elements.get(id));
                let roots = if *counts { &self.roots[..] } else { &[] };
                Box::new(named.chain(roots).copied())
            }
        }
    }
}

/// Compiles such a group.
pub(super) fn compile(node: &Node, context: &CompileContext<'_>, listeners: &mut Listeners) -> GroupProgram {
    let mut of_elements = HashMap::new();
    node.walk(&mut |node| {
        if hears_from_engine(node, context.registry)
            && let Some(place) = listeners.of(node, context)
        {
            of_elements.insert(node.id, place);
        }
    });
    let of_group = node.children.iter().filter_map(|child| of_elements.get(&child.id).copied()).collect();
    let roots = listeners.roots().collect();
    GroupProgram {
        controls: Vec::new(),
        packages: Vec::new(),
        transactions: Vec::new(),
        elements: Vec::new(),
        timeouts: Vec::new(),
        timers: 0,
        on_error: OnError::Continue,
        keeps_previous: false,
        reads_previous: false,
        same_user: false,
        external: Some(ExternalListeners { of_elements, of_group, roots }),
    }
}
