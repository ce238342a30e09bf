//! Plans as older versions of JMeter saved them, and as people shorten them: properties of other kinds, missing, or elsewhere.

use swell_plan::{Element, Node, PropertyValue};

use super::draft::Draft;
use super::parts::{Edit, element, get, set, texts, users};

pub(super) fn drafts() -> Vec<Draft> {
    vec![groups(), bare(), kinds(), samplers(), defaults_of_all()]
}

fn main_loop(node: Node, name: &str, value: PropertyValue) -> Node {
    let main = Element::new("LoopController", "LoopControlPanel", "Loop Controller").with(name, value);
    let main = main.with_flag("LoopController.continue_forever", false);
    let mut node = node;
    node.element = node.element.with_element("ThreadGroup.main_controller", main);
    node
}

/// Counts as numbers and as texts, times that are past.
fn groups() -> Draft {
    let group = |name: &str| {
        element("ThreadGroup", "ThreadGroupGui", name, &[("ThreadGroup.on_sample_error", "continue")])
    };
    let loops = "LoopController.loops";
    let ints = main_loop(group("ints"), loops, PropertyValue::Int("2".to_owned()))
        .int("ThreadGroup.num_threads", 1)
        .int("ThreadGroup.ramp_time", 0)
        .of([get("ints", "/a")]);
    let long = set(
        set(group("longs"), "ThreadGroup.start_time", PropertyValue::Long("1448822732000".to_owned())),
        "ThreadGroup.end_time",
        PropertyValue::Long("1448822732000".to_owned()),
    );
    let long = main_loop(long, loops, PropertyValue::Text("1".to_owned()))
        .text("ThreadGroup.num_threads", "1")
        .flag("ThreadGroup.scheduler", false)
        .of([get("longs", "/b")]);
    let no_main = group("no main").text("ThreadGroup.num_threads", "1");
    Draft::new(
        "old_groups",
        "Groups with numbers as numbers, with times, without what is usual.",
        [ints, long, no_main],
    )
    .flag("TestPlan.serialize_threadgroups", true)
}

/// A request with nothing but what it needs.
fn bare() -> Draft {
    let bare = |name: &str, more: &[(&str, &str)]| {
        let usual = [
            ("HTTPSampler.domain", "127.0.0.1"),
            ("HTTPSampler.port", "${__P(parity.port)}"),
            ("HTTPSampler.path", "/bare"),
        ];
        more.iter()
            .fold(element("HTTPSamplerProxy", "HttpTestSampleGui", name, &usual), |node, (key, value)| {
                node.text(key, value)
            })
    };
    Draft::new(
        "old_bare_requests",
        "Requests that lack most properties.",
        [users([
            bare("nothing else", &[]),
            bare("a method", &[("HTTPSampler.method", "POST")]),
            bare(
                "flags as texts",
                &[
                    ("HTTPSampler.follow_redirects", "true"),
                    ("HTTPSampler.path", "/redirect/1"),
                    ("HTTPSampler.use_keepalive", "true"),
                ],
            ),
            bare(
                "timeouts",
                &[("HTTPSampler.connect_timeout", "1000"), ("HTTPSampler.response_timeout", "1000")],
            ),
            element(
                "HTTPSamplerProxy",
                "HttpTestSampleGui",
                "whole path",
                &[("HTTPSampler.path", "http://127.0.0.1:${__P(parity.port)}/whole")],
            ),
        ])],
    )
}

/// Numbers and flags of other kinds than the windows write.
fn kinds() -> Draft {
    let controller = |class: &str, gui: &str, name: &str| element(class, gui, name, &[]);
    Draft::new(
        "old_kinds",
        "Numbers as texts, texts as numbers, flags as texts.",
        [users([
            controller("LoopController", "LoopControlPanel", "ints")
                .int("LoopController.loops", 2)
                .of([get("ints", "/a")]),
            controller("IfController", "IfControllerPanel", "flag as text")
                .text("IfController.condition", "true")
                .text("IfController.useExpression", "true")
                .of([get("flag as text", "/b")]),
            controller("IfController", "IfControllerPanel", "no flags")
                .text("IfController.condition", "1 == 1")
                .of([get("no flags", "/c")]),
            controller("ForeachController", "ForeachControlPanel", "no separator flag")
                .text("ForeachController.inputVal", "v")
                .text("ForeachController.returnVal", "item")
                .of([get("${item}", "/d")]),
            controller("InterleaveControl", "InterleaveControlGui", "text style")
                .text("InterleaveControl.style", "0")
                .of([get("x", "/x"), get("y", "/y")]),
            controller("TransactionController", "TransactionControllerGui", "no flags")
                .of([get("in T", "/e")]),
            controller("ThroughputController", "ThroughputControllerGui", "texts")
                .text("ThroughputController.style", "1")
                .text("ThroughputController.perThread", "true")
                .int("ThroughputController.maxThroughput", 1)
                .text("ThroughputController.percentThroughput", "100")
                .of([get("in it", "/f")]),
            get("assertion", "/g").of([set(
                element(
                    "ResponseAssertion",
                    "AssertionGui",
                    "text type",
                    &[("Assertion.test_field", "Assertion.response_data"), ("Assertion.test_type", "16")],
                ),
                "Asserion.test_strings",
                texts(&["nothing"]),
            )]),
            get("no type", "/h").of([set(
                element(
                    "ResponseAssertion",
                    "AssertionGui",
                    "none",
                    &[("Assertion.test_field", "Assertion.response_code")],
                ),
                "Asserion.test_strings",
                texts(&["200"]),
            )]),
            get("no field", "/i").of([set(
                element("ResponseAssertion", "AssertionGui", "none", &[("Assertion.test_type", "2")]),
                "Asserion.test_strings",
                texts(&["127"]),
            )]),
        ])],
    )
    .variables(&[("v_1", "one"), ("v_2", "two"), ("v1", "uno")])
}

/// Classes of samplers that are now one.
fn samplers() -> Draft {
    let old = |class: &str, name: &str| {
        let node = element(
            class,
            "HttpTestSampleGui",
            name,
            &[("HTTPSampler.domain", "127.0.0.1"), ("HTTPSampler.path", "/old")],
        );
        node.text("HTTPSampler.port", "${__P(parity.port)}")
            .text("HTTPSampler.method", "GET")
            .flag("HTTPSampler.use_keepalive", true)
    };
    Draft::new(
        "old_samplers",
        "Classes of samplers that older versions had.",
        [users([old("HTTPSampler", "of Java"), old("HTTPSampler2", "of HttpClient")])],
    )
    .rule("order none")
}

/// Elements without any property.
fn defaults_of_all() -> Draft {
    let bare = |class: &str, gui: &str| element(class, gui, class, &[]);
    let judged = |class: &str, gui: &str| get(class, "/json").of([bare(class, gui)]);
    Draft::new(
        "old_bare_elements",
        "Elements that lack all of their properties.",
        [users([
            bare("CacheManager", "CacheManagerGui"),
            bare("Arguments", "ArgumentsPanel"),
            bare("CounterConfig", "CounterConfigGui"),
            bare("ConstantTimer", "ConstantTimerGui"),
            bare("UniformRandomTimer", "UniformRandomTimerGui"),
            judged("ResponseAssertion", "AssertionGui"),
            judged("DurationAssertion", "DurationAssertionGui"),
            judged("SizeAssertion", "SizeAssertionGui"),
            judged("JSONPathAssertion", "JSONPathAssertionGui"),
            judged("XPathAssertion", "XPathAssertionGui"),
            judged("MD5HexAssertion", "MD5HexAssertionGUI"),
            judged("RegexExtractor", "RegexExtractorGui"),
            judged("JSONPostProcessor", "JSONPostProcessorGui"),
            judged("JMESPathExtractor", "JMESPathExtractorGui"),
            judged("HtmlExtractor", "HtmlExtractorGui"),
            judged("XPathExtractor", "XPathExtractorGui"),
            judged("XPath2Extractor", "XPath2ExtractorGui"),
            judged("DebugPostProcessor", "TestBeanGUI"),
            judged("ResultAction", "ResultActionGui"),
            bare("LoopController", "LoopControlPanel").of([get("in a loop", "/never")]),
            bare("IfController", "IfControllerPanel").of([get("in an if", "/never")]),
            bare("ForeachController", "ForeachControlPanel").of([get("in a foreach", "/never")]),
            bare("SwitchController", "SwitchControllerGui")
                .of([get("in a switch", "/s"), get("second", "/never")]),
            bare("InterleaveControl", "InterleaveControlGui").of([get("in turns", "/i")]),
            bare("ThroughputController", "ThroughputControllerGui").of([get("in a share", "/t")]),
            bare("RunTime", "RunTimeGui").of([get("in a runtime", "/never")]),
            bare("CriticalSectionController", "CriticalSectionControllerGui").of([get("in a section", "/c")]),
            bare("OnceOnlyController", "OnceOnlyControllerGui").of([get("once", "/o")]),
            bare("TransactionController", "TransactionControllerGui").of([get("in a transaction", "/x")]),
            bare("RandomController", "RandomControlGui").of([get("any", "/r")]),
            bare("DebugSampler", "TestBeanGUI"),
            get("last", "/last"),
        ])],
    )
    .rule("mask bytes")
    .rule("mask bodies")
}
