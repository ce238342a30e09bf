//! Words of an expression.

use super::{Found, fault};
use swell_query::chars::name_length;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    /// A name, perhaps with a prefix; `*` may stand for either part.
    Name(String),
    Number(String),
    Text(String),
    Variable(String),
    Symbol(&'static str),
}

/// Longer symbols first.
const SYMBOLS: &[&str] = &[
    "::", "//", "..", "!=", "<=", ">=", "<<", ">>", "||", "=>", ":=", "(", ")", "[", "]", "{", "}", ",", "/",
    "@", "|", "+", "-", "*", "=", "<", ">", "!", "?", ".", "#", ":", ";", "%", "&", "^", "~", "\\", "`",
];

pub(super) fn words(text: &str) -> Found<Vec<Word>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("(:") {
            comment(rest)?
        } else if matches!(c, '"' | '\'') {
            let (value, length) = quoted(rest, c)?;
            words.push(Word::Text(value));
            length
        } else if c == '$' {
            let name = rest[1..].trim_start();
            let length = qualified_length(name);
            if length == 0 {
                return fault("Expected variable name after '$'");
            }
            words.push(Word::Variable(name[..length].to_owned()));
            rest.len() - name.len() + length
        } else if c.is_ascii_digit() || (c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            let length = number_length(rest);
            words.push(Word::Number(rest[..length].to_owned()));
            length
        } else if let length @ 1.. = wild_length(rest) {
            words.push(Word::Name(rest[..length].to_owned()));
            length
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            words.push(Word::Symbol(symbol));
            symbol.len()
        } else {
            return fault(format!("Invalid character '{c}' in expression"));
        };
        rest = rest[length..].trim_start();
    }
    Ok(words)
}

fn comment(text: &str) -> Found<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("(:") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with(":)") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Ok(at);
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    fault("Unclosed XPath comment")
}

/// A text in quotes; two quotes stand for one. Its value and its length.
fn quoted(text: &str, quote: char) -> Found<(String, usize)> {
    let mut value = String::new();
    let mut at = 1;
    loop {
        let Some(end) = text[at..].find(quote) else { return fault("Unmatched quote in expression") };
        value.push_str(&text[at..at + end]);
        at += end + 1;
        if !text[at..].starts_with(quote) {
            return Ok((value, at));
        }
        value.push(quote);
        at += 1;
    }
}

fn number_length(text: &str) -> usize {
    let digits = |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    if text[end..].starts_with('.') && !text[end..].starts_with("..") {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let behind = digits(end + 1 + sign);
        if behind > end + 1 + sign {
            end = behind;
        }
    }
    end
}

/// `name` or `prefix:name`.
fn qualified_length(text: &str) -> usize {
    let first = name_length(text);
    if first > 0 && text[first..].starts_with(':') && !text[first..].starts_with("::") {
        let second = name_length(&text[first + 1..]);
        if second > 0 {
            return first + 1 + second;
        }
    }
    first
}

/// A name in which `*` may stand for a part.
fn wild_length(text: &str) -> usize {
    if let Some(local) = text.strip_prefix("*:") {
        let length = name_length(local);
        return if length == 0 { 0 } else { length + 2 };
    }
    let length = qualified_length(text);
    let rest = &text[length..];
    if length > 0 && rest.starts_with(":*") { length + 2 } else { length }
}
