//! XPath Extractor: the variables and sample fields that it sets. The paths themselves are tested
//! in the crate that implements them.

use crate::testing::{Bench, extract_by_xpath, shown};

const SHOP: &str = "<s><i k='1'>a</i><i>b</i><i><b/></i></s>";

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
        extract_by_xpath(&mut cx, &bench, SHOP, &properties);
        assert_eq!(shown(&cx), wanted, "{path} {number}");
    }
}

#[test]
fn fewer_matches_leave_no_old_ones() {
    let bench = Bench::new();
    let mut cx = bench.user();
    extract_by_xpath(&mut cx, &bench, SHOP, &[("XPathExtractor.xpathQuery", "//node()")]);
    extract_by_xpath(&mut cx, &bench, SHOP, &[("XPathExtractor.xpathQuery", "//i[@k]")]);
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
        let sample = extract_by_xpath(&mut cx, &bench, body, &[("XPathExtractor.xpathQuery", path)]);
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
        extract_by_xpath(&mut cx, &bench, "", &[scope[0], scope[1], path]);
        assert_eq!(shown(&cx).replace("v_2=b v_matchNr=1", "v_matchNr=1"), wanted, "{text}");
    }
}

#[test]
fn a_path_that_is_wrong_is_found_before_the_run() {
    let bench = Bench::new();
    let mut cx = bench.user();
    extract_by_xpath(&mut cx, &bench, SHOP, &[("XPathExtractor.xpathQuery", "foo()")]);
    assert_eq!(bench.messages(), ["invalid XPath, so it never finds anything: Could not find function: foo"]);
}
