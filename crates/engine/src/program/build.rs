//! What is known while a thread group is compiled.

use std::collections::HashMap;
use std::rc::Rc;

use swell_api::{Compile, Listener, Make, Registry, Role};
use swell_plan::{Element, Node, NodeId};

use super::CompileOptions;
use crate::kinds::{Native, native};
use crate::prepare::Load;

/// What is known while a thread group is compiled.
pub(crate) struct CompileContext<'c> {
    pub(crate) registry: &'c Registry,
    pub(crate) compile: &'c Compile,
    pub(crate) options: CompileOptions,
    /// Place of the thread group in the plan.
    pub(crate) group: usize,
    /// When its users come and go.
    pub(crate) load: &'c Load,
    /// Something may read the loop indexes.
    pub(crate) indexes_are_read: bool,
    /// A function may read the response before.
    pub(crate) reads_previous: bool,
    /// A function that a provider answers may read samples.
    pub(crate) functions_read_samples: bool,
}

impl<'c> CompileContext<'c> {
    /// The role of an element.
    pub(crate) fn role(&self, element: &Element) -> Option<Role> {
        self.registry.role(element)
    }

    /// How an element is made; in no way if nobody knows it.
    pub(crate) fn make(&self, element: &Element) -> Make {
        self.registry.kind(element).map_or(Make::Nothing, |kind| kind.make.clone())
    }

    /// What the engine makes of an element, if it is its own.
    pub(crate) fn native(&self, element: &Element) -> Option<&'static Native> {
        native(self.registry, element)
    }

    /// Whether it is a sampler that runs what stands below it at once.
    pub(super) fn is_parallel(&self, element: &Element) -> bool {
        matches!(self.native(element), Some(Native::Parallel))
    }

    /// The children of a controller that can be next.
    pub(super) fn runnable<'n>(&'c self, node: &'n Node) -> impl Iterator<Item = &'n Node> + use<'n, 'c> {
        let can_be_next =
            |node: &Node| matches!(self.role(&node.element), Some(Role::Controller | Role::Sampler));
        node.children.iter().filter(move |child| can_be_next(child))
    }
}

/// Listeners of the whole program: one of each element and worker, whichever thread groups it listens to.
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
    pub(super) fn of(&mut self, node: &Node, context: &CompileContext<'_>) -> Option<u32> {
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
