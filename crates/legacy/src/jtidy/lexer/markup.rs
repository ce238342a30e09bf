//! Comments, instructions, sections, scripts of servers.

use super::super::chars::{is_white, of};
use super::super::input::END;
use super::super::node::{Attribute, Kind};
use super::super::page::{Page, State};
use super::super::words::Finding;
use super::{Read, Reading};

impl Page {
    /// What stands behind `<!`.
    pub(super) fn open_declaration(&mut self, reading: &mut Reading) -> Read {
        let c = self.input.read();
        match u8::try_from(c) {
            Ok(b'-') => {
                if self.input.read() == of(b'-') {
                    return self.begin(State::Comment);
                }
                self.warn(Finding::MalformedComment, None, None);
            }
            Ok(b'd' | b'D') => return self.open_doctype(reading),
            Ok(b'[') => return self.begin(State::Section),
            _ => {}
        }
        self.skip_to_gt();
        self.buffer.end = self.buffer.end.saturating_sub(2);
        self.buffer.terminate();
        self.state = State::Content;
        Read::On
    }

    fn skip_to_gt(&mut self) {
        loop {
            let c = self.input.read();
            if c == END {
                self.input.unread(c);
            }
            if c == of(b'>') || c == END {
                return;
            }
        }
    }

    /// Within a comment.
    pub(super) fn comment(&mut self, c: i32, reading: &mut Reading) -> Read {
        let hyphen = of(b'-');
        if c != hyphen {
            return Read::On;
        }
        let c = self.input.read();
        self.push_char(c);
        if c != hyphen {
            return Read::On;
        }
        loop {
            let c = self.input.read();
            if c == of(b'>') {
                return self.end_comment(reading);
            }
            if !reading.bad_hyphens {
                self.mark_place();
                self.report.column -= 3;
            }
            reading.bad_hyphens = true;
            self.mend_hyphen();
            self.push_char(c);
            if c != hyphen {
                break;
            }
        }
        self.mend_hyphen();
        Read::On
    }

    fn mend_hyphen(&mut self) {
        self.buffer.set(self.buffer.end.wrapping_sub(2), b'=');
    }

    fn end_comment(&mut self, reading: &Reading) -> Read {
        if reading.bad_hyphens {
            self.warn(Finding::MalformedComment, None, None);
        }
        self.text_end = self.buffer.end - 2;
        self.buffer.terminate();
        self.state = State::Content;
        self.was_white = false;
        let comment = self.node(Kind::Comment);
        let mut c = self.input.read();
        if c == of(b'\r') {
            c = self.input.read();
        }
        if c != of(b'\n') {
            self.input.unread(c);
        }
        Read::Token(comment)
    }

    /// Within what ends with a mark.
    pub(super) fn until(&mut self, c: i32, mark: &[u8], kind: Kind) -> Read {
        if c != of(mark[0]) {
            return Read::On;
        }
        for &wanted in &mark[1..] {
            let c = self.input.read();
            if c != of(wanted) {
                self.input.unread(c);
                return Read::On;
            }
        }
        self.end_of(kind)
    }

    fn end_of(&mut self, kind: Kind) -> Read {
        self.buffer.end -= 1;
        self.text_end = self.buffer.end;
        self.buffer.terminate();
        self.state = State::Content;
        self.was_white = false;
        Read::Token(self.node(kind))
    }

    /// Within `<![`.
    pub(super) fn section(&mut self, c: i32) -> Read {
        if c == of(b'[')
            && self.buffer.end == self.text_start + 6
            && self.buffer.slice(self.text_start, 6) == b"CDATA["
        {
            self.state = State::Cdata;
            self.buffer.end -= 6;
            return Read::On;
        }
        self.until(c, b"]>", Kind::Section)
    }

    /// Within `<?`.
    pub(super) fn instruction(&mut self, c: i32, reading: &mut Reading) -> Read {
        let length = self.buffer.end - self.text_start;
        if length == 3 && self.buffer.slice(self.text_start, 3) == b"php" {
            self.state = State::Php;
            return Read::On;
        }
        if length == 4
            && self.buffer.slice(self.text_start, 3) == b"xml"
            && is_white(i32::from(self.buffer.at(self.text_start + 3)))
        {
            self.state = State::Declaration;
            reading.attributes.clear();
            return Read::On;
        }
        let mut c = c;
        if self.xml_instructions {
            if c != of(b'?') {
                return Read::On;
            }
            c = self.input.read();
            if c == END {
                self.warn(Finding::EndOfFile, None, None);
                self.input.unread(c);
                return Read::On;
            }
            self.push_char(c);
        }
        if c == of(b'>') { self.end_of(Kind::Instruction) } else { Read::On }
    }

    /// Within `<?xml `.
    pub(super) fn declaration(&mut self, c: i32, reading: &mut Reading) -> Read {
        if is_white(c) {
            return Read::On;
        }
        if c != of(b'?') {
            self.input.unread(c);
            let mut is_empty = false;
            let name = self.attribute_name(&mut is_empty).name;
            let value = self.attribute_value(name.as_deref(), true, &mut is_empty);
            let attribute =
                Attribute { name: name.map(Into::into), value, known: None, asp: false, php: false };
            reading.attributes.insert(0, attribute);
        }
        let c = self.input.read();
        if c != of(b'>') {
            self.input.unread(c);
            return Read::On;
        }
        self.buffer.end = self.buffer.end.saturating_sub(1);
        self.text_end = self.text_start;
        self.buffer.set(self.text_end, 0);
        self.state = State::Content;
        self.was_white = false;
        let declaration = self.node(Kind::Declaration);
        self.tree[declaration].attributes = std::mem::take(&mut reading.attributes);
        Read::Token(declaration)
    }
}
