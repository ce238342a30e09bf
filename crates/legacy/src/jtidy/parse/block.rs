//! Blocks: `div`, `form`, `li`, `td` and so on.

use super::super::models::{INLINE, MIXED, OBJECT, OPT, PARAM, TABLE};
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::Tag;
use super::super::versions::HTML40_STRICT;
use super::super::words::Finding;
use super::{Flow, Frame};

impl Page {
    pub(super) fn begin_block(&mut self, frame: &mut Frame) {
        let element = frame.element;
        if self.is_tag(element, Tag::Form) && self.tree.is_in(element, Some(Tag::Form)) {
            self.warn(Finding::IllegalNesting, element, None);
        }
        if self.tree[element].has(OBJECT) {
            self.inlines_base = self.inlines.len();
        }
        if !self.tree[element].has(MIXED) {
            self.repeat_inlines(None);
        }
        frame.mode = Mode::IgnoreWhite;
    }

    pub(super) fn block(&mut self, frame: &mut Frame) -> Flow {
        let element = frame.element;
        let Some(mut node) = self.token(frame.mode) else {
            if !self.tree[element].has(OPT) {
                self.warn(Finding::MissingEndFor, element, None);
            }
            self.leave_object(frame);
            return self.finish(element);
        };
        let tag = self.tree[node].tag;
        let is_end = self.tree[node].kind == Kind::End;
        if is_end && tag.is_some() && (tag == self.tree[element].tag || tag == self.tree[element].was) {
            self.leave_object(frame);
            return self.finish(element);
        }
        if matches!(tag, Some(Tag::Html | Tag::Head | Tag::Body)) {
            return if self.tree[node].is_start() { self.discard(element, node) } else { Flow::On };
        }
        if is_end {
            match self.end_in_block(frame, node) {
                Ok(other) => node = other,
                Err(flow) => return flow,
            }
        }
        if self.is_text(node) {
            return self.text_of_block(frame, node);
        }
        if self.take_misc(element, node) {
            return Flow::On;
        }
        if matches!(self.tree[node].tag, Some(Tag::Param | Tag::Area)) {
            return self.part_of_block(element, node);
        }
        if self.tree[node].tag.is_none() {
            return self.discard(element, node);
        }
        if !self.tree[node].has(INLINE) {
            match self.no_inline_in_block(frame, node) {
                Ok(other) => node = other,
                Err(flow) => return flow,
            }
        }
        self.tag_of_block(frame, node)
    }

    /// The inline elements that an object begins end with it.
    pub(super) fn leave_object(&mut self, frame: &Frame) {
        if self.tree[frame.element].has(OBJECT) {
            self.pop_inlines();
            self.inlines_base = frame.base;
        }
    }

    /// An end tag that is not the block's: what is taken in its place.
    fn end_in_block(&mut self, frame: &mut Frame, node: Id) -> Result<Id, Flow> {
        let element = frame.element;
        match self.tree[node].tag {
            None => return Err(self.discard(element, node)),
            Some(Tag::Br) => self.tree[node].kind = Kind::Start,
            Some(Tag::P) => return Ok(self.paragraph_end(element, node)),
            Some(_) if self.closes_outer(element, node) => {
                if !self.tree[element].has(OPT) {
                    self.warn(Finding::MissingEndBefore, element, node);
                }
                self.give_back();
                self.leave_object(frame);
                return Err(self.finish(element));
            }
            Some(_) if self.exiled && self.tree[node].has(TABLE) => return Err(self.hand_up(element)),
            Some(_) => {}
        }
        Ok(node)
    }

    fn text_of_block(&mut self, frame: &mut Frame, node: Id) -> Flow {
        let element = frame.element;
        if std::mem::take(&mut frame.may_repeat)
            && !self.tree[element].has(MIXED)
            && self.repeat_inlines(Some(node))
        {
            return Flow::On;
        }
        self.tree.append(element, node);
        frame.mode = Mode::Mixed;
        let is_strict = !matches!(
            self.tree[element].tag,
            Some(Tag::Body | Tag::Map | Tag::Blockquote | Tag::Form | Tag::Noscript)
        );
        if !is_strict {
            self.constrain(!HTML40_STRICT);
        }
        Flow::On
    }

    /// `param` and `area`.
    fn part_of_block(&mut self, element: Id, node: Id) -> Flow {
        let belongs = if self.is_tag(node, Tag::Param) {
            self.tree[element].has(PARAM)
        } else {
            self.is_tag(element, Tag::Map)
        };
        if belongs && self.tree[node].is_start() {
            self.tree.append(element, node);
            return Flow::On;
        }
        self.discard(element, node)
    }

    fn tag_of_block(&mut self, frame: &mut Frame, node: Id) -> Flow {
        let element = frame.element;
        if !self.tree[node].is_start() {
            if self.tree[node].kind == Kind::End {
                self.pop_inline(node);
            }
            return self.discard(element, node);
        }
        if self.tree[node].has(INLINE) {
            if frame.may_repeat && !self.tree[node].implicit {
                frame.may_repeat = false;
                if !self.tree[element].has(MIXED) && self.repeat_inlines(Some(node)) {
                    return Flow::On;
                }
            }
            frame.mode = Mode::Mixed;
        } else {
            frame.may_repeat = true;
            frame.mode = Mode::IgnoreWhite;
        }
        if self.is_tag(node, Tag::Br) {
            self.trim_spaces(element);
        }
        self.tree.append(element, node);
        if self.tree[node].implicit {
            self.warn(Finding::Inserting, element, node);
        }
        Flow::Into(node, Mode::IgnoreWhite)
    }
}
