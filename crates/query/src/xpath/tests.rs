//! The limit of work.

use swell_budget::Budget;

use super::{XPath, evaluate};
use crate::xml::{XmlOptions, parse};

#[test]
fn an_expression_that_looks_at_too_much_ends() {
    let text = "<a>".repeat(1000) + &"</a>".repeat(1000);
    let document = parse(&text, XmlOptions::dom(false)).expect("it is well-formed");
    for path in [
        "//a[descendant::a[position() = 2]]",
        "//a/ancestor::a[position() = 1]",
        "//a[not(following::b)]/ancestor::a",
    ] {
        let path = XPath::compile(path).expect("it is right");
        let within =
            |nodes: u64| evaluate::evaluate(&path.expr, &document, &[], &Budget::of_units(nodes * 10));
        let error = within(100_000).expect_err("it looks at a half of a million");
        assert_eq!(error.message, "The expression visits too many nodes of this document");
        within(5_000_000).expect("that is enough");
    }
}
