//! An expression to tokens.

use swell_query::json::{Json, parse_strictly};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name without quotes.
    Name(String),
    /// A name in double quotes.
    Quoted(String),
    /// A text in single quotes, or JSON in backticks.
    Literal(Json<'static>),
    Number(i64),
    Mark(&'static str),
}

/// More than anyone writes, less than a stack of evaluations holds.
const MOST_TOKENS: usize = 400;

/// Longer marks first.
const MARKS: [&str; 23] = [
    "[?", "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "(", ")", "[", "]", "{", "}", ".", ",", ":",
    "*", "@", "&", "|",
];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut tokens, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '"' => quoted(rest)?,
            '\'' => raw(rest)?,
            '`' => literal(rest)?,
            '-' | '0'..='9' => number(rest)?,
            c if c.is_ascii_alphabetic() || c == '_' => {
                let length =
                    rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                (Token::Name(rest[..length].to_owned()), length)
            }
            c => {
                let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
                let mark = mark.ok_or_else(|| format!("token recognition error at: '{c}'"))?;
                (Token::Mark(mark), mark.len())
            }
        };
        tokens.push(token);
        if tokens.len() > MOST_TOKENS {
            return Err(format!("more than {MOST_TOKENS} words and signs"));
        }
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Where the text that begins with a quote ends, and the characters between.
fn between(text: &str, quote: char) -> Result<(&str, usize), String> {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, c)) = letters.next() {
        match c {
            '\\' => {
                letters.next();
            }
            c if c == quote => return Ok((&text[1..at], at + 1)),
            _ => {}
        }
    }
    Err(format!("token recognition error at: '{text}'"))
}

fn quoted(text: &str) -> Result<(Token, usize), String> {
    let (_, length) = between(text, '"')?;
    match parse_strictly(&text[..length]) {
        Ok(Json::Text(name)) => Ok((Token::Quoted(name.into_owned()), length)),
        _ => Err(format!("token recognition error at: '{}'", &text[..length])),
    }
}

/// Only quotes and backslashes are escaped.
fn raw(text: &str) -> Result<(Token, usize), String> {
    let (inside, length) = between(text, '\'')?;
    let (mut value, mut letters) = (String::new(), inside.chars().peekable());
    while let Some(c) = letters.next() {
        match (c, letters.peek()) {
            ('\\', Some(next @ ('\'' | '\\'))) => {
                value.push(*next);
                letters.next();
            }
            _ => value.push(c),
        }
    }
    Ok((Token::Literal(Json::Text(value.into())), length))
}

fn literal(text: &str) -> Result<(Token, usize), String> {
    let (inside, length) = between(text, '`')?;
    let json = inside.replace("\\`", "`");
    let value = parse_strictly(&json).map_err(|error| format!("in `{inside}`: {error}"))?.into_static();
    Ok((Token::Literal(value), length))
}

fn number(text: &str) -> Result<(Token, usize), String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let whole = &text[..text.len() - digits.len() + length];
    let value = whole.parse::<i32>().map_err(|_| format!("For input string: \"{whole}\""))?;
    Ok((Token::Number(value.into()), whole.len()))
}
