//! Extractors: what they find, and what they leave in the variables.

use swell_plan::Node;

use super::draft::Draft;
use super::parts::{Edit, bean, debug, element, get, headers, request, users, variables};

/// A Regular Expression Extractor over the body.
pub(crate) fn regex(
    name: &str,
    variable: &str,
    pattern: &str,
    template: &str,
    number: &str,
    default: &str,
) -> Node {
    let node = element(
        "RegexExtractor",
        "RegexExtractorGui",
        name,
        &[
            ("RegexExtractor.useHeaders", "false"),
            ("RegexExtractor.refname", variable),
            ("RegexExtractor.regex", pattern),
            ("RegexExtractor.template", template),
            ("RegexExtractor.default", default),
        ],
    );
    node.flag("RegexExtractor.default_empty_value", false).text("RegexExtractor.match_number", number)
}

pub(super) fn drafts() -> Vec<Draft> {
    let with_debug = |name, about, body: Vec<Node>| {
        Draft::new(name, about, [users(body.into_iter().chain([debug("variables")]))]).rule("mask bytes")
    };
    [regexes(&with_debug), documents(&with_debug), others(&with_debug)].concat()
}

type WithDebug = dyn Fn(&'static str, &'static str, Vec<Node>) -> Draft;

fn regexes(draft: &WithDebug) -> Vec<Draft> {
    let order = "class=\"(\\w+)\" data-id=\"(\\d)\">(\\w+)";
    let on = |field: &str, pattern: &str| {
        regex(field, &format!("f_{field}"), pattern, "$1$", "1", "none")
            .text("RegexExtractor.useHeaders", field)
    };
    let scoped = |name: &str, scope: &str| {
        regex(name, name, "(moved|arrived)", "$1$", "-1", "none").text("Sample.scope", scope)
    };
    vec![
        draft(
            "regex",
            "Match numbers, templates, defaults.",
            vec![
                get("page", "/html").of([
                    regex("first", "first", order, "$2$", "1", ""),
                    regex("second", "second", order, "[$3$:$0$]", "2", ""),
                    regex("all", "all", order, "$2$-$3$", "-1", ""),
                    regex("ninth", "ninth", order, "$1$", "9", "default"),
                    regex("ninth, none", "ninth_none", order, "$1$", "9", ""),
                    regex("none, empty", "none_empty", "no(thing)", "$1$", "1", "")
                        .flag("RegexExtractor.default_empty_value", true),
                    regex("all of none", "all_none", "no(thing)", "$1$", "-1", "dflt"),
                    regex("no template", "no_template", order, "", "1", ""),
                    regex("odd template", "odd", order, "$7$ $x$ $2", "1", ""),
                    regex("no group", "no_group", "gamma", "$0$", "1", ""),
                    regex("bad pattern", "bad", "(", "$1$", "1", "bad default"),
                    regex("options", "options", "(?i)ALPHA: (\\d+)", "$1$", "1", ""),
                    regex("lines", "lines", "(?s)<ul(.+?)alpha", "$1$", "1", ""),
                ]),
            ],
        ),
        draft(
            "regex_fields",
            "Other fields than the body.",
            vec![get("page", "/html?q=1").of([
                headers("h", &[("X-Own", "mine")]),
                on("false", "(Orders)"),
                on("unescaped", "(Small & plain)"),
                on("true", "Server: (\\w+)"),
                on("request_headers", "X-Own: (\\w+)"),
                on("URL", "(q=\\d)"),
                on("code", "(\\d+)"),
                on("message", "(\\w+)"),
            ])],
        ),
        draft(
            "regex_scopes",
            "The sample, its parts, both, or a variable.",
            vec![
                variables(&[("source", "a1 b2 c3")]),
                get("redirect", "/redirect/1").of([
                    scoped("main", "parent"),
                    scoped("parts", "children"),
                    scoped("both", "all"),
                    regex("variable", "variable", "([a-z])(\\d)", "$2$$1$", "-1", "none")
                        .text("Sample.scope", "variable")
                        .text("Scope.variable", "source"),
                    regex("missing", "missing", "(x)", "$1$", "1", "none")
                        .text("Sample.scope", "variable")
                        .text("Scope.variable", "nothing"),
                ]),
            ],
        ),
        draft(
            "regex_optional_group",
            "A group that is not in the match.",
            vec![get("page", "/html").of([regex("optional", "v", "alpha(zz)?: (\\d+)", "$1$|$2$", "1", "")])],
        ),
        draft(
            "regex_document",
            "The text of a document.",
            vec![
                get("page", "/html").of([regex("text", "v", "(alpha)", "$1$", "1", "none")
                    .text("RegexExtractor.useHeaders", "as_document")]),
            ],
        ),
        draft(
            "regex_again",
            "Fewer matches than before leave no old ones behind.",
            vec![
                get("three", "/html").of([regex("all", "m", "(alpha|beta|gamma)", "$1$", "-1", "none")]),
                debug("after three"),
                get("none", "/ok").of([regex("all", "m", "(alpha|beta|gamma)", "$1$", "-1", "none")]),
                debug("after none"),
                get("one", "/html").of([regex("one", "m", "(alpha)", "$1$", "1", "none")]),
            ],
        ),
    ]
}

/// A JSON Extractor.
pub(crate) fn json(variable: &str, paths: &str, numbers: &str, defaults: &str) -> Node {
    element(
        "JSONPostProcessor",
        "JSONPostProcessorGui",
        variable,
        &[
            ("JSONPostProcessor.referenceNames", variable),
            ("JSONPostProcessor.jsonPathExprs", paths),
            ("JSONPostProcessor.match_numbers", numbers),
            ("JSONPostProcessor.defaultValues", defaults),
        ],
    )
}

fn documents(draft: &WithDebug) -> Vec<Draft> {
    let jmes = |variable: &str, path: &str, number: &str, default: &str| {
        element(
            "JMESPathExtractor",
            "JMESPathExtractorGui",
            variable,
            &[
                ("JMESExtractor.referenceName", variable),
                ("JMESExtractor.jmesPathExpr", path),
                ("JMESExtractor.matchNumber", number),
                ("JMESExtractor.defaultValue", default),
            ],
        )
    };
    vec![
        draft(
            "json",
            "Paths of all kinds and what they give as text.",
            vec![get("json", "/json").of([
                json("name", "$.name", "", "none"),
                json("age", "$.age", "1", ""),
                json("ratio", "$.ratio", "1", ""),
                json("big", "$.big", "1", ""),
                json("active", "$.active", "1", ""),
                json("nothing", "$.nothing", "1", "none"),
                json("empty", "$.empty", "1", "none"),
                json("list", "$.list", "1", ""),
                json("none", "$.none", "1", "none"),
                json("object", "$.address", "1", ""),
                json("city", "$['address']['city']", "1", ""),
                json("all_ids", "$.items[*].id", "-1", ""),
                json("second_id", "$.items[*].id", "2", ""),
                json("ninth_id", "$.items[*].id", "9", "none"),
                json("deep", "$..label", "-1", ""),
                json("slice", "$.list[0:2]", "-1", ""),
                json("last", "$.list[-1]", "1", ""),
                json("filter", "$.items[?(@.price > 9)].label", "-1", ""),
                json("filter_text", "$.items[?(@.label == 'second')].id", "1", ""),
                json("filter_regex", "$.items[?(@.label =~ /.*ir.*/)].id", "-1", ""),
                json("filter_tags", "$.items[?('a' in @.tags)].id", "-1", ""),
                json("wild", "$.address.*", "-1", ""),
                json("length", "$.items.length()", "1", ""),
                json("sum", "$.list.sum()", "1", ""),
                json("quoted", "$.items[2].label", "1", ""),
                json("missing", "$.missing", "1", "dflt"),
                json("missing_all", "$.missing", "-1", "dflt"),
                json("bad", "$[", "1", "bad"),
            ])],
        ),
        draft(
            "json_options",
            "Several at once, put together, from other places.",
            vec![
                variables(&[("source", "{\"a\": [1, {\"b\": 2}]}"), ("old_1", "x"), ("old_matchNr", "1")]),
                get("json", "/json").of([
                    json("a;b;c", "$.name;$.missing;$.items[*].id", "1;1;-1", "x;y;z"),
                    json("joined", "$.items[*].label", "-1", "")
                        .flag("JSONPostProcessor.compute_concat", true),
                    json("joined_one", "$.items[*].id", "2", "")
                        .flag("JSONPostProcessor.compute_concat", true),
                    json("from_variable", "$.a[1].b", "1", "none")
                        .text("Sample.scope", "variable")
                        .text("Scope.variable", "source"),
                    json("old", "$.none[*]", "-1", "none"),
                ]),
                get("no json", "/html").of([json("from_html", "$.a", "1", "none")]),
                get("empty", "/status/204").of([json("from_nothing", "$.a", "1", "none")]),
            ],
        ),
        draft(
            "json_uneven",
            "Lists of different lengths: there is no sample.",
            vec![
                get("lost", "/json")
                    .of([json("uneven;names", "$.name", "1", "x"), json("after", "$.name", "1", "x")]),
                get("next", "/json"),
            ],
        ),
        draft(
            "jmespath",
            "Paths of another kind.",
            vec![get("json", "/json").of([
                jmes("name", "name", "1", "none"),
                jmes("ids", "items[*].id", "-1", "none"),
                jmes("second", "items[*].id", "2", "none"),
                jmes("filter", "items[?price > `9`].label", "-1", "none"),
                jmes("object", "address", "1", "none"),
                jmes("length", "length(items)", "1", "none"),
                jmes("missing", "missing", "1", "none"),
                jmes("ninth", "items[*].id", "9", "none"),
                jmes("one_of_all", "name", "-1", "none"),
                jmes("none_of_all", "missing", "-1", "none"),
                jmes("chance", "[name]", "0", "none"),
                jmes("blank", " name ", "", "none"),
                jmes("number", "ratio", "1", ""),
                jmes("big", "big", "1", ""),
                jmes("sum", "sum(items[*].price)", "1", ""),
                jmes("made", "{a: name, b: items[0]}", "1", ""),
                jmes("nulls", "[nothing, name]", "-1", ""),
                jmes("wrong_type", "length(age)", "1", "none"),
                jmes("wrong_path", "items[", "1", "none"),
                jmes("backwards", "none[::-1]", "-1", "none"),
                jmes("backwards_all", "[list[::-1], name[::-1]]", "-1", "none"),
            ])],
        ),
        draft(
            "jmespath_sources",
            "Where it looks, and where there is nothing.",
            vec![
                variables(&[("doc", "{\"a\": [1, \"x\"]}"), ("bad", "{a}")]),
                get("variable", "/json").of([
                    jmes("of_variable", "a", "-1", "none")
                        .text("Sample.scope", "variable")
                        .text("Scope.variable", "doc"),
                    jmes("of_bad", "a", "1", "none")
                        .text("Sample.scope", "variable")
                        .text("Scope.variable", "bad"),
                    jmes("of_none", "a", "1", "none")
                        .text("Sample.scope", "variable")
                        .text("Scope.variable", "gone"),
                ]),
                get("html", "/html").of([jmes("no_json", "a", "1", "none")]),
                get("empty", "/status/204").of([jmes("nothing", "a", "1", "none")]),
                get("again", "/json").of([
                    jmes("ids", "items[*].id", "-1", "none"),
                    jmes("ids", "items[0:1].id", "-1", "none"),
                    jmes("sub", "name", "1", "none").text("Sample.scope", "children"),
                ]),
                get("bad number", "/json").of([jmes("never", "name", "x", "none")]),
            ],
        ),
    ]
}

fn debug_after(name: &str, variables: bool, sampler: bool, properties: bool) -> Node {
    bean("DebugPostProcessor", name, &[])
        .flag("displayJMeterVariables", variables)
        .flag("displaySamplerProperties", sampler)
        .flag("displayJMeterProperties", properties)
        .flag("displaySystemProperties", false)
}

fn others(draft: &WithDebug) -> Vec<Draft> {
    let boundary = |variable: &str, left: &str, right: &str, number: &str, default: &str| {
        element(
            "BoundaryExtractor",
            "BoundaryExtractorGui",
            variable,
            &[
                ("BoundaryExtractor.useHeaders", "false"),
                ("BoundaryExtractor.refname", variable),
                ("BoundaryExtractor.lboundary", left),
                ("BoundaryExtractor.rboundary", right),
                ("BoundaryExtractor.default", default),
                ("BoundaryExtractor.match_number", number),
            ],
        )
        .flag("BoundaryExtractor.default_empty_value", false)
    };
    let css = |variable: &str, selector: &str, attribute: &str, number: &str| {
        element(
            "HtmlExtractor",
            "HtmlExtractorGui",
            variable,
            &[
                ("HtmlExtractor.refname", variable),
                ("HtmlExtractor.expr", selector),
                ("HtmlExtractor.attribute", attribute),
                ("HtmlExtractor.default", "none"),
                ("HtmlExtractor.match_number", number),
                ("HtmlExtractor.extractor_impl", "JSOUP"),
            ],
        )
        .flag("HtmlExtractor.default_empty_value", false)
    };
    let xpath = |class: &str, gui: &str, prefix: &str, variable: &str, query: &str, number: &str| {
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
    };
    let old = |variable: &str, query: &str, number: &str| {
        let node = xpath("XPathExtractor", "XPathExtractorGui", "XPathExtractor", variable, query, number);
        ["validate", "tolerant", "namespace"]
            .iter()
            .fold(node, |node, flag| node.flag(&format!("XPathExtractor.{flag}"), false))
    };
    vec![
        draft(
            "boundary",
            "What stands between two texts.",
            vec![
                get("page", "/html").of([
                    boundary("token", "value=\"", "\"", "1", ""),
                    boundary("all", "class=\"order\" data-id=\"", "\"", "-1", ""),
                    boundary("second", "data-id=\"", "\"", "2", ""),
                    boundary("ninth", "data-id=\"", "\"", "9", "default"),
                    boundary("nothing", "no", "thing", "1", ""),
                    boundary("nothing_empty", "qq", "zz", "1", "")
                        .flag("BoundaryExtractor.default_empty_value", true),
                    boundary("no_left", "", "<html>", "1", "none"),
                    boundary("no_right", "</body>", "", "1", "none"),
                    boundary("neither", "", "", "1", "none"),
                    boundary("header", "Server: ", "\n", "1", "none")
                        .text("BoundaryExtractor.useHeaders", "true"),
                ]),
            ],
        ),
        draft(
            "css",
            "Elements of a page.",
            vec![get("page", "/html").of([
                css("title", "title", "", "1"),
                css("token", "input[name=token]", "value", "1"),
                css("all", "li.order", "", "-1"),
                css("ids", "li.order", "data-id", "-1"),
                css("second", "ul > li:nth-child(2)", "", "1"),
                css("link", "a", "href", "1"),
                css("missing", "table", "", "1"),
                css("missing_all", "table", "", "-1"),
            ])],
        ),
        draft(
            "xpath",
            "Nodes of a document.",
            vec![get("xml", "/xml").of([
                old("first", "//item/name", "1"),
                old("all", "//item/name/text()", "-1"),
                old("attribute", "//item[2]/@id", "1"),
                old("number", "count(//item)", "1"),
                old("missing", "//nothing", "1"),
                xpath(
                    "XPath2Extractor",
                    "XPath2ExtractorGui",
                    "XPathExtractor2",
                    "x2_first",
                    "//item/name",
                    "1",
                ),
                xpath(
                    "XPath2Extractor",
                    "XPath2ExtractorGui",
                    "XPathExtractor2",
                    "x2_all",
                    "//item/@id",
                    "-1",
                ),
                xpath(
                    "XPath2Extractor",
                    "XPath2ExtractorGui",
                    "XPathExtractor2",
                    "x2_sum",
                    "sum(//price)",
                    "1",
                ),
            ])],
        ),
        draft(
            "debug_post_processor",
            "A sub-sample that shows what there is.",
            vec![
                get("page", "/a").of([debug_after("shows", true, false, false)]),
                get("two", "/a").of([
                    debug_after("first", true, false, false),
                    debug_after("second", false, false, false),
                ]),
                debug("sampler").of([debug_after("nothing", false, false, false)]),
            ],
        ),
        draft(
            "debug_post_processor_sampler",
            "A sub-sample that shows the properties of the sampler.",
            vec![
                get("page", "/a?b=${missing}").of([debug_after("shows", false, true, false)]),
                request("form", "POST", "/f", &[("a", "1"), ("b", "${missing}")])
                    .of([debug_after("shows", false, true, false)]),
                debug("sampler").of([debug_after("shows", false, true, false)]),
            ],
        ),
    ]
}
