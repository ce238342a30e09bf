//! Random paths into JSON: JSONPath, JMESPath.

use crate::fuzz::ChoiceRng;

/// Joins random parts.
fn some(rng: &mut ChoiceRng, most: usize, mut part: impl FnMut(&mut ChoiceRng) -> String) -> String {
    (0..rng.below(most + 1)).map(|_| part(rng)).collect()
}

/// A path as Jayway reads it; without `;`, which parts several.
pub(super) fn json_path(rng: &mut ChoiceRng) -> String {
    if rng.chance(12) {
        return (*rng.pick(JSON_PATHS)).to_owned();
    }
    let start = *rng.weighted(&[(20, "$"), (1, "@"), (1, "")]);
    let steps = some(rng, 3, json_step);
    let end = if rng.chance(12) { *rng.pick(JSON_FUNCTIONS) } else { "" };
    let path = format!("{start}{steps}{end}");
    if path.is_empty() { "a".to_owned() } else { path }
}

const JSON_PATHS: &[&str] = &[
    "$",
    "a",
    "name",
    "$.",
    "$..",
    "$[",
    "$.a[",
    "$.a[]",
    "$.a[?()]",
    "$.a[?(@)]",
    "$$",
    "$.a b",
    "$a",
    "$['a]",
    "$[a]",
    "$.a..",
    "$.[0]",
    "$.a.[0]",
    "$. a",
    "$ .a",
    "$.*.*",
    "$..*",
    "$[*]",
    "$.a?",
    "$.a.length",
    "$..a.length()",
    "$.concat($.a, $.b)",
    "$.sum($..a)",
    "$.a.sum($.b)",
    "$['a','b']",
    "$[\"a\"]",
    "$[0,1]",
    "$[-1:]",
    "$[:2]",
    "$[1:]",
    "$[0:9:2]",
    "$.list[*].id",
    "$.é",
    "$['a b']",
    "$['a.b']",
    "$.0",
    "$['']",
    "$.A",
    "..a",
    "$.a;",
    "$[?(@.id)]",
    "$..[?(@.name)]",
    "$.list.append(1)",
    "$.keys()",
    "$..list.length()",
];

const JSON_FUNCTIONS: &[&str] = &[
    ".length()",
    ".size()",
    ".min()",
    ".max()",
    ".avg()",
    ".sum()",
    ".stddev()",
    ".keys()",
    ".first()",
    ".last()",
    ".index(0)",
    ".index(-1)",
    ".concat(\"x\")",
    ".append(\"x\")",
    ".nothing()",
];

fn json_step(rng: &mut ChoiceRng) -> String {
    let key = *rng.pick(&["a", "b", "c", "id", "name", "list", "A", "é", "0"]);
    match *rng.weighted(&[(8, 0), (2, 1), (3, 2), (3, 3), (2, 4), (2, 5), (2, 6), (2, 7), (1, 8), (4, 9)]) {
        0 => format!(".{key}"),
        1 => format!("['{key}']"),
        2 => format!("..{key}"),
        3 => format!("[{}]", rng.range(-2, 3)),
        4 => "[*]".to_owned(),
        5 => ".*".to_owned(),
        6 => format!("[{}:{}]", rng.pick(&["", "0", "1", "-2"]), rng.pick(&["", "1", "2", "-1", "5"])),
        7 => format!("[{},{}]", rng.range(-1, 2), rng.range(0, 3)),
        8 => format!("['{key}','{}']", rng.pick(&["a", "id", "zz"])),
        _ => format!("[?({})]", json_filter(rng, 0)),
    }
}

fn json_filter(rng: &mut ChoiceRng, depth: usize) -> String {
    if depth < 2 && rng.chance(25) {
        let (left, right) = (json_filter(rng, depth + 1), json_filter(rng, depth + 1));
        return format!("{left} {} {right}", rng.pick(&["&&", "||"]));
    }
    if depth < 2 && rng.chance(10) {
        return format!("!({})", json_filter(rng, depth + 1));
    }
    let left = *rng.pick(&[
        "@.a",
        "@.id",
        "@.name",
        "@",
        "@.b",
        "@['a']",
        "$.a",
        "@.a.b",
        "@.length()",
        "@.list.size()",
        "@[0]",
    ]);
    if rng.chance(15) {
        return left.to_owned();
    }
    let operator = *rng.pick(&[
        "==",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "=~",
        "in",
        "nin",
        "contains",
        "size",
        "empty",
        "anyof",
        "subsetof",
        "noneof",
        "===",
        "!==",
        "type",
        "allof",
        "startswith",
    ]);
    let right = match operator {
        "=~" => *rng.pick(&["/x/", "/.*/i", "/[a-z ]+/", "/\\d+/", "'x'"]),
        "in" | "nin" | "anyof" | "noneof" | "subsetof" | "allof" => {
            *rng.pick(&["[1,2]", "['x','y']", "[null]", "[]", "@.list", "['1',1]"])
        }
        "empty" => *rng.pick(&["true", "false"]),
        "size" => *rng.pick(&["0", "1", "2", "'1'"]),
        "type" => *rng.pick(&["'string'", "'number'", "\"array\""]),
        _ => *rng.pick(&[
            "1", "1.0", "2", "'x'", "\"x\"", "null", "true", "false", "@.b", "$.a", "10", "'1'", "-1", "[]",
            "{}", "1e3", "'a b'",
        ]),
    };
    let gap = *rng.pick(&[" ", " ", ""]);
    if operator.chars().all(char::is_alphabetic) {
        return format!("{left} {operator} {right}");
    }
    format!("{left}{gap}{operator}{gap}{right}")
}

/// An expression of JMESPath.
pub(super) fn jmes_path(rng: &mut ChoiceRng, depth: usize) -> String {
    if depth == 0 && rng.chance(10) {
        return (*rng.pick(JMES_PATHS)).to_owned();
    }
    let key = |rng: &mut ChoiceRng| {
        (*rng.pick(&["a", "b", "c", "id", "name", "list", "A", "\"a b\"", "\"é\"", "@", "\"0\""])).to_owned()
    };
    if depth >= 3 {
        return key(rng);
    }
    let inner = |rng: &mut ChoiceRng| jmes_path(rng, depth + 1);
    match *rng.weighted(&[
        (8, 0),
        (5, 1),
        (4, 2),
        (3, 3),
        (3, 4),
        (2, 5),
        (2, 6),
        (2, 7),
        (4, 8),
        (2, 9),
        (2, 10),
        (2, 11),
        (1, 12),
    ]) {
        0 => key(rng),
        1 => format!("{}.{}", inner(rng), key(rng)),
        2 => format!("{}[{}]", inner(rng), rng.range(-2, 3)),
        3 => format!("{}[*].{}", inner(rng), key(rng)),
        4 => format!("{}[]", inner(rng)),
        5 => format!(
            "{}[{}:{}:{}]",
            inner(rng),
            rng.pick(&["", "0", "1", "-2"]),
            rng.pick(&["", "2", "-1"]),
            rng.pick(&["1", "2", "-1"])
        ),
        6 => format!("[{}, {}]", inner(rng), inner(rng)),
        7 => format!("{{x: {}, y: {}}}", inner(rng), inner(rng)),
        8 => jmes_function(rng, depth),
        9 => format!("{} | {}", inner(rng), inner(rng)),
        10 => {
            format!("{} {} {}", inner(rng), rng.pick(&["||", "&&", "==", "!=", "<", ">=", ">"]), inner(rng))
        }
        11 => format!(
            "{}[?{} {} {}]",
            inner(rng),
            key(rng),
            rng.pick(&["==", "!=", ">", "<="]),
            rng.pick(&["`1`", "'x'", "`null`", "`\"x\"`", "`true`", "id"])
        ),
        _ => (*rng.pick(&["`1`", "'x'", "`{\"a\":1.0}`", "`[1,2]`", "!a", "*", "a.*", "(a)", "`null`"]))
            .to_owned(),
    }
}

const JMES_PATHS: &[&str] = &[
    "",
    " ",
    "a.",
    "[",
    "a[",
    "a b",
    "$.a",
    ".a",
    "a..b",
    "@",
    "*",
    "[*]",
    "[]",
    "a.b.c",
    "a[0].b",
    "length(@)",
    "keys(@)",
    "nothing(a)",
    "abs(a)",
    "length(a, b)",
    "`",
    "'x",
    "a | ",
    "{}",
    "{a}",
    "a[?]",
    "&a",
    "sort_by(@, &id)",
    "[0]",
    "[-1]",
    "[::-1]",
    "[?id]",
    "[].id",
    "@.a",
];

fn jmes_function(rng: &mut ChoiceRng, depth: usize) -> String {
    let inner = |rng: &mut ChoiceRng| jmes_path(rng, depth + 1);
    let key = *rng.pick(&["id", "name", "a"]);
    match rng.below(12) {
        0..=4 => {
            let name = *rng.pick(&[
                "abs",
                "avg",
                "ceil",
                "floor",
                "keys",
                "length",
                "max",
                "min",
                "reverse",
                "sort",
                "sum",
                "to_array",
                "to_number",
                "to_string",
                "type",
                "values",
                "not_null",
            ]);
            format!("{name}({})", inner(rng))
        }
        5 => format!("{}({}, &{key})", rng.pick(&["sort_by", "max_by", "min_by"]), inner(rng)),
        6 => format!("map(&{key}, {})", inner(rng)),
        7 => format!("contains({}, {})", inner(rng), rng.pick(&["'x'", "`1`", "a"])),
        8 => format!("join('{}', {})", rng.pick(&[",", "", "; "]), inner(rng)),
        9 => format!("{}({}, 'x')", rng.pick(&["starts_with", "ends_with"]), inner(rng)),
        10 => format!("merge({}, {})", inner(rng), inner(rng)),
        _ => format!("not_null({}, {})", inner(rng), inner(rng)),
    }
}
