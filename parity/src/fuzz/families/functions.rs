//! Function calls with any arguments, within one another, in any place.

use swell_plan::Node;

use crate::fuzz::elements::{assertion, debug, get, headers, if_of, raw, request, variables};
use crate::fuzz::plan::users;
use crate::fuzz::{ChoiceRng, Family, Setting};

/// What an argument means.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Any text.
    Text,
    /// A whole number.
    Number,
    /// A fraction.
    Fraction,
    /// A variable to store in.
    Store,
    /// A variable to read.
    Read,
    /// A property.
    Property,
    /// One of these, or a reference.
    Of(&'static [&'static str]),
    /// One of these and nothing else: another text would give what differs from run to run.
    Only(&'static [&'static str]),
    /// A text with escapes of HTML, XML, URLs or Java.
    Escaped,
}

use Kind::{Escaped, Fraction, Number, Of, Only, Property, Read, Store, Text};

/// A function with what it takes, and how many of that it must have.
type Shape = (&'static str, usize, &'static [Kind]);

const FORMATS: Kind = Of(&[
    "yyyy-MM-dd",
    "dd.MM.yyyy HH:mm:ss",
    "yyyy",
    "HH:mm",
    "yyyy-MM-dd'T'HH:mm:ss",
    "EEE d MMM yyyy",
    "yyyyMMdd",
    "MM/dd/yy",
    "D",
    "'day' d",
    "yyyy-MM-dd HH:mm:ss.SSS",
    "h:mm a",
    "d MMMM uuuu",
]);
const DATES: Kind = Of(&[
    "2024-02-29",
    "2024-01-31",
    "1999-12-31",
    "31.12.2023 23:59:59",
    "2024",
    "x",
    "2024-01-02T03:04:05",
    "20240229",
    "12/31/99",
    "2024-01-02 03:04:05.678",
    "13:05",
]);
const SHIFTS: Kind = Of(&[
    "P1D",
    "P10DT2H",
    "PT-90M",
    "-P1D",
    "P-1D",
    "",
    "PT0.5S",
    "P1M",
    "x",
    "PT36H",
    "p1d",
    "PT1H30M",
    "P2DT-3H4.345S",
]);
const LOCALES: Kind = Of(&["", "en", "en_US", "de", "fr_FR", "it"]);
const FILES: Kind = Of(&[
    "data/lines.txt",
    "data/part1.txt",
    "data/users.csv",
    "data/upload.txt",
    "data/missing.txt",
    "data/empty.csv",
    "data/latin1.csv",
]);
const COLUMNS: Kind = Of(&["0", "1", "next", "2", "9", "x", "-1", "*own"]);
const CASES: Kind = Of(&["UPPER", "LOWER", "CAPITALIZE", "upper", "", "x"]);
const CASE_FORMATS: Kind = Of(&[
    "LOWER_CAMEL_CASE",
    "UPPER_CAMEL_CASE",
    "SNAKE_CASE",
    "KEBAB_CASE",
    "LISP_CASE",
    "TRAIN_CASE",
    "SPINAL_CASE",
    "DOT_CASE",
    "LOWER_HYPHEN",
    "x",
    "",
]);
const DIGESTS: Kind = Of(&["MD5", "SHA-1", "SHA-256", "SHA-512", "md5", "MD2", "SHA-384", "x", "SHA"]);
const FLAGS: Kind = Of(&["true", "false", "TRUE", "", "x", "True"]);
const REGEXES: Kind = Of(&[
    "(\\\\w+)",
    "(\\\\d)(\\\\d)?",
    "o(k)",
    "(.)",
    "([a-z]+)",
    "(",
    "",
    "x",
    "(a)|(b)",
    "^(.*)$",
    "(\\\\s)",
    "[\\\\w\\,]+",
]);
const TEMPLATES: Kind = Of(&["$1$", "[$0$]", "$2$$1$", "x", "", "$9$", "$1", "1", "$1$-$2$", "\\$1$"]);
const MATCHES: Kind = Of(&["1", "2", "ALL", "9", "", "0.5", "1.0", "-1"]);
const SEPARATORS: Kind = Of(&["\\,", "|", ";", "", " ", "ab", "\\t", "."]);
const XPATHS: Kind =
    Of(&["//item/name", "//item/@id", "//none", "count(//item)", "//price/text()", "/", "//item["]);
const XML_FILES: Kind = Of(&["data/shop.xml", "data/lines.txt", "data/missing.xml"]);
const SCRIPTS: Kind = Of(&[
    "1 + 2",
    "\"a\" + \"b\"",
    "3 > 2",
    "\"${a}\" == \"1\"",
    "true && false",
    "10 / 4",
    "7 % 3",
    "(1 + 2) * 3",
    "1 == 1.0",
    "!true",
    "\"x\" + \"y\"",
    "-5 + 2",
]);

const SHAPES: &[Shape] = &[
    ("__changeCase", 1, &[Text, CASES, Store]),
    ("__char", 1, &[Number, Number, Number]),
    ("__counter", 1, &[FLAGS, Store]),
    ("__dateTimeConvert", 3, &[DATES, FORMATS, FORMATS, Store]),
    ("__digest", 2, &[DIGESTS, Text, Text, FLAGS, Store]),
    ("__escapeHtml", 1, &[Text]),
    ("__escapeOroRegexpChars", 1, &[Text, Store]),
    ("__escapeXml", 1, &[Text]),
    ("__eval", 1, &[Text]),
    ("__evalVar", 1, &[Read]),
    ("__intSum", 2, &[Number, Number, Number, Store]),
    ("__longSum", 2, &[Number, Number, Number, Store]),
    ("__isPropDefined", 1, &[Property]),
    ("__isVarDefined", 1, &[Read]),
    ("__log", 1, &[Text, Of(&["OUT", "INFO", "ERROR", "", "x", "WARN"]), Text, Text]),
    ("__logn", 1, &[Text, Of(&["INFO", "DEBUG", ""]), Text]),
    ("__P", 1, &[Property, Text]),
    ("__property", 1, &[Property, Store, Text]),
    ("__regexFunction", 2, &[REGEXES, TEMPLATES, MATCHES, Text, Text, Store, Read]),
    ("__samplerName", 0, &[Store]),
    ("__setProperty", 2, &[Property, Text, FLAGS]),
    ("__split", 2, &[Text, Store, SEPARATORS]),
    ("__TestPlanName", 0, &[]),
    ("__threadNum", 0, &[]),
    ("__threadGroupName", 0, &[]),
    ("__timeShift", 4, &[Only(&["yyyy-MM-dd"]), Only(&["2024-02-29", "1999-12-31"]), SHIFTS, LOCALES, Store]),
    (
        "__timeShift",
        4,
        &[
            Only(&["dd.MM.yyyy HH:mm:ss"]),
            Only(&["31.12.2023 23:59:59", "01.03.2024 00:00:00"]),
            SHIFTS,
            LOCALES,
            Store,
        ],
    ),
    (
        "__timeShift",
        4,
        &[Only(&["EEE d MMM yyyy"]), Only(&["Fri 1 Mar 2024"]), SHIFTS, Only(&["", "en", "en_US"]), Store],
    ),
    ("__unescape", 1, &[Escaped]),
    ("__unescapeHtml", 1, &[Escaped]),
    ("__urldecode", 1, &[Escaped]),
    ("__urlencode", 1, &[Text]),
    ("__V", 1, &[Read, Text]),
    ("__FileToString", 1, &[FILES, Of(&["", "UTF-8", "ISO-8859-1", "x"]), Store]),
    ("__StringFromFile", 1, &[FILES, Store, Of(&["", "1", "x"]), Of(&["", "2"])]),
    (
        "__CSVRead",
        2,
        &[
            Of(&["data/users.csv", "data/header.csv", "data/missing.csv", "*own", "data/uneven.csv", ""]),
            COLUMNS,
        ],
    ),
    ("__XPath", 2, &[XML_FILES, XPATHS]),
    ("__Random", 2, &[Only(&["5"]), Only(&["5"]), Store]),
    ("__RandomString", 2, &[Of(&["3", "0", "1", "", "x"]), Only(&["a"]), Store]),
    ("__RandomFromMultipleVars", 1, &[Of(&["a", "list", "b", "nothing"]), Store]),
    ("__time", 1, &[Of(&["'fixed'", "'a''b'", "''"]), Store]),
    ("__jexl3", 1, &[SCRIPTS, Store]),
    ("__jexl2", 1, &[SCRIPTS, Store]),
    ("__groovy", 1, &[SCRIPTS, Store]),
    ("__javaScript", 1, &[SCRIPTS, Store]),
    ("__BeanShell", 1, &[SCRIPTS, Store]),
    ("__MD5", 1, &[Text, Store]),
    ("__base64Decode", 1, &[Of(&["YQ==", "YWJj", "YWI", "", "x!", "w6k=", "-_8="]), Store]),
    ("__base64Encode", 1, &[Text, Store]),
    ("__caseFormat", 1, &[Text, CASE_FORMATS, Store]),
    ("__chooseRandom", 3, &[Only(&["x"]), Only(&["x"]), Store]),
    ("__doubleSum", 2, &[Fraction, Fraction, Fraction, Store]),
    ("__if", 4, &[Text, Text, Text, Text, Store]),
    ("__isDefined", 1, &[Read]),
    ("__iterationNum", 0, &[]),
    ("__lowercase", 1, &[Text, Store]),
    ("__strLen", 1, &[Text, Store]),
    ("__strReplace", 3, &[Text, Of(&["a", "", " ", ".", "$", "é", "\\\\w", "b"]), Text, Store]),
    ("__substring", 3, &[Text, Number, Number, Store]),
    ("__uppercase", 1, &[Text, Store]),
    ("__env", 1, &[Of(&["NO_SUCH_VARIABLE", ""]), Store, Text]),
];

const TEXTS: &[&str] = &[
    "a",
    "abc",
    "Hello World",
    "",
    " ",
    " x ",
    "é€😀",
    "a\\,b",
    "\\$5",
    "a-b_c d",
    "<a href=\"x\">&amp;</a>",
    "1",
    "ONE two",
    "x=1&y=2",
    "a+b%20c",
    "\\\\",
    "line\nbreak",
    "(a)",
    "{b}",
    "'q'",
    "\"dq\"",
    "tab\there",
    "$1",
    "$",
    "straße İi",
    "camelCaseText",
    "UPPER_SNAKE",
    "a.b.c",
    "\\\\n",
    "#!?*",
    "1\\,2\\,3",
];

const ESCAPED: &[&str] = &[
    "&lt;&amp;&eacute;&#65;&#x42;&nbsp;&unknown;",
    "a%20b+c%C3%A9",
    "\\\\u0041\\\\t\\\\n",
    "plain",
    "%zz",
    "100%",
    "&lt",
    "&#;",
    "\\\\",
    "\\\\q\\\\101\\\\'",
    "&apos;&quot;&euro;",
    "",
    "%",
    "&#99999999;",
    "\\\\uD83D\\\\uDE00",
    "%E9",
    "&AMP;&Lt;",
    "a\\\\\\\\b",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "5",
    "10",
    "-3",
    "65",
    "0x41",
    "0101",
    "2147483647",
    "9223372036854775807",
    " 4 ",
    "+7",
    "233",
    "128512",
];
const WRONG_NUMBERS: &[&str] = &["x", "1.5", "", "99999999999999999999", "1e3", " "];
const FRACTIONS: &[&str] =
    &["1.5", "0.1", "-2", "1e3", "0", "x", "3.0", "100000000", "0.30000000000000004", "1d", " 2.5 "];
const NAMES: &[&str] = &["s", "s", "t", "a", "", "x y", " s "];
const READS: &[&str] =
    &["a", "b", "list", "ref", "none", "text", "s", "t_1", "long", "x y", "", "call", "s_n"];
const PROPERTIES: &[&str] = &["own", "none", "set", "", "os.none", "own "];

/// Samplers in which calls stand, and a look at the variables.
fn samplers(rng: &mut ChoiceRng) -> Vec<Node> {
    let mut nodes = vec![variables(&[
        ("a", "1"),
        ("b", "two"),
        ("list", "x,y,,z"),
        ("ref", "b"),
        ("t_1", "one"),
        ("text", "${a} & ${b}"),
        ("long", "The quick  brown fox, 12 times; 3.50"),
        ("x y", "spaced"),
        ("call", "${__changeCase(up,UPPER)}"),
    ])];
    nodes.push(get("first", "/ok"));
    for index in 0..=rng.below(6) {
        nodes.push(place(index, rng));
    }
    nodes.push(debug("d"));
    nodes
}

/// A sampler with calls somewhere.
fn place(index: usize, rng: &mut ChoiceRng) -> Node {
    use crate::fuzz::elements::Edit as _;
    let name = format!("s{index}");
    let text = text_with_calls(rng, 0);
    match *rng.weighted(&[(12, 0), (2, 1), (2, 2), (2, 3), (2, 4), (1, 5)]) {
        1 => request(&name, "GET", "/q", &[("p", &text), (&text_with_calls(rng, 0), "v")]),
        2 => raw(&name, "POST", "/h", "x").of([headers("h", &[("X-Own", &text)])]),
        3 => raw(&name, "POST", "/a", "x").of([assertion(
            "judge",
            "response_data",
            *rng.pick(&[2, 8, 16, 6]),
            &[&text],
        )]),
        4 => if_of(
            &name,
            &format!(
                "${{__jexl3({})}}",
                rng.pick(&[
                    "${a} == 1",
                    "\"${b}\" == \"two\"",
                    "${__isVarDefined(s)}",
                    "${__longSum(1,${a})} > 1"
                ])
            ),
            [raw(&format!("in{index}"), "POST", "/i", &text)],
        ),
        5 => get(&text, "/named"),
        _ => raw(&name, "POST", "/f", &text),
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Functions;

impl Family for Functions {
    fn name(&self) -> &'static str {
        "functions"
    }

    fn setting(&self, _rng: &mut ChoiceRng) -> Setting {
        Setting { properties: vec![("own".to_owned(), "property value".to_owned())], ..Setting::default() }
    }

    fn group(&self, rng: &mut ChoiceRng) -> Vec<Node> {
        vec![users(samplers(rng))]
    }
}

fn text_with_calls(rng: &mut ChoiceRng, depth: usize) -> String {
    let mut out = String::new();
    for _ in 0..=rng.below(if depth == 0 { 3 } else { 1 }) {
        match *rng.weighted(&[(6, 0), (1, 1), (1, 2)]) {
            0 => out.push_str(&call(rng, depth)),
            1 => out.push_str(*rng.pick(&[
                "${a}",
                "${b}",
                "${none}",
                "${x y}",
                "${",
                "}",
                "$",
                "${}",
                "${__nosuch(1,2)}",
                "${__Time()}",
            ])),
            _ => out.push_str(*rng.pick(&[" ", "x", "\\", "\\$", "\\,", ",", "é", ")", "\n", "\\\\"])),
        }
        if depth == 0 {
            out.push_str(*rng.pick(&["", "|", " "]));
        }
    }
    out
}

fn call(rng: &mut ChoiceRng, depth: usize) -> String {
    let (name, least, kinds) = *rng.pick(SHAPES);
    let count = if rng.chance(30) { least } else { least + rng.below(kinds.len() - least + 1) };
    if count == 0 {
        return format!("${{{name}{}}}", rng.pick(&["", "()"]));
    }
    let arguments: Vec<String> = kinds[..count].iter().map(|kind| argument(*kind, rng, depth)).collect();
    let joined = arguments.join(",");
    // A single empty argument is none.
    let joined = if joined.is_empty() { " ".to_owned() } else { joined };
    format!(
        "${{{}{name}({joined}){}}}",
        if rng.chance(3) { " " } else { "" },
        if rng.chance(3) { " " } else { "" }
    )
}

fn argument(kind: Kind, rng: &mut ChoiceRng, depth: usize) -> String {
    if depth < 2 && rng.chance(12) && !matches!(kind, Of(_) | Only(_)) {
        return nested(rng, depth);
    }
    if !matches!(kind, Only(_)) && rng.chance(6) {
        return (*rng.pick(&["${a}", "${b}", "${none}", "${long}"])).to_owned();
    }
    (*match kind {
        Text => rng.pick(TEXTS),
        Number if rng.chance(12) => rng.pick(WRONG_NUMBERS),
        Number => rng.pick(NUMBERS),
        Fraction => rng.pick(FRACTIONS),
        Store => rng.pick(NAMES),
        Read => rng.pick(READS),
        Property => rng.pick(PROPERTIES),
        Of(values) | Only(values) => rng.pick(values),
        Escaped => rng.pick(ESCAPED),
    })
    .to_owned()
}

/// A call as an argument: anything around it must not end the call that it stands in.
fn nested(rng: &mut ChoiceRng, depth: usize) -> String {
    let inner = call(rng, depth + 1);
    match rng.below(4) {
        0 => format!("x{inner}"),
        1 => format!("{inner}\\,"),
        _ => inner,
    }
}
