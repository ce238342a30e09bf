//! A moving position in a text.

use super::Read;
use super::fault::Fault;
use crate::chars::{is_char, name_length, qualified_name_length, space_length};

pub(super) struct Scanner<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    #[inline]
    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The next character, which must be there.
    #[inline]
    pub(super) fn need(&self) -> Read<char> {
        self.peek().ok_or_else(|| Fault::cut(self.text.len()))
    }

    #[inline]
    pub(super) fn skip(&mut self, wanted: &str) -> bool {
        let is_there = self.rest().starts_with(wanted);
        if is_there {
            self.at += wanted.len();
        }
        is_there
    }

    /// Whether there was white space.
    #[inline]
    pub(super) fn skip_spaces(&mut self) -> bool {
        let length = space_length(self.rest());
        self.at += length;
        length > 0
    }

    /// A name, colons included.
    #[inline]
    pub(super) fn name(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let length = qualified_name_length(rest);
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// A name without colon.
    pub(super) fn plain_name(&mut self) -> Option<&'t str> {
        let length = name_length(self.rest());
        let name = &self.rest()[..length];
        self.at += length;
        (length > 0).then_some(name)
    }

    /// The text before an end mark, which is skipped. Characters that XML does not allow are
    /// errors.
    pub(super) fn until(&mut self, end: &str, invalid: impl Fn(char) -> String) -> Read<&'t str> {
        let rest = self.rest();
        let length = find(rest, end);
        let part = &rest[..length.unwrap_or(rest.len())];
        if let Some((at, c)) = part.char_indices().find(|&(_, c)| !is_char(c)) {
            return Err(Fault::new(self.at + at, invalid(c)));
        }
        match length {
            Some(length) => {
                self.at += length + end.len();
                Ok(part)
            }
            None => Err(Fault::cut(self.text.len())),
        }
    }

    pub(super) fn fault<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(Fault::new(self.at, message))
    }
}

/// Where a short text is in another. For texts that mostly are near the beginning, a prepared search
/// costs more than it saves.
fn find(text: &str, wanted: &str) -> Option<usize> {
    let (bytes, wanted) = (text.as_bytes(), wanted.as_bytes());
    memchr::memchr_iter(wanted[0], bytes).find(|&at| bytes[at..].starts_with(wanted))
}

/// Line ends of all systems as `\n`.
pub(super) fn with_plain_line_ends(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}
