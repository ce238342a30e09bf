//! The tables of JMeter's `TestJSONPathAssertion` and of MD5Hex Assertion.

use swell_api::{AssertionResult, SampleResult};

use crate::testing::assertion;
use crate::testing::{Bench, check, element};

fn judge(class: &str, body: &str, properties: &[(&str, &str)]) -> AssertionResult {
    let bench = Bench::new();
    let mut sample = SampleResult { body: body.into(), ..SampleResult::default() };
    assertion(&element(class, properties), &bench)
        .expect("a known class")
        .check(&mut bench.user(), &mut sample)
        .finish()
}

/// The message of a JSON assertion; empty if it passed. Flags are letters: v validate, j no regular
/// expression, n expect null, i invert.
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
    check(include_str!("json_verdicts.tsv"), |[body, path, expected, flags]| {
        if json(body, path, expected, flags).is_empty() { "true" } else { "false" }.to_owned()
    });
}

#[test]
fn json_assertion_says_what_it_found() {
    check(include_str!("json_messages.tsv"), |[body, path, expected, flags]| {
        json(body, path, expected, flags)
    });
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
