//! Tables, their columns and groups of rows.

use super::super::models::{BLOCK, HEAD, INLINE, ROW, ROWGRP, TABLE};
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::Tag;
use super::super::words::Finding;
use super::{After, Flow, Frame};

impl Page {
    pub(super) fn begin_table(&mut self) {
        self.insert = None;
        self.inserted_before = None;
        self.inlines_base = self.inlines.len();
    }

    pub(super) fn table(&mut self, frame: &mut Frame) -> Flow {
        let table = frame.element;
        let Some(mut node) = self.token(Mode::IgnoreWhite) else {
            self.warn(Finding::MissingEndFor, table, None);
            return self.end_table(frame);
        };
        if self.tree[node].is_end_of(self.tree[table].tag) {
            return self.end_table(frame);
        }
        if self.take_misc(table, node) {
            return Flow::On;
        }
        if self.tree[node].tag.is_none() && !self.is_text(node) {
            return self.discard(table, node);
        }
        if self.tree[node].kind == Kind::End {
            if let Some(flow) = self.end_in_table(frame, node) {
                return flow;
            }
        } else if matches!(self.tree[node].tag, Some(Tag::Td | Tag::Th | Tag::Table)) {
            node = self.missing_row(table);
        } else if self.is_text(node) || self.tree[node].has(BLOCK | INLINE) {
            self.tree.insert_before(table, node);
            return self.exile(frame, node);
        } else if self.tree[node].has(HEAD) {
            return self.move_to_head(table, node);
        }
        if !self.tree[node].has(TABLE) {
            self.give_back();
            self.warn(Finding::NotAllowedIn, table, node);
            return self.end_table(frame);
        }
        if !self.tree[node].is_start() {
            return self.discard(table, node);
        }
        self.tree.append(table, node);
        Flow::Into(node, Mode::IgnoreWhite)
    }

    fn end_table(&mut self, frame: &Frame) -> Flow {
        self.inlines_base = frame.base;
        self.trim_empty(frame.element);
        Flow::Out
    }

    /// A row that is not written.
    fn missing_row(&mut self, element: Id) -> Id {
        self.give_back();
        let row = self.inferred(Tag::Tr);
        self.warn(Finding::MissingStart, element, row);
        row
    }

    /// What stands in a table and may not is put before it, and read there.
    pub(super) fn exile(&mut self, frame: &mut Frame, node: Id) -> Flow {
        self.warn(Finding::NotAllowedIn, frame.element, node);
        if self.is_text(node) {
            self.exiled = false;
            return Flow::On;
        }
        self.exiled = true;
        frame.after = After::Exile;
        Flow::Into(node, Mode::IgnoreWhite)
    }

    fn end_in_table(&mut self, frame: &Frame, node: Id) -> Option<Flow> {
        let table = frame.element;
        if self.is_tag(node, Tag::Form) || self.tree[node].has(BLOCK | INLINE) {
            self.tangled_form();
            return Some(self.discard(table, node));
        }
        if self.tree[node].has(TABLE | ROW) {
            return Some(self.discard(table, node));
        }
        if !self.closes_outer(table, node) {
            return None;
        }
        self.warn(Finding::MissingEndBefore, table, node);
        self.give_back();
        Some(self.end_table(frame))
    }

    /// `colgroup`.
    pub(super) fn columns(&mut self, frame: &mut Frame) -> Flow {
        let group = frame.element;
        let Some(node) = self.token(Mode::IgnoreWhite) else { return Flow::Out };
        if self.tree[node].is_end_of(self.tree[group].tag) {
            return Flow::Out;
        }
        if self.tree[node].kind == Kind::End {
            if self.is_tag(node, Tag::Form) {
                self.tangled_form();
                return self.discard(group, node);
            }
            if self.closes_outer(group, node) {
                self.give_back();
                return Flow::Out;
            }
        }
        if self.is_text(node) {
            self.give_back();
            return Flow::Out;
        }
        if self.take_misc(group, node) {
            return Flow::On;
        }
        if self.tree[node].tag.is_none() {
            return self.discard(group, node);
        }
        if !self.is_tag(node, Tag::Col) {
            self.give_back();
            return Flow::Out;
        }
        if self.tree[node].kind == Kind::End {
            return self.discard(group, node);
        }
        self.tree.append(group, node);
        Flow::Into(node, Mode::IgnoreWhite)
    }

    /// `thead`, `tbody`, `tfoot`.
    pub(super) fn row_group(&mut self, frame: &mut Frame) -> Flow {
        let group = frame.element;
        let Some(mut node) = self.token(Mode::IgnoreWhite) else { return self.end_group(group) };
        let is_end = self.tree[node].kind == Kind::End;
        if self.tree[node].tag == self.tree[group].tag {
            if is_end {
                return self.end_group(group);
            }
            self.give_back();
            return Flow::Out;
        }
        if is_end && self.is_tag(node, Tag::Table) {
            self.give_back();
            return self.end_group(group);
        }
        if self.take_misc(group, node) {
            return Flow::On;
        }
        if self.tree[node].tag.is_none() && !self.is_text(node) {
            return self.discard(group, node);
        }
        if is_end {
            if let Some(flow) = self.end_in_group(group, node) {
                return flow;
            }
        } else if matches!(self.tree[node].tag, Some(Tag::Td | Tag::Th)) {
            node = self.missing_row(group);
        } else if self.is_text(node) || self.tree[node].has(BLOCK | INLINE) {
            self.move_before_table(group, node);
            return self.exile(frame, node);
        } else if self.tree[node].has(HEAD) {
            self.warn(Finding::NotAllowedIn, group, node);
            return self.move_to_head(group, node);
        }
        if self.tree[node].has(ROWGRP) {
            if !is_end {
                self.give_back();
            }
            return self.end_group(group);
        }
        if self.tree[node].kind == Kind::End {
            return self.discard(group, node);
        }
        if !self.is_tag(node, Tag::Tr) {
            node = self.missing_row(group);
        }
        self.tree.append(group, node);
        Flow::Into(node, Mode::IgnoreWhite)
    }

    fn end_group(&mut self, group: Id) -> Flow {
        self.trim_empty(group);
        Flow::Out
    }

    fn end_in_group(&mut self, group: Id, node: Id) -> Option<Flow> {
        let is_form = self.is_tag(node, Tag::Form);
        if is_form {
            self.tangled_form();
        }
        if is_form
            || self.tree[node].has(BLOCK | INLINE)
            || matches!(self.tree[node].tag, Some(Tag::Tr | Tag::Td | Tag::Th))
        {
            return Some(self.discard(group, node));
        }
        self.closes_outer(group, node).then(|| {
            self.give_back();
            self.end_group(group)
        })
    }
}
