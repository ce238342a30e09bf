//! Selectors compared with jsoup of JMeter 5.6.3.

use crate::tables::{differences, escaped, unescaped};
use swell_budget::Budget;
use swell_query::css::{CssSelector, attribute_text, text};
use swell_query::html;

fn select(page: &str, selector: &str, attribute: &str) -> String {
    let Ok(selector) = CssSelector::compile(selector) else { return "!".to_owned() };
    let document = html::parse(page).expect("the page is small");
    let Ok(found) = selector.select(&document, &Budget::of_units(200_000_000)) else { return "!".to_owned() };
    let value = |node| match attribute.trim() {
        "" => text(&document, node),
        _ => attribute_text(&document, node, attribute),
    };
    found.into_iter().map(|node| shown(&value(node))).collect()
}

#[test]
fn selectors_select_what_jsoup_selects() {
    let table = include_str!("tables/css.tsv");
    let page = table.lines().nth(1).and_then(|line| line.strip_prefix("# ")).expect("the page is on line 2");
    let page = unescaped(page);
    differences(table, |row| {
        let [attribute, selector] = row else { panic!("two columns: {row:?}") };
        select(&page, selector, attribute)
    });
}

/// A value in braces, as the tables have it.
fn shown(value: &str) -> String {
    format!("{{{}}}", escaped(value))
}
