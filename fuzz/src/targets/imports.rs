//! Files of other tools that become plans.

use swell_import::{Options, Source, import};

/// A plan that was made reads back as it was written, and files next to it stay in its folder.
fn check(format: &str, input: &[u8]) {
    let source = Source { name: "input", bytes: input };
    // Whether a format fits is asked for every file.
    let _ = swell_import::format_of(&source);
    let options = Options { from: Some(format.to_owned()), ..Options::default() };
    let Ok(made) = import(&[source], "plan", &options) else { return };
    for file in &made.files {
        assert!(
            !file.path.starts_with('/') && !file.path.split('/').any(|part| part == ".."),
            "{}",
            file.path
        );
    }
    let read = swell_plan::read(made.text.as_bytes(), None);
    let plan = read.plan.expect("a plan that was written can be read");
    assert_eq!(swell_plan::write(&plan), made.text);
}

pub(super) fn http(input: &[u8]) {
    check("http", input);
}

pub(super) fn urls(input: &[u8]) {
    check("urls", input);
}

pub(super) fn vegeta(input: &[u8]) {
    check("vegeta", input);
}
