//! Tags that do not belong into the inline element they stand in.

use super::super::models::{BLOCK, HEAD, HEADING, INLINE, OPT};
use super::super::node::{Id, Kind};
use super::super::page::Page;
use super::super::tags::Tag;
use super::super::words::Finding;
use super::{Flow, Frame};

/// How a block splits what it stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Split {
    /// The rest goes into the block.
    Into,
    /// The rest goes behind it.
    Behind,
}

impl Page {
    pub(super) fn rest_in_inline(&mut self, frame: &mut Frame, node: Id) -> Flow {
        let element = frame.element;
        if self.tree[element].has(HEADING) {
            match self.tree[node].tag {
                Some(Tag::Center | Tag::Div) => return self.split(frame, node, Split::Into),
                Some(Tag::Hr) => return self.split(frame, node, Split::Behind),
                _ => {}
            }
        }
        if self.is_tag(element, Tag::Dt) && self.is_tag(node, Tag::Hr) {
            return self.rule_in_term(frame, node);
        }
        if self.tree[node].kind == Kind::End && self.closes_outer(element, node) {
            if !self.tree[element].has(OPT) && !self.tree[element].implicit {
                self.warn(Finding::MissingEndBefore, element, node);
            }
            if self.is_tag(element, Tag::A) {
                self.pop_inline(element);
            }
            self.give_back();
            return self.leave_inline(frame);
        }
        if !self.tree[node].has(INLINE) {
            return self.block_in_inline(frame, node);
        }
        if !self.tree[node].is_start() {
            return self.discard(element, node);
        }
        if self.tree[node].implicit {
            self.warn(Finding::Inserting, element, node);
        }
        if self.is_tag(node, Tag::Br) {
            self.trim_spaces(element);
        }
        self.tree.append(element, node);
        Flow::Into(node, frame.mode)
    }

    /// A block or a rule in a heading.
    fn split(&mut self, frame: &mut Frame, node: Id, split: Split) -> Flow {
        let element = frame.element;
        if !self.tree[node].is_start() {
            return self.discard(element, node);
        }
        self.warn(Finding::NotAllowedIn, element, node);
        if self.tree[element].first.is_none() {
            match split {
                Split::Into => self.tree.wrap(element, node),
                Split::Behind => self.tree.insert_before(element, node),
            }
            return Flow::On;
        }
        self.tree.insert_after(element, node);
        self.trim_unless_pre(frame);
        let rest = self.go_on_with(element);
        match split {
            Split::Into => self.tree.append(node, rest),
            Split::Behind => self.tree.insert_after(node, rest),
        }
        frame.element = rest;
        Flow::On
    }

    /// A copy of an element without its content (`cloneNode`).
    fn go_on_with(&mut self, element: Id) -> Id {
        let mut copy = self.tree[element].clone();
        copy.start = self.buffer.end;
        copy.end = self.buffer.end;
        copy.was = None;
        copy.prev = None;
        copy.next = None;
        copy.first = None;
        copy.last = None;
        self.add(copy)
    }

    /// A rule in a `dt`: it goes into a `dd`, and the rest into a `dt` behind that.
    fn rule_in_term(&mut self, frame: &mut Frame, node: Id) -> Flow {
        let element = frame.element;
        if !self.tree[node].is_start() {
            return self.discard(element, node);
        }
        self.warn(Finding::NotAllowedIn, element, node);
        let definition = self.inferred(Tag::Dd);
        if self.tree[element].first.is_none() {
            self.tree.insert_before(element, definition);
            self.tree.append(definition, node);
            return Flow::On;
        }
        self.tree.insert_after(element, definition);
        self.tree.append(definition, node);
        self.trim_unless_pre(frame);
        let rest = self.go_on_with(element);
        self.tree.insert_after(definition, rest);
        frame.element = rest;
        Flow::On
    }

    fn block_in_inline(&mut self, frame: &mut Frame, node: Id) -> Flow {
        let element = frame.element;
        if self.tree[node].kind != Kind::Start {
            return self.discard(element, node);
        }
        if !self.tree[element].has(OPT) {
            self.warn(Finding::MissingEndBefore, element, node);
        }
        if self.tree[node].has(HEAD) && !self.tree[node].has(BLOCK) {
            return self.move_to_head(element, node);
        }
        if self.is_tag(element, Tag::A) {
            if !self.tree[node].has(HEADING) {
                self.pop_inline(element);
            } else if self.tree[element].first.is_none() {
                self.tree.remove(element);
                self.give_back();
                return Flow::Out;
            }
        }
        self.give_back();
        self.leave_inline(frame)
    }
}
