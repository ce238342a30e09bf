//! Inline elements, paragraphs, headings.

use super::super::models::{BLOCK, HEADING, INLINE, OBJECT, OPT, TABLE};
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::Tag;
use super::super::words::Finding;
use super::{Flow, Frame};

/// Inline elements that may stand in themselves.
const NESTING: [Tag; 5] = [Tag::A, Tag::Font, Tag::Big, Tag::Small, Tag::Q];

impl Page {
    pub(super) fn begin_inline(&mut self, frame: &mut Frame) {
        let element = frame.element;
        if self.tree[element].has(BLOCK) || self.is_tag(element, Tag::Dt) {
            self.repeat_inlines(None);
        } else if self.tree[element].has(INLINE)
            && !matches!(self.tree[element].tag, Some(Tag::A | Tag::Span))
        {
            self.push_inline(element);
        }
        if frame.mode != Mode::Preformatted {
            frame.mode = Mode::Mixed;
        }
    }

    pub(super) fn inline(&mut self, frame: &mut Frame) -> Flow {
        let element = frame.element;
        let Some(node) = self.token(frame.mode) else {
            if !self.tree[element].has(OPT) {
                self.warn(Finding::MissingEndFor, element, None);
            }
            self.trim_empty(element);
            return Flow::Out;
        };
        if self.tree[node].is_end_of(self.tree[element].tag) {
            return self.end_inline(frame, node);
        }
        if let Some(flow) = self.nested_inline(element, node) {
            return flow;
        }
        if self.is_text(node) {
            if self.tree[element].first.is_none() && frame.mode != Mode::Preformatted {
                self.trim_spaces(element);
            }
            if self.tree[node].start < self.tree[node].end {
                self.tree.append(element, node);
            }
            return Flow::On;
        }
        if self.take_misc(element, node) {
            return Flow::On;
        }
        if self.is_tag(node, Tag::Html) {
            if self.tree[node].is_start() {
                return self.discard(element, node);
            }
            self.give_back();
            return self.leave_inline(frame);
        }
        self.tag_in_inline(frame, node)
    }

    /// An inline element ends; its blanks are trimmed but in `pre`.
    pub(super) fn leave_inline(&mut self, frame: &Frame) -> Flow {
        self.trim_unless_pre(frame);
        self.trim_empty(frame.element);
        Flow::Out
    }

    pub(super) fn trim_unless_pre(&mut self, frame: &Frame) {
        if frame.mode != Mode::Preformatted {
            self.trim_spaces(frame.element);
        }
    }

    fn end_inline(&mut self, frame: &Frame, node: Id) -> Flow {
        let element = frame.element;
        if self.tree[element].has(INLINE) {
            self.pop_inline(node);
        }
        self.trim_unless_pre(frame);
        if self.is_tag(element, Tag::Font)
            && let Some(child) = self.tree[element].first
            && self.tree[element].last == Some(child)
            && self.is_tag(child, Tag::A)
        {
            self.turn_inside_out(element, child);
        }
        self.finish(element)
    }

    /// `<font><a>...</a></font>` becomes `<a><font>...</font></a>`.
    fn turn_inside_out(&mut self, element: Id, child: Id) {
        let (parent, prev, next) =
            (self.tree[element].parent, self.tree[element].prev, self.tree[element].next);
        self.tree[child].parent = parent;
        self.tree[child].next = next;
        self.tree[child].prev = prev;
        let Some(parent) = parent else { return self.fail() };
        match prev {
            Some(prev) => self.tree[prev].next = Some(child),
            None => self.tree[parent].first = Some(child),
        }
        match next {
            Some(next) => self.tree[next].prev = Some(child),
            None => self.tree[parent].last = Some(child),
        }
        let (first, last) = (self.tree[child].first, self.tree[child].last);
        let font = &mut self.tree[element];
        font.next = None;
        font.prev = None;
        font.parent = Some(child);
        font.first = first;
        font.last = last;
        self.tree[child].first = Some(element);
        self.tree[child].last = Some(element);
        self.tree.adopt(element);
    }

    /// An element in one of its own kind.
    fn nested_inline(&mut self, element: Id, node: Id) -> Option<Flow> {
        let start = &self.tree[node];
        if start.kind != Kind::Start || !self.is_pushed(start.tag) {
            return None;
        }
        let around = &self.tree[element];
        let is_nested = start.tag == around.tag
            && !start.implicit
            && !around.implicit
            && start.has(INLINE)
            && !start.tag.is_some_and(|tag| NESTING.contains(&tag));
        if is_nested {
            if around.first.is_some() && start.attributes.is_empty() {
                self.warn(Finding::CoerceToEnd, element, node);
                self.tree[node].kind = Kind::End;
                self.give_back();
                return Some(Flow::On);
            }
            self.warn(Finding::NestedEmphasis, element, node);
        } else if start.tag == Some(Tag::Q) {
            self.warn(Finding::NestedQuotation, element, node);
        }
        None
    }

    fn tag_in_inline(&mut self, frame: &mut Frame, node: Id) -> Flow {
        let element = frame.element;
        let in_dt = |page: &Self| page.is_tag(element, Tag::Dt) || page.tree.is_in(element, Some(Tag::Dt));
        if self.is_tag(node, Tag::P)
            && self.tree[node].kind == Kind::Start
            && (frame.mode == Mode::Preformatted || in_dt(self))
        {
            self.tree[node].tag = Some(Tag::Br);
            self.tree[node].name = Some("br".into());
            self.trim_spaces(element);
            self.tree.append(element, node);
            return Flow::On;
        }
        if matches!(self.tree[node].tag, None | Some(Tag::Param)) {
            return self.discard(element, node);
        }
        if self.tree[node].kind == Kind::End {
            if self.is_tag(node, Tag::Br) {
                self.tree[node].kind = Kind::Start;
            } else if let Some(flow) = self.end_in_inline(frame, node) {
                return flow;
            }
        }
        self.heading_or_anchor(frame, node)
    }

    fn end_in_inline(&mut self, frame: &Frame, node: Id) -> Option<Flow> {
        let element = frame.element;
        let is_inline = self.tree[node].has(INLINE) && !self.tree[node].has(OBJECT);
        if self.is_tag(node, Tag::P) {
            if self.tree.is_in(element, Some(Tag::P)) {
                return None;
            }
            self.coerce(node, Tag::Br);
            self.trim_spaces(element);
            self.tree.append(element, node);
            self.inferred(Tag::Br);
            return Some(Flow::On);
        }
        if is_inline && !self.is_tag(node, Tag::A) && self.tree[element].has(INLINE) {
            self.pop_inline(element);
            if self.is_tag(element, Tag::A) {
                return Some(self.discard(element, node));
            }
            self.warn(Finding::NonMatchingEnd, element, node);
            return Some(self.leave_inline(frame));
        }
        (self.exiled && self.tree[node].has(TABLE)).then(|| self.hand_up(element))
    }

    fn heading_or_anchor(&mut self, frame: &mut Frame, node: Id) -> Flow {
        let element = frame.element;
        if self.tree[node].has(HEADING) && self.tree[element].has(HEADING) {
            if self.tree[node].tag == self.tree[element].tag {
                self.warn(Finding::NonMatchingEnd, element, node);
            } else {
                self.warn(Finding::MissingEndBefore, element, node);
                self.give_back();
            }
            return self.leave_inline(frame);
        }
        let in_anchor = |page: &Self| page.is_tag(element, Tag::A) || page.tree.is_in(element, Some(Tag::A));
        if self.is_tag(node, Tag::A) && !self.tree[node].implicit && in_anchor(self) {
            self.give_back();
            if self.tree[node].kind != Kind::End && self.tree[node].attributes.is_empty() {
                self.tree[node].kind = Kind::End;
                self.warn(Finding::CoerceToEnd, element, node);
                return Flow::On;
            }
            self.warn(Finding::MissingEndBefore, element, node);
            return self.leave_inline(frame);
        }
        self.rest_in_inline(frame, node)
    }
}
