//! Conditions of the If controller.

use proptest::prelude::*;
use swell_expr::condition::{evaluate, is_true};

use crate::fixed_seed;

#[test]
fn expression_mode() {
    for (text, expected) in [("true", true), ("TRUE", true), (" true", false), ("1", false), ("", false)] {
        assert_eq!(is_true(text), expected, "{text}");
    }
}

#[test]
fn javascript_mode() {
    for (text, expected) in [
        (r#""a"=="a""#, true),
        (r#""a" == 'b'"#, false),
        (r#""200" === "200" && 1 < 5"#, true),
        ("1 == 1.0", true),
        (r#""1" == 1"#, true),
        (r#""1" === 1"#, false),
        (r#""" == 0"#, true),
        ("null == undefined", true),
        ("null == 0", false),
        ("NaN == NaN", false),
        ("NaN != NaN", true),
        (r#""10" < "9""#, true),
        (r#""10" < 9"#, false),
        ("10 < 9", false),
        ("3 >= 3 && 3 <= 3", true),
        ("!(1 > 2)", true),
        ("!true || true", true),
        ("!!1", true),
        ("-1 < 0", true),
        ("1 + 2 * 3 == 7", true),
        ("(1 + 2) * 3 == 9", true),
        ("7 % 4 == 3 && 6 / 4 == 1.5", true),
        (r#""a" + 1 == "a1""#, true),
        ("0x10 == 16", true),
        ("true;", true),
        (r#""true""#, true),
        ("1 < 2 ? true : false", true),
        (r#""${x}".length > 0"#, true),
        (r#""Hello".indexOf("ell") == 1 && "Hello".indexOf("x") == -1"#, true),
        (r#""Hello".toLowerCase().startsWith("he")"#, true),
        (r#""OK".equals("OK") && !"OK".includes("x")"#, true),
        (r#"'it\'s' == "it's""#, true),
        ("1==1\n&&\n2==2", true),
    ] {
        assert_eq!(evaluate(text), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_condition_says_why() {
    for (text, reason) in [
        ("1", "invalid condition `1`: expected true or false"),
        (r#""a" && "b""#, "invalid condition `b`: expected true or false"),
        ("", "invalid condition `undefined`: expected true or false"),
        ("1 ==", "unexpected end"),
        ("(1 == 1", "`)` is expected, not the end"),
        ("1 == 1 2", "`2` is not expected here"),
        ("abc == 1", "No such property: abc"),
        ("Abc == 1", "`Abc` needs a script engine; is it a text without quotes?"),
        (r#""OK".isEmpty()"#, "`.isEmpty` of text needs a script engine"),
        (r#"vars.get("a") == 1"#, "`vars.get` needs a script engine"),
        (r#""a".match("b")"#, "`.match` of text and text needs a script engine"),
        (r#""abc"#, r#""abc has no closing quote"#),
        ("1 = 1", "`=` is not expected here"),
        ("${x} == 1", "`${x}` is not defined"),
        ("12abc == 1", "the number `12abc` needs a script engine"),
    ] {
        assert_eq!(evaluate(text).map_err(|failure| failure.to_string()), Err(reason.to_owned()), "{text}");
    }
    let deep = evaluate(&"(".repeat(200)).map_err(|failure| failure.to_string());
    assert_eq!(deep, Err("parentheses are nested more than 30 deep".to_owned()));
}

proptest! {
    #![proptest_config(fixed_seed())]

    #[test]
    fn any_text_ends_without_a_panic(text in any::<String>()) {
        let _ = evaluate(&text);
    }

    #[test]
    fn any_heap_of_tokens_ends_without_a_panic(tokens in prop::collection::vec(token(), 0..20)) {
        let _ = evaluate(&tokens.concat());
    }

    #[test]
    fn numbers_compare_as_numbers(a in -1e6..1e6, b in -1e6..1e6) {
        prop_assert_eq!(evaluate(&format!("{a} < {b}")), Ok(a < b));
        prop_assert_eq!(evaluate(&format!("!({a} < {b})")), Ok(a >= b));
    }
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "(", ")", "!", "-", "&&", "||", "==", "<", "\"a\"", "'b'", "1", "true", ".", "length", "?", ":", " ",
    ])
}
