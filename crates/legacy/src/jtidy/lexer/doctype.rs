//! The DOCTYPE and the version of HTML that it names.

use super::super::chars::{is_white, of};
use super::super::input::END;
use super::super::node::{Id, Kind};
use super::super::page::{Mode, Page, State};
use super::super::versions::NAMED;
use super::super::words::Finding;
use super::{Read, Reading};

impl Page {
    /// Behind `<!d`: to the first character of what is declared.
    pub(super) fn open_doctype(&mut self, reading: &mut Reading) -> Read {
        reading.mode = Mode::IgnoreWhite;
        let mut seen_white = false;
        loop {
            let c = self.input.read();
            let is_end = c == END || c == of(b'>');
            if is_end || (seen_white && !is_white(c)) {
                self.input.unread(c);
                break;
            }
            seen_white |= is_white(c);
        }
        self.begin(State::Doctype)
    }

    /// Within a DOCTYPE.
    pub(super) fn doctype_char(&mut self, c: i32, reading: &mut Reading) -> Read {
        if is_white(c) && self.was_white {
            self.drop_white();
        }
        self.was_white = is_white(c);
        if reading.in_subset {
            reading.in_subset = c != of(b']');
        } else {
            reading.in_subset = c == of(b'[');
        }
        if reading.in_subset || c != of(b'>') {
            return Read::On;
        }
        self.buffer.end -= 1;
        self.text_end = self.buffer.end;
        self.buffer.terminate();
        self.state = State::Content;
        self.was_white = false;
        let doctype = self.node(Kind::Doctype);
        self.doctype = self.version_of(doctype);
        Read::Token(doctype)
    }

    /// Takes the last character back. White space that is not taken into the text, such as form feeds in XML, is taken back
    /// none the less, and before the start of its text JTidy fails.
    fn drop_white(&mut self) {
        if self.buffer.end > self.text_start {
            self.buffer.end -= 1;
        } else {
            self.fail();
        }
    }

    /// Whether the words that must be in capitals are. JTidy does not look at the very end of the text.
    pub(in super::super) fn has_capitals(&self, doctype: Id) -> bool {
        let node = &self.tree[doctype];
        let text = self.buffer.slice(node.start, node.end - node.start);
        let is_bad = |word: &str| {
            let places = text.windows(word.len()).take(text.len().saturating_sub(word.len()));
            let mut found = places.filter(|place| place.eq_ignore_ascii_case(word.as_bytes()));
            found.next().is_some_and(|place| place != word.as_bytes())
        };
        !["SYSTEM", "PUBLIC", "//DTD", "//W3C", "//EN"].into_iter().any(is_bad)
    }

    /// The version of HTML that a DOCTYPE names; 0 if none is known.
    fn version_of(&mut self, doctype: Id) -> i32 {
        let (start, end) = (self.tree[doctype].start, self.tree[doctype].end);
        self.demand(start as i64, 5);
        if !self.buffer.slice(start, 5).eq_ignore_ascii_case(b"html ") {
            return 0;
        }
        if !self.has_capitals(doctype) {
            self.warn(Finding::NotUpperCase, doctype, None);
        }
        self.demand(start as i64 + 5, 7);
        if self.capitalize(start + 5, b"SYSTEM ") {
            return 0;
        }
        self.bad_doctype |= !self.capitalize(start + 5, b"PUBLIC ");
        let text = self.buffer.slice(start, end - start);
        let Some(quote) = text.iter().position(|&byte| byte == b'"') else { return 0 };
        let identifier = text[quote + 1..].to_vec();
        self.demand((start + quote) as i64 + 1, 13);
        let named = |rest: &[u8], of: &[(&str, &str, i32)]| {
            let length = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
            of.iter()
                .find(|(name, _, _)| name.as_bytes() == &rest[..length])
                .map_or(0, |&(_, _, version)| version)
        };
        if let Some(rest) = identifier.strip_prefix(b"-//W3C//DTD ") {
            named(rest, &NAMED[1..])
        } else if let Some(rest) = identifier.strip_prefix(b"-//IETF//DTD ") {
            named(rest, &NAMED[..1])
        } else {
            0
        }
    }

    /// Writes a keyword in capitals if it stands at a place; whether it does.
    fn capitalize(&mut self, at: usize, keyword: &[u8]) -> bool {
        let is_there = self.buffer.slice(at, keyword.len()).eq_ignore_ascii_case(keyword);
        if is_there {
            for (offset, &byte) in keyword.iter().enumerate() {
                self.buffer.set(at + offset, byte);
            }
        }
        is_there
    }
}
