//! Fields of forms, and elements without content.

use super::super::models::{FIELD, INLINE, OPT};
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::Tag;
use super::super::words::Finding;
use super::{Flow, Frame};

impl Page {
    /// Nothing may be in these; only XHTML has them ended.
    pub(super) fn empty(&mut self, element: Id, mode: Mode) {
        if !self.is_voyager {
            return;
        }
        if let Some(node) = self.token(mode)
            && !self.tree[node].is_end_of(self.tree[element].tag)
        {
            self.warn(Finding::NotEmpty, element, node);
            self.give_back();
        }
    }

    pub(super) fn select(&mut self, frame: &mut Frame) -> Flow {
        let field = frame.element;
        let Some(node) = self.token(Mode::IgnoreWhite) else {
            self.warn(Finding::MissingEndFor, field, None);
            return Flow::Out;
        };
        if let Some(flow) = self.end_or_misc(field, node) {
            return flow;
        }
        let belongs = matches!(self.tree[node].tag, Some(Tag::Option | Tag::Optgroup | Tag::Script));
        if !belongs || self.tree[node].kind != Kind::Start {
            return self.discard(field, node);
        }
        self.tree.append(field, node);
        Flow::Into(node, Mode::IgnoreWhite)
    }

    pub(super) fn option_group(&mut self, frame: &mut Frame) -> Flow {
        let field = frame.element;
        let Some(node) = self.token(Mode::IgnoreWhite) else { return Flow::Out };
        if let Some(flow) = self.end_or_misc(field, node) {
            return flow;
        }
        let belongs = matches!(self.tree[node].tag, Some(Tag::Option | Tag::Optgroup));
        if !belongs || self.tree[node].kind != Kind::Start {
            return self.discard(field, node);
        }
        if self.is_tag(node, Tag::Optgroup) {
            self.warn(Finding::CantBeNested, field, node);
        }
        self.tree.append(field, node);
        Flow::Into(node, Mode::Mixed)
    }

    pub(super) fn begin_text(&mut self, frame: &mut Frame) {
        self.insert = None;
        let is_area = self.is_tag(frame.element, Tag::Textarea);
        frame.mode = if is_area { Mode::Preformatted } else { Mode::Mixed };
    }

    /// `option` and `textarea`.
    pub(super) fn text_field(&mut self, frame: &mut Frame) -> Flow {
        let field = frame.element;
        let Some(node) = self.token(frame.mode) else {
            if !self.tree[field].has(OPT) {
                self.warn(Finding::MissingEndFor, field, None);
            }
            return Flow::Out;
        };
        if let Some(flow) = self.end_or_misc(field, node) {
            return flow;
        }
        if self.is_text(node) {
            if self.tree[field].first.is_none() && frame.mode != Mode::Preformatted {
                self.trim_spaces(field);
            }
            if self.tree[node].start < self.tree[node].end {
                self.tree.append(field, node);
            }
            return Flow::On;
        }
        if self.tree[node].has(INLINE) && !self.tree[node].has(FIELD) {
            return self.discard(field, node);
        }
        if !self.tree[field].has(OPT) {
            self.warn(Finding::MissingEndBefore, field, node);
        }
        self.give_back();
        self.trim_spaces(field);
        Flow::Out
    }
}
