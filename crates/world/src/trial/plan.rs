//! The plan of a trial as JMeter's text, of stock elements.

use std::fmt::Write as _;

use super::options::{
    CsvOptions, GroupOptions, LoadOfGroup, PhaseOfGroup, PlanNode, Rate, RateOf, RouteOfRequest, Think,
    TrialOptions,
};

/// The group of a Precise Throughput Timer gets its events drawn for windows of this length.
pub(super) const PRECISE_WINDOW_S: u32 = 10;
/// The seed of random arrivals.
const ARRIVALS_SEED: u32 = 7;

/// The plan.
pub(super) fn jmx(options: &TrialOptions) -> String {
    let groups: String =
        options.groups.iter().enumerate().map(|(place, group)| group_text(place, group)).collect();
    let variables = variable("yes", "true") + &variable("no", "false") + &variable("last", "none");
    let variables = format!(
        r#"<elementProp name="TestPlan.user_defined_variables" elementType="Arguments" guiclass="ArgumentsPanel" testclass="Arguments" testname="V" enabled="true"><collectionProp name="Arguments.arguments">{variables}</collectionProp></elementProp>"#
    );
    let serialized = flag("TestPlan.serialize_threadgroups", options.serialized);
    let plan = element("TestPlan", "Plan", &(variables + &serialized), &groups);
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>{plan}</hashTree></jmeterTestPlan>"#
    )
}

/// Name of a thread group.
pub(super) fn group_name(place: usize) -> String {
    format!("Group {place}")
}

/// Label of a node: of a group, by its number in the order of the plan.
pub(super) fn label(group: usize, number: usize) -> String {
    format!("g{group}n{number}")
}

/// The file of a CSV Data Set.
pub(super) fn csv_name(group: usize) -> String {
    format!("rows-{group}.csv")
}

/// Its content: numbers.
pub(super) fn csv_text(csv: CsvOptions) -> String {
    (0..csv.rows).fold(String::new(), |text, row| text + &format!("{row}\n"))
}

fn group_text(place: usize, group: &GroupOptions) -> String {
    let mut below = group.rate.map(rate_text).unwrap_or_default();
    below += &group.csv.map(|csv| csv_element(place, csv)).unwrap_or_default();
    let mut number = 0;
    for node in &group.nodes {
        below += &node_text((place, group), node, &mut number);
    }
    let name = group_name(place);
    match &group.load {
        LoadOfGroup::Users { users, ramp_s, loops, delay_s, duration_s } => {
            let class = match group.phase {
                PhaseOfGroup::SetUp => "SetupThreadGroup",
                PhaseOfGroup::Main => "ThreadGroup",
                PhaseOfGroup::TearDown => "PostThreadGroup",
            };
            let loops = if *loops == 0 { -1 } else { i64::from(*loops) };
            let main = format!(
                r#"<elementProp name="ThreadGroup.main_controller" elementType="LoopController" guiclass="LoopControlPanel" testclass="LoopController" testname="L" enabled="true">{}{}</elementProp>"#,
                flag("LoopController.continue_forever", false),
                text("LoopController.loops", loops)
            );
            let fields = main
                + &text("ThreadGroup.on_sample_error", "continue")
                + &text("ThreadGroup.num_threads", users)
                + &text("ThreadGroup.ramp_time", ramp_s)
                + &flag("ThreadGroup.scheduler", *duration_s > 0)
                + &text("ThreadGroup.duration", duration_s)
                + &text("ThreadGroup.delay", delay_s)
                + &flag("ThreadGroup.same_user_on_next_iteration", true);
            element(class, &name, &fields, &below)
        }
        LoadOfGroup::Open { per_s, for_s, random } => {
            let how = if *random { "random" } else { "even" };
            let schedule = format!("rate({per_s}/sec) {how}_arrivals({for_s} sec)");
            let fields = text("OpenModelThreadGroup.schedule", schedule)
                + &text("OpenModelThreadGroup.random_seed", ARRIVALS_SEED);
            element("org.apache.jmeter.threads.openmodel.OpenModelThreadGroup", &name, &fields, &below)
        }
    }
}

fn rate_text(Rate { of, per_minute }: Rate) -> String {
    let throughput = format!(
        "<doubleProp><name>throughput</name><value>{per_minute}.0</value><savedValue>0.0</savedValue></doubleProp>"
    );
    let mode = match of {
        RateOf::User => 0,
        RateOf::Group => 4,
        RateOf::Precise => {
            let fields = throughput
                + &number("throughputPeriod", 60)
                + &format!(r#"<longProp name="duration">{PRECISE_WINDOW_S}</longProp>"#)
                + &number("batchSize", 1)
                + r#"<longProp name="randomSeed">11</longProp>"#;
            return element("PreciseThroughputTimer", "Rate", &fields, "");
        }
    };
    element("ConstantThroughputTimer", "Rate", &(number("calcMode", mode) + &throughput), "")
}

fn csv_element(group: usize, csv: CsvOptions) -> String {
    let fields = text("filename", csv_name(group))
        + &text("fileEncoding", "UTF-8")
        + &text("variableNames", "row")
        + &text("delimiter", ",")
        + &flag("ignoreFirstLine", false)
        + &flag("quotedData", false)
        + &flag("recycle", csv.recycles)
        + &flag("stopThread", !csv.recycles)
        + &text("shareMode", "shareMode.all");
    element("CSVDataSet", "Rows", &fields, "")
}

/// A node with all below it; `number` counts nodes in the order of the plan.
fn node_text(group: (usize, &GroupOptions), node: &PlanNode, number: &mut usize) -> String {
    let own = *number;
    *number += 1;
    let below: String = node.below().iter().map(|node| node_text(group, node, number)).collect();
    let name = label(group.0, own);
    let simple = |class: &str, fields: &str| element(class, &name, fields, &below);
    match node {
        PlanNode::Request { route, think, asserts } => request(group, &name, *route, *think, *asserts),
        PlanNode::Simple { .. } => simple("GenericController", ""),
        PlanNode::If { holds, .. } => {
            let condition = if *holds { "${yes}" } else { "${no}" };
            simple(
                "IfController",
                &(text("IfController.condition", condition)
                    + &flag("IfController.evaluateAll", false)
                    + &flag("IfController.useExpression", true)),
            )
        }
        PlanNode::Loop { turns, .. } => simple(
            "LoopController",
            &(flag("LoopController.continue_forever", true) + &text("LoopController.loops", turns)),
        ),
        PlanNode::Once { .. } => simple("OnceOnlyController", ""),
        PlanNode::Transaction { parent, .. } => simple(
            "TransactionController",
            &(flag("TransactionController.parent", *parent)
                + &flag("TransactionController.includeTimers", false)),
        ),
        PlanNode::Throughput { amount, percent, .. } => simple(
            "ThroughputController",
            &(self::number("ThroughputController.style", i32::from(*percent))
                + &flag("ThroughputController.perThread", true)
                + &self::number("ThroughputController.maxThroughput", amount)
                + &format!(
                    "<FloatProperty><name>ThroughputController.percentThroughput</name><value>{amount}.0</value><savedValue>0.0</savedValue></FloatProperty>"
                )),
        ),
        PlanNode::Interleave { .. } => {
            simple("InterleaveControl", &self::number("InterleaveControl.style", 0))
        }
        PlanNode::StopThread {} => action(&name, 0, 0),
        PlanNode::StopTest { at_once } => action(&name, if *at_once { 2 } else { 0 }, 2),
    }
}

fn action(name: &str, action: i32, target: i32) -> String {
    let fields = number("ActionProcessor.action", action)
        + &number("ActionProcessor.target", target)
        + &text("ActionProcessor.duration", 0);
    element("TestAction", name, &fields, "")
}

/// A request whose id says which it is: its label, the number of its user, and how often that user
/// has made it.
fn request(
    (_, group): (usize, &GroupOptions),
    name: &str,
    route: RouteOfRequest,
    think: Think,
    asserts: Option<bool>,
) -> String {
    let (path, status) = match route {
        RouteOfRequest::Delay(ms) => (format!("/delay/{ms}ms"), 200),
        RouteOfRequest::Bytes(bytes) => (format!("/bytes/{bytes}"), 200),
        RouteOfRequest::Status(status) => (format!("/status/{status}"), status),
        RouteOfRequest::Anything => ("/anything".to_owned(), 200),
    };
    let row = if group.csv.is_some() { "&amp;row=${row}" } else { "" };
    let path = format!("{path}?id={name}.${{__threadNum}}.${{__counter(TRUE,)}}&amp;last=${{last}}{row}");
    let mut below = match think {
        Think { least_ms: 0, range_ms: 0 } => String::new(),
        Think { least_ms, range_ms: 0 } => {
            element("ConstantTimer", "Think", &text("ConstantTimer.delay", least_ms), "")
        }
        Think { least_ms, range_ms } => {
            let fields = text("ConstantTimer.delay", least_ms) + &text("RandomTimer.range", range_ms);
            element("UniformRandomTimer", "Think", &fields, "")
        }
    };
    if let Some(holds) = asserts {
        below += &assertion(if holds { status } else { 999 });
    }
    if route == RouteOfRequest::Anything {
        below += &extractor();
    }
    let fields = text("HTTPSampler.domain", "10.0.0.2")
        + &text("HTTPSampler.port", 80)
        + &text("HTTPSampler.protocol", "http")
        + &text("HTTPSampler.path", path)
        + &text("HTTPSampler.method", "GET")
        + &flag("HTTPSampler.follow_redirects", true)
        + &flag("HTTPSampler.use_keepalive", true)
        + &text("HTTPSampler.response_timeout", super::run::TIMEOUT_MS)
        + &text("HTTPSampler.connect_timeout", super::run::TIMEOUT_MS);
    element("HTTPSamplerProxy", name, &fields, &below)
}

fn assertion(status: u32) -> String {
    let fields = format!(
        r#"<collectionProp name="Asserion.test_strings"><stringProp name="0">{status}</stringProp></collectionProp>"#
    ) + &text("Assertion.test_field", "Assertion.response_code")
        + &flag("Assertion.assume_success", false)
        + &number("Assertion.test_type", 8);
    element("ResponseAssertion", "Status", &fields, "")
}

fn extractor() -> String {
    let fields = text("RegexExtractor.useHeaders", "false")
        + &text("RegexExtractor.refname", "last")
        + &text("RegexExtractor.regex", "\"id\": ?\"([^\"]+)\"")
        + &text("RegexExtractor.template", "$1$")
        + &text("RegexExtractor.default", "nothing")
        + &text("RegexExtractor.match_number", 1);
    element("RegexExtractor", "Id", &fields, "")
}

fn element(class: &str, name: &str, fields: &str, below: &str) -> String {
    format!(
        r#"<{class} guiclass="G" testclass="{class}" testname="{name}" enabled="true">{fields}</{class}><hashTree>{below}</hashTree>"#
    )
}

fn variable(name: &str, value: &str) -> String {
    format!(
        r#"<elementProp name="{name}" elementType="Argument">{}{}{}</elementProp>"#,
        text("Argument.name", name),
        text("Argument.value", value),
        text("Argument.metadata", "=")
    )
}

fn property(kind: &str, name: &str, value: impl std::fmt::Display) -> String {
    let mut text = String::new();
    write!(text, r#"<{kind} name="{name}">{value}</{kind}>"#).expect("writing to memory does not fail");
    text
}

fn text(name: &str, value: impl std::fmt::Display) -> String {
    property("stringProp", name, value)
}

fn flag(name: &str, value: bool) -> String {
    property("boolProp", name, value)
}

fn number(name: &str, value: impl std::fmt::Display) -> String {
    property("intProp", name, value)
}
