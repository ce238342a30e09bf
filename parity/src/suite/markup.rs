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

/// An XPath2 Extractor.
fn xpath2(variable: &str, query: &str, number: &str) -> Node {
    xpath_node("XPath2Extractor", "XPath2ExtractorGui", "XPathExtractor2", variable, query, number)
}

/// An XPath2 Assertion.
fn xpath2_assertion(path: &str, negate: bool) -> Node {
    element("XPath2Assertion", "XPath2AssertionGui", path, &[("XPath.xpath", path)])
        .flag("XPath.negate", negate)
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

/// An XPath Extractor that reports what JTidy counts.
fn loud(node: Node) -> Node {
    node.flag("XPathExtractor.report_errors", true).flag("XPathExtractor.quiet", false)
}

/// A tolerant XPath Assertion that reports what JTidy counts.
fn loud_assertion(path: &str) -> Node {
    xpath_assertion(path, &["tolerant"]).flag("XPath.report_errors", true).flag("XPath.quiet", false)
}

/// An element that looks at a variable.
fn of_variable(node: Node, scope: &str, variable: &str) -> Node {
    node.text(scope, "variable").text("Scope.variable", variable)
}

fn from(node: Node, variable: &str) -> Node {
    of_variable(node, "Sample.scope", variable)
}

pub(super) fn drafts() -> Vec<Draft> {
    [extractors(), selectors(), assertions()].concat()
}

fn with_debug(name: &'static str, about: &'static str, body: Vec<Node>) -> Draft {
    Draft::new(name, about, [users(body.into_iter().chain([debug("variables")]))]).rule("mask bytes")
}

fn extractors() -> Vec<Draft> {
    let shop = |variable: &str, query: &str, number: &str| from(xpath(variable, query, number), "shop");
    let shop2 = |variable: &str, query: &str, number: &str| from(xpath2(variable, query, number), "shop");
    let whole2 = |node: Node| node.flag("XPathExtractor2.fragment", true);
    let tolerant = |node: Node| node.flag("XPathExtractor.tolerant", true);
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
        with_debug(
            "xpath_namespace_config",
            "A file gives namespaces to prefixes of XPath 1.",
            vec![
                variables(&[("shop", SHOP)]),
                get("page", "/ok").of([
                    aware(shop("declared", "//x:i", "-1")),
                    aware(shop("configured", "//mine:i", "-1")),
                    aware(shop("default", "//none:i", "-1")),
                    shop("unaware", "//mine:i", "-1"),
                    shop2("not_of_xpath_2", "//mine:i", "-1"),
                ]),
            ],
        )
        .rule("property xpath.namespace.config=data/namespaces.properties"),
        with_debug(
            "xpath_tolerant",
            "Pages, and what is none.",
            vec![
                variables(&[("page", PAGE), ("odd", "<nav><a href=x>y</a></nav>")]),
                get("page", "/html").of([
                    tolerant(xpath("title", "//title", "1")),
                    tolerant(xpath("token", "//input[@name='token']/@value", "1")),
                    tolerant(xpath("orders", "//ul[@class='orders']/li", "-1")),
                    tolerant(xpath("link", "/html/body/a/@href", "1")),
                    tolerant(xpath("count", "count(//*)", "1")),
                    tolerant(xpath("everything", "//*", "-1")),
                ]),
                get("variables", "/ok").of([
                    from(tolerant(xpath("cells", "//table/tr/td", "-1")), "page"),
                    from(tolerant(xpath("texts", "//div//text()", "-1")), "page"),
                    from(tolerant(xpath("options", "//option/@value", "-1")), "page"),
                    from(tolerant(xpath("unknown", "//body/*", "-1")), "odd"),
                    from(
                        tolerant(xpath("quiet", "//a", "1")).flag("XPathExtractor.report_errors", true),
                        "odd",
                    ),
                ]),
                get("json", "/json").of([tolerant(xpath("of_json", "/html/body", "1"))]),
                get("judged", "/html").of([xpath_assertion("//li[@data-id='2']", &["tolerant"])]),
                get("judged, no page", "/json").of([xpath_assertion("//li", &["tolerant"])]),
            ],
        ),
        with_debug(
            "xpath_tolerant_faults",
            "Pages and XML with faults, mended; errors of JTidy are reported where that is wanted.",
            vec![
                get("faults", "/faults").of([
                    tolerant(xpath("lists", "//ul/li", "-1")),
                    tolerant(xpath("headings", "//h1", "-1")),
                    tolerant(xpath("bold", "//b", "-1")),
                    tolerant(xpath("cells", "//td", "-1")),
                    tolerant(xpath("names", "//a/@name", "-1")),
                    tolerant(xpath("links", "//a/@href", "-1")),
                    tolerant(xpath("styles", "//@style", "-1")),
                    tolerant(xpath("texts", "/html/body/text()", "-1")),
                    tolerant(xpath("count", "count(//*)", "1")),
                    tolerant(xpath("split", "string(//div)", "1")),
                ]),
                get("xhtml", "/xhtml").of([
                    tolerant(xpath("root", "name(/*)", "1")),
                    tolerant(xpath("attributes", "//p/@*", "-1")),
                    tolerant(xpath("checked", "//input/@checked", "1")),
                ]),
                get("unclosed", "/unclosed").of([
                    tolerant(xpath("unclosed_links", "//a", "-1")),
                    tolerant(xpath("unclosed_body", "/html/body", "1")),
                ]),
                get("frames", "/self").of([tolerant(xpath("frame", "//frame/@src", "-1"))]),
                get("reported", "/faults").of([loud(tolerant(xpath("reported", "//b", "1")))]),
                get("quiet", "/faults")
                    .of([loud(tolerant(xpath("quiet", "//b", "1"))).flag("XPathExtractor.quiet", true)]),
                get("only warnings", "/xhtml").of([loud(tolerant(xpath("warned", "//p", "1")))]),
                get("judged", "/faults").of([loud_assertion("//b"), xpath_assertion("//em", &["tolerant"])]),
                get("judged, a declaration", "/xhtml").of([xpath_assertion("//p", &["tolerant"])]),
            ],
        ),
        with_debug(
            "xpath2_options",
            "Match numbers, values of all kinds, namespaces, fragments, expressions beyond XPath 1.0.",
            vec![
                variables(&[("shop", SHOP), ("query", "//i[2]"), ("old_3", "x"), ("old_matchNr", "3")]),
                get("page", "/ok").of([
                    shop2("all", "//i", "-1"),
                    shop2("second", "//i", "2"),
                    shop2("ninth", "//i", "9"),
                    shop2("any", "//i[@k]", "0"),
                    shop2("no_number", "//i[@k]", ""),
                    shop2("texts", "//text()", "-1"),
                    shop2("attributes", "//@*", "-1"),
                    shop2("root", "/", "1"),
                    shop2("number", "count(//i) div 2", "1"),
                    shop2("sum", "sum(//i/@n) * 1000000", "1"),
                    shop2("boolean", "//i = 'd & e'", "1"),
                    shop2("query", "${query}", "1"),
                    shop2("wild", "//*:i/@n", "-1"),
                    shop2("sequence", "for $i in //i return upper-case($i)", "-1"),
                    shop2("joined", "string-join(//i, '|')", "1"),
                    shop2("matched", "//i[matches(., '^d')]/@n", "1"),
                    shop2("words", "replace('a<€ ,_b', '\\w', 'x')", "1"),
                    shop2("no_words", "replace('a<€ ,_b', '[\\W]', 'x')", "1"),
                    shop2("chosen", "if (//z) then 'z' else 'no z'", "1"),
                    shop2("prefix", "//x:i", "1").text("XPathExtractor2.namespaces", "y=v\nx=u"),
                    whole2(shop2("fragment", "//i", "-1")),
                    whole2(shop2("fragment_root", "/", "1")),
                    whole2(shop2("fragment_others", "//i/@k | //i/text() | //comment()", "-1")),
                    shop2("old", "//z", "-1"),
                    shop2("empty_query", "", "-1"),
                    from(xpath2("missing", "//i", "1"), "nothing"),
                ]),
                get("parts", "/redirect/1").of([xpath2("parts", "//a", "-1").text("Sample.scope", "all")]),
            ],
        ),
        with_debug(
            "xpath2_failures",
            "Documents and paths that are wrong: a result of an assertion, but the sample is good.",
            vec![
                variables(&[
                    ("shop", SHOP),
                    ("kept_matchNr", "2"),
                    ("kept_1", "x"),
                    ("kept_2", "y"),
                    ("reference", " &amp;<a/>"),
                ]),
                get("bad path", "/ok").of([shop2("v", "//i[", "1")]),
                get("reference first", "/ok").of([
                    from(xpath2("v", "//a", "1"), "reference"),
                    from(xpath("v", "//a", "1"), "reference"),
                ]),
                get("bad function", "/ok").of([shop2("v", "foo(//i)", "1")]),
                get("unknown prefix", "/ok").of([shop2("v", "//y:i", "1")]),
                get("several", "/ok").of([shop2("v", "upper-case(//i)", "1")]),
                get("any of none", "/ok").of([shop2("v", "//z", "0")]),
                get("division", "/ok").of([shop2("v", "1 idiv 0", "0")]),
                get("not xml", "/json").of([xpath2("kept", "//i", "-1")]),
                get("nothing", "/status/204").of([xpath2("v", "//i", "1")]),
                get("page", "/html").of([xpath2("page", "//li/@data-id", "-1")]),
                get("broken page", "/page").of([xpath2("broken", "//a", "1")]),
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

const PAGE: &str = "<!DOCTYPE html><title> T &amp; t </title><div id=a class='x Y'>one <b>two</b><p>three</p>four<br>five</div>\
    <ul><li>1<li class=sel data-n=5>2<li>3</ul><table><tr><td>c1<td>c2</table><form><input name=tok value=' v1 '>\
    <input name=u[x] value=v2><select><option value=1>A<option value=2 selected>B</select></form>\
    <a href='http://x/y?a=1&amp;b=2'>l&nbsp;k</a><pre> p  q </pre><script>var s = 1;</script><p></p>";

/// A CSS Selector Extractor of a variable.
fn css(variable: &str, selector: &str, attribute: &str, number: &str) -> Node {
    let texts = [
        ("HtmlExtractor.refname", variable),
        ("HtmlExtractor.expr", selector),
        ("HtmlExtractor.attribute", attribute),
        ("HtmlExtractor.default", "none"),
        ("HtmlExtractor.match_number", number),
        ("HtmlExtractor.extractor_impl", "JSOUP"),
    ];
    element("HtmlExtractor", "HtmlExtractorGui", variable, &texts)
        .flag("HtmlExtractor.default_empty_value", false)
}

fn selectors() -> Vec<Draft> {
    let of_page = |node: Node| from(node, "page");
    let jodd = |node: Node| of_page(node).text("HtmlExtractor.extractor_impl", "JODD");
    let asked = |selector: &'static str| (selector, of_page(css("v", selector, "", "-1")));
    let by_jsoup = [
        "*",
        "title",
        "div",
        "DIV.y",
        "#a b",
        "li",
        "ul > li",
        "li + li",
        "li ~ .sel",
        "td",
        "table > tr",
        "tr > td",
        "li:eq(1)",
        "li:gt(0)",
        "li:nth-child(odd)",
        "li:nth-of-type(2)",
        "li:not(.sel)",
        "div:has(p)",
        "p:contains(THREE)",
        "div:containsOwn(one)",
        "li:matches(^[12]$)",
        "p:empty",
        "a[href^=http]",
        "a[href$=2]",
        "[data-n=5]",
        "[^data-]",
        "input[name='u[x]']",
        "li, td",
        "pre",
        "script",
        "option",
        "li:first",
        "li[",
        "div >",
        "",
    ];
    let by_jodd = [
        "title",
        "div",
        "#a b",
        "li",
        "ul > li",
        "table > tr",
        "li:first",
        "li:last",
        "li:odd",
        "option",
        "script",
        "li, td",
        "input[name=tok]",
        "div:contains(three)",
        "li:nope",
    ];
    let ask = |(selector, node): (&'static str, Node)| [get(selector, "/ok").of([node]), debug(selector)];
    let page = || variables(&[("page", PAGE)]);
    vec![
        Draft::new(
            "css_selectors",
            "What jsoup selects.",
            [page(), users(by_jsoup.into_iter().flat_map(|selector| ask(asked(selector))))],
        )
        .rule("mask bytes"),
        Draft::new(
            "css_jodd",
            "What Jodd selects.",
            [
                page(),
                users(
                    by_jodd
                        .into_iter()
                        .flat_map(|selector| ask((selector, jodd(css("v", selector, "", "-1"))))),
                ),
            ],
        )
        .rule("mask bytes"),
        with_debug(
            "css_options",
            "Attributes, match numbers, defaults, places.",
            vec![
                variables(&[
                    ("page", PAGE),
                    ("empty", ""),
                    ("sel", "li.sel"),
                    ("old_matchNr", "2"),
                    ("old_2", "x"),
                ]),
                get("page", "/ok").of([
                    of_page(css("link", "a", "href", "1")),
                    of_page(css("any_case", "a", "HREF", "1")),
                    of_page(css("no_attribute", "a", "title", "1")),
                    of_page(css("values", "input", "value", "-1")),
                    of_page(css("some", "li", "data-n", "-1")),
                    jodd(css("some_jodd", "li", "data-n", "-1")),
                    of_page(css("second", "li", "", "2")),
                    of_page(css("ninth", "li", "", "9")),
                    of_page(css("ninth_no_default", "li", "", "9")).text("HtmlExtractor.default", ""),
                    of_page(css("ninth_empty", "li", "", "9"))
                        .text("HtmlExtractor.default", "")
                        .flag("HtmlExtractor.default_empty_value", true),
                    of_page(css("lot_of_one", "b", "", "0")),
                    of_page(css("lot_of_none", "z", "", "0")),
                    of_page(css("no_number", "b", "", "")),
                    of_page(css("by_variable", "${sel}", "", "1")),
                    of_page(css("library", "li", "", "1")).text("HtmlExtractor.extractor_impl", "OTHER"),
                    of_page(css("old", "b", "", "-1")),
                    from(css("of_empty", "li", "", "1"), "empty"),
                    from(css("of_missing", "li", "", "-1"), "missing"),
                ]),
                get("parts", "/redirect/1")
                    .of([css("of_parts", "*", "", "1").text("Sample.scope", "children")]),
                get("all", "/redirect/1").of([css("of_all", "html", "", "-1").text("Sample.scope", "all")]),
                get("json", "/json").of([css("of_json", "body", "", "1")]),
                get("nothing", "/status/204").of([css("of_nothing", "body", "", "-1")]),
            ],
        ),
    ]
}

fn assertions() -> Vec<Draft> {
    let judge = |name: &str, path: &str, on: &[&str]| get(name, "/xml").of([xpath_assertion(path, on)]);
    let judge2 = |path: &str, negate: bool| {
        get(&format!("{path} {negate}"), "/xml").of([xpath2_assertion(path, negate)])
    };
    let variable2 = |variable: &str| {
        get(variable, "/ok").of([of_variable(xpath2_assertion("//i", false), "Assertion.scope", variable)])
    };
    vec![
        Draft::new(
            "assertion_xpath2",
            "Values of all kinds, negated, with namespaces, on others than the sample, and what is no XPath 1.0.",
            [
                variables(&[("shop", SHOP), ("empty", ""), ("bad", "<a>")]),
                users([
                    get("prefix without a namespace", "/xml")
                        .of([xpath2_assertion("//item", false).text("XPath.namespaces", "p = u")]),
                    get("prefixes on a line", "/xml")
                        .of([xpath2_assertion("//item", false).text("XPath.namespaces", "p=u q=v")]),
                    judge2("//item", false),
                    judge2("//item", true),
                    judge2("//z", false),
                    judge2("//z", true),
                    judge2("count(//item) = 2", false),
                    judge2("count(//item) = 3", false),
                    judge2("false()", true),
                    judge2("count(//item)", false),
                    judge2("'x'", true),
                    judge2("", false),
                    judge2("//item[", false),
                    judge2("//x:item", false),
                    judge2("lower-case('A') = 'a'", false),
                    judge2("//item[matches(@id, '1')]", false),
                    judge2("string(//item)", false),
                    get("not xml", "/json").of([xpath2_assertion("//a", false)]),
                    get("nothing", "/status/204").of([xpath2_assertion("//a", false)]),
                    get("parts", "/redirect/1")
                        .of([xpath2_assertion("//a", false).text("Assertion.scope", "all")]),
                    get("namespaces", "/ok").of([of_variable(
                        xpath2_assertion("//y:i", false).text("XPath.namespaces", "y=u"),
                        "Assertion.scope",
                        "shop",
                    )]),
                    variable2("shop"),
                    variable2("empty"),
                    variable2("bad"),
                    variable2("none"),
                ]),
            ],
        ),
        Draft::new(
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
                    get("parts", "/redirect/1")
                        .of([xpath_assertion("//a", &[]).text("Assertion.scope", "all")]),
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
        ),
    ]
}
