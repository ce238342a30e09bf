//! Listeners that report while a test runs: summaries, metrics.

use swell_plan::{Element, Node};

use super::draft::Draft;
use super::parts::{Edit, element, get, pause, simple, transaction, users};

pub(super) fn drafts() -> Vec<Draft> {
    let mut drafts = summaries();
    drafts.extend(metrics());
    drafts
}

fn summary(name: &str) -> Node {
    element("Summariser", "SummariserGui", name, &[])
}

/// Samples in and out of the scopes of summaries.
fn mixed() -> Node {
    users([
        get("first", "/a"),
        simple("block", [summary("inside ${__P(what,them)}"), get("in", "/status/500"), get("in too", "/b")]),
        transaction("T", true, false, [get("in T", "/c")]),
        get("own", "/d").of([summary("own"), summary("again")]),
        get("own too", "/d").of([summary("again")]),
        get("named alike", "/d").of([summary("summary")]),
        summary("off").off(),
    ])
}

fn summaries() -> Vec<Draft> {
    let about = "Summaries count what is in their scope; those of one name are one, that of the command line among them.";
    vec![
        Draft::new("summary_scopes", about, [mixed(), summary("all")]).rule("keep summaries"),
        Draft::new("summary_transactions", "Samples of transactions count.", [mixed(), summary("all")])
            .rule("property summariser.ignore_transaction_controller_sample_result=false")
            .rule("keep summaries"),
        Draft::new("summary_alone", "None of the command line.", [mixed()])
            .rule("property summariser.name=")
            .rule("keep summaries"),
        Draft::new("summary_silent", "Nothing to standard output.", [mixed()])
            .rule("property summariser.out=false")
            .rule("keep summaries"),
    ]
}

/// A Backend Listener with arguments; its port is that of the sink.
fn backend(name: &str, client: &str, arguments: &[(&str, &str)]) -> Node {
    let arguments = arguments.iter().map(|(name, value)| {
        Element::new("Argument", "", name)
            .with_text("Argument.name", name)
            .with_text("Argument.value", value)
            .with_text("Argument.metadata", "=")
    });
    let arguments =
        Element::new("Arguments", "ArgumentsPanel", "").with_elements("Arguments.arguments", arguments);
    let mut node = element("BackendListener", "BackendListenerGui", name, &[])
        .text("classname", &format!("org.apache.jmeter.visualizers.backend.{client}"));
    node.element = node.element.with_element("arguments", arguments);
    node
}

/// Starts late enough for the first sending to be without samples.
fn sampled(listeners: impl IntoIterator<Item = Node>) -> Node {
    let samples = [
        get("first sample", "/a").of([pause("wait", "700")]),
        get("second.one", "/status/500"),
        get("first sample", "/b"),
        transaction("T", false, false, [get("in T", "/c")]),
        transaction("P", true, false, [get("in P", "/c"), get("in P too", "/status/404")]),
    ];
    users(samples.into_iter().chain(listeners))
}

fn metrics() -> Vec<Draft> {
    let graphite = |sender: &str, more: &[(&str, &str)]| {
        let sender = format!("org.apache.jmeter.visualizers.backend.graphite.{sender}GraphiteMetricsSender");
        let usual = [
            ("graphiteMetricsSender", sender.as_str()),
            ("graphiteHost", "127.0.0.1"),
            ("graphitePort", "${__P(parity.metrics)}"),
            ("percentiles", "50;90;99.5"),
        ];
        backend("sends", "graphite.GraphiteBackendListenerClient", &[&usual[..], more].concat())
    };
    let influx = |client: &str, more: &[(&str, &str)]| {
        let usual = [
            ("influxdbMetricsSender", "org.apache.jmeter.visualizers.backend.influxdb.UdpMetricsSender"),
            ("influxdbUrl", "127.0.0.1:${__P(parity.metrics)}"),
        ];
        backend("sends", &format!("influxdb.{client}"), &[&usual[..], more].concat())
    };
    let named = [("summaryOnly", "false"), ("samplersList", "first sample;second.one;P;T")];
    let matched =
        [("summaryOnly", "false"), ("samplersList", "first|second.*"), ("useRegexpForSamplersList", "true")];
    let cases = [
        ("metrics_graphite", "Graphite, as text.", graphite("Text", &named)),
        ("metrics_graphite_regex", "Labels that match.", graphite("Text", &matched)),
        ("metrics_graphite_summary", "All together.", graphite("Text", &[("rootMetricsPrefix", "my.own ")])),
        ("metrics_graphite_pickle", "Graphite, pickled.", graphite("Pickle", &named)),
        (
            "metrics_influx_udp",
            "InfluxDB by UDP.",
            influx(
                "InfluxdbBackendListenerClient",
                &[
                    ("application", "my app"),
                    ("measurement", "m"),
                    ("summaryOnly", "false"),
                    ("samplersRegex", ".*"),
                    ("percentiles", "50;99.5"),
                    ("testTitle", "Title"),
                    ("eventTags", "x"),
                    ("TAG_a", "b c"),
                ],
            ),
        ),
        (
            "metrics_influx_raw",
            "A line a sample.",
            influx("InfluxDBRawBackendListenerClient", &[("measurement", "raw one")]),
        ),
    ];
    let drafts = cases.map(|(name, about, listener)| {
        Draft::new(name, about, [sampled([listener])])
            .rule("property backend_graphite.send_interval=60")
            .rule("property backend_influxdb.send_interval=60")
            .rule("keep metrics")
    });
    drafts.into()
}
