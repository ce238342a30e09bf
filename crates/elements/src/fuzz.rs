//! Doors to inner parsers for the fuzz targets of `fuzz/`: texts in, texts out, no judgement here.

use swell_budget::Budget;

use crate::jmespath::JmesPath;
use crate::json::{self, Json};
use crate::jsonpath::JsonPath;

fn written(value: &Json<'_>) -> String {
    let mut out = String::new();
    value.write_json(&mut out);
    out
}

/// A text that the lenient reader takes for JSON, written anew.
pub fn json(text: &str) -> Option<String> {
    json::parse(text).ok().as_ref().map(written)
}

/// A text that the strict reader takes for JSON, written anew.
pub fn strict_json(text: &str) -> Option<String> {
    json::parse_strictly(text).ok().as_ref().map(written)
}

/// What a JSON path finds in a document.
#[derive(Debug, PartialEq, Eq)]
pub struct PathFound {
    /// As one value; none if that is an error, for one that the budget is used up.
    pub one: Option<String>,
    /// As a list, likewise.
    pub list: Option<Vec<String>>,
}

/// What a JSON path finds in a document, each way within as many units of work of its own; none where path or document is refused.
pub fn json_path(path: &str, document: &str, units: u64) -> Option<PathFound> {
    let path = JsonPath::compile(path).ok()?;
    let document = json::parse(document).ok()?;
    let (for_one, for_list) = (Budget::of_units(units), Budget::of_units(units));
    let one = path.read(&document, &for_one).ok().map(|found| written(&found));
    let list = path.read_list(&document, &for_list).ok();
    Some(PathFound { one, list: list.map(|all| all.iter().map(|found| written(found)).collect()) })
}

/// What a JMESPath finds in a document; none where one of them is refused or the search fails.
pub fn jmes_path(path: &str, document: &str) -> Option<String> {
    let path = JmesPath::compile(path).ok()?;
    let document = json::parse_strictly(document).ok()?;
    path.search(&document).ok().map(|found| written(&found))
}
