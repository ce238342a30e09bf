//! Figures of a run for other systems, good ones and bad ones, and Debian's Prometheus where it is
//! installed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::support::{Answer, Folder, LIMIT, Running, Server, closed_port, plan};

/// What comes back for a GET, head and body.
fn get(at: SocketAddr, target: &str, accept: &str) -> Option<String> {
    let mut stream = TcpStream::connect(at).ok()?;
    stream.set_read_timeout(Some(LIMIT)).expect("a time");
    let head =
        format!("GET {target} HTTP/1.1\r\nHost: {at}\r\nAccept: {accept}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    Some(String::from_utf8_lossy(&answer).into_owned())
}

/// Asks again until there is something.
#[track_caller]
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not come");
        std::thread::yield_now();
    }
}

/// A run that continues until it is stopped, and the address of its metrics.
fn endless(folder: &Folder, more: &[&str]) -> (Running, SocketAddr) {
    let args = ["run", "plan.jmx", "--export", "prometheus=127.0.0.1:0"];
    let mut running = folder.call(&[&args, more].concat()).start();
    let said = running.wait_for_words("metrics of the run are at");
    let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("an address");
    (running, address.parse().expect("an address"))
}

#[test]
fn metrics_are_fetched_while_a_run_goes_on() {
    let folder = Folder::with_plan([plan::group(2, -1).with(plan::nap(5))]);
    let (running, at) = endless(&folder, &["--name", "nightly", "--run-dir", "kept"]);
    let text = until("a sample", || {
        get(at, "/metrics", "*/*")
            .filter(|text| text.contains("swell_sample_duration_seconds_count{run=\"nightly\""))
    });
    for line in [
        "Content-Type: text/plain; version=0.0.4",
        "# TYPE swell_samples_total counter",
        "swell_users_active{run=\"nightly\"} 2\n",
        "swell_run_info{run=\"nightly\",plan=\"plan.jmx\",",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    let accept = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,text/plain;q=0.3";
    let binary = get(at, "/metrics", accept).expect("an answer");
    assert!(binary.contains("Content-Type: application/vnd.google.protobuf;") && !binary.contains("# TYPE"));
    running.signal("INT");
    running.wait().exits(105);
    let summary: Value = serde_json::from_str(&folder.read("kept/summary.json")).expect("JSON");
    assert!(summary["exports"][0]["delivered"].as_u64() >= Some(2), "{summary}");
}

#[test]
fn figures_are_sent_until_the_end_of_a_run() {
    let folder = Folder::with_plan([plan::group(2, 30).with(plan::nap(5))]);
    let server = Server::start(|_| Answer::Keep(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec()));
    let write = format!("remote-write=http://who:secret@{}", server.addr);
    let otlp = format!("otlp=http://{}", server.addr);
    let ended = folder.swell(&["run", "plan.jmx", "--json", "--export", &write, "--export", &otlp]).exits(0);
    let exports = ended.json()["exports"].clone();
    for (at, kind) in ["remote-write", "otlp"].iter().enumerate() {
        let export = &exports[at];
        assert_eq!(
            (&export["kind"], &export["dropped"], &export["failures"]),
            (&Value::from(*kind), &Value::from(0), &Value::from(0)),
            "{ended}"
        );
        assert!(export["delivered"].as_u64() >= Some(1), "{ended}");
    }
    assert!(!ended.out.contains("secret") && !ended.err.contains("secret"), "{ended}");
    let requests = server.requests();
    let of = |start: &str| {
        requests.iter().rev().find(|request| request.head.starts_with(start)).expect("it was sent")
    };
    let write = of("POST /api/v1/write HTTP/1.1\r\n");
    for line in [
        "Content-Encoding: snappy\r\n",
        "Content-Type: application/x-protobuf\r\n",
        "X-Prometheus-Remote-Write-Version: 0.1.0\r\n",
        "Authorization: Basic d2hvOnNlY3JldA==\r\n",
    ] {
        assert!(write.head.contains(line), "{}", write.head);
    }
    let otlp = of("POST /v1/metrics HTTP/1.1\r\n");
    let has = |text: &str| otlp.body.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(
        has("swell.sample.duration") && has("service.instance.id") && !otlp.head.contains("Authorization")
    );
}

#[test]
fn systems_that_are_dead_hang_or_talk_nonsense_never_slow_a_run() {
    let folder = Folder::with_plan([plan::group(2, 200).with(plan::nap(5))]);
    let silent = Server::start(|_| Answer::Silence);
    let garbage = Server::start(|_| Answer::Close(b"SSH-2.0-OpenSSH\r\n".to_vec()));
    let html = Server::start(|_| Answer::ok("<html>It works!</html>"));
    let places = [
        format!("127.0.0.1:{}", closed_port()),
        silent.addr.to_string(),
        garbage.addr.to_string(),
        html.addr.to_string(),
    ];
    let exports: Vec<String> = places.iter().map(|place| format!("otlp=http://{place}")).collect();
    let mut args = vec!["run", "plan.jmx", "--json"];
    for export in &exports {
        args.extend(["--export", export]);
    }
    let ended = folder.swell(&args).exits(0);
    let summary = ended.json();
    assert_eq!(summary["total"]["samples"], 400);
    for export in summary["exports"].as_array().expect("a list") {
        assert!(export["delivered"] == 0 && export["dropped"].as_u64() >= Some(1), "{export}");
    }
    ended.says(&["fails: ", "the test continues", "requests; the last failure: ", "invalid OTLP response"]);
}

/// Everything that was sent to a socket, by datagram.
fn datagrams(socket: &UdpSocket) -> Vec<String> {
    socket.set_nonblocking(true).expect("a socket");
    let mut all = Vec::new();
    let mut buffer = [0; 2048];
    while let Ok(length) = socket.recv(&mut buffer) {
        all.push(String::from_utf8(buffer[..length].to_vec()).expect("text"));
    }
    all
}

/// The sum of a counter with these ends of lines.
fn sum(lines: &[String], start: &str, end: &str) -> u64 {
    let counts = lines.iter().filter_map(|line| line.strip_prefix(start)?.strip_suffix(end));
    counts.map(|count| count.parse::<u64>().expect("a number")).sum()
}

#[test]
fn agents_get_datagrams_with_all_samples() {
    let folder = Folder::with_plan([plan::group(2, 30).with(plan::nap(5))]);
    let datadog = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let statsd = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let to = |kind: &str, socket: &UdpSocket| format!("{kind}={}", socket.local_addr().expect("an address"));
    let exports = [to("datadog", &datadog), to("statsd", &statsd)];
    let args = ["run", "plan.jmx", "--json", "--name", "nightly", "--run-dir", "kept"];
    let ended =
        folder.swell(&[&args[..], &["--export", &exports[0], "--export", &exports[1]]].concat()).exits(0);
    let summary = ended.json();
    let all = [datagrams(&datadog), datagrams(&statsd)];
    for (at, datagrams) in all.iter().enumerate() {
        assert!(datagrams.iter().all(|datagram| datagram.len() <= 1432 && datagram.ends_with('\n')));
        assert_eq!(summary["exports"][at]["delivered"], datagrams.len(), "{ended}");
        assert_eq!(summary["exports"][at]["dropped"], 0, "{ended}");
    }
    let lines = all.map(|datagrams| datagrams.concat().lines().map(str::to_owned).collect::<Vec<_>>());
    let label = summary["labels"][0]["label"].as_str().expect("a label");
    let tags = format!("|c|#run:nightly,label:{label},kind:sample");
    assert_eq!(sum(&lines[0], "swell.samples:", &tags), 60, "{:?}", lines[0]);
    assert!(lines[0].iter().any(|line| line.starts_with("swell.sample.duration:0.00")), "{:?}", lines[0]);
    assert_eq!(sum(&lines[1], "swell.nightly.total.samples:", "|c"), 60, "{:?}", lines[1]);
    assert!(lines[1].iter().any(|line| line.starts_with("swell.nightly.total.p95_ms:")), "{:?}", lines[1]);
}

#[test]
fn a_missing_agent_costs_datagrams_and_is_reported() {
    let folder = Folder::with_plan([plan::group(1, 5).with(plan::nap(5))]);
    let closed = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port");
    let export = format!("statsd={closed}");
    let ended = folder.swell(&["run", "plan.jmx", "--json", "--export", &export]).exits(0);
    let outcome = &ended.json()["exports"][0];
    assert!(outcome["delivered"] == 0 && outcome["dropped"].as_u64() >= Some(1), "{ended}");
    ended.says(&["fails: Connection refused", "the test continues", "datagrams; the last failure: "]);
}

#[test]
fn influxdb_gets_lines_with_a_token_that_is_never_shown() {
    let folder = Folder::with_plan([plan::group(2, 30).with(plan::nap(5))]);
    let server = Server::start(|_| Answer::Keep(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec()));
    let first = format!("influxdb=http://who:s3cret@{}?db=load", server.addr);
    let second = format!("influxdb=http://{}?org=acme&bucket=load&token=s3cret", server.addr);
    let args = ["run", "plan.jmx", "--json", "--name", "nightly", "--run-dir", "kept", "-j", "run.log"];
    let ended = folder.swell(&[&args[..], &["--export", &first, "--export", &second]].concat()).exits(0);
    let requests = server.requests();
    for (target, authorization) in [
        ("/write?db=load&precision=ms", "Basic d2hvOnMzY3JldA=="),
        ("/api/v2/write?org=acme&bucket=load&precision=ms", "Token s3cret"),
    ] {
        let start = format!("POST {target} HTTP/1.1\r\n");
        let found: Vec<_> = requests.iter().filter(|request| request.head.starts_with(&start)).collect();
        assert!(!found.is_empty(), "{start}");
        let mut samples = 0;
        for request in found {
            assert!(
                request.head.contains(&format!("Authorization: {authorization}\r\n")),
                "{}",
                request.head
            );
            assert!(request.head.contains("Content-Type: text/plain; charset=utf-8\r\n"), "{}", request.head);
            let text = std::str::from_utf8(&request.body).expect("text");
            for line in
                text.lines().filter(|line| line.starts_with("swell,kind=total,label=(all),run=nightly "))
            {
                let count = line.split("samples=").nth(1).and_then(|rest| rest.split('i').next());
                samples += count.and_then(|count| count.parse::<u64>().ok()).expect("a count");
            }
        }
        assert_eq!(samples, 60);
    }
    let kept =
        [folder.read("kept/summary.json"), folder.read("kept/run.json"), folder.read("run.log")].concat();
    assert!(!format!("{}{}{kept}", ended.out, ended.err).contains("s3cret"), "{ended}{kept}");
}

#[test]
fn a_csv_file_has_a_row_for_each_second_and_label() {
    let folder = Folder::with_plan([plan::group(2, 30).with(plan::nap(5))]);
    let args = ["run", "plan.jmx", "--name", "nightly", "--run-dir", "kept", "--export", "csv=seconds.csv"];
    folder.swell(&args).exits(0);
    let text = folder.read("seconds.csv");
    let mut lines = text.lines();
    let head: Vec<_> = lines.next().expect("a head").split(',').collect();
    let place = |name: &str| head.iter().position(|column| *column == name).expect("a column");
    let mut totals = 0;
    for line in lines {
        let cells: Vec<_> = line.split(',').collect();
        assert_eq!((cells.len(), cells[place("run")]), (head.len(), "nightly"), "{line}");
        if cells[place("kind")] == "total" {
            totals += cells[place("samples")].parse::<u64>().expect("a number");
        }
        assert!(cells[place("p95_ms")].parse::<f64>().is_ok_and(|ms| ms >= 5.0), "{line}");
    }
    assert_eq!(totals, 60);
    folder.swell(&["run", "plan.jmx", "--export", "csv=plan.jmx"]).refused(&["it is the plan itself"]);
    let ended = folder.swell(&["run", "plan.jmx", "--export", "csv=/dev/full"]);
    ended.refused(&["cannot export to /dev/full: No space left on device"]);
}

#[test]
fn exports_with_a_typo_are_refused() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0))]);
    let taken =
        TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr().map(|at| (listener, at)));
    let (_held, taken) = taken.expect("a port");
    let of_taken = format!("prometheus={taken}");
    for (args, words) in [
        (&["--export", "graphite=h:1"][..], "there is no kind of export `graphite`: there are prometheus="),
        (&["--export", "otlp=h:1"], "a URL is wanted, such as http://127.0.0.1:9090/v1/metrics"),
        (&["--export", "prometheus=nowhere"], "invalid listen address"),
        (&["--export", "influxdb=http://h:8086"], "the URL names no database and no bucket"),
        (&["--export", "datadog=h:99999"], "invalid address `h:99999`"),
        (&["--export", "statsd=nosuch.invalid"], "cannot export to nosuch.invalid:8125: "),
        (&["--export", "csv=none/x.csv"], "none/x.csv"),
        (&["--export", &of_taken], "cannot export to http://127.0.0.1:"),
        (
            &["--export", "otlp=http://h", "-Jswell.export.interval_s=0"],
            "swell.export.interval_s is a number from 1 to 3600, not `0`",
        ),
    ] {
        folder.swell(&[&["run", "plan.jmx"], args].concat()).refused(&[words]);
    }
}

/// Debian's Prometheus; it ends with the test.
struct Prometheus {
    child: Child,
    address: SocketAddr,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // It may be over already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Prometheus {
    /// One that fetches what is there; none where it is not installed.
    fn start(folder: &Folder, from: SocketAddr) -> Option<Self> {
        let config = format!(
            "global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: fetched\n  static_configs: [{{targets: ['{from}']}}]\n"
        );
        folder.write("prometheus.yml", config);
        let mut said = String::new();
        // It takes no port by itself, and a free one may be another's a moment later.
        for _ in 0..10 {
            said = match Self::try_start(folder) {
                Ok(started) => return started,
                Err(said) if said.contains("address already in use") => said,
                Err(said) => panic!("it ended:\n{said}"),
            };
        }
        panic!("there is no port for it:\n{said}");
    }

    /// What it said if it ended at once.
    fn try_start(folder: &Folder) -> Result<Option<Self>, String> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = free.expect("a port is free");
        let child = Command::new("prometheus")
            .args([
                "--config.file=prometheus.yml",
                "--storage.tsdb.path=data",
                "--enable-feature=native-histograms",
                "--web.enable-remote-write-receiver",
            ])
            .arg(format!("--web.listen-address={address}"))
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => {
                println!("skipped: no `prometheus` can be started: {error}");
                return Ok(None);
            }
        };
        let mut log = BufReader::new(child.stderr.take().expect("piped"));
        let started = Self { child, address };
        // Do not connect before it listens: such a connection may take the port for itself.
        let mut said = String::new();
        let mut line = String::new();
        while !line.contains("ready to receive web requests") {
            line.clear();
            if log.read_line(&mut line).expect("text") == 0 {
                return Err(said);
            }
            said.push_str(&line);
        }
        // What it says later is not waited for, and must not stop it.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Ok(Some(started))
    }

    /// The answer to a query.
    fn ask(&self, query: &str) -> Value {
        let query: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let answer = get(self.address, &format!("/api/v1/query?query={query}"), "*/*").expect("an answer");
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        // A long answer comes in chunks, whose sizes are on separate lines.
        let json: String = body.lines().filter(|line| line.contains(['{', '}'])).collect();
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    /// The value of a query that has one.
    fn value(&self, query: &str) -> f64 {
        until(query, || {
            let answer = self.ask(query);
            let value = answer["data"]["result"][0]["value"][1].as_str()?.parse().ok()?;
            (value > 0.0).then_some(value)
        })
    }
}

/// The queries of a dashboard, with what Grafana would put in.
fn queries(board: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist/grafana").join(format!("{board}.json"));
    let board: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("a dashboard")).expect("JSON");
    let targets = board["panels"]
        .as_array()
        .expect("panels")
        .iter()
        .flat_map(|panel| panel["targets"].as_array().expect("targets"));
    let query = |target: &Value| target["expr"].as_str().expect("a query").to_owned();
    let filled =
        |text: String| text.replace("$run", ".*").replace("$label", ".*").replace("$__rate_interval", "1m");
    targets.map(query).map(filled).collect()
}

#[test]
fn prometheus_fetches_and_takes_the_figures_and_the_dashboards_find_them() {
    let folder = Folder::with_plan([plan::group(2, -1).with(plan::nap(5))]);
    let (running, from) = endless(&folder, &["-Jswell.export.interval_s=1"]);
    let Some(prometheus) = Prometheus::start(&folder, from) else { return };
    let to = format!("remote-write=http://{}", prometheus.address);
    let sending = folder
        .call(&["run", "plan.jmx", "-j", "sending.log", "-Jswell.export.interval_s=1", "--export", &to])
        .start();
    assert!(prometheus.value("swell_samples_total{job='fetched'}") > 0.0);
    assert!(
        prometheus.value("histogram_count(swell_sample_duration_seconds{job='fetched'})") > 0.0,
        "a native one"
    );
    assert!(prometheus.value("swell_samples_total{job='swell'}") > 0.0);
    let five_ms = prometheus.value(
        "histogram_quantile(0.5, sum by (le) (rate(swell_sample_duration_seconds_bucket{job='swell'}[1m])))",
    );
    assert!((0.0025..0.5).contains(&five_ms), "{five_ms}");
    for board in ["prometheus", "remote-write", "otlp"] {
        for query in queries(board) {
            assert_eq!(prometheus.ask(&query)["status"], "success", "{board}: {query}");
        }
        let rate = &queries(board)[0];
        assert!(prometheus.value(rate) > 0.0, "{board}: {rate}");
    }
    sending.signal("INT");
    sending.wait().exits(105);
    running.signal("INT");
    running.wait().exits(105);
}
