//! What of a plan belongs to thread groups that something else runs.

use swell_api::{Make, Registry};
use swell_plan::{Node, NodeId};

/// Whether something else runs this thread group, with all that stands below it.
pub(crate) fn is_external(node: &Node, registry: &Registry) -> bool {
    registry.kind(&node.element).is_some_and(|kind| matches!(kind.make, Make::ExternalGroup(_)))
}

/// Whether it is a listener that the engine tells of the samples of such groups.
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
pub(super) fn own_tree(root: &Node, registry: &Registry) -> Node {
    let children = root.children.iter().filter(|child| !is_external(child, registry)).cloned().collect();
    Node { id: root.id, element: root.element.clone(), children }
}

/// Visits the nodes of the tree that the engine runs itself, in document order.
pub(crate) fn walk_own<'n>(root: &'n Node, registry: &Registry, visit: &mut dyn FnMut(&'n Node)) {
    visit(root);
    for child in root.children.iter().filter(|child| !is_external(child, registry)) {
        child.walk(visit);
    }
}
