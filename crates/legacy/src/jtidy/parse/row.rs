//! Rows of tables.

use super::super::models::{BLOCK, HEAD, HTML, INLINE, ROWGRP, TABLE};
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::Tag;
use super::super::words::Finding;
use super::{After, Flow, Frame};

impl Page {
    pub(super) fn row(&mut self, frame: &mut Frame) -> Flow {
        let row = frame.element;
        let Some(mut node) = self.token(Mode::IgnoreWhite) else {
            self.trim_empty(row);
            return Flow::Out;
        };
        if self.tree[node].tag == self.tree[row].tag {
            if self.tree[node].kind != Kind::End {
                self.give_back();
            }
            self.fill_row(row);
            return Flow::Out;
        }
        if self.tree[node].kind == Kind::End
            && let Some(flow) = self.end_in_row(row, node)
        {
            return flow;
        }
        if self.take_misc(row, node) {
            return Flow::On;
        }
        if (self.tree[node].tag.is_none() && !self.is_text(node)) || self.is_tag(node, Tag::Table) {
            return self.discard(row, node);
        }
        if self.tree[node].has(ROWGRP) {
            self.give_back();
            self.trim_empty(row);
            return Flow::Out;
        }
        if self.tree[node].kind == Kind::End {
            return self.discard(row, node);
        }
        if self.is_tag(node, Tag::Form) {
            self.give_back();
            node = self.inferred(Tag::Td);
            self.warn(Finding::MissingStart, row, node);
        } else if self.is_text(node) || self.tree[node].has(BLOCK | INLINE) {
            self.move_before_table(row, node);
            return self.exile(frame, node);
        } else if self.tree[node].has(HEAD) {
            self.warn(Finding::NotAllowedIn, row, node);
            return self.move_to_head(row, node);
        }
        if !matches!(self.tree[node].tag, Some(Tag::Td | Tag::Th)) {
            self.warn(Finding::NotAllowedIn, row, node);
            return Flow::On;
        }
        self.tree.append(row, node);
        frame.after = After::Cell(self.exclude_blocks);
        self.exclude_blocks = false;
        Flow::Into(node, Mode::IgnoreWhite)
    }

    fn end_in_row(&mut self, row: Id, node: Id) -> Option<Flow> {
        let tag = self.tree[node].tag;
        if (self.tree[node].has(HTML | TABLE) || tag == Some(Tag::Table)) && self.tree.is_in(row, tag) {
            self.give_back();
            return Some(Flow::Out);
        }
        let is_form = tag == Some(Tag::Form);
        if is_form {
            self.tangled_form();
        }
        if is_form || self.tree[node].has(BLOCK | INLINE) || matches!(tag, Some(Tag::Td | Tag::Th)) {
            return Some(self.discard(row, node));
        }
        self.closes_outer(row, node).then(|| {
            self.give_back();
            self.trim_empty(row);
            Flow::Out
        })
    }

    /// A row without cells gets one.
    fn fill_row(&mut self, row: Id) {
        if self.tree[row].first.is_none() {
            let cell = self.inferred(Tag::Td);
            self.tree.append(row, cell);
            self.warn(Finding::MissingStart, row, cell);
        }
    }

    /// Puts a node before the table that a row is in.
    pub(super) fn move_before_table(&mut self, row: Id, node: Id) {
        let Some(table) = self.tree.ancestors(row).find(|&above| self.is_tag(above, Tag::Table)) else {
            return;
        };
        let (parent, prev) = (self.tree[table].parent, self.tree[table].prev);
        let Some(around) = parent else { return self.fail() };
        if self.tree[around].first == Some(table) {
            self.tree[around].first = Some(node);
        }
        self.tree[node].prev = prev;
        self.tree[node].next = Some(table);
        self.tree[table].prev = Some(node);
        self.tree[node].parent = parent;
        if let Some(prev) = prev {
            self.tree[prev].next = Some(node);
        }
    }
}
