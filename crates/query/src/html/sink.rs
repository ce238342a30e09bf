//! A tree that is modified while html5ever parses a page.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName};

use super::{DEEPEST, MOST_NODES, TooLarge};
use crate::tree::{Builder, Document};

type Handle = usize;

struct Node {
    what: NodeContent,
    parent: Option<Handle>,
    children: Vec<Handle>,
    depth: u32,
}

enum NodeContent {
    Document,
    Element(QualName, Vec<Attribute>),
    Text(String),
    Comment(StrTendril),
}

pub(super) struct Sink {
    nodes: RefCell<Vec<Node>>,
    too_large: Cell<bool>,
}

impl Default for Sink {
    fn default() -> Self {
        let root = Node { what: NodeContent::Document, parent: None, children: Vec::new(), depth: 0 };
        Self { nodes: RefCell::new(vec![root]), too_large: Cell::new(false) }
    }
}

impl Sink {
    pub(super) fn is_too_large(&self) -> bool {
        self.too_large.get() || self.nodes.borrow().len() > MOST_NODES
    }

    fn add(&self, what: NodeContent) -> Handle {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node { what, parent: None, children: Vec::new(), depth: 0 });
        nodes.len() - 1
    }

    /// Puts a node or a text into a parent at a place.
    fn insert(&self, parent: Handle, at: usize, child: NodeOrText<Handle>) {
        let child = match child {
            NodeOrText::AppendNode(child) => {
                self.remove(child);
                child
            }
            NodeOrText::AppendText(text) => {
                if self.extend_text(parent, at, &text) {
                    return;
                }
                self.add(NodeContent::Text(text.to_string()))
            }
        };
        let mut nodes = self.nodes.borrow_mut();
        let depth = nodes[parent].depth + 1;
        if depth > DEEPEST {
            self.too_large.set(true);
        }
        nodes[child].parent = Some(parent);
        nodes[child].depth = depth;
        let children = &mut nodes[parent].children;
        let at = at.min(children.len());
        children.insert(at, child);
    }

    /// Adds to the text before a place, if there is one.
    fn extend_text(&self, parent: Handle, at: usize, text: &str) -> bool {
        let mut nodes = self.nodes.borrow_mut();
        let before = at.min(nodes[parent].children.len()).checked_sub(1);
        let Some(before) = before.map(|before| nodes[parent].children[before]) else { return false };
        match &mut nodes[before].what {
            NodeContent::Text(known) => {
                known.push_str(text);
                true
            }
            _ => false,
        }
    }

    fn remove(&self, child: Handle) {
        let mut nodes = self.nodes.borrow_mut();
        if let Some(parent) = nodes[child].parent.take() {
            // What is removed was added lately, mostly.
            if let Some(at) = nodes[parent].children.iter().rposition(|&other| other == child) {
                nodes[parent].children.remove(at);
            }
        }
    }

    fn place(&self, child: Handle) -> Option<(Handle, usize)> {
        let nodes = self.nodes.borrow();
        let parent = nodes[child].parent?;
        let at = nodes[parent].children.iter().rposition(|&other| other == child)?;
        Some((parent, at))
    }
}

/// In document order.
fn flat(nodes: &[Node]) -> Document {
    enum Visit {
        Visit(Handle),
        Close,
    }
    let mut builder = Builder::new(false);
    let mut todo: Vec<_> = nodes[0].children.iter().rev().map(|&child| Visit::Visit(child)).collect();
    while let Some(next) = todo.pop() {
        let Visit::Visit(at) = next else {
            builder.close();
            continue;
        };
        match &nodes[at].what {
            NodeContent::Element(name, attributes) => {
                builder.open(&name.local, "");
                for attribute in attributes {
                    builder.attribute(&attribute.name.local, "", &attribute.value);
                }
                todo.push(Visit::Close);
                todo.extend(nodes[at].children.iter().rev().map(|&child| Visit::Visit(child)));
            }
            NodeContent::Text(text) => builder.text(text),
            NodeContent::Comment(text) => builder.comment(text),
            NodeContent::Document => {}
        }
    }
    builder.finish()
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Result<Document, TooLarge>;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self::Output {
        if self.is_too_large() { Err(TooLarge) } else { Ok(flat(&self.nodes.borrow())) }
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> Ref<'a, QualName> {
        Ref::map(self.nodes.borrow(), |nodes| match &nodes[*target].what {
            NodeContent::Element(name, _) => name,
            _ => unreachable!("the tree builder asks elements for their names"),
        })
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> Handle {
        self.add(NodeContent::Element(name, attributes))
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        self.add(NodeContent::Comment(text))
    }

    fn create_pi(&self, _: StrTendril, data: StrTendril) -> Handle {
        self.add(NodeContent::Comment(data))
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(*parent, usize::MAX, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        if self.nodes.borrow()[*element].parent.is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        *target
    }

    fn same_node(&self, a: &Handle, b: &Handle) -> bool {
        a == b
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, node: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(child) = &node {
            self.remove(*child);
        }
        if let Some((parent, at)) = self.place(*sibling) {
            self.insert(parent, at, node);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, more: Vec<Attribute>) {
        if let NodeContent::Element(_, attributes) = &mut self.nodes.borrow_mut()[*target].what {
            for attribute in more {
                if attributes.iter().all(|known| known.name != attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.remove(*target);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let children = std::mem::take(&mut self.nodes.borrow_mut()[*node].children);
        for child in children {
            self.nodes.borrow_mut()[child].parent = None;
            self.insert(*new_parent, usize::MAX, NodeOrText::AppendNode(child));
        }
    }
}
