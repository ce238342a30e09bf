//! The axes of XPath over a flat tree.

use super::expression::{Axis, Test};
use crate::tree::{Document, NodeId, NodeKind};

/// Calls `visit` with each node of an axis in the axis's order, until it says no.
pub fn walk(document: &Document, axis: Axis, from: NodeId, visit: &mut dyn FnMut(NodeId) -> bool) {
    let is_leading = matches!(document.kind(from), NodeKind::Attribute | NodeKind::Namespace);
    let mut all = |nodes: &mut dyn Iterator<Item = NodeId>| {
        for node in nodes {
            if !visit(node) {
                break;
            }
        }
    };
    match axis {
        Axis::SelfNode => {
            all(&mut std::iter::once(from));
        }
        Axis::Child if !is_leading => {
            all(&mut document.children(from));
        }
        Axis::Descendant if !is_leading => {
            all(&mut document.descendants(from));
        }
        Axis::DescendantOrSelf => {
            all(&mut std::iter::once(from).chain(document.descendants(from)));
        }
        Axis::Attribute if !is_leading => {
            all(&mut document.attributes(from));
        }
        Axis::Namespace => {
            let held = namespaces_in_scope(document, from).into_iter();
            all(&mut held.filter(|&declaration| !document.value(declaration).is_empty()));
        }
        Axis::Parent => {
            all(&mut ancestors(document, from).take(1));
        }
        Axis::Ancestor => {
            all(&mut ancestors(document, from));
        }
        Axis::AncestorOrSelf => {
            all(&mut std::iter::once(from).chain(ancestors(document, from)));
        }
        Axis::FollowingSibling if !is_leading => {
            all(&mut document.children(document.parent(from)).skip_while(|&node| node <= from));
        }
        Axis::PrecedingSibling if !is_leading => {
            let before: Vec<_> =
                document.children(document.parent(from)).take_while(|&node| node < from).collect();
            all(&mut before.into_iter().rev());
        }
        Axis::Following => {
            all(&mut (document.end(from)..document.len()).filter(|&node| is_content(document, node)));
        }
        Axis::Preceding => {
            let before = (1..from).rev().filter(|&node| is_content(document, node));
            all(&mut before.filter(|&node| document.end(node) <= from));
        }
        _ => {}
    }
}

fn is_content(document: &Document, node: NodeId) -> bool {
    !matches!(document.kind(node), NodeKind::Attribute | NodeKind::Namespace)
}

/// From the parent to the root.
fn ancestors(document: &Document, from: NodeId) -> impl Iterator<Item = NodeId> {
    let parent = move |&node: &NodeId| (node != 0).then(|| document.parent(node));
    std::iter::successors(parent(&from), parent)
}

/// The declarations that hold for an element, its own first; those that take the namespace away
/// included.
pub(crate) fn namespaces_in_scope(document: &Document, element: NodeId) -> Vec<NodeId> {
    if document.kind(element) != NodeKind::Element {
        return Vec::new();
    }
    let mut found: Vec<NodeId> = Vec::new();
    for holder in std::iter::once(element).chain(ancestors(document, element)) {
        for declaration in document.declarations(holder) {
            let prefix = document.name(declaration);
            if found.iter().all(|&known| document.name(known) != prefix) {
                found.push(declaration);
            }
        }
    }
    found
}

/// Whether a node of an axis passes a test. The second part of one text is not a separate node.
pub fn passes(
    document: &Document,
    axis: Axis,
    test: &Test,
    whole_names: bool,
    node: NodeId,
    namespaces: &[String],
) -> bool {
    let kind = document.kind(node);
    let principal = match axis {
        Axis::Attribute => NodeKind::Attribute,
        Axis::Namespace => NodeKind::Namespace,
        _ => NodeKind::Element,
    };
    let is_local = document.has_namespaces() || !whole_names;
    let tested_name = || if is_local { document.local_name(node) } else { document.name(node) };
    match test {
        Test::Node => !document.continues_text(node),
        Test::Text => document.is_text(node) && !document.continues_text(node),
        Test::Comment => kind == NodeKind::Comment,
        Test::Instruction(target) => {
            kind == NodeKind::Instruction
                && target.as_ref().is_none_or(|target| document.name(node) == target)
        }
        Test::Any => kind == principal,
        Test::AnyNamespace(name) => kind == principal && tested_name() == name,
        Test::AnyIn(prefix) => kind == principal && document.namespace(node) == namespaces[*prefix],
        Test::Name(prefix, name) => {
            let namespace = prefix.map_or("", |prefix| &*namespaces[prefix]);
            kind == principal && tested_name() == name && document.namespace(node) == namespace
        }
    }
}
