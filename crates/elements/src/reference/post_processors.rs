//! Post-processors.

use super::Entry;
use super::Kind::PostProcessor;
use super::property::{Property, choice, flag, text, whole};
use super::scripts::{RUNS_SCRIPT, SCRIPT_LIMITS};

const SCRIPT: &str = "it runs a script";

const SCOPE: Property = choice(
    "Sample.scope",
    &["parent", "all", "children", "variable"],
    "parent",
    "The sample, with its sub-samples, those only, or the variable `Scope.variable`.",
);
const FIELD: &[&str] =
    &["false", "true", "request_headers", "URL", "code", "message", "unescaped", "as_document"];

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(
        PostProcessor,
        "RegexExtractor",
        "Regular Expression Extractor",
        "Variables from what matches (Perl 5).",
    )
    .properties(&[
        SCOPE,
        choice("RegexExtractor.useHeaders", FIELD, "false", "Where: body, response headers, and so on."),
        text("RegexExtractor.refname", "", "The variable."),
        text("RegexExtractor.regex", "", ""),
        text("RegexExtractor.template", "", "`$1$` is the first group."),
        whole("RegexExtractor.match_number", "", "0", "0: by lot; negative: all."),
        text("RegexExtractor.default", "", "Where nothing matches."),
        flag("RegexExtractor.default_empty_value", false, "The default is the empty text."),
    ])
    .differs(&["A body as document (`as_document`, by Tika) is not extracted."]),
    Entry::native(
        PostProcessor,
        "BoundaryExtractor",
        "Boundary Extractor",
        "Variables from texts between two others.",
    )
    .properties(&[
        SCOPE,
        choice("BoundaryExtractor.useHeaders", FIELD, "false", "Where."),
        text("BoundaryExtractor.refname", "", "The variable."),
        text("BoundaryExtractor.lboundary", "", ""),
        text("BoundaryExtractor.rboundary", "", ""),
        whole("BoundaryExtractor.match_number", "", "0", "0: by lot; negative: all."),
        text("BoundaryExtractor.default", "", ""),
        flag("BoundaryExtractor.default_empty_value", false, ""),
    ]),
    Entry::native(PostProcessor, "JSONPostProcessor", "JSON Extractor", "Variables by JSONPath.").properties(
        &[
            SCOPE,
            text("JSONPostProcessor.referenceNames", "", "Variables, separated by `;`."),
            text("JSONPostProcessor.jsonPathExprs", "", "Paths, separated by `;`."),
            text("JSONPostProcessor.match_numbers", "", "Separated by `;`; 0: by lot; -1: all."),
            text("JSONPostProcessor.defaultValues", "", "Separated by `;`."),
            flag("JSONPostProcessor.compute_concat", false, "All matches in `name_ALL`."),
        ],
    ),
    Entry::native(
        PostProcessor,
        "HtmlExtractor",
        "CSS Selector Extractor",
        "Variables by CSS selectors of jsoup or Jodd.",
    )
    .properties(&[
        SCOPE,
        choice("HtmlExtractor.extractor_impl", &["JSOUP", "JODD"], "JSOUP", "Whose selectors."),
        text("HtmlExtractor.refname", "", "The variable."),
        text("HtmlExtractor.expr", "", "The selector."),
        text("HtmlExtractor.attribute", "", "An attribute instead of the text."),
        whole("HtmlExtractor.match_number", "", "0", "0: by lot; negative: all."),
        text("HtmlExtractor.default", "", "Where nothing is found."),
        flag("HtmlExtractor.default_empty_value", false, "The default is the empty text."),
    ])
    .differs(&[
        "Jodd: attributes without a value have an empty one, and some faults of selectors are let pass.",
        "Each extractor of a sampler reads its own page; JMeter gives all of them the page of the first.",
    ]),
    Entry::native(PostProcessor, "XPathExtractor", "XPath Extractor", "Variables by XPath 1.0.")
        .properties(&[
            SCOPE,
            text("XPathExtractor.refname", "", "The variable."),
            text("XPathExtractor.xpathQuery", "", "The path; `xpath.namespace.config` may give namespaces to prefixes."),
            whole("XPathExtractor.matchNumber", "", "-1", "0: by lot; -1: all."),
            text("XPathExtractor.default", "", "Where nothing is found."),
            flag("XPathExtractor.fragment", false, "Elements as XML, not their text."),
            flag("XPathExtractor.namespace", false, "With regard to namespaces."),
            flag("XPathExtractor.tolerant", false, "The document is HTML, or XML with faults."),
        ])
        .differs(&[
            "DTDs are not fetched.",
        ]),
    Entry::native(PostProcessor, "XPath2Extractor", "XPath2 Extractor", "Variables by XPath 2.0.")
        .properties(&[
            SCOPE,
            text("XPathExtractor2.refname", "", "The variable."),
            text("XPathExtractor2.xpathQuery", "", "The path."),
            text("XPathExtractor2.namespaces", "", "Lines `prefix=namespace`."),
            whole("XPathExtractor2.matchNumber", "", "0", "0: by lot; negative: all."),
            text("XPathExtractor2.default", "", "Where nothing is found."),
            flag("XPathExtractor2.fragment", false, "Nodes as XML, not their text."),
        ])
        .differs(&[
            "Left out of XPath 3.1: maps, arrays, functions as values, schema types and `instance of`, dates, and rare \
             functions; `swell check` names them.",
            "DTDs and external entities are not fetched.",
        ]),
    Entry::native(PostProcessor, "JMESPathExtractor", "JSON JMESPath Extractor", "Variables by JMESPath.")
        .properties(&[
            SCOPE,
            text("JMESExtractor.referenceName", "", "The variable."),
            text("JMESExtractor.jmesPathExpr", "", ""),
            whole("JMESExtractor.matchNumber", "", "0", "0: by lot; negative: all."),
            text("JMESExtractor.defaultValue", "", ""),
        ]),
    Entry::native(
        PostProcessor,
        "DebugPostProcessor",
        "Debug PostProcessor",
        "Adds a sub-sample whose body lists what there is.",
    )
    .properties(&[
        flag("displaySamplerProperties", true, "Of the sampler."),
        flag("displayJMeterVariables", true, "Of the user."),
        flag("displayJMeterProperties", false, "Of the run."),
        flag("displaySystemProperties", false, "A Java machine has them; here the list is empty."),
    ])
    .differs(&[
        "Managers of the sampler are not among its properties; JMeter shows them by an address in memory.",
    ]),
    Entry::native(PostProcessor, "JSR223PostProcessor", "JSR223 PostProcessor", RUNS_SCRIPT).properties(&[
        text("scriptLanguage", "groovy", "`groovy`, `beanshell`, `bsh` or `java`."),
        text("cacheKey", "", "`false`: references in the script are evaluated each time, not once a user."),
        text("script", "", "The script."),
        text("parameters", "", "`Parameters` and `args` of the script."),
    ])
    .differs(SCRIPT_LIMITS),
    Entry::native(PostProcessor, "BeanShellPostProcessor", "BeanShell PostProcessor", RUNS_SCRIPT).properties(&[
        text("script", "", "The script."),
        text("parameters", "", "`Parameters` and `args` of the script."),
    ])
    .differs(SCRIPT_LIMITS),
    Entry::needs_jvm(PostProcessor, "BSFPostProcessor", "BSF PostProcessor", SCRIPT),
    Entry::needs_jvm(
        PostProcessor,
        "JDBCPostProcessor",
        "JDBC PostProcessor",
        "it talks to databases through Java drivers",
    ),
];
