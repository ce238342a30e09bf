//! The elements of this crate, and those of others that read pages with its JTidy: verdicts, variables and messages of JMeter 5.6.3.

use std::sync::atomic::{AtomicI64, Ordering};

use swell_api::SampleResult;
use swell_budget::Limits;
use swell_elements::testing::{
    Bench, assert_large_bodies_leave_the_loop, counting, element, extract_by_xpath, judgement,
    post_processor, run_on_body, shown,
};
use swell_plan::Element;

/// A world with all elements.
fn bench() -> Bench {
    Bench::new().with(swell_elements::kinds(Some(swell_legacy::TIDIER))).with(swell_legacy::kinds())
}

const SHOP: &str = "<s><i k='1'>a</i><i>b</i><i><b/></i></s>";

fn judged(class: &str, body: &str, properties: &[(&str, &str)]) -> String {
    judgement(&bench(), &element(class, properties), body)
}

#[test]
fn saxons_matches_go_into_variables_by_number() {
    for (path, number, wanted, message) in [
        ("//i", "-1", "v=a v_1=a v_2=b v_3= v_matchNr=3", None),
        ("//i", "2", "v=b v_1=b v_matchNr=1", None),
        ("//i", "9", "v=NO v_matchNr=0", None),
        ("//i[@k]", "0", "v=a v_1=a v_matchNr=1", None),
        ("", "1", "v=NO v_matchNr=0", None),
        ("string-join(//i, '-')", "1", "v=a-b- v_1=a-b- v_matchNr=1", None),
        ("//z", "0", "v=NO v_matchNr=0", Some("-1")),
        ("1 idiv 0", "1", "v=NO v_matchNr=0", Some("Integer division by zero")),
        (
            "foo()",
            "1",
            "v=NO v_matchNr=0",
            Some(
                "net.sf.saxon.s9api.SaxonApiException: Cannot find a 0-argument function named Q{http://www.w3.org/2005/xpath-functions}foo()",
            ),
        ),
    ] {
        let bench = bench();
        let mut cx = bench.user();
        let mut sample = SampleResult { body: SHOP.into(), success: true, ..SampleResult::default() };
        let properties = [
            ("XPathExtractor2.refname", "v"),
            ("XPathExtractor2.default", "NO"),
            ("XPathExtractor2.xpathQuery", path),
            ("XPathExtractor2.matchNumber", number),
        ];
        let made = post_processor(&element("XPath2Extractor", &properties), &bench).expect("a known class");
        made.process(&mut cx, &mut sample).finish();
        assert_eq!(shown(&cx), wanted, "{path} {number}");
        let said = sample.assertions.first().and_then(|result| result.message.as_deref());
        let wanted = message.map(|message| format!("{message}\nSee log file for further details."));
        assert_eq!(said, wanted.as_deref(), "{path}");
        assert!(sample.success);
    }
}

#[test]
fn xalan_does_not_get_through_a_page_of_jtidy_with_a_declaration() {
    for page in ["<?xml version='1.0'?><a>b</a>", "<p>a<![if x]>b<![endif]>", "<p>a<% x %>"] {
        let bench = bench();
        let mut cx = bench.user();
        let properties = [("XPathExtractor.xpathQuery", "//p"), ("XPathExtractor.tolerant", "true")];
        let sample = extract_by_xpath(&mut cx, &bench, page, &properties);
        let said = sample.assertions.first().and_then(|result| result.message.as_deref());
        let wanted = "Index -1 out of bounds for length 128\nSee log file for further details.";
        assert_eq!(said, Some(wanted), "{page}");
        assert!(sample.success);
    }
}

#[test]
fn a_tolerant_extractor_reads_pages() {
    const PAGE: &str = "<ul><li>a<li><foo>b</foo></ul><input name=t value=x>";
    for (quiet, path, wanted, message) in [
        ("true", "//li", "v=a v_1=a v_2=b v_matchNr=2", None),
        ("true", "//input[@name='t']/@value", "v=x v_1=x v_matchNr=1", None),
        ("true", "/html/body/ul/li[2]", "v=b v_1=b v_matchNr=1", None),
        ("true", "/html/body", "v= v_1= v_matchNr=1", None),
        ("false", "//li", "v=NO v_matchNr=0", Some("tidy: 1 errors, 7 warnings")),
    ] {
        let bench = bench();
        let mut cx = bench.user();
        let properties = [
            ("XPathExtractor.xpathQuery", path),
            ("XPathExtractor.tolerant", "true"),
            ("XPathExtractor.report_errors", "true"),
            ("XPathExtractor.quiet", quiet),
        ];
        let sample = extract_by_xpath(&mut cx, &bench, PAGE, &properties);
        assert_eq!(shown(&cx), wanted, "{path}");
        let said = sample.assertions.first().and_then(|result| result.message.as_deref());
        assert_eq!(said.is_some(), message.is_some(), "{path}");
        assert!(said.unwrap_or_default().starts_with(message.unwrap_or_default()));
        assert_eq!(sample.success, message.is_none(), "an error of JTidy fails the sample");
    }
}

#[test]
fn paths_of_saxon_judge() {
    for (flags, path, body, wanted) in [
        ("", "//a", "<a>x</a>", "f=false e=false m=No Nodes Matched for //a"),
        ("!", "//a", "<a>x</a>", "f=true e=false m=Nodes Matched for //a"),
        ("", "//b", "<a/>", "f=true e=false m=No Nodes Matched for //b"),
        ("", "false()", "<a/>", "f=true e=false m=No Nodes Matched for false()"),
        ("!", "false()", "<a/>", "f=false e=false m=Nodes Matched for false()"),
        ("", "0", "<a/>", "f=false e=false m=No Nodes Matched for 0"),
        ("", "", "<a/>", "f=false e=false m="),
        (
            "",
            "exists(//a)",
            "<a/>",
            "f=false e=true m=Exception: Could not find function: exists for:exists(//a)",
        ),
        (
            "",
            "//x:a",
            "<a/>",
            "f=false e=true m=Exception occurred computing assertion with XPath://x:a, \
             error:net.sf.saxon.s9api.SaxonApiException: Namespace prefix 'x' has not been declared",
        ),
        (
            "",
            "//a",
            "",
            "f=false e=true m=Exception occurred computing assertion with XPath://a, \
             error:org.xml.sax.SAXParseException; Premature end of file.",
        ),
        ("", "//y:a", "<a xmlns='u'/>", "f=false e=false m=No Nodes Matched for //y:a"),
    ] {
        let properties = [
            ("XPath.xpath", path),
            ("XPath.negate", if flags.is_empty() { "false" } else { "true" }),
            ("XPath.namespaces", "y=u"),
        ];
        assert_eq!(judged("XPath2Assertion", body, &properties), wanted, "{flags} {path} {body}");
    }
}

#[test]
fn small_bodies_stay_on_the_loop_and_large_ones_go_to_a_helper_thread_with_the_same_result() {
    let json = ["[", "{\"a\":1},", "{\"a\":2}]"];
    let xml = ["<r>", "<a>x</a>", "</r>"];
    let readers = vec![
        (element("JMESPathAssertion", &[("JMES_PATH", "[0].a")]), json),
        (
            element(
                "JMESPathExtractor",
                &[("JMESExtractor.jmesPathExpr", "[0].a"), ("JMESExtractor.referenceName", "v")],
            ),
            json,
        ),
        (
            element(
                "XPath2Extractor",
                &[("XPathExtractor2.xpathQuery", "/r/z"), ("XPathExtractor2.refname", "v")],
            ),
            xml,
        ),
        (element("XPath2Assertion", &[("XPath.xpath", "/r")]), xml),
        (element("XMLSchemaAssertion", &[("xmlschema_assertion_filename", "s.xsd")]), xml),
        (element("HTMLAssertion", &[]), xml),
    ];
    assert_large_bodies_leave_the_loop(bench, readers);
}

/// A clock of which each look takes a millisecond.
fn quick_clock() -> i64 {
    static NOW_NS: AtomicI64 = AtomicI64::new(0);
    NOW_NS.fetch_add(1_000_000, Ordering::Relaxed)
}

/// The sample and `v_1` after an element ran with little work allowed, and what stands in the log.
fn attacked(element: &Element, body: &str) -> (SampleResult, Option<String>, String) {
    let bench = bench();
    let limits = Limits { work_us: 20_000, results: 1_000, bytes: 1 << 20 };
    let (mut cx, _) = counting(&bench, limits, quick_clock);
    let sample = run_on_body(&mut cx, &bench, element, body.as_bytes().to_vec());
    let value = cx.vars.get("v_1").map(ToString::to_string);
    (sample, value, bench.host.log_lines().join("\n"))
}

#[test]
fn a_path_to_elements_in_elements_ends_with_an_error() {
    let body = format!("{}x{}", "<a>".repeat(50_000), "</a>".repeat(50_000));
    let properties = [
        ("XPathExtractor2.xpathQuery", "//a"),
        ("XPathExtractor2.refname", "v"),
        ("XPathExtractor2.matchNumber", "-1"),
    ];
    let (sample, value, log) = attacked(&element("XPath2Extractor", &properties), &body);
    assert_eq!((value, sample.assertions.len()), (None, 1));
    assert!(sample.assertions[0].failure && log.contains("given up"), "{log}");
    let (sample, ..) = attacked(&element("XPath2Assertion", &[("XPath.xpath", "//a[. = 'y']")]), &body);
    assert!(sample.assertions[0].error && !sample.success);
}
