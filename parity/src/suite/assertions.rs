//! Assertions: what passes, what fails, and with which words.

use swell_plan::{Element, Node, Property, PropertyValue};

use super::draft::Draft;
use super::parts::{
    Edit, assertion, bean, element, get, headers, loops, raw, request, set, simple, texts, users, variables,
};

pub(super) fn drafts() -> Vec<Draft> {
    [responses(), sizes(), documents(), pages()].concat()
}

fn responses() -> Vec<Draft> {
    let fields = [
        "response_data",
        "sample_label",
        "response_code",
        "response_message",
        "response_headers",
        "request_headers",
        "request_data",
    ];
    let kinds = [1, 2, 8, 16, 5, 6, 12, 20, 34, 48];
    let patterns: [&[&str]; 4] = [&["ok"], &["o.\\s*"], &["ok\n"], &["(?i)OK", "X-Own"]];
    let by_field = fields.iter().map(|field| {
        let judges = kinds.iter().map(|kind| {
            let patterns: &[&str] = match *field {
                "response_code" => &["200", "2.."],
                "sample_label" => &["http://127.0.0.1:${__P(parity.port)}/field", "127"],
                "request_data" => &["body", "b.dy"],
                "response_message" => &["OK", "o"],
                _ => &["ok", "X-Own: .*"],
            };
            assertion(&format!("{field} {kind}"), field, *kind, patterns)
        });
        raw(field, "POST", "/field", "body").of([headers("h", &[("X-Own", "v")])]).of(judges)
    });
    let by_kind = kinds.iter().flat_map(|kind| {
        patterns.iter().map(move |patterns| {
            get(&format!("{kind} {}", patterns.join(" and ")), "/ok").of([assertion(
                "judge",
                "response_data",
                *kind,
                patterns,
            )])
        })
    });
    let special = |name: &str, edit: &dyn Fn(Node) -> Node| {
        get(name, "/status/404").of([edit(assertion("judge", "response_code", 8, &["404"]))])
    };
    vec![
        Draft::new("assertion_fields", "Each field with each kind of test.", [users(by_field)]),
        Draft::new(
            "assertion_kinds",
            "Each kind of test with patterns that fit and that do not.",
            [users(by_kind)],
        ),
        Draft::new(
            "assertion_options",
            "Status, own message, no patterns, empty parts, variables.",
            [users([
                special("status stays", &|node| node),
                special("status is set", &|node| node.flag("Assertion.assume_success", true)),
                special("status is set, fails", &|node| {
                    set(node, "Asserion.test_strings", texts(&["200"])).flag("Assertion.assume_success", true)
                }),
                get("own message", "/a").of([assertion("judge", "response_code", 8, &["201"])
                    .text("Assertion.custom_message", "expected 201, got ${__threadNum}")]),
                get("no patterns", "/a").of([assertion("judge", "response_code", 8, &[])]),
                get("empty pattern", "/a").of([assertion("judge", "response_data", 16, &[""])]),
                request("empty body", "GET", "/status/204", &[]).of([
                    assertion("holds", "response_data", 16, &["x"]),
                    assertion("holds not", "response_data", 20, &["x"]),
                    assertion("equals nothing", "response_data", 8, &[""]),
                ]),
                get("bad pattern", "/a").of([assertion("judge", "response_data", 2, &["("])]),
                get("two fail", "/a").of([
                    assertion("first", "response_data", 2, &["x"]),
                    assertion("second", "response_code", 8, &["1", "2"]),
                ]),
                get("long", "/json").of([assertion(
                    "judge",
                    "response_data",
                    8,
                    &["{\n  \"name\": \"Bob\"}"],
                )]),
                get("lines", "/html").of([assertion(
                    "judge",
                    "response_data",
                    2,
                    &["^<body>$", "(?s)<ul.*</ul>", "alpha.*gamma"],
                )]),
            ])],
        ),
        Draft::new(
            "assertion_document",
            "The text of a document.",
            [users([get("text", "/ok").of([assertion("holds", "response_data_as_document", 16, &["ok"])])])],
        ),
        Draft::new(
            "assertion_scopes",
            "The sample, its parts, both, or a variable.",
            [users([
                variables(&[("v", "value of a variable")]),
                get("main", "/redirect/1").of([assertion("arrived", "response_data", 16, &["arrived"])]),
                get("parts", "/redirect/1").of([assertion("arrived", "response_data", 16, &["arrived"])
                    .text("Assertion.scope", "children")]),
                get("all", "/redirect/1")
                    .of([assertion("arrived", "response_data", 16, &["arrived"])
                        .text("Assertion.scope", "all")]),
                get("variable", "/a").of([
                    assertion("fits", "response_data", 16, &["value"])
                        .text("Assertion.scope", "variable")
                        .text("Scope.variable", "v"),
                    assertion("fits not", "response_data", 8, &["x"])
                        .text("Assertion.scope", "variable")
                        .text("Scope.variable", "v"),
                    assertion("missing", "response_data", 16, &["x"])
                        .text("Assertion.scope", "variable")
                        .text("Scope.variable", "w"),
                ]),
            ])],
        ),
    ]
}

fn sizes() -> Vec<Draft> {
    let size = |field: &str, operator: i32, value: &str| {
        let name = format!("{field} {operator} {value}");
        let node = element(
            "SizeAssertion",
            "SizeAssertionGui",
            &name,
            &[("Assertion.test_field", &format!("SizeAssertion.{field}")), ("SizeAssertion.size", value)],
        );
        node.int("SizeAssertion.operator", operator)
    };
    let fields =
        ["response_network_size", "response_headers", "response_data", "response_code", "response_message"];
    let by_field =
        fields.iter().map(|field| get(field, "/ok").of((1..=6).map(|operator| size(field, operator, "3"))));
    let duration = |limit: &str| {
        element(
            "DurationAssertion",
            "DurationAssertionGui",
            "limit",
            &[("DurationAssertion.duration", limit)],
        )
    };
    vec![
        Draft::new(
            "assertion_size",
            "Each part with each comparison.",
            [users(by_field.chain([get("no number", "/ok").of([size("response_data", 1, "x")])]))],
        ),
        Draft::new(
            "assertion_duration",
            "Longer than it may take, and not.",
            [users([
                get("fast enough", "/ok").of([duration("20000")]),
                get("too slow", "/delay/60").of([duration("20")]),
                get("no limit", "/ok").of([duration("0")]),
            ])],
        ),
    ]
}

/// An HTML Assertion with these of its properties, given without `html_assertion_`.
fn tidy(name: &str, longs: &[(&str, &str)], texts: &[(&str, &str)]) -> Node {
    let node = element("HTMLAssertion", "HTMLAssertionGui", name, &[]);
    let key = |name: &str| format!("html_assertion_{name}");
    let with =
        |node, (name, value): &(&str, &str)| set(node, &key(name), PropertyValue::Long((*value).to_owned()));
    let node = longs.iter().fold(node, with);
    texts.iter().fold(node, |node, (name, value)| node.text(&key(name), value))
}

fn pages() -> Vec<Draft> {
    let all =
        ["/sound", "/faults", "/xhtml", "/html", "/page", "/self", "/xml", "/unclosed", "/json", "/tags"];
    let formats = ["0", "1", "2"].into_iter().flat_map(|format| {
        all.map(|path| get(&format!("{path} {format}"), path).of([tidy("judge", &[("format", format)], &[])]))
    });
    let doctypes = ["omit", "auto", "strict", "loose", "\"-//ACME//DTD Page//EN\"", "", "no such"];
    let doctypes = doctypes.into_iter().flat_map(|doctype| {
        ["/faults", "/xhtml"].map(|path| {
            get(&format!("{path} {doctype}"), path).of([tidy("judge", &[], &[("doctype", doctype)])])
        })
    });
    let allowed =
        [("0", "0"), ("3", "20"), ("4", "19"), ("100", "100"), ("100", "1"), ("12345", "0"), ("x", "")];
    let thresholds = allowed.into_iter().flat_map(|(errors, warnings)| {
        [false, true].map(|errors_only| {
            let longs = [("error_threshold", errors), ("warning_threshold", warnings)];
            let node = tidy("judge", &[], &longs).flag("html_assertion_errorsonly", errors_only);
            get(&format!("{errors} {warnings} {errors_only}"), "/faults").of([node])
        })
    });
    let report = |path: &str, file: &str, format: &str| {
        let judge = tidy("judge", &[("format", format)], &[("filename", file), ("doctype", "omit")]);
        [
            get(&format!("{path} into {file}"), path).of([judge]),
            raw(&format!("{file} of {path}"), "POST", "/report", &format!("${{__FileToString({file})}}")),
        ]
    };
    let reports = [
        report("/sound", "tidy.txt", "0"),
        report("/xhtml", "tidy.txt", "1"),
        report("/xml", "tidy.txt", "2"),
        report("/json", "other.txt", "0"),
        report("/sound", " ", "0"),
        report("/sound", "no/such/folder.txt", "0"),
    ];
    vec![
        Draft::new("assertion_html_formats", "Pages as HTML, XHTML and XML.", [users(formats)]),
        Draft::new("assertion_html_doctypes", "What is to be done with the DOCTYPE.", [users(doctypes)]),
        Draft::new(
            "assertion_html_thresholds",
            "What is allowed.",
            [users(thresholds.chain([
                get("empty", "/status/204").of([tidy("judge", &[], &[])]),
                get("variables", "/faults").of([
                    variables(&[("n", "100")]),
                    tidy("judge", &[], &[("error_threshold", "${n}"), ("warning_threshold", "${n}")]),
                ]),
            ]))],
        ),
        Draft::new("assertion_html_report", "What is found goes into a file.", [users(reports.concat())]),
    ]
}

fn documents() -> Vec<Draft> {
    let json = |name: &str, path: &str, flags: &[&str], value: &str| {
        let node = element(
            "JSONPathAssertion",
            "JSONPathAssertionGui",
            name,
            &[("JSON_PATH", path), ("EXPECTED_VALUE", value)],
        );
        ["JSONVALIDATION", "EXPECT_NULL", "INVERT", "ISREGEX"]
            .iter()
            .fold(node, |node, flag| node.flag(flag, flags.contains(flag)))
    };
    let json_cases: [(&str, &[&str], &str); 18] = [
        ("$.name", &[], ""),
        ("$.missing", &[], ""),
        ("$.name", &["JSONVALIDATION"], "Ann"),
        ("$.name", &["JSONVALIDATION"], "Bob"),
        ("$.name", &["JSONVALIDATION", "ISREGEX"], "A.*"),
        ("$.name", &["JSONVALIDATION", "ISREGEX"], "A"),
        ("$.age", &["JSONVALIDATION"], "41"),
        ("$.ratio", &["JSONVALIDATION"], "1.5"),
        ("$.nothing", &["EXPECT_NULL"], ""),
        ("$.nothing", &["JSONVALIDATION", "EXPECT_NULL"], ""),
        ("$.name", &["JSONVALIDATION", "EXPECT_NULL"], ""),
        ("$.list", &["JSONVALIDATION"], "[1,2,3]"),
        ("$.items[*].id", &["JSONVALIDATION"], "8"),
        ("$.items[*].id", &["JSONVALIDATION"], "11"),
        ("$.items[?(@.id > 100)]", &[], ""),
        ("$.name", &["INVERT"], ""),
        ("$.missing", &["INVERT"], ""),
        ("$[", &[], ""),
    ];
    let xpath = |path: &str, negate: bool| {
        let node = element("XPathAssertion", "XPathAssertionGui", path, &[("XPath.xpath", path)]);
        ["validate", "whitespace", "tolerant", "namespace"]
            .iter()
            .fold(node, |node, flag| node.flag(&format!("XPath.{flag}"), false))
            .flag("XPath.negate", negate)
    };
    let digest = |value: &str| {
        element("MD5HexAssertion", "MD5HexAssertionGUI", value, &[("MD5HexAssertion.size", value)])
    };
    let jmes = |path: &str, validate: bool, value: &str| {
        let node = element(
            "JMESPathAssertion",
            "JMESPathAssertionGui",
            path,
            &[("JMES_PATH", path), ("EXPECTED_VALUE", value)],
        );
        node.flag("JSONVALIDATION", validate)
            .flag("EXPECT_NULL", false)
            .flag("INVERT", false)
            .flag("ISREGEX", false)
    };
    let by_schema = |file: &str| {
        element(
            "XMLSchemaAssertion",
            "XMLSchemaAssertionGUI",
            "valid",
            &[("xmlschema_assertion_filename", file)],
        )
    };
    let xml = || element("XMLAssertion", "XMLAssertionGui", "well formed", &[]);
    vec![
        Draft::new(
            "assertion_schema",
            "Documents by schemas.",
            [users([
                variables(&[("schema", "data/catalog.xsd")]),
                get("valid", "/xml").of([by_schema("${schema}")]),
                get("not valid", "/xml").of([by_schema("data/catalog_strict.xsd")]),
                get("no element", "/xml").of([by_schema("data/other.xsd")]),
                get("no schema", "/xml").of([by_schema("data/no-such.xsd")]),
                get("no file", "/xml").of([by_schema("")]),
                get("broken schema", "/xml").of([by_schema("data/lines.txt")]),
                get("no xml", "/json").of([by_schema("${schema}")]),
                get("page", "/page").of([by_schema("${schema}")]),
                get("nothing", "/status/204").of([by_schema("${schema}")]),
            ])],
        ),
        Draft::new(
            "assertion_json",
            "Paths and values.",
            [users(
                json_cases
                    .iter()
                    .map(|(path, flags, value)| {
                        get(&format!("{path} {} {value}", flags.join("+")), "/json")
                            .of([json("judge", path, flags, value)])
                    })
                    .chain([
                        get("no json", "/html").of([json("judge", "$.a", &[], "")]),
                        get("empty", "/status/204").of([json("judge", "$.a", &[], "")]),
                    ]),
            )],
        ),
        Draft::new(
            "assertion_jmespath",
            "Paths and values.",
            [users([
                get("there", "/json").of([jmes("name", false, "")]),
                get("equal", "/json").of([jmes("address.city", true, "Bern")]),
                get("different", "/json").of([jmes("items[0].label", true, "second")]),
                get("missing", "/json").of([jmes("missing", false, "")]),
                get("not missing", "/json").of([jmes("missing", false, "").flag("INVERT", true)]),
                get("there but inverted", "/json").of([jmes("name", false, "").flag("INVERT", true)]),
                get("null", "/json").of([jmes("nothing", true, "").flag("EXPECT_NULL", true)]),
                get("no null", "/json").of([jmes("name", true, "").flag("EXPECT_NULL", true)]),
                get("null inverted", "/json")
                    .of([jmes("nothing", true, "").flag("EXPECT_NULL", true).flag("INVERT", true)]),
                get("pattern", "/json").of([jmes("name", true, "[A-Z]\\w+").flag("ISREGEX", true)]),
                get("no pattern", "/json").of([jmes("name", true, "\\d").flag("ISREGEX", true)]),
                get("equal inverted", "/json").of([jmes("address.city", true, "Bern").flag("INVERT", true)]),
                get("object", "/json").of([jmes(
                    "address",
                    true,
                    "{ \"zip\": \"3000\", \"city\": \"Bern\" }",
                )]),
                get("list", "/json").of([jmes("items[*].id", true, "[1, 2, 3]")]),
                get("number", "/json").of([jmes("ratio", true, "1.5")]),
                get("no json expected", "/json").of([jmes("ratio", true, "1.5").flag("INVERT", true)]),
                get("wrong type", "/json").of([jmes("abs(name)", false, "")]),
                get("wrong type inverted", "/json").of([jmes("abs(name)", false, "").flag("INVERT", true)]),
                get("empty", "/status/204").of([jmes("name", false, "")]),
            ])],
        ),
        Draft::new(
            "assertion_xml",
            "XML and XPath.",
            [users([
                get("well formed", "/xml").of([xml()]),
                get("not well formed", "/json").of([xml()]),
                get("found", "/xml").of([xpath("//item[@id='2']/name", false)]),
                get("not found", "/xml").of([xpath("//item[@id='9']", false)]),
                get("found but negated", "/xml").of([xpath("//item", true)]),
                get("boolean", "/xml").of([xpath("count(//item) = 2", false)]),
                get("boolean false", "/xml").of([xpath("count(//item) = 3", false)]),
            ])],
        ),
        Draft::new(
            "assertion_digest",
            "MD5 of the body.",
            [users([
                get("equal", "/ok").of([digest("eff5bc1ef8ec9d03e640fc4370f5eacd")]),
                get("other case", "/ok").of([digest("EFF5BC1EF8EC9D03E640FC4370F5EACD")]),
                get("different", "/ok").of([digest("00000000000000000000000000000000")]),
                get("empty", "/ok").of([digest("")]),
            ])],
        ),
        Draft::new(
            "assertion_compare",
            "Responses that should be the same, within an iteration of the controller around.",
            [loops(
                users([
                    simple(
                        "content",
                        [
                            compare("same", true, "-1", &[("\\d+", ""), ("k", "$0")]),
                            get("first", "/ok"),
                            get("second", "/ok"),
                            request("third", "POST", "/status/201", &[("a", "b")]),
                            get("fourth", "/status/201"),
                        ],
                    ),
                    simple(
                        "time",
                        [
                            compare("quick", false, "500", &[]),
                            get("first", "/ok"),
                            get("second", "/ok?2"),
                            compare("both", true, "-1", &[]),
                        ],
                    ),
                    simple(
                        "neither",
                        [compare("idle", false, "-1", &[]), get("one", "/ok"), get("two", "/json")],
                    ),
                ]),
                "2",
            )],
        ),
    ]
}

fn compare(name: &str, content: bool, time: &str, skip: &[(&str, &str)]) -> Node {
    let skipped = skip.iter().map(|(regex, substitute)| {
        let element = Element::new("SubstitutionElement", "", "");
        Property::of_element("", element.with_text("regex", regex).with_text("substitute", substitute))
    });
    set(
        bean("CompareAssertion", name, &[("compareTime", time)]).flag("compareContent", content),
        "stringsToSkip",
        PropertyValue::Collection(skipped.collect()),
    )
}
