//! Patterns of Java in scripts.

use swell_regex::{Dialect, Reach, Regex};

use super::failure::{ScriptFailure, exception, unsupported};
use super::value::Value;

/// Whether a pattern means the same here as to Java for certain.
pub(super) fn is_understood(pattern: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " _-:,;/@#%&=<>~'\"!.*+?|()^$".contains(c);
    let mut letters = pattern.chars();
    let mut depth = 0_u32;
    let mut before = ' ';
    while let Some(c) = letters.next() {
        let fits = match c {
            '\\' => letters.next().is_some_and(|escaped| "dDwWsS.".contains(escaped)),
            '(' => {
                depth += 1;
                !letters.as_str().starts_with('?')
            }
            ')' => depth.checked_sub(1).inspect(|less| depth = *less).is_some(),
            // A `+` after such a sign would be Java's greed.
            '*' | '+' | '?' => !"*+?(|^ ".contains(before),
            '[' => class(&mut letters),
            c => plain(c),
        };
        if !fits {
            return false;
        }
        before = c;
    }
    depth == 0 && compiled(pattern).is_ok()
}

/// Reads a class of characters up to its `]`: letters, digits and ranges of them, `\d`, `\w`.
fn class(letters: &mut std::str::Chars<'_>) -> bool {
    if letters.as_str().starts_with('^') {
        letters.next();
    }
    let mut empty = true;
    while let Some(c) = letters.next() {
        match c {
            ']' => return !empty,
            '\\' if letters.next().is_some_and(|escaped| "dw.".contains(escaped)) => {}
            c if c.is_ascii_alphanumeric() || "_-., ".contains(c) => {}
            _ => return false,
        }
        empty = false;
    }
    false
}

/// `String.matches(pattern)`.
pub(super) fn is_match(text: &str, pattern: &str) -> Result<bool, ScriptFailure> {
    let whole = compiled(&format!(r"\A(?:{pattern})\z"))?;
    whole.is_match(text).map_err(|_| unsupported("a pattern that costs so much needs a script engine"))
}

/// `text ==~ pattern` of Groovy.
pub(super) fn matched(text: &Value, pattern: &Value) -> Result<bool, ScriptFailure> {
    match (text, pattern) {
        (Value::Null, _) | (_, Value::Null) => Ok(false),
        (Value::Text(text), Value::Text(pattern)) => is_match(&text.text, &pattern.text),
        _ => Err(exception("a match of what is no text")),
    }
}

fn compiled(pattern: &str) -> Result<Regex, ScriptFailure> {
    Regex::new(pattern, Dialect::Java, Reach::Anywhere).map_err(|bad| unsupported(bad.reason))
}
