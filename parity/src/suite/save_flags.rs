//! Every switch of what a listener's file holds (`SampleSaveConfiguration`): alone, and as the only one that is off.

use swell_plan::{Node, PropertyValue};

use super::draft::Draft;
use super::extractors::regex;
use super::parts::{Edit, assertion, element, get, set, transaction, users};

/// The members of a `saveConfig` that switch something.
const FLAGS: [&str; 29] = [
    "time",
    "latency",
    "timestamp",
    "success",
    "label",
    "code",
    "message",
    "threadName",
    "dataType",
    "encoding",
    "assertions",
    "subresults",
    "responseData",
    "samplerData",
    "fieldNames",
    "responseHeaders",
    "requestHeaders",
    "responseDataOnError",
    "saveAssertionResultsFailureMessage",
    "bytes",
    "sentBytes",
    "url",
    "fileName",
    "hostname",
    "threadCounts",
    "sampleCount",
    "idleTime",
    "connectTime",
    "none",
];

pub(super) fn drafts() -> Vec<Draft> {
    vec![
        Draft::new(
            "save_flags_csv",
            "Each switch of a CSV file, alone and as the only one that is off.",
            files("csv"),
        ),
        Draft::new(
            "save_flags_xml",
            "Each switch of an XML file, alone and as the only one that is off.",
            files("xml"),
        ),
        Draft::new(
            "save_flags_odd",
            "A configuration with odd values, with members that nobody reads, and with none.",
            [
                writer("values.csv", "<label>TRUE</label><code> true </code><url>1</url><fieldNames>true</fieldNames>"),
                writer(
                    "members.csv",
                    "<label>true</label><fieldNames>true</fieldNames>\
                     <assertionsResultsToSave>2</assertionsResultsToSave><printMilliseconds>false</printMilliseconds>\
                     <delimiter>;</delimiter><code>true</code><formatter class=\"java.text.SimpleDateFormat\"/>",
                ),
                writer("nothing.csv", ""),
                writer("nothing.xml", "<xml>true</xml>"),
                element("ResultCollector", "SimpleDataWriter", "by default", &[("filename", "default.csv")]),
                users([judged(), get("second", "/b")]),
            ],
        ),
    ]
    .into_iter()
    .map(|draft| draft.rule("mask Hostname"))
    .collect()
}

/// A file for each flag, twice, and samples that show all of them.
fn files(kind: &str) -> Vec<Node> {
    let xml = kind == "xml";
    let usual = |flag: &str| if xml || flag == "label" { "code" } else { "label" };
    let alone = FLAGS.map(|flag| {
        let on: Vec<&str> = [flag, usual(flag), "fieldNames"].into_iter().filter(|f| *f != "none").collect();
        writer(&format!("{flag}_on.{kind}"), &choices(&on, xml))
    });
    let missing = FLAGS.map(|flag| {
        let on: Vec<&str> = match flag {
            // Without a header nothing tells which columns hold times.
            "fieldNames" if !xml => vec!["label", "code", "success"],
            flag => FLAGS.into_iter().filter(|f| *f != flag && *f != "none").collect(),
        };
        writer(&format!("{flag}_off.{kind}"), &choices(&on, xml))
    });
    let samples = users([
        judged(),
        get("redirected", "/redirect/1"),
        get("image", "/image.png"),
        transaction("parent", true, false, [get("failing", "/status/500")]),
    ]);
    alone.into_iter().chain(missing).chain([samples]).collect()
}

/// A sample that an assertion fails, with a variable of a post-processor.
fn judged() -> Node {
    get("judged", "/a?b=c").of([
        assertion("passes", "response_code", 8, &["200"]),
        assertion("fails", "response_data", 16, &["a, \"b\" <c>"]),
        regex("extracts", "v", "(o)k", "$1$", "1", ""),
    ])
}

fn choices(on: &[&str], xml: bool) -> String {
    let members = on.iter().map(|name| format!("<{name}>true</{name}>"));
    members.chain([format!("<xml>{xml}</xml>")]).collect()
}

fn writer(file: &str, members: &str) -> Node {
    let config = format!(
        "<objProp><name>saveConfig</name><value class=\"SampleSaveConfiguration\">{members}</value></objProp>"
    );
    let node = element("ResultCollector", "SimpleDataWriter", file, &[]);
    let node = node.flag("ResultCollector.error_logging", false);
    set(node, "saveConfig", PropertyValue::Xml(config)).text("filename", file)
}
