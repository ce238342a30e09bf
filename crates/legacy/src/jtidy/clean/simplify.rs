//! What is made simpler in every page: emphasis in emphasis, lists that only indent.

use super::super::node::{Attribute, Id};
use super::super::page::Page;
use super::super::tags::{Rule, Tag};

impl Page {
    /// Emphasis in emphasis, lists that only indent.
    pub(in super::super) fn simplify(&mut self, root: Id) {
        self.nested_emphasis(root);
        for node in self.in_order(root).into_iter().rev() {
            self.list_to_quote(node);
        }
        for node in self.in_order(root) {
            self.quote_to_block(node);
        }
    }

    /// All nodes, those in a node behind it.
    pub(in super::super) fn in_order(&self, root: Id) -> Vec<Id> {
        let mut nodes = Vec::with_capacity(self.tree.len());
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            nodes.push(node);
            waiting.extend(self.tree[node].next);
            waiting.extend(self.tree[node].first);
        }
        nodes
    }

    fn nested_emphasis(&mut self, root: Id) {
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            let tag = self.tree[node].tag;
            let parent = self.tree[node].parent.and_then(|parent| self.tree[parent].tag);
            if matches!(tag, Some(Tag::B | Tag::I)) && parent == tag {
                waiting.extend(self.tree.discard_container(node));
                continue;
            }
            waiting.extend(self.tree[node].next);
            waiting.extend(self.tree[node].first);
        }
    }

    pub(super) fn only_child(&self, node: Id) -> Option<Id> {
        self.tree[node].first.filter(|&first| self.tree[first].next.is_none())
    }

    /// A list with nothing but an item that nobody wrote.
    fn list_to_quote(&mut self, node: Id) {
        let is_list = self.tree[node].tag.is_some_and(|tag| tag.entry().rule == Rule::List);
        let Some(child) = self.only_child(node).filter(|_| is_list) else { return };
        if self.tree[child].implicit {
            self.tree.strip_only_child(node);
            self.rename(node, Tag::Blockquote);
            self.tree[node].implicit = true;
        }
    }

    fn quote_to_block(&mut self, node: Id) {
        if !self.is_tag(node, Tag::Blockquote) || !self.tree[node].implicit {
            return;
        }
        let mut steps = 1;
        while self.only_child(node).is_some_and(|child| self.is_tag(child, Tag::Blockquote)) {
            self.tree.strip_only_child(node);
            steps += 1;
        }
        self.rename(node, Tag::Div);
        let indent = format!("margin-left: {}em", 2 * steps);
        let attributes = &mut self.tree[node].attributes;
        match attributes.iter_mut().find(|attribute| attribute.is_named("style")) {
            Some(Attribute { value: Some(style), .. }) => *style = format!("{indent}; {style}"),
            _ => self.tree[node].add_attribute("style", Some(&indent)),
        }
    }

    pub(super) fn rename(&mut self, node: Id, tag: Tag) {
        self.tree[node].tag = Some(tag);
        self.tree[node].name = Some(tag.entry().name.into());
    }
}
