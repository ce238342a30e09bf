//! JSON Extractor and Boundary Extractor: tables of JMeter's own tests, and more.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use swell_api::SampleResult;
use swell_expr::Context;

use crate::testing::post_processor;
use crate::testing::{Bench, element};

fn sample(body: &str) -> SampleResult {
    SampleResult { body: body.into(), code: "abcd".into(), ..SampleResult::default() }
}

fn run(bench: &Bench, cx: &mut Context, class: &str, sample: &mut SampleResult, properties: &[(&str, &str)]) {
    let full = |name: &str| match name {
        "scope" => "Sample.scope".to_owned(),
        "variable" => "Scope.variable".to_owned(),
        other => format!("{class}.{other}"),
    };
    let all: Vec<_> = properties.iter().map(|(name, value)| (full(name), *value)).collect();
    let all: Vec<_> = all.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    post_processor(&element(class, &all), bench).expect("a known class").process(cx, sample).finish();
}

/// Variables whose name begins with `v`, as `name=value`.
fn shown(cx: &Context) -> String {
    let all = cx.vars.entries().into_iter().filter(|(name, _)| name.starts_with('v'));
    all.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// Variables after a JSON extractor.
fn json(body: &str, path: &str, match_number: &str, more: &[(&str, &str)]) -> String {
    let bench = Bench::new();
    let mut cx = bench.user();
    let properties = [
        ("referenceNames", "v"),
        ("jsonPathExprs", path),
        ("match_numbers", match_number),
        ("defaultValues", "NO"),
    ];
    run(&bench, &mut cx, "JSONPostProcessor", &mut sample(body), &[more, &properties].concat());
    shown(&cx)
}

#[test]
fn json_values_go_into_variables_by_match_number() {
    const BODY: &str =
        r#"{"a":[{"n":1},{"n":null},{"n":"x"}],"o":{"k":"/","z":[1.50,true]},"e":[],"one":"1"}"#;
    for (path, match_number, wanted) in [
        ("$.one", "", "v=1"),
        ("$.one", "0", "v=1"),
        ("$.one", "1", "v=1 v_matchNr=1"),
        ("$.one", "5", "v=1 v_matchNr=1"),
        ("$.one", "-1", "v_1=1 v_matchNr=1"),
        ("$.a[*].n", "1", "v=1 v_matchNr=3"),
        ("$.a[*].n", "2", "v=NO v_matchNr=3"),
        ("$.a[*].n", "4", "v=NO v_matchNr=3"),
        ("$.a[*].n", "-1", "v_1=1 v_2=NO v_3=x v_matchNr=3"),
        ("$.o", "1", r#"v={"z":[1.5,true],"k":"\/"} v_matchNr=1"#),
        ("$.a", "1", r#"v=[{"n":1},{"n":null},{"n":"x"}] v_matchNr=1"#),
        ("$.e", "1", "v=[] v_matchNr=1"),
        ("$.e[*]", "1", "v=NO v_matchNr=0"),
        ("$.nope", "1", "v=NO v_matchNr=0"),
        ("$.nope", "-1", "v=NO v_matchNr=0"),
        ("$.a[1].n", "1", "v=NO v_matchNr=1"),
        (" $.one ", " 1 ", "v=1 v_matchNr=1"),
        ("$.a.length()", "1", "v=NO"),
        ("$.[", "1", "v=NO"),
    ] {
        assert_eq!(json(BODY, path, match_number, &[]), wanted, "{path} {match_number}");
    }
}

#[test]
fn json_values_are_concatenated_on_demand() {
    let more = [("compute_concat", "true")];
    assert_eq!(json("[1,null,\"b\"]", "$[*]", "-1", &more), "v_1=1 v_2=NO v_3=b v_ALL=1,NO,b v_matchNr=3");
    assert_eq!(json("[1]", "$[*]", "-1", &more), "v_1=1 v_ALL=1 v_matchNr=1");
    assert_eq!(json("[]", "$[*]", "-1", &more), "v=NO v_ALL= v_matchNr=0");
    assert_eq!(json("[1,2]", "$[*]", "1", &more), "v=1 v_matchNr=2");
}

#[test]
fn json_bodies_that_are_empty_or_broken_give_the_default() {
    assert_eq!(json("", "$.a", "1", &[]), "v=NO");
    assert_eq!(json(" \n", "$.a", "1", &[]), "v=NO");
    assert_eq!(json("<html></html>", "$.a", "1", &[]), "v=NO v_matchNr=0");
    let bench = Bench::new();
    let mut cx = bench.user();
    let properties = [("referenceNames", "v"), ("jsonPathExprs", "$.a"), ("defaultValues", "")];
    run(&bench, &mut cx, "JSONPostProcessor", &mut sample("{\"a\":"), &properties);
    assert_eq!(shown(&cx), "v=");
    let wanted = "Error processing JSON content in the element, message: \
                  net.minidev.json.parser.ParseException: Unexpected End Of File position 4: EOF";
    assert_eq!(bench.host.log_lines(), [wanted]);
}

#[test]
fn json_lists_are_worked_through_together() {
    let bench = Bench::new();
    let mut cx = bench.user();
    let properties = [
        ("referenceNames", "v1; v2"),
        ("jsonPathExprs", "$.a; $.b"),
        ("match_numbers", "1;-1"),
        ("defaultValues", "D1;D2;;"),
    ];
    run(&bench, &mut cx, "JSONPostProcessor", &mut sample(r#"{"a":1}"#), &properties);
    assert_eq!(shown(&cx), "v1=1 v1_matchNr=1 v2=D2 v2_matchNr=0");
}

#[test]
fn json_lists_of_different_lengths_throw() {
    const MISMATCH: &str = "java.lang.IllegalArgumentException: Mismatch between number of variables, json expressions and default values";
    for (names, paths, defaults, numbers, wanted) in [
        ("v", "$.a;$.b", "x", "", MISMATCH),
        ("v", "$.a", "x;y", "", MISMATCH),
        (
            "v",
            "$.a",
            "x",
            "1;2",
            "java.lang.ArrayIndexOutOfBoundsException: Index 1 out of bounds for length 1",
        ),
        ("v", "$.a", "x", "one", "java.lang.NumberFormatException: For input string: \"one\""),
        (";", "$.a", "x", "", MISMATCH),
    ] {
        let bench = Bench::new();
        let mut cx = bench.user();
        let properties = [
            ("referenceNames", names),
            ("jsonPathExprs", paths),
            ("defaultValues", defaults),
            ("match_numbers", numbers),
        ];
        run(&bench, &mut cx, "JSONPostProcessor", &mut sample(r#"{"a":1}"#), &properties);
        assert_eq!(cx.stop, None, "the user continues");
        assert_eq!(cx.thrown.map(|thrown| thrown.to_string()).as_deref(), Some(wanted));
        assert_eq!(bench.messages().len(), 1);
    }
}

#[test]
fn json_variables_of_an_earlier_run_go() {
    let bench = Bench::new();
    let mut cx = bench.user();
    for (body, wanted) in [("[1,2,3]", "v_1=1 v_2=2 v_3=3 v_matchNr=3"), ("[7]", "v_1=7 v_matchNr=1")] {
        let properties = [
            ("referenceNames", "v"),
            ("jsonPathExprs", "$[*]"),
            ("match_numbers", "-1"),
            ("defaultValues", ""),
        ];
        run(&bench, &mut cx, "JSONPostProcessor", &mut sample(body), &properties);
        assert_eq!(shown(&cx), wanted);
    }
}

#[test]
fn json_is_read_from_a_variable_and_from_sub_samples() {
    let bench = Bench::new();
    let mut cx = bench.user();
    bench.put(&mut cx, "source", r#"{"a":"from a variable"}"#);
    let common =
        [("referenceNames", "v"), ("jsonPathExprs", "$.a"), ("match_numbers", "1"), ("defaultValues", "NO")];
    for (scope, wanted) in [
        (&[("scope", "variable"), ("variable", "source")][..], "v=from a variable v_matchNr=1"),
        (&[("scope", "variable"), ("variable", "missing")], "v=NO"),
        (&[("scope", "children")], "v=child v_matchNr=1"),
        (&[("scope", "all")], "v=main v_matchNr=2"),
    ] {
        let mut main = sample(r#"{"a":"main"}"#);
        main.sub_results.push(sample(r#"{"a":"child"}"#));
        run(&bench, &mut cx, "JSONPostProcessor", &mut main, &[scope, &common].concat());
        assert_eq!(shown(&cx), wanted);
    }
}

fn boundary(body: &str, left: &str, right: &str, match_number: &str, more: &[(&str, &str)]) -> String {
    let bench = Bench::new();
    let mut cx = bench.user();
    bench.put(&mut cx, "content", body);
    let properties =
        [("refname", "v"), ("lboundary", left), ("rboundary", right), ("match_number", match_number)];
    run(&bench, &mut cx, "BoundaryExtractor", &mut sample(body), &[more, &properties].concat());
    shown(&cx)
}

#[test]
fn texts_between_boundaries_go_into_variables() {
    for (body, left, right, match_number, wanted) in [
        ("one", "", "", "1", "v=one"),
        ("one", "", "", "-1", "v_1=one v_matchNr=1"),
        ("one", "o", "", "-1", "v_1=ne v_matchNr=1"),
        ("one", "", "e", "-1", "v_1=on v_matchNr=1"),
        ("one", "x", "", "-1", "v_matchNr=0"),
        ("one", "", "x", "-1", "v_matchNr=0"),
        ("zabzcdz", "z", "z", "-1", "v_1=ab v_2=cd v_matchNr=2"),
        ("zabzcdz", "z", "z", "2", "v=cd"),
        ("zabzcdz", "z", "z", "3", ""),
        ("<a>1</a><a>2</a><a>3", "<a>", "</a>", "-1", "v_1=1 v_2=2 v_matchNr=2"),
        ("a a b", "a", "b", "-1", "v_1= a  v_2=  v_matchNr=2"),
        ("<<1>", "<", ">", "-1", "v_1=<1 v_2=1 v_matchNr=2"),
        ("", "a", "b", "-1", "v_matchNr=0"),
        (" \n ", "", "", "-1", "v_matchNr=0"),
        ("äöü", "ä", "ü", "1", "v=ö"),
        ("x1y", "x", "y", "0", "v=1"),
    ] {
        assert_eq!(
            boundary(body, left, right, match_number, &[]),
            wanted,
            "{body} {left} {right} {match_number}"
        );
        let variable = [("scope", "variable"), ("variable", "content")];
        assert_eq!(boundary(body, left, right, match_number, &variable), wanted, "in a variable: {body}");
    }
}

#[test]
fn boundaries_take_the_default_and_each_part() {
    for (more, wanted) in [
        (&[("default", "D")][..], "v=D"),
        (&[("default", " ")], ""),
        (&[("default_empty_value", "true")], "v="),
        (&[("useHeaders", "code")], ""),
    ] {
        assert_eq!(boundary("nothing", "<", ">", "1", more), wanted, "{more:?}");
    }
    assert_eq!(boundary("nothing", "a", "d", "1", &[("useHeaders", "code")]), "v=bc");
    // In a variable, the only match without one of the boundaries counts whatever its number is.
    let variable = [("scope", "variable"), ("variable", "content")];
    assert_eq!(boundary("one", "", "", "2", &variable), "v=one");
    assert_eq!(boundary("one", "", "", "2", &[]), "");
}

#[test]
fn a_boundary_extractor_without_a_name_throws() {
    let bench = Bench::new();
    let mut cx = bench.user();
    run(&bench, &mut cx, "BoundaryExtractor", &mut sample("x"), &[]);
    assert_eq!(cx.stop, None, "the user continues");
    let thrown = cx.thrown.expect("JMeter throws").to_string();
    let wanted = "One of the mandatory properties is missing in Boundary Extractor:the element";
    assert_eq!(thrown, format!("java.lang.IllegalArgumentException: {wanted}"));
}

/// All matches by trying every place, as slowly and plainly as can be.
fn plain_matches(text: &str, left: &str, right: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(left) {
        let start = from + at + left.len();
        let Some(length) = text[start..].find(right) else { break };
        found.push(text[start..start + length].to_owned());
        from = start;
    }
    found
}

#[test]
fn random_texts_and_boundaries_match_as_the_plain_way_does() {
    const LETTERS: [&str; 4] = ["a", "b", "ä", "<"];
    let mut random = SmallRng::seed_from_u64(7);
    for _ in 0..500 {
        let mut word = |most: usize| -> String {
            (0..random.random_range(1..=most))
                .map(|_| LETTERS[random.random_range(0..LETTERS.len())])
                .collect()
        };
        let text = word(30);
        let left = word(2);
        let right = word(2);
        let all = plain_matches(&text, &left, &right);
        let mut wanted: Vec<_> =
            all.iter().enumerate().map(|(i, found)| format!("v_{}={found}", i + 1)).collect();
        wanted.push(format!("v_matchNr={}", all.len()));
        wanted.sort();
        let found = boundary(&text, &left, &right, "-1", &[]);
        let mut found: Vec<_> = found.split(' ').collect();
        found.sort_unstable();
        assert_eq!(found, wanted, "{text} {left} {right}");
    }
}
