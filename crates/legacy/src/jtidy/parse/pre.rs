//! `pre`, `listing`, `xmp`, `plaintext`.

use super::super::models::OBSOLETE;
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::Tag;
use super::super::words::Finding;
use super::{Flow, Frame};

impl Page {
    pub(super) fn begin_pre(&mut self, pre: Id) {
        if self.tree[pre].has(OBSOLETE) {
            self.coerce(pre, Tag::Pre);
        }
        self.repeat_inlines(None);
    }

    pub(super) fn pre(&mut self, frame: &mut Frame) -> Flow {
        let pre = frame.element;
        let Some(node) = self.token(Mode::Preformatted) else {
            self.warn(Finding::MissingEndFor, pre, None);
            self.trim_empty(pre);
            return Flow::Out;
        };
        if self.tree[node].is_end_of(self.tree[pre].tag) {
            return self.finish(pre);
        }
        if self.is_tag(node, Tag::Html) {
            return if self.tree[node].is_start() { self.discard(pre, node) } else { Flow::On };
        }
        if self.is_text(node) {
            return self.text_of_pre(pre, node);
        }
        if self.take_misc(pre, node) {
            return Flow::On;
        }
        if !self.is_inline_or_p(node) {
            self.warn(Finding::Unescaped, pre, node);
            let text = self.escaped(node);
            self.tree.append(pre, text);
            return Flow::On;
        }
        if self.is_tag(node, Tag::P) {
            return self.paragraph_in_pre(pre, node);
        }
        if !self.tree[node].is_start() {
            return self.discard(pre, node);
        }
        if self.is_tag(node, Tag::Br) {
            self.trim_spaces(pre);
        }
        self.tree.append(pre, node);
        Flow::Into(node, Mode::Preformatted)
    }

    /// A newline right at the start does not count.
    fn text_of_pre(&mut self, pre: Id, node: Id) -> Flow {
        if self.tree[pre].first.is_none() {
            if self.byte(node, self.tree[node].start) == b'\n' {
                self.tree[node].start += 1;
            }
            if self.tree[node].start >= self.tree[node].end {
                return Flow::On;
            }
        }
        self.tree.append(pre, node);
        Flow::On
    }

    fn paragraph_in_pre(&mut self, pre: Id, node: Id) -> Flow {
        if self.tree[node].kind != Kind::Start {
            return self.discard(pre, node);
        }
        self.warn(Finding::UsingBr, pre, node);
        self.trim_spaces(pre);
        self.coerce(node, Tag::Br);
        self.tree.append(pre, node);
        Flow::On
    }
}
