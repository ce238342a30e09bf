//! What compiling a thread group needs from the table of elements, and the listeners of all groups.

use std::collections::HashMap;
use std::rc::Rc;

use swell_api::{Listener, Make};
use swell_plan::{Element, Node, NodeId};

use crate::compile_context::GroupCompileContext;
use crate::kinds::{Native, native};

impl GroupCompileContext<'_> {
    /// What the engine makes of an element, if it is its own.
    pub(super) fn native(&self, element: &Element) -> Option<&'static Native> {
        native(self.registry, element)
    }

    /// Whether it is a sampler that runs its children in parallel.
    pub(super) fn is_parallel(&self, element: &Element) -> bool {
        matches!(self.native(element), Some(Native::Parallel))
    }
}

/// The listeners of a whole program: one per element and worker, whichever thread groups it listens
/// to.
pub(crate) struct Listeners {
    all: Vec<Rc<dyn Listener>>,
    roots: u32,
    of_nodes: HashMap<NodeId, Option<u32>>,
}

impl Listeners {
    pub(super) fn new(roots: Vec<Rc<dyn Listener>>) -> Self {
        let count = roots.len() as u32;
        Self { all: roots, roots: count, of_nodes: HashMap::new() }
    }

    pub(super) fn all(self) -> Vec<Rc<dyn Listener>> {
        self.all
    }

    /// Places of those that came with the run.
    pub(super) fn roots(&self) -> std::ops::Range<u32> {
        0..self.roots
    }

    pub(super) fn get(&self, place: u32) -> &Rc<dyn Listener> {
        &self.all[place as usize]
    }

    /// The place of a listener element; none if it has nothing to do.
    pub(super) fn of(&mut self, node: &Node, context: &GroupCompileContext<'_>) -> Option<u32> {
        if let Some(known) = self.of_nodes.get(&node.id) {
            return *known;
        }
        let made = match context.make(&node.element) {
            Make::Listener(make) if !context.options.dry => make(node, context.compile),
            _ => None,
        };
        let place = made.map(|listener| {
            self.all.push(listener);
            self.all.len() as u32 - 1
        });
        self.of_nodes.insert(node.id, place);
        place
    }
}
