//! The head, its title, and scripts.

use super::super::models::HEAD;
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page};
use super::super::tags::Tag;
use super::super::words::{Fault, Finding};
use super::{Flow, Frame};

impl Page {
    pub(super) fn head(&mut self, frame: &mut Frame) -> Flow {
        let head = frame.element;
        let Some(node) = self.token(Mode::IgnoreWhite) else { return Flow::Out };
        if self.tree[node].is_end_of(self.tree[head].tag) {
            return Flow::Out;
        }
        if self.is_text(node) {
            self.warn(Finding::NotAllowedIn, head, node);
            self.give_back();
            return Flow::Out;
        }
        if self.take_misc(head, node) {
            return Flow::On;
        }
        if self.tree[node].kind == Kind::Doctype {
            self.late_doctype(head, node);
            return Flow::On;
        }
        if self.tree[node].tag.is_none() {
            return self.discard(head, node);
        }
        if !self.tree[node].has(HEAD) {
            if self.is_voyager {
                self.warn(Finding::NotAllowedIn, head, node);
            }
            self.give_back();
            return Flow::Out;
        }
        if !self.tree[node].is_start() {
            return self.discard(head, node);
        }
        self.count_in_head(frame, node);
        self.tree.append(head, node);
        Flow::Into(node, Mode::IgnoreWhite)
    }

    fn count_in_head(&mut self, frame: &mut Frame, node: Id) {
        let count = match self.tree[node].tag {
            Some(Tag::Title) => &mut frame.titles,
            Some(Tag::Base) => &mut frame.bases,
            Some(Tag::Noscript) => return self.warn(Finding::NotAllowedIn, frame.element, node),
            _ => return,
        };
        *count += 1;
        if *count > 1 {
            self.warn(Finding::TooMany, frame.element, node);
        }
    }

    /// A DOCTYPE that comes after elements (`insertDocType`).
    pub(super) fn late_doctype(&mut self, element: Id, doctype: Id) {
        self.warn(Finding::DoctypeAfterTags, element, doctype);
        match self.html_around(element) {
            Some(html) => self.tree.insert_before(html, doctype),
            None => self.fail(),
        }
    }

    fn html_around(&self, element: Id) -> Option<Id> {
        let html = |&id: &Id| self.is_tag(id, Tag::Html);
        Some(element).filter(html).or_else(|| self.tree.ancestors(element).find(html))
    }

    /// An element that belongs into the head.
    pub(super) fn move_to_head(&mut self, element: Id, node: Id) -> Flow {
        self.tree.remove(node);
        if !self.tree[node].is_start() {
            return self.discard(element, node);
        }
        self.warn(Finding::NotAllowedIn, element, node);
        if self.html_around(element).is_none() {
            self.fail();
            return Flow::Out;
        }
        if let Some(head) = self.head {
            self.tree.append(head, node);
        }
        Flow::Into(node, Mode::IgnoreWhite)
    }

    pub(super) fn title(&mut self, frame: &mut Frame) -> Flow {
        let title = frame.element;
        let Some(node) = self.token(Mode::Mixed) else {
            self.warn(Finding::MissingEndFor, title, None);
            return Flow::Out;
        };
        if self.tree[node].tag == self.tree[title].tag {
            match self.tree[node].kind {
                Kind::Start => {
                    self.warn(Finding::CoerceToEnd, title, node);
                    self.tree[node].kind = Kind::End;
                    return Flow::On;
                }
                Kind::End => {
                    self.trim_spaces(title);
                    return Flow::Out;
                }
                _ => {}
            }
        }
        if self.is_text(node) {
            if self.tree[title].first.is_none() {
                self.trim_start(title, node);
            }
            if self.tree[node].start < self.tree[node].end {
                self.tree.append(title, node);
            }
            return Flow::On;
        }
        if self.take_misc(title, node) {
            return Flow::On;
        }
        if self.tree[node].tag.is_none() {
            return self.discard(title, node);
        }
        self.warn(Finding::MissingEndBefore, title, node);
        self.give_back();
        self.trim_spaces(title);
        Flow::Out
    }

    /// Scripts and styles.
    pub(super) fn script(&mut self, script: Id) {
        let Some(text) = self.raw_text(script) else {
            return self.fault(Fault::Silent, Some(script), None);
        };
        self.tree.append(script, text);
        let end = self.token(Mode::IgnoreWhite);
        let is_end = end.is_some_and(|end| self.tree[end].is_end_of(self.tree[script].tag));
        if !is_end {
            self.fault(Fault::Silent, Some(script), end);
            if end.is_some() {
                self.give_back();
            }
        }
    }
}
