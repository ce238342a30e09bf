//! Where work on bodies runs, and that it ends.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use swell_api::SampleResult;
use swell_budget::{Account, Limits, Total};
use swell_expr::{Context, Heavy};
use swell_plan::Element;

use crate::heavy::Cost;
use crate::testing::{Bench, Reader, assert_large_bodies_leave_the_loop, counting, element, run_on_body};

#[test]
fn what_stays_on_the_loop_is_a_table() {
    for (kind, small, tiny) in [
        (Cost::Bytes, 333_333, 20_833),
        (Cost::Regex, 100_000, 6_250),
        (Cost::Outline, 125_000, 7_812),
        (Cost::Json, 20_000, 1_250),
        (Cost::Xml, 20_000, 1_250),
        (Cost::Html, 10_000, 625),
    ] {
        let limits =
            [kind.is_small(small), kind.is_small(small + 1), kind.is_tiny(tiny), kind.is_tiny(tiny + 1)];
        assert_eq!(limits, [true, false, true, false], "{kind:?}");
    }
}

/// Each element that reads bodies, with a body that it can be shown with any number of lines.
fn readers() -> Vec<Reader> {
    let text = |name: &'static str, value: &'static str| (name, value);
    let make = |class: &str, properties: &[(&'static str, &'static str)]| element(class, properties);
    let plain = || ["", "line a\n", ""];
    let json = || ["[", "{\"a\":1},", "{\"a\":2}]"];
    let xml = || ["<r>", "<a>x</a>", "</r>"];
    let mut strings = make("ResponseAssertion", &[text("Assertion.test_field", "Assertion.response_data")]);
    strings.properties.push(crate::testing::collection("Asserion.test_strings", &["no such line"]));
    vec![
        (
            make(
                "RegexExtractor",
                &[text("RegexExtractor.regex", "(z)"), text("RegexExtractor.refname", "v")],
            ),
            plain(),
        ),
        (
            make(
                "BoundaryExtractor",
                &[text("BoundaryExtractor.lboundary", "<"), text("BoundaryExtractor.refname", "v")],
            ),
            plain(),
        ),
        (strings, plain()),
        (make("MD5HexAssertion", &[text("MD5HexAssertion.size", "x")]), plain()),
        (make("CompareAssertion", &[]).with_flag("compareContent", true), plain()),
        (
            make(
                "JSONPostProcessor",
                &[
                    text("JSONPostProcessor.referenceNames", "v"),
                    text("JSONPostProcessor.jsonPathExprs", "$[0].a"),
                    text("JSONPostProcessor.defaultValues", "NO"),
                ],
            ),
            json(),
        ),
        (make("JSONPathAssertion", &[text("JSON_PATH", "$[0].a")]), json()),
        (
            make(
                "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor",
                &[text("JSONPATH", "$[0].a"), text("VAR", "v")],
            ),
            json(),
        ),
        (
            make(
                "XPathExtractor",
                &[text("XPathExtractor.xpathQuery", "/r/z"), text("XPathExtractor.refname", "v")],
            ),
            xml(),
        ),
        (make("XPathAssertion", &[text("XPath.xpath", "/r")]), xml()),
        (make("XMLAssertion", &[]), xml()),
        (
            make("HtmlExtractor", &[text("HtmlExtractor.expr", "z"), text("HtmlExtractor.refname", "v")]),
            xml(),
        ),
    ]
}

#[test]
fn small_bodies_stay_on_the_loop_and_large_ones_go_to_a_helper_thread_with_the_same_result() {
    assert_large_bodies_leave_the_loop(Bench::new, readers());
}

/// A clock of which each look takes a millisecond: one for each thread, as the clock of a thread's
/// processor time is, so that other tests do not advance it.
fn quick_clock() -> i64 {
    thread_local!(static NOW_NS: Cell<i64> = const { Cell::new(0) });
    NOW_NS.replace(NOW_NS.get() + 1_000_000)
}

fn limits() -> Limits {
    Limits { work_us: 20_000, results: 1_000, bytes: 1 << 20 }
}

/// A variable after an element ran, and the text of the log.
fn attacked(element: &Element, body: String, variable: &str) -> (Option<String>, SampleResult, String) {
    attacked_by(quick_clock, element, body, variable)
}

fn attacked_by(
    clock_ns: fn() -> i64,
    element: &Element,
    body: String,
    variable: &str,
) -> (Option<String>, SampleResult, String) {
    let bench = Bench::new();
    let (mut cx, _) = counting(&bench, limits(), clock_ns);
    let sample = run_on_body(&mut cx, &bench, element, body.into_bytes());
    let value = cx.vars.get(variable).map(ToString::to_string);
    (value, sample, bench.host.log_lines().join("\n"))
}

#[test]
fn a_regular_expression_that_matches_everywhere_ends_with_the_default() {
    let properties = [
        ("RegexExtractor.regex", "(a)"),
        ("RegexExtractor.refname", "v"),
        ("RegexExtractor.template", "$1$"),
        ("RegexExtractor.match_number", "-1"),
        ("RegexExtractor.default", "NO"),
    ];
    let element = element("RegexExtractor", &properties);
    let (value, _, log) = attacked_by(|| 0, &element, "a".repeat(200_000), "v");
    assert_eq!(value.as_deref(), Some("NO"));
    assert!(
        log.contains("the element: stopped evaluating a text of 200000 bytes: it finds too many results"),
        "{log}"
    );
    assert!(log.contains("swell.check.max_results"), "{log}");
}

#[test]
fn an_expression_that_looks_to_the_end_for_each_match_ends() {
    let properties = [
        ("RegexExtractor.regex", "a(?:.*b)?"),
        ("RegexExtractor.refname", "v"),
        ("RegexExtractor.match_number", "900"),
        ("RegexExtractor.default", "NO"),
    ];
    let (value, _, log) = attacked(&element("RegexExtractor", &properties), "a".repeat(200_000), "v");
    assert_eq!(value.as_deref(), Some("NO"));
    assert!(
        log.contains("it takes too much work; the limit is the property swell.check.max_work_ms"),
        "{log}"
    );
}

#[test]
fn a_json_path_that_finds_everything_ends_with_the_default() {
    let properties = [
        ("JSONPostProcessor.referenceNames", "v"),
        ("JSONPostProcessor.jsonPathExprs", "$..*"),
        ("JSONPostProcessor.defaultValues", "NO"),
        ("JSONPostProcessor.match_numbers", "-1"),
    ];
    let body = format!("[{}{{}}]", "{\"a\":{\"b\":1}},".repeat(20_000));
    let (value, _, log) = attacked(&element("JSONPostProcessor", &properties), body.clone(), "v");
    assert_eq!(value.as_deref(), Some("NO"));
    assert!(log.contains("Error processing JSON content in the element, message: "), "{log}");
    let inverted = [("JSON_PATH", "$..*"), ("INVERT", "true")];
    let (_, sample, _) = attacked(&element("JSONPathAssertion", &inverted), body, "v");
    assert!(sample.assertions[0].error && !sample.success, "what was given up never passes");
}

#[test]
fn a_path_to_elements_in_elements_ends_with_an_error() {
    let body = format!("{}x{}", "<a>".repeat(50_000), "</a>".repeat(50_000));
    let properties = [
        ("XPathExtractor.xpathQuery", "//a"),
        ("XPathExtractor.refname", "v"),
        ("XPathExtractor.matchNumber", "-1"),
    ];
    let element = element("XPathExtractor", &properties).with_flag("XPathExtractor.fragment", true);
    let (value, sample, log) = attacked(&element, body, "v_1");
    assert_eq!((value, sample.assertions.len()), (None, 1));
    assert!(sample.assertions[0].failure && log.contains("the search was stopped"), "{log}");
}

#[test]
fn a_test_that_stops_ends_what_runs_on_helper_threads() {
    let bench = Bench::new();
    let (mut cx, _) = counting(&bench, Limits::default(), || 0);
    cx.heavy.meter.stop.store(true, Ordering::Relaxed);
    let properties = [
        ("RegexExtractor.regex", "(a)"),
        ("RegexExtractor.refname", "v"),
        ("RegexExtractor.match_number", "-1"),
    ];
    run_on_body(&mut cx, &bench, &element("RegexExtractor", &properties), "a".repeat(200_000).into());
    assert_eq!(cx.vars.get("v_matchNr").map(|count| &**count), Some("0"));
}

#[test]
fn very_many_results_are_freed_on_a_helper_thread_and_those_of_a_tiny_body_where_they_are() {
    let properties = [
        ("JSONPostProcessor.referenceNames", "v"),
        ("JSONPostProcessor.jsonPathExprs", "$[*]"),
        ("JSONPostProcessor.defaultValues", "NO"),
        ("JSONPostProcessor.match_numbers", "-1"),
    ];
    for (results, jobs) in [(620, 0), (70_000, 2)] {
        let bench = Bench::new();
        let (mut cx, count) = counting(&bench, Limits::default(), || 0);
        let body = format!("[{}1]", "1,".repeat(results - 1));
        run_on_body(&mut cx, &bench, &element("JSONPostProcessor", &properties), body.into());
        assert_eq!(cx.vars.get("v_matchNr").map(|count| &**count), Some(&*results.to_string()));
        assert_eq!(count.load(Ordering::Relaxed), jobs, "{results} results");
    }
}

/// What a byte costs in each kind of work, for the table of [`Kind`]: `cargo test --profile
/// profiling -p swell-elements --lib costs -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement; it prints and judges nothing"]
fn costs_of_a_byte() {
    for (element, [head, line, tail]) in readers() {
        let bench = Bench::new();
        let body = format!("{head}{}{tail}", line.repeat(100_000)).into_bytes();
        let bytes = body.len();
        let least = (0..5).map(|_| {
            let (mut cx, _) = counting(&bench, Limits::default(), || 0);
            let body = body.clone();
            let started = std::time::Instant::now();
            run_on_body(&mut cx, &bench, &element, body);
            started.elapsed()
        });
        let least = least.min().expect("five runs");
        println!("{:5.1} ns a byte  {}", least.as_nanos() as f64 / bytes as f64, element.class);
    }
}

/// The context of a user where all users together may take `bytes`.
fn with_memory(bench: &Bench, bytes: u64) -> (Context, Arc<Account>) {
    let account = Arc::new(Account::new(Total::Is(bytes)));
    let mut cx = bench.user();
    cx.heavy = Rc::new(Heavy { account: account.clone(), ..Heavy::default() });
    cx.vars.count_in(account.clone());
    (cx, account)
}

#[test]
fn a_tree_for_which_there_is_no_memory_is_not_made_and_an_inverted_assertion_does_not_hold() {
    let bench = Bench::new();
    let path = [("JSON_PATH", "$.nothing")];
    let mut inverted = element("JSONPathAssertion", &path);
    inverted
        .properties
        .push(crate::testing::property("INVERT", swell_plan::PropertyValue::Bool("true".into())));
    let body = format!("[{}1]", "[],".repeat(50_000)).into_bytes();
    for (bytes, passes) in [(1 << 20, false), (64 << 20, true)] {
        let (mut cx, account) = with_memory(&bench, bytes);
        let sample = run_on_body(&mut cx, &bench, &inverted, body.clone());
        assert_eq!(
            (sample.success, sample.assertions[0].error),
            (passes, !passes),
            "{:?}",
            sample.assertions
        );
        drop(sample);
        assert_eq!(account.taken(), 0, "what the check took is given back");
    }
    let (mut cx, _) = with_memory(&bench, 1 << 20);
    let sample = run_on_body(&mut cx, &bench, &inverted, body);
    let message = sample.failure_message().expect("a message").to_string();
    assert_eq!(message, "not checked: all users together take too much memory (`response.max_bytes_total`)");
    let log = bench.host.log_lines().join("\n");
    assert!(log.contains("the limit is the property response.max_bytes_total"), "{log}");
}

#[test]
fn results_count_as_memory_of_all_users_on_the_way_to_variables_and_in_them() {
    let bench = Bench::new();
    let all = [
        ("RegexExtractor.regex", "(a)"),
        ("RegexExtractor.refname", "v"),
        ("RegexExtractor.match_number", "-1"),
        ("RegexExtractor.template", "$1$"),
    ];
    let extractor = element("RegexExtractor", &all);
    let (mut cx, account) = with_memory(&bench, 256 << 20);
    let sample = run_on_body(&mut cx, &bench, &extractor, vec![b'a'; 200_000]);
    drop(sample);
    assert_eq!(cx.vars.get("v_matchNr").map(ToString::to_string), Some("200000".into()));
    let taken = account.taken();
    assert!(taken > 200_000 * 100, "{taken}");
    // The next user finds no room for as many.
    let (mut other, _) = with_memory(&bench, 256 << 20);
    let small = Arc::new(Account::new(Total::Is(taken)));
    other.heavy = Rc::new(Heavy { account: small.clone(), ..Heavy::default() });
    let mut room = swell_budget::Room::new(small);
    room.set(taken);
    run_on_body(&mut other, &bench, &extractor, vec![b'a'; 200_000]);
    let found: usize = other.vars.get("v_matchNr").map_or(0, |n| n.parse().expect("a number"));
    assert!(found < 200_000, "{found}");
}
