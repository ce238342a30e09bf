//! Assertions with any options over any document.

use swell_plan::{Node, PropertyValue};

use super::documents::{Document, Sort};
use super::extract::{namespaces, scoped};
use super::{json_paths, paths, xpaths};
use crate::fuzz::plan::users;
use crate::fuzz::{Dice, Family};
use crate::suite::parts::{Edit, assertion, bean, debug, element, get, set, simple, variables};

/// See the module.
#[derive(Debug)]
pub(super) struct Assert;

impl Family for Assert {
    fn name(&self) -> &'static str {
        "assert"
    }

    fn group(&self, dice: &mut Dice) -> Vec<Node> {
        vec![users(samplers(dice))]
    }
}

/// Samplers with assertions.
fn samplers(dice: &mut Dice) -> Vec<Node> {
    let sort = *dice.pick(&[Sort::Json, Sort::Json, Sort::Xml, Sort::Html, Sort::Text, Sort::Text]);
    let source = Document::of(sort, dice).text().replace("${", "$ {");
    let mut nodes = vec![variables(&[("source", &source), ("old", "o"), ("v", "1"), ("x", "x")])];
    for index in 0..=dice.below(4) {
        let count = dice.below(3) + 1;
        let assertions: Vec<Node> = (0..count).map(|at| judge(&format!("j{at}"), sort, dice)).collect();
        let sampler = if dice.chance(10) {
            let path = *dice.pick(&[
                "/status/404",
                "/status/500",
                "/status/204",
                "/drop",
                "/redirect/2",
                "/redirect-to?url=/status/404",
            ]);
            get(&format!("s{index}"), path)
        } else {
            Document::of(sort, dice).request(&format!("s{index}"), dice)
        };
        nodes.push(sampler.of(assertions));
    }
    if dice.chance(15) {
        let twins = [get("same", "/ok"), get("other", *dice.pick(&["/ok", "/json", "/status/404"]))];
        nodes.push(simple("compared", [compare(dice)].into_iter().chain(twins)));
    }
    if dice.chance(20) {
        nodes.push(debug("d"));
    }
    nodes
}

fn judge(name: &str, sort: Sort, dice: &mut Dice) -> Node {
    let kind = match sort {
        Sort::Json => *dice.weighted(&[(3, 0), (1, 1), (1, 2), (6, 3), (6, 4)]),
        Sort::Xml => *dice.weighted(&[(2, 0), (1, 1), (5, 5), (5, 6), (3, 7)]),
        Sort::Html => *dice.weighted(&[(3, 0), (1, 1), (4, 5), (2, 8)]),
        Sort::Text => *dice.weighted(&[(8, 0), (4, 1), (2, 2), (1, 7), (1, 9)]),
    };
    match kind {
        0 => response(name, dice),
        1 => size(name, dice),
        2 => digest(name, dice),
        3 => json(name, dice),
        4 => jmespath(name, dice),
        5 => xpath(name, sort, dice),
        6 => xpath2(name, dice),
        7 => scoped(element("XMLAssertion", "XMLAssertionGui", name, &[]), dice),
        8 => tidy(name, dice),
        _ => scoped(
            element(
                "DurationAssertion",
                "DurationAssertionGui",
                name,
                &[("DurationAssertion.duration", *dice.pick(&["0", "60000", "x", "", "-1", "${v}0000"]))],
            ),
            dice,
        ),
    }
}

fn response(name: &str, dice: &mut Dice) -> Node {
    let field = *dice.weighted(&[
        (8, "response_data"),
        (2, "response_code"),
        (2, "response_message"),
        (2, "response_headers"),
        (1, "request_data"),
    ]);
    let kind = *dice.pick(&[1, 2, 8, 16])
        + if dice.chance(30) { 4 } else { 0 }
        + if dice.chance(30) { 32 } else { 0 };
    let regex = kind & 3 != 0;
    let patterns: Vec<&str> = (0..dice.below(4))
        .map(|_| match field {
            "response_code" => *dice.pick(&["200", "404", "2..", "", "20", "[45]\\d\\d"]),
            "response_message" => *dice.pick(&["OK", "Found", "O.", "", "Not"]),
            _ if regex && dice.chance(80) => paths::pattern(dice),
            _ => *dice.pick(&[
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
    let node = assertion(name, field, kind, &patterns).flag("Assertion.assume_success", dice.chance(15));
    let node = node.text("Assertion.custom_message", *dice.pick(&["", "", "", "own ${old}", " "]));
    scoped(node, dice)
}

fn size(name: &str, dice: &mut Dice) -> Node {
    let field = *dice.pick(&[
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
            (*dice.pick(&["0", "2", "3", "100", "200", "x", "", "${v}", "-1", "99999999999"])).to_owned(),
        ),
    ];
    let node =
        texts.iter().fold(element("SizeAssertion", "SizeAssertionGui", name, &[]), |node, (name, value)| {
            node.text(name, value)
        });
    scoped(node.int("SizeAssertion.operator", dice.range(1, 6)), dice)
}

fn digest(name: &str, dice: &mut Dice) -> Node {
    let value = *dice.pick(&[
        "d41d8cd98f00b204e9800998ecf8427e",
        "D41D8CD98F00B204E9800998ECF8427E",
        "",
        "x",
        "b026324c6904b2a9cb4b88d6d61c81d1",
        "${v}",
    ]);
    element("MD5HexAssertion", "MD5HexAssertionGUI", name, &[("MD5HexAssertion.size", value)])
}

fn expected(dice: &mut Dice) -> &'static str {
    *dice.pick(&[
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

fn flags(node: Node, dice: &mut Dice) -> Node {
    let node = node.flag("JSONVALIDATION", dice.chance(65)).flag("EXPECT_NULL", dice.chance(15));
    node.flag("INVERT", dice.chance(20)).flag("ISREGEX", dice.chance(40))
}

fn json(name: &str, dice: &mut Dice) -> Node {
    let path = json_paths::json_path(dice);
    let node = element(
        "JSONPathAssertion",
        "JSONPathAssertionGui",
        name,
        &[("JSON_PATH", &path), ("EXPECTED_VALUE", expected(dice))],
    );
    flags(node, dice)
}

fn jmespath(name: &str, dice: &mut Dice) -> Node {
    let path = json_paths::jmes_path(dice, 0);
    let node = element(
        "JMESPathAssertion",
        "JMESPathAssertionGui",
        name,
        &[("JMES_PATH", &path), ("EXPECTED_VALUE", expected(dice))],
    );
    flags(node, dice)
}

fn xpath(name: &str, sort: Sort, dice: &mut Dice) -> Node {
    let path = xpaths::xpath(dice, 0);
    let tolerant = sort == Sort::Html && dice.chance(85);
    let node = element("XPathAssertion", "XPathAssertionGui", name, &[("XPath.xpath", &path)]);
    let node = node
        .flag("XPath.validate", false)
        .flag("XPath.tolerant", tolerant)
        .flag("XPath.whitespace", dice.chance(20));
    let node = node.flag("XPath.namespace", dice.chance(30)).flag("XPath.negate", dice.chance(25));
    scoped(node, dice)
}

fn xpath2(name: &str, dice: &mut Dice) -> Node {
    let path = xpaths::xpath2(dice, 0);
    let node = element(
        "XPath2Assertion",
        "XPath2AssertionGui",
        name,
        &[("XPath.xpath", &path), ("XPath.namespaces", namespaces(dice))],
    );
    scoped(node.flag("XPath.negate", dice.chance(25)), dice)
}

fn tidy(name: &str, dice: &mut Dice) -> Node {
    let node = element(
        "HTMLAssertion",
        "HTMLAssertionGui",
        name,
        &[("html_assertion_doctype", *dice.pick(&["omit", "auto", "strict", "loose"]))],
    );
    let mut long = |node: Node, name: &str, values: &[&str]| {
        set(node, &format!("html_assertion_{name}"), PropertyValue::Long((*dice.pick(values)).to_owned()))
    };
    let node = long(node, "format", &["0", "1", "2"]);
    let node = long(node, "error_threshold", &["0", "1", "5"]);
    let node = long(node, "warning_threshold", &["0", "2", "10"]);
    node.flag("html_assertion_errorsonly", dice.chance(30))
}

fn compare(dice: &mut Dice) -> Node {
    let node = bean("CompareAssertion", "compare", &[("compareTime", "-1")]);
    let node = set(node, "stringsToSkip", PropertyValue::Collection(Vec::new()));
    node.flag("compareContent", dice.chance(80))
}
