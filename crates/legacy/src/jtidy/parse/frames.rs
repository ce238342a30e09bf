//! Frame sets and what stands for them.

use super::super::models::{FRAMES, HEAD};
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::Tag;
use super::super::words::Finding;
use super::{After, Flow, Frame};

impl Page {
    pub(super) fn frame_set(&mut self, frame: &mut Frame) -> Flow {
        let frameset = frame.element;
        let Some(mut node) = self.token(Mode::IgnoreWhite) else {
            self.warn(Finding::MissingEndFor, frameset, None);
            return Flow::Out;
        };
        if let Some(flow) = self.end_or_misc(frameset, node) {
            return flow;
        }
        if self.tree[node].tag.is_none() {
            return self.discard(frameset, node);
        }
        if self.tree[node].is_start() && self.tree[node].has(HEAD) {
            return self.move_to_head(frameset, node);
        }
        if self.is_tag(node, Tag::Body) {
            self.give_back();
            node = self.inferred(Tag::Noframes);
            self.warn(Finding::Inserting, frameset, node);
        }
        if !self.tree[node].is_start() || !self.tree[node].has(FRAMES) {
            return self.discard(frameset, node);
        }
        self.tree.append(frameset, node);
        if self.tree[node].kind == Kind::StartEnd {
            return Flow::On;
        }
        self.exclude_blocks = false;
        Flow::Into(node, Mode::Mixed)
    }

    pub(super) fn no_frames(&mut self, frame: &mut Frame) -> Flow {
        let noframes = frame.element;
        let Some(node) = self.token(frame.mode) else {
            self.warn(Finding::MissingEndFor, noframes, None);
            return Flow::Out;
        };
        let (kind, tag) = (self.tree[node].kind, self.tree[node].tag);
        if self.tree[node].is_end_of(self.tree[noframes].tag) {
            self.trim_spaces(noframes);
            return Flow::Out;
        }
        if matches!(tag, Some(Tag::Frame | Tag::Frameset)) {
            self.trim_spaces(noframes);
            if kind == Kind::End {
                self.warn(Finding::Discarding, noframes, node);
            } else {
                self.warn(Finding::MissingEndBefore, noframes, node);
                self.give_back();
            }
            return Flow::Out;
        }
        if tag == Some(Tag::Html) {
            if self.tree[node].is_start() {
                self.warn(Finding::Discarding, noframes, node);
            }
            return Flow::On;
        }
        if self.take_misc(noframes, node) {
            return Flow::On;
        }
        if tag == Some(Tag::Body) && kind == Kind::Start {
            frame.after = After::NoFramesBody(node, self.seen_end_body);
            self.tree.append(noframes, node);
            return Flow::Into(node, Mode::IgnoreWhite);
        }
        if kind == Kind::Text || (tag.is_some() && kind != Kind::End) {
            return self.content_of_no_frames(noframes, node);
        }
        self.discard(noframes, node)
    }

    fn content_of_no_frames(&mut self, noframes: Id, node: Id) -> Flow {
        if !self.seen_end_body {
            self.give_back();
            let body = self.inferred(Tag::Body);
            if self.xml_out {
                self.warn(Finding::Inserting, noframes, body);
            }
            self.tree.append(noframes, body);
            return Flow::Into(body, Mode::IgnoreWhite);
        }
        let mut node = node;
        if self.is_text(node) {
            self.give_back();
            node = self.inferred(Tag::P);
            self.warn(Finding::ContentAfterBody, noframes, node);
        }
        match self.find_body() {
            Some(body) => self.tree.append(body, node),
            None => self.fail(),
        }
        Flow::Into(node, Mode::IgnoreWhite)
    }

    /// A body in `noframes`, read after the page's own had ended, is a `div` of that.
    pub(super) fn after_second_body(&mut self, body: Id, seen_end_body: bool) {
        if !seen_end_body {
            return;
        }
        self.coerce(body, Tag::Div);
        self.tree.remove(body);
        match self.find_body() {
            Some(first) => self.tree.append(first, body),
            None => self.fail(),
        }
    }

    /// The body of the page, or that in the `noframes` of its frame set.
    fn find_body(&self) -> Option<Id> {
        let tree = &self.tree;
        let html = tree.child(self.root?, Tag::Html)?;
        let is_body = |&id: &Id| matches!(tree[id].tag, Some(Tag::Body | Tag::Frameset));
        let body = tree.siblings(tree[html].first).find(is_body)?;
        if !self.is_tag(body, Tag::Frameset) {
            return Some(body);
        }
        tree.child(tree.child(body, Tag::Noframes)?, Tag::Body)
    }
}
