//! Elements of plug-ins.

use super::Entry;
use super::Kind::{Config, Controller, Listener, PostProcessor, PreProcessor, Sampler};
use super::property::{flag, text, whole};

const LATER: &str = "not there yet";
const GRAPHS: &str = "it only shows or sends results";

pub(super) const ENTRIES: &[Entry] = &[
    Entry::unsupported(
        Controller,
        "com.blazemeter.jmeter.controller.ParallelSampler",
        "bzm - Parallel Controller",
        LATER,
    ),
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
    Entry::unsupported(
        Config,
        "com.blazemeter.jmeter.RandomCSVDataSetConfig",
        "bzm - Random CSV Data Set Config",
        LATER,
    ),
    Entry::unsupported(
        PostProcessor,
        "kg.apc.jmeter.modifiers.FifoPutPostProcessor",
        "jp@gc - Inter-Thread Communication PostProcessor",
        LATER,
    ),
    Entry::unsupported(
        PreProcessor,
        "kg.apc.jmeter.modifiers.FifoPopPreProcessor",
        "jp@gc - Inter-Thread Communication PreProcessor",
        LATER,
    ),
    Entry::ignored(Listener, "kg.apc.jmeter.vizualizers.CorrectedResultCollector", "jp@gc - graphs", GRAPHS),
    Entry::ignored(
        Listener,
        "kg.apc.jmeter.perfmon.PerfMonCollector",
        "jp@gc - PerfMon Metrics Collector",
        GRAPHS,
    ),
    Entry::ignored(
        Listener,
        "kg.apc.jmeter.listener.GraphsGeneratorListener",
        "jp@gc - Graphs Generator",
        GRAPHS,
    ),
    Entry::ignored(
        Listener,
        "se.six.jmeter.visualizer.statagg.StatAggResultCollector",
        "Statistical Aggregate Report",
        GRAPHS,
    ),
    Entry::ignored(
        Listener,
        "com.github.johrstrom.listener.PrometheusListener",
        "Prometheus Listener",
        GRAPHS,
    ),
    Entry::ignored(
        Config,
        "com.googlecode.jmeter.plugins.webdriver.config.ChromeDriverConfig",
        "jp@gc - Chrome Driver Config",
        "no sampler that is supported reads it",
    ),
];
