//! Elements of plug-ins.

use super::Entry;
use super::Kind::{
    Assertion, Config, Controller, IterationElement, Listener, PostProcessor, PreProcessor, Sampler,
};
use super::listeners::COLLECTOR;
use super::property::{choice, flag, list, text, whole};

const LATER: &str = "not there yet";

pub(super) const ENTRIES: &[Entry] = &[
    Entry::native(
        Controller,
        "com.blazemeter.jmeter.control.WeightedSwitchController",
        "bzm - Weighted Switch Controller",
        "Runs one of its children on each visit, as often as its weight says.",
    )
    .properties(&[
        list("Weights", "rows: name, weight, `true` if enabled", "In the order of the children."),
        flag("IsRandomChoice", false, "By lot; else in turn, and exactly in proportion."),
    ]),
    Entry::native(
        Controller,
        "com.blazemeter.jmeter.controller.ParallelSampler",
        "bzm - Parallel Controller",
        "Runs each of its children at the same time. Cookies and caches are the user's, connections are made anew.",
    )
    .properties(&[
        flag("PARENT_SAMPLE", false, "One sample with those of the children in it; else each is reported."),
        flag("LIMIT_MAX_THREAD_NUMBER", false, "Only so many children at a time."),
        whole("MAX_THREAD_NUMBER", "children", "6", ""),
    ])
    .differs(&["Children see variables as they were at the start; what they change is the user's when all are done."]),
    Entry::unsupported(
        Sampler,
        "com.blazemeter.jmeter.http.ParallelHTTPSampler",
        "bzm - Parallel HTTP Requests",
        LATER,
    ),
    Entry::native(
        Sampler,
        "kg.apc.jmeter.samplers.DummySampler",
        "jp@gc - Dummy Sampler",
        "A sample that says what the plan wants it to say.",
    )
    .properties(&[
        flag("SUCCESFULL", false, "The plug-in spells it so."),
        text("RESPONSE_CODE", "", ""),
        text("RESPONSE_MESSAGE", "", ""),
        text("REQUEST_DATA", "", ""),
        text("RESPONSE_DATA", "", ""),
        text("URL", "", ""),
        whole("RESPONSE_TIME", "ms", "0", ""),
        whole("LATENCY", "ms", "0", ""),
        whole("CONNECT", "ms", "0", ""),
        flag("WAITING", false, "Waits for the response time."),
        text(
            "RESULT_CLASS",
            "org.apache.jmeter.samplers.SampleResult",
            "Or `…HTTPSampleResult`: XML results show an `httpSample`.",
        ),
    ]),
    Entry::native(
        IterationElement,
        "com.blazemeter.jmeter.RandomCSVDataSetConfig",
        "bzm - Random CSV Data Set Config",
        "Variables from the records of a file, each record once, in the file's order or by lot. The whole file is in memory.",
    )
    .properties(&[
        text("filename", "", "From the working folder, then from the folder of the plan."),
        text("fileEncoding", "UTF-8", ""),
        text("delimiter", ",", "One character; `\t` is a tab."),
        text("variableNames", "", "Separated by `,`. Empty: the first record has them."),
        flag("randomOrder", false, "By lot."),
        flag("ignoreFirstLine", false, ""),
        flag("rewindOnTheEndOfList", false, "Starts again at the end; else users stop there."),
        flag("independentListPerThread", false, "Release 0.8 of the plug-in shares one list all the same, and so does Swell."),
    ]),
    Entry::native(
        PostProcessor,
        "kg.apc.jmeter.modifiers.FifoPutPostProcessor",
        "jp@gc - Inter-Thread Communication PostProcessor",
        "Puts a value into a queue that all users share.",
    )
    .properties(&[text("FifoName", "", "The queue."), text("Value", "", "")]),
    Entry::native(
        PreProcessor,
        "kg.apc.jmeter.modifiers.FifoPopPreProcessor",
        "jp@gc - Inter-Thread Communication PreProcessor",
        "Takes the first value of a queue, and waits for one.",
    )
    .properties(&[
        text("FifoName", "", "The queue."),
        text("Variable", "", "Gets the value; removed where none came in time."),
        whole("Timeout", "s", "property `kg.apc.jmeter.functions.FifoTimeout`", "Empty: no limit."),
    ]),
    Entry::native(
        PostProcessor,
        "com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor",
        "jp@gc - JSON Path Extractor",
        "A variable by JSONPath; arrays as numbered variables, too.",
    )
    .properties(&[
        text("VAR", "", "The variable."),
        text("JSONPATH", "", ""),
        text("DEFAULT", "", "Where nothing is found."),
        choice("SUBJECT", &["BODY", "VAR"], "BODY", "What is read."),
        text("VARIABLE", "", "The variable that is read."),
        choice("INPUT_FORMAT", &["JSON"], "JSON", "YAML is refused."),
    ]),
    Entry::native(
        Assertion,
        "com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion",
        "jp@gc - JSON Path Assertion",
        "As the JSON Assertion, but values are compared as texts.",
    )
    .properties(&[
        text("JSON_PATH", "", ""),
        flag("JSONVALIDATION", false, "The value counts, not only that there is one."),
        text("EXPECTED_VALUE", "", ""),
        flag("ISREGEX", true, "The value is a pattern."),
        flag("EXPECT_NULL", false, ""),
        flag("INVERT", false, ""),
        choice("INPUT_FORMAT", &["JSON"], "JSON", "YAML is refused."),
    ]),
    Entry::unsupported(PostProcessor, "kg.apc.jmeter.modifiers.DummySubPostProcessor", "jp@gc - Dummy Subresult", LATER),
    Entry::native(
        Listener,
        "kg.apc.jmeter.vizualizers.CorrectedResultCollector",
        "jp@gc graphs: Response Times Over Time, Transactions per Second, Active Threads Over Time and others",
        "Writes samples in its scope to a file as other listeners do, always with the numbers of active users.",
    )
    .also(&["kg.apc.jmeter.vizualizers.CompositeResultCollector"])
    .properties(COLLECTOR)
    .differs(&["Nothing is shown: without a file it has nothing to do."]),
    Entry::native(
        Listener,
        "se.six.jmeter.visualizer.statagg.StatAggResultCollector",
        "Statistical Aggregate Report, and other collectors of plug-ins",
        "Writes samples in its scope to a file as other listeners do.",
    )
    .also(&["com.blazemeter.jmeter.reporters.FlushingResultCollector"])
    .properties(COLLECTOR)
    .differs(&["Nothing is shown: without a file it has nothing to do."]),
    Entry::ignored(
        Listener,
        "kg.apc.jmeter.perfmon.PerfMonCollector",
        "jp@gc - PerfMon Metrics Collector, JMX Monitor, DB Monitor",
        "the agents on the servers are not asked",
    )
    .also(&["kg.apc.jmeter.jmxmon.JMXMonCollector", "kg.apc.jmeter.dbmon.DbMonCollector"]),
    Entry::ignored(
        Listener,
        "kg.apc.jmeter.listener.GraphsGeneratorListener",
        "jp@gc - Graphs Generator",
        "it draws graphs after the test; `swell run -e -o` has a report",
    ),
    Entry::ignored(
        Listener,
        "kg.apc.jmeter.reporters.LoadosophiaUploader",
        "bzm - BlazeMeter Sense and BlazeMeter Uploader",
        "nothing is uploaded",
    )
    .also(&["kg.apc.jmeter.reporters.bzm.BlazeMeterUploader"]),
    Entry::ignored(
        Listener,
        "kg.apc.jmeter.reporters.ConsoleStatusLogger",
        "jp@gc - Console Status Logger",
        "Swell shows its own summary lines",
    ),
    Entry::ignored(
        Listener,
        "com.blazemeter.jmeter.RotatingResultCollector",
        "bzm - Rotating JTL Listener",
        "files that rotate are not written; use -l",
    ),
    Entry::native(
        Listener,
        "kg.apc.jmeter.reporters.FlexibleFileWriter",
        "jp@gc - Flexible File Writer",
        "Writes a row for each sample in a form of the plan's own.",
    )
    .properties(&[
        text("filename", "", ""),
        text("columns", "", "Names of fields, `variable#0` of `sample_variables`, and texts, with a bar between them."),
        text("header", "", "`\\t`, `\\n` and `\\r` are control characters here and in the columns."),
        text("footer", "", ""),
        flag("overwrite", false, "Else the file is continued."),
    ])
    .differs(&["A row may be of any length; the plug-in loses those longer than `kg.apc.jmeter.reporters.FFWBufferSize`."]),
    Entry::unsupported(Listener, "kg.apc.jmeter.reporters.AutoStop", "jp@gc - AutoStop Listener", LATER),
    Entry::native(
        Listener,
        "com.github.johrstrom.listener.PrometheusListener",
        "Prometheus Listener",
        "Counts samples as metrics that a Prometheus server fetches: at `http://127.0.0.1:9270/metrics`, or where the properties \
         `prometheus.ip` and `prometheus.port` say, and `prometheus.delay` seconds longer than the test.",
    )
    .properties(&[
        list("prometheus.collector_definitions", "metrics", "Each with the properties below."),
        text("collector.metric_name", "", ""),
        text("collector.help", "default help string", ""),
        choice("collector.type", &["COUNTER", "GAUGE", "HISTOGRAM", "SUMMARY", "SUCCESS_RATIO"], "COUNTER", ""),
        list("collector.labels", "names", "`label`, `code`, `thread_group`, or variables."),
        text("collector.quantiles_or_buckets", "100,500,1000,3000", "Bounds, or quantiles with their errors (`0.95,0.1|0.99,0.01;60`)."),
        choice("listener.collector.listen_to", &["samples", "assertions"], "samples", ""),
        choice(
            "listener.collector.measuring",
            &[
                "ResponseTime",
                "ResponseSize",
                "Latency",
                "IdleTime",
                "ConnectTime",
                "SuccessTotal",
                "FailureTotal",
                "CountTotal",
                "SuccessRatio",
            ],
            "ResponseTime",
            "",
        ),
    ])
    .differs(&[
        "Metrics of the Java machine and the times at which metrics were made (`_created`) are not shown.",
        "Quantiles are exact to a hundredth, whatever error is allowed.",
        "A metric has 10,000 sets of label values at most for each worker.",
        "`jmeter_threads` is told once a second.",
    ]),
    Entry::ignored(
        Config,
        "com.github.johrstrom.config.PrometheusMetricsConfig",
        "Prometheus Metrics",
        "only scripts write its metrics",
    ),
    Entry::ignored(
        Config,
        "com.googlecode.jmeter.plugins.webdriver.config.ChromeDriverConfig",
        "jp@gc - browser driver configs",
        "no sampler that is supported reads it",
    )
    .also(&[
        "com.googlecode.jmeter.plugins.webdriver.config.FirefoxDriverConfig",
        "com.googlecode.jmeter.plugins.webdriver.config.RemoteDriverConfig",
    ]),
];
