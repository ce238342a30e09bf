//! A plan for the tests of this crate.

use swell_api::Registry;
use swell_plan::{Plan, read};

/// A shop: two thread groups, an extractor, a data set, scripts, and mistakes.
pub(crate) const SHOP: &str = include_str!("testing/shop.jmx");

/// The plan in a text.
pub(crate) fn plan(text: &str) -> Plan {
    let reading = read(text.as_bytes(), None);
    reading.plan.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

/// The elements that Swell knows.
pub(crate) fn table() -> Registry {
    swell_run::table_of_elements()
}

/// No file can be read.
pub(crate) fn no_file(_: &str) -> Option<String> {
    None
}
