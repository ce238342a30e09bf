//! Values that were typed, as lines of a data file: fields of forms, and texts and numbers of JSON.

use swell_secrets::is_secret;

use super::correlate::{self, json};
use crate::model::{Body, DataFile, Exchange, Flow, Text, TextPart, free_name};

/// The file next to the plan.
const FILE: &str = "data.csv";

/// Texts of scripts are looked through up to this many bytes.
const MOST_SCRIPT: usize = 64 << 20;

/// Makes variables of typed values: those that neither a response before nor a script of the pages
/// has. Both recordings give a line.
pub(super) fn of(
    first: &mut [Exchange],
    second: &[Exchange],
    pairs: &[Option<usize>],
    scripts: &str,
) -> Vec<DataFile> {
    let rows = vec![Vec::new(); if second.is_empty() { 1 } else { 2 }];
    let mut typed = Typed { names: Vec::new(), rows, known: Vec::new(), pages: String::new(), scripts };
    for (index, exchange) in first.iter_mut().enumerate() {
        let twin = pairs.get(index).copied().flatten().and_then(|at| second.get(at));
        if let Some(body) = typed.form(exchange, twin).or_else(|| typed.json(exchange, twin)) {
            exchange.body = Body::Text(body);
        }
        if let Some(response) = &exchange.response {
            typed.pages.push_str(&response.text);
        }
    }
    let Typed { names, mut rows, .. } = typed;
    if names.is_empty() {
        return Vec::new();
    }
    rows.dedup();
    vec![DataFile {
        path: FILE.to_owned(),
        variables: names,
        delimiter: ",".to_owned(),
        rows: Some(rows),
        ..DataFile::default()
    }]
}

/// The texts of all scripts of a recording.
pub(super) fn scripts(recording: &Flow) -> String {
    let mut all = String::new();
    for exchange in recording.exchanges() {
        if let Some(response) = &exchange.response
            && response.mime.contains("javascript")
            && all.len() + response.text.len() <= MOST_SCRIPT
        {
            all.push_str(&response.text);
        }
    }
    all
}

/// The columns and lines of the file, as far as they are known.
struct Typed<'a> {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Variables with their values.
    known: Vec<(String, String)>,
    /// What responses have had.
    pages: String,
    scripts: &'a str,
}

impl Typed<'_> {
    /// The variable of a typed value with the name of its field; none if it was not typed.
    /// `second`: the value in the other recording.
    fn variable(&mut self, name: &str, value: &str, second: Option<String>) -> Option<String> {
        if value.is_empty() || is_secret(name) || self.pages.contains(value) {
            return None;
        }
        let base = correlate::variable_name(name)?;
        if let Some((same, _)) = self.known.iter().find(|(_, known)| known == value) {
            return Some(same.clone());
        }
        let unique = free_name(&base, |name| self.known.iter().any(|(known, _)| known == name));
        self.known.push((unique.clone(), value.to_owned()));
        self.names.push(unique.clone());
        self.rows[0].push(value.to_owned());
        if let Some(row) = self.rows.get_mut(1) {
            row.push(second.unwrap_or_else(|| value.to_owned()));
        }
        Some(unique)
    }

    /// The body of a form.
    fn form(&mut self, exchange: &Exchange, twin: Option<&Exchange>) -> Option<Text> {
        let fields = fields(exchange)?;
        let others = twin.and_then(fields_of).unwrap_or_default();
        let mut out = Text::default();
        for (number, (name, value)) in fields.into_iter().enumerate() {
            out.push_literal(if number > 0 { "&" } else { "" });
            out.push_literal(&format!("{name}="));
            let other = others.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
            let plain = value.as_literal().map(decoded).unwrap_or_default();
            out.push(self.variable(&decoded(&name), &plain, other).map_or(value, Text::variable));
        }
        Some(out)
    }

    /// The body of JSON.
    fn json(&mut self, exchange: &Exchange, twin: Option<&Exchange>) -> Option<Text> {
        let body = Flat::of(json_body(exchange)?);
        let leaves = json::leaves(&body.text)?;
        let other = twin.and_then(json_body).and_then(Text::as_literal).map(str::to_owned);
        let others = other.as_deref().and_then(json::leaves).unwrap_or_default();
        let mut out = Text::default();
        let mut copied = 0;
        for leaf in leaves {
            // A text with escapes would need them in the data file, too.
            let is_plain = body.text[leaf.range.clone()] == *leaf.value;
            if !is_plain || body.has_variable(&leaf.range) || self.is_made(&leaf, exchange) {
                continue;
            }
            let same = others
                .iter()
                .find(|other| other.path == leaf.path)
                .filter(|other| other.range.len() == other.value.len() && !other.value.contains(['"', '\\']));
            let same = same.map(|other| other.value.clone());
            if let Some(variable) = self.variable(name_of(&leaf.path), &leaf.value, same) {
                body.copy(copied..leaf.range.start, &mut out);
                out.push(Text::variable(variable));
                copied = leaf.range.end;
            }
        }
        body.copy(copied..body.text.len(), &mut out);
        Some(out)
    }

    /// Whether a value of JSON was made by the page: a constant of its scripts, a query, a random
    /// value or a time.
    fn is_made(&self, leaf: &json::Leaf, exchange: &Exchange) -> bool {
        let value = &*leaf.value;
        let is_constant =
            ['"', '\'', '`'].iter().any(|quote| self.scripts.contains(&format!("{quote}{value}{quote}")));
        let is_query = name_of(&leaf.path) == "operationName" || value.contains('{');
        is_constant || is_query || correlate::is_made(value, exchange)
    }
}

/// A text in which each variable is one digit, so that JSON stays JSON.
struct Flat<'a> {
    text: String,
    /// Where the variables are.
    variables: Vec<(usize, &'a TextPart)>,
}

impl<'a> Flat<'a> {
    fn of(text: &'a Text) -> Self {
        let mut flat = Self { text: String::new(), variables: Vec::new() };
        for part in text.parts() {
            if let TextPart::Literal(data) = part {
                flat.text.push_str(data);
            } else {
                flat.variables.push((flat.text.len(), part));
                flat.text.push('0');
            }
        }
        flat
    }

    fn has_variable(&self, range: &std::ops::Range<usize>) -> bool {
        self.variables.iter().any(|(at, _)| range.contains(at))
    }

    /// Adds a piece with its variables.
    fn copy(&self, range: std::ops::Range<usize>, out: &mut Text) {
        let mut copied = range.start;
        for (at, part) in self.variables.iter().filter(|(at, _)| range.contains(at)) {
            out.push_literal(&self.text[copied..*at]);
            out.push(Text::from(*part));
            copied = at + 1;
        }
        out.push_literal(&self.text[copied..range.end]);
    }
}

/// The name of the field that a path of JSON leads to.
fn name_of(path: &str) -> &str {
    let field = path.trim_end_matches(|c: char| c == '[' || c == ']' || c.is_ascii_digit());
    match field.strip_suffix('\'') {
        Some(quoted) => quoted.rsplit("['").next().unwrap_or(quoted),
        None => field.rsplit('.').next().unwrap_or(field),
    }
}

fn json_body(exchange: &Exchange) -> Option<&Text> {
    let mime = exchange.header("Content-Type").and_then(Text::as_literal).unwrap_or_default();
    match &exchange.body {
        Body::Text(body) if mime.to_ascii_lowercase().contains("json") => Some(body),
        _ => None,
    }
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

/// Fields of a form with their values; a value is a text of the plan.
fn fields(exchange: &Exchange) -> Option<Vec<(String, Text)>> {
    let mime = exchange.header("Content-Type").and_then(Text::as_literal).unwrap_or_default();
    let Body::Text(body) = &exchange.body else { return None };
    if exchange.method != "POST" || !mime.to_ascii_lowercase().contains("x-www-form-urlencoded") {
        return None;
    }
    let pair = |pair: Text| {
        let (name, value) = pair.split_once('=')?;
        Some((name.as_literal()?.to_owned(), value))
    };
    body.split('&').into_iter().map(pair).collect()
}

fn fields_of(exchange: &Exchange) -> Option<Vec<(String, String)>> {
    let all = fields(exchange)?;
    Some(all.iter().filter_map(|(name, value)| Some((name.clone(), decoded(value.as_literal()?)))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Response;
    use crate::source::Place;

    fn posted(body: Text, response: &str) -> Exchange {
        let mut exchange = Exchange::new("POST", Text::literal("http://h/a"), Place::default());
        exchange.add_header("Content-Type", "application/json; charset=utf-8");
        exchange.body = Body::Text(body);
        exchange.response = Some(Response { text: response.to_owned(), ..Response::default() });
        exchange
    }

    #[test]
    fn typed_values_of_json_become_columns() {
        let body = |name: &str, id: Text| {
            let start = format!(
                r#"{{"kind":"person","name":"{name}","years":37,"tags":["blue"],"id":"0b8a2f6e-2f6c-4c69-8d3c-1b2f8e5d9a10","item":"#
            );
            let mut text = Text::literal(start);
            text.push(id);
            text.push_literal(
                r#","known":"shop 7","text":"a\"b","a b":"x y","password":"pw","at":"2026-11-28T09:00:00.123Z"}"#,
            );
            text
        };
        let mut first = vec![
            posted(Text::literal("{}"), r#"{"name":"shop 7"}"#),
            posted(body("Ada", Text::variable("item")), ""),
        ];
        let second = vec![posted(Text::literal("{}"), ""), posted(body("Bob", Text::literal("8")), "")];
        let data = of(&mut first, &second, &[Some(0), Some(1)], "f({kind:'person'})");
        let Body::Text(text) = &first[1].body else { panic!("{:?}", first[1].body) };
        assert_eq!(
            text.to_plan(),
            concat!(
                r#"{"kind":"person","name":"${name}","years":${years},"tags":["${tags}"],"#,
                r#""id":"0b8a2f6e-2f6c-4c69-8d3c-1b2f8e5d9a10","item":${item},"known":"shop 7","#,
                r#""text":"a\\"b","a b":"${a_b}","password":"pw","at":"2026-11-28T09:00:00.123Z"}"#
            )
        );
        assert_eq!(data[0].variables, ["name", "years", "tags", "a_b"]);
        let rows = data[0].rows.as_ref().expect("lines");
        assert_eq!(rows, &[["Ada", "37", "blue", "x y"], ["Bob", "37", "blue", "x y"]]);
    }

    #[test]
    fn fields_are_named_by_their_last_part() {
        for (path, wanted) in [("$.a.b", "b"), ("$.a[0][1]", "a"), ("$['a b'][2]", "a b"), ("$", "$")] {
            assert_eq!(name_of(path), wanted, "{path}");
        }
    }
}
