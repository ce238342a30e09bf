//! Entries of a file: requests, responses, their sections.

use super::bodies::content;
use super::clauses::{filters, predicate, query};
use super::cursor::{Cursor, Rule, Wrong, hard, no_match, wrong};
use super::entry_options::option;
use super::syntax::{Assert, Body, Capture, Entry, KeyValue, Part, Request, Response, Section};
use super::texts::{file_name, key, unquoted};

/// Reads a whole file.
pub(super) fn entries(whole: &str) -> Rule<Vec<Entry>> {
    let mut cursor = Cursor::new(whole);
    let mut all = Vec::new();
    loop {
        let start = cursor.at;
        cursor.blank_lines();
        if cursor.is_end() {
            return Ok(all);
        }
        let name = name_in_comments(cursor.since(start));
        let entry = entry(whole, &mut cursor, name).map_err(hard)?;
        all.push(entry);
    }
}

/// The name of `# @name login`, the last one.
fn name_in_comments(lines: &str) -> Option<String> {
    let name =
        |line: &str| Some(line.trim().strip_prefix('#')?.trim().strip_prefix("@name")?.trim().to_owned());
    lines.lines().rev().find_map(name).filter(|name| !name.is_empty())
}

fn entry(whole: &str, cursor: &mut Cursor<'_>, name: Option<String>) -> Rule<Entry> {
    let request = request(whole, cursor, name)?;
    let mut ahead = *cursor;
    let response = match response(whole, &mut ahead) {
        Ok(response) => {
            *cursor = ahead;
            Some(response)
        }
        Err(error) if error.is_soft => None,
        Err(error) => return Err(error),
    };
    Ok(Entry { request, response })
}

fn request(whole: &str, cursor: &mut Cursor<'_>, name: Option<String>) -> Rule<Request> {
    cursor.spaces();
    let at = cursor.at;
    let method = method(cursor)?;
    cursor.some_spaces().map_err(|_| missing(cursor, "expected a blank and the URL"))?;
    let url = unquoted(whole, cursor)?;
    cursor.end_of_line()?;
    let headers = cursor.many(|cursor| key_value(whole, cursor))?;
    let sections = cursor.many(|cursor| request_section(whole, cursor))?;
    let mut kinds: Vec<_> = Vec::new();
    for (section, start) in &sections {
        let kind = std::mem::discriminant(section);
        if kinds.contains(&kind) {
            return wrong(*start, "the section is there twice: expected each section once");
        }
        kinds.push(kind);
    }
    let sections = sections.into_iter().map(|(section, _)| section).collect();
    let body = cursor.optional(|cursor| body(whole, cursor))?;
    Ok(Request { at, name, method, url, headers, sections, body })
}

fn response(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Response> {
    cursor.blank_lines();
    cursor.spaces();
    let at = cursor.at;
    let version = version(cursor)?;
    cursor.some_spaces().map_err(hard)?;
    let status = status(cursor)?;
    cursor.end_of_line()?;
    let headers = cursor.many(|cursor| key_value(whole, cursor))?;
    let sections = cursor.many(|cursor| response_section(whole, cursor))?;
    let body = cursor.optional(|cursor| body(whole, cursor))?;
    let mut captures = Vec::new();
    let mut asserts = Vec::new();
    for (some, others) in sections {
        captures.extend(some);
        asserts.extend(others);
    }
    Ok(Response { version, at, status, headers, captures, asserts, body })
}

fn missing(cursor: &Cursor<'_>, message: &str) -> Wrong {
    Wrong { at: cursor.at, message: message.to_owned(), is_soft: false }
}

fn method(cursor: &mut Cursor<'_>) -> Rule<String> {
    let at = cursor.at;
    if cursor.peek() == Some('[') {
        let hint =
            "sections of a request are before its body, [Captures] and [Asserts] after a line as `HTTP 200`";
        return wrong(at, format!("expected a request: {hint}"));
    }
    let name = cursor.take_while(|c| c.is_ascii_alphabetic());
    if name.is_empty() || name.chars().any(|c| c.is_ascii_lowercase()) {
        return wrong(at, "expected a request, as `GET http://localhost/`, or `name: value`");
    }
    Ok(name.to_owned())
}

fn version(cursor: &mut Cursor<'_>) -> Rule<Option<&'static str>> {
    let at = cursor.at;
    cursor.begin("HTTP")?;
    if cursor.eat("/") {
        let version = ["1.0", "1.1", "2", "3"].into_iter().find(|version| cursor.eat(version));
        return version.map_or_else(
            || wrong(at, "expected HTTP/1.0, HTTP/1.1, HTTP/2, HTTP/3 or HTTP"),
            |version| Ok(Some(version)),
        );
    }
    match cursor.peek() {
        Some(' ' | '\t') => Ok(None),
        _ => wrong(at, "expected HTTP/1.0, HTTP/1.1, HTTP/2, HTTP/3 or HTTP, and a status"),
    }
}

fn status(cursor: &mut Cursor<'_>) -> Rule<Option<u64>> {
    if cursor.eat("*") {
        return Ok(None);
    }
    let at = cursor.at;
    let digits = cursor.take_while(|c| c.is_ascii_digit());
    digits.parse().map_or_else(|_| wrong(at, "expected a status, as 200, or `*`"), |status| Ok(Some(status)))
}

fn body(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Body> {
    cursor.blank_lines();
    cursor.spaces();
    let at = cursor.at;
    let content = content(whole, cursor)?;
    cursor.end_of_line()?;
    Ok(Body { at, content })
}

/// `name: value`. Before the colon it may be something else.
fn key_value(whole: &str, cursor: &mut Cursor<'_>) -> Rule<KeyValue> {
    let key = key_and_colon(cursor)?;
    let value = unquoted(whole, cursor)?;
    cursor.end_of_line()?;
    Ok(KeyValue { key, value })
}

fn key_and_colon(cursor: &mut Cursor<'_>) -> Rule<super::syntax::Template> {
    cursor.blank_lines();
    cursor.spaces();
    let soft = |error: Wrong| Wrong { is_soft: true, ..error };
    let key = key(cursor).map_err(soft)?;
    cursor.spaces();
    cursor.expect(":").map_err(soft)?;
    cursor.spaces();
    Ok(key)
}

/// The name of a section, and its place.
fn section_name<'a>(cursor: &mut Cursor<'a>) -> Rule<(&'a str, usize)> {
    cursor.blank_lines();
    cursor.spaces();
    let at = cursor.at;
    cursor.begin("[")?;
    let name = cursor.take_while(char::is_alphanumeric);
    if name.is_empty() {
        // It may be a list of JSON.
        return no_match(at, "expected the name of a section");
    }
    cursor.begin("]")?;
    Ok((name, at))
}

fn request_section(whole: &str, cursor: &mut Cursor<'_>) -> Rule<(Section, usize)> {
    let (name, at) = section_name(cursor)?;
    cursor.end_of_line()?;
    let pairs = |cursor: &mut Cursor<'_>| cursor.many(|cursor| key_value(whole, cursor));
    let section = match name {
        "Query" | "QueryStringParams" => Section::Query(pairs(cursor)?),
        "Form" | "FormParams" => Section::Form(pairs(cursor)?),
        "Multipart" | "MultipartFormData" => Section::Multipart(cursor.many(|cursor| part(whole, cursor))?),
        "Cookies" => Section::Cookies(pairs(cursor)?),
        "BasicAuth" => Section::BasicAuth(cursor.optional(|cursor| key_value(whole, cursor))?),
        "Options" => Section::Options(cursor.many(|cursor| option(whole, cursor))?),
        _ => {
            return wrong(
                at + 1,
                format!(
                    "invalid section `{name}` of a request; expected one of Query, Form, Multipart, Cookies, \
                     BasicAuth, Options"
                ),
            );
        }
    };
    Ok((section, at))
}

fn part(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Part> {
    match cursor.optional(|cursor| file_part(whole, cursor))? {
        Some(part) => Ok(part),
        None => Ok(Part::Text(key_value(whole, cursor)?)),
    }
}

fn file_part(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Part> {
    let key = key_and_colon(cursor)?;
    cursor.begin("file,")?;
    cursor.spaces();
    let file = file_name(cursor)?;
    cursor.spaces();
    cursor.expect(";")?;
    let mut ahead = *cursor;
    if ahead.end_of_line().is_ok() {
        *cursor = ahead;
        return Ok(Part::File { key, file, mime: None });
    }
    cursor.spaces();
    let mime = Some(unquoted(whole, cursor)?);
    cursor.end_of_line()?;
    Ok(Part::File { key, file, mime })
}

fn response_section(whole: &str, cursor: &mut Cursor<'_>) -> Rule<(Vec<Capture>, Vec<Assert>)> {
    let (name, at) = section_name(cursor)?;
    cursor.end_of_line()?;
    match name {
        "Captures" => Ok((cursor.many(|cursor| capture(whole, cursor))?, Vec::new())),
        "Asserts" => Ok((Vec::new(), cursor.many(|cursor| assert(whole, cursor))?)),
        _ => wrong(
            at + 1,
            format!("invalid section `{name}` of a response; expected one of Captures, Asserts"),
        ),
    }
}

fn capture(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Capture> {
    let name = key_and_colon(cursor)?;
    // After the colon it can only be a capture.
    let query = query(whole, cursor).map_err(hard)?;
    let filters = filters(whole, cursor)?;
    cursor.spaces();
    let is_redacted = cursor.eat("redact");
    cursor.end_of_line()?;
    Ok(Capture { name, query, filters, is_redacted })
}

fn assert(whole: &str, cursor: &mut Cursor<'_>) -> Rule<Assert> {
    cursor.blank_lines();
    cursor.spaces();
    let start = cursor.at;
    let query = query(whole, cursor)?;
    let filters = filters(whole, cursor)?;
    cursor.some_spaces().map_err(hard)?;
    let is_not = not(cursor);
    let predicate = predicate(whole, cursor)?;
    let source = cursor.since(start).to_owned();
    cursor.end_of_line()?;
    Ok(Assert { query, filters, is_not, predicate, source })
}

fn not(cursor: &mut Cursor<'_>) -> bool {
    let mut ahead = *cursor;
    let is_not = ahead.eat("not") && ahead.spaces();
    if is_not {
        *cursor = ahead;
    }
    is_not
}
