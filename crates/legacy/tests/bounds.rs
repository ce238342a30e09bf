//! Documents and expressions that are made to break things.

use proptest::prelude::*;
use swell_budget::Budget;
use swell_legacy::xpath2::XPath2;
use swell_query::xml::{XmlOptions, parse};

const DEEP: usize = 50_000;

#[test]
fn saxons_expressions_are_bounded_too() {
    let text = "<a>".repeat(DEEP) + &"</a>".repeat(DEEP);
    let document = parse(&text, XmlOptions::SAXON).expect("it is well-formed");
    let ask = |path: &str| {
        XPath2::compile(path, "").expect("it is right").evaluate(&document, &Budget::of_units(200_000_000))
    };
    assert_eq!(ask("count(//a)").expect("it is one walk")[0].text(&document), DEEP.to_string());
    let found = ask("/a").expect("it is one step");
    assert_eq!(found[0].fragment(&document).lines().next(), Some("<a>"));
    ask("1 to 1000000000").expect_err("a range of that size is refused");
    for deep in ["(", "a[", "-(", "if (", "string("] {
        XPath2::compile(&deep.repeat(100_000), "").expect_err("it is too deep");
    }
}

#[test]
fn texts_of_elements_in_elements_are_bounded() {
    let deep = "<a>".repeat(DEEP) + "x" + &"</a>".repeat(DEEP);
    let saxon = parse(&deep, XmlOptions::SAXON).expect("it is well-formed");
    // Each text costs a look at all below its element: a thousand million looks.
    for path in ["sum(//a)", "//a = 'y'", "distinct-values(//a)", "string-join(//a, '')", "//a[. = 'y']"] {
        let budget = Budget::of_units(20_000_000);
        XPath2::compile(path, "")
            .expect("it is right")
            .evaluate(&saxon, &budget)
            .expect_err("it looks at too much");
    }
}

proptest! {
    #[test]
    fn any_text_is_an_expression_of_saxon_or_a_fault(
        text in "([/@a*:\\[\\]()|.$=<>!0-9 \"'+,\\-]|for |in |return |if |then |else |to |div |sum|string|a){0,20}"
    ) {
        if let Ok(path) = XPath2::compile(&text, "a=u") {
            let document = parse("<a b='1'>x<c>y</c></a>", XmlOptions::SAXON).expect("it is well-formed");
            for item in path.evaluate(&document, &Budget::of_units(200_000_000)).into_iter().flatten() {
                item.fragment(&document);
            }
        }
    }
}
