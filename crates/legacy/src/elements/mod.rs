//! The elements, and their part of the table of elements.

mod html_assertion;
mod jmespath_assertion;
mod jmespath_extractor;
mod jmespath_field;
mod xml_schema_assertion;
mod xpath2_assertion;
mod xpath2_extractor;
mod xpath2_field;

use swell_api::{Assertion, Compile, ElementKind, Make, PostProcessor, Role};
use swell_plan::Element;

/// This crate's part of the table of elements.
pub fn kinds() -> Vec<ElementKind> {
    vec![
        extractor("XPath2Extractor", "XPath2 Extractor", xpath2_extractor::build),
        extractor("JMESPathExtractor", "JSON JMESPath Extractor", jmespath_extractor::build),
        assertion("JMESPathAssertion", "JSON JMESPath Assertion", jmespath_assertion::build),
        assertion("XPath2Assertion", "XPath2 Assertion", xpath2_assertion::build),
        assertion("XMLSchemaAssertion", "XML Schema Assertion", xml_schema_assertion::build),
        assertion("HTMLAssertion", "HTML Assertion", html_assertion::build),
    ]
}

fn extractor(
    class: &'static str,
    name: &'static str,
    build: fn(&Element, &Compile) -> Box<dyn PostProcessor>,
) -> ElementKind {
    let make = Make::post_processor(move |node, compile| build(&node.element, compile));
    documented(ElementKind::native(Role::PostProcessor, class, name, make))
}

fn assertion(
    class: &'static str,
    name: &'static str,
    build: fn(&Element, &Compile) -> Box<dyn Assertion>,
) -> ElementKind {
    let make = Make::assertion(move |node, compile| build(&node.element, compile));
    documented(ElementKind::native(Role::Assertion, class, name, make))
}

fn documented(kind: ElementKind) -> ElementKind {
    ElementKind { documentation: include_str!("../../elements.toml"), ..kind }
}
