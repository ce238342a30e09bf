//! The tree that JTidy makes (`org.w3c.tidy.Node`). Its links are kept one by one, not derived from each other: where JTidy forgets
//! one, the page counts as broken (`checkNodeIntegrity`) and nothing is found in it.

use std::rc::Rc;

use super::attributes::Known;
use super::models::EMPTY;
use super::tags::Tag;

/// A node: its place in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(pub(super) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Root,
    Doctype,
    Comment,
    Instruction,
    Text,
    Start,
    End,
    /// `<br/>`.
    StartEnd,
    Cdata,
    /// `<![...]>`.
    Section,
    /// `<% ... %>`.
    Asp,
    /// `<# ... #>`.
    Jste,
    Php,
    Declaration,
}

#[derive(Clone, Debug)]
pub(super) struct Attribute {
    /// None for a script of the server that stands between attributes.
    pub(super) name: Option<Rc<str>>,
    pub(super) value: Option<String>,
    pub(super) known: Option<&'static Known>,
    pub(super) asp: bool,
    pub(super) php: bool,
}

impl Attribute {
    pub(super) fn new(name: &str, value: Option<&str>) -> Self {
        Self {
            name: Some(name.into()),
            value: value.map(str::to_owned),
            known: super::attributes::known(name),
            asp: false,
            php: false,
        }
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.name.as_deref() == Some(name)
    }

    pub(super) fn is_server(&self) -> bool {
        self.asp || self.php
    }
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) tag: Option<Tag>,
    /// What it was before it was made another element.
    pub(super) was: Option<Tag>,
    pub(super) name: Option<Rc<str>>,
    /// As JTidy has them: the last first.
    pub(super) attributes: Vec<Attribute>,
    pub(super) implicit: bool,
    /// Its text is `start..end` of the buffer, or of its own bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) own: Option<Box<[u8]>>,
    pub(super) parent: Option<Id>,
    pub(super) prev: Option<Id>,
    pub(super) next: Option<Id>,
    pub(super) first: Option<Id>,
    pub(super) last: Option<Id>,
}

impl Node {
    pub(super) fn new(kind: Kind, start: usize, end: usize) -> Self {
        Self {
            kind,
            tag: None,
            was: None,
            name: None,
            attributes: Vec::new(),
            implicit: false,
            start,
            end,
            own: None,
            parent: None,
            prev: None,
            next: None,
            first: None,
            last: None,
        }
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.is_named(name))
    }

    pub(super) fn add_attribute(&mut self, name: &str, value: Option<&str>) {
        self.attributes.push(Attribute::new(name, value));
    }

    /// Whether its element has one of these marks.
    pub(super) fn has(&self, marks: u32) -> bool {
        self.tag.is_some_and(|tag| tag.entry().model & marks != 0)
    }

    pub(super) fn is_start(&self) -> bool {
        matches!(self.kind, Kind::Start | Kind::StartEnd)
    }

    pub(super) fn is_end_of(&self, tag: Option<Tag>) -> bool {
        self.kind == Kind::End && self.tag == tag
    }

    /// Whether something is expected in it (`expectsContent`).
    pub(super) fn expects_content(&self) -> bool {
        self.kind == Kind::Start && !self.has(EMPTY)
    }

    /// Comments, instructions and such: they may stand everywhere.
    pub(super) fn is_misc(&self) -> bool {
        use Kind::{Asp, Cdata, Comment, Declaration, Instruction, Jste, Php, Section};
        matches!(self.kind, Comment | Instruction | Cdata | Section | Asp | Jste | Php | Declaration)
    }
}

#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The elements that there are, a bit for each kind.
    kinds: u128,
}

impl std::ops::Index<Id> for Tree {
    type Output = Node;

    fn index(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }
}

impl std::ops::IndexMut<Id> for Tree {
    fn index_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }
}

impl Tree {
    pub(super) fn add(&mut self, node: Node) -> Id {
        self.nodes.push(node);
        Id(self.nodes.len() as u32 - 1)
    }

    /// Notes that there is such an element.
    pub(super) fn note(&mut self, tag: Tag) {
        self.kinds |= 1 << tag as u32;
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A node and those behind it in the same parent.
    pub(super) fn siblings(&self, first: Option<Id>) -> impl Iterator<Item = Id> {
        let mut left = self.nodes.len() + 1;
        std::iter::successors(first, |&id| self[id].next).take_while(move |_| {
            left -= 1;
            left > 0
        })
    }

    pub(super) fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> {
        let mut left = self.nodes.len() + 1;
        std::iter::successors(self[id].parent, |&id| self[id].parent).take_while(move |_| {
            left -= 1;
            left > 0
        })
    }

    /// Whether a node is somewhere in an element of a kind (`isDescendantOf`).
    pub(super) fn is_in(&self, id: Id, tag: Option<Tag>) -> bool {
        if tag.is_some_and(|tag| self.kinds & (1 << tag as u32) == 0) {
            return false;
        }
        self.ancestors(id).any(|above| self[above].tag == tag)
    }

    /// The first child that is such an element.
    pub(super) fn child(&self, id: Id, tag: Tag) -> Option<Id> {
        self.siblings(self[id].first).find(|&child| self[child].tag == Some(tag))
    }
}
