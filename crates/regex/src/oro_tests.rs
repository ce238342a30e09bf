//! The dialect compared with ORO 2.0.8, which printed the expected results, except where a line
//! says otherwise.

use proptest::prelude::*;
use swell_budget::Budget;

use super::{Dialect, Found, Reach, Regex};

/// All matches as `[whole,group 1,…]`, a group that took no part as `-`.
fn matches(pattern: &str, text: &str) -> Result<String, String> {
    let regex = Regex::new(pattern, Dialect::Oro, Reach::Anywhere).map_err(|bad| bad.reason)?;
    let mut found = Found::default();
    found.search(&regex, text, -1, &Budget::unlimited()).expect("cheap patterns");
    let show = |groups: super::Groups<'_>| {
        let texts: Vec<_> = groups.iter().map(|group| group.unwrap_or("-")).collect();
        format!("[{}]", texts.join(","))
    };
    Ok(found.iter().map(show).collect())
}

/// Patterns, texts and what ORO finds, of invisible characters.
const UNSEEN: &[(&str, &str, &str)] = &[
    ("a.b", "a\rb", "[a\rb]"),
    (r"\w", "\u{301}", ""),
    (r"\s", "\u{a0}", ""),
    (r"\s", "\u{2003}", "[\u{2003}]"),
    (r"\s", "\u{b}", "[\u{b}]"),
    (r"\s", "\u{1c}", "[\u{1c}]"),
    (r"\x4", "\u{4}", "[\u{4}]"),
    (r"\cA", "\u{1}", "[\u{1}]"),
    (r"\e\a", "\u{1b}\u{7}", "[\u{1b}\u{7}]"),
    (r"\0", "\0", "[\0]"),
    (r"\10", "\u{8}", "[\u{8}]"),
    (r"[\b]", "\u{8}", "[\u{8}]"),
    ("(?i)K", "\u{212a}", "[\u{212a}]"),
];

#[test]
fn matches_are_those_of_oro() {
    for row in include_str!("oro_matches.tsv").lines().filter(|row| !row.starts_with('#')) {
        let columns: Vec<String> =
            row.split('\t').map(|column| column.replace('⏎', "\n").replace('⇥', "\t")).collect();
        let [pattern, text, wanted] = columns.as_slice() else { panic!("no three columns: {row}") };
        assert_eq!(matches(pattern, text).as_ref(), Ok(wanted), "{pattern} on {text:?}");
    }
    for (pattern, text, wanted) in UNSEEN {
        assert_eq!(matches(pattern, text).as_deref(), Ok(*wanted), "{pattern} on {text:?}");
    }
}

#[test]
fn wrong_expressions_get_oros_messages() {
    for row in include_str!("oro_messages.tsv").lines().skip(1) {
        let (pattern, wanted) = row.split_once('\t').expect("a pattern and a message");
        assert_eq!(matches(pattern, "").expect_err(pattern), wanted, "{pattern}");
    }
    let bad = Regex::new("[]", Dialect::Oro, Reach::Anywhere).expect_err("an open bracket");
    let exception = "org.apache.oro.text.MalformedCachePatternException: Invalid expression: []\nUnmatched [] in expression.";
    assert_eq!(bad.to_string(), exception);
}

#[test]
fn a_whole_match_is_the_first_one_from_the_start() {
    for (pattern, text, wanted) in [
        ("foo|foot", "foot", false),
        ("foot|foo", "foot", true),
        ("foot|foo", "foo", true),
        ("a|b", "b", true),
        ("b", "ab", false),
        ("a$", "a\n", false),
        ("(?s)^.*$", "a\nb\n", true),
        (".*A.*\\.", "DAbale arroz a la zorra el abad.", true),
        ("", "", true),
    ] {
        let regex = Regex::new(pattern, Dialect::Oro, Reach::Whole).expect(pattern);
        assert_eq!(regex.is_match(text), Ok(wanted), "{pattern} on {text:?}");
    }
}

#[test]
fn the_java_dialect_knows_what_oro_does_not() {
    let regex = Regex::new("(?<=x)a++", Dialect::Java, Reach::Anywhere).expect("Java syntax");
    assert_eq!(regex.is_match("xaa"), Ok(true));
    assert_eq!(regex.is_match("yaa"), Ok(false));
}

#[test]
fn a_hopeless_match_is_given_up() {
    let regex = Regex::new(r"^(a+)+\1b$", Dialect::Oro, Reach::Anywhere).expect("a good pattern");
    assert_eq!(regex.is_match(&"a".repeat(60)), Err(super::Exhausted));
}

proptest! {
    #[test]
    fn no_text_makes_the_translator_panic(pattern in r"(\PC|[\\\[\](){}*+?|^$.:0-9\-]){0,40}", text in "\\PC{0,20}") {
        if let Ok(regex) = Regex::new(&pattern, Dialect::Oro, Reach::Anywhere) {
            let _ = Found::default().search(&regex, &text, -1, &Budget::unlimited());
        }
    }

    #[test]
    fn plain_text_finds_itself(text in "[a-z <>\"=/&;:,@#!%'~`é]{1,30}") {
        let regex = Regex::new(&text, Dialect::Oro, Reach::Whole).expect("no special characters");
        prop_assert_eq!(regex.is_match(&text), Ok(true));
    }
}
