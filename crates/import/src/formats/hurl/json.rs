//! JSON with expressions. It is sent as it is written, so only its pieces are kept.

use super::cursor::{Cursor, Rule, hard, no_match, wrong};
use super::syntax::{Piece, Template};
use super::texts::{Written, pieces, placeholder};

/// Deeper values are refused.
const DEEPEST: usize = 100;

/// A value with all that is in it.
pub(super) fn value(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Template> {
    let at = cursor.at;
    let mut reader = Reader { whole, start: at, pieces: Vec::new(), depth: 0 };
    reader.value(cursor)?;
    reader.flush(cursor.at);
    Ok(Template { at, pieces: reader.pieces })
}

/// The same for an object only.
pub(super) fn object(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Template> {
    if cursor.peek() == Some('{') && !cursor.rest().starts_with("{{") {
        value(whole, cursor)
    } else {
        no_match(cursor.at, "expected `{`")
    }
}

struct Reader<'a> {
    whole: &'a str,
    /// Beginning of the text that is in no piece yet.
    start: usize,
    pieces: Vec<Piece>,
    depth: usize,
}

fn blanks(cursor: &mut Cursor<'_>) {
    cursor.take_while(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
}

impl Reader<'_> {
    /// Adds the text up to a place.
    fn flush(&mut self, end: usize) {
        if self.start < end {
            self.pieces.push(Piece::Text(self.whole[self.start..end].to_owned()));
        }
        self.start = end;
    }

    fn value(&mut self, cursor: &mut Cursor<'_>) -> Rule<()> {
        for word in ["null", "true", "false"] {
            if cursor.eat(word) {
                return Ok(());
            }
        }
        if cursor.peek() == Some('"') {
            return self.text(cursor);
        }
        if cursor.optional(number)?.is_some() {
            return Ok(());
        }
        let at = cursor.at;
        if let Some(expr) = cursor.optional(placeholder)? {
            self.flush(at);
            self.pieces.push(Piece::JsonValue(expr));
            self.start = cursor.at;
            return Ok(());
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return wrong(at, format!("expected at most {DEEPEST} values in each other"));
        }
        if cursor.eat("[") {
            self.items(cursor, ']', Reader::inside)?;
        } else if cursor.eat("{") {
            self.items(cursor, '}', Reader::member)?;
        } else {
            return no_match(at, "expected a value of JSON");
        }
        self.depth -= 1;
        Ok(())
    }

    /// A value in another one.
    fn inside(&mut self, cursor: &mut Cursor<'_>) -> Rule<()> {
        blanks(cursor);
        self.value(cursor).map_err(hard)?;
        blanks(cursor);
        Ok(())
    }

    fn member(&mut self, cursor: &mut Cursor<'_>) -> Rule<()> {
        blanks(cursor);
        if cursor.peek() != Some('"') {
            return wrong(cursor.at, "expected `\"` and the name of a member");
        }
        self.text(cursor)?;
        blanks(cursor);
        cursor.expect(":")?;
        self.inside(cursor)
    }

    fn items(
        &mut self,
        cursor: &mut Cursor<'_>,
        end: char,
        item: impl Fn(&mut Self, &mut Cursor<'_>) -> Rule<()>,
    ) -> Rule<()> {
        blanks(cursor);
        if cursor.peek() != Some(end) {
            item(self, cursor)?;
            while cursor.peek() == Some(',') {
                let comma = cursor.at;
                cursor.next();
                let mut ahead = *cursor;
                blanks(&mut ahead);
                if ahead.peek() == Some(end) {
                    return wrong(comma, format!("expected `{end}`: no comma may be after the last element"));
                }
                item(self, cursor)?;
            }
        }
        cursor.expect(end.encode_utf8(&mut [0; 4]))
    }

    /// A text. Expressions in it are replaced, its other parts stay as they are written.
    fn text(&mut self, cursor: &mut Cursor<'_>) -> Rule<()> {
        cursor.expect("\"")?;
        self.flush(cursor.at);
        let mut chars = Vec::new();
        while !cursor.is_end() && cursor.peek() != Some('"') {
            let at = cursor.at;
            let is_plain = cursor.peek() != Some('\\');
            let c = character(cursor)?;
            chars.push(Written { c, is_plain, at, end: cursor.at });
        }
        self.start = cursor.at;
        cursor.expect("\"")?;
        self.pieces.extend(pieces(&chars, self.whole, true)?);
        Ok(())
    }
}

fn character(cursor: &mut Cursor<'_>) -> Rule<char> {
    let at = cursor.at;
    match cursor.next() {
        Some('\\') => escape(cursor),
        Some('\u{8}' | '\n' | '\u{c}' | '\r' | '\t') | None => {
            wrong(at, "expected `\"`: a line break or a tab in a text of JSON has to be escaped")
        }
        Some(c) => Ok(c),
    }
}

fn escape(cursor: &mut Cursor<'_>) -> Rule<char> {
    let at = cursor.at;
    match cursor.next() {
        Some(c @ ('"' | '\\' | '/')) => Ok(c),
        Some('b' | 'n' | 'f' | 'r' | 't') => Ok(' '),
        Some('u') => unicode(cursor),
        _ => wrong(at, "expected one of `\"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t`, `u` after `\\`"),
    }
}

fn four_digits(cursor: &mut Cursor<'_>) -> Rule<u32> {
    let at = cursor.at;
    let digits = cursor.rest().get(..4).filter(|text| text.chars().all(|c| c.is_ascii_hexdigit()));
    let Some(number) = digits.and_then(|text| u32::from_str_radix(text, 16).ok()) else {
        return wrong(at, "expected four hexadecimal digits");
    };
    cursor.at += 4;
    Ok(number)
}

fn unicode(cursor: &mut Cursor<'_>) -> Rule<char> {
    let at = cursor.at;
    let mut number = four_digits(cursor)?;
    if (0xD800..0xE000).contains(&number) {
        cursor.expect("\\u")?;
        let second = four_digits(cursor)?;
        if number >= 0xDC00 || !(0xDC00..0xE000).contains(&second) {
            return wrong(at, "expected the two halves of a character");
        }
        number = 0x10000 + ((number - 0xD800) << 10) + (second - 0xDC00);
    }
    char::from_u32(number).map_or_else(|| wrong(at, "expected the number of a character"), Ok)
}

/// A number. What follows a leading zero is another value.
fn number(cursor: &mut Cursor<'_>) -> Rule<()> {
    let at = cursor.at;
    cursor.eat("-");
    if !cursor.eat("0") && cursor.take_while(|c| c.is_ascii_digit()).is_empty() {
        return no_match(at, "expected a number");
    }
    if cursor.eat(".") && cursor.take_while(|c| c.is_ascii_digit()).is_empty() {
        return wrong(cursor.at, "expected digits");
    }
    if matches!(cursor.peek(), Some('e' | 'E')) {
        cursor.next();
        if !cursor.eat("-") {
            cursor.eat("+");
        }
        cursor.take_while(|c| c.is_ascii_digit());
    }
    Ok(())
}
