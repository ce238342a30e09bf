//! Values in requests, and variables in their place.

use std::ops::Range;

use percent_encoding::percent_decode_str;

use super::json;
use crate::model::{Body, Exchange, Part, PartValue, Text};

/// Where a value is in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// A part of the path: segment, part of it, place in the URL.
    Path(usize, usize, Range<usize>),
    /// A parameter of the query: name, which of that name, place in the URL.
    Query(String, usize, Range<usize>),
    /// A field of a form: name, which of that name, place in the body.
    Form(String, usize, Range<usize>),
    /// A text of a multipart body: name, which of that name.
    Part(String, usize),
    /// A value of a JSON body: path, place in the body.
    Json(String, Range<usize>),
    /// A header: index, name, place in the value.
    Header(usize, String, Range<usize>),
}

/// A value of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) slot: Slot,
    /// As it was sent.
    pub(super) raw: String,
    pub(super) decoded: String,
}

impl Slot {
    /// The same place in another request, which may have other lengths.
    pub(super) fn is_same_place(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Path(segment, part, _), Self::Path(other, piece, _)) => segment == other && part == piece,
            (Self::Query(name, number, _), Self::Query(other, index, _))
            | (Self::Form(name, number, _), Self::Form(other, index, _))
            | (Self::Part(name, number), Self::Part(other, index)) => name == other && number == index,
            (Self::Json(path, _), Self::Json(other, _)) => path == other,
            (Self::Header(_, name, _), Self::Header(_, other, _)) => name.eq_ignore_ascii_case(other),
            _ => false,
        }
    }

    /// What it is called in a note.
    pub(super) fn shown(&self, exchange: &Exchange) -> String {
        let url = exchange.url.leading();
        let url: String = url.split('?').next().unwrap_or_default().chars().take(80).collect();
        let what = match self {
            Self::Path(..) => "a part of the path".to_owned(),
            Self::Query(name, ..) => format!("parameter {name}"),
            Self::Form(name, ..) | Self::Part(name, _) => format!("field {name}"),
            Self::Json(path, _) => format!("field {path}"),
            Self::Header(_, name, _) => format!("header {name}"),
        };
        format!("{what} of {} {url}", exchange.method)
    }

    /// A name for a variable; a path has none.
    pub(super) fn field_name(&self) -> Option<String> {
        let name = match self {
            Self::Path(..) => return None,
            Self::Query(name, ..) | Self::Form(name, ..) | Self::Part(name, _) => name.clone(),
            Self::Json(path, _) => path.trim_start_matches(['$', '.']).to_owned(),
            Self::Header(_, name, _) if name.eq_ignore_ascii_case("authorization") => "token".to_owned(),
            Self::Header(_, name, _) => name.trim_start_matches("X-").trim_start_matches("x-").to_owned(),
        };
        variable_name(&name)
    }

    /// The variable as this place needs it. Fields of forms are encoded by the client.
    pub(super) fn reference(&self, raw: &str, value: &str, name: &str) -> Text {
        let needs_code = matches!(self, Self::Path(..) | Self::Query(..)) && raw != value;
        if needs_code {
            Text::function(format!("${{__urlencode(${{{name}}})}}"))
        } else {
            Text::variable(name)
        }
    }
}

/// A text as the name of a variable.
pub(crate) fn variable_name(text: &str) -> Option<String> {
    let letters: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let name = letters.trim_matches('_');
    let mut short = String::new();
    for c in name.chars().take(60) {
        if !(c == '_' && short.ends_with('_')) {
            short.push(c);
        }
    }
    (short.chars().any(|c| c.is_ascii_alphabetic())).then_some(short)
}

/// Headers that a browser makes, or whose value is of no server.
const BROWSER_HEADERS: [&str; 22] = [
    "user-agent",
    "accept",
    "accept-language",
    "accept-encoding",
    "referer",
    "origin",
    "content-type",
    "content-length",
    "cookie",
    "host",
    "connection",
    "cache-control",
    "pragma",
    "priority",
    "upgrade-insecure-requests",
    "te",
    "dnt",
    "date",
    "x-requested-with",
    "if-modified-since",
    "range",
    "if-none-match",
];

/// All values of a request.
pub(super) fn values(exchange: &Exchange) -> Vec<Value> {
    let mut all = Vec::new();
    if let Some(url) = exchange.url.as_literal() {
        of_url(url, &mut all);
    }
    if let Body::Text(text) = &exchange.body
        && let Some(body) = text.as_literal()
    {
        let mime = exchange.header("Content-Type").and_then(Text::as_literal).unwrap_or_default();
        if mime.to_ascii_lowercase().contains("x-www-form-urlencoded") {
            of_pairs(body, 0, &mut all, &Slot::Form);
        } else if let Some(leaves) = json::leaves(body) {
            all.extend(leaves.into_iter().map(|leaf| Value {
                raw: body[leaf.range.clone()].to_owned(),
                slot: Slot::Json(leaf.path, leaf.range),
                decoded: leaf.value,
            }));
        }
    }
    if let Body::Multipart(parts) = &exchange.body {
        of_parts(parts, &mut all);
    }
    for (index, header) in exchange.headers.iter().enumerate() {
        let name = header.name.to_ascii_lowercase();
        let is_browsers = name.starts_with("sec-") || BROWSER_HEADERS.contains(&&*name);
        if let (false, Some(text)) = (is_browsers, header.value.as_literal()) {
            let start = text.find(' ').filter(|_| name == "authorization").map_or(0, |at| at + 1);
            let value = text[start..].to_owned();
            let slot = Slot::Header(index, header.name.clone(), start..text.len());
            all.push(Value { slot, raw: value.clone(), decoded: value });
        }
    }
    all
}

fn of_parts(parts: &[Part], all: &mut Vec<Value>) {
    for (index, part) in parts.iter().enumerate() {
        let PartValue::Text(text) = &part.value else { continue };
        let Some(value) = text.as_literal() else { continue };
        let number = parts[..index].iter().filter(|known| known.name == part.name).count();
        let slot = Slot::Part(part.name.clone(), number);
        all.push(Value { slot, raw: value.to_owned(), decoded: value.to_owned() });
    }
}

fn of_url(url: &str, all: &mut Vec<Value>) {
    let end = url.find('#').unwrap_or(url.len());
    let authority = url.find("://").map_or(0, |at| at + 3);
    let Some(path) = url[authority..end].find(['/', '?']).map(|at| at + authority) else { return };
    let query = url[path..end].find('?').map(|at| at + path);
    let mut start = path;
    for (number, segment) in url[path..query.unwrap_or(end)].split('/').enumerate() {
        let mut from = start;
        for (index, part) in segment.split([';', '=', ',']).enumerate() {
            if !part.is_empty() {
                let value = percent_decode_str(part).decode_utf8_lossy().into_owned();
                let slot = Slot::Path(number, index, from..from + part.len());
                all.push(Value { slot, raw: part.to_owned(), decoded: value });
            }
            from += part.len() + 1;
        }
        start += segment.len() + 1;
    }
    if let Some(query) = query {
        of_pairs(&url[query + 1..end], query + 1, all, &Slot::Query);
    }
}

fn of_pairs(
    text: &str,
    offset: usize,
    all: &mut Vec<Value>,
    slot: &dyn Fn(String, usize, Range<usize>) -> Slot,
) {
    let decode = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let mut at = offset;
    let mut names: Vec<String> = Vec::new();
    for pair in text.split('&') {
        if let Some((name, raw)) = pair.split_once('=') {
            let start = at + name.len() + 1;
            let name = decode(name);
            let number = names.iter().filter(|known| **known == name).count();
            names.push(name.clone());
            let slot = slot(name, number, start..start + raw.len());
            all.push(Value { slot, raw: raw.to_owned(), decoded: decode(raw) });
        }
        at += pair.len() + 1;
    }
}

/// Puts texts at places of a request.
pub(super) fn replace(exchange: &mut Exchange, changes: Vec<(Slot, Text)>) {
    let mut of_url = Vec::new();
    let mut of_body = Vec::new();
    for (slot, text) in changes {
        match slot {
            Slot::Path(_, _, range) | Slot::Query(_, _, range) => of_url.push((range, text)),
            Slot::Form(_, _, range) | Slot::Json(_, range) => of_body.push((range, text)),
            Slot::Part(name, number) => {
                if let Body::Multipart(parts) = &mut exchange.body
                    && let Some(part) = parts.iter_mut().filter(|part| part.name == name).nth(number)
                {
                    part.value = PartValue::Text(text);
                }
            }
            Slot::Header(index, _, range) => {
                if let Some(header) = exchange.headers.get_mut(index) {
                    header.value = with(&header.value, vec![(range, text)]);
                }
            }
        }
    }
    exchange.url = with(&exchange.url, of_url);
    if let Body::Text(body) = &mut exchange.body {
        *body = with(body, of_body);
    }
}

fn with(text: &Text, mut changes: Vec<(Range<usize>, Text)>) -> Text {
    let Some(data) = text.as_literal() else { return text.clone() };
    changes.sort_by_key(|(range, _)| range.start);
    let mut out = Text::default();
    let mut copied = 0;
    for (range, text) in changes {
        let Some(before) = data.get(copied..range.start) else { continue };
        out.push_literal(before);
        out.push(text);
        copied = range.end;
    }
    out.push_literal(&data[copied..]);
    out
}
