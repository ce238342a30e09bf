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

/// What a JSON path finds in a document as one value, and as a list; none where path or document is refused.
pub fn json_path(path: &str, document: &str) -> Option<(Option<String>, Option<Vec<String>>)> {
    let path = JsonPath::compile(path).ok()?;
    let document = json::parse(document).ok()?;
    // Small documents end without one.
    let budget = Budget::unlimited();
    let one = path.read(&document, &budget).ok().map(|found| written(&found));
    let list = path.read_list(&document, &budget).ok();
    Some((one, list.map(|all| all.iter().map(|found| written(found)).collect())))
}

/// What a JMESPath finds in a document; none where one of them is refused or the search fails.
pub fn jmes_path(path: &str, document: &str) -> Option<String> {
    let path = JmesPath::compile(path).ok()?;
    let document = json::parse_strictly(document).ok()?;
    path.search(&document).ok().map(|found| written(&found))
}
