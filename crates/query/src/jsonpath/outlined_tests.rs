//! A path finds the same in a text with an outline as in its tree, with the same messages.

use std::borrow::Cow;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use swell_budget::Budget;

use super::chain_tests::text;
use super::{JsonPath, PathError};
use crate::json::{self, Json, Outline};

type Outcome<T> = Result<T, PathError>;
type Found = (Outcome<Vec<Json<'static>>>, Outcome<Json<'static>>);

/// What a path finds one by one and as one value: by the outline, and in the tree. None: the text
/// has no outline.
fn both(path: &str, text: &str) -> Option<[Found; 2]> {
    let path = JsonPath::compile(path).ok()?;
    let outline = Outline::of(text)?;
    let tree = json::parse(text).expect("a text with an outline is JSON");
    let budget = Budget::unlimited();
    let own = |all: Vec<Json<'_>>| all.into_iter().map(Json::into_static).collect::<Vec<_>>();
    let outlined = (
        path.read_list_outlined(text, &outline, &budget).map(own),
        path.read_outlined(text, &outline, &budget).map(Json::into_static),
    );
    let in_tree = (
        path.read_list(&tree, &budget).map(|all| own(all.into_iter().map(Cow::into_owned).collect())),
        path.read(&tree, &budget).map(|value| value.into_owned().into_static()),
    );
    Some([outlined, in_tree])
}

#[test]
fn paths_of_the_oracle_find_the_same() {
    let facts = super::tests::facts();
    let mut compared = 0;
    for (document, path) in &facts {
        if let Some([outlined, in_tree]) = both(path, document) {
            assert_eq!(outlined, in_tree, "{path} of {document}");
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared} of {}", facts.len());
}

#[test]
fn texts_without_an_outline() {
    for text in [
        "",
        " ",
        "1",
        "null",
        "{",
        "[1",
        "{'a':1}",
        "{a:1}",
        r#"{"a":1,}"#,
        r#"{"a":1 "b":2}"#,
        "[1e5]",
        "[01]",
        r#"{"\u0061":1}"#,
        "[\"\u{1}\"]",
        "[nul]",
        r#"{"a":1,"b":2,"a":3}"#,
        r#"[{"x":{"a":1,"a":2}}]"#,
    ] {
        assert!(Outline::of(text).is_none(), "{text}");
    }
    for text in
        ["{}", "[]", " [1] and more", r#"[{"a":1},{"a":1}]"#, r#"{"a":{"a":{"a":[]}}}"#, r#"["\u0061"]"#]
    {
        assert!(Outline::of(text).is_some(), "{text}");
    }
}

#[test]
fn a_name_twice_is_seen_however_many_there_are() {
    for count in [2, 20, 32, 33, 100, 2_000] {
        let member = |at: usize| format!("\"n{at}\":{at}");
        let members: Vec<_> = (0..count).map(member).collect();
        let all = members.join(",");
        assert!(Outline::of(&format!("{{{all}}}")).is_some(), "{count}");
        for again in [0, count / 2, count - 1] {
            assert!(Outline::of(&format!("{{{all},{}}}", member(again))).is_none(), "{count} {again}");
        }
    }
}

#[test]
fn depth_ends_where_the_tree_ends() {
    for (depth, outlined) in [(399, true), (400, true), (401, false), (100_000, false)] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(Outline::of(&text).is_some(), outlined, "{depth}");
        assert_eq!(json::parse(&text).is_ok(), outlined, "{depth}");
    }
}

/// A path of random steps, filters and scans among them.
fn path(random: &mut SmallRng) -> String {
    let steps = [
        ".a",
        ".b",
        ".c",
        "['long name']",
        "[0]",
        "[-1]",
        "[0,1]",
        "[1:]",
        "[:-1]",
        "[-2:3]",
        ".*",
        "..a",
        "..b",
        "..*",
        "..[0]",
        "['a','b']",
        "[?(@.a)]",
        "[?(!@.b)]",
        "[?(@.a == 1)]",
        "[?(@.a != 'plain')]",
        "[?(@.b > 10)]",
        "[?(@.a <= 5 || @.b == true)]",
        "[?(@.a == null && @.c)]",
        "[?(@ == 'plain')]",
        "[?(@.a.b >= 0)]",
        "[?(@.a === 7)]",
        "[?(@.c !== false)]",
        "[?('plain' == @.a)]",
        "[?(@.a == @.b)]",
        "[?(@.a < 'q')]",
        "[?(@.a in [1,2,'plain'])]",
        "[?(@.a =~ /p.*/)]",
        "[?(@.b.length() > 1)]",
        "[?(@.a == $.b)]",
        "[?(@.a == 123456789012345678901)]",
        "[?(@.a == 1.0)]",
        "[?(@[0] == 1)]",
        "[?(@.a == '1')]",
        "..[?(@.a)]",
    ];
    let count = random.random_range(1..4);
    (0..count).fold("$".to_owned(), |path, _| path + steps[random.random_range(0..steps.len())])
}

#[test]
fn random_paths_find_the_same_in_random_texts() {
    let mut random = SmallRng::seed_from_u64(37);
    let mut found = 0;
    for _ in 0..20_000 {
        let small = random.random_range(0..10);
        let text = format!(
            r#"[{{"a":{small},"b":{}}},{{"a":"plain","c":[{},{small}]}},{}]"#,
            text(&mut random, 1),
            text(&mut random, 2),
            text(&mut random, 0)
        );
        let path = path(&mut random);
        if let Some([outlined, in_tree]) = both(&path, &text) {
            assert_eq!(outlined, in_tree, "{path} of {text}");
            found += usize::from(outlined.0.is_ok_and(|found| !found.is_empty()));
        }
    }
    assert!(found > 1_500, "{found} paths found something");
}

#[test]
fn a_budget_ends_the_walk_over_an_outline() {
    let text = format!("[{}]", r#"{"a":1},"#.repeat(10_000) + "{}");
    let outline = Outline::of(&text).expect("JSON");
    for path in ["$..b", "$[?(@.a == 2)]", "$[?(@.b)]", "$[*].b"] {
        let path = JsonPath::compile(path).expect("a path");
        let result = path.read_list_outlined(&text, &outline, &Budget::of_units(1_000));
        let error = result.expect_err("it looks at more");
        assert!(error.message.contains("it takes too much work"), "{error}");
    }
}
