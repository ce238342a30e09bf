//! Blanks that do not count, and elements with nothing in them.

use super::models::{EMPTY, FIELD, INLINE, ROW};
use super::node::{Id, Kind, Node};
use super::page::Page;
use super::tags::Tag;
use super::words::Finding;

impl Page {
    /// Trims the texts at the start and the end of an element.
    pub(super) fn trim_spaces(&mut self, element: Id) {
        if let Some(first) = self.tree[element].first
            && self.is_text(first)
            && !self.is_tag(element, Tag::Pre)
        {
            self.trim_start(element, first);
        }
        if let Some(last) = self.tree[element].last
            && self.is_text(last)
        {
            self.trim_end(element, last);
        }
    }

    /// An element in which a blank at an edge belongs outside.
    fn gives_blanks_away(&self, element: Id) -> bool {
        self.tree[element].has(INLINE) && !self.tree[element].has(FIELD)
    }

    /// Takes the blank at the start of an element's text away; of inline elements, it moves before the element.
    pub(super) fn trim_start(&mut self, element: Id, text: Id) {
        let (start, end) = (self.tree[text].start, self.tree[text].end);
        if self.byte(text, start) != b' ' || start >= end {
            return;
        }
        if self.gives_blanks_away(element) {
            match self.tree[element].parent {
                None => return self.fail(),
                Some(parent) if self.tree[parent].first == Some(element) => {}
                Some(_) => self.blank_before(element),
            }
        }
        self.tree[text].start += 1;
    }

    fn blank_before(&mut self, element: Id) {
        let prev = self.tree[element].prev;
        match prev {
            Some(prev) if self.is_text(prev) => {
                let end = self.tree[prev].end;
                if end == 0 {
                    return self.fail();
                }
                if self.byte(prev, end - 1) != b' ' {
                    self.set_byte(prev, end);
                    self.tree[prev].end += 1;
                }
                self.tree[element].start += 1;
            }
            _ => {
                let blank = self.blank_of(element);
                self.tree[blank].prev = prev;
                if let Some(prev) = prev {
                    self.tree[prev].next = Some(blank);
                }
                self.tree[blank].next = Some(element);
                self.tree[element].prev = Some(blank);
                self.tree[blank].parent = self.tree[element].parent;
            }
        }
    }

    /// A blank; it is written over the name of the element's tag where that is left.
    fn blank_of(&mut self, element: Id) -> Id {
        let (start, end) = (self.tree[element].start, self.tree[element].end);
        if start >= end {
            let mut blank = Node::new(Kind::Text, 0, 1);
            blank.own = Some(Box::new(*b" "));
            return self.add(blank);
        }
        self.tree[element].start += 1;
        let mut blank = Node::new(Kind::Text, start, start + 1);
        blank.own.clone_from(&self.tree[element].own);
        let blank = self.add(blank);
        self.set_byte(blank, start);
        blank
    }

    /// Writes a blank into a node's text.
    fn set_byte(&mut self, node: Id, at: usize) {
        match &mut self.tree[node].own {
            Some(own) if at < own.len() => own[at] = b' ',
            Some(_) => self.fail(),
            None => self.buffer.set(at, b' '),
        }
    }

    fn trim_end(&mut self, element: Id, last: Id) {
        let (start, end) = (self.tree[last].start, self.tree[last].end);
        // JTidy looks into the buffer whosever text it is.
        if end > start && self.buffer.at(end - 1) == b' ' {
            self.tree[last].end -= 1;
            if self.gives_blanks_away(element) {
                self.insert_space = true;
            }
        }
        if self.tree[last].start == self.tree[last].end {
            self.trim_empty(last);
        }
    }

    /// Leaves an element out that has nothing in it.
    pub(super) fn trim_empty(&mut self, element: Id) {
        if self.can_prune(element) {
            if !self.is_text(element) {
                self.warn(Finding::TrimEmpty, element, None);
            }
            self.tree.remove(element);
        } else if self.is_tag(element, Tag::P) && self.tree[element].first.is_none() {
            let line_break = self.inferred(Tag::Br);
            self.coerce(element, Tag::Br);
            self.tree.insert_after(element, line_break);
        }
    }

    fn can_prune(&self, element: Id) -> bool {
        let node = &self.tree[element];
        if node.kind == Kind::Text {
            return true;
        }
        if node.first.is_some() || node.has(ROW | EMPTY) {
            return false;
        }
        let has = |name: &str| node.attribute(name).is_some();
        match node.tag {
            None | Some(Tag::Applet | Tag::Object | Tag::Title | Tag::Iframe) => false,
            Some(Tag::A) if !node.attributes.is_empty() => false,
            Some(Tag::Script) if has("src") => false,
            Some(_) => !has("id") && !has("name"),
        }
    }

    /// Makes an element another one.
    pub(super) fn coerce(&mut self, element: Id, tag: Tag) {
        let new = self.inferred(tag);
        self.warn(Finding::Obsolete, element, new);
        let node = &mut self.tree[element];
        node.was = node.tag;
        node.tag = Some(tag);
        node.kind = Kind::Start;
        node.implicit = true;
        node.name = Some(tag.entry().name.into());
    }

    /// A tag as text, for `pre` (`escapeTag`).
    pub(super) fn escaped(&mut self, element: Id) -> Id {
        let start = self.buffer.end;
        let node = self.tree[element].clone();
        self.buffer.push(b'<');
        if node.kind == Kind::End {
            self.buffer.push(b'/');
        }
        if let Some(name) = &node.name {
            self.push_text(name);
        } else if node.kind == Kind::Doctype {
            let text = self.buffer.slice(node.start, node.end - node.start).to_vec();
            for &byte in b"!DOCTYPE ".iter().chain(&text) {
                self.buffer.push(byte);
            }
        }
        if node.kind == Kind::StartEnd {
            self.buffer.push(b'/');
        }
        self.buffer.push(b'>');
        let mut text = Node::new(Kind::Text, start, self.buffer.end);
        text.own = node.own;
        self.add(text)
    }
}
