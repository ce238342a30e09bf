//! Reads a rule from left to right.

use super::parse_error::ParseError;

/// The rest of a rule.
#[derive(Clone, Copy)]
pub(super) struct Scanner<'t> {
    text: &'t str,
    pub(super) at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes a sign, and blanks before it.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    /// The word that comes next: letters, digits and `_`, first a letter; empty if there is none.
    pub(super) fn peek_word(&mut self) -> &'t str {
        self.skip_blanks();
        let rest = self.rest();
        if !rest.starts_with(char::is_alphabetic) {
            return "";
        }
        &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())]
    }

    pub(super) fn take_word(&mut self) -> &'t str {
        let word = self.peek_word();
        self.at += word.len();
        word
    }

    /// A number without sign, such as `1.5`.
    pub(super) fn take_number(&mut self) -> Option<f64> {
        self.skip_blanks();
        let rest = self.rest();
        let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len())];
        let number: f64 = digits.parse().ok()?;
        self.at += digits.len();
        Some(number)
    }

    /// The text up to the next of these signs that no backslash precedes; the backslash before one
    /// is dropped.
    pub(super) fn take_quoted(&mut self, sign: char) -> Result<String, ParseError> {
        let start = self.at - sign.len_utf8();
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((offset, c)) = chars.next() {
            if c == sign {
                self.at += offset + sign.len_utf8();
                return Ok(text);
            }
            match c {
                '\\' if chars.as_str().starts_with(sign) => {
                    text.push(sign);
                    chars.next();
                }
                '\\' if chars.as_str().starts_with('\\') && sign != '/' => {
                    text.push('\\');
                    chars.next();
                }
                c => text.push(c),
            }
        }
        Err(self.wrong_from(start, format!("missing closing {sign}"), String::new()))
    }

    /// An error about the text from `start` up to here.
    pub(super) fn wrong_from(&self, start: usize, message: String, hint: String) -> ParseError {
        ParseError {
            text: self.text.to_owned(),
            at: start,
            length: self.text[start..self.at.max(start)].trim_end().len(),
            message,
            hint,
        }
    }

    /// An error about what comes next.
    pub(super) fn wrong_here(&mut self, message: impl FnOnce(&str) -> String, hint: String) -> ParseError {
        self.skip_blanks();
        let start = self.at;
        let word = self.peek_word();
        let length =
            if word.is_empty() { self.rest().chars().next().map_or(0, char::len_utf8) } else { word.len() };
        self.at += length;
        self.wrong_from(start, message(&self.text[start..self.at]), hint)
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }
}
