//! `body`.

use super::super::models::{BLOCK, DEFLIST, FIELD, HEAD, HTML, INLINE, LIST, MIXED, ROW, ROWGRP, TABLE};
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::{Rule, Tag};
use super::super::versions::{HTML20, HTML40_STRICT};
use super::super::words::Finding;
use super::{Flow, Frame};

impl Page {
    pub(super) fn begin_body(&mut self, frame: &mut Frame) {
        frame.mode = Mode::IgnoreWhite;
        if let Some(parent) = self.tree[frame.element].parent {
            self.bump_objects(parent);
        }
    }

    /// Objects in the head that hold more than parameters belong into the body.
    fn bump_objects(&mut self, html: Id) {
        let last = |page: &Self, tag| {
            page.tree.siblings(page.tree[html].first).filter(|&id| page.is_tag(id, tag)).last()
        };
        let (Some(head), Some(body)) = (last(self, Tag::Head), last(self, Tag::Body)) else { return };
        for node in self.tree.siblings(self.tree[head].first).collect::<Vec<_>>() {
            if self.is_tag(node, Tag::Object) && self.holds_more_than_parameters(node) {
                self.tree.remove(node);
                self.tree.prepend(body, node);
            }
        }
    }

    fn holds_more_than_parameters(&self, object: Id) -> bool {
        self.tree.siblings(self.tree[object].first).any(|child| !self.is_tag(child, Tag::Param))
    }

    pub(super) fn body(&mut self, frame: &mut Frame) -> Flow {
        let body = frame.element;
        let Some(node) = self.token(frame.mode) else { return Flow::Out };
        if self.is_tag(node, Tag::Html) {
            if self.tree[node].is_start() || self.seen_end_html {
                return self.discard(body, node);
            }
            self.seen_end_html = true;
            return Flow::On;
        }
        let is_tag = matches!(self.tree[node].kind, Kind::Start | Kind::End | Kind::StartEnd);
        if self.seen_end_body && is_tag {
            self.warn(Finding::ContentAfterBody, body, node);
        }
        let is_in_noframes = self.tree[body].parent.is_some_and(|parent| self.is_tag(parent, Tag::Noframes));
        if self.tree[node].is_end_of(self.tree[body].tag) {
            self.trim_spaces(body);
            self.seen_end_body = true;
            frame.mode = Mode::IgnoreWhite;
            return if is_in_noframes { Flow::Out } else { Flow::On };
        }
        if let Some(flow) = self.frames_in_body(frame, node, is_in_noframes) {
            return flow;
        }
        let is_blank = self.is_blank(node);
        if self.take_misc(body, node) {
            return Flow::On;
        }
        if self.is_text(node) {
            return self.text_of_body(frame, node, is_blank);
        }
        if self.tree[node].kind == Kind::Doctype {
            self.late_doctype(body, node);
            return Flow::On;
        }
        if matches!(self.tree[node].tag, None | Some(Tag::Param)) {
            return self.discard(body, node);
        }
        self.exclude_blocks = false;
        let node = if !self.tree[node].has(BLOCK | INLINE) || self.is_tag(node, Tag::Input) {
            match self.homeless_in_body(frame, node) {
                Ok(node) => node,
                Err(flow) => return flow,
            }
        } else {
            node
        };
        self.tag_of_body(frame, node)
    }

    /// Whether a text is one blank or none.
    fn is_blank(&self, node: Id) -> bool {
        let (start, end) = (self.tree[node].start, self.tree[node].end);
        self.is_text(node) && end <= start + 1 && self.byte(node, start) == b' '
    }

    fn frames_in_body(&mut self, frame: &Frame, node: Id, is_in_noframes: bool) -> Option<Flow> {
        let body = frame.element;
        let ends = match self.tree[node].tag {
            Some(Tag::Noframes) if self.tree[node].kind == Kind::Start => {
                self.tree.append(body, node);
                return Some(Flow::By(Rule::Block, node, frame.mode));
            }
            Some(Tag::Noframes) => self.tree[node].kind == Kind::End,
            Some(Tag::Frame | Tag::Frameset) => true,
            _ => false,
        };
        if !ends || !is_in_noframes {
            return None;
        }
        self.trim_spaces(body);
        self.give_back();
        Some(Flow::Out)
    }

    fn text_of_body(&mut self, frame: &mut Frame, node: Id, is_blank: bool) -> Flow {
        if is_blank && frame.mode == Mode::IgnoreWhite {
            return Flow::On;
        }
        self.constrain(!(HTML40_STRICT | HTML20));
        if std::mem::take(&mut frame.may_repeat) && self.repeat_inlines(Some(node)) {
            return Flow::On;
        }
        self.tree.append(frame.element, node);
        frame.mode = Mode::Mixed;
        Flow::On
    }

    /// What may not stand in a body as it is: what stands there instead.
    fn homeless_in_body(&mut self, frame: &mut Frame, node: Id) -> Result<Id, Flow> {
        let body = frame.element;
        let has = |page: &Self, marks| page.tree[node].has(marks);
        if !has(self, HEAD) {
            self.warn(Finding::NotAllowedIn, body, node);
        }
        if has(self, HTML) {
            let body = &self.tree[body];
            if self.is_tag(node, Tag::Body) && body.implicit && body.attributes.is_empty() {
                let attributes = std::mem::take(&mut self.tree[node].attributes);
                self.tree[frame.element].attributes = attributes;
            }
            return Err(Flow::On);
        }
        if has(self, HEAD) {
            return Err(self.move_to_head(body, node));
        }
        if has(self, LIST | DEFLIST) {
            self.give_back();
            let is_list = has(self, LIST);
            let list = self.inferred(if is_list { Tag::Ul } else { Tag::Dl });
            if is_list {
                self.tree[list].add_attribute("class", Some("noindent"));
            }
            self.exclude_blocks = true;
            return Ok(list);
        }
        if has(self, TABLE | ROWGRP | ROW) {
            self.exclude_blocks = true;
            if self.tree[node].kind == Kind::End {
                return Ok(node);
            }
            self.give_back();
            return Ok(self.inferred(Tag::Table));
        }
        if self.is_tag(node, Tag::Input) {
            self.give_back();
            self.exclude_blocks = true;
            return Ok(self.inferred(Tag::Form));
        }
        if has(self, ROW | FIELD) {
            return Err(Flow::On);
        }
        self.give_back();
        Err(Flow::Out)
    }

    fn tag_of_body(&mut self, frame: &mut Frame, node: Id) -> Flow {
        let body = frame.element;
        let mut node = node;
        if self.tree[node].kind == Kind::End {
            match self.tree[node].tag {
                Some(Tag::Br) => self.tree[node].kind = Kind::Start,
                Some(Tag::P) => node = self.paragraph_end(body, node),
                _ if self.tree[node].has(INLINE) => self.pop_inline(node),
                _ => {}
            }
        }
        if !self.tree[node].is_start() {
            return self.discard(body, node);
        }
        if self.tree[node].has(INLINE) && !self.tree[node].has(MIXED) {
            let is_image = self.is_tag(node, Tag::Img);
            self.constrain(if is_image { !HTML40_STRICT } else { !(HTML40_STRICT | HTML20) });
            if frame.may_repeat && !self.tree[node].implicit {
                frame.may_repeat = false;
                if self.repeat_inlines(Some(node)) {
                    return Flow::On;
                }
            }
            frame.mode = Mode::Mixed;
        } else {
            frame.may_repeat = true;
            frame.mode = Mode::IgnoreWhite;
        }
        if self.tree[node].implicit {
            self.warn(Finding::Inserting, body, node);
        }
        self.tree.append(body, node);
        Flow::Into(node, frame.mode)
    }

    /// `</p>` without a paragraph stands for two line breaks.
    pub(super) fn paragraph_end(&mut self, element: Id, node: Id) -> Id {
        self.coerce(node, Tag::Br);
        self.tree.append(element, node);
        self.inferred(Tag::Br)
    }
}
