//! Documents and expressions compared with Xerces and Xalan of JMeter 5.6.3.

use crate::tables::{differences, escaped, unescaped};
use proptest::prelude::*;
use swell_query::xml::{XmlOptions, parse, parse_bytes};
use swell_query::xpath::{Value, XPath, shown_number};
use swell_query::{Document, NodeKind, fragment};

/// What the XPath Extractor would make of it.
fn extract(flags: &str, expression: &str, document: &str) -> String {
    let options = XmlOptions::dom(flags.contains('n'));
    let document = match parse_bytes(document.as_bytes(), options) {
        Ok(document) => document,
        Err(error) => return format!("!{}", error.message),
    };
    match XPath::compile(expression).and_then(|path| path.evaluate(&document)) {
        Err(error) => format!("!{error}"),
        Ok(Value::Nodes(nodes)) => nodes
            .into_iter()
            .map(|node| shown(dom_value(&document, node, flags.contains('f')).as_deref()))
            .collect(),
        Ok(Value::Boolean(value)) => shown(Some(&value.to_string())),
        Ok(Value::Number(value)) => shown(Some(&shown_number(value))),
        Ok(Value::Text(text)) => shown(Some(&text)),
    }
}

fn dom_value(document: &Document, node: u32, as_fragment: bool) -> Option<String> {
    if document.kind(node) == NodeKind::Element && as_fragment {
        return Some(fragment(document, node));
    }
    document.dom_value(node).map(str::to_owned)
}

#[test]
fn xpath_gives_what_xalan_gives() {
    differences(include_str!("tables/xpath1.tsv"), |row| {
        let [flags, expression, document] = row else { panic!("three columns: {row:?}") };
        extract(flags, &unescaped(expression), &unescaped(document))
    });
}

#[test]
fn xml_is_judged_as_xerces_judges_it() {
    differences(include_str!("tables/xml.tsv"), |row| {
        let [document] = row else { panic!("one column: {row:?}") };
        let document = unescaped(document);
        if document.is_empty() {
            return "f=true e=false m=Response was null".to_owned();
        }
        match parse(&document, XmlOptions::PLAIN) {
            Ok(_) => "f=false e=false m=<null>".to_owned(),
            Err(error) => format!("f=true e=true m={}", escaped(&error.message)),
        }
    });
}

/// A value in braces, as the tables have it.
fn shown(value: Option<&str>) -> String {
    value.map_or_else(|| "{<null>}".to_owned(), |value| format!("{{{}}}", escaped(value)))
}

proptest! {
    /// `//name[…]` is one walk; with a step in between it is three.
    #[test]
    fn a_walk_below_finds_what_its_steps_find_one_by_one(
        text in "(<(a|b|c)( k='[12]')?>|</>|x|<!--c-->){0,40}",
        name in "(a|b|\\*)",
        predicate in "(\\[[123]\\]|\\[last\\(\\)\\]|\\[position\\(\\)>1\\]|\\[@k='1'\\]|\\[b\\]|\\[text\\(\\)\\]){0,2}",
        start in "(|/r|/r/a|//b|//a\\[2\\])",
    ) {
        let document = parse(&balanced(&text), XmlOptions::dom(false)).expect("it is well-formed");
        let found = |path: &str| {
            let path = XPath::compile(path).expect("it is right");
            path.evaluate(&document).expect("it is small")
        };
        let apart = found(&format!("{start}/descendant-or-self::node()/self::node()/{name}{predicate}"));
        prop_assert_eq!(found(&format!("{start}//{name}{predicate}")), apart);
    }
}

/// A document of tags that may be open at the end, or closed without being open.
fn balanced(text: &str) -> String {
    let mut out = "<r>".to_owned();
    let mut open = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest[1..].find(['<', 'x']).map_or(rest.len(), |at| at + 1);
        let (piece, after) = rest.split_at(length);
        rest = after;
        match piece {
            "</>" => out.extend(open.pop().map(|name| format!("</{name}>"))),
            tag if tag.starts_with("<!") || tag == "x" => out.push_str(tag),
            tag => {
                open.push(&tag[1..2]);
                out.push_str(tag);
            }
        }
    }
    out.extend(open.into_iter().rev().map(|name| format!("</{name}>")));
    out + "</r>"
}
