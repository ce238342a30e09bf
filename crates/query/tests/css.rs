//! What jsoup and Jodd of JMeter 5.6.3 select.

mod tables;

use swell_budget::Budget;
use swell_query::css::{CssSelector, Dialect};
use tables::{differences, unescaped};

fn select(dialect: Dialect, page: &str, selector: &str, attribute: &str) -> String {
    let Ok(selector) = CssSelector::compile(selector, dialect) else { return "!".to_owned() };
    let document = CssSelector::read(dialect, page).expect("the page is small");
    let Ok(found) = selector.select(&document, &Budget::of_units(200_000_000)) else { return "!".to_owned() };
    let value = |node| match attribute.trim() {
        "" => Some(selector.text(&document, node)),
        _ => selector.attribute(&document, node, attribute),
    };
    found.into_iter().map(|node| shown(value(node).as_deref())).collect()
}

#[test]
fn selectors_select_what_the_libraries_select() {
    let table = include_str!("tables/css.tsv");
    let page = table.lines().nth(1).and_then(|line| line.strip_prefix("# ")).expect("the page is on line 2");
    let page = unescaped(page);
    differences(table, |row| {
        let [library, selector, attribute] = row else { panic!("three columns: {row:?}") };
        let dialect = if *library == "jsoup" { Dialect::Jsoup } else { Dialect::Jodd };
        select(dialect, &page, selector, attribute)
    });
}

/// A value in braces, as the tables have it.
fn shown(value: Option<&str>) -> String {
    value.map_or_else(|| "{<null>}".to_owned(), |value| format!("{{{}}}", tables::escaped(value)))
}
