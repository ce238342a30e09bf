//! `html`: head, then body or frame set.

use super::super::models::HEAD;
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::{Rule, Tag};
use super::super::versions::FRAMESET;
use super::super::words::{Fault, Finding};
use super::{After, Flow, Frame};

impl Page {
    pub(super) fn begin_page(&mut self) {
        self.xml_tags = false;
        self.seen_end_body = false;
        self.frameset = None;
        self.noframes = None;
    }

    pub(super) fn page(&mut self, frame: &mut Frame) -> Flow {
        let html = frame.element;
        if !frame.has_head {
            frame.has_head = true;
            let head = self.head_of(html);
            self.tree.append(html, head);
            self.head = Some(head);
            return Flow::By(Rule::Head, head, frame.mode);
        }
        let Some(node) = self.token(Mode::IgnoreWhite) else {
            if self.frameset.is_some() {
                return Flow::Out;
            }
            let body = self.inferred(Tag::Body);
            self.tree.append(html, body);
            frame.after = After::EmptyBody;
            return Flow::By(Rule::Body, body, frame.mode);
        };
        if self.is_tag(node, Tag::Html) {
            let kind = self.tree[node].kind;
            if kind != Kind::Start && self.frameset.is_none() {
                return self.discard(html, node);
            }
            self.seen_end_html |= kind == Kind::End;
            return Flow::On;
        }
        if self.take_misc(html, node) {
            return Flow::On;
        }
        match self.tree[node].tag {
            Some(Tag::Body | Tag::Frameset | Tag::Noframes) if self.tree[node].kind != Kind::Start => {
                self.discard(html, node)
            }
            Some(Tag::Body) => self.body_of_page(frame, node),
            Some(Tag::Frameset) => self.frame_set_of_page(frame, node),
            Some(Tag::Noframes) => self.no_frames_of_page(frame, node),
            _ => self.other_of_page(frame, node),
        }
    }

    /// The head, which need not be written.
    fn head_of(&mut self, html: Id) -> Id {
        while let Some(node) = self.token(Mode::IgnoreWhite) {
            if self.is_tag(node, Tag::Head) {
                return node;
            }
            if self.tree[node].is_end_of(self.tree[html].tag) {
                self.warn(Finding::Discarding, html, node);
                continue;
            }
            if !self.take_misc(html, node) {
                self.give_back();
                break;
            }
        }
        self.inferred(Tag::Head)
    }

    fn body_of_page(&mut self, frame: &mut Frame, node: Id) -> Flow {
        if let Some(frameset) = self.frameset {
            self.give_back();
            let noframes = self.noframes.unwrap_or_else(|| {
                let noframes = self.inferred(Tag::Noframes);
                self.tree.append(frameset, noframes);
                self.warn(Finding::Inserting, frame.element, noframes);
                noframes
            });
            self.noframes = Some(noframes);
            return Flow::Into(noframes, frame.mode);
        }
        self.constrain(!FRAMESET);
        self.last_of_page(frame, node)
    }

    /// The body is all that follows.
    fn last_of_page(&mut self, frame: &mut Frame, body: Id) -> Flow {
        self.tree.append(frame.element, body);
        frame.after = After::Body;
        Flow::Into(body, frame.mode)
    }

    fn frame_set_of_page(&mut self, frame: &mut Frame, node: Id) -> Flow {
        if self.frameset.is_some() {
            self.fault(Fault::DuplicateFrameset, Some(frame.element), Some(node));
        } else {
            self.frameset = Some(node);
            frame.after = After::FrameSet;
        }
        self.tree.append(frame.element, node);
        Flow::Into(node, frame.mode)
    }

    /// The last `noframes` of the frame set.
    pub(super) fn find_no_frames(&mut self) {
        let Some(frameset) = self.frameset else { return };
        let children = self.tree.siblings(self.tree[frameset].first);
        if let Some(last) = children.filter(|&child| self.is_tag(child, Tag::Noframes)).last() {
            self.noframes = Some(last);
        }
    }

    fn no_frames_of_page(&mut self, frame: &mut Frame, node: Id) -> Flow {
        let Some(frameset) = self.frameset else {
            self.warn(Finding::Discarding, frame.element, node);
            let body = self.inferred(Tag::Body);
            return self.last_of_page(frame, body);
        };
        let noframes = self.noframes.unwrap_or_else(|| {
            self.tree.append(frameset, node);
            node
        });
        self.noframes = Some(noframes);
        Flow::Into(noframes, frame.mode)
    }

    fn other_of_page(&mut self, frame: &mut Frame, node: Id) -> Flow {
        if self.tree[node].is_start() {
            if self.tree[node].has(HEAD) {
                return self.move_to_head(frame.element, node);
            }
            if self.frameset.is_some() && self.is_tag(node, Tag::Frame) {
                return self.discard(frame.element, node);
            }
        }
        self.give_back();
        let Some(frameset) = self.frameset else {
            let body = self.inferred(Tag::Body);
            self.constrain(!FRAMESET);
            return self.last_of_page(frame, body);
        };
        let noframes = if let Some(noframes) = self.noframes {
            self.warn(Finding::NoframesContent, frame.element, node);
            noframes
        } else {
            let noframes = self.inferred(Tag::Noframes);
            self.tree.append(frameset, noframes);
            noframes
        };
        self.noframes = Some(noframes);
        self.constrain(FRAMESET);
        Flow::Into(noframes, frame.mode)
    }
}
