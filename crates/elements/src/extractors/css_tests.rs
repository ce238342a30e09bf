//! CSS Selector Extractor: the variables that it sets. The selectors themselves are tested in the
//! crate that implements them.

use swell_api::SampleResult;
use swell_expr::Context;

use crate::testing::{Bench, element, post_processor, shown};

const PAGE: &str =
    "<ul><li class=a data-n=1>one <b>x</b></li><li>two</li><li class=A></li></ul><p>&nbsp;p</p>";

fn extract(cx: &mut Context, bench: &Bench, properties: &[(&str, &str)]) {
    let full = |name: &str| match name {
        "scope" => "Sample.scope".to_owned(),
        "variable" => "Scope.variable".to_owned(),
        other => format!("HtmlExtractor.{other}"),
    };
    let all: Vec<_> =
        [("refname", "v")].iter().chain(properties).map(|(name, value)| (full(name), *value)).collect();
    let all: Vec<_> = all.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let child = SampleResult { body: b"<li>child</li>".into(), ..SampleResult::default() };
    let mut sample = SampleResult {
        body: PAGE.into(),
        success: true,
        sub_results: vec![child],
        ..SampleResult::default()
    };
    post_processor(&element("HtmlExtractor", &all), bench)
        .expect("a known class")
        .process(cx, &mut sample)
        .finish();
    assert!(sample.success && sample.assertions.is_empty(), "it never judges");
}

#[test]
fn matches_go_into_variables_by_number() {
    for (selector, attribute, number, default, wanted) in [
        ("li", "", "1", "", "v=one x"),
        ("li", "", "2", "NO", "v=two"),
        ("li", "", "9", "NO", "v=NO"),
        ("li", "", "9", "", ""),
        ("li", "", "-1", "", "v_1=one x v_2=two v_3= v_matchNr=3"),
        ("li", "", "-1", "NO", "v=NO v_1=one x v_2=two v_3= v_matchNr=3"),
        ("b", "", "0", "", "v=x"),
        ("b", "", "", "", "v=x"),
        ("z", "", "0", "NO", "v=NO"),
        ("li", "data-n", "-1", "", "v_1=1 v_2= v_3= v_matchNr=3"),
        ("li.a", "class", "-1", "", "v_1=a v_2=A v_matchNr=2"),
        ("p", " ", "1", "", "v=p"),
        ("li[", "", "-1", "NO", "v=NO"),
        ("li:nope", "", "1", "", ""),
    ] {
        let bench = Bench::new();
        let mut cx = bench.user();
        let properties =
            [("expr", selector), ("attribute", attribute), ("match_number", number), ("default", default)];
        extract(&mut cx, &bench, &properties);
        assert_eq!(shown(&cx), wanted, "{selector} {attribute} {number} {default}");
    }
}

#[test]
fn fewer_matches_leave_no_old_ones() {
    let bench = Bench::new();
    let mut cx = bench.user();
    extract(&mut cx, &bench, &[("expr", "li"), ("match_number", "-1")]);
    extract(&mut cx, &bench, &[("expr", "li.a"), ("match_number", "-1")]);
    assert_eq!(shown(&cx), "v_1=one x v_2= v_matchNr=2");
    extract(&mut cx, &bench, &[("expr", "b"), ("match_number", "1")]);
    assert_eq!(shown(&cx), "v=x");
}

#[test]
fn scopes_are_samples_or_a_variable() {
    for (scope, wanted) in [
        ("children", "v_1=child v_matchNr=1"),
        ("all", "v_1=one x v_2=two v_3= v_4=child v_matchNr=4"),
        ("variable", "v_1=held v_matchNr=1"),
    ] {
        let bench = Bench::new();
        let mut cx = bench.user();
        bench.put(&mut cx, "page", "<li>held</li>");
        extract(
            &mut cx,
            &bench,
            &[("expr", "li"), ("match_number", "-1"), ("scope", scope), ("variable", "page")],
        );
        assert_eq!(shown(&cx), wanted, "{scope}");
    }
}

#[test]
fn an_empty_default_counts_if_it_is_wanted() {
    let bench = Bench::new();
    let mut cx = bench.user();
    extract(&mut cx, &bench, &[("expr", "z"), ("default_empty_value", "true")]);
    assert_eq!(shown(&cx), "v=");
}

#[test]
fn what_is_wrong_is_found_before_the_run() {
    let bench = Bench::new();
    let mut cx = bench.user();
    extract(&mut cx, &bench, &[("expr", "li:nope")]);
    assert_eq!(
        bench.messages(),
        ["invalid selector, so nothing is extracted: Could not parse query 'li:nope': unexpected token \
             at ''",]
    );
}
