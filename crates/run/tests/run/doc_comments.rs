//! Documentation has no code that only `rustdoc` would compile: the crates set `doctest = false`,
//! since `rustdoc` takes more than a second for each crate, also where it finds nothing to test.
//! Examples are in `docs/` and compiled by tests.

use std::fs;
use std::path::Path;

use crate::files::files_below;

/// Lines that open a block of code which `rustdoc` would test.
fn tested_blocks(source: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut is_inside = false;
    for (number, line) in (1..).zip(source.lines()) {
        let line = line.trim_start();
        let Some(text) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else { continue };
        let Some(language) = text.trim_start().strip_prefix("```") else { continue };
        if !is_inside && ["", "rust", "no_run", "should_panic"].contains(&language.trim()) {
            found.push(number);
        }
        is_inside = !is_inside;
    }
    found
}

#[test]
fn no_code_in_documentation_waits_for_a_doctest() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut failures = Vec::new();
    for file in files_below(&root.join("crates"), "rs") {
        let source = fs::read_to_string(&file).expect("a source is text");
        failures.extend(tested_blocks(&source).iter().map(|line| format!("{}:{line}", file.display())));
    }
    assert!(
        failures.is_empty(),
        "name a language, such as `text`, or write a test:\n{}",
        failures.join("\n")
    );
}

#[test]
fn a_block_without_a_language_is_found() {
    let source = "/// ```text\n/// a\n/// ```\n/// ```\n/// b\n/// ```\nlet x = \"```\";\n//! ```rust\n";
    assert_eq!(tested_blocks(source), [4, 8]);
}
