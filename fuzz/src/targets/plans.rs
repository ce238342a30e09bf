//! Plans and property files.

use std::fmt::Write as _;

use swell_expr::read_property_file;
use swell_plan::{read, write};

/// A JMX file: a plan that was read and written reads the same.
pub(super) fn jmx(input: &[u8]) {
    let reading = read(input, None);
    let Some(plan) = reading.plan else {
        assert!(!reading.diagnostics.is_empty(), "a plan that is refused is refused with a word");
        return;
    };
    let written = write(&plan);
    let again = read(written.as_bytes(), None).plan.expect("what was written is a plan");
    assert_eq!(write(&again), written, "a plan that was written reads the same");
    let first = plan.enabled_tree();
    let second = again.enabled_tree();
    assert_eq!(count(&first), count(&second), "as many elements");
}

fn count(node: &swell_plan::Node) -> usize {
    let mut open = vec![node];
    let mut count = 0;
    while let Some(node) = open.pop() {
        count += 1;
        open.extend(&node.children);
    }
    count
}

/// A property file: properties that were read and written read the same.
pub(super) fn properties(input: &[u8]) {
    let Ok(found) = read_property_file(input) else { return };
    if found.iter().any(|(name, value)| !is_basic(name) || !is_basic(value)) {
        return;
    }
    let mut written = String::new();
    for (name, value) in &found {
        escape(name, &mut written);
        written.push('=');
        escape(value, &mut written);
        written.push('\n');
    }
    let again = read_property_file(written.as_bytes()).expect("what was written is a property file");
    assert_eq!(again, found, "properties that were written read the same");
}

/// Whether all characters have one UTF-16 unit: the library reads each escape as one character.
fn is_basic(text: &str) -> bool {
    text.chars().all(|c| c <= '\u{ffff}')
}

fn escape(text: &str, out: &mut String) {
    for unit in text.encode_utf16() {
        write!(out, "\\u{unit:04x}").expect("writing to a String cannot fail");
    }
}
