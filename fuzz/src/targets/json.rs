//! JSON, and the two path languages.

use swell_budget::Budget;
use swell_query::json::{Json, parse};
use swell_query::jsonpath::{self, JsonPath};

use super::parts;

/// Units of work that a path may take: visits of 10,000 values. The watcher finds unmetered work.
const WORK: u64 = 200_000;

/// A budget that is too small for many of the seeds.
const LITTLE_WORK: u64 = 5_000;

fn written(value: &Json<'_>) -> String {
    let mut out = String::new();
    value.write_json(&mut out);
    out
}

/// Parses text as lenient JSON and writes it again.
fn lenient_json(text: &str) -> Option<String> {
    parse(text).ok().as_ref().map(written)
}

/// Results of a JSON path in a document.
#[derive(Debug, PartialEq, Eq)]
struct PathFound {
    /// Result as one value; `None` on an error, such as an exhausted budget.
    one: Option<String>,
    /// Result as a list; `None` on an error.
    list: Option<Vec<String>>,
}

/// Returns the results of a path in a document, each with a separate budget; `None` if the path or
/// the document is invalid.
fn path_found(path: &str, document: &str, units: u64) -> Option<PathFound> {
    let path = JsonPath::compile(path).ok()?;
    let text = document;
    let document = parse(document).ok();
    assert!(
        document.is_some() || jsonpath::find(&path, text).is_none(),
        "a walk takes what the tree refuses"
    );
    let document = document?;
    if let Some(found) = jsonpath::find(&path, text) {
        let budget = Budget::unlimited();
        let in_tree = path.read(&document, &budget).expect("what a walk finds is in the tree");
        assert_eq!(written(&found), written(&in_tree), "a walk finds what the tree has");
    }
    let for_one = Budget::of_units(units);
    let for_list = Budget::of_units(units);
    let one = path.read(&document, &for_one).ok().map(|found| written(&found));
    let list = path.read_list(&document, &for_list).ok();
    Some(PathFound { one, list: list.map(|all| all.iter().map(|found| written(found)).collect()) })
}

/// A text that may be JSON.
pub(super) fn json(input: &[u8]) {
    let [text] = parts::<1>(input);
    if let Some(written) = lenient_json(&text) {
        // Values that JSON cannot express do not survive writing. A number of more than 18
        // characters is a BigDecimal. Its text may be that of a double, whose text may again have
        // more than 18 characters (`106423317.6388037`), so it alternates between two texts.
        if !written.contains("NaN") {
            let again = |text: String| lenient_json(&text).expect("JSON that was written is JSON");
            let settled = again(again(written));
            assert_eq!(again(again(settled.clone())), settled, "JSON that was written reads the same");
        }
    }
    // Java's `BigDecimal`, and so JMeter, refuses exponents of more than 32 bits.
    let long_exponent = text.as_bytes().windows(10).any(|part| part.iter().all(u8::is_ascii_digit));
    if !long_exponent && serde_json::from_str::<serde_json::Value>(&text).is_ok() {
        assert!(lenient_json(&text).is_some(), "JSON is JSON to the lenient reader too");
    }
}

/// A JSON path and a document: a smaller budget gives the same result or an error, never a part.
pub(super) fn json_path(input: &[u8]) {
    let [path, document] = parts::<2>(input);
    let Some(found) = path_found(&path, &document, WORK) else { return };
    for units in [WORK, LITTLE_WORK] {
        let again = path_found(&path, &document, units).expect("path and document are as before");
        assert!(
            again.one.is_none() || again.one == found.one,
            "one value of {units}: {again:?} of {found:?}"
        );
        assert!(
            again.list.is_none() || again.list == found.list,
            "a list of {units}: {again:?} of {found:?}"
        );
    }
}
