//! Tables of JMeter's `ResponseAssertionTest`, `SizeAssertionTest` and `DurationAssertionTest`, and
//! more.

use swell_api::{AssertionResult, SampleResult};

use crate::testing::assertion;
use crate::testing::{Bench, collection, element};
use swell_api::run_assertion;

/// The sample of `ResponseAssertionTest`.
fn sample() -> SampleResult {
    SampleResult {
        body: b"response Data\nline 2\n\nEOF".into(),
        url: Some("http://localhost/Sampler/Data/".into()),
        code: "401".into(),
        response_headers: "X-Header: abcd".into(),
        request_headers: "X-reqHeader: cdef".into(),
        success: true,
        ..SampleResult::default()
    }
}

fn respond(
    field: &str,
    test_type: u32,
    tests: &[&str],
    more: &[(&str, &str)],
    sample: &mut SampleResult,
) -> AssertionResult {
    let bench = Bench::new();
    respond_on(&bench, field, test_type, tests, more, sample)
}

fn respond_on(
    bench: &Bench,
    field: &str,
    test_type: u32,
    tests: &[&str],
    more: &[(&str, &str)],
    sample: &mut SampleResult,
) -> AssertionResult {
    let field = format!("Assertion.{field}");
    let test_type = test_type.to_string();
    let mut element = element(
        "ResponseAssertion",
        &[("Assertion.test_field", &field), ("Assertion.test_type", &test_type)],
    );
    for (name, value) in more {
        element.properties.push(crate::testing::text(name, value));
    }
    element.properties.push(collection("Asserion.test_strings", tests));
    let mut cx = bench.user();
    bench.put(&mut cx, "filled", "some value");
    assertion(&element, bench).expect("a known class").check(&mut cx, sample).finish()
}

#[test]
fn response_assertion_judges_as_jmeters_own_tests_say() {
    const URL: &str = "sample_label";
    const DATA: &str = "response_data";
    for (field, test_type, tests, passes) in [
        (DATA, 16, &[][..], true),
        (URL, 8, &["Sampler Label", "Sampler labelx"], false),
        (URL, 12, &["Sampler LabeL", "Sampler Labelx"], true),
        ("response_headers", 8, &["X-Header: abcd", "X-Header: abcdx"], false),
        ("response_headers", 8, &["X-Header: abcd"], true),
        ("request_headers", 8, &["X-reqHeader: cdef", "X-reqHeader: cdefx"], false),
        ("request_headers", 8, &["X-reqHeader: cdef"], true),
        (URL, 2, &["Sampler", "Label", " x"], false),
        (URL, 6, &["Sampler", "Label", " x"], false),
        (URL, 6, &["r l"], true),
        (DATA, 2, &["line 2"], true),
        (DATA, 2, &["line 2", "NOTINSAMPLEDATA"], false),
        (DATA, 34, &["line 2", "NOTINSAMPLEDATA"], true),
        (DATA, 34, &["NOTINSAMPLEDATA", "line 2"], true),
        (DATA, 34, &["NOTINSAMPLEDATA", "NOTINSAMPLEDATA2"], false),
        (DATA, 38, &["line 2", "NOTINSAMPLEDATA2"], true),
        (DATA, 6, &["NOTINSAMPLEDATA"], true),
        (DATA, 2, &[r"(?s)line \d+.*EOF"], true),
        ("response_code", 2, &["401"], true),
        (URL, 16, &["Sampler", "Label", "+("], false),
        (URL, 20, &["Sampler", "Label", "+("], false),
        (URL, 20, &["r l"], true),
        (DATA, 16, &["line 2"], true),
        (DATA, 16, &["line 2\n\nEOF"], true),
        ("response_code", 16, &["401"], true),
        (DATA, 1, &["response Data"], false),
        (DATA, 1, &["(?s)response.*EOF"], true),
        (DATA, 48, &["nowhere", "EOF"], true),
    ] {
        let result = respond(field, test_type, tests, &[], &mut sample());
        let shown = format!("{field} {test_type} {tests:?}: {result:?}");
        assert_eq!(
            (result.failure, result.error, result.message.is_none()),
            (!passes, false, passes),
            "{shown}"
        );
    }
}

#[test]
fn response_assertion_finds_dollars_in_the_body() {
    let mut sample = sample();
    sample.body = br#"value="${ID}" Group$ctl00$drpEmails"#.into();
    let pattern = r#"value="\$\{ID\}" Group\$ctl00\$drpEmails"#;
    assert!(!respond("response_data", 2, &[pattern], &[], &mut sample).failure);
}

#[test]
fn response_assertion_says_what_it_expected() {
    for (field, test_type, tests, wanted) in [
        ("response_data", 2, &["x"][..], "Test failed: text expected to contain /x/"),
        ("response_data", 16, &["x"], "Test failed: text expected to contain /x/"),
        ("response_data", 6, &["EOF"], "Test failed: text expected not to contain /EOF/"),
        ("response_data", 20, &["EOF"], "Test failed: text expected not to contain /EOF/"),
        ("response_code", 1, &["2.."], "Test failed: code expected to match /2../"),
        ("response_code", 5, &["4.."], "Test failed: code expected not to match /4../"),
        ("response_headers", 2, &["x"], "Test failed: headers expected to contain /x/"),
        ("request_headers", 2, &["x"], "Test failed: request headers expected to contain /x/"),
        ("sample_label", 2, &["x"], "Test failed: URL expected to contain /x/"),
        (
            "response_data",
            50,
            &["x", "y"],
            "Test failed: text expected something using /x/\tTest failed: text expected something using /y/\t",
        ),
        ("response_data", 34, &[], "\t"),
        ("response_message", 2, &["x"], "Response was null"),
        (
            "response_code",
            8,
            &["402"],
            "Test failed: code expected to equal /\n\n****** received  : 40[[[1]]]\n\n****** comparison: \
             40[[[2]]]\n\n/",
        ),
        (
            "response_code",
            12,
            &["401"],
            "Test failed: code expected not to equal /\n\n****** received  : 401[[[]]]\n\n****** \
             comparison: 401[[[]]]\n\n/",
        ),
    ] {
        let result = respond(field, test_type, tests, &[], &mut sample());
        assert!(result.failure && !result.error);
        assert_eq!(result.message.as_deref(), Some(wanted), "{field} {test_type} {tests:?}");
        assert_eq!(&*result.name, "the element");
    }
}

#[test]
fn a_custom_message_takes_the_place_of_a_failure_but_not_of_an_error() {
    let custom = [("Assertion.custom_message", "Custom failure message")];
    for test_type in [8, 40] {
        let result = respond("sample_label", test_type, &["a", "b"], &custom, &mut sample());
        assert_eq!(result.message.as_deref(), Some("Custom failure message"));
    }
    let bench = Bench::new();
    let result = respond_on(&bench, "response_headers", 1, &["[]"], &custom, &mut sample());
    assert!(result.error && !result.failure);
    let wanted = "Bad test configuration org.apache.oro.text.MalformedCachePatternException: \
                  Invalid expression: []\nUnmatched [] in expression.";
    assert_eq!(result.message.as_deref(), Some(wanted));
    assert_eq!(bench.messages(), ["invalid regular expression `[]`: Unmatched [] in expression."]);
}

#[test]
fn an_empty_part_meets_only_negated_tests() {
    let mut sample = sample();
    sample.body = swell_api::Body::default();
    for (test_type, message) in
        [(2, Some("Response was null")), (16, Some("Response was null")), (6, None), (20, None)]
    {
        let result = respond("response_data", test_type, &["x"], &[], &mut sample);
        assert_eq!(result.message.as_deref(), message, "{test_type}");
    }
}

#[test]
fn response_assertion_looks_into_a_variable() {
    for (variable, tests, wanted) in [
        ("filled", ["some"], None),
        ("filled", ["other"], Some("Test failed: variable(filled) expected to contain /other/")),
        ("missing", ["some"], Some("Response was null")),
    ] {
        let more = [("Assertion.scope", "variable"), ("Scope.variable", variable)];
        let result = respond("response_data", 16, &tests, &more, &mut sample());
        assert_eq!(result.message.as_deref(), wanted, "{variable}");
    }
}

#[test]
fn ignore_status_makes_a_failed_sample_good_before_it_is_judged() {
    let mut sample = sample();
    sample.success = false;
    let result = respond("response_code", 8, &["401"], &[("Assertion.assume_success", "true")], &mut sample);
    assert!(sample.success && !result.failure);
}

#[test]
fn a_body_is_decoded_by_its_charset_before_it_is_searched() {
    let mut sample = sample();
    (sample.body, sample.encoding) = (vec![b'a', 0xE4, b'b'].into(), "ISO-8859-1".into());
    assert!(!respond("response_data", 16, &["aäb"], &[], &mut sample).failure);
    sample.body = "aäb".into();
    assert!(respond("response_data", 16, &["aäb"], &[], &mut sample).failure);
    sample.encoding = "utf-8".into();
    assert!(!respond("response_data", 16, &["aäb"], &[], &mut sample).failure);
}

#[test]
fn long_texts_that_differ_are_cut() {
    let received = "r".repeat(5);
    let comparison = format!("{}x{}", "r".repeat(2), "z".repeat(12));
    let bench = Bench::new();
    bench.props.set("assertion.equals_section_diff_len", "4");
    bench.props.set("assertion.equals_diff_delta_start", "<<");
    let mut sample = SampleResult { body: received.into(), ..SampleResult::default() };
    let result = respond_on(&bench, "response_data", 8, &[&comparison], &[], &mut sample);
    let wanted = "Test failed: text expected to equal /\n\n****** received  : rr<<rrr    ]]]\n\n\
                  ****** comparison: rr<<xzzz...]]]\n\n/";
    assert_eq!(result.message.as_deref(), Some(wanted));
    sample.body = b"123456x7890123".into();
    let result = respond_on(&bench, "response_data", 8, &["123456yy7890123"], &[], &mut sample);
    let wanted = "Test failed: text expected to equal /\n\n****** received  : ...3456<<x ]]]7890...\n\n\
                  ****** comparison: ...3456<<yy]]]7890...\n\n/";
    assert_eq!(result.message.as_deref(), Some(wanted));
}

fn judge(class: &str, properties: &[(&str, &str)], sample: &mut SampleResult) -> AssertionResult {
    let bench = Bench::new();
    let mut cx = bench.user();
    bench.put(&mut cx, "size", "27");
    bench.put(&mut cx, "word", "many");
    assertion(&element(class, properties), &bench).expect("a known class").check(&mut cx, sample).finish()
}

#[test]
fn size_assertion_compares_as_jmeters_own_tests_say() {
    let filled = sample();
    let empty = SampleResult::default();
    let length = filled.body.len().to_string();
    let more = (filled.body.len() + 1).to_string();
    for (operator, size, filled_passes, empty_passes) in [
        ("1", "0", false, true),
        ("1", &*length, true, false),
        ("2", "0", true, false),
        ("2", &*length, false, true),
        ("3", "0", true, false),
        ("3", &*length, false, false),
        ("5", "0", true, true),
        ("5", &*length, true, false),
        ("4", "0", false, false),
        ("4", &*more, true, true),
        ("6", "0", false, true),
        ("6", &*more, true, true),
        ("7", "0", false, false),
    ] {
        for (sample, passes) in [(&filled, filled_passes), (&empty, empty_passes)] {
            let properties = [
                ("Assertion.test_field", "SizeAssertion.response_data"),
                ("SizeAssertion.operator", operator),
                ("SizeAssertion.size", size),
            ];
            let result = judge("SizeAssertion", &properties, &mut sample.clone());
            assert_eq!((result.failure, result.error), (!passes, false), "{operator} {size} {result:?}");
        }
    }
}

#[test]
fn size_assertion_measures_each_part_and_says_what_it_found() {
    let mut sample = sample();
    (sample.header_size, sample.body_size, sample.bytes) = (1200, 34, 9999);
    sample.message = "Größe".into();
    for (field, size, wanted) in [
        (
            "SizeAssertion.response_network_size",
            "1000",
            "It was 1,234 bytes, but should have been equal to 1,000 bytes.",
        ),
        ("SizeAssertion.response_headers", "1", "It was 1,200 bytes, but should have been equal to 1 bytes."),
        ("SizeAssertion.response_data", "1", "It was 34 bytes, but should have been equal to 1 bytes."),
        ("SizeAssertion.response_code", "1", "It was 3 bytes, but should have been equal to 1 bytes."),
        ("SizeAssertion.response_message", "1", "It was 5 bytes, but should have been equal to 1 bytes."),
    ] {
        let properties =
            [("Assertion.test_field", field), ("SizeAssertion.operator", "1"), ("SizeAssertion.size", size)];
        let result = judge("SizeAssertion", &properties, &mut sample);
        assert_eq!(
            result.message.as_deref(),
            Some(&*format!("The result was the wrong size: {wanted}")),
            "{field}"
        );
    }
}

#[test]
fn size_assertion_reads_a_variable_and_stumbles_over_what_is_no_number() {
    for (variable, size, wanted) in [
        ("size", "27", None),
        (
            "size",
            "28",
            Some("The result was the wrong size: It was 27 bytes, but should have been equal to 28 bytes."),
        ),
        ("word", "1", Some("Error parsing variable name: word value: many")),
        ("missing", "1", Some("Error parsing variable name: missing value: null")),
        ("size", "", Some("java.lang.NumberFormatException: For input string: \"\"")),
        ("size", "1k", Some("java.lang.NumberFormatException: For input string: \"1k\"")),
    ] {
        let properties = [
            ("Assertion.scope", "variable"),
            ("Scope.variable", variable),
            ("SizeAssertion.operator", "1"),
            ("SizeAssertion.size", size),
        ];
        let result = judge("SizeAssertion", &properties, &mut sample());
        assert_eq!(result.message.as_deref(), wanted, "{variable} {size}");
        assert_eq!(result.error, wanted.is_some_and(|message| message.starts_with("java")));
    }
}

#[test]
fn duration_assertion_allows_up_to_the_limit() {
    for (limit, elapsed_ms, wanted) in [
        ("1100", 1000, None),
        ("1000", 1000, None),
        ("1100", 0, None),
        ("0", 5000, None),
        ("", 5000, None),
        (
            "1100",
            1200,
            Some(
                "The operation lasted too long: It took 1,200 milliseconds, \
                 but should not have lasted longer than 1,100 milliseconds.",
            ),
        ),
    ] {
        let mut sample = sample();
        (sample.timing.start_ns, sample.timing.end_ns) = (5_000_000, 5_000_000 + elapsed_ms * 1_000_000);
        let result = judge("DurationAssertion", &[("DurationAssertion.duration", limit)], &mut sample);
        assert_eq!(result.message.as_deref(), wanted, "{limit} {elapsed_ms}");
        assert_eq!(result.failure, wanted.is_some());
    }
}

/// A main sample with a good and a bad child; the bad one holds a grandchild.
fn family() -> SampleResult {
    let child = |body: &str, sub_results| SampleResult {
        body: body.into(),
        success: true,
        sub_results,
        ..SampleResult::default()
    };
    child("good", vec![child("good", vec![]), child("good", vec![child("bad", vec![])])])
}

fn results(sample: &SampleResult) -> String {
    let own: Vec<_> = sample.assertions.iter().map(|a| a.message.as_deref().unwrap_or("ok")).collect();
    let below: Vec<_> = sample.sub_results.iter().map(results).collect();
    format!("{}:{}({})", if sample.success { "+" } else { "-" }, own.join(","), below.join(" "))
}

#[test]
fn assertions_walk_their_scope_and_failures_climb() {
    const SUB: &str = "One or more sub-samples failed";
    const BAD: &str = "Test failed: text expected to contain /good/";
    for (scope, wanted) in [
        ("parent", "+:ok(+:() +:(+:()))".to_owned()),
        ("children", format!("-:{SUB}(+:ok() -:ok,{SUB}(-:{BAD}()))")),
        ("all", format!("-:ok,{SUB}(+:ok() -:ok,{SUB}(-:{BAD}()))")),
        ("nonsense", "+:(+:() +:(+:()))".to_owned()),
    ] {
        let bench = Bench::new();
        let mut element = element(
            "ResponseAssertion",
            &[
                ("Assertion.test_field", "Assertion.response_data"),
                ("Assertion.test_type", "16"),
                ("Assertion.scope", scope),
            ],
        );
        element.properties.push(collection("Asserion.test_strings", &["good"]));
        let mut sample = family();
        run_assertion(&*assertion(&element, &bench).expect("known"), &mut bench.user(), &mut sample).finish();
        assert_eq!(results(&sample), wanted, "{scope}");
    }
}
