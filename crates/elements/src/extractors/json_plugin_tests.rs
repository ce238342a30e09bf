//! jp@gc - JSON Path Extractor and Assertion.

use swell_api::SampleResult;

use crate::testing::{Bench, element};
use crate::testing::{assertion, post_processor};

const EXTRACTOR: &str = "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor";
const ASSERTION: &str = "com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion";
const BODY: &str = r#"{"a": 1.5, "b": [1, "x", null, {"k": true}], "n": null, "big": 1E10, "none": []}"#;

fn sample() -> SampleResult {
    SampleResult { body: BODY.into(), ..SampleResult::default() }
}

/// Variables whose name begins with `v`.
fn extracted(properties: &[(&str, &str)]) -> String {
    let bench = Bench::new();
    let mut cx = bench.user();
    bench.put(&mut cx, "text", r#"{"a": "from"}"#);
    for old in ["v_1", "v_2", "v_3", "v_4", "v_5"] {
        bench.put(&mut cx, old, "old");
    }
    let all: Vec<_> = [("VAR", "v"), ("DEFAULT", "NO")].iter().chain(properties).copied().collect();
    post_processor(&element(EXTRACTOR, &all), &bench)
        .expect("known")
        .process(&mut cx, &mut sample())
        .finish();
    let all = cx.vars.entries().into_iter().filter(|(name, _)| name.starts_with('v'));
    all.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn arrays_become_numbered_variables() {
    let old = " v_1=old v_2=old v_3=old v_4=old v_5=old";
    let cases = [
        (vec![("JSONPATH", "$.a")], format!("v=1.5{old}")),
        (vec![("JSONPATH", "$.n")], format!("v=null{old}")),
        (vec![("JSONPATH", "$.big")], format!("v=10000000000.0{old}")),
        (
            vec![("JSONPATH", "$.b")],
            r#"v=[1,"x",null,{"k":true}] v_1=1 v_2=x v_3=null v_4={"k":true} v_matchNr=4"#.to_owned(),
        ),
        (vec![("JSONPATH", "$..k")], "v=[true] v_1=true v_matchNr=1".to_owned()),
        (vec![("JSONPATH", "$.none")], "v=NO v_matchNr=0".to_owned()),
        (vec![("JSONPATH", "$.missing")], "v=NO v_matchNr=0".to_owned()),
        (vec![("JSONPATH", "$..missing")], "v=NO v_matchNr=0".to_owned()),
        (vec![("JSONPATH", "$.a"), ("SUBJECT", "VAR"), ("VARIABLE", "text")], format!("v=from{old}")),
        (
            vec![("JSONPATH", "$.a"), ("SUBJECT", "VAR"), ("VARIABLE", "nothing")],
            "v=NO v_matchNr=0".to_owned(),
        ),
    ];
    for (properties, wanted) in cases {
        assert_eq!(extracted(&properties), wanted, "{properties:?}");
    }
}

fn judged(properties: &[(&str, &str)]) -> String {
    let bench = Bench::new();
    let made = assertion(&element(ASSERTION, properties), &bench).expect("known");
    let result = made.check(&mut bench.user(), &mut sample()).finish();
    assert_eq!(result.failure, result.message.as_ref().is_some_and(|message| !message.is_empty()));
    result.message.map(|message| message.to_string()).unwrap_or_default()
}

#[test]
fn the_plug_ins_assertion_compares_texts_and_names_no_path() {
    let value =
        |path, expected| vec![("JSON_PATH", path), ("EXPECTED_VALUE", expected), ("JSONVALIDATION", "true")];
    let with = |mut all: Vec<(&'static str, &'static str)>, more| {
        all.push(more);
        all
    };
    let text = ("ISREGEX", "false");
    let cases = [
        (vec![("JSON_PATH", "$..missing")], ""),
        (value("$.a", "1\\.5"), ""),
        (value("$.a", "2"), "Value expected to match regexp '2', but it did not match: '1.5'"),
        (with(value("$.a", "1.5"), text), ""),
        (with(value("$.b[1]", "x"), text), ""),
        (with(value("$.b[1]", "\"x\""), text), "Value expected to be '\"x\"', but found 'x'"),
        (with(value("$.a", "1"), ("EXPECT_NULL", "true")), "Value expected to be null, but found '1.5'"),
    ];
    for (properties, wanted) in cases {
        assert_eq!(judged(&properties), wanted, "{properties:?}");
    }
}

#[test]
fn yaml_is_refused() {
    let bench = Bench::new();
    for class in [EXTRACTOR, ASSERTION] {
        let element = element(class, &[("INPUT_FORMAT", "YAML")]);
        assert!(post_processor(&element, &bench).is_some() || assertion(&element, &bench).is_some());
    }
    assert_eq!(bench.messages().iter().filter(|message| message.contains("YAML")).count(), 2);
}
