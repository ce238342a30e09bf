//! Random XPath 1 and 2.

use crate::fuzz::ChoiceRng;

/// An XPath 1 query.
pub(super) fn xpath(rng: &mut ChoiceRng, depth: usize) -> String {
    if depth == 0 && rng.chance(12) {
        return (*rng.pick(XPATHS)).to_owned();
    }
    match *rng.weighted(&[(12, 0), (3, 1), (2, 2), (2, 3), (1, 4)]) {
        1 if depth < 2 => xpath_function(rng, depth),
        2 if depth < 2 => format!(
            "{} {} {}",
            xpath(rng, depth + 1),
            rng.pick(&["=", "!=", "<", ">=", "+", "-", "*", "div", "mod", "and", "or"]),
            xpath(rng, depth + 1)
        ),
        3 if depth < 2 => {
            format!("{} | {}", xpath_location(rng, depth + 1), xpath_location(rng, depth + 1))
        }
        4 => (*rng.pick(&["1", "'x'", "\"é\"", "-1.50", "true()", "0 div 0", "1 div 0", "1e3"])).to_owned(),
        _ => xpath_location(rng, depth),
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

fn xpath_location(rng: &mut ChoiceRng, depth: usize) -> String {
    let start = *rng.pick(&["//", "//", "//", "/", "/r/", "/*/", "", "/html/body//"]);
    let steps: Vec<String> = (0..=rng.below(2)).map(|_| xpath_step(rng, depth)).collect();
    format!("{start}{}", steps.join(*rng.pick(&["/", "/", "//"])))
}

fn xpath_step(rng: &mut ChoiceRng, depth: usize) -> String {
    let axis = *rng.weighted(&[
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
        *rng.pick(&["id", "k", "*", "class", "href"])
    } else {
        *rng.pick(&[
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
    let predicate = if test != ".." && depth < 2 && rng.chance(30) {
        format!("[{}]", xpath_predicate(rng, depth))
    } else {
        String::new()
    };
    format!("{axis}{test}{predicate}")
}

fn xpath_predicate(rng: &mut ChoiceRng, depth: usize) -> String {
    match rng.below(6) {
        0 => rng.range(0, 3).to_string(),
        1 => (*rng.pick(&["last()", "position()=1", "position()>1", "last()-1", "position() mod 2 = 1"]))
            .to_owned(),
        2 => {
            format!("@{}", rng.pick(&["id", "k", "class", "id='1'", "k=\"x\"", "id>1", "class='x y'", "*"]))
        }
        3 => (*rng.pick(&[
            "text()",
            "text()='x'",
            ".='1'",
            "normalize-space()",
            "string-length(.)>1",
            "contains(.,'x')",
            "starts-with(@class,'x')",
        ]))
        .to_owned(),
        4 => format!("not({})", xpath(rng, depth + 1)),
        _ => xpath(rng, depth + 1),
    }
}

fn xpath_function(rng: &mut ChoiceRng, depth: usize) -> String {
    let inner = |rng: &mut ChoiceRng| xpath(rng, depth + 1);
    match rng.below(9) {
        0..=3 => {
            let name = *rng.pick(&[
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
            format!("{name}({})", inner(rng))
        }
        4 => format!("concat({}, '-', {})", inner(rng), inner(rng)),
        5 => format!(
            "{}({}, 'x')",
            rng.pick(&["contains", "starts-with", "substring-before", "substring-after"]),
            inner(rng)
        ),
        6 => format!("substring({}, {})", inner(rng), rng.pick(&["1", "2, 3", "0", "-1, 3", "1.5, 2.6"])),
        7 => format!("translate({}, 'abx', 'AB')", inner(rng)),
        _ => (*rng.pick(&["last()", "position()", "true()", "lang('en')", "name()", "string()"])).to_owned(),
    }
}

/// An XPath 2 query.
pub(super) fn xpath2(rng: &mut ChoiceRng, depth: usize) -> String {
    if rng.chance(50) {
        return xpath_location(rng, depth);
    }
    if rng.chance(20) {
        return xpath(rng, depth);
    }
    let inner = |rng: &mut ChoiceRng| xpath(rng, 1);
    match rng.below(13) {
        0 => format!(
            "for $x in {} return {}",
            inner(rng),
            rng.pick(&["$x", "string($x)", "concat('<', $x, '>')", "count($x/*)", "name($x)"])
        ),
        1 => format!("if ({}) then {} else {}", inner(rng), inner(rng), inner(rng)),
        2 => format!("({}, {})", inner(rng), inner(rng)),
        3 => format!("string-join({}, ',')", xpath_location(rng, 1)),
        4 => format!("distinct-values({})", xpath_location(rng, 1)),
        5 => format!(
            "{}({})",
            rng.pick(&["upper-case", "exists", "empty", "data", "reverse", "max", "min", "string", "count"]),
            xpath_location(rng, 1)
        ),
        6 => format!(
            "{} satisfies {}",
            format_args!("{} $x in {}", rng.pick(&["some", "every"]), xpath_location(rng, 1)),
            rng.pick(&["$x = '1'", "$x/@id", "string($x) != ''", "true()"])
        ),
        7 => format!("replace(string({}), '(\\w)', '[$1]')", xpath_location(rng, 1)),
        8 => format!("tokenize('a b c', ' ')[{}]", rng.range(1, 4)),
        9 => format!("{} {} {}", rng.range(1, 3), rng.pick(&["to", "idiv", "eq", "lt"]), rng.range(1, 4)),
        10 => {
            format!("matches(string({}), '{}')", xpath_location(rng, 1), rng.pick(&["x", "^\\d+$", "a|b"]))
        }
        11 => format!(
            "{} {} {}",
            xpath_location(rng, 1),
            rng.pick(&["union", "intersect", "except"]),
            xpath_location(rng, 1)
        ),
        _ => (*rng.pick(&[
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
