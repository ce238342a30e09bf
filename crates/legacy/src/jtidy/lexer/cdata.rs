//! What is in a script or a style (`Lexer.getCDATA`).

use super::super::chars::{is_letter, is_white, of};
use super::super::input::END;
use super::super::node::{Id, Kind};
use super::super::page::Page;
use super::super::tags::Tag;
use super::super::words::Fault;

enum Within {
    Text,
    StartTag,
    EndTag,
}

/// The content while it is read.
struct Content {
    within: Within,
    /// Where the name of the last tag begins.
    start: usize,
    /// Tags of the container's own name in it.
    nested: i32,
    is_empty: bool,
    has_source: bool,
}

enum Found {
    More,
    /// The content ends here.
    End,
    /// It is none: the container has a source and another element begins.
    Nothing,
}

impl Page {
    /// The text of a script or style; none where another element begins in an empty script with a source.
    pub(in super::super) fn raw_text(&mut self, container: Id) -> Option<Id> {
        let has_source = self.tree[container].attribute("src").is_some();
        let mut content = Content { within: Within::Text, start: 0, nested: 0, is_empty: true, has_source };
        self.mark_place();
        self.was_white = false;
        self.text_start = self.buffer.end;
        self.text_end = self.buffer.end;
        let mut c;
        loop {
            c = self.input.read();
            if c == END || self.stop.is_some() {
                break;
            }
            self.push_char(c);
            self.text_end = self.buffer.end;
            let found = match content.within {
                Within::Text => self.raw_char(c, container, &mut content),
                Within::StartTag if !is_letter(c) => {
                    content.nested += i32::from(self.is_own_name(container, content.start));
                    content.within = Within::Text;
                    Found::More
                }
                Within::EndTag if !is_letter(c) => self.raw_end(container, &mut content),
                Within::StartTag | Within::EndTag => Found::More,
            };
            match found {
                Found::More => {}
                Found::End => break,
                Found::Nothing => return None,
            }
        }
        if content.is_empty {
            self.text_start = self.text_end;
            self.buffer.end = self.text_end;
        } else {
            self.text_end = self.buffer.end;
        }
        if c == END {
            self.fault(Fault::Silent, Some(container), None);
        }
        Some(self.node(Kind::Text))
    }

    fn raw_char(&mut self, c: i32, container: Id, content: &mut Content) -> Found {
        if c != of(b'<') {
            content.is_empty &= is_white(c);
            return Found::More;
        }
        let c = self.input.read();
        if is_letter(c) {
            if content.has_source && content.is_empty && self.is_tag(container, Tag::Script) {
                self.buffer.end = self.text_start;
                self.input.unread(c);
                self.input.unread(of(b'<'));
                return Found::Nothing;
            }
            self.push_char(c);
            content.start = self.buffer.end.saturating_sub(1);
            content.within = Within::StartTag;
            return Found::More;
        }
        let mut wanted: &[u8] = if c == of(b'\\') { b"\\/" } else { b"/" };
        let mut c = c;
        while let Some((&first, rest)) = wanted.split_first() {
            if c != of(first) {
                self.input.unread(c);
                return Found::More;
            }
            self.push_char(c);
            c = self.input.read();
            wanted = rest;
        }
        self.input.unread(c);
        if is_letter(c) {
            content.start = self.buffer.end;
            content.within = Within::EndTag;
        }
        Found::More
    }

    fn is_own_name(&mut self, container: Id, start: usize) -> bool {
        let name = self.tree[container].name.clone().unwrap_or_default();
        self.demand(start as i64, name.len() as i64);
        self.buffer.slice(start, name.len()).eq_ignore_ascii_case(name.as_bytes())
    }

    /// Behind the name of an end tag.
    fn raw_end(&mut self, container: Id, content: &mut Content) -> Found {
        let start = content.start;
        let is_own = self.is_own_name(container, start);
        if content.is_empty && !is_own {
            self.unread_tag(start);
            return Found::End;
        }
        if is_own && content.nested <= 0 {
            self.unread_tag(start);
            self.buffer.end = start.saturating_sub(2);
            return Found::End;
        }
        content.nested -= i32::from(is_own);
        content.within = Within::Text;
        if self.buffer.at(start.wrapping_sub(2)) != b'\\' {
            self.mark_place();
            self.report.column -= 3;
            self.fault(Fault::Silent, None, None);
            if self.is_javascript(container) {
                self.buffer.insert(start - 1, b'\\');
            }
        }
        Found::More
    }

    /// Takes back `</` and all that was read behind it.
    fn unread_tag(&mut self, start: usize) {
        for at in (start..self.buffer.end).rev() {
            // A byte of Java is signed.
            self.input.unread(i32::from(self.buffer.at(at) as i8));
        }
        self.input.unread(of(b'/'));
        self.input.unread(of(b'<'));
    }

    fn is_javascript(&self, container: Id) -> bool {
        let attributes = &self.tree[container].attributes;
        let is = |text: Option<&str>, word: &str| text.is_some_and(|text| text.eq_ignore_ascii_case(word));
        attributes.is_empty()
            || attributes.iter().any(|attribute| {
                let name = attribute.name.as_deref();
                (is(name, "language") || is(name, "type")) && is(attribute.value.as_deref(), "javascript")
            })
    }
}
