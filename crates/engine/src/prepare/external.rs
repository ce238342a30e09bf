//! The parts of a plan that belong to thread groups run by another component.

use std::sync::Arc;

use swell_api::{ElementKind, Make, Registry, Role};
use swell_plan::{Node, NodeId};

/// An element that delegates a thread group to another component, although the engine supports the
/// group.
#[derive(Clone)]
pub(super) struct GroupDelegate<'n> {
    pub(super) node: &'n Node,
    pub(super) kind: Arc<ElementKind>,
}

/// What delegates the thread groups of a plan. The level of the Test Plan is in the scope of each
/// group, so it is searched once: plans have thousands of groups.
pub(super) struct Delegation<'n> {
    of_root: Option<GroupDelegate<'n>>,
}

impl<'n> Delegation<'n> {
    pub(super) fn of(root: &'n Node, registry: &Registry) -> Self {
        let mut nodes = root.children.iter();
        let of_root = nodes.find_map(|node| {
            let kind = registry.kind(&node.element)?;
            (kind.role != Role::ThreadGroup).then(|| delegate(node, kind)).flatten()
        });
        Self { of_root }
    }

    /// The first such element in the scope of a thread group: below it, or on the level of the Test
    /// Plan.
    pub(super) fn taker(&self, group: &'n Node, registry: &Registry) -> Option<GroupDelegate<'n>> {
        let mut found = None;
        group.walk(&mut |node: &'n Node| {
            if found.is_none() {
                found = registry.kind(&node.element).and_then(|kind| delegate(node, kind));
            }
        });
        found.or_else(|| self.of_root.clone())
    }

    /// Whether foreign code runs this thread group of the plan and all its elements.
    fn is_external(&self, node: &'n Node, registry: &Registry) -> bool {
        registry.kind(&node.element).is_some_and(|kind| {
            matches!(kind.make, Make::ExternalGroup(_))
                || kind.role == Role::ThreadGroup && self.taker(node, registry).is_some()
        })
    }
}

fn delegate(node: &Node, kind: Arc<ElementKind>) -> Option<GroupDelegate<'_>> {
    matches!(kind.make, Make::InExternalGroup(_)).then_some(GroupDelegate { node, kind })
}

/// Whether the engine sends this listener the samples of such groups.
pub(crate) fn hears_from_engine(node: &Node, registry: &Registry) -> bool {
    registry.kind(&node.element).is_some_and(|kind| matches!(kind.make, Make::Listener(_)))
}

/// The listeners in such a group that hear of its samples from the engine.
pub(super) fn listeners(group: &Node, registry: &Registry) -> Vec<NodeId> {
    let mut found = Vec::new();
    group.walk(&mut |node| {
        if hears_from_engine(node, registry) {
            found.push(node.id);
        }
    });
    found
}

/// The tree that the engine runs itself.
pub(crate) fn own_tree(root: &Node, registry: &Registry) -> Node {
    let delegation = Delegation::of(root, registry);
    let own = root.children.iter().filter(|child| !delegation.is_external(child, registry));
    let children = own.cloned().collect();
    Node { id: root.id, element: root.element.clone(), children }
}

/// Visits the nodes of the tree that the engine runs itself, in document order.
pub(crate) fn walk_own<'n>(root: &'n Node, registry: &Registry, visit: &mut dyn FnMut(&'n Node)) {
    visit(root);
    let delegation = Delegation::of(root, registry);
    for child in root.children.iter().filter(|child| !delegation.is_external(child, registry)) {
        child.walk(visit);
    }
}
