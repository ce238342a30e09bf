//! Documents designed to exhaust resources.

use std::collections::HashMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use swell_budget::Budget;
use swell_query::css::{self, CssSelector};
use swell_query::xml::{XmlOptions, parse};
use swell_query::xpath::{Value, XPath};
use swell_query::{fragment, html};

const DEEP: usize = 50_000;

#[test]
fn a_deep_document_does_not_use_up_the_stack() {
    let text = "<a>".repeat(DEEP) + &"</a>".repeat(DEEP);
    let document = parse(&text, XmlOptions::dom(true)).expect("it is well-formed");
    let path = XPath::compile("count(//a)").expect("it is right");
    assert_eq!(path.evaluate(&document), Ok(Value::Number(DEEP as f64)));
    let path = XPath::compile("string-length(//a[last()])").expect("it is right");
    assert_eq!(path.evaluate(&document), Ok(Value::Number(0.0)));
    assert_eq!(fragment(&document, 1).len(), text.len() - "<a></a>".len() + "<a/>".len());
}

#[test]
fn brackets_in_brackets_have_a_limit() {
    let deep = "(".repeat(100_000) + "1" + &")".repeat(100_000);
    XPath::compile(&deep).expect_err("it is too deep");
    XPath::compile(&"a[".repeat(100_000)).expect_err("it is too deep");
    let long = "1".to_owned() + &"+1".repeat(100_000);
    let document = parse("<a/>", XmlOptions::dom(false)).expect("it is well-formed");
    let path = XPath::compile(&long).expect("a chain is not deep");
    assert_eq!(path.evaluate(&document), Ok(Value::Number(100_001.0)));
}

#[test]
fn entities_that_grow_have_a_limit() {
    let mut text = "<!DOCTYPE a [<!ENTITY e0 \"lol\">".to_owned();
    for level in 1..60 {
        let below = format!("&e{};", level - 1).repeat(10);
        write!(text, "<!ENTITY e{level} \"{below}\">").expect("writing to a String cannot fail");
    }
    text.push_str("]><a>&e59;</a>");
    let error = parse(&text, XmlOptions::dom(false)).expect_err("it would be 10^59 words long");
    assert!(error.message.contains("more than \"100,000\" entity expansions"), "{error}");
    let many: Vec<_> = (0..20_000).map(|at| format!(" a{at}=\"\"")).collect();
    let many = many.concat();
    parse(&format!("<a{many}/>"), XmlOptions::dom(true)).expect("many attributes are valid");
}

proptest! {
    #[test]
    fn any_text_is_a_document_or_a_fault(text in "[<>/!?a:b =\"'&;#x1\\[\\]%\\-DOCTYPE\r\n\u{1}ä]{0,60}") {
        for options in [XmlOptions::dom(false), XmlOptions::dom(true), XmlOptions::PLAIN] {
            if let Ok(document) = parse(&text, options) {
                let element = document.document_element().expect("a document has one");
                fragment(&document, element);
            }
        }
    }

    #[test]
    fn any_text_is_an_expression_or_a_fault(text in "[/@a*:\\[\\]()|.$=<>!0-9 \"'+\\-]{0,30}") {
        if let Ok(path) = XPath::compile(&text) {
            let document = parse("<a b='1'>x<a:b>y</a:b></a>", XmlOptions::dom(false)).expect("it is well-formed");
            let _ = path.evaluate(&document);
        }
    }
}

#[test]
fn pages_are_bounded() {
    assert!(html::parse(&"<div>".repeat(DEEP)).is_err());
    let document = html::parse(&"<p>x</p>".repeat(5_000)).expect("it is not deep");
    let select = |selector: &str| {
        CssSelector::compile(selector).map(|s| s.select(&document, &Budget::of_units(200_000_000)))
    };
    assert_eq!(select("p + p").expect("it is right").expect("it is two walks").len(), 4_999);
    assert!(select(&"p:not(".repeat(100_000)).is_err(), "it is too deep");
    let document = html::parse(&"<b>".repeat(1000)).expect("it is not too deep");
    let all = CssSelector::compile(":contains(x)").expect("it is right");
    assert!(all.select(&document, &Budget::of_units(200_000_000)).expect("a million at most").is_empty());
    let formatting: String = (0..900).fold(String::new(), |page, at| page + "<b id=" + &at.to_string() + ">");
    let _ = html::parse(&(formatting + &"<p>".repeat(500)));
}

#[test]
fn texts_of_elements_in_elements_are_bounded() {
    let deep = "<a>".repeat(DEEP) + "x" + &"</a>".repeat(DEEP);
    let dom = parse(&deep, XmlOptions::dom(false)).expect("it is well-formed");
    // Each text costs a look at all below its element: a thousand million looks.
    for path in ["sum(//a)", "//a = 'y'", "//a = //b", "//a > 1", "//a[. = 'y']"] {
        let budget = Budget::of_units(20_000_000);
        let path = XPath::compile(path).expect("it is right");
        path.evaluate_in(&dom, &HashMap::new(), &budget).expect_err("it looks at too much");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_page_and_a_selector_or_a_fault(
        page in "(<[/!]?(a|b|p|table|td|li|script|select|option|template|!--)[ =\"'x/]*>?|[<>&x ]){0,20}",
        selector in "[a:.#\\[\\]()=~^$*>+, \"'0-9nbp\\-\\\\|]{0,15}",
    ) {
        let document = html::parse(&page).expect("it is small");
        let found = CssSelector::compile(&selector).map(|s| s.select(&document, &Budget::of_units(200_000_000)));
        for node in found.into_iter().flatten().flatten() {
            css::text(&document, node);
        }
    }
}
