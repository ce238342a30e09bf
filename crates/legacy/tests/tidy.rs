//! What JTidy of JMeter 5.6.3 makes of pages.

use std::fmt::Write as _;

#[path = "../../query/tests/tables/mod.rs"]
mod tables;

use swell_legacy::jtidy::clean;
use swell_query::{Document, NodeId, NodeKind};
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
        let value = document.value(node);
        let written = match document.kind(node) {
            NodeKind::Element => {
                open.push(node);
                write!(out, "<{}{}>", document.name(node), attributes(document, node))
            }
            NodeKind::Text => write!(out, "[{value}]"),
            NodeKind::Cdata => write!(out, "<![{value}]>"),
            NodeKind::Comment => write!(out, "<!--{value}-->"),
            NodeKind::Instruction => write!(out, "<?{value}?>"),
            NodeKind::Root | NodeKind::Namespace | NodeKind::Attribute => Ok(()),
        };
        written.expect("a String takes everything");
    }
    out + &"</>".repeat(open.len())
}

/// Namespaces, then attributes.
fn attributes(document: &Document, element: NodeId) -> String {
    let mut out = String::new();
    for node in document.all().skip(element as usize + 1) {
        let (name, value) = (document.name(node), document.value(node));
        let written = match document.kind(node) {
            NodeKind::Namespace if name.is_empty() => write!(out, " xmlns=\"{value}\""),
            NodeKind::Namespace => write!(out, " xmlns:{name}=\"{value}\""),
            NodeKind::Attribute => write!(out, " {name}=\"{value}\""),
            _ => break,
        };
        written.expect("a String takes everything");
    }
    out
}

#[test]
fn pages_are_tidied_as_jtidy_tidies_them() {
    differences(include_str!("tables/tidy.tsv"), |row| {
        let [page] = row else { panic!("one column: {row:?}") };
        let page = unescaped(page);
        let is_xml = page.starts_with("<?xml ");
        let tidied = clean(page.as_bytes(), is_xml).expect("JTidy can read it");
        let signed = escaped(&shown(&tidied.document));
        signed.replace(GENERATOR, "<meta@>")
    });
}

/// What JTidy puts into each head; `<meta@>` in the table.
const GENERATOR: &str = "<meta content=\"HTML Tidy for Java (vers. 2009-12-01), see jtidy.sourceforge.net\" name=\"generator\"></>";

#[test]
fn a_page_that_jtidy_made_is_signed_once() {
    let page = b"<head><meta name=Generator content='html tidy, old'><title>t</title></head>x";
    let tidied = clean(page, false).expect("JTidy can read it");
    let wanted = GENERATOR.replace("name=\"generator\"", "name=\"Generator\"");
    assert_eq!(shown(&tidied.document), format!("<html><head>{wanted}<title>[t]</></><body>[x]</></>"));
}

#[test]
fn what_is_wrong_is_counted() {
    let count = |page: &str| clean(page.as_bytes(), false).map(|tidied| (tidied.errors, tidied.warnings));
    assert_eq!(count("<ul><li>a<li><foo>b</foo></ul>"), Ok((1, 4)));
    // What cleaning takes away is not proprietary then.
    assert_eq!(count("<nobr>a</nobr><blink>b</blink>"), Ok((0, 3)));
}
