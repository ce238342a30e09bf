//! Splits a script into tokens.

use std::borrow::Cow;

use super::language::Language;
use crate::script_failure::{ScriptFailure, exception, unsupported};

/// The placeholder of a reference (`${...}`) when a script is checked before it runs.
pub(crate) const PLACEHOLDER: char = '\u{e000}';

/// More than any script that is understood has.
const MOST_TOKENS: usize = 6_000;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// Digits and what belongs to them, as they are written.
    Number(String),
    /// A text, and whether it was in single quotes.
    Text(String, bool),
    Identifier(String),
    Punctuator(&'static str),
    Placeholder,
    /// What no value was put for: `${name}` as it is written.
    Unresolved(String),
}

/// A token, and whether it is the first on its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) on_new_line: bool,
}

/// Longer marks first. Some are only known to be refused: they mean something else than their first
/// characters.
const PUNCTUATORS: [&str; 56] = [
    "===", "!==", "==~", "<=>", ">>>", "...", "..<", "==", "!=", "<=", ">=", "&&", "||", "?.", "?:", "??",
    "++", "--", "<<", ">>", "**", "=~", "!~", "=^", "=$", "!^", "!$", "->", "..", "+=", "-=", "*=", "/=",
    "%=", "<", ">", "!", "(", ")", "+", "-", "*", "/", "%", ".", ",", "?", ":", ";", "[", "]", "=", "&", "|",
    "{", "}",
];

pub(super) fn tokens(text: &str, language: Language) -> Result<Vec<Token>, ScriptFailure> {
    // `bsh.Interpreter.eval` terminates unterminated text wherever it is.
    let ended = match language {
        Language::BeanShell if !text.ends_with(';') => Cow::Owned(format!("{text};")),
        _ => Cow::Borrowed(text),
    };
    let (mut tokens, mut rest): (Vec<Token>, _) = (Vec::new(), &*ended);
    loop {
        let trimmed = without_comments(rest, language)?;
        let on_new_line = rest[..rest.len() - trimmed.len()].contains('\n');
        rest = trimmed;
        let Some(first) = rest.chars().next() else { return Ok(tokens) };
        let (kind, length) = match first {
            '"' | '\'' => string(rest, language)?,
            '0'..='9' | PLACEHOLDER => number(rest)?,
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => number(rest)?,
            '$' if rest.starts_with("${") => left(rest, language)?,
            c if c.is_alphabetic() || c == '_' || c == '$' => word(rest)?,
            _ => punctuator(rest, language)?,
        };
        tokens.push(Token { kind, on_new_line });
        if tokens.len() > MOST_TOKENS {
            return Err(unsupported(format!("it has more than {MOST_TOKENS} tokens")));
        }
        rest = &rest[length..];
    }
}

/// What follows spaces and comments.
fn without_comments(mut text: &str, language: Language) -> Result<&str, ScriptFailure> {
    loop {
        text = text.trim_start();
        let line = text.starts_with("//");
        let block = text.starts_with("/*");
        if !line && !block {
            return Ok(text);
        }
        if !language.has_statements() {
            return Err(unsupported("comments need a script engine"));
        }
        text = if block {
            text[2..].split_once("*/").ok_or_else(|| exception("a comment has no end"))?.1
        } else {
            text.find('\n').map_or("", |at| &text[at..])
        };
    }
}

fn string(text: &str, language: Language) -> Result<(TokenKind, usize), ScriptFailure> {
    let quote = text.chars().next().expect("starts with a quote");
    if language == Language::Groovy && text.starts_with(&quote.to_string().repeat(3)) {
        return Err(unsupported("a text in three quotes needs a script engine"));
    }
    let mut value = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, c)) = letters.next() {
        match c {
            c if c == quote => return Ok((TokenKind::Text(value, quote == '\''), at + 1)),
            '\n' | '\r' => return Err(not_closed(text, language.is_jexl())),
            '$' if language == Language::Groovy && quote == '"' => {
                return Err(unsupported("`$` within a text needs a script engine"));
            }
            '\\' => match letters.next() {
                Some((_, c)) => escape(c, quote, language, &mut value)?,
                None => break,
            },
            c => value.push(c),
        }
    }
    Err(not_closed(text, false))
}

/// A text that has no end on its line. JEXL continues it in the next line.
fn not_closed(text: &str, may_go_on: bool) -> ScriptFailure {
    let start: String = text.chars().take(40).collect();
    let reason = format!("{start} has no closing quote");
    if may_go_on { unsupported(reason) } else { exception(reason) }
}

fn escape(c: char, quote: char, language: Language, value: &mut String) -> Result<(), ScriptFailure> {
    let jexl = matches!(language, Language::Jexl2 | Language::Jexl3);
    match c {
        '\\' => value.push('\\'),
        c if c == quote => value.push(c),
        '\'' | '"' if !jexl => value.push(c),
        'n' if !jexl => value.push('\n'),
        't' if !jexl => value.push('\t'),
        'r' if !jexl => value.push('\r'),
        'u' | 'n' | 't' | 'r' | 'b' | 'f' | 'v' | 'x' | '0'..='9' => {
            return Err(unsupported(format!(r"the escape \{c} needs a script engine")));
        }
        c if jexl => value.extend(['\\', c]),
        '$' if language == Language::Groovy => value.push('$'),
        c if language == Language::JavaScript => value.push(c),
        c => return Err(unsupported(format!(r"unknown escape \{c}"))),
    }
    Ok(())
}

/// Digits, with a fraction and an exponent. A reference among digits makes the whole one.
fn number(text: &str) -> Result<(TokenKind, usize), ScriptFailure> {
    let bytes = text.as_bytes();
    let mut length = 0;
    while let Some(c) = text[length..].chars().next() {
        let in_exponent = length > 0 && matches!(bytes[length - 1], b'e' | b'E') && !text.starts_with("0x");
        // A point that a name follows belongs to a call: `${n}.equals(...)`.
        let point = c == '.'
            && !text[length + 1..].starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '.')
            && !text[..length].contains('.');
        let belongs =
            c.is_alphanumeric() || c == PLACEHOLDER || point || (in_exponent && matches!(c, '+' | '-'));
        if !belongs {
            break;
        }
        length += c.len_utf8();
    }
    let found = &text[..length];
    if !found.contains(PLACEHOLDER) {
        return Ok((TokenKind::Number(found.to_owned()), length));
    }
    if found.chars().all(|c| c == PLACEHOLDER || c == '.' || c.is_ascii_digit()) {
        return Ok((TokenKind::Placeholder, length));
    }
    Err(unsupported("a reference within a word needs a script engine"))
}

/// A reference to what is not defined. Groovy calls a method `$` that is not there; the others
/// cannot read it.
fn left(text: &str, language: Language) -> Result<(TokenKind, usize), ScriptFailure> {
    let end = text.find('}').ok_or_else(|| unsupported("`${` without `}` needs a script engine"))?;
    let whole = &text[..=end];
    let name = &whole[2..end];
    // BeanShell only looks at what it gets to, and gives such a thing a value.
    if matches!(language, Language::JavaScript | Language::Jexl2 | Language::Jexl3) {
        return Err(exception(format!("`{whole}` is not defined")));
    }
    // More than a name could be code that throws something else.
    if language == Language::BeanShell
        || name.is_empty()
        || !name.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        return Err(unsupported(format!("`{whole}` needs a script engine")));
    }
    Ok((TokenKind::Unresolved(whole.to_owned()), whole.len()))
}

fn word(text: &str) -> Result<(TokenKind, usize), ScriptFailure> {
    let belongs = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == PLACEHOLDER;
    let length = text.find(|c: char| !belongs(c)).unwrap_or(text.len());
    let word = &text[..length];
    if word.contains(PLACEHOLDER) {
        return Err(unsupported("a reference within a word needs a script engine"));
    }
    Ok((TokenKind::Identifier(word.to_owned()), length))
}

/// Marks that only languages with statements know.
const OF_STATEMENTS: [&str; 6] = ["{", "}", "@", "*=", "/=", "%="];

fn punctuator(text: &str, language: Language) -> Result<(TokenKind, usize), ScriptFailure> {
    let jexl = matches!(language, Language::Jexl2 | Language::Jexl3);
    let known = |mark: &&&str| match **mark {
        "!^" | "!$" => jexl,
        mark => language.has_statements() || !OF_STATEMENTS.contains(&mark),
    };
    let found = PUNCTUATORS.iter().filter(known).find(|mark| text.starts_with(**mark));
    let unknown = || {
        let start: String = text.chars().take(40).collect();
        unsupported(format!("unexpected `{start}`"))
    };
    found.map(|mark| (TokenKind::Punctuator(mark), mark.len())).ok_or_else(unknown)
}
