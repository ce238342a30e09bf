//! Post processors with any options over any document, and what they leave in the variables.

use swell_plan::Node;

use super::documents::{Document, Sort};
use super::{json_paths, paths, xpaths};
use crate::fuzz::elements::{Edit, bean, debug, element, variables};
use crate::fuzz::plan::users;
use crate::fuzz::{ChoiceRng, Family};

/// See the module.
#[derive(Debug)]
pub(super) struct Extract;

impl Family for Extract {
    fn name(&self) -> &'static str {
        "extract"
    }

    fn group(&self, rng: &mut ChoiceRng) -> Vec<Node> {
        vec![users(samplers(rng))]
    }
}

/// Variables that extractors fill, few, so that they meet what others left.
const NAMES: &[&str] = &["v", "w", "v_1", "x y", "é"];
const NUMBERS: &[(u32, &str)] = &[(6, "1"), (6, "-1"), (3, "2"), (2, "9"), (1, "-2")];
const DEFAULTS: &[&str] = &["none", "", "NOT FOUND", "${old}", " "];

/// Samplers with extractors, and a look at the variables after each.
fn samplers(rng: &mut ChoiceRng) -> Vec<Node> {
    let sort = *rng.pick(&[Sort::Json, Sort::Json, Sort::Xml, Sort::Html, Sort::Html, Sort::Text]);
    let source = Document::of(sort, rng).text().replace("${", "$ {");
    let mut nodes = vec![variables(&[
        ("source", &source),
        ("old", "o"),
        ("v_matchNr", "2"),
        ("v_2", "left"),
        ("w_g", "1"),
    ])];
    for index in 0..=rng.below(3) {
        let document = Document::of(sort, rng);
        let extractors: Vec<Node> = (0..=rng.below(4)).map(|_| extractor(sort, rng)).collect();
        nodes.push(document.request(&format!("s{index}"), rng).of(extractors));
        nodes.push(debug(&format!("d{index}")));
    }
    nodes
}

fn extractor(sort: Sort, rng: &mut ChoiceRng) -> Node {
    if rng.chance(4) {
        return bean("DebugPostProcessor", "debug", &[])
            .flag("displayJMeterVariables", rng.chance(50))
            .flag("displaySamplerProperties", rng.chance(30))
            .flag("displayJMeterProperties", false)
            .flag("displaySystemProperties", false);
    }
    if rng.chance(2) {
        return element("ResultAction", "ResultActionGui", "action", &[]).int("OnError.action", 0);
    }
    let choice = match sort {
        Sort::Json => *rng.weighted(&[(1, 0), (1, 1), (6, 2), (5, 3)]),
        Sort::Xml => *rng.weighted(&[(1, 0), (1, 1), (5, 4), (5, 5)]),
        Sort::Html => *rng.weighted(&[(1, 0), (1, 1), (6, 6), (2, 4)]),
        Sort::Text => *rng.weighted(&[(5, 0), (4, 1)]),
    };
    let node = match choice {
        0 => regex(rng),
        1 => boundary(rng),
        2 => json(rng),
        3 => jmespath(rng),
        4 => xpath(sort, rng),
        5 => xpath2(rng),
        _ => css(rng),
    };
    scoped(node, rng)
}

/// Where it looks.
pub(super) fn scoped(node: Node, rng: &mut ChoiceRng) -> Node {
    let property = if node.element.class.ends_with("Assertion") { "Assertion.scope" } else { "Sample.scope" };
    match *rng.weighted(&[(12, ""), (1, "parent"), (2, "all"), (2, "children"), (2, "variable")]) {
        "" => node,
        "variable" => {
            let name = *rng.pick(&["source", "source", "source", "v", "v_1", "missing", ""]);
            node.text(property, "variable").text("Scope.variable", name)
        }
        scope => node.text(property, scope),
    }
}

fn name(rng: &mut ChoiceRng) -> &'static str {
    *rng.pick(NAMES)
}

fn number(rng: &mut ChoiceRng) -> &'static str {
    *rng.weighted(NUMBERS)
}

fn default(rng: &mut ChoiceRng) -> &'static str {
    *rng.pick(DEFAULTS)
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

fn regex(rng: &mut ChoiceRng) -> Node {
    let (name, field) = (name(rng), *rng.weighted(FIELDS));
    // The port is another one in each run.
    let with_port = ["request_headers", "URL"].contains(&field);
    let pattern = if with_port {
        *rng.pick(&["(?i)connection: (\\S+)", "(o)", "/(d.c)\\?(\\w+)", "zz"])
    } else {
        paths::pattern(rng)
    };
    element(
        "RegexExtractor",
        "RegexExtractorGui",
        name,
        &[
            ("RegexExtractor.useHeaders", field),
            ("RegexExtractor.refname", name),
            ("RegexExtractor.regex", pattern),
            ("RegexExtractor.template", *rng.pick(TEMPLATES)),
            ("RegexExtractor.default", default(rng)),
        ],
    )
    .flag("RegexExtractor.default_empty_value", rng.chance(20))
    .text("RegexExtractor.match_number", number(rng))
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

fn boundary(rng: &mut ChoiceRng) -> Node {
    const ENDS: &[&str] = &[
        "", "\"", ":", "=", "<", ">", "[", "]", "\n", "id", "; ", "a", "x", "left[", "]right", "{", "}", "é",
        "${old}", "&lt;", "OK", "&",
    ];
    let (name, field) = (
        name(rng),
        *rng.weighted(&[(8, "false"), (2, "unescaped"), (1, "true"), (1, "code"), (1, "message")]),
    );
    element(
        "BoundaryExtractor",
        "BoundaryExtractorGui",
        name,
        &[
            ("BoundaryExtractor.useHeaders", field),
            ("BoundaryExtractor.refname", name),
            ("BoundaryExtractor.lboundary", *rng.pick(ENDS)),
            ("BoundaryExtractor.rboundary", *rng.pick(ENDS)),
            ("BoundaryExtractor.default", default(rng)),
            ("BoundaryExtractor.match_number", number(rng)),
        ],
    )
    .flag("BoundaryExtractor.default_empty_value", rng.chance(20))
}

fn json(rng: &mut ChoiceRng) -> Node {
    let count = *rng.weighted(&[(6, 1), (2, 2), (1, 3)]);
    let gap = *rng.pick(&[";", ";", "; ", " ;"]);
    let mut several = |make: &mut dyn FnMut(&mut ChoiceRng) -> String| {
        let texts: Vec<String> = (0..count).map(|_| make(rng)).collect();
        texts.join(gap)
    };
    let names = several(&mut |rng| name(rng).to_owned());
    let queries = several(&mut |rng| json_paths::json_path(rng));
    let numbers = several(&mut |rng| (*rng.pick(&["1", "1", "-1", "-1", "2", "9"])).to_owned());
    let defaults = several(&mut |rng| (*rng.pick(&["none", "dflt", "${old}", "x y"])).to_owned());
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
    .flag("JSONPostProcessor.compute_concat", rng.chance(20))
}

fn jmespath(rng: &mut ChoiceRng) -> Node {
    let (name, query) = (name(rng), json_paths::jmes_path(rng, 0));
    element(
        "JMESPathExtractor",
        "JMESPathExtractorGui",
        name,
        &[
            ("JMESExtractor.referenceName", name),
            ("JMESExtractor.jmesPathExpr", &query),
            ("JMESExtractor.matchNumber", *rng.pick(&["1", "1", "-1", "-1", "2", "9"])),
            ("JMESExtractor.defaultValue", default(rng)),
        ],
    )
}

fn xpath_of(class: &str, prefix: &str, query: &str, rng: &mut ChoiceRng) -> Node {
    let name = name(rng);
    element(
        class,
        &format!("{class}Gui"),
        name,
        &[
            (&format!("{prefix}.default"), default(rng)),
            (&format!("{prefix}.refname"), name),
            (&format!("{prefix}.matchNumber"), number(rng)),
            (&format!("{prefix}.xpathQuery"), query),
        ],
    )
    .flag(&format!("{prefix}.fragment"), rng.chance(30))
}

fn xpath(sort: Sort, rng: &mut ChoiceRng) -> Node {
    let query = xpaths::xpath(rng, 0);
    let node = xpath_of("XPathExtractor", "XPathExtractor", &query, rng);
    // JMeter loses samples whose XML declaration is read tolerantly.
    let tolerant = sort == Sort::Html && rng.chance(85);
    // What is written of the `html` element differs on purpose.
    let node = if sort == Sort::Html { node.flag("XPathExtractor.fragment", false) } else { node };
    node.flag("XPathExtractor.validate", false)
        .flag("XPathExtractor.tolerant", tolerant)
        .flag("XPathExtractor.namespace", rng.chance(30))
        .flag("XPathExtractor.whitespace", rng.chance(20))
}

fn xpath2(rng: &mut ChoiceRng) -> Node {
    let query = xpaths::xpath2(rng, 0);
    let node = xpath_of("XPath2Extractor", "XPathExtractor2", &query, rng);
    node.text("XPathExtractor2.namespaces", namespaces(rng))
}

/// Prefixes of XPath 2.
pub(super) fn namespaces(rng: &mut ChoiceRng) -> &'static str {
    *rng.pick(&["", "p=urn:p", "p=urn:p\nd=urn:d", "d=urn:d", "p = urn:p"])
}

fn css(rng: &mut ChoiceRng) -> Node {
    let (name, selector) = (name(rng), paths::selector(rng));
    element(
        "HtmlExtractor",
        "HtmlExtractorGui",
        name,
        &[
            ("HtmlExtractor.refname", name),
            ("HtmlExtractor.expr", &selector),
            (
                "HtmlExtractor.attribute",
                *rng.pick(&["", "", "", "class", "id", "value", "href", "data-v", "none"]),
            ),
            ("HtmlExtractor.default", default(rng)),
            ("HtmlExtractor.match_number", number(rng)),
            ("HtmlExtractor.extractor_impl", *rng.pick(&["", "JSOUP", "JSOUP", "JODD", "JODD"])),
        ],
    )
    .flag("HtmlExtractor.default_empty_value", rng.chance(20))
}
