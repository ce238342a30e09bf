//! The dialect against ORO 2.0.8: the results were printed by it, but where a line says otherwise.

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

/// Patterns, texts and what ORO finds: for each match its groups.
const MATCHES: &[(&str, &str, &str)] = &[
    (r"(\w*)", "one two", "[one,one][two,two]"),
    ("x*", "aab", "[][][][]"),
    (r#"{"a":(.*?),"#, r#"{"a":1,"#, r#"[{"a":1,,1]"#),
    ("a{,2}", "a{,2}", "[a{,2}]"),
    ("a{2", "a{2", "[a{2]"),
    ("}", "}", "[}]"),
    ("]", "]", "[]]"),
    ("[]a]", "]", "[]]"),
    ("[^]a]", "b", "[b]"),
    ("(a)|(b)", "b", "[b,-,b]"),
    ("a$", "a\n", "[a]"),
    ("a$", "a\n\n", ""),
    (r"a\Z", "a\n", "[a]"),
    (r"a\z", "a", ""),
    (r"a\z", "az", "[az]"),
    ("^b", "a\nb", ""),
    ("(?m)^b$", "a\nb\nc", "[b]"),
    ("(?s)a.b", "a\nb", "[a\nb]"),
    ("a.b", "a\nb", ""),
    ("a.b", "a\rb", "[a\rb]"),
    ("x(?i)AB", "Xab", "[Xab]"),
    ("(x(?i)AB)c", "xabC", "[xabC,xab]"),
    (r"\d", "\u{663}", "[\u{663}]"),
    (r"\w", "\u{e9}", "[\u{e9}]"),
    (r"\w", "\u{301}", ""),
    (r"\s", "\u{a0}", ""),
    (r"\s", "\u{2003}", "[\u{2003}]"),
    (r"\s", "\u{b}", "[\u{b}]"),
    (r"\s", "\u{1c}", "[\u{1c}]"),
    (r"\h", "h", "[h]"),
    (r"\x41", "A", "[A]"),
    (r"\x{41}", "A", ""),
    (r"\x4", "\u{4}", "[\u{4}]"),
    (r"\u0041", "A", ""),
    (r"\u0041", "u0041", "[u0041]"),
    (r"\cA", "\u{1}", "[\u{1}]"),
    (r"\e\a", "\u{1b}\u{7}", "[\u{1b}\u{7}]"),
    (r"\011", "\t", "[\t]"),
    (r"\0", "\0", "[\0]"),
    (r"\10", "\u{8}", "[\u{8}]"),
    (r"\Qa.b\E", "Qa.bE", "[Qa.bE]"),
    (r"\p{L}", "p{L}", "[p{L}]"),
    ("[[:alpha:]]+", "abc1", "[abc]"),
    (r"[\w-]+", "a-b", "[a-b]"),
    (r"[\w.-]+", "a-b.c", "[a-b.c]"),
    ("[a-]", "-", "[-]"),
    (r"[\b]", "\u{8}", "[\u{8}]"),
    (r"[\]]", "]", "[]]"),
    ("[[]", "[", "[[]"),
    ("[a[b]", "[b", "[[][b]"),
    (r"[^\W]", "a", "[a]"),
    (r"[\D]", "a", "[a]"),
    ("[é-ü]", "ê", "[ê]"),
    ("(?#c)a", "a", "[a]"),
    ("(?x) a b # c", "ab", "[ab]"),
    ("(?=a)a", "a", "[a]"),
    ("(?!a)b", "b", "[b]"),
    ("(?-i)a", "a", "[a]"),
    (r"(a)\1", "aa", "[aa,a]"),
    ("^*", "a", "[][]"),
    (r"\b+a", "a", "[a]"), // ORO finds nothing here, by an error of its own
    ("(?=a)*a", "a", "[a]"),
    ("$?a", "a", "[a]"),
    ("()*a", "a", "[a,]"),
    ("a{0}", "a", "[][]"),
    ("a{2,}", "aaa", "[aaa]"),
    ("a??b", "ab", "[ab]"),
    ("a{1,2}?", "aa", "[a][a]"),
    ("|a", "b", "[][]"),
    ("a|", "b", "[][]"),
    ("", "b", "[][]"),
    (r"\Bb", "ab", "[b]"),
    ("(a|b)*", "ab", "[ab,b]"),
    (r"\G.", "ab", "[a][b]"), // ORO stops after the first
    ("(?i)K", "\u{212a}", "[\u{212a}]"),
    ("(a)?b", "b", "[b,-]"),
    (r"\/\-\_\é\y", "/-_éy", "[/-_éy]"),
    ("(?m)(.*)$", "a\nb", "[a,a][b,b]"),
];

#[test]
fn matches_are_those_of_oro() {
    for (pattern, text, wanted) in MATCHES {
        assert_eq!(matches(pattern, text).as_deref(), Ok(*wanted), "{pattern} on {text:?}");
    }
}

#[test]
fn wrong_expressions_get_oros_messages() {
    for (pattern, wanted) in [
        ("[]", "Unmatched [] in expression."),
        ("[a", "Unmatched [] in expression."),
        ("(?<=x)a", "Sequence (?<...) not recognized"),
        ("(?<n>a)", "Sequence (?<...) not recognized"),
        ("(?>a)", "Sequence (?>...) not recognized"),
        ("(?i:a)", "Sequence (?:...) not recognized"),
        ("(?z)", "Sequence (?z...) not recognized"),
        ("(?", "Sequence (??...) not recognized"),
        ("(?)", "Unmatched parentheses."),
        ("ab(?i)", "Unmatched parentheses."),
        ("a++", "Nested repetitions *?+ in expression"),
        ("a**", "Nested repetitions *?+ in expression"),
        ("a{2}{3}", "Nested repetitions *?+ in expression"),
        ("*a", "?+* follows nothing in expression"),
        ("+", "?+* follows nothing in expression"),
        ("a|*", "?+* follows nothing in expression"),
        ("(a", "Unmatched parentheses."),
        ("a)", "Unmatched parentheses."),
        (r"[a-\d]", "Invalid [] range in expression."),
        ("[z-a]", "Invalid [] range in expression."),
        (r"(a)\2", r"Invalid backreference: \2"),
        (r"\1(a)", r"Invalid backreference: \1"),
        (r"\8", r"Invalid backreference: \8"),
        ("a{3,2}", "Invalid interval {3,2}"),
        (r"a\", r"Trailing \ in expression."),
    ] {
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
