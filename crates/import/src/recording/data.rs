//! Values that were typed, as lines of a data file.

use swell_secrets::is_secret;

use crate::model::{Body, DataFile, Exchange, Text, TextPart};

/// The file next to the plan.
const FILE: &str = "data.csv";

/// Makes variables of typed fields of forms: those that no response before has. Both recordings
/// give a line.
pub(super) fn of(first: &mut [Exchange], second: &[Exchange], pairs: &[Option<usize>]) -> Vec<DataFile> {
    let mut names: Vec<String> = Vec::new();
    let mut rows: Vec<Vec<String>> = vec![Vec::new(); if second.is_empty() { 1 } else { 2 }];
    let mut known: Vec<(String, String)> = Vec::new();
    let mut pages = String::new();
    for (index, exchange) in first.iter_mut().enumerate() {
        if let Some(fields) = fields(exchange) {
            let twin = pairs.get(index).copied().flatten().and_then(|at| second.get(at)).and_then(fields_of);
            let mut pieces = Vec::new();
            for (name, value) in fields {
                pieces.push(field(&name, value, &pages, &mut known, &mut |variable, value| {
                    let other = twin.as_ref().and_then(|twin| twin.iter().find(|(known, _)| *known == name));
                    names.push(variable.to_owned());
                    rows[0].push(value.to_owned());
                    if let Some(second) = rows.get_mut(1) {
                        second.push(other.map_or_else(|| value.to_owned(), |(_, value)| value.clone()));
                    }
                }));
            }
            exchange.body = Body::Text(joined(pieces));
        }
        if let Some(response) = &exchange.response {
            pages.push_str(&response.text);
        }
    }
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

/// The field, with a variable if its value was typed; `add` gets each new variable with its value.
fn field(
    name: &str,
    value: Text,
    pages: &str,
    known: &mut Vec<(String, String)>,
    add: &mut dyn FnMut(&str, &str),
) -> Text {
    let mut out = Text::literal(format!("{name}="));
    let plain = value.as_literal().map(decoded).unwrap_or_default();
    let is_typed = !plain.is_empty()
        && !is_secret(&decoded(name))
        && value.parts().iter().all(|part| matches!(part, TextPart::Literal(_)))
        && !pages.contains(&plain);
    let variable = is_typed.then(|| super::correlate::variable_name(&decoded(name))).flatten();
    let Some(variable) = variable else {
        out.push(value);
        return out;
    };
    let same = known.iter().find(|(_, value)| *value == plain).map(|(name, _)| name.clone());
    let variable = same.unwrap_or_else(|| {
        let mut unique = variable.clone();
        let mut number = 1;
        while known.iter().any(|(name, _)| *name == unique) {
            number += 1;
            unique = format!("{variable}_{number}");
        }
        known.push((unique.clone(), plain.clone()));
        add(&unique, &plain);
        unique
    });
    out.push(Text::variable(variable));
    out
}

fn joined(pieces: Vec<Text>) -> Text {
    let mut out = Text::default();
    for (number, piece) in pieces.into_iter().enumerate() {
        out.push_literal(if number > 0 { "&" } else { "" });
        out.push(piece);
    }
    out
}
