//! A document as a flat tree in document order.

use std::collections::HashMap;
use std::ops::Range;

/// A node of a document: its index in document order. The root is 0.
pub type NodeId = u32;

/// The largest document that is kept, in bytes: positions are 32 bits wide.
pub(crate) const LARGEST: usize = u32::MAX as usize / 2;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// The document itself.
    Root,
    /// An element.
    Element,
    /// A namespace declaration of the element before it; its name is the prefix.
    Namespace,
    /// An attribute of the element before it.
    Attribute,
    /// Text.
    Text,
    /// A CDATA section.
    Cdata,
    /// A comment.
    Comment,
    /// A processing instruction; its name is the target.
    Instruction,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: NodeKind,
    name: u32,
    parent: NodeId,
    /// After the last node below it.
    end: NodeId,
    /// Its value, as a part of the document's text.
    text: (u32, u32),
}

/// A name with its namespace.
#[derive(Debug)]
struct Name {
    qualified: Box<str>,
    /// Length of the prefix and its colon.
    prefix: usize,
    namespace: Box<str>,
}

/// A document. Nodes are in document order: an element, its namespace declarations, its attributes,
/// its content.
#[derive(Debug)]
pub struct Document {
    nodes: Vec<Node>,
    names: Vec<Name>,
    text: String,
    namespaces: bool,
}

impl Document {
    /// A document without anything in it.
    pub fn empty() -> Self {
        Builder::new(true).finish()
    }

    /// What a node is.
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.node(node).kind
    }

    /// The node that it is in; the root is in itself.
    pub fn parent(&self, node: NodeId) -> NodeId {
        self.node(node).parent
    }

    /// After the last node below it.
    pub fn end(&self, node: NodeId) -> NodeId {
        self.node(node).end
    }

    /// How many names there are.
    pub(crate) fn name_count(&self) -> usize {
        self.names.len()
    }

    /// For each name of the document by its number, whether it is as `is_wanted` says of its whole
    /// name, its local name and its namespace.
    pub(crate) fn names_that(&self, is_wanted: impl Fn(&str, &str, &str) -> bool) -> Vec<bool> {
        let wanted =
            |name: &Name| is_wanted(&name.qualified, &name.qualified[name.prefix..], &name.namespace);
        self.names.iter().map(wanted).collect()
    }

    /// Whether a node is an element with one of some names, by their numbers.
    #[inline]
    pub(crate) fn is_element_of(&self, node: NodeId, names: &[bool]) -> bool {
        let node = self.node(node);
        node.kind == NodeKind::Element && names[node.name as usize]
    }

    /// How many nodes it is with all that are below it.
    pub fn size(&self, node: NodeId) -> usize {
        (self.end(node) - node) as usize
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.text.capacity()
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> NodeId {
        self.nodes.len() as NodeId
    }

    /// Whether it was read with regard to namespaces.
    pub fn has_namespaces(&self) -> bool {
        self.namespaces
    }

    /// The name as it is written; empty where a node has none.
    pub fn name(&self, node: NodeId) -> &str {
        &self.name_of(node).qualified
    }

    /// The name after its prefix.
    pub fn local_name(&self, node: NodeId) -> &str {
        let name = self.name_of(node);
        &name.qualified[name.prefix..]
    }

    /// The prefix without its colon, empty if there is none.
    pub fn prefix(&self, node: NodeId) -> &str {
        let name = self.name_of(node);
        &name.qualified[..name.prefix.saturating_sub(1)]
    }

    /// The namespace, empty if there is none.
    pub fn namespace(&self, node: NodeId) -> &str {
        &self.name_of(node).namespace
    }

    /// The value of an attribute, a text, a comment or an instruction; empty for others.
    pub fn value(&self, node: NodeId) -> &str {
        let (start, end) = self.node(node).text;
        &self.text[start as usize..end as usize]
    }

    /// Namespace declarations of an element.
    pub fn declarations(&self, element: NodeId) -> impl Iterator<Item = NodeId> {
        self.leading(element).filter(|&node| self.kind(node) == NodeKind::Namespace)
    }

    /// Attributes of an element.
    pub fn attributes(&self, element: NodeId) -> impl Iterator<Item = NodeId> {
        self.leading(element).filter(|&node| self.kind(node) == NodeKind::Attribute)
    }

    /// The value of an attribute with that name.
    pub fn attribute(&self, element: NodeId, name: &str) -> Option<&str> {
        self.attributes(element).find(|&node| self.name(node) == name).map(|node| self.value(node))
    }

    fn leading(&self, element: NodeId) -> Range<NodeId> {
        element + 1..self.first_inside(element)
    }

    /// After an element's attributes: its first child, if it has one.
    fn first_inside(&self, node: NodeId) -> NodeId {
        let end = self.end(node);
        let mut at = node + 1;
        while at < end && self.is_leading(at) {
            at += 1;
        }
        at
    }

    fn is_leading(&self, node: NodeId) -> bool {
        matches!(self.kind(node), NodeKind::Attribute | NodeKind::Namespace)
    }

    /// What is directly in a node, attributes left out.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        Children { document: self, at: self.first_inside(node), end: self.end(node) }
    }

    /// All nodes below a node, attributes left out.
    pub fn descendants(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        (node + 1..self.end(node)).filter(|&below| !self.is_leading(below))
    }

    /// All nodes in document order.
    pub fn all(&self) -> impl Iterator<Item = NodeId> + use<> {
        0..self.len()
    }

    /// Whether a node is below another.
    pub fn is_in(&self, node: NodeId, other: NodeId) -> bool {
        node > other && node < self.end(other)
    }

    /// Names and values of an element's attributes.
    pub fn pairs(&self, element: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.attributes(element).map(|node| (self.name(node), self.value(node)))
    }

    /// The element that is the document's content.
    pub fn document_element(&self) -> Option<NodeId> {
        self.children(0).find(|&node| self.kind(node) == NodeKind::Element)
    }

    /// Whether a node is a text that continues the text right before it: one text to XPath.
    pub fn continues_text(&self, node: NodeId) -> bool {
        self.is_text(node) && node > 0 && self.is_text(node - 1) && self.parent(node) == self.parent(node - 1)
    }

    /// Whether it is text or a section of characters.
    pub fn is_text(&self, node: NodeId) -> bool {
        matches!(self.kind(node), NodeKind::Text | NodeKind::Cdata)
    }

    /// The string-value of a node (XPath 1.0, 5).
    pub fn string_value(&self, node: NodeId) -> String {
        match self.kind(node) {
            NodeKind::Root | NodeKind::Element => self
                .descendants(node)
                .filter(|&below| self.is_text(below))
                .map(|below| self.value(below))
                .collect(),
            NodeKind::Text | NodeKind::Cdata => {
                let rest = (node + 1..self.len()).take_while(|&next| self.continues_text(next));
                std::iter::once(node).chain(rest).map(|part| self.value(part)).collect()
            }
            _ => self.value(node).to_owned(),
        }
    }

    /// What JMeter's `XPathUtil` takes of a node: the value of its first child if there is one,
    /// else its own (`Node.getNodeValue`); none for elements.
    pub fn dom_value(&self, node: NodeId) -> Option<&str> {
        let holder = match self.kind(node) {
            NodeKind::Element => self.children(node).next().unwrap_or(node),
            _ => node,
        };
        match self.kind(holder) {
            NodeKind::Element | NodeKind::Root => None,
            _ => Some(self.value(holder)),
        }
    }

    fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node as usize]
    }

    fn name_of(&self, node: NodeId) -> &Name {
        &self.names[self.node(node).name as usize]
    }
}

/// Children of a node.
pub(crate) struct Children<'d> {
    document: &'d Document,
    at: NodeId,
    end: NodeId,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let node = self.at;
        if node >= self.end {
            return None;
        }
        self.at = self.document.end(node);
        Some(node)
    }
}

/// Builds a document, in document order.
pub struct Builder {
    document: Document,
    open: Vec<NodeId>,
    /// The numbers of names, where they are many.
    names: HashMap<String, u32>,
    key: String,
    /// Names that were used lately, by [`place_of`]: most of a document's are among them.
    recent: [u32; RECENT],
}

const RECENT: usize = 32;

/// Names that are compared with each other; more are put in a map.
const FEW_NAMES: usize = 24;

/// Where a name is among those used lately.
fn place_of(name: &str) -> usize {
    let byte = |at: usize| usize::from(name.as_bytes().get(at).copied().unwrap_or(0));
    (name.len() * 5 + byte(0) + byte(name.len().wrapping_sub(1)) * 3) % RECENT
}

impl Builder {
    /// A document without nodes; `namespaces`: names have prefixes and namespaces.
    pub fn new(namespaces: bool) -> Self {
        Self::of_size(namespaces, 0)
    }

    /// The same for a document that is made of a text of that many bytes.
    pub(crate) fn of_size(namespaces: bool, bytes: usize) -> Self {
        let nodes = Vec::with_capacity(bytes / 20);
        let text = String::with_capacity(bytes / 2);
        let document = Document { nodes, names: Vec::new(), text, namespaces };
        let names = HashMap::new();
        let mut builder = Self { document, open: Vec::new(), names, key: String::new(), recent: [0; RECENT] };
        let name = builder.name("", "");
        let root = Node { kind: NodeKind::Root, name, parent: 0, end: 0, text: (0, 0) };
        builder.document.nodes.push(root);
        builder.open.push(0);
        builder
    }

    fn name(&mut self, qualified: &str, namespace: &str) -> u32 {
        let place = place_of(qualified);
        let recent = self.recent[place];
        if let Some(name) = self.document.names.get(recent as usize)
            && *name.qualified == *qualified
            && *name.namespace == *namespace
        {
            return recent;
        }
        let number = self.find_name(qualified, namespace);
        self.recent[place] = number;
        number
    }

    fn find_name(&mut self, qualified: &str, namespace: &str) -> u32 {
        if self.document.names.len() <= FEW_NAMES {
            let is_known = |name: &Name| *name.qualified == *qualified && *name.namespace == *namespace;
            return match self.document.names.iter().position(is_known) {
                Some(known) => known as u32,
                None => self.add_name(qualified, namespace),
            };
        }
        if self.names.is_empty() {
            let key = |name: &Name| format!("{}\0{}", name.namespace, name.qualified);
            self.names = self.document.names.iter().map(key).zip(0..).collect();
        }
        self.key.clear();
        self.key.extend([namespace, "\0", qualified]);
        if let Some(&known) = self.names.get(&self.key) {
            return known;
        }
        let number = self.add_name(qualified, namespace);
        self.names.insert(self.key.clone(), number);
        number
    }

    fn add_name(&mut self, qualified: &str, namespace: &str) -> u32 {
        let number = self.document.names.len() as u32;
        let prefix = qualified.find(':').map_or(0, |colon| colon + 1);
        self.document.names.push(Name { qualified: qualified.into(), prefix, namespace: namespace.into() });
        number
    }

    fn push(&mut self, kind: NodeKind, name: u32, value: &str) -> NodeId {
        let id = self.document.len();
        let parent = *self.open.last().expect("the root is never closed");
        let start = self.document.text.len() as u32;
        self.document.text.push_str(value);
        let end = self.document.text.len() as u32;
        self.document.nodes.push(Node { kind, name, parent, end: id + 1, text: (start, end) });
        id
    }

    /// Opens an element. Its attributes come next.
    pub fn open(&mut self, name: &str, namespace: &str) -> NodeId {
        let name = self.name(name, namespace);
        let id = self.push(NodeKind::Element, name, "");
        self.open.push(id);
        id
    }

    /// Adds an attribute to the element that was opened last.
    pub fn attribute(&mut self, name: &str, namespace: &str, value: &str) {
        let name = self.name(name, namespace);
        self.push(NodeKind::Attribute, name, value);
    }

    /// Adds a declaration of a namespace to it.
    pub fn declaration(&mut self, prefix: &str, namespace: &str) {
        let name = self.name(prefix, "");
        self.push(NodeKind::Namespace, name, namespace);
    }

    /// Closes the element that was opened last.
    pub fn close(&mut self) {
        if self.open.len() > 1 {
            let id = self.open.pop().expect("it is longer than 1");
            self.document.nodes[id as usize].end = self.document.len();
        }
    }

    /// Adds text, to the text before it if there is one.
    pub fn text(&mut self, value: &str) {
        if value.is_empty() {
            return;
        }
        let last = self.document.len() - 1;
        let parent = self.open.last();
        let node = &mut self.document.nodes[last as usize];
        if node.kind == NodeKind::Text
            && Some(&node.parent) == parent
            && node.text.1 as usize == self.document.text.len()
        {
            self.document.text.push_str(value);
            node.text.1 = self.document.text.len() as u32;
        } else {
            self.push(NodeKind::Text, 0, value);
        }
    }

    /// Adds a section of characters.
    pub fn cdata(&mut self, value: &str) {
        self.push(NodeKind::Cdata, 0, value);
    }

    /// Adds a comment.
    pub fn comment(&mut self, value: &str) {
        self.push(NodeKind::Comment, 0, value);
    }

    /// Adds a processing instruction.
    pub fn instruction(&mut self, target: &str, value: &str) {
        let name = self.name(target, "");
        self.push(NodeKind::Instruction, name, value);
    }

    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len() - 1
    }

    /// The name of the element that is open, as it was written.
    pub fn open_name(&self) -> &str {
        self.document.name(*self.open.last().expect("the root is never closed"))
    }

    /// The document; what is open ends here.
    pub fn finish(mut self) -> Document {
        while self.open.len() > 1 {
            self.close();
        }
        let end = self.document.len();
        self.document.nodes[0].end = end;
        self.document
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_stand_in_document_order() {
        let mut builder = Builder::new(true);
        builder.open("x:a", "u");
        builder.declaration("x", "u");
        builder.attribute("k", "", "v");
        builder.text("on");
        builder.text("e");
        builder.cdata("two");
        builder.open("b", "");
        builder.text("three");
        builder.close();
        builder.comment("c");
        let document = builder.finish();
        assert_eq!(document.children(0).collect::<Vec<_>>(), [1]);
        assert_eq!((document.name(1), document.local_name(1), document.prefix(1)), ("x:a", "a", "x"));
        assert_eq!(document.attributes(1).collect::<Vec<_>>(), [3]);
        assert_eq!(document.children(1).collect::<Vec<_>>(), [4, 5, 6, 8]);
        assert_eq!(document.string_value(1), "onetwothree");
        assert_eq!(document.string_value(4), "onetwo");
        assert!(document.continues_text(5) && !document.continues_text(4) && !document.continues_text(7));
        assert_eq!(document.descendants(0).count(), 6);
    }
}
