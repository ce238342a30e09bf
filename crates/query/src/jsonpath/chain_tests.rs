//! A scan of the text finds the same value as the tree.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use swell_budget::Budget;

use super::{JsonPath, find, find_all};
use crate::json::{self, Json};

/// Texts, a path, and whether the walk finds it itself: where it does not, the tree is asked.
const WALKED: &[(&str, &str, bool)] = &[
    (r#"{"a":{"b":[10,{"c":"x"}]}}"#, "$.a.b[1].c", true),
    (r#"{"a":1} and what follows"#, "a", true),
    (" \r\n\t[ 1 , -2.50 , true,false ,null,\"\\u00e9\\n\" ] ", "$[5]", true),
    (r#"{"n":123456789012345678901234567890,"d":0.1234567890123456789}"#, "$.n", true),
    (r#"{"a":{"b":1},"a":{"b":2}}"#, "$.a.b", true),
    // The later `a` has no `b`: only the tree has the message.
    (r#"{"a":{"b":1},"a":{}}"#, "$.a.b", false),
    (r#"{"a":{"b":1},"a":7}"#, "$.a.b", false),
    (r#"{"a":1}"#, "$.b", false),
    (r#"{"a":null}"#, "$.a", true),
    (r#"{"a":null}"#, "$.a.b", false),
    ("{}", "$.a", false),
    ("[]", "$[0]", false),
    ("[1,2]", "$[-1]", false),
    ("[1,2]", "$[0,1]", false),
    (r#"{"a":1,"b":2}"#, "$['a','b']", false),
    (r#"{"a":[1]}"#, "$.a.length()", false),
    (r#"{"a":[1]}"#, "$..a", false),
    (r#"{"\u0061":1}"#, "$.a", false),
    // Escapes in names that are not compared do no harm.
    (r#"{"x":{"\u0061":1},"a":2}"#, "$.a", true),
    // What json-smart takes, and JSON does not have.
    ("{'a':1}", "$.a", false),
    ("{a:1}", "$.a", false),
    (r#"{"a":1,}"#, "$.a", false),
    (r#"{"a":1,,"b":2}"#, "$.a", false),
    (r#"{"a":01}"#, "$.a", false),
    (r#"{"a":1.}"#, "$.a", false),
    (r#"{"a":1e5}"#, "$.a", false),
    (r#"{"a":1,"b":.5}"#, "$.a", false),
    (r#"{"a":"\x41"}"#, "$.a", false),
    ("{\"a\":\"\u{1a}\"}", "$.a", false),
    ("{\"a\":1,\"b\":\"\n\"}", "$.a", false),
    (r#"{"a":1,"b":nul}"#, "$.a", false),
    (r#"{"a":1,"b":truex}"#, "$.a", false),
    (r#"{"a":1,"b":2"#, "$.a", false),
    (r#"{"a":1,"b":"#, "$.a", false),
    (r#"{"a":1"b":2}"#, "$.a", false),
    (r#"{"a":1]"#, "$.a", false),
    (r#"{"a":"x"#, "$.a", false),
    (r#"{"a":"\u12"#, "$.a", false),
    ("\"text\"", "$.a", false),
    ("", "$.a", false),
];

/// What the tree has there.
fn in_tree(path: &JsonPath, text: &str) -> Option<Json<'static>> {
    let document = json::parse(text).ok()?;
    path.read(&document, &Budget::unlimited()).ok().map(|value| value.into_owned().into_static())
}

#[test]
fn a_walk_finds_what_the_tree_has_or_gives_up() {
    for (text, path, walked) in WALKED {
        let path = JsonPath::compile(path).expect("a path");
        let found = find(&path, text);
        assert_eq!(found.is_some(), *walked, "{text}");
        if let Some(found) = found {
            assert_eq!(Some(found.into_static()), in_tree(&path, text), "{text}");
        }
    }
}

#[test]
fn depth_ends_where_the_tree_ends() {
    let path = JsonPath::compile("$.a").expect("a path");
    for (depth, found) in [(398, true), (399, true), (400, false), (100_000, false)] {
        let text = format!(r#"{{"a":1,"b":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        assert_eq!(find(&path, &text).is_some(), found, "{depth}");
        assert_eq!(in_tree(&path, &text).is_some(), found, "{depth}");
    }
}

#[test]
fn several_paths_are_followed_in_one_walk() {
    let text = r#"{"a":{"b":1,"c":[2,{"d":3}]},"e":4}"#;
    let found = |paths: &[&str]| {
        let compiled: Vec<_> = paths.iter().map(|path| JsonPath::compile(path).expect("a path")).collect();
        let found = find_all(&compiled.iter().collect::<Vec<_>>(), text);
        found.map(|values| values.iter().map(Json::java_text).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(
        found(&["$.a.b", "$.a", "$.e", "$.a.c[1].d", "$.a.c[0]", "$.a.b"]).as_deref(),
        Some("1 {b=1, c=[2,{\"d\":3}]} 4 3 2 1")
    );
    assert_eq!(found(&["$.a.b", "$.nothing"]), None);
    assert_eq!(found(&["$.e"; 9]), None, "more than it follows at once");
    assert_eq!(found(&[]), None);
}

/// A text that is JSON, with names and indexes that paths ask for, and now and then what only
/// json-smart takes.
pub(super) fn text(random: &mut SmallRng, depth: usize) -> String {
    let blank = |random: &mut SmallRng| ["", "", "", " ", "\n\t"][random.random_range(0..5)];
    let before = blank(random);
    let members = |random: &mut SmallRng| random.random_range(0..4);
    let value = match random.random_range(0..if depth > 5 { 8 } else { 12 }) {
        0 => random.random_range(-1_000_000..1_000_000_i64).to_string(),
        1 => format!("{:?}", random.random::<f64>() * 1e6),
        2 => ["true", "false", "null"][random.random_range(0..3)].to_owned(),
        3 => r#""é\u20ac\ud83d\ude00\n\"""#.to_owned(),
        4..8 => format!("\"{}\"", "plain text of some length"[..random.random_range(0..25)].to_owned()),
        8..10 => {
            let all: Vec<_> = (0..members(random)).map(|_| text(random, depth + 1)).collect();
            format!("[{}]", all.join(","))
        }
        _ => {
            let one = |random: &mut SmallRng| {
                let name = ["a", "b", "c", "long name", "\\u0061"][random.random_range(0..5)];
                format!("{}\"{name}\"{}:{}", blank(random), blank(random), text(random, depth + 1))
            };
            let all: Vec<_> = (0..members(random)).map(|_| one(random)).collect();
            format!("{{{}}}", all.join(","))
        }
    };
    format!("{before}{value}{}", blank(random))
}

#[test]
fn random_texts_are_walked_as_the_tree_is_read() {
    let mut random = SmallRng::seed_from_u64(18);
    let mut walked = 0;
    for _ in 0..40_000 {
        let mut text = format!("{{\"a\":{},\"b\":{}}}", text(&mut random, 0), text(&mut random, 0));
        if random.random_ratio(1, 4) {
            let at = text.floor_char_boundary(random.random_range(0..text.len()));
            match random.random_range(0..3) {
                0 => text.truncate(at),
                1 => text.insert(
                    at,
                    ['"', '\\', '{', ']', ',', ':', '0', 'e', '\u{1a}'][random.random_range(0..9)],
                ),
                _ => drop(text.remove(at)),
            }
        }
        let steps = ["a", "b", "c", "'long name'", "0", "1"];
        let path = (0..random.random_range(1..4)).fold("$".to_owned(), |path, _| {
            let step = steps[random.random_range(0..steps.len())];
            if step.len() == 1 && step.starts_with(char::is_alphabetic) {
                format!("{path}.{step}")
            } else {
                format!("{path}[{step}]")
            }
        });
        let path = JsonPath::compile(&path).expect("a path");
        if let Some(found) = find(&path, &text) {
            walked += 1;
            assert_eq!(Some(found.into_static()), in_tree(&path, &text), "{text}");
        }
    }
    assert!(walked > 3_000, "{walked} of 40,000 were found");
}
