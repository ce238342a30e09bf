//! Files of other tools that become plans.

use swell_import::{Options, Source, StaticFiles, import};

use super::byte_parts;

/// A plan that was made reads back as it was written, and files next to it stay in its folder.
fn check(format: &str, input: &[u8]) {
    let source = Source { name: "input", bytes: input };
    // Whether a format fits is asked for every file.
    let _ = swell_import::format_of(&source);
    check_all(&[source], &Options { from: Some(format.to_owned()), ..Options::default() });
}

fn check_all(sources: &[Source<'_>], options: &Options) {
    let Ok(made) = import(sources, "plan", options) else { return };
    assert!(!made.text.contains("${__exec("), "a function of the input is in the plan");
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

pub(super) fn curl(input: &[u8]) {
    check("curl", input);
}

/// A recording, and another of the same steps after a separator.
pub(super) fn har(input: &[u8]) {
    let [first, second] = byte_parts::<2>(input);
    check("har", first);
    let sources = [first, second].map(|bytes| Source { name: "input", bytes });
    let options = Options {
        from: Some("har".to_owned()),
        static_files: StaticFiles::Keep,
        makes_data: true,
        hosts: vec!["*".to_owned()],
        ..Options::default()
    };
    check_all(&sources, &options);
}

pub(super) fn http(input: &[u8]) {
    check("http", input);
}

/// A collection, and an environment after a separator.
pub(super) fn postman(input: &[u8]) {
    let [first, second] = byte_parts::<2>(input);
    check("postman", first);
    let sources = [first, second].map(|bytes| Source { name: "input", bytes });
    check_all(&sources, &Options { from: Some("postman".to_owned()), ..Options::default() });
}

pub(super) fn hurl(input: &[u8]) {
    check("hurl", input);
}

pub(super) fn urls(input: &[u8]) {
    check("urls", input);
}

pub(super) fn vegeta(input: &[u8]) {
    check("vegeta", input);
}

pub(super) fn openapi(input: &[u8]) {
    check("openapi", input);
}

pub(super) fn artillery(input: &[u8]) {
    check("artillery", input);
}

pub(super) fn access_log(input: &[u8]) {
    check("accesslog", input);
}

pub(super) fn insomnia(input: &[u8]) {
    check("insomnia", input);
}
