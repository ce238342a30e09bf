//! XPath Extractor: what it leaves in the variables and in the sample. What paths find is tested where they are.

use swell_api::SampleResult;
use swell_expr::Context;

use crate::kinds::by_class::post_processor;
use crate::testing::{Bench, element};

const SHOP: &str = "<s><i k='1'>a</i><i>b</i><i><b/></i></s>";

fn extract(cx: &mut Context, bench: &Bench, body: &str, properties: &[(&str, &str)]) -> SampleResult {
    let mut sample = SampleResult { body: body.into(), success: true, ..SampleResult::default() };
    let defaults = [("XPathExtractor.refname", "v"), ("XPathExtractor.default", "NO")];
    let all = [properties, &defaults].concat();
    post_processor(&element("XPathExtractor", &all), bench)
        .expect("a known class")
        .process(cx, &mut sample)
        .finish();
    sample
}

/// Variables whose name begins with `v`, as `name=value`.
fn shown(cx: &Context) -> String {
    let all = cx.vars.entries().into_iter().filter(|(name, _)| name.starts_with('v'));
    let mut all: Vec<_> = all.map(|(name, value)| format!("{name}={value}")).collect();
    all.sort();
    all.join(" ")
}

#[test]
fn matches_go_into_variables_by_number() {
    for (path, number, wanted) in [
        ("//i", "-1", "v=a v_1=a v_2=b v_matchNr=3"),
        ("//i", "2", "v=b v_1=b v_matchNr=1"),
        ("//i", "9", "v=NO v_matchNr=0"),
        ("//i", "3", "v=NO v_matchNr=1"),
        ("//i[@k]", "0", "v=a v_1=a v_matchNr=1"),
        ("//z", "0", "v=NO v_matchNr=0"),
        ("count(//i)", "7", "v=3 v_1=3 v_matchNr=1"),
        ("//i = 'b'", "1", "v=true v_1=true v_matchNr=1"),
    ] {
        let bench = Bench::new();
        let mut cx = bench.user();
        let properties = [("XPathExtractor.xpathQuery", path), ("XPathExtractor.matchNumber", number)];
        extract(&mut cx, &bench, SHOP, &properties);
        assert_eq!(shown(&cx), wanted, "{path} {number}");
    }
}

#[test]
fn fewer_matches_leave_no_old_ones() {
    let bench = Bench::new();
    let mut cx = bench.user();
    extract(&mut cx, &bench, SHOP, &[("XPathExtractor.xpathQuery", "//node()")]);
    extract(&mut cx, &bench, SHOP, &[("XPathExtractor.xpathQuery", "//i[@k]")]);
    assert_eq!(shown(&cx), "v=a v_1=a v_matchNr=1");
}

#[test]
fn what_cannot_be_read_is_a_result_but_no_failure_of_the_sample() {
    for (body, path, message) in [
        ("<s>", "//i", "XML document structures must start and end within the same entity."),
        ("", "//i", "Premature end of file."),
        (
            SHOP,
            "//i[",
            "A location path was expected, but the end of the XPath expression was found instead.",
        ),
        (SHOP, "//x:i", "Prefix must resolve to a namespace: x"),
    ] {
        let bench = Bench::new();
        let mut cx = bench.user();
        let sample = extract(&mut cx, &bench, body, &[("XPathExtractor.xpathQuery", path)]);
        let result = &sample.assertions[0];
        assert!(sample.success && result.failure && !result.error);
        let wanted = format!("{message}\nSee log file for further details.");
        assert_eq!(result.message.as_deref(), Some(&*wanted), "{path}");
        assert_eq!(shown(&cx), "v=NO v_matchNr=0", "{path}");
    }
}

#[test]
fn a_variable_may_hold_the_document() {
    let bench = Bench::new();
    let mut cx = bench.user();
    bench.put(&mut cx, "doc", SHOP);
    let scope = [("Sample.scope", "variable"), ("Scope.variable", "doc")];
    let path = ("XPathExtractor.xpathQuery", "${path}");
    for (text, wanted) in [("//i", "v=a v_1=a v_2=b v_matchNr=3"), ("//i/@k", "v=1 v_1=1 v_matchNr=1")] {
        bench.put(&mut cx, "path", text);
        extract(&mut cx, &bench, "", &[scope[0], scope[1], path]);
        assert_eq!(shown(&cx).replace("v_2=b v_matchNr=1", "v_matchNr=1"), wanted, "{text}");
    }
}

#[test]
fn a_path_that_is_wrong_is_found_before_the_run() {
    let bench = Bench::new();
    let mut cx = bench.user();
    extract(&mut cx, &bench, SHOP, &[("XPathExtractor.xpathQuery", "foo()")]);
    assert_eq!(
        bench.messages(),
        ["the XPath cannot be read, so it never finds anything: Could not find function: foo"]
    );
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
        let bench = Bench::new();
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
        let bench = Bench::new();
        let mut cx = bench.user();
        let properties = [("XPathExtractor.xpathQuery", "//p"), ("XPathExtractor.tolerant", "true")];
        let sample = extract(&mut cx, &bench, page, &properties);
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
        let bench = Bench::new();
        let mut cx = bench.user();
        let properties = [
            ("XPathExtractor.xpathQuery", path),
            ("XPathExtractor.tolerant", "true"),
            ("XPathExtractor.report_errors", "true"),
            ("XPathExtractor.quiet", quiet),
        ];
        let sample = extract(&mut cx, &bench, PAGE, &properties);
        assert_eq!(shown(&cx), wanted, "{path}");
        let said = sample.assertions.first().and_then(|result| result.message.as_deref());
        assert_eq!(said.is_some(), message.is_some(), "{path}");
        assert!(said.unwrap_or_default().starts_with(message.unwrap_or_default()));
        assert_eq!(sample.success, message.is_none(), "an error of JTidy fails the sample");
    }
}
