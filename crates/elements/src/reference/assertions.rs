//! Assertions.

use super::Entry;
use super::Kind::Assertion;
use super::property::{Property, choice, flag, list, text, whole};
use super::scripts::{RUNS_SCRIPT, SCRIPT_LIMITS};

const SCRIPT: &str = "it runs a script";
const SCOPE: Property = choice(
    "Assertion.scope",
    &["parent", "all", "children", "variable"],
    "parent",
    "The sample, with its sub-samples, those only, or the variable `Scope.variable`.",
);

const XML_DIFFERS: &[&str] = &["DTDs are not fetched, and documents are not validated by them."];

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(
        Assertion,
        "ResponseAssertion",
        "Response Assertion",
        "Compares a part of a sample with texts or patterns.",
    )
    .properties(&[
        SCOPE,
        choice(
            "Assertion.test_field",
            &[
                "Assertion.response_data",
                "Assertion.response_code",
                "Assertion.response_message",
                "Assertion.response_headers",
                "Assertion.request_headers",
                "Assertion.request_data",
                "Assertion.sample_label",
                "Assertion.response_data_as_document",
            ],
            "Assertion.sample_label",
            "The part.",
        ),
        list("Asserion.test_strings", "texts", "JMeter spells it so."),
        whole(
            "Assertion.test_type",
            "",
            "0",
            "Sum of: 1 matches, 2 contains, 4 not, 8 equals, 16 contains as text, 32 any of them.",
        ),
        flag("Assertion.assume_success", false, "The status of the sample does not count."),
        text("Assertion.custom_message", "", ""),
    ])
    .differs(&["A body as document (by Tika) is not extracted."]),
    Entry::native(Assertion, "DurationAssertion", "Duration Assertion", "Fails samples that take longer.")
        .properties(&[SCOPE, whole("DurationAssertion.duration", "ms", "0", "0: no limit.")]),
    Entry::native(Assertion, "SizeAssertion", "Size Assertion", "Compares the size of a part with a number.")
        .properties(&[
            SCOPE,
            choice(
                "Assertion.test_field",
                &[
                    "SizeAssertion.response_network_size",
                    "SizeAssertion.response_headers",
                    "SizeAssertion.response_data",
                    "SizeAssertion.response_code",
                    "SizeAssertion.response_message",
                ],
                "SizeAssertion.response_network_size",
                "",
            ),
            choice("SizeAssertion.operator", &["1", "2", "3", "4", "5", "6"], "0", "=, ≠, >, <, ≥, ≤."),
            whole("SizeAssertion.size", "bytes", "0", ""),
        ]),
    Entry::native(Assertion, "JSONPathAssertion", "JSON Assertion", "Checks a value by JSONPath.")
        .properties(&[
            text("JSON_PATH", "", ""),
            flag("JSONVALIDATION", false, "The value counts, not only that there is one."),
            text("EXPECTED_VALUE", "", ""),
            flag("ISREGEX", true, "The value is a pattern."),
            flag("EXPECT_NULL", false, ""),
            flag("INVERT", false, ""),
        ]),
    Entry::native(Assertion, "MD5HexAssertion", "MD5Hex Assertion", "Compares the MD5 digest of the body.")
        .properties(&[text("MD5HexAssertion.size", "", "The digest in hexadecimal digits.")]),
    Entry::native(
        Assertion,
        "CompareAssertion",
        "Compare Assertion",
        "Fails where samples of one iteration of the controller around it differ.",
    )
    .properties(&[
        flag("compareContent", true, "The bodies must be the same."),
        whole("compareTime", "ms", "-1", "They may differ by so much; negative: by any."),
        list(
            "stringsToSkip",
            "`regex`, `substitute`",
            "What is replaced in bodies before they are compared.",
        ),
    ])
    .differs(&["With the regex engine of Java, `$1` in a substitute is not a group."]),
    Entry::native(Assertion, "JMESPathAssertion", "JSON JMESPath Assertion", "Checks a value by JMESPath.")
        .properties(&[
            text("JMES_PATH", "", ""),
            flag("JSONVALIDATION", false, "The value counts, not only that there is one."),
            text("EXPECTED_VALUE", "", ""),
            flag("ISREGEX", true, "The value is a pattern."),
            flag("EXPECT_NULL", false, ""),
            flag("INVERT", false, ""),
        ])
        .differs(&["What is wrong with a path is said in other words."]),
    Entry::native(
        Assertion,
        "XPathAssertion",
        "XPath Assertion",
        "An XPath 1.0 finds something, or is true.",
    )
    .properties(&[
        SCOPE,
        text("XPath.xpath", "/", "The path; `xpath.namespace.config` may give namespaces to prefixes."),
        flag("XPath.negate", false, "It finds nothing, or is false."),
        flag("XPath.namespace", false, "With regard to namespaces."),
        flag("XPath.tolerant", false, "The document is HTML, or XML with faults."),
        flag("XPath.validate", false, "The DOCTYPE must name the document element."),
    ])
    .differs(XML_DIFFERS),
    Entry::native(Assertion, "XPath2Assertion", "XPath2 Assertion", "An XPath finds something, or is true.")
        .properties(&[
            SCOPE,
            text(
                "XPath.xpath",
                "/",
                "The path, which must be XPath 1.0, too: JMeter asks Xalan for its type.",
            ),
            text("XPath.namespaces", "", "Lines `prefix=namespace`."),
            flag("XPath.negate", false, "It finds nothing, or is false."),
        ])
        .differs(&["DTDs and external entities are not fetched."]),
    Entry::native(
        Assertion,
        "XMLAssertion",
        "XML Assertion",
        "The response is well-formed XML without a DOCTYPE.",
    ),
    Entry::native(
        Assertion,
        "XMLSchemaAssertion",
        "XML Schema Assertion",
        "The response is valid by a schema (XML Schema 1.0), as Xerces judges and in its words, up to the first fault.",
    )
    .properties(&[text("xmlschema_assertion_filename", "", "The file of the schema; what it includes is relative to it.")])
    .differs(&[
        "Files are read once, at the first sample; schemas elsewhere, and those that a document names, are not fetched.",
        "Of faults of a schema itself only names that mean nothing, wrong values and patterns, and what is not XML are found; \
         it is not judged by the schema of schemas, nor for ambiguity. `redefine` includes, `block` and `final` do nothing.",
    ]),
    Entry::native(Assertion, "HTMLAssertion", "HTML Assertion", "JTidy finds no more wrong than is allowed.")
        .properties(&[
            choice("html_assertion_format", &["0", "1", "2"], "0", "HTML, XHTML or XML."),
            whole("html_assertion_error_threshold", "", "0", "How many errors are allowed."),
            whole("html_assertion_warning_threshold", "", "0", "How many warnings are allowed."),
            flag("html_assertion_errorsonly", false, "Warnings do not count."),
            text("html_assertion_filename", "", "Where JTidy's findings are written; empty: nowhere."),
            text(
                "html_assertion_doctype",
                "omit",
                "Changes what JTidy would write of the page, not what it finds.",
            ),
        ])
        .differs(&[
            "The file holds what was found and how much, without the advice that JTidy adds.",
            "A page on which JTidy itself fails by an exception fails the sample with other words.",
        ]),
    Entry::unsupported(Assertion, "SMIMEAssertion", "SMIME Assertion", "not there yet"),
    Entry::native(Assertion, "JSR223Assertion", "JSR223 Assertion", RUNS_SCRIPT)
        .properties(&[
            text("scriptLanguage", "groovy", "`groovy`, `beanshell`, `bsh` or `java`."),
            text(
                "cacheKey",
                "",
                "`false`: references in the script are evaluated each time, not once a user.",
            ),
            text("script", "", "The script."),
            text("parameters", "", "`Parameters` and `args` of the script."),
        ])
        .differs(SCRIPT_LIMITS),
    Entry::native(Assertion, "BeanShellAssertion", "BeanShell Assertion", RUNS_SCRIPT)
        .properties(&[
            text("BeanShellAssertion.query", "", "The script."),
            text("BeanShellAssertion.parameters", "", "`Parameters` and `args` of the script."),
        ])
        .differs(SCRIPT_LIMITS),
    Entry::needs_jvm(Assertion, "BSFAssertion", "BSF Assertion", SCRIPT),
];
