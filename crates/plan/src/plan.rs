//! A complete plan.

use std::path::PathBuf;
use std::sync::Arc;

use crate::element::{Element, Node, NodeId, Property, PropertyValue};

/// A test plan with everything that is needed to write it back.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The Test Plan element. A file without one (a saved fragment) gets one whose tag is empty; it
    /// is not written.
    pub root: Node,
    /// Other top-level elements: mostly the WorkBench of old versions. They do not affect a run.
    /// Those with a lower id than the root come before it.
    pub beside: Vec<Node>,
    /// The file it was read from.
    pub file: Option<Arc<PathBuf>>,
    /// Attributes of `jmeterTestPlan` in file order: `version`, `properties`, `jmeter`.
    pub attributes: Vec<(String, String)>,
}

impl Plan {
    /// A plan made in memory, from its Test Plan element and all below. Ids and paths are set here.
    pub fn new(mut root: Node) -> Self {
        renumber(&mut root, &mut 0, "");
        let attributes = [("version", "1.2"), ("properties", "5.0"), ("jmeter", "5.6.3")];
        let attributes = attributes.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        Self { root, beside: Vec::new(), file: None, attributes }
    }

    /// The version of JMeter that saved the plan, as `5.6.3` or `2.13 r1665067`; empty before
    /// JMeter 2.8.
    pub fn jmeter_version(&self) -> &str {
        self.attribute("jmeter")
    }

    /// The version of the file format: `1.2` since JMeter 2.2.
    pub fn format_version(&self) -> &str {
        self.attribute("version")
    }

    fn attribute(&self, name: &str) -> &str {
        self.attributes.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// The elements that take part in a run: disabled ones and all below them are left out, and so
    /// are the siblings of the Test Plan (`JMeter.convertSubTree`). Ids are kept. Module and
    /// Include Controllers are unchanged.
    pub fn enabled_tree(&self) -> Node {
        enabled_part(&self.root)
    }

    /// The elements of the outermost `hashTree` in the order of the file.
    pub(crate) fn top(&self) -> impl Iterator<Item = &Node> {
        let is_before = |node: &&Node| node.id < self.root.id;
        let root = std::slice::from_ref(&self.root);
        let written = if self.root.element.tag.is_empty() { &self.root.children } else { root };
        let before = self.beside.iter().filter(move |node| is_before(node));
        before.chain(written).chain(self.beside.iter().filter(move |node| !is_before(node)))
    }
}

fn renumber(node: &mut Node, next: &mut u32, parent: &str) {
    node.id = NodeId(*next);
    *next += 1;
    let path = join(parent, node.element.name());
    set_path(&mut node.element, path);
    for child in &mut node.children {
        renumber(child, next, &node.element.path);
    }
}

/// Sets the path of an element and of those in its properties, which are at the same place of the
/// tree.
pub(crate) fn set_path(element: &mut Element, path: String) {
    for property in &mut element.properties {
        set_property_path(property, &path);
    }
    element.path = path;
}

fn set_property_path(property: &mut Property, path: &str) {
    match &mut property.value {
        PropertyValue::Element(element) => set_path(element, path.to_owned()),
        PropertyValue::Collection(members) | PropertyValue::Map(members) => {
            for member in members {
                set_property_path(member, path);
            }
        }
        _ => {}
    }
}

/// Names longer than this are cut in paths, so that paths stay small compared with the plan.
const NAME_LIMIT: usize = 100;

/// Paths longer than this many bytes do not grow further.
const PATH_LIMIT: usize = 500;

/// The path of an element under its parent's.
pub(crate) fn join(parent: &str, name: &str) -> String {
    if parent.len() > PATH_LIMIT {
        return parent.to_owned();
    }
    let mut path = String::with_capacity(parent.len() + name.len().min(NAME_LIMIT) + 3);
    path.push_str(parent);
    if !parent.is_empty() {
        path.push_str(" > ");
    }
    match name.char_indices().nth(NAME_LIMIT) {
        Some((end, _)) => path.extend([&name[..end], "…"]),
        None => path.push_str(name),
    }
    path
}

fn enabled_part(node: &Node) -> Node {
    let children = node.children.iter().filter(|child| child.element.enabled());
    Node { id: node.id, element: node.element.clone(), children: children.map(enabled_part).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;

    fn named(name: &str) -> Node {
        Node::new(Element::new("GenericController", "LogicControllerGui", name))
    }

    fn names(root: &Node) -> Vec<(u32, String)> {
        let mut names = Vec::new();
        root.walk(&mut |node| names.push((node.id.0, node.element.path.clone())));
        names
    }

    #[test]
    fn paths_stay_short() {
        assert_eq!(join("", "a"), "a");
        assert_eq!(join("a", "b"), "a > b");
        assert_eq!(join("", &"é".repeat(101)), format!("{}…", "é".repeat(100)));
        let long = "x".repeat(PATH_LIMIT + 1);
        assert_eq!(join(&long, "a"), long);
    }

    #[test]
    fn a_plan_in_memory_is_numbered_and_its_disabled_part_left_out() {
        let off = Node::new(Element::new("IfController", "IfControllerPanel", "off").disabled());
        let plan = Plan::new(named("p").with(named("a").with(off.with(named("x")))).with(named("b")));
        let all = [(0, "p"), (1, "p > a"), (2, "p > a > off"), (3, "p > a > off > x"), (4, "p > b")];
        assert_eq!(names(&plan.root), all.map(|(id, path)| (id, path.to_owned())));
        let run = [(0, "p"), (1, "p > a"), (4, "p > b")];
        assert_eq!(names(&plan.enabled_tree()), run.map(|(id, path)| (id, path.to_owned())));
    }
}
