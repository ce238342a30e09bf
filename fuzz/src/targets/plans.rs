//! Plans and property files.

use std::fmt::Write as _;

use swell_api::Registry;
use swell_author::{Surroundings, View, What};
use swell_expr::read_property_file;
use swell_plan::{read, write};

use crate::mutate::SEPARATOR;

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

/// An assignment and a plan: what it sets is what is read again, all else is as it was; and the plan
/// can be shown, compared, checked and laid out.
pub(super) fn edits(input: &[u8]) {
    let mut parts = input.splitn(2, |byte| *byte == SEPARATOR);
    let assignment = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let bytes = parts.next().unwrap_or_default();
    let registry = Registry::default();
    let Some(plan) = read(bytes, None).plan else {
        assert!(swell_author::set(bytes, None, &registry, &[assignment]).is_err());
        return;
    };
    let no_file = |_: &str| None;
    let view = View::of(&plan, &registry, &no_file);
    assert!(view.to_string().lines().count() >= view.shown().elements.len());
    _ = (view.stable(), view.html("plan"));
    let around = Surroundings { file: &no_file, relative: &|_| None };
    let fixes = swell_author::lint(&plan, &registry, &around).into_iter().filter_map(|found| found.fix);
    let fixes: Vec<_> = fixes.flat_map(|fix| fix.edits).collect();
    if let Ok(fixed) = swell_plan::edit(bytes, &fixes) {
        assert!(read(&fixed, None).plan.is_some(), "a fixed plan is a plan");
    }
    if let Ok(laid_out) = swell_plan::layout(bytes) {
        let again = read(laid_out.text.as_bytes(), None).plan.expect("a plan with another layout is a plan");
        // Properties that JMeter does not know are compared as XML, with its escapes.
        let mut found = swell_author::diff(&plan, &again).differences;
        found.retain(|one| !matches!(&one.what, What::Property { property, .. } if property.is_empty()));
        assert_eq!(found, [], "its layout says nothing");
    }
    let Ok(edited) = swell_author::set(bytes, None, &registry, &[assignment]) else { return };
    let after = read(&edited.bytes, None).plan.expect("a plan with another value is a plan");
    assert_eq!(count(&plan.root), count(&after.root), "as many elements");
    // Another name may match other elements.
    if edited.changes.iter().any(|change| change.property.contains("name")) {
        return;
    }
    let differences = swell_author::diff(&plan, &after).differences.len();
    assert!(differences <= edited.changes.len(), "{differences} differences of {}", edited.changes.len());
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
