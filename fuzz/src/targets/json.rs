//! JSON, and the two languages of paths.

use swell_elements::fuzz;

use super::parts;

/// Units of work that following a path may take, ten thousand looks at a value: the watcher sees what goes on behind it.
const WORK: u64 = 200_000;

/// Less than many of the seeds take.
const LITTLE_WORK: u64 = 5_000;

/// A text that may be JSON.
pub(super) fn json(input: &[u8]) {
    let [text] = parts::<1>(input);
    let strict = fuzz::strict_json(&text);
    for (written, read) in [(fuzz::json(&text), fuzz::json as fn(&str) -> _), (strict, fuzz::strict_json)] {
        let Some(written) = written else { continue };
        // What no JSON text can hold has no way back; a number that was a double may be another kind when it is read again.
        if !written.contains("NaN") {
            let again = |text: String| read(&text).expect("JSON that was written is JSON");
            let settled = again(again(written));
            assert_eq!(again(settled.clone()), settled, "JSON that was written reads the same");
        }
    }
    // Java's `BigDecimal` refuses exponents of more than 32 bits, and JMeter the text with them.
    let long_exponent = text.as_bytes().windows(10).any(|part| part.iter().all(u8::is_ascii_digit));
    if !long_exponent && serde_json::from_str::<serde_json::Value>(&text).is_ok() {
        assert!(fuzz::json(&text).is_some(), "JSON is JSON to the lenient reader too");
    }
}

/// A JSON path and a document: with less work it finds the same or gives up, never a part.
pub(super) fn json_path(input: &[u8]) {
    let [path, document] = parts::<2>(input);
    let Some(found) = fuzz::json_path(&path, &document, WORK) else { return };
    for units in [WORK, LITTLE_WORK] {
        let again = fuzz::json_path(&path, &document, units).expect("path and document are as before");
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

/// A JMESPath and a document.
pub(super) fn jmes_path(input: &[u8]) {
    let [path, document] = parts::<2>(input);
    let found = fuzz::jmes_path(&path, &document);
    assert_eq!(fuzz::jmes_path(&path, &document), found);
}
