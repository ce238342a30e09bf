//! JSON, and the two languages of paths.

use swell_budget::Budget;
use swell_query::json::{Json, parse};
use swell_query::jsonpath::{self, JsonPath};

use super::parts;

/// Units of work that following a path may take, ten thousand looks at a value: the watcher sees what goes on behind it.
const WORK: u64 = 200_000;

/// Less than many of the seeds take.
const LITTLE_WORK: u64 = 5_000;

fn written(value: &Json<'_>) -> String {
    let mut out = String::new();
    value.write_json(&mut out);
    out
}

/// A text that the lenient reader takes for JSON, written anew.
fn lenient_json(text: &str) -> Option<String> {
    parse(text).ok().as_ref().map(written)
}

/// What a JSON path finds in a document.
#[derive(Debug, PartialEq, Eq)]
struct PathFound {
    /// As one value; none if that is an error, for one that the budget is used up.
    one: Option<String>,
    /// As a list, likewise.
    list: Option<Vec<String>>,
}

/// What a JSON path finds in a document, each way within a budget of its own; none where path or document is refused.
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
        // What no JSON text can hold has no way back. A number of more than 18 characters is a BigDecimal, whose text may be that of
        // a double, whose text may again be of more than 18 (`106423317.6388037`): such a number alternates between two texts.
        if !written.contains("NaN") {
            let again = |text: String| lenient_json(&text).expect("JSON that was written is JSON");
            let settled = again(again(written));
            assert_eq!(again(again(settled.clone())), settled, "JSON that was written reads the same");
        }
    }
    // Java's `BigDecimal` refuses exponents of more than 32 bits, and JMeter the text with them.
    let long_exponent = text.as_bytes().windows(10).any(|part| part.iter().all(u8::is_ascii_digit));
    if !long_exponent && serde_json::from_str::<serde_json::Value>(&text).is_ok() {
        assert!(lenient_json(&text).is_some(), "JSON is JSON to the lenient reader too");
    }
}

/// A JSON path and a document: with less work it finds the same or gives up, never a part.
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
