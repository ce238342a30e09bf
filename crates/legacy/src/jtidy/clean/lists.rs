//! Lists that only indent, and lists in lists.

use super::super::node::Id;
use super::super::page::Page;
use super::super::tags::Tag;

impl Page {
    /// A list with nothing but an item that nobody wrote is an indented `div`.
    pub(super) fn indented_list(&mut self, node: Id) -> bool {
        if !matches!(self.tree[node].tag, Some(Tag::Dir | Tag::Ul | Tag::Ol)) {
            return false;
        }
        let child = self.only_child(node);
        if !child.is_some_and(|child| self.is_tag(child, Tag::Li) && self.tree[child].implicit) {
            return false;
        }
        self.rename(node, Tag::Div);
        self.add_style(node, "margin-left: 2em");
        self.tree.strip_only_child(node);
        true
    }

    /// A list with one item that begins with a list of its kind: that takes its place, or goes into the last item of a list before.
    pub(super) fn list_in_list(&mut self, node: Id, depth: u32) -> Option<Id> {
        let is_list = |page: &Self, id: Id| matches!(page.tree[id].tag, Some(Tag::Ul | Tag::Ol));
        let item = self.only_child(node).filter(|_| is_list(self, node))?;
        let list = self.tree[item].first.filter(|&list| self.tree[list].tag == self.tree[node].tag)?;
        self.tree[list].prev = self.tree[node].prev;
        self.tree[list].next = self.tree[node].next;
        self.tree[list].parent = self.tree[node].parent;
        self.fix_links(list);
        self.tree[item].first = None;
        self.tree[node].first = None;
        self.tree[node].next = None;
        if let Some(before) = self.tree[list].prev.filter(|&before| is_list(self, before)) {
            self.tree[before].next = self.tree[list].next;
            if let Some(next) = self.tree[before].next {
                self.tree[next].prev = Some(before);
            }
            let Some(last) = self.tree[before].last else {
                self.fail();
                return None;
            };
            self.tree[list].parent = Some(last);
            self.tree[list].next = None;
            self.tree[list].prev = self.tree[last].last;
            self.fix_links(list);
            self.clean_node(list, depth + 1);
        }
        Some(list)
    }

    /// What is around a node knows that it is there.
    fn fix_links(&mut self, node: Id) {
        let (parent, prev, next) = (self.tree[node].parent, self.tree[node].prev, self.tree[node].next);
        match (prev, parent) {
            (Some(prev), _) => self.tree[prev].next = Some(node),
            (None, Some(parent)) => self.tree[parent].first = Some(node),
            (None, None) => self.fail(),
        }
        match (next, parent) {
            (Some(next), _) => self.tree[next].prev = Some(node),
            (None, Some(parent)) => self.tree[parent].last = Some(node),
            (None, None) => self.fail(),
        }
        self.tree.adopt(node);
    }
}
