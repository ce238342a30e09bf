//! Elements of JMeter plug-ins, in whole runs.

use swell_plan::{Element, Node};

use crate::support::{Folder, plan};

const DUMMY: &str = "kg.apc.jmeter.samplers.DummySampler";

/// A Dummy Sampler of that name, which may hold variables.
fn dummy(name: &str) -> Element {
    Element::new(DUMMY, "kg.apc.jmeter.samplers.DummySamplerGui", name)
        .with_flag("SUCCESFULL", true)
        .with_text("RESPONSE_CODE", "200")
}

/// The labels of `out.jtl`, sorted.
fn labels(folder: &Folder) -> Vec<String> {
    let mut labels = column(folder, "out.jtl", "label");
    labels.sort();
    labels
}

fn column(folder: &Folder, file: &str, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.path().join(file)).expect("a results file");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let at = lines.next().expect("a header").iter().position(|column| *column == name).expect("the column");
    lines.map(|line| line[at].to_owned()).collect()
}

#[test]
fn a_dummy_says_what_the_plan_says() {
    let element = dummy("d")
        .with_text("RESPONSE_MESSAGE", "fine")
        .with_text("RESPONSE_DATA", "12345")
        .with_text("RESPONSE_TIME", "1500")
        .with_text("LATENCY", "70")
        .with_text("CONNECT", "30")
        .with_text("URL", "http://example.invalid/x");
    let waits =
        dummy("w").with_text("RESPONSE_TIME", "40").with_flag("WAITING", true).with_flag("SUCCESFULL", false);
    let folder = Folder::with_plan([plan::group(1, 1).with(Node::new(element)).with(Node::new(waits))]);
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    let shown = |name| column(&folder, "out.jtl", name);
    assert_eq!((&*shown("elapsed")[0], &*shown("Latency")[0], &*shown("Connect")[0]), ("1500", "70", "30"));
    assert_eq!((&*shown("responseMessage")[0], &*shown("bytes")[0]), ("fine", "5"));
    assert_eq!(shown("URL"), ["http://example.invalid/x", "null"]);
    assert!(shown("elapsed")[1].parse::<u32>().is_ok_and(|ms| ms >= 39), "{:?}", shown("elapsed"));
}

#[test]
fn users_hand_values_to_each_other_and_wait_for_them() {
    let put = Element::new("kg.apc.jmeter.modifiers.FifoPutPostProcessor", "Gui", "put")
        .with_text("FifoName", "q")
        .with_text("Value", "${n}");
    let pop = |queue: &str, timeout: &str| {
        let pop = Element::new("kg.apc.jmeter.modifiers.FifoPopPreProcessor", "Gui", "pop")
            .with_text("FifoName", queue)
            .with_text("Variable", "v")
            .with_text("Timeout", timeout);
        Node::new(pop)
    };
    let count = Element::new("CounterConfig", "CounterConfigGui", "count")
        .with_text("CounterConfig.start", "1")
        .with_text("CounterConfig.incr", "1")
        .with_text("CounterConfig.name", "n");
    let giver = plan::group(1, 3).with(Node::new(count)).with(
        Node::new(dummy("give").with_text("RESPONSE_TIME", "20").with_flag("WAITING", true))
            .with(Node::new(put)),
    );
    let taker = plan::group(3, 1)
        .with(Node::new(dummy("took ${v}")).with(pop("q", "")))
        .with(Node::new(dummy("left ${__fifoSize(other)} ${v}")).with(pop("other", "0")))
        .with(Node::new(dummy("${__fifoPut(own,x)}${__fifoGet(own)}${__fifoPop(own)}")));
    let folder = Folder::with_plan([taker, giver]);
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    let labels = labels(&folder);
    let took: Vec<_> = labels.iter().filter(|label| label.starts_with("took")).collect();
    assert_eq!(took, ["took 1", "took 2", "took 3"]);
    let left: Vec<_> = labels.iter().filter(|label| label.starts_with("left")).collect();
    assert_eq!(left, ["left 0 ${v}"; 3], "no value in time leaves no variable");
    assert_eq!(labels.iter().filter(|label| *label == "xxx").count(), 3);
}

#[test]
fn a_user_that_waits_for_a_value_does_not_hold_up_a_test_that_is_stopped_at_once() {
    let pop =
        Element::new("kg.apc.jmeter.modifiers.FifoPopPreProcessor", "Gui", "pop").with_text("FifoName", "q");
    let stop = Element::new("TestAction", "TestActionGui", "stop")
        .with_text("ActionProcessor.action", "2")
        .with_text("ActionProcessor.target", "2");
    let folder = Folder::with_plan([
        plan::group(1, 1).with(Node::new(dummy("never")).with(Node::new(pop))),
        plan::group(1, 1).with(Node::new(dummy("before"))).with(Node::new(stop)),
    ]);
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
    assert_eq!(labels(&folder), ["before"]);
}

#[test]
fn records_by_lot_come_once_and_end_users() {
    let data = |more: &[(&str, &str)]| {
        let data = Element::new("com.blazemeter.jmeter.RandomCSVDataSetConfig", "Gui", "data")
            .with_text("filename", "data.csv")
            .with_text("fileEncoding", "UTF-8")
            .with_text("delimiter", ",");
        Node::new(more.iter().fold(data, |data, (name, value)| data.with_text(name, value)))
    };
    type Texts = &'static [(&'static str, &'static str)];
    let cases: [(Texts, &[&str]); 2] = [
        (&[("randomOrder", "true")], &["1-one", "2-two", "3-three"]),
        (
            &[("variableNames", "id,word"), ("ignoreFirstLine", "true"), ("rewindOnTheEndOfList", "true")],
            &["1-one", "1-one", "2-two", "2-two", "3-three", "3-three"],
        ),
    ];
    for (more, wanted) in cases {
        let group = plan::group(2, 3).with(data(more)).with(Node::new(dummy("${id}-${word}")));
        let folder = Folder::with_plan([group]);
        folder.write("data.csv", "id,word\n1,one\n2,two\n3,three\n");
        folder.swell(&["run", "plan.jmx", "-l", "out.jtl"]).exits(0);
        assert_eq!(labels(&folder), wanted);
    }
    let folder = Folder::with_plan([plan::group(1, 1).with(data(&[])).with(Node::new(dummy("none")))]);
    folder.swell(&["run", "plan.jmx"]).exits(104).says(&["cannot read `data.csv`"]);
}

#[test]
fn graphs_with_a_file_write_it_and_others_are_said_in_a_line() {
    let graph = Element::new("kg.apc.jmeter.vizualizers.CorrectedResultCollector", "Gui", "graph")
        .with_text("filename", "graph.jtl");
    let monitor = Element::new("kg.apc.jmeter.perfmon.PerfMonCollector", "Gui", "monitor");
    let folder = Folder::with_plan([plan::group(1, 2)
        .with(Node::new(dummy("d")))
        .with(Node::new(graph))
        .with(Node::new(monitor))]);
    let ran = folder.swell(&["run", "plan.jmx", "-Jjmeter.save.saveservice.thread_counts=false"]).exits(0);
    ran.says(&[
        "ignored: `kg.apc.jmeter.perfmon.PerfMonCollector` (the agents on the servers are not queried)",
    ]);
    assert_eq!(column(&folder, "graph.jtl", "label"), ["d", "d"]);
    assert_eq!(column(&folder, "graph.jtl", "allThreads"), ["1", "1"]);
}

#[test]
fn rows_of_the_plans_own_form() {
    let writer = |columns: &str| {
        let writer = Element::new("kg.apc.jmeter.reporters.FlexibleFileWriter", "Gui", "rows")
            .with_text("filename", "rows.txt")
            .with_text("columns", columns)
            .with_text("header", "head\\r\\n")
            .with_text("footer", "foot");
        Node::new(writer)
    };
    let sampler = dummy("d").with_text("REQUEST_DATA", "ask").with_text("RESPONSE_DATA", "given");
    let user = Element::new("UserParameters", "UserParametersGui", "v");
    let group = plan::group(1, 2).with(Node::new(user)).with(Node::new(sampler)).with(writer(
        "sampleLabel|,|requestData|,|responseData|,|sentBytes|,|isSuccsessful|,|variable#0|\\n",
    ));
    let folder = Folder::with_plan([group]);
    folder.swell(&["run", "plan.jmx", "-Jsample_variables=none"]).exits(0);
    let row = "d,ask,given,3,1,\n";
    let first = format!("head\r\n{row}{row}foot");
    assert_eq!(std::fs::read_to_string(folder.path().join("rows.txt")).expect("written"), first);
    folder.swell(&["run", "plan.jmx"]).exits(0);
    let second = first + &format!("head\r\n{row}{row}foot").replace(",\n", ",UNDEFINED_variable#0\n");
    assert_eq!(std::fs::read_to_string(folder.path().join("rows.txt")).expect("written"), second);
}

#[test]
fn metrics_can_be_fetched_while_a_test_runs() {
    let metric = |name: &str, kind: &str, measuring: &str| {
        let labels = ["label", "code", "thread_group", "what"]
            .map(|label| swell_plan::Property::new("", swell_plan::PropertyValue::Text(label.to_owned())));
        Element::new("com.github.johrstrom.listener.ListenerCollectorConfig", "", "")
            .with_text("collector.metric_name", name)
            .with_text("collector.type", kind)
            .with_text("collector.help", "helps")
            .with("collector.labels", swell_plan::PropertyValue::Collection(labels.to_vec()))
            .with_text("listener.collector.measuring", measuring)
    };
    let listener = Element::new("com.github.johrstrom.listener.PrometheusListener", "Gui", "metrics")
        .with_elements(
            "prometheus.collector_definitions",
            [metric("samples", "COUNTER", "CountTotal"), metric("times", "HISTOGRAM", "ResponseTime")],
        );
    let stays = dummy("stays").with_text("RESPONSE_TIME", "60000").with_flag("WAITING", true);
    let group = plan::group(1, 1)
        .with(Node::new(dummy("d").with_text("RESPONSE_TIME", "200")))
        .with(Node::new(stays))
        .with(Node::new(listener));
    let folder = Folder::with_plan([group]);
    let mut running = folder.call(&["run", "plan.jmx", "-Jprometheus.port=0"]).start();
    let line = running.wait_for_words("metrics are at");
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
    let fetch = || {
        let mut stream = std::net::TcpStream::connect(address).expect("connects");
        std::io::Write::write_all(&mut stream, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
        let mut text = String::new();
        std::io::Read::read_to_string(&mut stream, &mut text).expect("read");
        text
    };
    let labels = "label=\"d\",code=\"200\",thread_group=\"Users\",what=\"null\",";
    for wanted in [
        "# HELP samples helps\n# TYPE samples counter\n".to_owned(),
        format!("samples{{{labels}}} 1.0\n"),
        format!("times_bucket{{{labels}le=\"100.0\",}} 0.0\n"),
        format!("times_bucket{{{labels}le=\"500.0\",}} 1.0\n"),
        format!("times_sum{{{labels}}} 200.0\n"),
        "jmeter_threads{state=\"active\",} 1.0\n".to_owned(),
    ] {
        // The number of users is reported once a second.
        let since = std::time::Instant::now();
        while !fetch().contains(&wanted) {
            assert!(since.elapsed().as_secs() < 30, "`{wanted}` is missing: {}", fetch());
        }
    }
    running.signal("INT");
    running.wait_for_words("Interrupted");
    running.signal("INT");
    running.wait().exits(105);
}

/// Takes requests until one has this text; gives all.
fn posts_until(listener: &std::net::TcpListener, text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    while all.last().is_none_or(|last| !last.contains(text)) {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut request = Vec::new();
        let mut piece = [0; 4096];
        loop {
            let count = std::io::Read::read(&mut stream, &mut piece).expect("readable");
            request.extend_from_slice(&piece[..count]);
            let shown = String::from_utf8_lossy(&request);
            let length = shown.split("Content-Length: ").nth(1).and_then(|rest| rest.split('\r').next());
            let body = shown.split_once("\r\n\r\n").map(|(_, body)| body.len());
            if count == 0 || length.and_then(|text| text.parse().ok()) == body && body.is_some() {
                break;
            }
        }
        std::io::Write::write_all(&mut stream, b"HTTP/1.1 204 No Content\r\n\r\n").expect("sent");
        all.push(String::from_utf8(request).expect("text"));
    }
    all
}

#[test]
fn sums_are_sent_to_an_influxdb() {
    let database = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/write?db=jmeter", database.local_addr().expect("bound"));
    let arguments = [
        ("influxdbMetricsSender", "org.apache.jmeter.visualizers.backend.influxdb.HttpMetricsSender"),
        ("influxdbUrl", &url),
        ("influxdbToken", "secret"),
        ("application", "${__P(app,mine)}"),
        ("samplersRegex", "^d"),
        ("percentiles", "90"),
        ("testTitle", "Title"),
    ];
    let arguments = arguments.map(|(name, value)| {
        Element::new("Argument", "", name).with_text("Argument.name", name).with_text("Argument.value", value)
    });
    let listener = Element::new("BackendListener", "BackendListenerGui", "sends")
        .with_element(
            "arguments",
            Element::new("Arguments", "ArgumentsPanel", "").with_elements("Arguments.arguments", arguments),
        )
        .with_text(
            "classname",
            "org.apache.jmeter.visualizers.backend.influxdb.InfluxdbBackendListenerClient",
        );
    let group = plan::group(1, 3)
        .with(Node::new(dummy("d").with_text("RESPONSE_TIME", "7").with_text("RESPONSE_DATA", "1234")))
        .with(Node::new(dummy("other")))
        .with(Node::new(listener));
    let folder = Folder::with_plan([group]);
    let running = folder.call(&["run", "plan.jmx"]).start();
    let posts = posts_until(&database, "Title ended");
    running.wait().exits(0);
    assert!(posts[0].starts_with("POST /write?db=jmeter HTTP/1.1\r\n"), "{}", posts[0]);
    assert!(posts[0].contains("\r\nAuthorization: Token secret\r\n"), "{}", posts[0]);
    assert!(posts[0].contains("\r\n\r\nevents,application=mine,title=ApacheJMeter text=\"Title started\" "));
    let all = posts.concat();
    for wanted in [
        "jmeter,application=mine,transaction=d,statut=ok count=3,avg=7.0,min=7.0,max=7.0,hit=3,sb=0,rb=12,pct90.0=7.0 ",
        "jmeter,application=mine,transaction=all,statut=all count=6,countError=0,",
        "jmeter,application=mine,transaction=internal minAT=",
    ] {
        assert!(all.contains(wanted), "`{wanted}` is missing: {all}");
    }
    assert!(!all.contains("transaction=other"), "{all}");
}
