//! Methods of texts that objects come of, and texts made of several values.

use std::fmt::Write as _;

use swell_regex::{Dialect, Reach, Regex};

use super::Language;
use super::members::int_of;
use super::object::Object;
use super::value::{Text, Value};

/// Stands between the parts of a text that is split; no plan has it.
const CUT: char = '\u{e001}';

/// A method of a text. None if there is no such method.
pub(super) fn call(
    text: &Text,
    name: &str,
    arguments: &[Value],
    language: Language,
) -> Option<Result<Value, String>> {
    let text = &*text.text;
    let groovy = language == Language::Groovy;
    let first = || arguments.first().and_then(Value::as_text).ok_or_else(|| "a text is wanted".to_owned());
    let second = || arguments.get(1).and_then(Value::as_text).ok_or_else(|| "a text is wanted".to_owned());
    Some(match (name, arguments.len()) {
        ("split", 1) => first().and_then(|pattern| split(text, pattern)),
        ("tokenize", 1) if groovy => first().map(|marks| tokens(text, marks)),
        ("replaceAll", 2) => {
            first().and_then(|pattern| replaced(text, pattern, second()?, false)).map(Value::java)
        }
        ("replaceFirst", 2) => {
            first().and_then(|pattern| replaced(text, pattern, second()?, true)).map(Value::java)
        }
        ("matches", 1) => first().and_then(|pattern| matches(text, pattern)),
        ("getBytes", 0) => Ok(Value::object(Object::Bytes(text.as_bytes().into()))),
        ("getBytes", 1) => first().and_then(|charset| {
            if charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8") {
                Ok(Value::object(Object::Bytes(text.as_bytes().into())))
            } else {
                Err("this charset needs a script engine".to_owned())
            }
        }),
        ("charAt", 1) => int_of(&arguments[0]).and_then(|at| {
            let unit = usize::try_from(at).ok().and_then(|at| text.encode_utf16().nth(at));
            let unit = unit.ok_or_else(|| format!("index {at}, length {}", text.encode_utf16().count()))?;
            char::from_u32(u32::from(unit)).map(Value::Char).ok_or_else(|| "half a character".to_owned())
        }),
        ("padLeft", 1 | 2) if groovy => padded(text, arguments, true),
        ("padRight", 1 | 2) if groovy => padded(text, arguments, false),
        ("isNumber", 0) if groovy => {
            Ok(Value::Boolean(super::decimal::Decimal::parse(text.trim()).is_some()))
        }
        ("reverse", 0) if groovy => Ok(Value::java(text.chars().rev().collect::<String>())),
        ("capitalize", 0) if groovy => {
            let mut letters = text.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            Ok(Value::java(first + letters.as_str()))
        }
        ("toBigDecimal", 0) if groovy => super::groovy::text_to(text, super::tree::Type::Decimal),
        ("hashCode", 0) => {
            let hash = |sum: i32, unit: u16| sum.wrapping_mul(31).wrapping_add(i32::from(unit));
            Ok(Value::Int(text.encode_utf16().fold(0, hash)))
        }
        ("readLines", 0) if groovy => Ok(Value::list(text.lines().map(Value::java).collect())),
        _ => return None,
    })
}

fn matches(text: &str, pattern: &str) -> Result<Value, String> {
    is_match(text, pattern).map(Value::Boolean)
}

/// `String.matches(pattern)`.
pub(super) fn is_match(text: &str, pattern: &str) -> Result<bool, String> {
    let whole = compiled(&format!(r"\A(?:{pattern})\z"))?;
    whole.is_match(text).map_err(|_| "the pattern costs too much".to_owned())
}

/// `text ==~ pattern` of Groovy.
pub(super) fn matched(text: &Value, pattern: &Value) -> Result<Value, String> {
    match (text, pattern) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Boolean(false)),
        (Value::Text(text), Value::Text(pattern)) => matches(&text.text, &pattern.text),
        _ => Err("a match of this needs a script engine".to_owned()),
    }
}

fn compiled(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern, Dialect::Java, Reach::Anywhere).map_err(|bad| bad.reason)
}

/// A pattern that stands for itself, without the backslashes.
fn literal(pattern: &str) -> Option<String> {
    let (mut plain, mut letters) = (String::new(), pattern.chars());
    while let Some(c) = letters.next() {
        match c {
            '\\' => match letters.next()? {
                escaped if escaped.is_ascii_punctuation() => plain.push(escaped),
                _ => return None,
            },
            '.' | '$' | '|' | '(' | ')' | '[' | '{' | '^' | '?' | '*' | '+' => return None,
            c => plain.push(c),
        }
    }
    (!plain.is_empty()).then_some(plain)
}

/// `String.split(pattern)`: empty parts at the end do not count.
fn split(text: &str, pattern: &str) -> Result<Value, String> {
    let cut = if let Some(plain) = literal(pattern) {
        text.replace(&plain, &CUT.to_string())
    } else {
        let regex = compiled(pattern)?;
        if regex.is_match("") != Ok(false) {
            return Err("a pattern that matches nothing needs a script engine".to_owned());
        }
        regex.replace_all(text, &CUT.to_string()).map_err(|_| "the pattern costs too much".to_owned())?
    };
    let mut parts: Vec<&str> = cut.split(CUT).collect();
    while parts.len() > 1 && parts.last() == Some(&"") {
        parts.pop();
    }
    if parts.len() == 1 && parts[0].is_empty() && !text.is_empty() {
        parts.pop();
    }
    Ok(Value::array(parts.into_iter().map(Value::java).collect()))
}

/// Groovy's `tokenize`: any of the characters parts, empty parts do not count.
fn tokens(text: &str, marks: &str) -> Value {
    let parts = text.split(|c| marks.contains(c)).filter(|part| !part.is_empty());
    Value::list(parts.map(Value::java).collect())
}

fn replaced(text: &str, pattern: &str, with: &str, first_only: bool) -> Result<String, String> {
    let (mut plain, mut letters) = (String::new(), with.chars());
    while let Some(c) = letters.next() {
        match c {
            '\\' => plain.extend(letters.next()),
            '$' => return Err("groups in a replacement need a script engine".to_owned()),
            c => plain.push(c),
        }
    }
    if let Some(literal) = literal(pattern) {
        let most = if first_only { 1 } else { usize::MAX };
        return Ok(text.replacen(&literal, &plain, most));
    }
    let regex = compiled(pattern)?;
    if first_only || regex.is_match("") != Ok(false) {
        return Err("this pattern needs a script engine".to_owned());
    }
    regex.replace_all(text, &plain).map_err(|_| "the pattern costs too much".to_owned())
}

fn padded(text: &str, arguments: &[Value], left: bool) -> Result<Value, String> {
    let width = usize::try_from(int_of(&arguments[0])?).unwrap_or(0).min(1_000_000);
    let fill = match arguments.get(1) {
        None => " ",
        Some(value) => value.as_text().filter(|fill| !fill.is_empty()).ok_or("a text is wanted")?,
    };
    let missing = width.saturating_sub(text.encode_utf16().count());
    let fill: String = fill.chars().cycle().take(missing).collect();
    Ok(Value::java(if left { fill + text } else { text.to_owned() + &fill }))
}

/// `URLEncoder.encode(text, "UTF-8")`.
pub(super) fn form_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => out.push(byte.into()),
            b' ' => out.push('+'),
            _ => write!(out, "%{byte:02X}").expect("a String takes everything"),
        }
    }
    out
}

/// `String.format(format, values…)` for texts and numbers with a width and decimals.
pub(super) fn formatted(arguments: &[Value], language: Language) -> Result<String, String> {
    let (format, values) = arguments.split_first().expect("there is a format");
    let format = format.as_text().ok_or("a format is a text")?;
    let (mut out, mut rest, mut values) = (String::new(), format, values.iter());
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let length =
            after.find(|c: char| c.is_ascii_alphabetic() || c == '%').ok_or("a `%` has no letter")?;
        let (flags, kind) = (&after[..length], &after[length..=length]);
        rest = &after[length + 1..];
        if kind == "%" && flags.is_empty() {
            out.push('%');
        } else if kind == "n" && flags.is_empty() {
            out.push('\n');
        } else {
            let value = values.next().ok_or_else(|| format!("Format specifier '%{flags}{kind}'"))?;
            out.push_str(&one(flags, kind, value, language)?);
        }
    }
    Ok(out + rest)
}

fn one(flags: &str, kind: &str, value: &Value, language: Language) -> Result<String, String> {
    let unknown = || format!("the format `%{flags}{kind}` needs a script engine");
    let zeros = flags.starts_with('0');
    let (width, decimals) = match flags.split_once('.') {
        Some((width, decimals)) => (width, Some(decimals.parse::<usize>().map_err(|_| unknown())?)),
        None => (flags, None),
    };
    let width = if width.is_empty() { 0 } else { width.parse::<usize>().map_err(|_| unknown())? };
    if width > 1000 || decimals.is_some_and(|decimals| decimals > 15) {
        return Err(unknown());
    }
    match (kind, decimals, value) {
        ("s", None, value) if !zeros && super::object::is_shown(value, language) => {
            Ok(format!("{:>width$}", value.to_text(language)))
        }
        ("d", None, Value::Int(_) | Value::Long(_)) => {
            let number = value.as_long().ok_or_else(unknown)?;
            Ok(if zeros { format!("{number:0width$}") } else { format!("{number:>width$}") })
        }
        ("f", decimals, Value::Double(number)) if number.is_finite() => {
            Ok(half_up(*number, decimals.unwrap_or(6), width, zeros))
        }
        _ => Err(unknown()),
    }
}

/// Java rounds the digits that it shows of a double, half up.
fn half_up(number: f64, decimals: usize, width: usize, zeros: bool) -> String {
    let shown = crate::java_format::double_to_string(number);
    let tie = shown.split_once('.').is_some_and(|(_, fraction)| {
        fraction.len() == decimals + 1 && fraction.ends_with('5') && !fraction.contains('E')
    });
    let nudged = if tie { number + number.signum() * 10_f64.powi(-(decimals as i32) - 3) } else { number };
    if zeros { format!("{nudged:0width$.decimals$}") } else { format!("{nudged:>width$.decimals$}") }
}
