//! Random XPath 1 and 2.

use crate::fuzz::Dice;

/// An XPath 1 query.
pub(super) fn xpath(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 && dice.chance(12) {
        return (*dice.pick(XPATHS)).to_owned();
    }
    match *dice.weighted(&[(12, 0), (3, 1), (2, 2), (2, 3), (1, 4)]) {
        1 if depth < 2 => xpath_function(dice, depth),
        2 if depth < 2 => format!(
            "{} {} {}",
            xpath(dice, depth + 1),
            dice.pick(&["=", "!=", "<", ">=", "+", "-", "*", "div", "mod", "and", "or"]),
            xpath(dice, depth + 1)
        ),
        3 if depth < 2 => {
            format!("{} | {}", xpath_location(dice, depth + 1), xpath_location(dice, depth + 1))
        }
        4 => (*dice.pick(&["1", "'x'", "\"é\"", "-1.50", "true()", "0 div 0", "1 div 0", "1e3"])).to_owned(),
        _ => xpath_location(dice, depth),
    }
}

const XPATHS: &[&str] = &[
    "",
    "/",
    ".",
    "//",
    "//*",
    "/*",
    "//@*",
    "//text()",
    "//comment()",
    "//processing-instruction()",
    "//node()",
    "/r",
    "/r/",
    "//p:b",
    "//d:a",
    "//*[local-name()='b']",
    "//a[",
    "//a]",
    "count(//*)",
    "string(/)",
    "name(/*)",
    "//html//body",
    "//div[@class='x']/text()",
    "//a/@href",
    "//input/@value",
    "//title",
    "/html/head/title/text()",
    "//LI",
    "//li[2]",
    "(//a)[1]",
    "//p[last()]",
    "//namespace::*",
    "id('x')",
    "//nosuch:a",
    "//a/following::b",
    "$v",
];

fn xpath_location(dice: &mut Dice, depth: usize) -> String {
    let start = *dice.pick(&["//", "//", "//", "/", "/r/", "/*/", "", "/html/body//"]);
    let steps: Vec<String> = (0..=dice.below(2)).map(|_| xpath_step(dice, depth)).collect();
    format!("{start}{}", steps.join(*dice.pick(&["/", "/", "//"])))
}

fn xpath_step(dice: &mut Dice, depth: usize) -> String {
    let axis = *dice.weighted(&[
        (20, ""),
        (3, "@"),
        (1, "child::"),
        (1, "descendant::"),
        (1, "parent::"),
        (1, "ancestor::"),
        (1, "following-sibling::"),
        (1, "preceding-sibling::"),
        (1, "descendant-or-self::"),
        (1, "self::"),
        (1, "following::"),
        (1, "preceding::"),
        (1, "ancestor-or-self::"),
    ]);
    let test = if axis == "@" {
        *dice.pick(&["id", "k", "*", "class", "href"])
    } else {
        *dice.pick(&[
            "a",
            "b",
            "c",
            "item",
            "*",
            "text()",
            "node()",
            "p:a",
            "p:*",
            "li",
            "div",
            "p",
            "comment()",
            "td",
            ".",
        ])
    };
    let (axis, test) = if test == "." { ("", "..") } else { (axis, test) };
    let predicate = if test != ".." && depth < 2 && dice.chance(30) {
        format!("[{}]", xpath_predicate(dice, depth))
    } else {
        String::new()
    };
    format!("{axis}{test}{predicate}")
}

fn xpath_predicate(dice: &mut Dice, depth: usize) -> String {
    match dice.below(6) {
        0 => dice.range(0, 3).to_string(),
        1 => (*dice.pick(&["last()", "position()=1", "position()>1", "last()-1", "position() mod 2 = 1"]))
            .to_owned(),
        2 => {
            format!("@{}", dice.pick(&["id", "k", "class", "id='1'", "k=\"x\"", "id>1", "class='x y'", "*"]))
        }
        3 => (*dice.pick(&[
            "text()",
            "text()='x'",
            ".='1'",
            "normalize-space()",
            "string-length(.)>1",
            "contains(.,'x')",
            "starts-with(@class,'x')",
        ]))
        .to_owned(),
        4 => format!("not({})", xpath(dice, depth + 1)),
        _ => xpath(dice, depth + 1),
    }
}

fn xpath_function(dice: &mut Dice, depth: usize) -> String {
    let inner = |dice: &mut Dice| xpath(dice, depth + 1);
    match dice.below(9) {
        0..=3 => {
            let name = *dice.pick(&[
                "count",
                "string",
                "number",
                "boolean",
                "sum",
                "name",
                "local-name",
                "normalize-space",
                "string-length",
                "not",
                "namespace-uri",
                "round",
                "floor",
                "ceiling",
            ]);
            format!("{name}({})", inner(dice))
        }
        4 => format!("concat({}, '-', {})", inner(dice), inner(dice)),
        5 => format!(
            "{}({}, 'x')",
            dice.pick(&["contains", "starts-with", "substring-before", "substring-after"]),
            inner(dice)
        ),
        6 => format!("substring({}, {})", inner(dice), dice.pick(&["1", "2, 3", "0", "-1, 3", "1.5, 2.6"])),
        7 => format!("translate({}, 'abx', 'AB')", inner(dice)),
        _ => (*dice.pick(&["last()", "position()", "true()", "lang('en')", "name()", "string()"])).to_owned(),
    }
}

/// An XPath 2 query.
pub(super) fn xpath2(dice: &mut Dice, depth: usize) -> String {
    if dice.chance(50) {
        return xpath_location(dice, depth);
    }
    if dice.chance(20) {
        return xpath(dice, depth);
    }
    let inner = |dice: &mut Dice| xpath(dice, 1);
    match dice.below(13) {
        0 => format!(
            "for $x in {} return {}",
            inner(dice),
            dice.pick(&["$x", "string($x)", "concat('<', $x, '>')", "count($x/*)", "name($x)"])
        ),
        1 => format!("if ({}) then {} else {}", inner(dice), inner(dice), inner(dice)),
        2 => format!("({}, {})", inner(dice), inner(dice)),
        3 => format!("string-join({}, ',')", xpath_location(dice, 1)),
        4 => format!("distinct-values({})", xpath_location(dice, 1)),
        5 => format!(
            "{}({})",
            dice.pick(&["upper-case", "exists", "empty", "data", "reverse", "max", "min", "string", "count"]),
            xpath_location(dice, 1)
        ),
        6 => format!(
            "{} satisfies {}",
            format_args!("{} $x in {}", dice.pick(&["some", "every"]), xpath_location(dice, 1)),
            dice.pick(&["$x = '1'", "$x/@id", "string($x) != ''", "true()"])
        ),
        7 => format!("replace(string({}), '(\\w)', '[$1]')", xpath_location(dice, 1)),
        8 => format!("tokenize('a b c', ' ')[{}]", dice.range(1, 4)),
        9 => format!("{} {} {}", dice.range(1, 3), dice.pick(&["to", "idiv", "eq", "lt"]), dice.range(1, 4)),
        10 => {
            format!("matches(string({}), '{}')", xpath_location(dice, 1), dice.pick(&["x", "^\\d+$", "a|b"]))
        }
        11 => format!(
            "{} {} {}",
            xpath_location(dice, 1),
            dice.pick(&["union", "intersect", "except"]),
            xpath_location(dice, 1)
        ),
        _ => (*dice.pick(&[
            "//*:b",
            "//p:*",
            "*:r",
            "xs:integer('5') + 1",
            "1 to 3",
            "'a', 'b'",
            "//a ! name()",
            "let $x := 1 return $x",
            "//@id/string()",
            "//a/name()",
            "subsequence((1,2,3),2)",
            "index-of(('a','b'),'b')",
            "(1.0, 2.50, 1e3)",
            "number('x')",
            "1.0 div 3",
            "10 div 4",
            "2 * 1.50",
            "xs:double(1)",
            "deep-equal(//a,//b)",
            "node-name(/*)",
            "codepoints-to-string((65,66))",
            "substring('abc',2)",
            "abs(-1.50)",
            "round(2.5)",
            "format-number(1234.5,'#,##0.00')",
        ]))
        .to_owned(),
    }
}
