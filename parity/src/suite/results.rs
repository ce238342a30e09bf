//! Results files: columns, forms, listeners.

use swell_plan::{Node, PropertyValue};

use super::draft::Draft;
use super::extractors::regex;
use super::parts::{Edit, assertion, element, get, simple, transaction, users, variables};

pub(super) fn drafts() -> Vec<Draft> {
    let saved = "jmeter.save.saveservice";
    let drafts = [
        ("results_xml", vec!["output_format=xml"]),
        (
            "results_xml_full",
            vec![
                "output_format=xml",
                "response_data=true",
                "samplerData=true",
                "requestHeaders=true",
                "responseHeaders=true",
                "encoding=true",
                "sample_count=true",
                "filename=true",
            ],
        ),
        ("results_xml_on_error", vec!["output_format=xml", "response_data.on_error=true"]),
        (
            "results_xml_bare",
            vec![
                "output_format=xml",
                "assertions=false",
                "subresults=false",
                "url=false",
                "bytes=false",
                "thread_counts=false",
                "label=false",
                "connect_time=false",
            ],
        ),
        ("results_all_columns", vec!["encoding=true", "filename=true", "sample_count=true"]),
        (
            "results_few_columns",
            vec![
                "thread_name=false",
                "thread_counts=false",
                "bytes=false",
                "sent_bytes=false",
                "url=false",
                "assertion_results_failure_message=false",
                "data_type=false",
                "idle_time=false",
            ],
        ),
        ("results_no_header", vec!["print_field_names=false"]),
        ("results_delimiter", vec!["default_delimiter=;"]),
        ("results_tab", vec!["default_delimiter=\\t"]),
        ("results_no_time", vec!["timestamp_format=none", "time=false"]),
    ];
    let by_property = drafts.map(|(name, settings)| {
        let draft = Draft::new(name, "What properties say of the results file.", [mixed()]);
        settings.iter().fold(draft, |draft, setting| draft.rule(&format!("property {saved}.{setting}")))
    });
    by_property.into_iter().chain(listeners()).collect()
}

/// Samples of all kinds, with texts that must be quoted.
fn mixed() -> Node {
    users([
        get("plain", "/a"),
        get("with, comma; and \"quotes\"\tand\nline", "/b?x=<&>"),
        get("missing", "/status/404"),
        get("judged", "/c").of([
            assertion("first, \"quoted\" <&>", "response_data", 16, &["a,b", "ok"]),
            assertion("second", "response_code", 8, &["200"]),
        ]),
        get("redirected", "/redirect/1"),
        transaction("parent", true, false, [get("in parent", "/d"), get("in parent", "/status/500")]),
        transaction("plain transaction", false, false, [get("in transaction", "/e")]),
        get("refused", "/x").text("HTTPSampler.port", "1"),
        get("binary", "/image.png"),
    ])
}

fn listener(name: &str, file: &str, xml: bool) -> Node {
    let on =
        ["time", "success", "label", "code", "message", "threadName", "assertions", "subresults", "bytes"];
    let choices = on.map(|name| format!("<{name}>true</{name}>")).concat();
    let save_config = format!(
        "<objProp><name>saveConfig</name><value class=\"SampleSaveConfiguration\">{choices}<xml>{xml}</xml>\
         <fieldNames>true</fieldNames></value></objProp>"
    );
    let node = element("ResultCollector", "SimpleDataWriter", name, &[])
        .flag("ResultCollector.error_logging", false);
    super::parts::set(node, "saveConfig", PropertyValue::Xml(save_config)).text("filename", file)
}

fn listeners() -> Vec<Draft> {
    vec![
        Draft::new(
            "results_listeners",
            "Files of listeners: all, failures, successes, in a scope.",
            [
                listener("all", "all.csv", false),
                listener("failures", "failures.csv", false).flag("ResultCollector.error_logging", true),
                listener("successes", "successes.xml", true)
                    .flag("ResultCollector.success_only_logging", true),
                users([
                    get("before", "/a"),
                    simple(
                        "block",
                        [
                            listener("block", "block.csv", false),
                            get("inside", "/status/500"),
                            get("fine", "/b"),
                        ],
                    ),
                    transaction(
                        "T",
                        false,
                        false,
                        [listener("in transaction", "t.csv", false), get("in T", "/c")],
                    ),
                    transaction("P", true, false, [listener("in parent", "p.csv", false), get("in P", "/c")]),
                    get("own", "/d")
                        .of([listener("own", "own.csv", false), listener("own again", "own.csv", false)]),
                    listener("off", "off.csv", false).off(),
                ]),
            ],
        ),
        Draft::new(
            "results_variables",
            "Variables as columns, taken after extractors.",
            [users([
                variables(&[("a", "1"), ("odd, one", "x"), ("q", "say \"hi\", <b>")]),
                get("first", "/count/rv").of([regex("extracts", "b", "count\":(\\d)", "b$1$", "1", "")]),
                transaction(
                    "parent",
                    true,
                    false,
                    [get("second", "/count/rv").of([regex("again", "b", "count\":(\\d)", "b$1$", "1", "")])],
                ),
                transaction("plain", false, false, [get("third", "/status/404")]),
            ])],
        )
        .rule("property sample_variables=a,b,missing,q"),
        Draft::new(
            "results_names_of_parts",
            "Sub-samples keep their own names.",
            [users([get("redirected", "/redirect/2")])],
        )
        .rule("property subresults.disable_renaming=true"),
    ]
}
