//! Tables of JMeter's `TestRegexExtractor`, and more.

use swell_api::SampleResult;
use swell_expr::Context;

use crate::testing::post_processor;
use crate::testing::{Bench, element};

const BODY: &str = "<company-xmlext-query-ret><row><value field=\"RetCode\">LIS_OK</value>\n\
<value field=\"RetCodeExtension\"></value><value field=\"alias\"></value>\n\
<value field=\"positioncount\"></value><value field=\"invalidpincount\">0</value>\n\
<value field=\"pinposition1\">1</value><value field=\"pinpositionvalue1\"></value>\n\
<value field=\"pinposition2\">5</value><value field=\"pinpositionvalue2\"></value>\n\
<value field=\"pinposition3\">6</value><value field=\"pinpositionvalue3\"></value>\n\
</row></company-xmlext-query-ret>";

const PIN: &str = r#"<value field="(pinposition\d+)">(\d+)</value>"#;

fn sample() -> SampleResult {
    SampleResult {
        body: BODY.into(),
        response_headers: "Header1: Value1\nHeader2: Value2".into(),
        code: "abcd".into(),
        message: "The quick brown fox".into(),
        url: Some("http://jakarta.apache.org/index.html?abcd".into()),
        ..SampleResult::default()
    }
}

/// Runs an extractor; properties are named without their prefix.
fn extract(cx: &mut Context, bench: &Bench, sample: &mut SampleResult, properties: &[(&str, &str)]) {
    let full = |name: &str| match name {
        "scope" => "Sample.scope".to_owned(),
        "variable" => "Scope.variable".to_owned(),
        other => format!("RegexExtractor.{other}"),
    };
    let mut all = vec![("RegexExtractor.refname".to_owned(), "regVal")];
    all.extend(properties.iter().map(|(name, value)| (full(name), *value)));
    let all: Vec<_> = all.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    post_processor(&element("RegexExtractor", &all), bench)
        .expect("a known class")
        .process(cx, sample)
        .finish();
}

fn value<'a>(cx: &'a Context, name: &str) -> &'a str {
    cx.vars.get(name).map_or("-", |value| value)
}

#[test]
fn one_match_is_taken_from_each_part() {
    for (properties, wanted) in [
        (&[("regex", r#"<(value) field=""#), ("template", "$1$"), ("match_number", "0")][..], "value"),
        (&[("regex", PIN), ("template", "$2$"), ("match_number", "2")], "5"),
        (&[("regex", PIN), ("template", "$1$"), ("match_number", "3")], "pinposition3"),
        (&[("regex", PIN), ("template", "_$1$"), ("match_number", "2")], "_pinposition2"),
        (&[("regex", PIN), ("template", "$2$"), ("match_number", "4"), ("default", "default")], "default"),
        (&[("regex", PIN), ("template", "$2$"), ("match_number", "4")], "initial"),
        (&[("regex", PIN), ("template", "$2$"), ("match_number", "4"), ("default_empty_value", "true")], ""),
        (&[("regex", "nowhere"), ("match_number", "0")], "initial"),
        (
            &[
                ("regex", r"Header1: (\S+)"),
                ("template", "$1$"),
                ("match_number", "1"),
                ("useHeaders", "true"),
            ],
            "Value1",
        ),
        (&[("regex", r"Header1: (\S+)"), ("template", "$1$"), ("match_number", "1")], "initial"),
        (
            &[
                ("regex", r"http://jakarta\.apache\.org/(\w+)"),
                ("template", "$1$"),
                ("match_number", "1"),
                ("useHeaders", "URL"),
            ],
            "index",
        ),
        (&[("regex", r"(\w+)"), ("template", "$1$"), ("match_number", "1"), ("useHeaders", "code")], "abcd"),
        (
            &[("regex", r"(\w+)"), ("template", "$1$"), ("match_number", "3"), ("useHeaders", "message")],
            "brown",
        ),
        (&[("regex", "(z)|<value"), ("template", "$1$"), ("match_number", "1")], "null"),
        (&[("regex", PIN), ("template", "$2$"), ("match_number", "not a number")], "any"),
        (&[("regex", "["), ("match_number", "1"), ("default", "bad")], "bad"),
    ] {
        let bench = Bench::new();
        let mut cx = bench.user();
        bench.put(&mut cx, "regVal", "initial");
        extract(&mut cx, &bench, &mut sample(), properties);
        let found = value(&cx, "regVal");
        let fits = if wanted == "any" { ["1", "5", "6"].contains(&found) } else { found == wanted };
        assert!(fits, "{properties:?} gave {found}");
    }
}

#[test]
fn groups_become_variables() {
    let bench = Bench::new();
    let mut cx = bench.user();
    extract(&mut cx, &bench, &mut sample(), &[("regex", PIN), ("template", "$2$"), ("match_number", "2")]);
    for (name, wanted) in [
        ("regVal", "5"),
        ("regVal_g", "2"),
        ("regVal_g0", r#"<value field="pinposition2">5</value>"#),
        ("regVal_g1", "pinposition2"),
        ("regVal_g2", "5"),
        ("regVal_g3", "-"),
        ("regVal_matchNr", "-"),
    ] {
        assert_eq!(value(&cx, name), wanted, "{name}");
    }
}

#[test]
fn all_matches_become_numbered_variables_and_old_ones_go() {
    let bench = Bench::new();
    let mut cx = bench.user();
    let template = ("template", "$1$");
    let all = ("match_number", "-1");
    let mut sample = sample();
    extract(&mut cx, &bench, &mut sample, &[("regex", PIN), template, ("match_number", "1")]);
    extract(&mut cx, &bench, &mut sample, &[("regex", PIN), template, all]);
    for (name, wanted) in [
        ("regVal", "pinposition1"),
        ("regVal_g", "-"),
        ("regVal_g1", "-"),
        ("regVal_matchNr", "3"),
        ("regVal_1", "pinposition1"),
        ("regVal_3", "pinposition3"),
        ("regVal_1_g", "2"),
        ("regVal_1_g1", "pinposition1"),
        ("regVal_3_g2", "6"),
        ("regVal_4", "-"),
    ] {
        assert_eq!(value(&cx, name), wanted, "{name}");
    }
    extract(&mut cx, &bench, &mut sample, &[("regex", r"(\w+)count"), template, all]);
    for (name, wanted) in [
        ("regVal_matchNr", "2"),
        ("regVal_1", "position"),
        ("regVal_1_g", "1"),
        ("regVal_1_g2", "-"),
        ("regVal_2", "invalidpin"),
        ("regVal_3", "-"),
        ("regVal_3_g", "-"),
        ("regVal_3_g0", "-"),
    ] {
        assert_eq!(value(&cx, name), wanted, "{name}");
    }
    extract(&mut cx, &bench, &mut sample, &[("regex", "xxxx(.)(.)"), template, all]);
    for (name, wanted) in
        [("regVal_matchNr", "0"), ("regVal_1", "-"), ("regVal_1_g0", "-"), ("regVal_2_g1", "-")]
    {
        assert_eq!(value(&cx, name), wanted, "{name}");
    }
}

#[test]
fn a_failed_match_removes_the_groups_of_an_earlier_one() {
    let bench = Bench::new();
    let mut cx = bench.user();
    for (number, wanted) in [("1", ["1", "1", "2", "pinposition1"]), ("10", ["default", "-", "-", "-"])] {
        let properties =
            [("regex", PIN), ("template", "$2$"), ("match_number", number), ("default", "default")];
        extract(&mut cx, &bench, &mut sample(), &properties);
        let found = ["regVal", "regVal_g2", "regVal_g", "regVal_g1"].map(|name| value(&cx, name));
        assert_eq!(found, wanted);
    }
}

#[test]
fn a_variable_is_searched() {
    let bench = Bench::new();
    let mut cx = bench.user();
    bench.put(&mut cx, "content", "one, two");
    let all = [("regex", r"(\w+)"), ("template", "$1$"), ("match_number", "-1"), ("scope", "variable")];
    extract(&mut cx, &bench, &mut sample(), &[&all[..], &[("variable", "content")]].concat());
    let found = ["regVal", "regVal_1", "regVal_2", "regVal_matchNr"].map(|name| value(&cx, name));
    assert_eq!(found, ["-", "one", "two", "2"]);
    extract(&mut cx, &bench, &mut sample(), &[&all[..], &[("variable", "missing")]].concat());
    assert_eq!(value(&cx, "regVal_matchNr"), "0");
    let wanted =
        "No variable 'missing' found to process by RegexExtractor 'the element', skipping processing";
    assert_eq!(bench.host.log_lines(), [wanted]);
}

#[test]
fn sub_samples_are_searched_by_scope() {
    let titled = |title: &str| SampleResult {
        body: format!("<title>{title}</title>").into(),
        ..SampleResult::default()
    };
    let mut sample = titled("PARENT");
    sample.sub_results = vec![titled("ONE"), titled("TWO"), titled("THREE")];
    let title = "<title>([^<]+)<";
    for (scope, regex, number, name, wanted) in [
        ("parent", title, "1", "regVal", "PARENT"),
        ("all", title, "3", "regVal", "TWO"),
        ("children", title, "3", "regVal", "THREE"),
        ("all", ">(...)<", "2", "regVal", "TWO"),
        ("parent", title, "-1", "regVal_matchNr", "1"),
        ("all", title, "-1", "regVal_matchNr", "4"),
        ("children", title, "-1", "regVal_matchNr", "3"),
        ("parent", title, "0", "regVal", "PARENT"),
        ("children", "(<title>)", "0", "regVal", "<title>"),
        ("parent", title, "2", "regVal", "NOTFOUND"),
    ] {
        let bench = Bench::new();
        let mut cx = bench.user();
        let properties = [
            ("scope", scope),
            ("regex", regex),
            ("template", "$1$"),
            ("match_number", number),
            ("default", "NOTFOUND"),
        ];
        extract(&mut cx, &bench, &mut sample, &properties);
        assert_eq!(value(&cx, name), wanted, "{scope} {regex} {number}");
    }
}

#[test]
fn an_unescaped_body_has_no_entities() {
    let bench = Bench::new();
    let mut cx = bench.user();
    let mut sample = SampleResult { body: b"a &lt;b&gt; c".into(), ..SampleResult::default() };
    let properties =
        [("regex", "<(.)>"), ("template", "$1$"), ("match_number", "1"), ("useHeaders", "unescaped")];
    extract(&mut cx, &bench, &mut sample, &properties);
    assert_eq!(value(&cx, "regVal"), "b");
}

#[test]
fn wrong_expressions_are_said_when_the_plan_is_read_and_logged_when_it_runs() {
    let bench = Bench::new();
    let mut cx = bench.user();
    extract(&mut cx, &bench, &mut sample(), &[("regex", "(?<=a)b"), ("match_number", "x")]);
    assert_eq!(
        bench.messages(),
        [
            "invalid regular expression `(?<=a)b`: Sequence (?<...) not recognized",
            "`x` is not a whole number; 0 is used, as in JMeter"
        ]
    );
    assert_eq!(bench.host.log_lines(), ["Error in pattern: '(?<=a)b'"]);
}
