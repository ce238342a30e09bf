//! Lists.

use super::super::models::{BLOCK, INLINE, OBSOLETE};
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::Tag;
use super::super::words::Finding;
use super::{After, Flow, Frame};

impl Page {
    /// `ul`, `ol`, `dir`, `menu`.
    pub(super) fn list(&mut self, frame: &mut Frame) -> Flow {
        let list = frame.element;
        let Some(mut node) = self.token(Mode::IgnoreWhite) else {
            self.modernize_list(list);
            self.warn(Finding::MissingEndFor, list, None);
            self.trim_empty(list);
            return Flow::Out;
        };
        let tag = self.tree[node].tag;
        if self.tree[node].is_end_of(self.tree[list].tag) {
            self.modernize_list(list);
            self.trim_empty(list);
            return Flow::Out;
        }
        if self.take_misc(list, node) {
            return Flow::On;
        }
        if !self.is_text(node) && tag.is_none() {
            return self.discard(list, node);
        }
        if self.tree[node].kind == Kind::End {
            return self.end_in_list(list, node);
        }
        if tag != Some(Tag::Li) {
            self.give_back();
            if self.tree[node].has(BLOCK) && self.exclude_blocks {
                self.warn(Finding::MissingEndBefore, list, node);
                self.trim_empty(list);
                return Flow::Out;
            }
            node = self.inferred(Tag::Li);
            self.tree[node].add_attribute("style", Some("list-style: none"));
            self.warn(Finding::MissingStart, list, node);
        }
        self.tree.append(list, node);
        Flow::Into(node, Mode::IgnoreWhite)
    }

    /// `dir` and `menu` become `ul`.
    fn modernize_list(&mut self, list: Id) {
        if self.tree[list].has(OBSOLETE) {
            self.coerce(list, Tag::Ul);
        }
    }

    fn end_in_list(&mut self, list: Id, node: Id) -> Flow {
        if self.is_tag(node, Tag::Form) {
            self.tangled_form();
            return self.discard(list, node);
        }
        if self.tree[node].has(INLINE) {
            self.warn(Finding::Discarding, list, node);
            self.pop_inline(node);
            return Flow::On;
        }
        if !self.closes_outer(list, node) {
            return self.discard(list, node);
        }
        self.warn(Finding::MissingEndBefore, list, node);
        self.give_back();
        self.modernize_list(list);
        self.trim_empty(list);
        Flow::Out
    }

    /// `dl`.
    pub(super) fn definitions(&mut self, frame: &mut Frame) -> Flow {
        let list = frame.element;
        let Some(mut node) = self.token(Mode::IgnoreWhite) else {
            self.warn(Finding::MissingEndFor, list, None);
            self.trim_empty(list);
            return Flow::Out;
        };
        if self.tree[node].is_end_of(self.tree[list].tag) {
            self.trim_empty(list);
            return Flow::Out;
        }
        if self.take_misc(list, node) {
            return Flow::On;
        }
        if self.is_text(node) {
            self.give_back();
            node = self.inferred(Tag::Dt);
            self.warn(Finding::MissingStart, list, node);
        }
        if self.tree[node].tag.is_none() {
            return self.discard(list, node);
        }
        if self.tree[node].kind == Kind::End {
            if self.is_tag(node, Tag::Form) {
                self.tangled_form();
                return self.discard(list, node);
            }
            if self.closes_outer(list, node) {
                self.warn(Finding::MissingEndBefore, list, node);
                self.give_back();
                self.trim_empty(list);
                return Flow::Out;
            }
        }
        if self.is_tag(node, Tag::Center) {
            return self.center_in_definitions(frame, node);
        }
        match self.term_or_definition(list, node) {
            Ok(node) => {
                self.tree.append(list, node);
                Flow::Into(node, Mode::IgnoreWhite)
            }
            Err(flow) => flow,
        }
    }

    fn term_or_definition(&mut self, list: Id, node: Id) -> Result<Id, Flow> {
        let mut node = node;
        if !matches!(self.tree[node].tag, Some(Tag::Dt | Tag::Dd)) {
            self.give_back();
            let is_foreign = !self.tree[node].has(BLOCK | INLINE);
            if is_foreign {
                self.warn(Finding::NotAllowedIn, list, node);
            }
            if is_foreign || (!self.tree[node].has(INLINE) && self.exclude_blocks) {
                self.trim_empty(list);
                return Err(Flow::Out);
            }
            node = self.inferred(Tag::Dd);
            self.warn(Finding::MissingStart, list, node);
        }
        if self.tree[node].kind == Kind::End { Err(self.discard(list, node)) } else { Ok(node) }
    }

    /// A `center` ends the list; what follows is in a new one.
    fn center_in_definitions(&mut self, frame: &mut Frame, node: Id) -> Flow {
        let list = frame.element;
        if self.tree[list].first.is_some() {
            self.tree.insert_after(list, node);
        } else {
            self.tree.insert_before(list, node);
            self.tree.remove(list);
        }
        frame.after = After::Center(node);
        Flow::Into(node, frame.mode)
    }

    pub(super) fn go_on_behind(&mut self, center: Id, frame: &mut Frame) {
        let list = self.inferred(Tag::Dl);
        self.tree.insert_after(center, list);
        frame.element = list;
    }
}
