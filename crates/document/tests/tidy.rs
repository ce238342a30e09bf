//! What JTidy of JMeter 5.6.3 makes of pages.

use std::fmt::Write as _;

mod tables;

use swell_document::html::{tidy, tidy_xml};
use swell_document::{Document, Kind};
use tables::{differences, escaped, unescaped};

/// A tree as the table has it.
fn shown(document: &Document) -> String {
    let mut out = String::new();
    let mut open = Vec::new();
    for node in document.all() {
        while open.last().is_some_and(|&last| !document.is_in(node, last)) {
            open.pop();
            out.push_str("</>");
        }
        match document.kind(node) {
            Kind::Element => {
                write!(out, "<{}", document.name(node)).expect("a String takes everything");
                for (name, value) in document.pairs(node) {
                    write!(out, " {name}=\"{value}\"").expect("a String takes everything");
                }
                out.push('>');
                open.push(node);
            }
            Kind::Text => write!(out, "[{}]", document.value(node)).expect("a String takes everything"),
            Kind::Comment => {
                write!(out, "<!--{}-->", document.value(node)).expect("a String takes everything");
            }
            _ => {}
        }
    }
    out + &"</>".repeat(open.len())
}

#[test]
fn pages_are_tidied_as_jtidy_tidies_them() {
    differences(include_str!("tables/tidy.tsv"), |row| {
        let [page] = row else { panic!("one column: {row:?}") };
        let page = unescaped(page);
        let document = if page.starts_with("<?xml ") {
            tidy_xml(&page).expect("it is well-formed")
        } else {
            tidy(&page).expect("the page is small").0
        };
        escaped(&shown(&document))
    });
}
