//! The parser compared with json-smart 2.5.0.

use super::{Json, parse};

fn written(text: &str) -> String {
    match parse(text) {
        Ok(value) => {
            let mut out = String::new();
            value.write_json(&mut out);
            out
        }
        Err(message) => message.replace("net.minidev.json.parser.ParseException: ", "!"),
    }
}

/// Texts and what json-smart 2.5.0 prints for them; after `!` its exception.
const READ: &[(&str, &str)] = &[
    ("{\"a\":1", "!Unexpected End Of File position 5: null"),
    ("{\"a\":1}x", "{\"a\":1}"),
    ("[1,2", "!Unexpected End Of File position 3: EOF"),
    ("\"abc", "!Unexpected End Of File position 4: null"),
    ("abc", "\"abc\""),
    ("<html>", "\"<html>\""),
    ("  ", "\"\""),
    ("null", "null"),
    ("nul", "\"nul\""),
    ("true", "true"),
    ("truex", "\"truex\""),
    ("-", "0"),
    ("-a", "\"-a\""),
    ("007", "7"),
    ("1.", "1.0"),
    ("1.5e3", "1500.0"),
    ("1e5", "100000.0"),
    ("-.5", "-0.5"),
    (".5", "\".5\""),
    ("1e", "\"1e\""),
    ("1e+", "!Unexpected token 1e+ at position 3."),
    ("1e400", "null"),
    ("0.30000000000000004", "0.30000000000000004"),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
    ("-00123456789012345678901234567890", "-123456789012345678901234567890"),
    ("2147483648", "2147483648"),
    ("9223372036854775807", "9223372036854775807"),
    ("9223372036854775808", "9223372036854775808"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("1.10", "1.1"),
    ("1.0E-5", "1.0E-5"),
    ("123456789.123", "1.23456789123E8"),
    ("{a:1,}", "{\"a\":1}"),
    ("{a:b c , d:e}", "{\"a\":\"b c\",\"d\":\"e\"}"),
    ("{'a':'b'}", "{\"a\":\"b\"}"),
    ("[1,,2,]", "[1,2]"),
    ("[,]", "[]"),
    ("{\"a\":\"x\\u00e9\\/\\q\\x41\"}", "{\"a\":\"xé\\/A\"}"),
    ("{\"a\":\"\ttab\"}", "{\"a\":\"\\ttab\"}"),
    ("{\"a\":\"\ttab\\n\"}", "{\"a\":\"tab\\n\"}"),
    ("{\"a\":1 2}", "{\"a\":\"1 2\"}"),
    ("{\"a\":{\"b\":[1,{\"c\":null}]}}", "{\"a\":{\"b\":[1,{\"c\":null}]}}"),
    ("[1 2]", "[\"1 2\"]"),
    ("{\"a\"}", "!Unexpected character (}) at position 3."),
    ("{\"a\":}", "!Unexpected character (}) at position 5."),
    ("{:1}", "!Unexpected character (:) at position 1."),
    ("}", "!Unexpected character (}) at position 0."),
    ("{\"a\":1,\"a\":2,\"b\":3,\"a\":4}", "{\"a\":4,\"b\":3}"),
    ("NaN", "NaN"),
    ("[NaN]", "[NaN]"),
    (
        "{\"a\":\"/ \\u2028 \\u0080 \\u00ff \\u0001 <>&' \\\"\"}",
        "{\"a\":\"\\/ \\u2028 \\u0080 ÿ \\u0001 <>&' \\\"\"}",
    ),
    ("[1.0,1,\"x\",null,true,{\"z\":1,\"y\":2}]", "[1.0,1,\"x\",null,true,{\"z\":1,\"y\":2}]"),
    ("\u{feff}{\"a\":1}", "\"\u{feff}{\\\"a\\\":1}\""),
    ("{\"a\":01}", "{\"a\":1}"),
    (
        "[0.1,1e10,1.5E-7,12345678.9,1e21,100,0.001,0.0001,9999999.0,10000000.0]",
        "[0.1,1.0E10,1.5E-7,1.23456789E7,1.0E21,100,0.001,1.0E-4,9999999.0,1.0E7]",
    ),
    ("{\"a\":tru}", "{\"a\":\"tru\"}"),
    ("{\"a\":[}", "!Unexpected character (}) at position 6."),
    ("{\"a\":\"b}", "!Unexpected End Of File position 8: null"),
    ("[1,2}", "!Unexpected End Of File position 4: EOF"),
    ("{\"\":1}", "{\"\":1}"),
    ("{ }", "{}"),
    ("1,2", "\"1,2\""),
    ("[-0]", "[0]"),
    ("[-0.0]", "[-0.0]"),
    ("{\"a\":\"\\ud83d\\ude00\"}", "{\"a\":\"😀\"}"),
    ("[12345678901234567.5]", "[12345678901234567.5]"),
    ("[1234567890123456789e3]", "[1.234567890123456789E+21]"),
    ("[1.50000000000000000000]", "[1.50000000000000000000]"),
    ("{\"a\":\"b\" x}", "!Unexpected token x at position 8."),
    ("{\"a\" x:1}", "!Unexpected character (x) at position 4."),
    ("{\"a\":1é}", "!Unexpected token é at position 5."),
    ("[1é]", "[1,\"é\"]"),
    ("[\"a\\u00\"]", "!Unexpected unicode escape sequence \" at position 7."),
    ("[\"a\\u00g0\"]", "!Unexpected unicode escape sequence g at position 7."),
    ("[\"a\\", "!Unexpected End Of File position 4: null"),
    ("[\"a\\\"", "!Unexpected End Of File position 4: null"),
    ("{\"a\":", "!Unexpected End Of File position 4: EOF"),
    ("{\"a\"", "!Unexpected End Of File position 3: null"),
    ("{\"a\":\"b\"", "!Unexpected End Of File position 7: null"),
    ("{\"a\":\"b\",", "!Unexpected End Of File position 8: null"),
    ("[[1,2],[3]]", "[[1,2],[3]]"),
    ("{a b:1}", "{\"a b\":1}"),
    ("[ a b , c ]", "[\"a b\",\"c\"]"),
    ("{a", "!Unexpected End Of File position 1: null"),
    ("[a", "!Unexpected End Of File position 1: EOF"),
    ("{\"é\":\"é", "!Unexpected End Of File position 7: null"),
    ("[é}", "!Unexpected End Of File position 2: EOF"),
    ("[1e5,1E5]", "[100000.0,100000.0]"),
    ("{\"a\":'it\"s'}", "{\"a\":\"it\\\"s\"}"),
    ("[\"\\'\"]", "[\"'\"]"),
    ("{\"a\":1}}", "{\"a\":1}"),
    ("[tru,fals,nul,true ,false ,null ]", "[\"tru\",\"fals\",\"nul\",true,false,null]"),
];

#[test]
fn texts_are_read_as_json_smart_reads_them() {
    let wrong = READ.iter().filter(|(text, wanted)| written(text) != *wanted);
    let wrong: Vec<_> = wrong.map(|(text, wanted)| (text, wanted, written(text))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn depth_has_json_smarts_limit() {
    assert!(parse(&"[".repeat(400)).is_err_and(|message| message.contains("End Of File")));
    let wanted = "net.minidev.json.parser.ParseException: Malicious payload, having non natural depths, \
                  parsing stoped on [ at position 400.";
    assert_eq!(parse(&"[".repeat(401)), Err(wanted.to_owned()));
}

#[test]
fn repeated_keys_of_large_objects_keep_their_place() {
    let members: Vec<_> = (0..60).map(|i| format!("\"k{}\":{i}", i % 30)).collect();
    let text = format!("{{{}}}", members.join(","));
    let Ok(Json::Object(members)) = parse(&text) else { panic!("an object") };
    let keys: Vec<_> = members.iter().map(|(key, _)| key.to_string()).collect();
    assert_eq!(keys, (0..30).map(|i| format!("k{i}")).collect::<Vec<_>>());
    assert_eq!(members[3].1, Json::Int(33));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "([\\[\\]{}:,\"'\\\\ux0-9a-fnte.+\\- \\n\\x1a\u{e9}]|\\PC){0,60}") {
        let _ = parse(&text);
    }
}
