//! Assertions with any options over any document.

use swell_plan::{Node, PropertyValue};

use super::documents::{Document, Sort};
use super::extract::{namespaces, scoped};
use super::{json_paths, paths, xpaths};
use crate::fuzz::elements::{Edit, assertion, bean, debug, element, get, set, simple, variables};
use crate::fuzz::plan::users;
use crate::fuzz::{ChoiceRng, Family};

/// See the module.
#[derive(Debug)]
pub(super) struct Assert;

impl Family for Assert {
    fn name(&self) -> &'static str {
        "assert"
    }

    fn group(&self, rng: &mut ChoiceRng) -> Vec<Node> {
        vec![users(samplers(rng))]
    }
}

/// Samplers with assertions.
fn samplers(rng: &mut ChoiceRng) -> Vec<Node> {
    let sort = *rng.pick(&[Sort::Json, Sort::Json, Sort::Xml, Sort::Html, Sort::Text, Sort::Text]);
    let source = Document::of(sort, rng).text().replace("${", "$ {");
    let mut nodes = vec![variables(&[("source", &source), ("old", "o"), ("v", "1"), ("x", "x")])];
    for index in 0..=rng.below(4) {
        let count = rng.below(3) + 1;
        let assertions: Vec<Node> = (0..count).map(|at| judge(&format!("j{at}"), sort, rng)).collect();
        let sampler = if rng.chance(10) {
            let path = *rng.pick(&[
                "/status/404",
                "/status/500",
                "/status/204",
                "/drop",
                "/redirect/2",
                "/redirect-to?url=/status/404",
            ]);
            get(&format!("s{index}"), path)
        } else {
            Document::of(sort, rng).request(&format!("s{index}"), rng)
        };
        nodes.push(sampler.of(assertions));
    }
    if rng.chance(15) {
        let twins = [get("same", "/ok"), get("other", *rng.pick(&["/ok", "/json", "/status/404"]))];
        nodes.push(simple("compared", [compare(rng)].into_iter().chain(twins)));
    }
    if rng.chance(20) {
        nodes.push(debug("d"));
    }
    nodes
}

fn judge(name: &str, sort: Sort, rng: &mut ChoiceRng) -> Node {
    let kind = match sort {
        Sort::Json => *rng.weighted(&[(3, 0), (1, 1), (1, 2), (6, 3), (6, 4)]),
        Sort::Xml => *rng.weighted(&[(2, 0), (1, 1), (5, 5), (5, 6), (3, 7)]),
        Sort::Html => *rng.weighted(&[(3, 0), (1, 1), (4, 5), (2, 8)]),
        Sort::Text => *rng.weighted(&[(8, 0), (4, 1), (2, 2), (1, 7), (1, 9)]),
    };
    match kind {
        0 => response(name, rng),
        1 => size(name, rng),
        2 => digest(name, rng),
        3 => json(name, rng),
        4 => jmespath(name, rng),
        5 => xpath(name, sort, rng),
        6 => xpath2(name, rng),
        7 => scoped(element("XMLAssertion", "XMLAssertionGui", name, &[]), rng),
        8 => tidy(name, rng),
        _ => scoped(
            element(
                "DurationAssertion",
                "DurationAssertionGui",
                name,
                &[("DurationAssertion.duration", *rng.pick(&["0", "60000", "x", "", "-1", "${v}0000"]))],
            ),
            rng,
        ),
    }
}

fn response(name: &str, rng: &mut ChoiceRng) -> Node {
    let field = *rng.weighted(&[
        (8, "response_data"),
        (2, "response_code"),
        (2, "response_message"),
        (2, "response_headers"),
        (1, "request_data"),
    ]);
    let kind =
        *rng.pick(&[1, 2, 8, 16]) + if rng.chance(30) { 4 } else { 0 } + if rng.chance(30) { 32 } else { 0 };
    let regex = kind & 3 != 0;
    let patterns: Vec<&str> = (0..rng.below(4))
        .map(|_| match field {
            "response_code" => *rng.pick(&["200", "404", "2..", "", "20", "[45]\\d\\d"]),
            "response_message" => *rng.pick(&["OK", "Found", "O.", "", "Not"]),
            _ if regex && rng.chance(80) => paths::pattern(rng),
            _ => *rng.pick(&[
                "ok",
                "a",
                "",
                "\"a\"",
                "<",
                "x",
                "ok\n",
                "é",
                "${old}",
                "1",
                "id",
                "Server: parity",
                "null",
                " ",
                "&amp;",
                "name",
                "{}",
                "&",
            ]),
        })
        .collect();
    let node = assertion(name, field, kind, &patterns).flag("Assertion.assume_success", rng.chance(15));
    let node = node.text("Assertion.custom_message", *rng.pick(&["", "", "", "own ${old}", " "]));
    scoped(node, rng)
}

fn size(name: &str, rng: &mut ChoiceRng) -> Node {
    let field = *rng.pick(&[
        "response_network_size",
        "response_headers",
        "response_data",
        "response_code",
        "response_message",
    ]);
    let texts = [
        ("Assertion.test_field", format!("SizeAssertion.{field}")),
        (
            "SizeAssertion.size",
            (*rng.pick(&["0", "2", "3", "100", "200", "x", "", "${v}", "-1", "99999999999"])).to_owned(),
        ),
    ];
    let node =
        texts.iter().fold(element("SizeAssertion", "SizeAssertionGui", name, &[]), |node, (name, value)| {
            node.text(name, value)
        });
    scoped(node.int("SizeAssertion.operator", rng.range(1, 6)), rng)
}

fn digest(name: &str, rng: &mut ChoiceRng) -> Node {
    let value = *rng.pick(&[
        "d41d8cd98f00b204e9800998ecf8427e",
        "D41D8CD98F00B204E9800998ECF8427E",
        "",
        "x",
        "b026324c6904b2a9cb4b88d6d61c81d1",
        "${v}",
    ]);
    element("MD5HexAssertion", "MD5HexAssertionGUI", name, &[("MD5HexAssertion.size", value)])
}

fn expected(rng: &mut ChoiceRng) -> &'static str {
    *rng.pick(&[
        "1",
        "x",
        "",
        "null",
        "true",
        "[]",
        "{}",
        "[1,2,3]",
        "\"x\"",
        "1.0",
        ".*",
        "\\d+",
        "{\"a\":1}",
        "${v}",
        "é€😀",
        "a b",
        "10",
        "1e3",
        "1000.0",
        "[",
        "x|y",
        "[\"x\"]",
    ])
}

fn flags(node: Node, rng: &mut ChoiceRng) -> Node {
    let node = node.flag("JSONVALIDATION", rng.chance(65)).flag("EXPECT_NULL", rng.chance(15));
    node.flag("INVERT", rng.chance(20)).flag("ISREGEX", rng.chance(40))
}

fn json(name: &str, rng: &mut ChoiceRng) -> Node {
    let path = json_paths::json_path(rng);
    let node = element(
        "JSONPathAssertion",
        "JSONPathAssertionGui",
        name,
        &[("JSON_PATH", &path), ("EXPECTED_VALUE", expected(rng))],
    );
    flags(node, rng)
}

fn jmespath(name: &str, rng: &mut ChoiceRng) -> Node {
    let path = json_paths::jmes_path(rng, 0);
    let node = element(
        "JMESPathAssertion",
        "JMESPathAssertionGui",
        name,
        &[("JMES_PATH", &path), ("EXPECTED_VALUE", expected(rng))],
    );
    flags(node, rng)
}

fn xpath(name: &str, sort: Sort, rng: &mut ChoiceRng) -> Node {
    let path = xpaths::xpath(rng, 0);
    let tolerant = sort == Sort::Html && rng.chance(85);
    let node = element("XPathAssertion", "XPathAssertionGui", name, &[("XPath.xpath", &path)]);
    let node = node
        .flag("XPath.validate", false)
        .flag("XPath.tolerant", tolerant)
        .flag("XPath.whitespace", rng.chance(20));
    let node = node.flag("XPath.namespace", rng.chance(30)).flag("XPath.negate", rng.chance(25));
    scoped(node, rng)
}

fn xpath2(name: &str, rng: &mut ChoiceRng) -> Node {
    let path = xpaths::xpath2(rng, 0);
    let node = element(
        "XPath2Assertion",
        "XPath2AssertionGui",
        name,
        &[("XPath.xpath", &path), ("XPath.namespaces", namespaces(rng))],
    );
    scoped(node.flag("XPath.negate", rng.chance(25)), rng)
}

fn tidy(name: &str, rng: &mut ChoiceRng) -> Node {
    let node = element(
        "HTMLAssertion",
        "HTMLAssertionGui",
        name,
        &[("html_assertion_doctype", *rng.pick(&["omit", "auto", "strict", "loose"]))],
    );
    let mut long = |node: Node, name: &str, values: &[&str]| {
        set(node, &format!("html_assertion_{name}"), PropertyValue::Long((*rng.pick(values)).to_owned()))
    };
    let node = long(node, "format", &["0", "1", "2"]);
    let node = long(node, "error_threshold", &["0", "1", "5"]);
    let node = long(node, "warning_threshold", &["0", "2", "10"]);
    node.flag("html_assertion_errorsonly", rng.chance(30))
}

fn compare(rng: &mut ChoiceRng) -> Node {
    let node = bean("CompareAssertion", "compare", &[("compareTime", "-1")]);
    let node = set(node, "stringsToSkip", PropertyValue::Collection(Vec::new()));
    node.flag("compareContent", rng.chance(80))
}
