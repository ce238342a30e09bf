//! Post processors with any options over any document, and what they leave in the variables.

use swell_plan::Node;

use super::documents::{Document, Sort};
use super::{json_paths, paths, xpaths};
use crate::fuzz::plan::users;
use crate::fuzz::{Dice, Family};
use crate::suite::parts::{Edit, bean, debug, element, variables};

/// See the module.
#[derive(Debug)]
pub(super) struct Extract;

impl Family for Extract {
    fn name(&self) -> &'static str {
        "extract"
    }

    fn group(&self, dice: &mut Dice) -> Vec<Node> {
        vec![users(samplers(dice))]
    }
}

/// Variables that extractors fill, few, so that they meet what others left.
const NAMES: &[&str] = &["v", "w", "v_1", "x y", "é"];
const NUMBERS: &[(u32, &str)] = &[(6, "1"), (6, "-1"), (3, "2"), (2, "9"), (1, "-2")];
const DEFAULTS: &[&str] = &["none", "", "NOT FOUND", "${old}", " "];

/// Samplers with extractors, and a look at the variables after each.
fn samplers(dice: &mut Dice) -> Vec<Node> {
    let sort = *dice.pick(&[Sort::Json, Sort::Json, Sort::Xml, Sort::Html, Sort::Html, Sort::Text]);
    let source = Document::of(sort, dice).text().replace("${", "$ {");
    let mut nodes = vec![variables(&[
        ("source", &source),
        ("old", "o"),
        ("v_matchNr", "2"),
        ("v_2", "left"),
        ("w_g", "1"),
    ])];
    for index in 0..=dice.below(3) {
        let document = Document::of(sort, dice);
        let extractors: Vec<Node> = (0..=dice.below(4)).map(|_| extractor(sort, dice)).collect();
        nodes.push(document.request(&format!("s{index}"), dice).of(extractors));
        nodes.push(debug(&format!("d{index}")));
    }
    nodes
}

fn extractor(sort: Sort, dice: &mut Dice) -> Node {
    if dice.chance(4) {
        return bean("DebugPostProcessor", "debug", &[])
            .flag("displayJMeterVariables", dice.chance(50))
            .flag("displaySamplerProperties", dice.chance(30))
            .flag("displayJMeterProperties", false)
            .flag("displaySystemProperties", false);
    }
    if dice.chance(2) {
        return element("ResultAction", "ResultActionGui", "action", &[]).int("OnError.action", 0);
    }
    let choice = match sort {
        Sort::Json => *dice.weighted(&[(1, 0), (1, 1), (6, 2), (5, 3)]),
        Sort::Xml => *dice.weighted(&[(1, 0), (1, 1), (5, 4), (5, 5)]),
        Sort::Html => *dice.weighted(&[(1, 0), (1, 1), (6, 6), (2, 4)]),
        Sort::Text => *dice.weighted(&[(5, 0), (4, 1)]),
    };
    let node = match choice {
        0 => regex(dice),
        1 => boundary(dice),
        2 => json(dice),
        3 => jmespath(dice),
        4 => xpath(sort, dice),
        5 => xpath2(dice),
        _ => css(dice),
    };
    scoped(node, dice)
}

/// Where it looks.
pub(super) fn scoped(node: Node, dice: &mut Dice) -> Node {
    let property = if node.element.class.ends_with("Assertion") { "Assertion.scope" } else { "Sample.scope" };
    match *dice.weighted(&[(12, ""), (1, "parent"), (2, "all"), (2, "children"), (2, "variable")]) {
        "" => node,
        "variable" => {
            let name = *dice.pick(&["source", "source", "source", "v", "v_1", "missing", ""]);
            node.text(property, "variable").text("Scope.variable", name)
        }
        scope => node.text(property, scope),
    }
}

fn name(dice: &mut Dice) -> &'static str {
    *dice.pick(NAMES)
}

fn number(dice: &mut Dice) -> &'static str {
    *dice.weighted(NUMBERS)
}

fn default(dice: &mut Dice) -> &'static str {
    *dice.pick(DEFAULTS)
}

/// The fields that a text is looked for in.
const FIELDS: &[(u32, &str)] = &[
    (8, "false"),
    (2, "unescaped"),
    (1, "true"),
    (1, "request_headers"),
    (1, "URL"),
    (1, "code"),
    (1, "message"),
];

fn regex(dice: &mut Dice) -> Node {
    let (name, field) = (name(dice), *dice.weighted(FIELDS));
    // The port is another one in each run.
    let with_port = ["request_headers", "URL"].contains(&field);
    let pattern = if with_port {
        *dice.pick(&["(?i)connection: (\\S+)", "(o)", "/(d.c)\\?(\\w+)", "zz"])
    } else {
        paths::pattern(dice)
    };
    element(
        "RegexExtractor",
        "RegexExtractorGui",
        name,
        &[
            ("RegexExtractor.useHeaders", field),
            ("RegexExtractor.refname", name),
            ("RegexExtractor.regex", pattern),
            ("RegexExtractor.template", *dice.pick(TEMPLATES)),
            ("RegexExtractor.default", default(dice)),
        ],
    )
    .flag("RegexExtractor.default_empty_value", dice.chance(20))
    .text("RegexExtractor.match_number", number(dice))
}

const TEMPLATES: &[&str] = &[
    "$1$",
    "$1$",
    "$0$",
    "$1$$2$",
    "$2$-$1$",
    "$9$",
    "",
    "$x$",
    "$1",
    "a$1$b$$",
    "\\$1$",
    "$1$ $",
    "${old}$1$",
    "1",
    "$-1$",
    "$1$\\n$2$",
];

fn boundary(dice: &mut Dice) -> Node {
    const ENDS: &[&str] = &[
        "", "\"", ":", "=", "<", ">", "[", "]", "\n", "id", "; ", "a", "x", "left[", "]right", "{", "}", "é",
        "${old}", "&lt;", "OK", "&",
    ];
    let (name, field) = (
        name(dice),
        *dice.weighted(&[(8, "false"), (2, "unescaped"), (1, "true"), (1, "code"), (1, "message")]),
    );
    element(
        "BoundaryExtractor",
        "BoundaryExtractorGui",
        name,
        &[
            ("BoundaryExtractor.useHeaders", field),
            ("BoundaryExtractor.refname", name),
            ("BoundaryExtractor.lboundary", *dice.pick(ENDS)),
            ("BoundaryExtractor.rboundary", *dice.pick(ENDS)),
            ("BoundaryExtractor.default", default(dice)),
            ("BoundaryExtractor.match_number", number(dice)),
        ],
    )
    .flag("BoundaryExtractor.default_empty_value", dice.chance(20))
}

fn json(dice: &mut Dice) -> Node {
    let count = *dice.weighted(&[(6, 1), (2, 2), (1, 3)]);
    let gap = *dice.pick(&[";", ";", "; ", " ;"]);
    let mut several = |make: &mut dyn FnMut(&mut Dice) -> String| {
        let texts: Vec<String> = (0..count).map(|_| make(dice)).collect();
        texts.join(gap)
    };
    let names = several(&mut |dice| name(dice).to_owned());
    let queries = several(&mut |dice| json_paths::json_path(dice));
    let numbers = several(&mut |dice| (*dice.pick(&["1", "1", "-1", "-1", "2", "9"])).to_owned());
    let defaults = several(&mut |dice| (*dice.pick(&["none", "dflt", "${old}", "x y"])).to_owned());
    element(
        "JSONPostProcessor",
        "JSONPostProcessorGui",
        &names,
        &[
            ("JSONPostProcessor.referenceNames", &names),
            ("JSONPostProcessor.jsonPathExprs", &queries),
            ("JSONPostProcessor.match_numbers", &numbers),
            ("JSONPostProcessor.defaultValues", &defaults),
        ],
    )
    .flag("JSONPostProcessor.compute_concat", dice.chance(20))
}

fn jmespath(dice: &mut Dice) -> Node {
    let (name, query) = (name(dice), json_paths::jmes_path(dice, 0));
    element(
        "JMESPathExtractor",
        "JMESPathExtractorGui",
        name,
        &[
            ("JMESExtractor.referenceName", name),
            ("JMESExtractor.jmesPathExpr", &query),
            ("JMESExtractor.matchNumber", *dice.pick(&["1", "1", "-1", "-1", "2", "9"])),
            ("JMESExtractor.defaultValue", default(dice)),
        ],
    )
}

fn xpath_of(class: &str, prefix: &str, query: &str, dice: &mut Dice) -> Node {
    let name = name(dice);
    element(
        class,
        &format!("{class}Gui"),
        name,
        &[
            (&format!("{prefix}.default"), default(dice)),
            (&format!("{prefix}.refname"), name),
            (&format!("{prefix}.matchNumber"), number(dice)),
            (&format!("{prefix}.xpathQuery"), query),
        ],
    )
    .flag(&format!("{prefix}.fragment"), dice.chance(30))
}

fn xpath(sort: Sort, dice: &mut Dice) -> Node {
    let query = xpaths::xpath(dice, 0);
    let node = xpath_of("XPathExtractor", "XPathExtractor", &query, dice);
    // JMeter loses samples whose XML declaration is read tolerantly.
    let tolerant = sort == Sort::Html && dice.chance(85);
    // What is written of the `html` element differs on purpose.
    let node = if sort == Sort::Html { node.flag("XPathExtractor.fragment", false) } else { node };
    node.flag("XPathExtractor.validate", false)
        .flag("XPathExtractor.tolerant", tolerant)
        .flag("XPathExtractor.namespace", dice.chance(30))
        .flag("XPathExtractor.whitespace", dice.chance(20))
}

fn xpath2(dice: &mut Dice) -> Node {
    let query = xpaths::xpath2(dice, 0);
    let node = xpath_of("XPath2Extractor", "XPathExtractor2", &query, dice);
    node.text("XPathExtractor2.namespaces", namespaces(dice))
}

/// Prefixes of XPath 2.
pub(super) fn namespaces(dice: &mut Dice) -> &'static str {
    *dice.pick(&["", "p=urn:p", "p=urn:p\nd=urn:d", "d=urn:d", "p = urn:p"])
}

fn css(dice: &mut Dice) -> Node {
    let (name, selector) = (name(dice), paths::selector(dice));
    element(
        "HtmlExtractor",
        "HtmlExtractorGui",
        name,
        &[
            ("HtmlExtractor.refname", name),
            ("HtmlExtractor.expr", &selector),
            (
                "HtmlExtractor.attribute",
                *dice.pick(&["", "", "", "class", "id", "value", "href", "data-v", "none"]),
            ),
            ("HtmlExtractor.default", default(dice)),
            ("HtmlExtractor.match_number", number(dice)),
            ("HtmlExtractor.extractor_impl", *dice.pick(&["", "JSOUP", "JSOUP", "JODD", "JODD"])),
        ],
    )
    .flag("HtmlExtractor.default_empty_value", dice.chance(20))
}
