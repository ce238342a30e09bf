//! A place in the text, and the small pieces that all of the grammar is made of.

/// Why a text is not of the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// Byte of the text.
    pub(super) at: usize,
    /// What was expected, or what is wrong.
    pub(super) message: String,
    /// Another rule may fit at the same place.
    pub(super) is_soft: bool,
}

/// The result of a rule.
pub(super) type Rule<T> = Result<T, Wrong>;

/// A reader of the text from its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// Byte of the text.
    pub(super) at: usize,
}

/// An error that no other rule can avoid.
pub(super) fn wrong<T>(at: usize, message: impl Into<String>) -> Rule<T> {
    Err(Wrong { at, message: message.into(), is_soft: false })
}

/// An error of one rule among others.
pub(super) fn no_match<T>(at: usize, message: impl Into<String>) -> Rule<T> {
    Err(Wrong { at, message: message.into(), is_soft: true })
}

/// The same error, which no other rule can avoid.
pub(super) fn hard(error: Wrong) -> Wrong {
    Wrong { is_soft: false, ..error }
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn is_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// The text from a place to here.
    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// Goes past a text, if it is here.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_here = self.rest().starts_with(text);
        if is_here {
            self.at += text.len();
        }
        is_here
    }

    /// Goes past a text that has to be here.
    pub(super) fn expect(&mut self, text: &str) -> Rule<()> {
        if self.eat(text) { Ok(()) } else { wrong(self.at, format!("expected `{text}`")) }
    }

    /// Goes past a text by which a rule begins.
    pub(super) fn begin(&mut self, text: &str) -> Rule<()> {
        if self.eat(text) { Ok(()) } else { no_match(self.at, format!("expected `{text}`")) }
    }

    pub(super) fn take_while(&mut self, mut fits: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Goes past blanks and tabs, and tells whether there were any.
    pub(super) fn spaces(&mut self) -> bool {
        !self.take_while(|c| matches!(c, ' ' | '\t')).is_empty()
    }

    /// Goes past blanks, of which there has to be one.
    pub(super) fn some_spaces(&mut self) -> Rule<()> {
        if self.spaces() { Ok(()) } else { no_match(self.at, "expected a blank") }
    }

    pub(super) fn newline(&mut self) -> bool {
        self.eat("\r\n") || self.eat("\n")
    }

    /// Goes to the next line; only blanks and a comment may be before it.
    pub(super) fn end_of_line(&mut self) -> Rule<()> {
        self.spaces();
        if self.peek() == Some('#') {
            let rest = self.rest();
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            let is_ended = line.len() < rest.len();
            self.at += if is_ended { line.strip_suffix('\r').unwrap_or(line).len() } else { line.len() };
        }
        if self.is_end() || self.newline() { Ok(()) } else { wrong(self.at, "expected the end of the line") }
    }

    /// Goes past lines that have nothing but blanks and comments.
    pub(super) fn blank_lines(&mut self) {
        while !self.is_end() {
            let mut ahead = *self;
            if ahead.end_of_line().is_err() {
                break;
            }
            *self = ahead;
        }
    }

    /// A rule that may have no match; the cursor then stays.
    pub(super) fn optional<T>(&mut self, rule: impl Fn(&mut Self) -> Rule<T>) -> Rule<Option<T>> {
        let mut ahead = *self;
        match rule(&mut ahead) {
            Ok(found) => {
                *self = ahead;
                Ok(Some(found))
            }
            Err(error) if error.is_soft => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A rule as often as it matches.
    pub(super) fn many<T>(&mut self, rule: impl Fn(&mut Self) -> Rule<T>) -> Rule<Vec<T>> {
        let mut all = Vec::new();
        while !self.is_end() {
            match self.optional(&rule)? {
                Some(found) => all.push(found),
                None => break,
            }
        }
        Ok(all)
    }
}
