//! XML Assertion and XPath Assertion: results and messages of JMeter 5.6.3.

use swell_api::SampleResult;

use crate::testing::{Bench, assertion, check, element, judgement};

fn judged(class: &str, body: &str, properties: &[(&str, &str)]) -> String {
    judgement(&Bench::new(), &element(class, properties), body)
}

#[test]
fn xml_must_be_well_formed() {
    for (body, wanted) in [
        ("<a/>", "f=false e=false m=<null>"),
        ("", "f=true e=false m=Response was null"),
        ("hello", "f=true e=true m=Content is not allowed in prolog."),
        ("<x:a/>", "f=false e=false m=<null>"),
    ] {
        assert_eq!(judged("XMLAssertion", body, &[]), wanted, "{body}");
    }
}

#[test]
fn paths_judge() {
    let judge = |[flags, path, body]: [&str; 3]| {
        let on = |flag| if str::contains(flags, flag) { "true" } else { "false" };
        let properties = [
            ("XPath.xpath", path),
            ("XPath.negate", on("!")),
            ("XPath.namespace", on("n")),
            ("XPath.validate", on("v")),
        ];
        judged("XPathAssertion", body, &properties)
    };
    check(include_str!("xpath_verdicts.tsv"), judge);
    assert_eq!(
        judge(["", "//a", "\u{1}"]),
        "f=false e=true m=SAXException: Content is not allowed in prolog."
    );
}

#[test]
fn bytes_that_are_no_text_are_an_error_of_input() {
    let bench = Bench::new();
    let mut cx = bench.user();
    let mut sample = SampleResult { body: b"<a>\xE4</a>".into(), ..SampleResult::default() };
    let made =
        assertion(&element("XPathAssertion", &[("XPath.xpath", "//a")]), &bench).expect("a known class");
    let result = made.check(&mut cx, &mut sample).finish();
    assert_eq!(result.message.as_deref(), Some("IOException: Invalid byte 2 of 3-byte UTF-8 sequence."));
}
