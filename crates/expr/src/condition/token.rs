//! A condition to tokens.

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    Word(String),
    Mark(&'static str),
}

/// Longer marks first.
const MARKS: [&str; 23] = [
    "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")", "+", "-", "*", "/", "%", ".",
    ",", "?", ":", ";",
];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut tokens, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '"' | '\'' => string(rest)?,
            '0'..='9' => number(rest)?,
            c if c.is_alphabetic() || c == '_' || c == '$' => word(rest),
            _ => mark(rest)?,
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn string(text: &str) -> Result<(Token, usize), String> {
    let quote = text.chars().next();
    let (mut value, mut letters) = (String::new(), text.char_indices().skip(1));
    while let Some((at, c)) = letters.next() {
        match c {
            c if Some(c) == quote => return Ok((Token::Text(value), at + 1)),
            '\n' => break,
            '\\' => match letters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, 'r')) => value.push('\r'),
                Some((_, c @ ('u' | 'x' | 'b' | 'f' | 'v' | '0'..='9'))) => {
                    return Err(format!(r"the escape \{c} is not supported"));
                }
                Some((_, c)) => value.push(c),
                None => break,
            },
            c => value.push(c),
        }
    }
    Err(format!("{text} has no closing quote"))
}

fn number(text: &str) -> Result<(Token, usize), String> {
    let length = text.find(|c: char| !(c.is_alphanumeric() || c == '.')).unwrap_or(text.len());
    let digits = &text[..length];
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok().map(|value| value as f64),
        None if digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') => digits.parse().ok(),
        None => None,
    };
    value.map(|value| (Token::Number(value), length)).ok_or_else(|| format!("`{digits}` is not a number"))
}

fn word(text: &str) -> (Token, usize) {
    let length = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(text.len());
    (Token::Word(text[..length].to_owned()), length)
}

fn mark(text: &str) -> Result<(Token, usize), String> {
    let found = MARKS.iter().find(|mark| text.starts_with(**mark));
    found.map(|mark| (Token::Mark(mark), mark.len())).ok_or_else(|| format!("`{text}` is not understood"))
}
