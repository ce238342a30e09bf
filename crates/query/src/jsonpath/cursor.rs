//! Reads a path character by character (Jayway's `CharacterIndex`).

use super::PathError;

/// A position in a text, and the position of its last character. Reading outside the text is an
/// error, as in Java.
pub(super) struct Cursor {
    chars: Vec<char>,
    pub(super) position: usize,
    /// One past the last character.
    end: usize,
}

type Read<T> = Result<T, PathError>;

impl Cursor {
    pub(super) fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        Self { end: chars.len(), chars, position: 0 }
    }

    pub(super) fn length(&self) -> usize {
        self.end
    }

    pub(super) fn char_at(&self, at: usize) -> Read<char> {
        self.chars.get(at).copied().ok_or_else(|| {
            let message = "java.lang.StringIndexOutOfBoundsException: String index out of range";
            PathError::other(format!("{message}: {at}"))
        })
    }

    pub(super) fn current(&self) -> Read<char> {
        self.char_at(self.position)
    }

    pub(super) fn current_is(&self, c: char) -> Read<bool> {
        Ok(self.current()? == c)
    }

    pub(super) fn last_is(&self, c: char) -> Read<bool> {
        Ok(self.char_at(self.end.saturating_sub(1))? == c)
    }

    pub(super) fn next_is(&self, c: char) -> bool {
        self.in_bounds(self.position + 1) && self.chars[self.position + 1] == c
    }

    pub(super) fn in_bounds(&self, at: usize) -> bool {
        at < self.end
    }

    pub(super) fn is_inside(&self) -> bool {
        self.in_bounds(self.position)
    }

    /// At the last character or after it.
    pub(super) fn is_tail(&self) -> bool {
        self.position + 1 >= self.end
    }

    pub(super) fn has_more(&self) -> bool {
        self.in_bounds(self.position + 1)
    }

    pub(super) fn shrink_end(&mut self) {
        self.end = self.end.saturating_sub(1);
    }

    pub(super) fn text(&self, from: usize, to: usize) -> Read<String> {
        match self.chars.get(from..to) {
            Some(chars) => Ok(chars.iter().collect()),
            None => Err(PathError::other(format!(
                "java.lang.StringIndexOutOfBoundsException: begin {from}, end {to}, length {}",
                self.chars.len()
            ))),
        }
    }

    pub(super) fn whole(&self) -> String {
        self.chars.iter().collect()
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.position + 1 < self.end && self.chars[self.position] == ' ' {
            self.position += 1;
        }
    }

    /// Blanks at both ends do not count.
    pub(super) fn trim(&mut self) {
        self.skip_blanks();
        while self.position + 1 < self.end && self.chars[self.end - 1] == ' ' {
            self.end -= 1;
        }
    }

    /// The first position after one that is not blank.
    fn significant_after(&self, start: usize) -> usize {
        let mut at = start + 1;
        while self.in_bounds(at) && self.chars[at] == ' ' {
            at += 1;
        }
        at
    }

    /// Where the next non-blank character is, if it is this one.
    pub(super) fn index_of_next_significant(&self, start: usize, c: char) -> Read<Option<usize>> {
        let at = self.significant_after(start);
        Ok((self.char_at(at)? == c).then_some(at))
    }

    /// The next non-blank character; a blank at the end.
    pub(super) fn next_significant(&self, start: usize) -> char {
        let at = self.significant_after(start);
        if self.in_bounds(at) { self.chars[at] } else { ' ' }
    }

    /// The position of the last non-blank character before one.
    pub(super) fn index_of_previous_significant(&self, start: usize) -> Option<usize> {
        self.chars.get(..start.min(self.end))?.iter().rposition(|c| *c != ' ')
    }

    pub(super) fn next_index_of(&self, start: usize, c: char) -> Option<usize> {
        let found = self.chars.get(start..self.end)?.iter().position(|found| *found == c)?;
        Some(start + found)
    }

    /// The next such character after a position that has no backslash before it.
    pub(super) fn next_unescaped(&self, start: usize, c: char) -> Option<usize> {
        let mut escaped = false;
        for at in start + 1..self.end {
            if escaped {
                escaped = false;
            } else if self.chars[at] == '\\' {
                escaped = true;
            } else if self.chars[at] == c {
                return Some(at);
            }
        }
        None
    }

    /// The bracket that closes the one here. Strings and, if asked for, regular expressions are
    /// passed over.
    pub(super) fn closing(&self, start: usize, open: char, close: char, regex: bool) -> Read<Option<usize>> {
        let mut opened = 1;
        let mut at = start + 1;
        while self.in_bounds(at) {
            let c = self.chars[at];
            if c == '\'' || c == '"' {
                at = self
                    .next_unescaped(at, c)
                    .ok_or_else(|| self.unclosed(&format!("close quote for {c} when parsing : ")))?
                    + 1;
            }
            if regex && self.char_at(at)? == '/' {
                at = self
                    .next_unescaped(at, '/')
                    .ok_or_else(|| self.unclosed("close for / when parsing regex in : "))?
                    + 1;
            }
            let c = self.char_at(at)?;
            if c == open {
                opened += 1;
            }
            if c == close {
                opened -= 1;
                if opened == 0 {
                    return Ok(Some(at));
                }
            }
            at += 1;
        }
        Ok(None)
    }

    fn unclosed(&self, what: &str) -> PathError {
        PathError::invalid(format!("Could not find matching {what}{}", self.whole()))
    }

    /// Takes this character, blanks before it passed over.
    pub(super) fn read_significant(&mut self, c: char) -> Read<()> {
        self.skip_blanks();
        if self.current()? != c {
            return Err(PathError::invalid(format!("Expected character: {c}")));
        }
        self.position += 1;
        Ok(())
    }

    /// Takes these characters if they come next, blanks before them passed over.
    pub(super) fn take(&mut self, wanted: &str) -> bool {
        self.skip_blanks();
        let length = wanted.chars().count();
        let end = self.position + length;
        let found = end <= self.end && self.chars[self.position..end].iter().copied().eq(wanted.chars());
        if found {
            self.position = end;
        }
        found
    }
}

/// Escapes in a quoted text (Jayway's `Utils.unescape`).
pub(super) fn unescape(text: &str) -> Read<String> {
    if !text.contains('\\') {
        return Ok(text.to_owned());
    }
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    let mut buffer = [0; 2];
    while let Some(c) = chars.next() {
        let c = if c == '\\' {
            chars.next()
        } else {
            units.extend_from_slice(c.encode_utf16(&mut buffer));
            continue;
        };
        match c {
            None => units.push(u16::from(b'\\')),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                if digits.len() < 4 {
                    break;
                }
                let unit = u16::from_str_radix(&digits, 16);
                units.push(
                    unit.map_err(|_| PathError::other(format!("Unable to parse unicode value: {digits}")))?,
                );
            }
            Some(c) => {
                let c = match c {
                    'r' => '\r',
                    'f' => '\x0C',
                    't' => '\t',
                    'n' => '\n',
                    'b' => '\x08',
                    other => other,
                };
                units.extend_from_slice(c.encode_utf16(&mut buffer));
            }
        }
    }
    Ok(String::from_utf16_lossy(&units))
}
