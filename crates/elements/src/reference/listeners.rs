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
    Entry::ignored(Listener, "Summariser", "Generate Summary Results", "Swell shows its own summary lines"),
    Entry::native(
        Listener,
        "BackendListener",
        "Backend Listener with the InfluxDB client",
        "Sends sums of each five seconds to an InfluxDB by HTTP, as JMeter's own client; the test never waits for it.",
    )
    .when("classname", &["org.apache.jmeter.visualizers.backend.influxdb.InfluxdbBackendListenerClient"])
    .properties(&[
        text("influxdbUrl", "", "An argument, as all below; `http://` only."),
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
    .differs(&[
        "`https://` and the UDP sender are not there yet: a line in the log says so, and nothing is sent.",
        "An interval has 10,000 labels at most for each worker.",
        "Active users are those at the end of each sample, not at the time when the client comes to it.",
        "Samples are summed up where they are made, so there is no queue; `QUEUE_SIZE` is not read.",
    ]),
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
        .differs(&["A folder that cannot be made is a line in the log, and the test goes on."]),
    Entry::ignored(Listener, "MailerResultCollector", "Mailer Visualizer", "no mail is sent"),
    Entry::needs_jvm(Listener, "JSR223Listener", "JSR223 Listener", SCRIPT),
    Entry::needs_jvm(Listener, "BeanShellListener", "BeanShell Listener", SCRIPT),
    Entry::needs_jvm(Listener, "BSFListener", "BSF Listener", SCRIPT),
];
