//! Start and end tags.

use super::super::chars::{is_name, is_white, of, to_lower};
use super::super::input::END;
use super::super::models::INLINE;
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page, State};
use super::super::tags::Tag;
use super::super::versions::PROPRIETARY;
use super::super::words::{AttributeFinding, Fault, Finding};
use super::Read;

impl Page {
    /// Reads the name whose first character is read; gives what ended it. The end of the page is a character here.
    fn tag_name(&mut self) -> i32 {
        if !self.xml_tags {
            let first = self.buffer.at(self.text_start).to_ascii_lowercase();
            self.buffer.set(self.text_start, first);
        }
        let ended_by = loop {
            let c = self.input.read();
            if !is_name(c) {
                break c;
            }
            self.push_char(if self.xml_tags { c } else { to_lower(c) });
        };
        self.text_end = self.buffer.end;
        ended_by & 0xFFFF
    }

    /// An element of the name that was just read.
    fn named(&mut self, kind: Kind) -> Id {
        let name = self.buffer.text(self.text_start, self.text_end - self.text_start).into_owned();
        let id = self.node(kind);
        self.tree[id].tag = if self.xml_tags { Some(Tag::Xml) } else { Tag::of(&name) };
        self.tree[id].name = Some(name.into());
        if let Some(tag) = self.tree[id].tag {
            self.tree.note(tag);
        }
        id
    }

    pub(super) fn end_tag(&mut self) -> Read {
        self.text_start = self.buffer.end - 1;
        self.report.column -= 2;
        let mut c = self.tag_name();
        let token = self.named(Kind::End);
        self.token = Some(token);
        self.buffer.end = self.text_start;
        self.text_end = self.text_start;
        while is_white(c) {
            c = self.input.read();
        }
        if c != of(b'>') {
            self.input.unread(c);
            self.attribute(AttributeFinding::UnexpectedGt, Some(token), None);
            if c == END {
                return Read::On;
            }
        }
        self.state = State::Content;
        self.was_white = false;
        Read::Token(token)
    }

    pub(super) fn start_tag(&mut self, mode: Mode) -> Id {
        self.text_start = self.buffer.end - 1;
        let c = self.tag_name();
        let token = self.named(Kind::Start);
        self.token = Some(token);
        if c != of(b'>') {
            if c == of(b'/') {
                self.input.unread(c);
            }
            let mut is_empty = false;
            let attributes = self.attributes(&mut is_empty);
            self.tree[token].attributes = attributes;
            if is_empty {
                self.tree[token].kind = Kind::StartEnd;
            }
        }
        self.buffer.end = self.text_start;
        self.text_end = self.text_start;
        self.swallow_newline(token, mode);
        self.state = State::Content;
        self.look_at(token);
        token
    }

    /// A newline right behind a start tag does not count.
    fn swallow_newline(&mut self, token: Id, mode: Mode) {
        let node = &self.tree[token];
        let may = mode != Mode::Preformatted || self.is_inline_or_p(token);
        self.was_white = may && (node.expects_content() || node.tag == Some(Tag::Br));
        if !self.was_white {
            return;
        }
        let mut c = self.input.read();
        let is_return = c == of(b'\r');
        if is_return {
            c = self.input.read();
        }
        if c != of(b'\n') && (is_return || c != 0x0C) {
            self.input.unread(c);
        }
    }

    /// Whether it may stand in `pre` (`preContent`).
    pub(in super::super) fn is_inline_or_p(&self, node: Id) -> bool {
        self.is_tag(node, Tag::P) || self.tree[node].has(INLINE)
    }

    /// Looks at a start tag as such.
    fn look_at(&mut self, token: Id) {
        let Some(tag) = self.tree[token].tag else {
            self.fault(Fault::UnknownElement, None, Some(token));
            return;
        };
        if self.xml_tags {
            return;
        }
        let versions = tag.entry().versions;
        self.constrain(versions);
        let is_cleaned = self.cleans && matches!(tag, Tag::Nobr | Tag::Wbr);
        if versions & PROPRIETARY != 0 && !is_cleaned {
            self.warn(Finding::Proprietary, None, token);
        }
        self.check_start_tag(token, tag);
        self.drop_repeated_attributes(token);
    }
}
