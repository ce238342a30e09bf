//! Corners of assertions and extractors: scopes, variables in every field, empty values, odd numbers.

use swell_plan::Node;

use super::draft::Draft;
use super::extractors::{json, regex};
use super::parts::{
    Edit, assertion, debug, element, get, headers, loops, raw, request, simple, transaction, users, variables,
};

pub(super) fn drafts() -> Vec<Draft> {
    [assertions(), sizes(), documents(), extractors(), scopes()].concat()
}

fn assertions() -> Vec<Draft> {
    let judge = |kind: i32, patterns: &[&str]| assertion("judge", "response_data", kind, patterns);
    vec![
        Draft::new(
            "assertion_patterns",
            "Patterns of Perl with all that they can.",
            [users([
                ("anchors", 2, "^ok$"),
                ("multi line", 2, "(?m)^<li"),
                ("dot all", 2, "(?s)<ul.*?</ul>"),
                ("case", 2, "(?i)ORDERS"),
                ("back reference", 2, "(<)li.*\\1/li"),
                ("look ahead", 2, "alpha(?=: 10)"),
                ("not ahead", 2, "alpha(?!: 10)"),
                ("lazy", 2, "class=\"(.*?)\""),
                ("classes", 2, "\\d{2}\\s*</li>"),
                ("posix", 2, "[[:alpha:]]+"),
                ("unicode", 2, "\\u0041"),
                ("quantifier", 2, "a{2,}"),
                ("matches all", 1, "(?s).*</html>\\s*"),
                ("matches part", 1, "Orders"),
                ("escaped", 2, "Small &amp; plain"),
                ("bad", 2, "[a-"),
                ("bad group", 1, "(a"),
                ("nothing", 2, ""),
                ("nothing matched", 1, ""),
                ("variable", 2, "${word}"),
                ("variable as text", 16, "${word}"),
                ("variable missing", 16, "${missing}"),
            ]
            .iter()
            .map(|(name, kind, pattern)| get(name, "/html").of([judge(*kind, &[pattern])])))],
        )
        .variables(&[("word", "gamma: \\d+")]),
        Draft::new(
            "assertion_several",
            "Several patterns, all of them or any, not, with own words.",
            [users([(2, "all"), (34, "any"), (6, "none"), (38, "not any"), (48, "any text"), (20, "no text"), (52, "not any text"), (40, "any equal"), (44, "not equal to any")]
                .iter()
                .flat_map(|(kind, name)| {
                    let sets: [(&str, &[&str]); 4] = [("both", &["alpha", "beta"]), ("one", &["alpha", "zz"]), ("other one", &["zz", "beta"]), ("neither", &["yy", "zz"])];
                    sets.map(|(which, patterns)| get(&format!("{name} {which}"), "/html").of([judge(*kind, patterns)]))
                }))],
        ),
        Draft::new(
            "assertion_messages",
            "Own words, and what is said of long and of odd texts.",
            [users([
                get("own", "/ok").of([judge(8, &["x"]).text("Assertion.custom_message", "got ${__V(word)} \"quoted\", <b>")]),
                get("own on success", "/ok").of([judge(16, &["ok"]).text("Assertion.custom_message", "not shown")]),
                get("long expected", "/ok").of([judge(8, &["a long text that is not there, a long text that is not there, a long text that is not there"])]),
                get("long received", "/bytes/3000").of([judge(8, &["x"])]),
                get("almost", "/html").of([judge(8, &["<!DOCTYPE html>\n<html>\n"])]),
                get("unicode", "/ok").of([judge(16, &["\u{e9}\u{20ac}"])]),
                get("lines", "/ok").of([judge(16, &["a\nb"])]),
                get("code", "/status/404").of([assertion("code", "response_code", 16, &["20"]), assertion("message", "response_message", 8, &["Not Found"])]),
                get("refused", "/x").text("HTTPSampler.port", "1").of([
                    assertion("code", "response_code", 2, &["Non HTTP"]),
                    assertion("message", "response_message", 16, &["refused"]),
                    assertion("assumed", "response_code", 16, &["200"]).flag("Assertion.assume_success", true),
                ]),
                raw("request", "POST", "/ok", "sent ${word}").of([
                    headers("h", &[("X-Own", "o")]),
                    assertion("data", "request_data", 16, &["sent a"]),
                    assertion("headers", "request_headers", 2, &["X-Own: o"]),
                    assertion("label", "sample_label", 16, &["/ok"]),
                ]),
            ])],
        )
        .variables(&[("word", "a word")]),
        Draft::new(
            "assertion_order",
            "Assertions of plan, group, block and sampler; one that assumes success before others.",
            [
                assertion("plan", "response_code", 8, &["200"]),
                users([
                    assertion("group", "response_data", 16, &["ok"]),
                    simple("block", [
                        assertion("assumes", "response_code", 16, &["4"]).flag("Assertion.assume_success", true),
                        get("404", "/status/404").of([assertion("own", "response_data", 16, &["404"])]),
                        get("200", "/ok"),
                    ]),
                    get("after", "/ok").of([assertion("first", "response_data", 16, &["x"]), assertion("second", "response_data", 16, &["y"])]),
                ]),
            ],
        ),
    ]
}

fn sizes() -> Vec<Draft> {
    let size = |field: &str, operator: i32, value: &str, scope: &str| {
        let texts = [("Assertion.test_field", field), ("SizeAssertion.size", value)];
        element("SizeAssertion", "SizeAssertionGui", &format!("{field} {operator} {value}"), &texts)
            .int("SizeAssertion.operator", operator)
            .text("Assertion.scope", scope)
    };
    let duration = |limit: &str, scope: &str| {
        element(
            "DurationAssertion",
            "DurationAssertionGui",
            "limit",
            &[("DurationAssertion.duration", limit)],
        )
        .text("Assertion.scope", scope)
    };
    let data = "SizeAssertion.response_data";
    vec![
        Draft::new(
            "assertion_size_scopes",
            "Sizes of parts, of variables, of nothing, from variables.",
            [users([
                get("parts", "/redirect/2").of([
                    size(data, 1, "6", "children"),
                    size(data, 1, "8", "parent"),
                    size(data, 3, "7", "all"),
                ]),
                get("variable", "/ok").of([
                    size(data, 1, "5", "variable").text("Scope.variable", "word"),
                    size(data, 4, "5", "variable").text("Scope.variable", "gone"),
                ]),
                get("from a variable", "/ok")
                    .of([size(data, 1, "${three}", "parent"), size(data, 1, "${missing}", "parent")]),
                get("nothing", "/status/204")
                    .of([size(data, 1, "0", "parent"), size(data, 3, "0", "parent")]),
                get("negative", "/ok").of([size(data, 3, "-1", "parent")]),
                get("empty", "/ok").of([size(data, 1, "", "parent")]),
                get("packed", "/gzip").of([
                    size(data, 1, "65", "parent"),
                    size("SizeAssertion.response_network_size", 4, "1000", "parent"),
                ]),
                get("no field", "/ok").of([size("", 3, "10", "parent")]),
                get("no operator", "/ok").of([size(data, 0, "3", "parent")]),
            ])],
        )
        .variables(&[("word", "hello"), ("three", "3")]),
        Draft::new(
            "assertion_duration_scopes",
            "Durations of parts, from variables, of no number.",
            [users([
                get("parts", "/redirect-to?url=/delay/80")
                    .of([duration("60000", "children"), duration("60000", "all")]),
                get("from a variable", "/ok").of([duration("${limit}", "parent")]),
                get("odd", "/ok").of([duration("x", "parent")]),
                get("negative", "/ok").of([duration("-1", "parent")]),
                get("empty", "/ok").of([duration("", "parent")]),
            ])],
        )
        .variables(&[("limit", "30000")]),
    ]
}

fn documents() -> Vec<Draft> {
    let check = |path: &str, flags: &[&str], value: &str| {
        let node = element(
            "JSONPathAssertion",
            "JSONPathAssertionGui",
            "judge",
            &[("JSON_PATH", path), ("EXPECTED_VALUE", value)],
        );
        ["JSONVALIDATION", "EXPECT_NULL", "INVERT", "ISREGEX"]
            .iter()
            .fold(node, |node, flag| node.flag(flag, flags.contains(flag)))
    };
    let valid = "JSONVALIDATION";
    let cases: [(&str, &[&str], &str); 21] = [
        ("$.name", &[valid], "${name}"),
        ("$.name", &[valid], ""),
        ("$.empty", &[valid], ""),
        ("$.empty", &[], ""),
        ("$.none", &[], ""),
        ("$.none", &[valid], "[]"),
        ("$.active", &[valid], "true"),
        ("$.active", &[valid, "ISREGEX"], "t.*"),
        ("$.big", &[valid], "12345678901234567890"),
        ("$.ratio", &[valid], "1.50"),
        ("$.address", &[valid], "{\"city\":\"Bern\",\"zip\":\"3000\"}"),
        ("$.address", &[valid, "ISREGEX"], ".*Bern.*"),
        ("$.items[0]", &[valid, "ISREGEX"], ".*first.*"),
        ("$.items[?(@.id==8)].label", &[valid], "second"),
        ("$.items[?(@.id==8)].label", &[valid], "[\"second\"]"),
        ("$..id", &[valid], "9"),
        ("$.items.length()", &[valid], "3"),
        ("$.name", &[valid, "INVERT"], "Ann"),
        ("$.name", &[valid, "INVERT"], "Bob"),
        ("$.missing", &["EXPECT_NULL", valid], ""),
        ("${path}", &[valid], "Ann"),
    ];
    let judged = cases.iter().map(|(path, flags, value)| {
        get(&format!("{path} {} {value}", flags.join("+")), "/json").of([check(path, flags, value)])
    });
    let xpath = |path: &str, flags: &[&str]| {
        let node = element("XPathAssertion", "XPathAssertionGui", path, &[("XPath.xpath", path)]);
        ["negate", "validate", "whitespace", "tolerant", "namespace"]
            .iter()
            .fold(node, |node, flag| node.flag(&format!("XPath.{flag}"), flags.contains(flag)))
    };
    vec![
        Draft::new(
            "assertion_json_values",
            "Values of all kinds, from variables, inverted.",
            [users(judged)],
        )
        .variables(&[("name", "Ann"), ("path", "$.name")]),
        Draft::new(
            "assertion_xpath_values",
            "Paths with variables, to attributes, to nothing, over what is no XML.",
            [users([
                get("variable", "/xml").of([xpath("//item[@id='${id}']", &[])]),
                get("attribute", "/xml").of([xpath("//item/@id", &[])]),
                get("text", "/xml").of([xpath("//name/text()", &[])]),
                get("number", "/xml").of([xpath("count(//item)", &[])]),
                get("text value", "/xml").of([xpath("string(//name)", &[])]),
                get("contains", "/xml").of([xpath("//name[contains(., 'pe')]", &[])]),
                get("sum", "/xml").of([xpath("sum(//price) > 5", &["negate"])]),
                get("empty", "/xml").of([xpath("", &[])]),
                get("wrong", "/xml").of([xpath("//[", &[])]),
                get("json", "/json").of([xpath("//a", &[])]),
                get("page", "/html")
                    .of([xpath("//li[2]", &["tolerant"]), xpath("//table", &["tolerant", "negate"])]),
                get("nothing", "/status/204").of([xpath("//a", &[])]),
                get("scope", "/redirect-to?url=/xml")
                    .of([xpath("//item", &[]).text("Assertion.scope", "children")]),
                get("of a variable", "/ok").of([xpath("/a/b", &[])
                    .text("Assertion.scope", "variable")
                    .text("Scope.variable", "doc")]),
            ])],
        )
        .variables(&[("id", "2"), ("doc", "<a><b/></a>")]),
    ]
}

fn with_debug(name: &'static str, about: &'static str, body: Vec<Node>) -> Draft {
    Draft::new(name, about, [users(body.into_iter().chain([debug("variables")]))]).rule("mask bytes")
}

fn extractors() -> Vec<Draft> {
    let boundary = |variable: &str, left: &str, right: &str, number: &str, default: &str| {
        let texts = [
            ("BoundaryExtractor.useHeaders", "false"),
            ("BoundaryExtractor.refname", variable),
            ("BoundaryExtractor.lboundary", left),
            ("BoundaryExtractor.rboundary", right),
            ("BoundaryExtractor.default", default),
            ("BoundaryExtractor.match_number", number),
        ];
        element("BoundaryExtractor", "BoundaryExtractorGui", variable, &texts)
            .flag("BoundaryExtractor.default_empty_value", false)
    };
    let css = |variable: &str, selector: &str, attribute: &str, number: &str, default: &str| {
        let texts = [
            ("HtmlExtractor.refname", variable),
            ("HtmlExtractor.expr", selector),
            ("HtmlExtractor.attribute", attribute),
            ("HtmlExtractor.default", default),
            ("HtmlExtractor.match_number", number),
            ("HtmlExtractor.extractor_impl", ""),
        ];
        element("HtmlExtractor", "HtmlExtractorGui", variable, &texts)
            .flag("HtmlExtractor.default_empty_value", false)
    };
    let order = "data-id=\"(\\d)\">(\\w+)";
    vec![
        with_debug(
            "regex_fields_of_its_own",
            "Variables in each field, odd numbers, empty fields.",
            vec![
                variables(&[("word", "alpha"), ("number", "2"), ("ref", "named"), ("tpl", "$2$=$1$")]),
                get("page", "/html").of([
                    regex("from variables", "${ref}", "${word}: (\\d+)", "$1$", "1", "${word}"),
                    regex("number", "by_number", order, "$2$", "${number}", "none"),
                    regex("template", "by_template", order, "${tpl}", "1", "none"),
                    regex("missing number", "no_number", "(alpha)", "$1$", "", "none"),
                    regex("odd number", "odd_number", "(alpha)", "$1$", "x", "none"),
                    regex("negative", "negative", order, "$1$", "-5", "none"),
                    regex("no name", "", order, "$1$", "1", "none"),
                    regex("no pattern", "no_pattern", "", "$1$", "1", "none"),
                    regex("no template", "no_tpl_all", order, "", "-1", "none"),
                    regex("group too high", "too_high", order, "$5$", "1", "none"),
                    regex("words around", "around", order, "a $1$ b $2$ c $$ d", "1", "none"),
                    regex("empty match", "empty_match", "x*", "[$0$]", "1", "none"),
                    regex("empty group", "empty_group", "alpha()", "[$1$]", "1", "none"),
                    regex("default with a variable", "dflt", "zzz", "$1$", "1", "d ${word}"),
                    regex("last one", "lastone", order, "$1$", "3", "none"),
                ]),
            ],
        ),
        with_debug(
            "regex_places",
            "Extractors around several samplers, and what they leave from one to the next.",
            vec![
                simple(
                    "block",
                    [
                        regex("block's", "b", "count\":(\\d)", "$1$", "1", "none"),
                        get("one", "/count/rp").of([regex(
                            "own",
                            "o",
                            "count\":(\\d)",
                            "own $1$",
                            "1",
                            "none",
                        )]),
                        get("two ${b} ${o}", "/ok"),
                        get("three ${b}", "/count/rp"),
                        get("fails ${b}", "/status/500").of([regex(
                            "of an error",
                            "e",
                            "status (\\d+)",
                            "$1$",
                            "1",
                            "none",
                        )]),
                        get("refused ${e}", "/x").text("HTTPSampler.port", "1").of([regex(
                            "of no answer",
                            "r",
                            "(Connect\\w*)",
                            "$1$",
                            "1",
                            "none",
                        )]),
                    ],
                ),
                transaction(
                    "T",
                    true,
                    false,
                    [
                        get("in T", "/count/rp").of([regex(
                            "in T",
                            "t",
                            "count\":(\\d)",
                            "$1$",
                            "1",
                            "none",
                        )]),
                        get("sees ${t}", "/ok"),
                    ],
                ),
                request("form", "POST", "/echo", &[("a", "b c")])
                    .of([regex("echoed", "echo", "a=(\\S+)", "$1$", "1", "none")]),
            ],
        ),
        with_debug(
            "boundary_fields",
            "Boundaries from variables, over headers, of several lines, with odd numbers.",
            vec![
                variables(&[("l", "data-id=\""), ("r", "\""), ("n", "3")]),
                get("page", "/html?q=1").of([
                    boundary("by_variables", "${l}", "${r}", "${n}", "none"),
                    boundary("lines", "<ul", "</ul>", "1", "none"),
                    boundary("all_lines", "<li", "</li>", "-1", "none"),
                    boundary("odd", "<h1", "</h1>", "x", "none"),
                    boundary("no_number", "<h1", "</h1>", "", "none"),
                    boundary("empty_between", "abc-123", "\"", "1", "none"),
                    boundary("special", "[$^", ".*", "1", "none"),
                    boundary("url", "q=", "", "1", "none").text("BoundaryExtractor.useHeaders", "URL"),
                    boundary("code", "2", "0", "1", "none").text("BoundaryExtractor.useHeaders", "code"),
                    boundary("message", "", "K", "1", "none").text("BoundaryExtractor.useHeaders", "message"),
                    boundary("sent", "Host: ", ":", "1", "none")
                        .text("BoundaryExtractor.useHeaders", "request_headers"),
                    boundary("unescaped", "Small ", " plain", "1", "none")
                        .text("BoundaryExtractor.useHeaders", "unescaped"),
                    boundary("no_default", "zzz", "yyy", "1", ""),
                    boundary("all_none", "zzz", "yyy", "-1", "none"),
                ]),
            ],
        ),
        with_debug(
            "css_fields",
            "Selectors and attributes from variables, texts of elements within elements.",
            vec![
                variables(&[("sel", "li.order"), ("attr", "data-id"), ("n", "2")]),
                get("page", "/html").of([
                    css("by_variables", "${sel}", "${attr}", "${n}", "none"),
                    css("text_of_many", "ul", "", "1", "none"),
                    css("form", "form", "action", "1", "none"),
                    css("empty_value", "input[name=user]", "value", "1", "none"),
                    css("no_attribute", "a", "title", "1", "none"),
                    css("contains", "li:contains(beta)", "", "1", "none"),
                    css("has", "form:has(input)", "method", "1", "none"),
                    css("nth", "li:nth-child(odd)", "", "-1", "none"),
                    css("not", "li:not([data-id=1])", "data-id", "-1", "none"),
                    css("several", "h1, title", "", "-1", "none"),
                    css("prefix", "a[href^=/next]", "href", "1", "none"),
                    css("bad", "li[", "", "1", "none"),
                    css("number", "h1", "", "x", "none"),
                    css("empty", "", "", "1", "none"),
                    css("no_default", "table", "", "1", ""),
                    css("nine", "li", "", "9", "none"),
                ]),
                get("json", "/json").of([css("of_json", "a", "", "1", "none")]),
                get("nothing", "/status/204").of([css("of_nothing", "a", "", "1", "none")]),
            ],
        ),
        with_debug(
            "json_fields",
            "Paths, names and defaults from variables; odd numbers; filters.",
            vec![
                variables(&[("path", "$.name"), ("n", "2"), ("ref", "named"), ("min", "9")]),
                get("json", "/json").of([
                    json("${ref}", "${path}", "1", "none"),
                    json("by_n", "$.items[*].id", "${n}", "none"),
                    json("filtered", "$.items[?(@.price > ${min})].label", "-1", "none"),
                    json("both", "$.items[?(@.id > 7 && @.price < 30)].id", "-1", "none"),
                    json("either", "$.items[?(@.id == 7 || @.label == 'second')].id", "-1", "none"),
                    json("exists", "$.items[?(@.tags[0])].id", "-1", "none"),
                    json("two", "$.items[0,2].id", "-1", "none"),
                    json("negative_slice", "$.list[-2:]", "-1", "none"),
                    json("names", "$.items[*]['id','label']", "-1", "none"),
                    json("min_of", "$.list.min()", "1", "none"),
                    json("avg_of", "$.list.avg()", "1", "none"),
                    json("keys", "$.address.keys()", "1", "none"),
                    json("first", "$.list.first()", "1", "none"),
                    json("concat_all", "$..tags", "-1", "none")
                        .flag("JSONPostProcessor.compute_concat", true),
                    json("zero_of_one", "$.name", "0", "none"),
                    json("spaced ; names", " $.name ; $.age ", "1;1", "a;b"),
                    json("no_default", "$.missing", "1", ""),
                    json("root", "$", "1", "none"),
                    json("no_dollar", "name", "1", "none"),
                    json("empty_path", "", "1", "none"),
                ]),
            ],
        ),
    ]
}

fn scopes() -> Vec<Draft> {
    let scoped = |node: Node, scope: &str, variable: &str| {
        node.text("Sample.scope", scope).text("Scope.variable", variable)
    };
    let xpath2 = |variable: &str, query: &str, number: &str| {
        let texts = [
            ("XPathExtractor2.default", "none"),
            ("XPathExtractor2.refname", variable),
            ("XPathExtractor2.matchNumber", number),
            ("XPathExtractor2.xpathQuery", query),
        ];
        element("XPath2Extractor", "XPath2ExtractorGui", variable, &texts)
    };
    vec![
        Draft::new(
            "extractor_scopes",
            "Each extractor over parts, all, and variables.",
            [loops(
                users([
                    get("redirected", "/redirect-to?url=/json").of([
                        scoped(json("json_parts", "$.name", "1", "none"), "children", ""),
                        scoped(json("json_all", "$.name", "1", "none"), "all", ""),
                        scoped(json("json_var", "$.a", "1", "none"), "variable", "doc"),
                        scoped(json("json_gone", "$.a", "1", "none"), "variable", "gone"),
                        scoped(regex("r", "regex_all", "(\\w+)", "$1$", "-1", "none"), "all", ""),
                        scoped(
                            regex("r", "regex_parts_2", "(moved|name)", "$1$", "2", "none"),
                            "children",
                            "",
                        ),
                        scoped(regex("r", "regex_var", "\"(\\w)\"", "$1$", "1", "none"), "variable", "doc"),
                    ]),
                    get("xml", "/redirect-to?url=/xml").of([
                        scoped(xpath2("x_parts", "//item/@id", "-1"), "children", ""),
                        scoped(xpath2("x_all", "//item/name", "2"), "all", ""),
                        scoped(xpath2("x_var", "/a/b", "1"), "variable", "xml"),
                        scoped(xpath2("x_gone", "/a/b", "1"), "variable", "gone"),
                        xpath2("x_by_variable", "//item[@id='${id}']/name", "1"),
                    ]),
                    get("page", "/page").flag("HTTPSampler.image_parser", true).of([
                        scoped(
                            regex("css of parts", "of_parts", "url\\('([^']+)", "$1$", "1", "none"),
                            "children",
                            "",
                        ),
                        scoped(regex("of all", "of_all", "(x|body) ", "$1$", "-1", "none"), "all", ""),
                    ]),
                    debug("variables"),
                ]),
                "1",
            )],
        )
        .variables(&[("doc", "{\"a\": 1}"), ("xml", "<a><b>text</b></a>"), ("id", "1")])
        .rule("mask bytes"),
    ]
}
