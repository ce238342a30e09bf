//! Paths compared with json-path 2.8.0, and the parser on invalid input.

use std::fmt::Write;
use swell_budget::Budget;

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::{JsonPath, PathError, PathErrorKind};
use crate::json::{self, Json};

const FACTS: &str = include_str!("facts.tsv");

fn unescape(field: &str) -> String {
    let mut out = String::new();
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            (_, Some('n')) => out.push('\n'),
            (_, Some('t')) => out.push('\t'),
            (_, Some('|')) => out.push('\u{1}'),
            (_, Some(other)) => out.push(other),
            (c, None) => out.push(c),
        }
    }
    out
}

fn shown_fault(fault: &PathError) -> String {
    format!("!{:?}: {}", fault.kind, fault.message)
}

fn document(text: &str) -> Result<Json<'_>, String> {
    if text.is_empty() { Err("json can not be null or empty".into()) } else { json::parse(text) }
}

/// What JMeter's `JSONManager` gives.
fn extracted(text: &str, path: &str) -> Result<String, String> {
    let path = JsonPath::compile(path).map_err(|fault| shown_fault(&fault))?;
    let document = document(text).map_err(|message| format!("!Other: {message}"))?;
    let budget = Budget::unlimited();
    let found = match path.read_list(&document, &budget) {
        Err(fault) if fault.kind == PathErrorKind::NotFound => Vec::new(),
        other => other.map_err(|fault| shown_fault(&fault))?,
    };
    let mut out = "ok".to_owned();
    for value in found {
        match value.found_text() {
            None => out.push_str("\u{1}null"),
            Some(text) => write!(out, "\u{1}={text}").expect("writing to a String cannot fail"),
        }
    }
    Ok(out)
}

/// What `JsonPath.read` gives.
fn read(text: &str, path: &str) -> Result<String, String> {
    let document = document(text)
        .map_err(|message| format!("!Other: {}", message.replace("json can", "json string can")))?;
    if document == Json::Null {
        return Err("!Other: json can not be null".into());
    }
    let path = JsonPath::compile(path).map_err(|fault| shown_fault(&fault))?;
    let budget = Budget::unlimited();
    let value = path.read(&document, &budget).map_err(|fault| shown_fault(&fault))?;
    let text = value.found_text().unwrap_or_default();
    Ok(match &*value {
        Json::Null => "null".into(),
        Json::Object(_) => format!("M{text}"),
        Json::Array(_) => format!("A{text}"),
        other => format!("{}:{text}", other.class_name().rsplit(['.', '$']).next().unwrap_or_default()),
    })
}

/// Documents and paths of the oracle.
pub(super) fn facts() -> Vec<(String, String)> {
    let mut documents = Vec::new();
    let mut facts = Vec::new();
    for line in FACTS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<String> = line.split('\t').map(unescape).collect();
        match fields[0].parse::<usize>() {
            Ok(document) => {
                let document: &String = &documents[document];
                facts.push((document.clone(), fields[1].clone()));
            }
            Err(_) => documents.push(fields[1].clone()),
        }
    }
    facts
}

#[test]
fn paths_find_what_jayway_finds() {
    let mut documents = Vec::new();
    let mut count = 0;
    let mut wrong = String::new();
    for line in FACTS.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<String> = line.split('\t').map(unescape).collect();
        if fields[0] == "D" {
            documents.push(fields[1].clone());
            continue;
        }
        let text = &documents[fields[0].parse::<usize>().expect("a number")];
        let path = &fields[1];
        for (wanted, found) in [(&fields[2], extracted(text, path)), (&fields[3], read(text, path))] {
            count += 1;
            let found = found.unwrap_or_else(|fault| fault);
            if found != *wanted {
                writeln!(wrong, "{path}\n  wanted {wanted}\n  found  {found}")
                    .expect("writing to a String cannot fail");
            }
        }
    }
    assert!(count > 500, "{count}");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn deep_filters_are_refused() {
    let path = format!("$[?({}@.a{})]", "@[?(".repeat(200), ")]".repeat(200));
    assert!(JsonPath::compile(&path).is_err());
    assert!(JsonPath::compile(&format!("$[?({}@.a{})]", "(".repeat(5000), ")".repeat(5000))).is_err());
}

#[test]
fn paths_made_of_pieces_neither_panic_nor_hang() {
    const PIECES: [&str; 44] = [
        "$",
        "@",
        ".",
        "..",
        "*",
        "[",
        "]",
        "[*]",
        "[0]",
        "[-1]",
        "[0:2]",
        "[1:]",
        "[?(",
        ")]",
        "(",
        ")",
        "'a'",
        "\"b\"",
        ".a",
        ".b",
        ".length()",
        ".sum(",
        ",",
        ":",
        "==",
        "!=",
        "<",
        "=~",
        " in ",
        " contains ",
        "/a/i",
        "&&",
        "||",
        "!",
        "null",
        "true",
        "1",
        "-1.5",
        "[1,2]",
        "{}",
        "\\",
        " ",
        "'",
        "é",
    ];
    let text = r#"{"a":[{"a":1,"b":[1,2,"x"]},null,"a"],"b":{"a":{"b":2}}}"#;
    let document = json::parse(text).expect("JSON");
    let mut random = SmallRng::seed_from_u64(20);
    for _ in 0..5_000 {
        let pieces = random.random_range(1..12);
        let path: String = (0..pieces).map(|_| PIECES[random.random_range(0..PIECES.len())]).collect();
        for path in [format!("${path}"), path] {
            if let Ok(path) = JsonPath::compile(&path) {
                let _ = path.read(&document, &Budget::unlimited());
                let _ = path.read_list(&document, &Budget::unlimited());
            }
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(path in "\\PC{0,40}") {
        let _ = JsonPath::compile(&path);
    }

    #[test]
    fn any_property_is_found_by_its_quoted_name(name in "[^'\\\\]{1,12}") {
        let document = Json::Object(vec![(name.clone().into(), Json::Int(7))]);
        let path = JsonPath::compile(&format!("$['{name}']")).expect("a quoted name");
        prop_assert_eq!(path.read(&document, &Budget::unlimited()).expect("checked above").into_owned(), Json::Int(7));
    }
}
