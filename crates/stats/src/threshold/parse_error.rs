//! The error in a rule, and its position.

use std::fmt;

/// A rule that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The rule.
    pub text: String,
    /// Where in it, in bytes.
    pub at: usize,
    /// How long what is wrong is, in bytes; 0 if something is missing.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// What is expected.
    pub hint: String,
}

impl fmt::Display for ParseError {
    /// The message, the rule with a mark below what is wrong, and the hint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = |part: &str| part.chars().count();
        let before = &self.text[..self.at];
        let wrong = &self.text[self.at..self.at + self.length];
        let mark = "^".repeat(columns(wrong).max(1));
        let indent = " ".repeat(columns(before));
        write!(f, "{}\n  {}\n  {indent}{mark}", self.message, self.text)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "\n  hint: {}", self.hint) }
    }
}

impl std::error::Error for ParseError {}
