//! Samplers, timers, data sets, extractors and listeners of plug-ins.

use swell_plan::{Node, PropertyValue};

use super::draft::Draft;
use super::extractors::regex;
use super::parts::{
    Edit, assertion, debug, element, get, if_of, loops, rows, set, transaction, users, variables,
};

pub(super) fn drafts() -> Vec<Draft> {
    vec![
        dummies(),
        dummies_odd(),
        shaping(),
        shaping_end(),
        random_csv(),
        random_csv_end(),
        queues(),
        file_writer(),
        graphs(),
    ]
}

fn dummy(name: &str, texts: &[(&str, &str)]) -> Node {
    let node =
        element("kg.apc.jmeter.samplers.DummySampler", "kg.apc.jmeter.samplers.DummySamplerGui", name, &[]);
    let usual = [
        ("RESPONSE_CODE", "200"),
        ("RESPONSE_MESSAGE", "OK"),
        ("REQUEST_DATA", "asked ${a}"),
        ("RESPONSE_DATA", "told ${a}"),
        ("RESPONSE_TIME", "5"),
        ("LATENCY", "2"),
        ("CONNECT", "1"),
        ("URL", ""),
    ];
    let left = usual.iter().filter(|(name, _)| texts.iter().all(|(given, _)| given != name));
    let node = node.flag("WAITING", true).flag("SUCCESFULL", true);
    texts.iter().chain(left).fold(node, |node, (name, value)| node.text(name, value))
}

fn dummies() -> Draft {
    Draft::new(
        "plugin_dummy",
        "A sample that says what the plan wants, judged and read like any other.",
        [loops(
            users([
                dummy("plain", &[]),
                dummy("failed", &[("RESPONSE_CODE", "500"), ("RESPONSE_MESSAGE", "no")])
                    .flag("SUCCESFULL", false),
                dummy("judged", &[("RESPONSE_CODE", "404")]).of([
                    assertion("holds", "response_data", 16, &["told"]),
                    assertion("code", "response_code", 8, &["200"]),
                ]),
                dummy("read", &[("RESPONSE_DATA", "{\"id\": 7}")]).of([regex(
                    "id",
                    "id",
                    "\"id\": (\\d)",
                    "$1$",
                    "1",
                    "none",
                )]),
                get("id ${id}", "/a?id=${id}"),
                transaction(
                    "T",
                    true,
                    false,
                    [dummy("in it", &[]), dummy("too", &[("RESPONSE_CODE", "503")])],
                ),
                if_of(
                    "if",
                    "${JMeterThread.last_sample_ok}",
                    [dummy("after", &[("URL", "http://a.test/b?c")])],
                ),
            ]),
            "2",
        )],
    )
    .variables(&[("a", "1")])
}

fn dummies_odd() -> Draft {
    Draft::new(
        "plugin_dummy_odd",
        "A Dummy Sampler with nothing, with what is no number, with a class of results.",
        [users([
            dummy(
                "nothing",
                &[
                    ("RESPONSE_CODE", ""),
                    ("RESPONSE_MESSAGE", ""),
                    ("REQUEST_DATA", ""),
                    ("RESPONSE_DATA", ""),
                ],
            ),
            dummy("no numbers", &[("RESPONSE_TIME", ""), ("LATENCY", ""), ("CONNECT", "")]),
            dummy("at once", &[("RESPONSE_TIME", "60000"), ("LATENCY", "100")]).flag("WAITING", false),
            dummy("http", &[("RESULT_CLASS", "org.apache.jmeter.protocol.http.sampler.HTTPSampleResult")]),
            dummy("own", &[("RESULT_CLASS", "org.apache.jmeter.samplers.SampleResult"), ("URL", "nonsense")]),
            dummy("from variables", &[("RESPONSE_CODE", "${code}"), ("RESPONSE_TIME", "${ms}")])
                .text("SUCCESFULL", "${good}"),
            debug("variables"),
        ])],
    )
    .variables(&[("code", "299"), ("ms", "3"), ("good", "false")])
    .rule("mask bytes")
}

fn shaper(name: &str, profile: &[&[&str]]) -> Node {
    let node = element(
        "kg.apc.jmeter.timers.VariableThroughputTimer",
        "kg.apc.jmeter.timers.VariableThroughputTimerGui",
        name,
        &[],
    );
    set(node, "load_profile", rows(profile))
}

fn shaping() -> Draft {
    Draft::new(
        "plugin_shaping",
        "A Throughput Shaping Timer lets samples through at its rate.",
        [loops(users([shaper("shape", &[&["100", "100", "30"]]), get("a", "/a"), get("b", "/b")]), "5")],
    )
}

fn shaping_end() -> Draft {
    Draft::new(
        "plugin_shaping_end",
        "Its end is that of the test.",
        [loops(users([shaper("shape", &[&["2", "2", "2"]]), get("a", "/a")]), "3")],
    )
}

fn random_csv_of(name: &str, file: &str, names: &str, flags: &[(&str, bool)]) -> Node {
    let node = element(
        "com.blazemeter.jmeter.RandomCSVDataSetConfig",
        "com.blazemeter.jmeter.RandomCSVDataSetConfigGui",
        name,
        &[("filename", file), ("fileEncoding", "UTF-8"), ("delimiter", ","), ("variableNames", names)],
    );
    let all = ["randomOrder", "ignoreFirstLine", "rewindOnTheEndOfList", "independentListPerThread"];
    all.iter().fold(node, |node, flag| {
        let on = flags.iter().any(|(name, on)| name == flag && *on);
        node.flag(flag, on)
    })
}

fn random_csv() -> Draft {
    let rewind = ("rewindOnTheEndOfList", true);
    Draft::new(
        "plugin_random_csv",
        "Records in the order of the file, again and again.",
        [loops(
            users([
                random_csv_of("users", "data/users.csv", "name,city", &[rewind]),
                random_csv_of("header", "data/header.csv", "", &[rewind]),
                random_csv_of("ignored", "data/header.csv", "x,y,z", &[rewind, ("ignoreFirstLine", true)]),
                get("${name} ${city} ${id} ${word} ${x}", "/a"),
            ]),
            "4",
        )],
    )
}

fn random_csv_end() -> Draft {
    Draft::new(
        "plugin_random_csv_end",
        "Without starting again users stop at the end.",
        [loops(
            users([random_csv_of("users", "data/users.csv", "name,city", &[]), get("${name}", "/a")]),
            "5",
        )],
    )
}

fn queues() -> Draft {
    let put = |queue: &str, value: &str| {
        let class = "kg.apc.jmeter.modifiers.FifoPutPostProcessor";
        element(class, &format!("{class}Gui"), "put", &[("FifoName", queue), ("Value", value)])
    };
    let pop = |queue: &str, variable: &str, timeout: &str| {
        let class = "kg.apc.jmeter.modifiers.FifoPopPreProcessor";
        let texts = [("FifoName", queue), ("Variable", variable), ("Timeout", timeout)];
        element(class, &format!("{class}Gui"), "pop", &texts)
    };
    Draft::new(
        "plugin_fifo",
        "Values that go from sampler to sampler through queues.",
        [loops(
            users([
                get("one", "/count/fifo")
                    .of([regex("n", "n", "count\":(\\d+)", "$1$", "1", "none"), put("Q", "v${n}")]),
                get("two", "/b").of([put("Q", "second"), put("other", "${n}")]),
                get("first ${v}", "/c").of([pop("Q", "v", "1")]),
                get("then ${v}", "/c").of([pop("Q", "v", "1")]),
                get("none ${v}", "/c").of([pop("Q", "v", "1")]),
                get("other ${w} ${__fifoSize(other)}", "/c").of([pop("${name}", "w", "1")]),
            ]),
            "2",
        )],
    )
    .variables(&[("name", "other")])
}

fn file_writer() -> Draft {
    let writer = |file: &str, columns: &str| {
        element(
            "kg.apc.jmeter.reporters.FlexibleFileWriter",
            "kg.apc.jmeter.reporters.FlexibleFileWriterGui",
            file,
            &[
                ("filename", file),
                ("columns", columns),
                ("header", "first\\tline\\n"),
                ("footer", "the end\\n"),
            ],
        )
        .flag("overwrite", true)
    };
    Draft::new(
        "plugin_file_writer",
        "Rows in a form of the plan's own.",
        [users([
            writer(
                "rows.txt",
                "threadName|\\t|sampleLabel|;|responseCode|;|responseMessage|;|isSuccsessful|;|isFailed|;|receivedBytes|;|variable#0|;|variable#1|\\r\\n",
            ),
            writer("bodies.txt", "responseData|--|requestData|--|responseHeaders|\\n"),
            get("a", "/a"),
            get("b", "/status/404"),
            transaction("T", true, false, [get("c", "/c")]),
        ])],
    )
    .variables(&[("v", "one")])
    .rule("property sample_variables=v,missing")
}

fn graphs() -> Draft {
    let on = ["time", "success", "label", "code", "message", "threadName", "bytes"];
    let choices = on.map(|name| format!("<{name}>true</{name}>")).concat();
    let save_config = format!(
        "<objProp><name>saveConfig</name><value class=\"SampleSaveConfiguration\">{choices}<xml>false</xml>\
         <fieldNames>true</fieldNames></value></objProp>"
    );
    let class = "kg.apc.jmeter.vizualizers.CorrectedResultCollector";
    let gui = "kg.apc.jmeter.vizualizers.ResponseTimesOverTimeGui";
    let graph = element(class, gui, "graph", &[]).flag("ResultCollector.error_logging", false);
    let graph = set(graph, "saveConfig", PropertyValue::Xml(save_config)).text("filename", "graph.csv");
    Draft::new(
        "plugin_graph",
        "The file of a graph has the numbers of users, too.",
        [users([graph, variables(&[("a", "b")]), get("a", "/a"), get("b", "/status/500")])],
    )
}
