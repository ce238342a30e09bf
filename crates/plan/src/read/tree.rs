//! Reads the tree of elements: each element with the `hashTree` that follows it.

use super::findings::Findings;
use crate::diagnostic::Severity;
use crate::element::{Element, Node, NodeId};
use crate::names::{alias_of, class_of};
use crate::plan::{Plan, join, set_path};
use crate::xml::{Document, Index};

/// Turns a document into a plan.
pub(super) struct Converter<'d> {
    pub(super) document: &'d Document<'d>,
    pub(super) findings: &'d mut Findings,
    /// Texts are URL-encoded, as in format 1.0.
    pub(super) form_encoded: bool,
    /// Room for a property as JMeter would write it.
    pub(super) scratch: String,
    /// How many elements may still be looked at to follow references, so that a plan full of them
    /// ends in time.
    pub(super) reference_steps: usize,
    next_id: u32,
}

/// Real plans need some hundred.
const REFERENCE_STEPS: usize = 10_000_000;

/// Whether the element is a `hashTree`, by alias or class name.
pub(crate) fn is_hash_tree(document: &Document<'_>, index: Index) -> bool {
    let tag = document.tag(index);
    tag == "hashTree" || alias_of(class_of(tag)) == "hashTree"
}

impl<'d> Converter<'d> {
    pub(super) fn new(document: &'d Document<'d>, findings: &'d mut Findings) -> Self {
        Self {
            document,
            findings,
            form_encoded: false,
            scratch: String::new(),
            reference_steps: REFERENCE_STEPS,
            next_id: 0,
        }
    }

    /// The plan in the outermost `hashTree`.
    pub(super) fn plan(mut self, mut attributes: Vec<(String, String)>, top: Index) -> Option<Plan> {
        if let Some((_, version)) =
            attributes.iter_mut().find(|(key, version)| key == "version" && version == "1.0")
        {
            self.form_encoded = true;
            "1.2".clone_into(version);
        }
        let mut nodes = self.forest(top, "", 2);
        if nodes.is_empty() {
            let line = self.document.line(top);
            self.findings.add(
                Severity::Error,
                line,
                "the plan contains no element, so there is nothing to \
                                                      run",
            );
            return None;
        }
        let root = match nodes.iter().position(|node| node.element.class == "TestPlan") {
            Some(position) => nodes.remove(position),
            None => self.wrapped(std::mem::take(&mut nodes), top),
        };
        Some(Plan { root, beside: nodes, file: self.findings.file(), attributes })
    }

    /// A Test Plan around the elements of a file that has none.
    fn wrapped(&mut self, children: Vec<Node>, top: Index) -> Node {
        let line = self.document.line(top);
        self.findings.add(
            Severity::Note,
            line,
            "no Test Plan element: this is a fragment for an Include Controller",
        );
        let mut element = Element::new("TestPlan", "TestPlanGui", "");
        element.tag.clear();
        Node { id: self.id(), element, children }
    }

    fn id(&mut self) -> NodeId {
        let id = NodeId(self.next_id);
        self.next_id += 1;
        id
    }

    /// The nodes in a `hashTree`. JMeter takes its children in pairs, an element and its
    /// `hashTree`, and refuses the plan if they are not; here an element without one has no
    /// children, and a `hashTree` too many is added to the element before it, or to `path` if there
    /// is none.
    fn forest(&mut self, hash_tree: Index, path: &str, depth: usize) -> Vec<Node> {
        let document = self.document;
        let mut nodes: Vec<Node> = Vec::new();
        let mut has_tree = true;
        for child in document.children(hash_tree) {
            if !is_hash_tree(document, child) {
                self.expect_tree(&nodes, has_tree);
                let element = self.element(child, path, depth);
                nodes.push(Node { id: self.id(), element, children: Vec::new() });
                has_tree = false;
                continue;
            }
            if has_tree {
                self.extra_tree(child, path);
            }
            has_tree = true;
            match nodes.last_mut() {
                Some(parent) => {
                    let parent_path = parent.element.path.clone();
                    parent.children.extend(self.forest(child, &parent_path, depth + 1));
                }
                None => nodes = self.forest(child, path, depth + 1),
            }
        }
        self.expect_tree(&nodes, has_tree);
        nodes
    }

    fn expect_tree(&mut self, nodes: &[Node], has_tree: bool) {
        let (false, Some(node)) = (has_tree, nodes.last()) else { return };
        let message = "no `hashTree` follows the element; JMeter refuses such a plan, Swell reads it as having no \
             children";
        let finding = self.findings.add(Severity::Warning, node.element.line, message);
        finding.place.element.clone_from(&node.element.path);
        finding.hint = Some("add `<hashTree/>` after the element".to_owned());
    }

    fn extra_tree(&mut self, hash_tree: Index, path: &str) {
        let message = "a `hashTree` without an element before it; JMeter refuses such a plan, Swell assigns it to the \
                       element before";
        let finding = self.findings.add(Severity::Warning, self.document.line(hash_tree), message);
        path.clone_into(&mut finding.place.element);
    }

    fn element(&mut self, index: Index, parent: &str, depth: usize) -> Element {
        let mut element = self.test_element(index, depth);
        let path = join(parent, element.name());
        set_path(&mut element, path);
        self.check(&element);
        element
    }
}
