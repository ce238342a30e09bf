//! Bodies of requests and responses.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::cursor::{Cursor, Rule, wrong};
use super::json::{self, object};
use super::syntax::{Content, Template};
use super::texts::{Written, backtick, file_name, lines, pieces};
use super::xml;

/// A body, by its beginning.
pub(super) fn content(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Content> {
    if let Some(content) = cursor.optional(|cursor| several_lines(whole, cursor))? {
        return Ok(content);
    }
    if let Some(text) = cursor.optional(|cursor| backtick(whole, cursor))? {
        return Ok(Content::Text(text));
    }
    if let Some(text) = cursor.optional(|cursor| json::value(whole, cursor))? {
        return Ok(Content::Json(text));
    }
    if let Some(text) = cursor.optional(xml::document)? {
        return Ok(Content::Xml(text.to_owned()));
    }
    if let Some(bytes) = cursor.optional(bytes)? {
        return Ok(Content::Bytes(bytes));
    }
    Ok(Content::File(file(cursor)?))
}

/// `base64,…;` or `hex,…;`.
pub(super) fn bytes(cursor: &mut Cursor<'_>) -> Rule<Vec<u8>> {
    match cursor.optional(base64)? {
        Some(bytes) => Ok(bytes),
        None => hex(cursor),
    }
}

/// `file,path;`.
pub(super) fn file(cursor: &mut Cursor<'_>) -> Rule<Template> {
    cursor.begin("file")?;
    cursor.expect(",")?;
    cursor.spaces();
    let name = file_name(cursor)?;
    cursor.spaces();
    cursor.expect(";")?;
    Ok(name)
}

/// `base64,…;`, in which blanks and line breaks may be.
fn base64(cursor: &mut Cursor<'_>) -> Rule<Vec<u8>> {
    cursor.begin("base64")?;
    cursor.expect(",")?;
    cursor.spaces();
    let at = cursor.at;
    let is_digit = |c: char| c.is_ascii_alphanumeric() || c == '+' || c == '/';
    let mut text: String =
        cursor.take_while(|c| is_digit(c) || matches!(c, ' ' | '\n' | '\t')).split_whitespace().collect();
    cursor.take_while(|c| c == '=');
    cursor.spaces();
    cursor.expect(";")?;
    // One digit too many has no bits of a byte; the last one may have bits that mean nothing.
    if text.len() % 4 == 1 {
        text.pop();
    }
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engine = GeneralPurpose::new(&STANDARD, config);
    engine.decode(&text).or_else(|_| wrong(at, "expected base64"))
}

/// `hex,…;`.
fn hex(cursor: &mut Cursor<'_>) -> Rule<Vec<u8>> {
    cursor.begin("hex")?;
    cursor.expect(",")?;
    cursor.spaces();
    let at = cursor.at;
    let digits = cursor.take_while(|c| c.is_ascii_hexdigit()).as_bytes();
    if digits.len() % 2 == 1 {
        return wrong(cursor.at, "expected an even number of hexadecimal digits");
    }
    cursor.spaces();
    cursor.expect(";")?;
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap_or_default(), 16);
    let bytes: Result<Vec<u8>, _> = digits.chunks(2).map(byte).collect();
    bytes.or_else(|_| wrong(at, "expected hexadecimal digits"))
}

/// A text between three backticks.
pub(super) fn several_lines(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Content> {
    cursor.begin("```")?;
    if cursor.eat("graphql") {
        return graphql(whole, cursor);
    }
    let language = ["json", "xml"].into_iter().find(|language| cursor.eat(language)).unwrap_or_default();
    let has_escapes = first_line(cursor, !language.is_empty())?;
    Ok(Content::Lines(language, lines(whole, cursor, has_escapes)?))
}

/// The attributes after the three backticks; gives whether escapes mean something.
fn first_line(cursor: &mut Cursor<'_>, has_language: bool) -> Rule<bool> {
    if has_language {
        cursor.eat(",");
    }
    let mut has_escapes = false;
    loop {
        let start = cursor.at;
        cursor.spaces();
        if cursor.is_end() || matches!(cursor.peek(), Some('\n' | '\r')) {
            break;
        }
        match cursor.take_while(|c| c != ',' && !c.is_whitespace()) {
            "escape" => has_escapes = true,
            "novariable" => {}
            _ => return wrong(start, "expected `escape`, `novariable` or the end of the line"),
        }
        cursor.eat(",");
    }
    if cursor.newline() { Ok(has_escapes) } else { wrong(cursor.at, "expected the end of the line") }
}

fn graphql(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Content> {
    first_line(cursor, true)?;
    let at = cursor.at;
    let mut chars: Vec<Written> = Vec::new();
    let mut variables = None;
    while !cursor.is_end() && !cursor.rest().starts_with("```") {
        let start = cursor.at;
        let c = cursor.next().unwrap_or_default();
        chars.push(Written { c, is_plain: true, at: start, end: cursor.at });
        if c == '\n' && cursor.rest().starts_with("variables") {
            cursor.eat("variables");
            cursor.spaces();
            let start = cursor.at;
            let found = object(whole, cursor);
            variables = Some(found.or_else(|_| wrong(start, "expected the variables as an object of JSON"))?);
            cursor.take_while(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
            break;
        }
    }
    cursor.expect("```")?;
    Ok(Content::Graphql(Template { at, pieces: pieces(&chars, whole, false)? }, variables))
}
