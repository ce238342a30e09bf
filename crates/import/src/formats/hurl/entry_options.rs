//! Options of an entry.

use super::clauses::{natural, number};
use super::cursor::{Cursor, Rule, hard, wrong};
use super::syntax::{Constant, EntryOption, OptionValue};
use super::texts::{file_name, file_name_and_password, placeholder, quoted, unquoted};

/// What the value of an option is.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    File,
    FileAndPassword,
    Flag,
    Time,
    /// From 0.
    Natural,
    /// From -1, which means without an end.
    Count,
    Variable,
}

const ALL: [(&str, Kind); 36] = [
    ("aws-sigv4", Kind::Text),
    ("cacert", Kind::File),
    ("cert", Kind::FileAndPassword),
    ("compressed", Kind::Flag),
    ("connect-to", Kind::Text),
    ("connect-timeout", Kind::Time),
    ("delay", Kind::Time),
    ("insecure", Kind::Flag),
    ("header", Kind::Text),
    ("http1.0", Kind::Flag),
    ("http1.1", Kind::Flag),
    ("http2", Kind::Flag),
    ("http3", Kind::Flag),
    ("ipv4", Kind::Flag),
    ("ipv6", Kind::Flag),
    ("key", Kind::File),
    ("limit-rate", Kind::Natural),
    ("location", Kind::Flag),
    ("location-trusted", Kind::Flag),
    ("max-redirs", Kind::Count),
    ("netrc", Kind::Flag),
    ("netrc-file", Kind::Text),
    ("netrc-optional", Kind::Flag),
    ("output", Kind::File),
    ("path-as-is", Kind::Flag),
    ("proxy", Kind::Text),
    ("repeat", Kind::Count),
    ("resolve", Kind::Text),
    ("retry", Kind::Count),
    ("retry-interval", Kind::Time),
    ("skip", Kind::Flag),
    ("unix-socket", Kind::Text),
    ("user", Kind::Text),
    ("variable", Kind::Variable),
    ("verbose", Kind::Flag),
    ("very-verbose", Kind::Flag),
];

/// `name: value` of an option.
pub(super) fn option(whole: &str, cursor: &mut Cursor<'_>) -> Rule<EntryOption> {
    cursor.blank_lines();
    cursor.spaces();
    let at = cursor.at;
    let name = cursor.take_while(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    cursor.spaces();
    cursor.begin(":")?;
    cursor.spaces();
    let Some((_, kind)) = ALL.iter().find(|(known, _)| *known == name) else {
        return wrong(at, format!("invalid option `{name}`; expected one of {}", names()));
    };
    let value = match kind {
        Kind::Text => OptionValue::Text(unquoted(whole, cursor)?),
        Kind::File => OptionValue::Text(file_name(cursor)?),
        Kind::FileAndPassword => OptionValue::Text(file_name_and_password(cursor)?),
        Kind::Flag => flag(cursor)?,
        Kind::Time => time(cursor)?,
        Kind::Natural => count(cursor, false)?,
        Kind::Count => count(cursor, true)?,
        Kind::Variable => variable(whole, cursor)?,
    };
    cursor.end_of_line()?;
    Ok(EntryOption { at, name: name.to_owned(), value })
}

fn names() -> String {
    ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// An expression, instead of a constant.
fn expr(cursor: &mut Cursor<'_>, expected: &str) -> Rule<OptionValue> {
    let at = cursor.at;
    match placeholder(cursor) {
        Ok(expr) => Ok(OptionValue::Expr(expr)),
        Err(_) => wrong(at, format!("expected {expected}")),
    }
}

fn flag(cursor: &mut Cursor<'_>) -> Rule<OptionValue> {
    match ["true", "false"].into_iter().find(|flag| cursor.eat(flag)) {
        Some(flag) => Ok(OptionValue::Flag(flag == "true")),
        None => expr(cursor, "true or false"),
    }
}

fn count(cursor: &mut Cursor<'_>, has_endless: bool) -> Rule<OptionValue> {
    if has_endless && cursor.eat("-1") {
        return Ok(OptionValue::Number(-1));
    }
    let at = cursor.at;
    let expected = if has_endless { "a whole number from -1" } else { "a whole number from 0" };
    match cursor.optional(natural) {
        Ok(Some(number)) => match i64::try_from(number) {
            Ok(number) => Ok(OptionValue::Number(number)),
            Err(_) => wrong(at, format!("expected {expected}")),
        },
        _ => expr(cursor, expected),
    }
}

fn time(cursor: &mut Cursor<'_>) -> Rule<OptionValue> {
    let Some(number) = cursor.optional(natural)? else { return expr(cursor, "a time, as 500ms, 2s or 1m") };
    let at = cursor.at;
    let factor = match cursor.take_while(|c| c.is_ascii_alphabetic()) {
        "" => None,
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        _ => return wrong(at, "expected the unit ms, s or m"),
    };
    Ok(OptionValue::Time(number, factor))
}

fn variable(whole: &str, cursor: &mut Cursor<'_>) -> Rule<OptionValue> {
    let at = cursor.at;
    let name = cursor.take_while(|c| c.is_alphanumeric() || c == '_' || c == '-').to_owned();
    if name.is_empty() {
        return wrong(at, "expected the name of a variable");
    }
    if matches!(&*name, "newDate" | "newUuid") {
        return wrong(at, format!("`{name}` is a function: expected another name of a variable"));
    }
    cursor.spaces();
    cursor.expect("=")?;
    cursor.spaces();
    let value = if cursor.eat("null") {
        Constant::Null
    } else if let Some(flag) = ["true", "false"].into_iter().find(|flag| cursor.eat(flag)) {
        Constant::Flag(flag == "true")
    } else if let Some(number) = cursor.optional(number)? {
        Constant::Number(number)
    } else if let Some(text) = cursor.optional(|cursor| quoted(whole, cursor))? {
        Constant::Text(text)
    } else {
        Constant::Text(unquoted(whole, cursor).map_err(hard)?)
    };
    Ok(OptionValue::Variable(name, value))
}
