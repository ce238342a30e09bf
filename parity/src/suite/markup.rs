//! XML and HTML documents: what is found in them, and what is said of them.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{Edit, debug, element, get, raw, users, variables};

const SHOP: &str = "<s xmlns:x='u'><x:i n='1'>a<b>c</b></x:i><i n='2' k='&lt;&quot;'>d &amp; e</i><i/>\
                    <!-- n --><i><![CDATA[<f>]]>g</i></s>";

/// An XPath Extractor.
pub(super) fn xpath(variable: &str, query: &str, number: &str) -> Node {
    let node = xpath_node("XPathExtractor", "XPathExtractorGui", "XPathExtractor", variable, query, number);
    ["validate", "tolerant", "namespace"]
        .iter()
        .fold(node, |node, flag| node.flag(&format!("XPathExtractor.{flag}"), false))
}

fn xpath_node(class: &str, gui: &str, prefix: &str, variable: &str, query: &str, number: &str) -> Node {
    element(
        class,
        gui,
        variable,
        &[
            (&format!("{prefix}.default"), "none"),
            (&format!("{prefix}.refname"), variable),
            (&format!("{prefix}.matchNumber"), number),
            (&format!("{prefix}.xpathQuery"), query),
        ],
    )
}

/// An XPath Assertion with these of its switches on.
pub(super) fn xpath_assertion(path: &str, on: &[&str]) -> Node {
    let node = element("XPathAssertion", "XPathAssertionGui", path, &[("XPath.xpath", path)]);
    ["validate", "whitespace", "tolerant", "namespace", "negate"]
        .iter()
        .fold(node, |node, flag| node.flag(&format!("XPath.{flag}"), on.contains(flag)))
}

/// An element that looks at a variable.
fn of_variable(node: Node, scope: &str, variable: &str) -> Node {
    node.text(scope, "variable").text("Scope.variable", variable)
}

fn from(node: Node, variable: &str) -> Node {
    of_variable(node, "Sample.scope", variable)
}

pub(super) fn drafts() -> Vec<Draft> {
    [extractors(), assertions()].concat()
}

fn with_debug(name: &'static str, about: &'static str, body: Vec<Node>) -> Draft {
    Draft::new(name, about, [users(body.into_iter().chain([debug("variables")]))]).rule("mask bytes")
}

fn extractors() -> Vec<Draft> {
    let shop = |variable: &str, query: &str, number: &str| from(xpath(variable, query, number), "shop");
    let aware = |node: Node| node.flag("XPathExtractor.namespace", true);
    let whole = |node: Node| node.flag("XPathExtractor.fragment", true);
    vec![
        with_debug(
            "xpath_options",
            "Match numbers, values of all kinds, namespaces, fragments.",
            vec![
                variables(&[
                    ("shop", SHOP),
                    ("query", "//i[2]"),
                    ("old_3", "x"),
                    ("old_matchNr", "3"),
                    ("old_1", "y"),
                ]),
                get("page", "/ok").of([
                    shop("all", "//i", "-1"),
                    shop("second", "//i", "2"),
                    shop("ninth", "//i", "9"),
                    shop("any", "//i[@k]", "0"),
                    shop("none_any", "//z", "0"),
                    shop("no_number", "//i[@k]", ""),
                    shop("first_child", "//*", "-1"),
                    shop("texts", "//text()", "-1"),
                    shop("attributes", "//@*", "-1"),
                    shop("comment", "//comment()", "1"),
                    shop("root", "/", "1"),
                    shop("number", "count(//i) div 2", "5"),
                    shop("boolean", "//i = 'a'", "1"),
                    shop("string", "string(//i[2])", "1"),
                    shop("query", "${query}", "1"),
                    shop("local", "//*[local-name()='i']/@n", "-1"),
                    shop("prefix", "//x:i", "-1"),
                    aware(shop("prefix_aware", "//x:i", "-1")),
                    whole(shop("fragment", "//i", "-1")),
                    whole(aware(shop("fragment_aware", "//x:i", "1"))),
                    whole(shop("fragment_text", "//i/@k | //i/text()", "-1")),
                    shop("old", "//z", "-1"),
                    from(xpath("missing", "//i", "1"), "nothing"),
                ]),
            ],
        ),
        with_debug(
            "xpath_failures",
            "Documents and paths that are wrong: a result of an assertion, but the sample is good.",
            vec![
                variables(&[("shop", SHOP), ("kept_matchNr", "2"), ("kept_1", "x"), ("kept_2", "y")]),
                get("bad path", "/ok").of([shop("v", "//i[", "1")]),
                get("bad function", "/ok").of([shop("v", "matches(//i, 'a')", "1")]),
                get("unknown prefix", "/ok").of([shop("v", "//y:i", "1")]),
                get("empty path", "/ok").of([shop("v", "", "1")]),
                get("no nodes", "/ok").of([shop("v", "count('a')", "1")]),
                get("variable", "/ok").of([shop("v", "$a", "1")]),
                get("not xml", "/json").of([xpath("kept", "//i", "-1")]),
                get("nothing", "/status/204").of([xpath("v", "//i", "1")]),
                get("page", "/html").of([xpath("page", "//li/@data-id", "-1")]),
                get("broken page", "/page").of([xpath("broken", "//a", "1")]),
                get("parts", "/redirect/1").of([xpath("parts", "//a", "1").text("Sample.scope", "all")]),
            ],
        ),
        Draft::new(
            "functions_xpath_turns",
            "Nodes of a file in turn, and what has no text.",
            [users([
                raw("own", "POST", "/f", "${__XPath(data/shop.xml,//@id)} ${__XPath(data/shop.xml,//@id)}"),
                raw(
                    "again",
                    "POST",
                    "/f",
                    "${__XPath(data/shop.xml,//@id)} ${__XPath(data/shop.xml,//item)}",
                ),
                raw("none", "POST", "/f", "[${__XPath(data/shop.xml,//z)}] [${__XPath(data/shop.xml,//z[)}]"),
                raw(
                    "number",
                    "POST",
                    "/f",
                    "[${__XPath(data/shop.xml,count(//z))}] [${__XPath(data/none.xml,//z)}]",
                ),
            ])],
        ),
    ]
}

fn assertions() -> Vec<Draft> {
    let judge = |name: &str, path: &str, on: &[&str]| get(name, "/xml").of([xpath_assertion(path, on)]);
    vec![Draft::new(
        "assertion_xpath_options",
        "Values of all kinds, negated, with namespaces, validated, on others than the sample.",
        [
            variables(&[("shop", SHOP), ("empty", ""), ("bad", "<a>")]),
            users([
                judge("number", "count(//item)", &[]),
                judge("text", "'x'", &["negate"]),
                judge("true but negated", "true()", &["negate"]),
                judge("false and negated", "false()", &["negate"]),
                judge("not found and negated", "//z", &["negate"]),
                judge("empty path", "", &[]),
                judge("bad path", "//item[", &[]),
                judge("unknown prefix", "//x:item", &["namespace"]),
                judge("white space", "//shop/text()", &["whitespace"]),
                judge("validated", "//item", &["validate"]),
                get("not xml", "/json").of([xpath_assertion("//a", &[])]),
                get("broken page", "/page").of([xpath_assertion("//a", &[])]),
                get("nothing", "/status/204").of([xpath_assertion("//a", &[])]),
                get("parts", "/redirect/1").of([xpath_assertion("//a", &[]).text("Assertion.scope", "all")]),
                get("variable", "/ok").of([of_variable(
                    xpath_assertion("//x:i", &["namespace"]),
                    "Assertion.scope",
                    "shop",
                )]),
                get("empty variable", "/ok").of([of_variable(
                    xpath_assertion("//a", &[]),
                    "Assertion.scope",
                    "empty",
                )]),
                get("bad variable", "/ok").of([of_variable(
                    xpath_assertion("//a", &[]),
                    "Assertion.scope",
                    "bad",
                )]),
                get("no variable", "/ok").of([of_variable(
                    xpath_assertion("//a", &[]),
                    "Assertion.scope",
                    "none",
                )]),
            ]),
        ],
    )]
}
