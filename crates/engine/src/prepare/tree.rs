//! The tree that runs: disabled elements left out, Module and Include Controllers filled (`JMeter.convertSubTree`).

use std::path::PathBuf;
use std::sync::Arc;

use swell_plan::{Diagnostic, Node, NodeId, Place, Plan, PropertyValue, Severity};

use super::Settings;

/// Modules and includes within each other; more is taken for a circle.
const DEEPEST: usize = 50;

/// At hand while the tree is made.
pub(super) struct Grower<'p> {
    pub(super) settings: &'p Settings,
    pub(super) file: Option<Arc<PathBuf>>,
    /// Where modules are looked up: the root of the plan at hand.
    pub(super) root: &'p Node,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The next free id, for elements of included plans.
    pub(super) next_id: u32,
    pub(super) depth: usize,
}

/// The enabled tree with what is to be said about it.
pub(super) fn enabled(plan: &Plan, settings: &Settings) -> Result<(Node, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut last = 0;
    plan.root.walk(&mut |node| last = last.max(node.id.0));
    let (file, next_id) = (plan.file.clone(), last + 1);
    let mut grower = Grower { settings, file, root: &plan.root, diagnostics: Vec::new(), next_id, depth: 0 };
    let root = grower.grow(&plan.root);
    if grower.diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return Err(grower.diagnostics);
    }
    Ok((root, grower.diagnostics))
}

impl Grower<'_> {
    /// A node with the enabled part below it.
    pub(super) fn grow(&mut self, node: &Node) -> Node {
        let children = match node.element.class.as_str() {
            "ModuleController" => self.module(node),
            "IncludeController" => self.include(node),
            _ => self.grow_all(&node.children),
        };
        Node { id: node.id, element: node.element.clone(), children }
    }

    pub(super) fn grow_all(&mut self, nodes: &[Node]) -> Vec<Node> {
        nodes.iter().filter(|node| node.element.enabled()).map(|node| self.grow(node)).collect()
    }

    /// What stands below a Module Controller: its target, enabled even if it is not in the plan.
    fn module(&mut self, node: &Node) -> Vec<Node> {
        let path: Vec<_> = node.element.collection("ModuleController.node_path").iter().collect();
        let names: Vec<_> = path.iter().filter_map(|member| member.value.as_text()).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let mut target = None;
        find(std::slice::from_ref(self.root), &names, 1, &mut target);
        let Some(target) = target else {
            let message = format!("there is no controller at `{}`", names[1..].join(" > "));
            self.error(node, "ModuleController.node_path", message, "choose the target again in JMeter");
            return Vec::new();
        };
        if self.depth == DEEPEST {
            let message = format!("the module `{}` contains itself", target.element.name());
            self.error(node, "ModuleController.node_path", message, "choose a target without this module");
            return Vec::new();
        }
        self.depth += 1;
        let grown = self.grow(target);
        self.depth -= 1;
        vec![grown]
    }

    pub(super) fn error(&mut self, node: &Node, property: &str, message: String, hint: &str) {
        self.note(Severity::Error, node, property, message, hint);
    }

    pub(super) fn note(&mut self, severity: Severity, node: &Node, property: &str, message: String, hint: &str) {
        let place = Place {
            file: self.file.clone(),
            line: node.element.line,
            element: node.element.path.clone(),
            property: Some(property.to_owned()),
        };
        self.diagnostics.push(Diagnostic { severity, place, message, hint: Some(hint.to_owned()) });
    }

    /// Gives the elements of an included plan ids of their own.
    pub(super) fn renumber(&mut self, node: &mut Node) {
        node.id = NodeId(self.next_id);
        self.next_id += 1;
        for child in &mut node.children {
            self.renumber(child);
        }
    }

    pub(super) fn enter(&mut self) -> bool {
        self.depth += 1;
        self.depth <= DEEPEST
    }
}

/// `ModuleController.traverse`: of all full matches the last wins.
fn find<'p>(nodes: &'p [Node], names: &[&str], level: usize, target: &mut Option<&'p Node>) {
    let Some(name) = names.get(level) else { return };
    for node in nodes {
        if node.element.class == "ModuleController" || node.element.name() != *name {
            continue;
        }
        if level + 1 == names.len() {
            *target = Some(node);
        }
        find(&node.children, names, level + 1, target);
    }
}

/// The text of a property that is no element and no collection.
pub(super) fn plain<'e>(node: &'e Node, property: &str) -> &'e str {
    node.element.property(property).and_then(PropertyValue::as_text).unwrap_or_default()
}
