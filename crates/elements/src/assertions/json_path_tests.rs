//! Tables of JMeter's `TestJSONPathAssertion`, and of MD5Hex Assertion.

use swell_api::{AssertionResult, SampleResult};

use crate::testing::assertion;
use crate::testing::{Bench, element};

fn judge(class: &str, body: &str, properties: &[(&str, &str)]) -> AssertionResult {
    let bench = Bench::new();
    let mut sample = SampleResult { body: body.into(), ..SampleResult::default() };
    assertion(&element(class, properties), &bench)
        .expect("a known class")
        .check(&mut bench.user(), &mut sample)
        .finish()
}

/// The message of a JSON assertion; empty if it passed. Flags are letters: v validate, j no regular expression, n expect
/// null, i invert.
fn json(body: &str, path: &str, expected: &str, flags: &str) -> String {
    let flag = |letter: char| if flags.contains(letter) { "true" } else { "false" };
    let regex = if flags.contains('j') { "false" } else { "true" };
    let properties = [
        ("JSON_PATH", path),
        ("EXPECTED_VALUE", expected),
        ("JSONVALIDATION", flag('v')),
        ("EXPECT_NULL", flag('n')),
        ("INVERT", flag('i')),
        ("ISREGEX", regex),
    ];
    let result = judge("JSONPathAssertion", body, &properties);
    let message = result.message.expect("JMeter always sets a message");
    assert_eq!((result.failure, result.error), (!message.is_empty(), false));
    message.to_string()
}

#[test]
fn json_assertion_judges_as_jmeters_own_tests_say() {
    const NUMBER: &str = r"^\d+\.\d+$";
    const COMMA: &str = r"^\d+,\d+$";
    const LIST: &str = r#"{"myval": [{"test":1},{"test":2},{"test":3}]}"#;
    for (body, path, expected, flags, passes) in [
        (r#"{"myval": 123}"#, "$.myval", "123", "v", true),
        (LIST, "$.myval[*].test", "2", "v", true),
        (LIST, "$.myval[*].test", "5", "v", false),
        (r#"{"myval": []}"#, "$.myval", "[]", "v", true),
        (r#"{"myval": {"key": "val"}}"#, "$.myval", r#"\{"key":"val"\}"#, "v", true),
        (r#"{"myval": 123.45}"#, "$.myval", NUMBER, "v", true),
        (r#"{"myval": 123.45}"#, "$.myval", NUMBER, "vi", false),
        (r#"{"myval": 123.45}"#, "$.myval", COMMA, "v", false),
        (r#"{"myval": 123.45}"#, "$.myval", COMMA, "vi", true),
        (r#"{"myval": 456}"#, "$.myval", "(123|456)", "v", true),
        (r#"{"myval": 456}"#, "$.myval", "(123|456)", "vi", false),
        (r#"{"myval": some string}"#, "$.myval", "some.+", "v", true),
        (r#"{"myval": "some complicated value"}"#, "$.myval", "some.+", "vj", false),
        (
            r#"{"myval": {"a": 23, "b": 42, "c": "x"}}"#,
            "$.myval",
            "{\n\"c\":\"x\",\t\"a\": 23, \"b\": 42}",
            "vj",
            true,
        ),
        (r#"{"myval": 123}"#, "$.myval", "1234", "v", false),
        (r#"{"myval": 123}"#, "$.myval", "1234", "vi", true),
        (r#"{"myval": null}"#, "$.myval", "", "vn", true),
        (r#"{"myval": 123}"#, "$.myval", "", "vn", false),
        (r#"{"myval": null}"#, "$.myval", "", "", true),
        (r#"{"myval": null}"#, "$.notexist", "", "", false),
        (r#"{"myval": []}"#, "$.myval[*]", "", "", false),
        (r#"{"myval": []}"#, "$.myval", "", "", true),
        (r#"{"myval": [{"key": null}]}"#, "$.myval[*].key", "", "vni", false),
        (r#"{"a":["2003","2004"]}"#, "$.a", r#"["2003","2004"]"#, "vj", true),
        (r#"{"myval": [{"test":0.0000123456789}]}"#, "$.myval[*].test", "0.0000123456789", "vj", true),
        (r#"{"n":1}"#, "$.n", "1.0", "vj", false),
        (r#"{"n":0.5}"#, "$.n", r"0\.5", "v", true),
        (r#"{"n":1e10}"#, "$.n", r"10000000000\.0", "v", true),
        ("[1,2]", "$.length()", "2", "v", true),
        ("[1,2]", "$[", "2", "v", false),
    ] {
        let message = json(body, path, expected, flags);
        assert_eq!(message.is_empty(), passes, "{body} {path} {expected} {flags}: {message}");
    }
}

#[test]
fn json_assertion_says_what_it_found() {
    let nested = r#"{"e":[{"h":{"headerkey":"header value"}}],"f":1e10,"n":null}"#;
    for (body, path, expected, flags, wanted) in [
        (
            nested,
            "$.e[0].h",
            r"\{headerkey=header value\}",
            "v",
            "Value in json path '$.e[0].h' expected to match regexp '\\{headerkey=header value\\}', \
             but it did not match: '{\"headerkey\":\"header value\"}'",
        ),
        (nested, "$.f", "2", "vj", "Value in json path '$.f' expected to be '2', but found '10000000000.0'"),
        (nested, "$.f", "", "vn", "Value in json path '$.f' expected to be null, but found '1.0E10'"),
        (
            nested,
            "$.n",
            "x",
            "v",
            "Value in json path '$.n' expected to match regexp 'x', but it did not match: 'null'",
        ),
        (nested, "$.x", "", "", "No results for path: $['x']"),
        (nested, "$.x.y", "", "", "Missing property in path $['x']"),
        (
            "<html>",
            "$.x",
            "",
            "",
            "Expected to find an object with property ['x'] in path $ but found 'java.lang.String'. This is not a json \
             object according to the JsonProvider: 'com.jayway.jsonpath.spi.json.JsonSmartJsonProvider'.",
        ),
        (
            "{\"a\":1",
            "$.a",
            "",
            "",
            "net.minidev.json.parser.ParseException: Unexpected End Of File position 5: null",
        ),
        (
            nested,
            "$.e[5:]",
            "7",
            "",
            "JSONPath '$.e[5:]' is indefinite and the extracted Value is an empty Array. Please use an assertion value, \
             to be sure to get a correct result. Expected value was '7'",
        ),
        (nested, "$.f", "", "i", "Failed that JSONPath not exists: $.f"),
        (nested, "$.n", "", "vni", "Failed that JSONPath $.n not matches null"),
        (nested, "$.f", r".*\.0", "vi", r"Failed that JSONPath $.f not matches .*\.0"),
        (nested, "$.f", "[", "v", "Invalid expression: [\nUnmatched [] in expression."),
        ("", "$.f", "", "", "Response was null"),
        ("null", "$.f", "", "", "json can not be null"),
    ] {
        assert_eq!(json(body, path, expected, flags), wanted, "{path} {flags}");
    }
}

#[test]
fn md5_assertion_compares_digests() {
    for (body, digest, wanted) in [
        ("hello", "5d41402abc4b2a76b9719d911017c592", None),
        ("hello", "5D41402ABC4B2A76B9719D911017C592", None),
        (
            "hello",
            "0",
            Some("Error asserting MD5 sum : got 5d41402abc4b2a76b9719d911017c592 but should have been 0"),
        ),
        ("hello", "", Some("MD5Hex to test against is empty")),
        ("", "0", Some("Response was null")),
    ] {
        let result = judge("MD5HexAssertion", body, &[("MD5HexAssertion.size", digest)]);
        assert_eq!(result.message.as_deref(), wanted);
        assert_eq!(result.failure, wanted.is_some());
    }
}
