//! Listeners.

use super::Entry;
use super::Kind::Listener;
use super::property::{Property, choice, flag, text};

const SCRIPT: &str = "it runs a script";

/// What all result collectors read.
pub(super) const COLLECTOR: &[Property] = &[
    text("filename", "", "The results file; without one the listener is ignored."),
    flag("ResultCollector.error_logging", false, "Only samples that failed."),
    flag("ResultCollector.success_only_logging", false, "Only samples that succeeded."),
    text(
        "saveConfig",
        "the properties `jmeter.save.saveservice.*`",
        "Format and columns (`SampleSaveConfiguration`).",
    ),
];

const INFLUX_SENDER: Property = text(
    "influxdbMetricsSender",
    "…influxdb.HttpMetricsSender",
    "An argument, as all below; the other is `…influxdb.UdpMetricsSender`.",
);

const TRUST: &str = "An `https` server is trusted by the certificates of this machine, where JMeter takes those that come with \
                     Java; `javax.net.ssl.trustStore` counts in both.";
const LABELS: &str = "An interval has 10,000 labels at most for each worker.";
const USERS: &str =
    "Active users are those at the end of each sample, not at the time when the client comes to it.";
const NO_QUEUE: &str =
    "Samples are summed up where they are made, so there is no queue; `QUEUE_SIZE` is not read.";

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(
        Listener,
        "ResultCollector",
        "Simple Data Writer, View Results Tree, Summary Report, Aggregate Report and all other listeners with a file",
        "Writes samples in its scope to a file, as CSV or XML, byte for byte as JMeter.",
    )
    .properties(COLLECTOR)
    .differs(&["Nothing is shown: without a file it has nothing to do."]),
    Entry::native(Listener, "ResultAction", "Result Status Action Handler", "Acts when a sample fails.").properties(&[choice(
        "OnError.action",
        &["0", "1", "2", "3", "4", "5", "6"],
        "0",
        "Continue, stop user, stop test, stop test now, next thread loop, next iteration, break.",
    )]),
    Entry::ignored(Listener, "RemoteListenerWrapper", "Wrappers of distributed runs", "plans do not hold them by themselves")
        .also(&["RemoteSampleListenerWrapper", "RemoteTestListenerWrapper", "RemoteThreadsListenerWrapper"]),
    Entry::native(
        Listener,
        "Summariser",
        "Generate Summary Results",
        "Makes summary lines of the samples in its scope, under its name; elements of one name share their totals, also \
         with the lines of the whole run (`summariser.name`). The properties `summariser.*` hold for all of them.",
    ),
    Entry::native(
        Listener,
        "BackendListener",
        "Backend Listener with the InfluxDB client",
        "Sends sums of each five seconds to an InfluxDB, as JMeter's own client; the test never waits for it.",
    )
    .when("classname", &["org.apache.jmeter.visualizers.backend.influxdb.InfluxdbBackendListenerClient"])
    .properties(&[
        INFLUX_SENDER,
        text("influxdbUrl", "", "`http://…` or `https://…`; `host:port` for UDP."),
        text("influxdbToken", "", ""),
        text("application", "", ""),
        text("measurement", "jmeter", ""),
        flag("summaryOnly", false, "No lines for labels."),
        text("samplersRegex", "", "Labels with lines of their own; Java's dialect."),
        text("percentiles", "", "Separated by `;`."),
        text("testTitle", "Test", ""),
        text("eventTags", "", ""),
        text("TAG_…", "", "Tags of the plan's own."),
    ])
    .differs(&[TRUST, LABELS, USERS, NO_QUEUE]),
    Entry::native(
        Listener,
        "BackendListener",
        "Backend Listener with the InfluxDB raw client",
        "Sends a line for each sample to an InfluxDB, in the manner of JMeter's own client.",
    )
    .when("classname", &["org.apache.jmeter.visualizers.backend.influxdb.InfluxDBRawBackendListenerClient"])
    .properties(&[
        INFLUX_SENDER,
        text("influxdbUrl", "", "`http://…` or `https://…`; `host:port` for UDP."),
        text("influxdbToken", "", ""),
        text("measurement", "jmeter", ""),
    ])
    .differs(&[
        TRUST,
        "Lines go out ten times a second, not as soon as they are made. Beyond 8 MB a worker they are lost, and counted in \
         the log: users never wait for a database.",
    ]),
    Entry::native(
        Listener,
        "BackendListener",
        "Backend Listener with the Graphite client",
        "Sends sums of each second to a Graphite, as text or pickled, as JMeter's own client; the test never waits for it.",
    )
    .when("classname", &["org.apache.jmeter.visualizers.backend.graphite.GraphiteBackendListenerClient"])
    .properties(&[
        text(
            "graphiteMetricsSender",
            "",
            "An argument, as all below: `…graphite.TextGraphiteMetricsSender` or `…graphite.PickleGraphiteMetricsSender`.",
        ),
        text("graphiteHost", "", ""),
        text("graphitePort", "2003", ""),
        text("rootMetricsPrefix", "jmeter.", ""),
        flag("summaryOnly", true, "No metrics for labels."),
        text("samplersList", "", "Labels with metrics of their own, separated by `;`; or an expression."),
        flag("useRegexpForSamplersList", false, "The list is an expression in Java's dialect that labels match."),
        text("percentiles", "", "Separated by `;`."),
    ])
    .differs(&[LABELS, USERS, NO_QUEUE]),
    Entry::ignored(
        Listener,
        "BackendListener",
        "Backend Listener with other clients",
        "results are not sent to this service yet",
    ),
    Entry::native(Listener, "ResultSaver", "Save Responses to a file", "Writes each response to a file of its own.")
        .properties(&[
            text("FileSaver.filename", "", "Start of the names; `~/` is the folder of the plan."),
            text("FileSaver.variablename", "", "Variable that gets the name; with a number for sub-samples."),
            flag("FileSaver.errorsonly", false, "Only samples that failed."),
            flag("FileSaver.successonly", false, "Only samples that succeeded."),
            flag("FileSaver.skipautonumber", false, "Names without a number."),
            flag("FileSaver.skipsuffix", false, "Names without the second half of the content type."),
            flag("FileSaver.addTimstamp", false, "The start of the test in the names, to the minute."),
            text("FileSaver.numberPadLen", "0", "Least digits of the number."),
            flag("FileSaver.ignoreTC", true, "Not the samples of transactions."),
        ])
        .differs(&[
            "A folder that cannot be made is a line in the log, and the test goes on.",
            "What the server says is a plain name: in the second half of the content type all but letters, digits and `.-_` becomes `_`.",
            "Files stay in the folder that the plan says, whatever a variable brings, and a symbolic link is not followed. New files \
             have mode 0600.",
        ]),
    Entry::ignored(Listener, "MailerResultCollector", "Mailer Visualizer", "no mail is sent"),
    Entry::needs_jvm(Listener, "JSR223Listener", "JSR223 Listener", SCRIPT),
    Entry::needs_jvm(Listener, "BeanShellListener", "BeanShell Listener", SCRIPT),
    Entry::needs_jvm(Listener, "BSFListener", "BSF Listener", SCRIPT),
];
