//! What Saxon of JMeter 5.6.3 makes of documents and expressions.

#[path = "../../query/tests/tables/mod.rs"]
mod tables;

use swell_budget::Budget;
use swell_legacy::xpath2::XPath2;
use swell_query::xml::{XmlErrorKind, XmlOptions, parse};
use tables::{differences, unescaped};

/// What the XPath2 Extractor would make of it. Faults of expressions come first, as there.
fn extract(flags: &str, expression: &str, namespaces: &str, document: &str) -> String {
    if expression.is_empty() {
        return String::new();
    }
    let path = match XPath2::compile(expression, namespaces) {
        Ok(path) => path,
        Err(error) => return format!("!net.sf.saxon.s9api.SaxonApiException: {error}"),
    };
    let document = match parse(document, XmlOptions::SAXON) {
        Ok(document) => document,
        Err(error) if error.kind == XmlErrorKind::Input => return format!("!{error}"),
        Err(error) => return format!("!{}", error.with_place()),
    };
    let as_fragment = flags.contains('f');
    match path.evaluate(&document, &Budget::unlimited()) {
        Err(error) => format!("!{error}"),
        Ok(items) => items
            .into_iter()
            .map(|item| {
                shown(Some(&if as_fragment { item.fragment(&document) } else { item.text(&document) }))
            })
            .collect(),
    }
}

#[test]
fn xpath_gives_what_saxon_gives() {
    differences(include_str!("tables/xpath2.tsv"), |row| {
        let [flags, expression, namespaces, document] = row else { panic!("four columns: {row:?}") };
        extract(flags, &unescaped(expression), &unescaped(namespaces), &unescaped(document))
    });
}

/// A value in braces, as the tables have it.
fn shown(value: Option<&str>) -> String {
    value.map_or_else(|| "{<null>}".to_owned(), |value| format!("{{{}}}", tables::escaped(value)))
}
