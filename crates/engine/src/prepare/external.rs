//! The parts of a plan that belong to thread groups run by another component.

use std::sync::Arc;

use swell_api::{ElementKind, Make, Registry, Role};
use swell_plan::{Node, NodeId};

/// Whether foreign code runs this thread group of the plan and all its elements.
pub(crate) fn is_external(root: &Node, node: &Node, registry: &Registry) -> bool {
    registry.kind(&node.element).is_some_and(|kind| {
        matches!(kind.make, Make::ExternalGroup(_))
            || kind.role == Role::ThreadGroup && taker(root, node, registry).is_some()
    })
}

/// An element that delegates a thread group to another component, although the engine supports the
/// group.
pub(super) struct GroupDelegate<'n> {
    pub(super) node: &'n Node,
    pub(super) kind: Arc<ElementKind>,
}

/// The first such element in the scope of a thread group: below it, or on the level of the Test
/// Plan.
pub(super) fn taker<'n>(root: &'n Node, group: &'n Node, registry: &Registry) -> Option<GroupDelegate<'n>> {
    let mut found = None;
    let mut look = |node: &'n Node| {
        if found.is_none()
            && let Some(kind) = registry.kind(&node.element)
            && matches!(kind.make, Make::InExternalGroup(_))
        {
            found = Some(GroupDelegate { node, kind });
        }
    };
    group.walk(&mut look);
    root.children
        .iter()
        .filter(|child| registry.role(&child.element) != Some(Role::ThreadGroup))
        .for_each(look);
    found
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
    let children =
        root.children.iter().filter(|child| !is_external(root, child, registry)).cloned().collect();
    Node { id: root.id, element: root.element.clone(), children }
}

/// Visits the nodes of the tree that the engine runs itself, in document order.
pub(crate) fn walk_own<'n>(root: &'n Node, registry: &Registry, visit: &mut dyn FnMut(&'n Node)) {
    visit(root);
    for child in root.children.iter().filter(|child| !is_external(root, child, registry)) {
        child.walk(visit);
    }
}
