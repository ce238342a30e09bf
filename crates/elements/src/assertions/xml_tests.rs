//! XML Assertion and XPath Assertion: verdicts and messages of JMeter 5.6.3.

use swell_api::SampleResult;

use crate::testing::{Bench, assertion, element, judgement};

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
    for (flags, path, body, wanted) in [
        ("", "/", "<a/>", "f=false e=false m="),
        ("", "//b", "<a/>", "f=true e=false m=No Nodes Matched //b"),
        ("!", "//b", "<a/>", "f=false e=false m=No Nodes Matched //b"),
        (
            "!",
            "//a",
            "<a/>",
            "f=true e=false m=Specified XPath was found... Turn off negate if this is not desired",
        ),
        ("", "1", "<a/>", "f=true e=false m=Cannot understand: 1"),
        ("!", "\"x\"", "<a/>", "f=true e=false m=Cannot understand: \"x\""),
        ("", "true()", "<a/>", "f=false e=false m=No Nodes Matched for true()"),
        ("!", "true()", "<a/>", "f=true e=false m=Nodes Matched for true()"),
        ("!", "false()", "<a/>", "f=false e=false m=Nodes Matched for false()"),
        ("", "", "<a/>", "f=false e=true m=TransformerException: Empty expression! for: "),
        (
            "",
            "//x:b",
            "<a/>",
            "f=false e=true m=TransformerException: Prefix must resolve to a namespace: x for: //x:b",
        ),
        (
            "",
            "//x:b",
            "<x:a/>",
            "f=false e=true m=TransformerException: Prefix must resolve to a namespace: x for: //x:b",
        ),
        (
            "n",
            "//a",
            "<x:a/>",
            "f=false e=true m=SAXException: The prefix \"x\" for element \"x:a\" is not bound.",
        ),
        ("", "//a", "", "f=true e=false m=Response was null"),
        ("", "//a", "\u{1}", "f=false e=true m=SAXException: Content is not allowed in prolog."),
        (
            "v",
            "//a",
            "<a/>",
            "f=false e=true m=SAXException: org.xml.sax.SAXParseException; lineNumber: 1; columnNumber: 5; Document root \
             element \"a\", must match DOCTYPE root \"null\".",
        ),
    ] {
        let on = |flag| if str::contains(flags, flag) { "true" } else { "false" };
        let properties = [
            ("XPath.xpath", path),
            ("XPath.negate", on("!")),
            ("XPath.namespace", on("n")),
            ("XPath.validate", on("v")),
        ];
        assert_eq!(judged("XPathAssertion", body, &properties), wanted, "{flags} {path} {body}");
    }
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
