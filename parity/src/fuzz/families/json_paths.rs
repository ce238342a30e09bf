//! Random paths into JSON: JSONPath, JMESPath.

use crate::fuzz::Dice;

/// Joins random parts.
fn some(dice: &mut Dice, most: usize, mut part: impl FnMut(&mut Dice) -> String) -> String {
    (0..dice.below(most + 1)).map(|_| part(dice)).collect()
}

/// A path as Jayway reads it; without `;`, which parts several.
pub(super) fn json_path(dice: &mut Dice) -> String {
    if dice.chance(12) {
        return (*dice.pick(JSON_PATHS)).to_owned();
    }
    let start = *dice.weighted(&[(20, "$"), (1, "@"), (1, "")]);
    let steps = some(dice, 3, json_step);
    let end = if dice.chance(12) { *dice.pick(JSON_FUNCTIONS) } else { "" };
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

fn json_step(dice: &mut Dice) -> String {
    let key = *dice.pick(&["a", "b", "c", "id", "name", "list", "A", "é", "0"]);
    match *dice.weighted(&[(8, 0), (2, 1), (3, 2), (3, 3), (2, 4), (2, 5), (2, 6), (2, 7), (1, 8), (4, 9)]) {
        0 => format!(".{key}"),
        1 => format!("['{key}']"),
        2 => format!("..{key}"),
        3 => format!("[{}]", dice.range(-2, 3)),
        4 => "[*]".to_owned(),
        5 => ".*".to_owned(),
        6 => format!("[{}:{}]", dice.pick(&["", "0", "1", "-2"]), dice.pick(&["", "1", "2", "-1", "5"])),
        7 => format!("[{},{}]", dice.range(-1, 2), dice.range(0, 3)),
        8 => format!("['{key}','{}']", dice.pick(&["a", "id", "zz"])),
        _ => format!("[?({})]", json_filter(dice, 0)),
    }
}

fn json_filter(dice: &mut Dice, depth: usize) -> String {
    if depth < 2 && dice.chance(25) {
        let (left, right) = (json_filter(dice, depth + 1), json_filter(dice, depth + 1));
        return format!("{left} {} {right}", dice.pick(&["&&", "||"]));
    }
    if depth < 2 && dice.chance(10) {
        return format!("!({})", json_filter(dice, depth + 1));
    }
    let left = *dice.pick(&[
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
    if dice.chance(15) {
        return left.to_owned();
    }
    let operator = *dice.pick(&[
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
        "=~" => *dice.pick(&["/x/", "/.*/i", "/[a-z ]+/", "/\\d+/", "'x'"]),
        "in" | "nin" | "anyof" | "noneof" | "subsetof" | "allof" => {
            *dice.pick(&["[1,2]", "['x','y']", "[null]", "[]", "@.list", "['1',1]"])
        }
        "empty" => *dice.pick(&["true", "false"]),
        "size" => *dice.pick(&["0", "1", "2", "'1'"]),
        "type" => *dice.pick(&["'string'", "'number'", "\"array\""]),
        _ => *dice.pick(&[
            "1", "1.0", "2", "'x'", "\"x\"", "null", "true", "false", "@.b", "$.a", "10", "'1'", "-1", "[]",
            "{}", "1e3", "'a b'",
        ]),
    };
    let gap = *dice.pick(&[" ", " ", ""]);
    if operator.chars().all(char::is_alphabetic) {
        return format!("{left} {operator} {right}");
    }
    format!("{left}{gap}{operator}{gap}{right}")
}

/// An expression of JMESPath.
pub(super) fn jmes_path(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 && dice.chance(10) {
        return (*dice.pick(JMES_PATHS)).to_owned();
    }
    let key = |dice: &mut Dice| {
        (*dice.pick(&["a", "b", "c", "id", "name", "list", "A", "\"a b\"", "\"é\"", "@", "\"0\""])).to_owned()
    };
    if depth >= 3 {
        return key(dice);
    }
    let inner = |dice: &mut Dice| jmes_path(dice, depth + 1);
    match *dice.weighted(&[
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
        0 => key(dice),
        1 => format!("{}.{}", inner(dice), key(dice)),
        2 => format!("{}[{}]", inner(dice), dice.range(-2, 3)),
        3 => format!("{}[*].{}", inner(dice), key(dice)),
        4 => format!("{}[]", inner(dice)),
        5 => format!(
            "{}[{}:{}:{}]",
            inner(dice),
            dice.pick(&["", "0", "1", "-2"]),
            dice.pick(&["", "2", "-1"]),
            dice.pick(&["1", "2", "-1"])
        ),
        6 => format!("[{}, {}]", inner(dice), inner(dice)),
        7 => format!("{{x: {}, y: {}}}", inner(dice), inner(dice)),
        8 => jmes_function(dice, depth),
        9 => format!("{} | {}", inner(dice), inner(dice)),
        10 => format!(
            "{} {} {}",
            inner(dice),
            dice.pick(&["||", "&&", "==", "!=", "<", ">=", ">"]),
            inner(dice)
        ),
        11 => format!(
            "{}[?{} {} {}]",
            inner(dice),
            key(dice),
            dice.pick(&["==", "!=", ">", "<="]),
            dice.pick(&["`1`", "'x'", "`null`", "`\"x\"`", "`true`", "id"])
        ),
        _ => (*dice.pick(&["`1`", "'x'", "`{\"a\":1.0}`", "`[1,2]`", "!a", "*", "a.*", "(a)", "`null`"]))
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

fn jmes_function(dice: &mut Dice, depth: usize) -> String {
    let inner = |dice: &mut Dice| jmes_path(dice, depth + 1);
    let key = *dice.pick(&["id", "name", "a"]);
    match dice.below(12) {
        0..=4 => {
            let name = *dice.pick(&[
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
            format!("{name}({})", inner(dice))
        }
        5 => format!("{}({}, &{key})", dice.pick(&["sort_by", "max_by", "min_by"]), inner(dice)),
        6 => format!("map(&{key}, {})", inner(dice)),
        7 => format!("contains({}, {})", inner(dice), dice.pick(&["'x'", "`1`", "a"])),
        8 => format!("join('{}', {})", dice.pick(&[",", "", "; "]), inner(dice)),
        9 => format!("{}({}, 'x')", dice.pick(&["starts_with", "ends_with"]), inner(dice)),
        10 => format!("merge({}, {})", inner(dice), inner(dice)),
        _ => format!("not_null({}, {})", inner(dice), inner(dice)),
    }
}
