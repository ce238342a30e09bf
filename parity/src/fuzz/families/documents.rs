//! Documents to look into: JSON, XML, HTML and texts, in ordinary and in odd forms.

use std::fmt::Write as _;

use swell_plan::Node;

use crate::fuzz::ChoiceRng;
use crate::fuzz::elements::get;

/// A body with its content type.
pub(super) struct Document {
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
}

/// Which documents a group is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Json,
    Xml,
    Html,
    Text,
}

impl Document {
    fn new(content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { content_type, body: body.into() }
    }

    /// One of a sort, now and then of another one or of none.
    pub(super) fn of(sort: Sort, rng: &mut ChoiceRng) -> Self {
        if rng.chance(8) {
            return Self::odd(rng);
        }
        match sort {
            Sort::Json => {
                Self::new(*rng.pick(&["application/json", "application/json;charset=UTF-8"]), json(rng, 0))
            }
            Sort::Xml => Self::new(*rng.pick(&["application/xml", "text/xml; charset=utf-8"]), xml(rng)),
            Sort::Html => Self::new("text/html; charset=utf-8", html(rng)),
            Sort::Text => Self::new("text/plain; charset=utf-8", text(rng)),
        }
    }

    fn odd(rng: &mut ChoiceRng) -> Self {
        match rng.below(6) {
            0 => Self::new("text/plain", ""),
            1 => Self::new("application/octet-stream", b"\x00\x01\xff\xfe{\"a\":1}\x80".to_vec()),
            2 => Self::new("text/plain; charset=ISO-8859-1", b"caf\xe9 a=1;b=\xfc".to_vec()),
            3 => Self::new("text/html; charset=utf-8", "  \n"),
            4 => Self::new("application/json", *rng.pick(JSON_CORNERS)),
            _ => Self::new("application/xml", *rng.pick(XML_CORNERS)),
        }
    }

    /// The text, for a variable of the plan.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The path at which the recorder sends it.
    pub(super) fn path(&self) -> String {
        format!("/doc?{}&{}", percent(self.content_type.as_bytes()), percent(&self.body))
    }

    /// A request for it; now and then for another one by a redirect, so that there are parts.
    pub(super) fn request(&self, name: &str, rng: &mut ChoiceRng) -> Node {
        if rng.chance(15) { get(name, "/redirect/1") } else { get(name, &self.path()) }
    }
}

/// Everything but letters and digits as in a URL.
fn percent(bytes: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    bytes.iter().map(one).collect()
}

const JSON_CORNERS: &[&str] = &[
    "null",
    "true",
    "17",
    "\"text\"",
    "[]",
    "{}",
    "[[[]]]",
    "{\"a\":1,\"a\":2}",
    "{\"a\":[1,2,],\"b\":3}",
    "{a:1,'b':'two'}",
    "{\"a\":1} trailing",
    "// note\n{\"a\":1}",
    "{\"a\":NaN,\"b\":Infinity}",
    "[1,\"x\",null,true,{\"a\":[]},[2]]",
    "{\"a\":\"\\u00e9\\ud83d\\ude00\\/\\n\\t\\\"\"}",
    "{\"\":\"empty\",\" \":\"blank\",\"a.b\":\"dotted\",\"a b\":\"spaced\",\"$\":\"dollar\",\"@\":\"at\",\"*\":\"star\"}",
    "{\"a\":01}",
    "{\"a\":\"unclosed",
    "{\"a\":1",
    "",
];

const XML_CORNERS: &[&str] = &[
    "<a/>",
    "<a>",
    "text",
    "<a><b>1</b><b>2</b></a><c/>",
    "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY e \"ent\">]><a>&e;</a>",
    "<a xmlns=\"urn:d\" xmlns:p=\"urn:p\"><p:b p:k=\"1\">x</p:b><b k=\"2\"/></a>",
    "<a><![CDATA[<b>]]>&lt;c&gt;&#233;&#x41;</a>",
    "<a>  <b> x  y </b>\n</a>",
    "<a><!-- c --><?pi data?><b/></a>",
    "<a b='1' b='2'/>",
    "<a>&nbsp;</a>",
    " <a/>",
];

const KEYS: &[&str] = &["a", "b", "c", "id", "name", "list", "A", "a b", "a.b", "é", "0"];

/// A random JSON value.
pub(super) fn json(rng: &mut ChoiceRng, depth: usize) -> String {
    let weight = if depth >= 3 { 0 } else { 10 };
    match *rng.weighted(&[(weight, 0), (weight, 1), (if depth == 0 { 1 } else { 9 }, 2)]) {
        0 => {
            let count = rng.below(5);
            let gap = *rng.pick(&["", " ", "\n  "]);
            let members: Vec<String> = (0..count)
                .map(|_| format!("{gap}\"{}\":{gap}{}", rng.pick(KEYS), json(rng, depth + 1)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        1 => {
            let count = rng.below(5);
            let members: Vec<String> = if rng.chance(40) {
                (0..count).map(|_| record(rng)).collect()
            } else {
                (0..count).map(|_| json(rng, depth + 1)).collect()
            };
            format!("[{}]", members.join(*rng.pick(&[",", ", "])))
        }
        _ => scalar(rng),
    }
}

/// An object as lists of them have it.
fn record(rng: &mut ChoiceRng) -> String {
    format!("{{\"id\":{},\"name\":{},\"a\":{}}}", scalar(rng), scalar(rng), scalar(rng))
}

fn scalar(rng: &mut ChoiceRng) -> String {
    const SCALARS: &[&str] = &[
        "0",
        "1",
        "2",
        "-1",
        "10",
        "1.0",
        "1.50",
        "-0.0",
        "1e3",
        "1E-2",
        "1.5e300",
        "12345678901234567890",
        "0.1234567890123456789",
        "2147483648",
        "true",
        "false",
        "null",
        "\"\"",
        "\"x\"",
        "\"y\"",
        "\"1\"",
        "\"a b\"",
        "\"é€😀\"",
        "\"\\u0041\\\"\\\\\\/\\n\"",
        "\"<b>&amp;</b>\"",
        "\" x \"",
        "\"null\"",
        "\"$1\"",
        "\"X\"",
        "\"2024-01-02T03:04:05Z\"",
        "[]",
        "{}",
    ];
    (*rng.pick(SCALARS)).to_owned()
}

/// A random document of XML.
pub(super) fn xml(rng: &mut ChoiceRng) -> String {
    let head = *rng.pick(&[
        "",
        "",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<?xml version=\"1.0\"?><!-- c -->\n",
    ]);
    let spaces = *rng.pick(&[
        "",
        "",
        "",
        " xmlns:p=\"urn:p\"",
        " xmlns=\"urn:d\"",
        " xmlns=\"urn:d\" xmlns:p=\"urn:p\"",
    ]);
    let inside = xml_nodes(rng, 0, spaces.contains(":p"));
    format!("{head}<r{spaces}>{inside}</r>{}", rng.pick(&["", "\n", "<!-- end -->"]))
}

fn xml_nodes(rng: &mut ChoiceRng, depth: usize, prefix: bool) -> String {
    let count = rng.below(if depth == 0 { 6 } else { 4 });
    (0..count).map(|_| xml_node(rng, depth, prefix)).collect()
}

fn xml_node(rng: &mut ChoiceRng, depth: usize, prefix: bool) -> String {
    if depth >= 3 || rng.chance(30) {
        return (*rng.pick(XML_TEXTS)).to_owned();
    }
    let mut name = (*rng.pick(&["a", "b", "c", "item"])).to_owned();
    if prefix && rng.chance(30) {
        name = format!("p:{name}");
    }
    let mut attributes = String::new();
    for key in ["id", "k"] {
        if rng.chance(35) {
            let value = *rng.pick(&["1", "2", "x", "", "a&amp;b", "é", " s ", "&quot;q&quot;"]);
            let mark = if rng.chance(70) { '"' } else { '\'' };
            write!(attributes, " {key}={mark}{value}{mark}").expect("a String takes everything");
        }
    }
    if rng.chance(15) {
        return format!("<{name}{attributes}/>");
    }
    format!("<{name}{attributes}>{}</{name}>", xml_nodes(rng, depth + 1, prefix))
}

const XML_TEXTS: &[&str] = &[
    "x",
    "1",
    "2",
    "10.50",
    " spaced  out ",
    "\n  ",
    "&lt;&amp;&gt;",
    "é€",
    "<![CDATA[<raw> & ]]>",
    "<!-- note -->",
    "<?pi some?>",
    "&#65;&#x42;",
    "true",
    "-3",
];

/// A random page, often broken in the ways in which pages are.
pub(super) fn html(rng: &mut ChoiceRng) -> String {
    let body: String = (0..=rng.below(6)).map(|_| html_part(rng, 0)).collect();
    match rng.below(5) {
        0 => body,
        1 => format!("<html><body>{body}"),
        2 => format!("<HTML><HEAD><TITLE>T &amp; t</TITLE></HEAD><BODY>{body}</BODY></HTML>"),
        _ => format!(
            "<!DOCTYPE html>\n<html>\n<head><title> A  title </title><meta charset=\"utf-8\"></head>\n<body class=\"x y\">\n{body}\n</body>\n</html>\n"
        ),
    }
}

fn html_part(rng: &mut ChoiceRng, depth: usize) -> String {
    if depth > 2 || rng.chance(25) {
        return (*rng.pick(HTML_TEXTS)).to_owned();
    }
    if rng.chance(45) {
        return (*rng.pick(HTML_PIECES)).to_owned();
    }
    let name =
        *rng.pick(&["div", "p", "span", "ul", "li", "b", "i", "a", "h1", "section", "td", "form", "DIV"]);
    let mut attributes = String::new();
    for (key, percent) in [("class", 40), ("id", 30), ("data-v", 20), ("title", 10)] {
        if rng.chance(percent) {
            let value = *rng.pick(&["x", "y", "x y", "main", "1", "", "a&amp;b", "é"]);
            let quoted = match rng.below(4) {
                0 if !value.is_empty() && !value.contains(' ') => value.to_owned(),
                1 => format!("'{value}'"),
                _ => format!("\"{value}\""),
            };
            write!(attributes, " {key}={quoted}").expect("a String takes everything");
        }
    }
    let inside: String = (0..rng.below(4)).map(|_| html_part(rng, depth + 1)).collect();
    let close = if rng.chance(80) { format!("</{name}>") } else { String::new() };
    format!("<{name}{attributes}>{inside}{close}")
}

const HTML_TEXTS: &[&str] = &[
    "text",
    " two  words ",
    "\n",
    "&amp;",
    "&lt;b&gt;",
    "&eacute;&nbsp;x",
    "&unknown;",
    "&",
    "é€",
    "a < b",
    "1",
    "<br>",
    "<br/>",
    "&#65;&#x42",
    "<!-- c -->",
    "\t",
];

const HTML_PIECES: &[&str] = &[
    "<input type=\"hidden\" name=\"token\" value=\"t&amp;1\">",
    "<input name=user value='u' disabled>",
    "<a href=\"/next?a=1&b=2\">next</a>",
    "<a href='x' class=\"x\">one <b>two</b> three</a>",
    "<ul><li>1<li class=x>2<li>3</ul>",
    "<table><tr><td>1<td>2<tr><td>3</table>",
    "<table><tbody><tr><th>h</th></tr><tr><td class=\"y\">c</td></tr></tbody></table>",
    "<p>one<p class=\"y\">two",
    "<select name=s><option value=1 selected>one<option value=2>two</select>",
    "<script>var a = '<b>x</b>';</script>",
    "<style>p { color: red }</style>",
    "<textarea name=t> <b>raw</b></textarea>",
    "<img src=\"i.png\" alt=\"\">",
    "<b><i>mixed</b></i>",
    "</div>",
    "<pre>\n a\n  b</pre>",
    "<dl><dt>t<dd>d</dl>",
    "<span id=main class=\"a  b\">  s  </span>",
    "<div id=\"main\"><p class=\"x\">in</p></div>",
    "<h1 title=\"T\">Head</h1>",
];

fn text(rng: &mut ChoiceRng) -> String {
    let lines = rng.below(5);
    let mut out = String::new();
    for _ in 0..lines {
        out.extend([*rng.pick(LINES), *rng.pick(&["\n", "\n", "\r\n"])]);
    }
    out.push_str(*rng.pick(LINES));
    out
}

const LINES: &[&str] = &[
    "ok",
    "",
    "a=1;b=22;c=333",
    "id: 17, name: \"Ann\", id: 18",
    "<item id=\"1\">one</item><item id=\"2\">two</item>",
    "token=abc-123&user=x",
    "café €uro 😀",
    "x x xx xxx",
    "[tag](link) {brace} $dollar \\back",
    "2024-01-02 03:04:05 ERROR none",
    "&lt;b&gt;bold&lt;/b&gt; &amp;amp; &eacute;",
    "A1B22C333",
    "  indented\ttabbed  ",
    "left[in]right left[out]right left[]right",
];
