//! Random questions to texts and pages: regular expressions, selectors.

use crate::fuzz::ChoiceRng;

/// A regular expression of ORO.
pub(super) fn pattern(rng: &mut ChoiceRng) -> &'static str {
    *rng.pick(PATTERNS)
}

const PATTERNS: &[&str] = &[
    "(\\w+)",
    "\"(\\w+)\"\\s*:\\s*(\"?[^,\"}\\]]*\"?)",
    "<(\\w+)[^>]*>([^<]*)",
    "(?i)(ID|Name)",
    "(?s)<(.*)>",
    "^(.*)$",
    "(?m)^(\\S+)",
    "(a)|(b)",
    "(\\d+)(\\.\\d+)?",
    "([[:alpha:]]+)",
    "(",
    "*",
    "",
    "()",
    "\\b(x)",
    "(.)(.)(.)",
    "(x{2,3}?)",
    "(?:id|name)\\W+(\\w+)",
    "(\\w+)(?==)",
    "(\\x41)",
    "(é)",
    "([^\\x00-\\x7f]+)",
    "(\\w)\\1",
    "(?<n>a)",
    "(a(b(c)?)?)",
    "(\\d)(\\d)(\\d)",
    "\\[(.*?)\\]",
    "ok",
    "(?x) ( a ) # c",
    "(\\s+)",
    "(.+)\\n",
    "(.*)",
    "(200|OK|http)",
    "(?i)content-type: (\\S+)",
    "([a-z&&[^a]]+)",
    "(x*)",
    "\\Q(a)\\E",
    "(\\$)",
    "${old}(.)",
    "(\\d+)\\D*(\\d+)",
    "class=\"([^\"]*)\"",
    "(?-i)(A)",
    "([\\w.-]+)",
    "(x+?)(x*)",
    "(\\p{L}+)",
    "(\\u00e9)",
    "(a|b)+",
    "(?!a)(\\w)",
    "(\\Aok)",
    "(\\w+)\\Z",
];

/// A CSS selector.
pub(super) fn selector(rng: &mut ChoiceRng) -> String {
    if rng.chance(12) {
        return (*rng.pick(SELECTORS)).to_owned();
    }
    let mut out = selector_part(rng);
    for _ in 0..rng.below(3) {
        out.push_str(*rng.pick(&[" ", " ", " > ", ">", " + ", " ~ ", ", "]));
        out.push_str(&selector_part(rng));
    }
    out
}

const SELECTORS: &[&str] = &[
    "",
    " ",
    "*",
    "html",
    "body",
    "title",
    "[",
    "a[",
    "div..x",
    ":nothing",
    "a:eq(1)",
    "li:lt(2)",
    "li:gt(0)",
    "div:has(p)",
    "p:contains(one)",
    "p:matchesOwn(o)",
    ":root",
    "p:empty",
    "[^data-]",
    "li:not(.x)",
    "a:first",
    "li:last",
    "li:even",
    "li:odd",
    "input:checked",
    ":text",
    ":header",
    "div>",
    "> p",
    "a,,b",
    "#main#main",
    "p::first-line",
    "td:parent",
    "option[selected]",
    "a[href^=/]",
    "a[href$='2']",
    "[name=token]",
    "[name~=o]",
    "span:containsOwn(s)",
    ":input",
    "select option",
    "*:first-child",
    "li:nth-child(odd)",
    "p:nth-of-type(2)",
    "li:nth-last-child(1)",
    "a:only-child",
];

fn selector_part(rng: &mut ChoiceRng) -> String {
    let name = *rng.pick(&[
        "", "div", "p", "span", "li", "ul", "a", "b", "td", "input", "*", "DIV", "h1", "table", "body",
    ]);
    let more = match *rng.weighted(&[(6, 0), (4, 1), (2, 2), (3, 3), (3, 4)]) {
        0 => String::new(),
        1 => format!(".{}", rng.pick(&["x", "y", "x.y", "a", "main"])),
        2 => format!("#{}", rng.pick(&["main", "x", "y"])),
        3 => format!(
            "[{}]",
            rng.pick(&[
                "class",
                "id",
                "class=x",
                "class=\"x y\"",
                "class~=y",
                "data-v",
                "title*=a",
                "id!=x",
                "href",
                "class^='x'",
                "name=user"
            ])
        ),
        _ => (*rng.pick(&[
            ":first-child",
            ":last-child",
            ":nth-child(2)",
            ":nth-child(2n+1)",
            ":nth-child(even)",
            ":only-child",
            ":empty",
            ":first-of-type",
            ":nth-of-type(1)",
            ":last-of-type",
        ]))
        .to_owned(),
    };
    if name.is_empty() && more.is_empty() { "p".to_owned() } else { format!("{name}{more}") }
}
