//! XML and HTML, and queries of them.

use std::hint::black_box;

use swell_budget::Budget;
use swell_query::css::{self, CssSelector};
use swell_query::xml::{XmlOptions, parse, parse_bytes};
use swell_query::xpath::XPath;
use swell_query::{Document, fragment, html};

use super::parts;

/// Units of work that a query may take.
const WORK: u64 = 10_000_000;

/// A document, with and without namespaces.
pub(super) fn xml(input: &[u8]) {
    for namespaces in [false, true] {
        let Ok(document) = parse_bytes(input, XmlOptions::dom(namespaces)) else { continue };
        check(&document);
        let Some(root) = document.document_element() else { continue };
        let written = fragment(&document, root);
        // A fragment lacks the prefixes and entities of the prologue.
        if let Ok(again) = parse(&written, XmlOptions::dom(namespaces)) {
            let root = again.document_element().expect("what was read has an element");
            assert_eq!(fragment(&again, root), written, "XML that was written reads the same");
        }
    }
}

/// Checks that each node comes after its parent.
fn check(document: &Document) {
    for node in document.all() {
        let parent = document.parent(node);
        assert!(parent <= node, "{parent} is the parent of {node}");
        black_box((document.kind(node), document.name(node), document.value(node)));
    }
}

/// A page.
pub(super) fn html(input: &[u8]) {
    let [page] = parts::<1>(input);
    if let Ok(document) = html::parse(&page) {
        check(&document);
        if let Some(root) = document.document_element() {
            black_box((fragment(&document, root), document.string_value(root)));
        }
    }
}

/// A selector and a page.
pub(super) fn css(input: &[u8]) {
    let [selector, page] = parts::<2>(input);
    let Ok(selector) = CssSelector::compile(&selector) else { return };
    let Ok(document) = html::parse(&page) else { return };
    let Ok(mut found) = selector.select(&document, &Budget::of_units(WORK)) else { return };
    for &node in &found {
        black_box((css::text(&document, node), css::attribute_text(&document, node, "href")));
    }
    let count = found.len();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), count, "an element is found once");
}

/// An expression and a document.
pub(super) fn xpath(input: &[u8]) {
    let [expression, text] = parts::<2>(input);
    let Ok(expression) = XPath::compile(&expression) else { return };
    for namespaces in [false, true] {
        let Ok(document) = parse(&text, XmlOptions::dom(namespaces)) else { continue };
        let first = format!("{:?}", expression.evaluate(&document));
        assert_eq!(format!("{:?}", expression.evaluate(&document)), first);
    }
}
