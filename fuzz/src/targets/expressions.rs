//! Texts with `${...}`, and date patterns.

use std::hint::black_box;
use std::sync::Arc;

use swell_expr::{Compiler, testing};
use swell_java::time::{DatePattern, Defaults, Fields, parse_duration};

use super::parts;

/// Text of a plan: variables, functions, and scripts in them. Files exist only in memory.
pub(super) fn templates(input: &[u8]) {
    let [text] = parts::<1>(input);
    let value = || {
        let compiler = Compiler::new(Arc::default());
        let template = compiler.template(&text);
        let mut cx = testing::context_for(&compiler);
        cx.vars.put("a", "1");
        let first = template.eval(&mut cx).into_owned();
        black_box(template.eval(&mut cx));
        first
    };
    let first = value();
    if !text.contains("__") {
        assert_eq!(value(), first, "variables alone give the same twice");
    }
    if !text.contains(['$', '\\']) {
        assert_eq!(first, text, "a text without ${{ is itself");
    }
}

/// A date pattern, a date, and a duration.
pub(super) fn dates(input: &[u8]) {
    let [pattern, text, duration] = parts::<3>(input);
    black_box((swell_http::fuzz::dates(&text), parse_duration(&duration)));
    // The formatter writes optional parts, even those that the parsed text left out.
    let has_options = pattern.contains('[');
    let Ok(pattern) = DatePattern::new(&pattern) else { return };
    black_box(pattern.parse(&text, Defaults { year: Some(1970), midnight: None }).ok());
    let Ok(moment) = pattern.parse(&text, Defaults::default()) else { return };
    let Some(shown) = show(&pattern, &moment) else { return };
    let Ok(again) = pattern.parse(&shown, Defaults::default()) else { return };
    assert!(
        has_options || show(&pattern, &again).as_ref() == Some(&shown),
        "a date that was shown shows otherwise: {shown}"
    );
}

fn show(pattern: &DatePattern, moment: &Fields) -> Option<String> {
    let mut out = String::new();
    pattern.format(moment, &mut out).ok().map(|()| out)
}
