//! A page as tokens (`org.w3c.tidy.Lexer.getToken`). What state the lexer is in outlasts a token: a text is handed on before the
//! tag behind it is read.

mod attributes;
mod cdata;
mod doctype;
mod entity;
mod inlines;
mod markup;
mod tags;
mod value;

use super::chars::{is_letter, is_white, of};
use super::input::END;
use super::node::{Attribute, Id, Kind};
use super::page::{Mode, Page, State};
use super::words::Finding;

/// What is known while one token is read.
struct Reading {
    mode: Mode,
    /// Of a comment: hyphens that should not be there.
    bad_hyphens: bool,
    /// Of a DOCTYPE: within its brackets.
    in_subset: bool,
    /// Of an XML declaration.
    attributes: Vec<Attribute>,
}

/// What a character leads to.
enum Read {
    On,
    Token(Id),
}

impl Page {
    /// Gives the last token back: the next one is the same.
    pub(super) fn give_back(&mut self) {
        self.given_back = true;
    }

    /// The next token; none at the end of the page.
    pub(super) fn token(&mut self, mode: Mode) -> Option<Id> {
        if self.stop.is_some() {
            return None;
        }
        let inserts = self.insert.is_some() || self.inserted_before.is_some();
        // Inline elements go before a text that was given back.
        if self.given_back
            && let Some(token) = self.token
            && (!self.is_text(token) || !inserts)
        {
            self.given_back = false;
            return Some(token);
        }
        if inserts {
            return self.inserted();
        }
        self.read_token(mode)
    }

    fn read_token(&mut self, mode: Mode) -> Option<Id> {
        self.mark_place();
        self.was_white = false;
        self.text_start = self.buffer.end;
        self.text_end = self.buffer.end;
        let mut reading = Reading { mode, bad_hyphens: false, in_subset: false, attributes: Vec::new() };
        loop {
            let c = self.input.read();
            if c == END || self.stop.is_some() {
                return self.token_at_end();
            }
            let c = self.take(c, reading.mode);
            if let Read::Token(token) = self.go_on(c, &mut reading) {
                self.token = Some(token);
                return Some(token);
            }
        }
    }

    /// Takes a character into the text, with the blank that is due before it.
    fn take(&mut self, c: i32, mode: Mode) -> i32 {
        if self.insert_space {
            if mode != Mode::IgnoreWhite {
                self.push_char(of(b' '));
            }
            self.was_white = true;
            self.insert_space = false;
        }
        let c = if c == of(b'\r') { self.after_return() } else { c };
        self.push_char(c);
        c
    }

    /// A newline stands for a return and the newline behind it.
    fn after_return(&mut self) -> i32 {
        let next = self.input.read();
        if next != of(b'\n') {
            self.input.unread(next);
        }
        of(b'\n')
    }

    fn go_on(&mut self, c: i32, reading: &mut Reading) -> Read {
        match self.state {
            State::Content => self.content(c, reading),
            State::Open => return self.open(c, reading),
            State::EndTag => return self.end_tag(),
            State::StartTag => return Read::Token(self.start_tag(reading.mode)),
            State::Comment => return self.comment(c, reading),
            State::Doctype => return self.doctype_char(c, reading),
            State::Instruction => return self.instruction(c, reading),
            State::Asp => return self.until(c, b"%>", Kind::Asp),
            State::Jste => return self.until(c, b"#>", Kind::Jste),
            State::Php => return self.until(c, b"?>", Kind::Php),
            State::Declaration => return self.declaration(c, reading),
            State::Section => return self.section(c),
            State::Cdata => return self.until(c, b"]]>", Kind::Cdata),
        }
        Read::On
    }

    fn content(&mut self, c: i32, reading: &mut Reading) {
        if c == of(b'<') {
            self.state = State::Open;
            return;
        }
        if is_white(c) {
            self.white(c, reading.mode);
            return;
        }
        if c == of(b'&') {
            self.entity(reading.mode);
        }
        // From here on the text counts, so that its blanks do, too.
        if reading.mode == Mode::IgnoreWhite {
            reading.mode = Mode::Mixed;
        }
        self.was_white = false;
    }

    fn white(&mut self, c: i32, mode: Mode) {
        if mode == Mode::IgnoreWhite && self.buffer.end == self.text_start + 1 {
            self.buffer.end -= 1;
            self.was_white = false;
            self.mark_place();
        } else if self.was_white {
            if mode != Mode::Preformatted {
                self.buffer.end = self.buffer.end.saturating_sub(1);
                self.mark_place();
            }
        } else {
            self.was_white = true;
            if mode != Mode::Preformatted && c != of(b' ') {
                self.buffer.set(self.buffer.end.wrapping_sub(1), b' ');
            }
        }
    }

    /// What stands behind a `<`.
    fn open(&mut self, c: i32, reading: &mut Reading) -> Read {
        if c == of(b'/') {
            return self.open_end(reading.mode);
        }
        if c == of(b'!') {
            return self.open_declaration(reading);
        }
        let state = match u8::try_from(c) {
            Ok(b'?') => State::Instruction,
            Ok(b'%') => State::Asp,
            Ok(b'#') => State::Jste,
            _ if is_letter(c) => {
                self.input.unread(c);
                self.buffer.end -= 2;
                self.text_end = self.buffer.end;
                self.state = State::StartTag;
                return self.text_so_far();
            }
            _ => {
                self.state = State::Content;
                self.was_white = false;
                return Read::On;
            }
        };
        self.begin(state)
    }

    /// Something begins behind `<` and one character; the text before it is handed on first.
    fn begin(&mut self, state: State) -> Read {
        self.buffer.end = self.buffer.end.saturating_sub(2);
        self.state = state;
        self.text_end = self.buffer.end;
        let text = self.text_so_far();
        if matches!(text, Read::On) {
            self.text_start = self.buffer.end;
        }
        text
    }

    fn text_so_far(&mut self) -> Read {
        if self.text_end > self.text_start { Read::Token(self.node(Kind::Text)) } else { Read::On }
    }

    fn open_end(&mut self, mode: Mode) -> Read {
        let c = self.input.read();
        if c == END {
            self.input.unread(c);
            return Read::On;
        }
        self.push_char(c);
        if !is_letter(c) {
            self.was_white = false;
            self.state = State::Content;
            return Read::On;
        }
        self.buffer.end -= 3;
        self.text_end = self.buffer.end;
        self.input.unread(c);
        self.state = State::EndTag;
        self.buffer.terminate();
        self.report.column -= 2;
        if self.text_end > self.text_start
            && mode == Mode::IgnoreWhite
            && self.buffer.at(self.buffer.end - 1) == b' '
        {
            self.buffer.end -= 1;
            self.text_end = self.buffer.end;
            return Read::Token(self.node(Kind::Text));
        }
        self.text_so_far()
    }

    fn token_at_end(&mut self) -> Option<Id> {
        let token = match self.state {
            State::Content => {
                self.text_end = self.buffer.end;
                if self.text_end <= self.text_start {
                    return None;
                }
                self.input.unread(END);
                if self.buffer.at(self.buffer.end - 1) == b' ' {
                    self.buffer.end -= 1;
                    self.text_end = self.buffer.end;
                }
                self.node(Kind::Text)
            }
            State::Comment => {
                self.warn(Finding::MalformedComment, None, None);
                self.text_end = self.buffer.end;
                self.buffer.terminate();
                self.state = State::Content;
                self.was_white = false;
                self.node(Kind::Comment)
            }
            _ => return None,
        };
        self.token = Some(token);
        Some(token)
    }
}
