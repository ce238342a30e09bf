//! The value of an attribute (`Lexer.parseValue`).

use super::super::attributes::{is_script, is_url};
use super::super::chars::{is_white, of, to_lower};
use super::super::input::END;
use super::super::page::{Mode, Page};
use super::super::words::{AttributeFinding as Finding, Fault};

/// Newlines and angle brackets in a quoted value from which on its end seems to be missing.
const SUSPICIOUS: u32 = 10;
/// Attributes whose blanks count.
const BLANKS_COUNT: [&str; 4] = ["alt", "title", "value", "prompt"];

/// A value while it is read.
struct Value<'a> {
    name: Option<&'a str>,
    fold_case: bool,
    /// The quote that ends it; 0 if there is none.
    quote: i32,
    suspicions: u32,
    seen_gt: bool,
}

/// What a character of a value leads to.
enum Next {
    /// It belongs to the value.
    Push(i32),
    Skip(i32),
    End,
}

impl Page {
    /// The value behind an attribute's name; none if it has none.
    pub(super) fn attribute_value(
        &mut self,
        name: Option<&str>,
        fold_case: bool,
        is_empty: &mut bool,
    ) -> Option<String> {
        let c = self.skip_white();
        if c != of(b'=') && !is_quote(c) {
            self.input.unread(c);
            return None;
        }
        let c = self.skip_white();
        if c == of(b'<') {
            let start = self.buffer.end;
            self.push_char(c);
            self.server_value();
            let length = self.buffer.end.saturating_sub(start);
            self.buffer.end = start;
            return (length > 0).then(|| self.buffer.text(start, length).into_owned());
        }
        let quote = if is_quote(c) { c } else { 0 };
        if quote == 0 {
            self.input.unread(c);
        }
        let mut value = Value { name, fold_case, quote, suspicions: 0, seen_gt: false };
        let start = self.buffer.end;
        self.value_chars(&mut value, is_empty);
        self.suspect_quote(&value, start);
        let length = self.buffer.end as i64 - start as i64;
        self.buffer.end = start;
        (length > 0 || quote != 0).then(|| self.trimmed(name, start as i64, length))
    }

    fn skip_white(&mut self) -> i32 {
        loop {
            let c = self.input.read();
            if c == END {
                self.input.unread(c);
            }
            if c == END || !is_white(c) {
                return c;
            }
        }
    }

    fn value_chars(&mut self, value: &mut Value, is_empty: &mut bool) {
        let mut last;
        let mut c = 0;
        loop {
            last = c;
            c = self.input.read();
            if c == END {
                self.attribute(Finding::EndOfFile, self.token, None);
                self.input.unread(c);
                return;
            }
            let begun = if value.quote == 0 {
                self.bare_char(c, value, is_empty)
            } else {
                self.quoted_char(c, value)
            };
            let next = match begun {
                Next::Push(c) => self.value_char(c, last, value),
                other => other,
            };
            match next {
                Next::End => return,
                Next::Skip(now) => c = now,
                Next::Push(now) => {
                    c = now;
                    self.push_char(c);
                }
            }
        }
    }

    fn bare_char(&mut self, c: i32, value: &Value, is_empty: &mut bool) -> Next {
        let gt = of(b'>');
        if c == gt {
            self.input.unread(c);
            return Next::End;
        }
        if is_quote(c) {
            self.attribute(Finding::UnexpectedQuote, self.token, None);
            let next = self.input.read();
            self.input.unread(next);
            if next == gt {
                self.push_char(c);
                return Next::End;
            }
        }
        if c == of(b'<') {
            self.input.unread(c);
            self.input.unread(gt);
            self.attribute(Finding::UnexpectedGt, self.token, None);
            return Next::End;
        }
        // `<br clear=all/>` is empty, `<a href=http://www.acme.com/>` is not.
        if c == of(b'/') {
            let next = self.input.read();
            self.input.unread(next);
            if next == gt && !self.names_url(value.name) {
                *is_empty = true;
                return Next::End;
            }
        }
        Next::Push(c)
    }

    fn quoted_char(&mut self, c: i32, value: &mut Value) -> Next {
        if c == value.quote {
            return Next::End;
        }
        let c = if c == of(b'\r') { self.after_return() } else { c };
        let is_gt = c == of(b'>');
        value.suspicions += u32::from(is_gt || c == of(b'\n') || c == of(b'<'));
        value.seen_gt |= is_gt;
        Next::Push(c)
    }

    /// A character that is in the value, be it quoted or not.
    fn value_char(&mut self, c: i32, last: i32, value: &Value) -> Next {
        if c == of(b'&') {
            if value.name.is_some_and(|name| name.eq_ignore_ascii_case("id")) {
                self.attribute(Finding::EntityInId, None, None);
                return Next::Skip(c);
            }
            self.push_char(c);
            self.entity(Mode::IgnoreWhite);
            return Next::Skip(c);
        }
        let mut c = c;
        if c == of(b'\\') {
            // Scripts break lines in texts.
            let next = self.input.read();
            if next == of(b'\n') {
                c = next;
            } else {
                self.input.unread(next);
            }
        }
        if is_white(c) {
            if value.quote == 0 {
                return Next::End;
            }
            if c == of(b'\n') && self.names_url(value.name) {
                self.attribute(Finding::NewlineInUrl, self.token, None);
                return Next::Skip(c);
            }
            let blank = of(b' ');
            return if last == blank { Next::Skip(blank) } else { Next::Push(blank) };
        }
        Next::Push(if value.fold_case { to_lower(c) } else { c })
    }

    /// Whether it is the name of an address; JTidy fails where it has to ask without a name.
    fn names_url(&mut self, name: Option<&str>) -> bool {
        if name.is_none() {
            self.fail();
        }
        name.is_some_and(is_url)
    }

    /// A quote seems to be missing where too much that looks like tags is in a value.
    fn suspect_quote(&mut self, value: &Value, start: usize) {
        if value.suspicions <= SUSPICIOUS || !value.seen_gt {
            return;
        }
        let Some(name) = value.name else { return self.fail() };
        self.demand(start as i64, if is_url(name) { 11 } else { 5 });
        let is_script = is_script(name) || (is_url(name) && self.buffer.slice(start, 11) == b"javascript:");
        if !is_script && self.buffer.slice(start, 5) != b"<xml " {
            self.fault(Fault::MissingQuote, None, None);
        }
    }

    /// The value without blanks around it. JTidy compares a place with a length here, and so blanks at the start go only near the
    /// beginning of a page.
    fn trimmed(&mut self, name: Option<&str>, start: i64, length: i64) -> String {
        let (mut start, mut length) = (start, length);
        let blanks_count =
            name.is_some_and(|name| BLANKS_COUNT.iter().any(|known| known.eq_ignore_ascii_case(name)));
        if !blanks_count {
            let is_white_at = |at: i64| is_white(i32::from(self.buffer.at(at as usize)));
            while start + length > 0 && is_white_at(start + length - 1) {
                length -= 1;
            }
            while is_white_at(start) && start < length {
                start += 1;
                length -= 1;
            }
        }
        self.demand(start, length);
        self.buffer.text(start as usize, length.max(0) as usize).into_owned()
    }

    /// A value that a script of the server makes (`parseServerInstruction`).
    fn server_value(&mut self) {
        let c = self.input.read();
        self.push_char(c);
        let is_rule = matches!(u8::try_from(c), Ok(b'%' | b'?' | b'@'));
        loop {
            let c = self.input.read();
            if c == END {
                return;
            }
            if c == of(b'>') {
                if is_rule {
                    self.push_char(c);
                } else {
                    self.input.unread(c);
                }
                return;
            }
            if !is_rule && is_white(c) {
                return;
            }
            self.push_char(c);
            if is_quote(c) && !self.server_quoted(c) {
                return;
            }
        }
    }

    /// Reads to the closing quote; whether there is one in the tag.
    fn server_quoted(&mut self, quote: i32) -> bool {
        loop {
            let c = self.input.read();
            let finding = if self.input.is_ended() {
                Finding::EndOfFile
            } else if c == of(b'>') {
                Finding::UnexpectedGt
            } else {
                self.push_char(c);
                if c == quote {
                    return true;
                }
                continue;
            };
            if finding == Finding::UnexpectedGt {
                self.input.unread(c);
                self.attribute(finding, self.token, None);
            } else {
                self.attribute(finding, self.token, None);
                self.input.unread(c);
            }
            return false;
        }
    }
}

fn is_quote(c: i32) -> bool {
    c == of(b'"') || c == of(b'\'')
}
