//! A script to tokens.

use super::Language;

/// Stands for what a reference (`${...}`) will be, where a script is looked at before it runs.
pub(crate) const HOLE: char = '\u{e000}';

/// More than any comparison has, less than a stack of evaluations holds.
const MOST_TOKENS: usize = 300;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Digits and what belongs to them, as they are written.
    Number(String),
    /// A text, and whether it stood in single quotes.
    Text(String, bool),
    Word(String),
    Mark(&'static str),
    Hole,
}

/// A token, and whether a line began before it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) on_new_line: bool,
}

/// Longer marks first. Some are only known to be refused: they mean something else than their first characters.
const MARKS: [&str; 48] = [
    "===", "!==", "==~", "<=>", ">>>", "...", "==", "!=", "<=", ">=", "&&", "||", "?.", "?:", "??", "++",
    "--", "<<", ">>", "**", "=~", "!~", "=^", "=$", "->", "..", "+=", "-=", "<", ">", "!", "(", ")", "+",
    "-", "*", "/", "%", ".", ",", "?", ":", ";", "[", "]", "=", "&", "|",
];

pub(super) fn tokens(text: &str, language: Language) -> Result<Vec<Token>, String> {
    let (mut tokens, mut rest) = (Vec::new(), text);
    loop {
        let trimmed = rest.trim_start();
        let on_new_line = rest[..rest.len() - trimmed.len()].contains('\n');
        rest = trimmed;
        let Some(first) = rest.chars().next() else { return Ok(tokens) };
        if rest.starts_with("//") || rest.starts_with("/*") {
            return Err("comments need a script engine".to_owned());
        }
        let (kind, length) = match first {
            '"' | '\'' => string(rest, language)?,
            '0'..='9' | HOLE => number(rest)?,
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => number(rest)?,
            c if c.is_alphabetic() || c == '_' || c == '$' => word(rest)?,
            _ => mark(rest)?,
        };
        tokens.push(Token { kind, on_new_line });
        if tokens.len() > MOST_TOKENS {
            return Err(format!("it has more than {MOST_TOKENS} words and signs"));
        }
        rest = &rest[length..];
    }
}

fn string(text: &str, language: Language) -> Result<(Kind, usize), String> {
    let quote = text.chars().next().expect("starts with a quote");
    let (mut value, mut letters) = (String::new(), text.char_indices().skip(1));
    if language == Language::Groovy && text[1..].starts_with(&format!("{quote}{quote}")) {
        return Err("texts in three quotes need a script engine".to_owned());
    }
    while let Some((at, c)) = letters.next() {
        match c {
            c if c == quote => return Ok((Kind::Text(value, quote == '\''), at + 1)),
            '\n' | '\r' => break,
            '$' if language == Language::Groovy && quote == '"' => {
                return Err("`$` within a text needs a script engine".to_owned());
            }
            '\\' => match letters.next() {
                Some((_, c)) => escape(c, quote, language, &mut value)?,
                None => break,
            },
            c => value.push(c),
        }
    }
    Err(format!("{text} has no closing quote"))
}

fn escape(c: char, quote: char, language: Language, value: &mut String) -> Result<(), String> {
    let jexl = matches!(language, Language::Jexl2 | Language::Jexl3);
    match c {
        '\\' => value.push('\\'),
        c if c == quote => value.push(c),
        '\'' | '"' if !jexl => value.push(c),
        'n' if !jexl => value.push('\n'),
        't' if !jexl => value.push('\t'),
        'r' if !jexl => value.push('\r'),
        'u' | 'n' | 't' | 'r' | 'b' | 'f' | 'v' | 'x' | '0'..='9' => {
            return Err(format!(r"the escape \{c} needs a script engine"));
        }
        c if jexl => value.extend(['\\', c]),
        '$' if language == Language::Groovy => value.push('$'),
        c if language == Language::JavaScript => value.push(c),
        c => return Err(format!(r"there is no escape \{c}")),
    }
    Ok(())
}

/// Digits, with a fraction and an exponent. A reference among digits makes the whole one.
fn number(text: &str) -> Result<(Kind, usize), String> {
    let bytes = text.as_bytes();
    let mut length = 0;
    while let Some(c) = text[length..].chars().next() {
        let in_exponent = length > 0 && matches!(bytes[length - 1], b'e' | b'E') && !text.starts_with("0x");
        // A point that a name follows belongs to a call: `${n}.equals(...)`.
        let point = c == '.'
            && !text[length + 1..].starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '.')
            && !text[..length].contains('.');
        let belongs = c.is_alphanumeric() || c == HOLE || point || (in_exponent && matches!(c, '+' | '-'));
        if !belongs {
            break;
        }
        length += c.len_utf8();
    }
    let found = &text[..length];
    if !found.contains(HOLE) {
        return Ok((Kind::Number(found.to_owned()), length));
    }
    if found.chars().all(|c| c == HOLE || c == '.' || c.is_ascii_digit()) {
        return Ok((Kind::Hole, length));
    }
    Err("a reference within a word needs a script engine".to_owned())
}

fn word(text: &str) -> Result<(Kind, usize), String> {
    let belongs = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == HOLE;
    let length = text.find(|c: char| !belongs(c)).unwrap_or(text.len());
    let word = &text[..length];
    if word.contains(HOLE) {
        return Err("a reference within a word needs a script engine".to_owned());
    }
    Ok((Kind::Word(word.to_owned()), length))
}

fn mark(text: &str) -> Result<(Kind, usize), String> {
    let found = MARKS.iter().find(|mark| text.starts_with(**mark));
    found.map(|mark| (Kind::Mark(mark), mark.len())).ok_or_else(|| format!("`{text}` is not understood"))
}
