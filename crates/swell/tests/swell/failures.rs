//! Why samples failed, as a tester reads it: in the summary, in JSON, in the report, and in the
//! exit status.

use serde_json::Value;

use swell_plan::{Element, Node};

use crate::support::{Answer, Folder, Server, closed_port, plan};

/// The only row of errors of a `hit` at that address, and the first line for people.
#[track_caller]
fn hit(address: &str) -> (Value, String) {
    let url = format!("http://{address}/");
    let args = ["hit", &url, "-n", "2", "-c", "1", "--timeout", "200ms"];
    let json = Folder::new().swell(&[&args[..], &["--json"]].concat()).exits(98).json();
    let ended = Folder::new().swell(&args).exits(98);
    assert!(!ended.out.contains("org.apache") && !ended.out.contains("java."), "{ended}");
    let first = ended.out.lines().next().unwrap_or_default().to_owned();
    assert!(ended.err.contains(&format!("error: {first}")), "{ended}");
    // How long a timeout took differs from run to run.
    let same = |text: &str| text.split(" after ").next().unwrap_or_default().to_owned();
    assert_eq!(json["headline"].as_str().map(same), Some(same(&first)), "{json}");
    assert_eq!(json["errors"].as_array().map(Vec::len), Some(1), "{json}");
    (json["errors"][0].clone(), first)
}

#[test]
fn the_table_of_errors_shows_the_cause_and_not_the_middle_of_a_class_name() {
    type Case = (fn() -> Answer, &'static str, &'static str, &'static str, &'static str);
    let short = || Answer::Close(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_vec());
    let cases: [Case; 6] = [
        (
            || Answer::Silence,
            "response_timeout",
            "a response before the timeout",
            "none after",
            "nothing answered: response timeout",
        ),
        (
            || Answer::Reset(Vec::new()),
            "connection_reset",
            "a complete response",
            "a reset of the connection",
            "nothing answered: connection reset",
        ),
        (
            || Answer::Close(Vec::new()),
            "closed_early",
            "a response",
            "the end of the connection before",
            "nothing answered: closed early",
        ),
        (
            short,
            "closed_early",
            "100 bytes of a body",
            "4 bytes, then the end of the connection",
            "not one sample succeeded: closed early: 4 bytes, then the end of the connection (100 % of 2 samples)",
        ),
        (
            || Answer::Close(b"SSH-2.0-x\r\n\r\n".to_vec()),
            "not_http",
            "an HTTP response",
            "something else",
            "nothing answered: not HTTP",
        ),
        (
            || Answer::Keep(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".to_vec()),
            "status",
            "a status of 200 to 399",
            "503 Busy",
            "not one sample succeeded: status 503 Busy (100 % of 2 samples)",
        ),
    ];
    for (answer, kind, expected, got, first) in cases {
        let server = Server::start(move |_| answer());
        let (row, line) = hit(&server.addr.to_string());
        assert_eq!((row["kind"].as_str(), row["expected"].as_str()), (Some(kind), Some(expected)), "{row}");
        assert!(row["got"].as_str().is_some_and(|text| text.starts_with(got)), "{row}");
        assert!(line.starts_with(first), "{line}");
        let counts =
            (row["count"].as_u64(), row["percent_of_samples"].as_f64(), row["first"]["label"].as_str());
        assert_eq!(counts, (Some(2), Some(100.0), Some("/")), "{row}");
        assert!(row["first"]["start_ms"].as_i64().is_some_and(|ms| ms > 1_700_000_000_000), "{row}");
    }
}

#[test]
fn a_server_that_is_not_there_is_not_the_machines_fault() {
    let address = format!("127.0.0.1:{}", closed_port());
    let (row, line) = hit(&address);
    assert_eq!(line, format!("nothing answered: connection refused by {address} (100 % of 2 samples)"));
    assert_eq!((row["kind"].as_str(), row["got"].as_str()), (Some("connection_refused"), Some("a refusal")));
    let ended = Folder::with_plan([plan::group(2, 500).with(plan::get_from(
        "127.0.0.1",
        address.rsplit(':').next().unwrap_or_default(),
        "/",
        "",
    ))])
    .swell(&["run", "plan.jmx", "-v", "-l", "out.jtl", "--strict"])
    .exits(98);
    let said = format!("nothing answered: connection refused by {address} (100 % of 1,000 samples)");
    ended.says(&[&format!("error: {said}")]).prints(&[
        "\nMeasurement: unusable",
        "\n  INVALID   no sample reached a server that responds\n",
        "0.00 KB/s received",
    ]);
}

#[test]
fn error_texts_are_no_bytes_received_but_stay_in_the_results() {
    let port = closed_port().to_string();
    let folder = Folder::with_plan([plan::group(1, 3).with(plan::get_from("127.0.0.1", &port, "/", ""))]);
    let json = folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "--json"]).exits(98).json();
    assert_eq!(json["total"]["received_kb_per_s"], 0.0);
    let bytes: u64 = folder.jtl("out.jtl").column("bytes")[0].parse().expect("a number");
    assert!(bytes > 100, "JMeter counts the text of the exception: {bytes}");
}

#[test]
fn a_name_that_nobody_knows_is_said_in_the_first_line() {
    let folder =
        Folder::with_plan([plan::group(1, 1).with(plan::get_from("no-such-host.invalid", "80", "/", ""))]);
    // In JMeter's spelling, too.
    let ended = folder.swell(&["-n", "-t", "plan.jmx"]).exits(98);
    ended.prints(&["nothing answered: name not found: no-such-host.invalid (100 % of 1 sample)"]);
}

/// A sample that fails in an assertion.
fn asserted() -> Node {
    let duration = Element::new("DurationAssertion", "DurationAssertionGui", "Fast")
        .with_text("DurationAssertion.duration", "1");
    plan::nap(20).with(Node::new(duration))
}

#[test]
fn an_assertion_says_what_it_expected_and_got_also_in_the_report() {
    let folder = Folder::with_plan([plan::group(1, 2).with(asserted()).with(plan::nap(1))]);
    let args = ["run", "plan.jmx", "-v", "-l", "out.jtl", "-e", "-o", "report"];
    let ended = folder.swell(&args).exits(0);
    let row = "assertion: expected at most 1 milliseconds (`Fast`); got ";
    let ended = ended.prints(&[row, "first at 20"]);
    let lead =
        "     2      50  nap: 2 of 4 failed assertion `Fast` (code 200): The operation lasted too long: ";
    assert!(ended.out.contains(lead), "{ended}");
    let page = folder.report("report/index.html");
    assert!(
        page.contains("\"kind\":\"assertion\",\"count\":2")
            && page.contains("at most 1 milliseconds (`Fast`)")
    );
    assert!(folder.jtl("out.jtl").column("failureMessage")[0].starts_with("The operation lasted too long"));
}

#[test]
fn labels_are_whole_where_output_is_no_terminal() {
    let server = Server::start(|_| Answer::ok("ok"));
    let label = "/shop/items/of/the/day/and/of/the/week?and=more";
    let url = format!("http://{}{label}", server.addr);
    Folder::new().swell(&["hit", &url, "-n", "1"]).exits(0).prints(&[&format!("\n{label} ")]);
}

#[test]
fn hit_gives_up_on_a_server_that_is_not_there_and_knocks_ever_less_often() {
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let args = ["hit", &url, "-d", "10m", "-c", "1", "-w", "1", "--give-up", "1s", "--json"];
    let ended = Folder::new().swell(&args).exits(98).says(&["Given up: no server was reached for "]);
    let json = ended.json();
    let samples = json["total"]["samples"].as_f64().expect("a number");
    // From the hundredth on, the pause after the n-th is n times 0.1 ms.
    let pauses_s = (samples * samples - 1e4) / 2.0 * 1e-4;
    assert!(pauses_s <= json["duration_s"].as_f64().expect("a number") + 0.1, "{ended}");
}

#[test]
fn a_server_that_answers_with_errors_is_not_given_up() {
    let server = Server::start(|_| Answer::Keep(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".to_vec()));
    let url = format!("http://{}/", server.addr);
    let ended = Folder::new().swell(&["hit", &url, "-n", "300", "-c", "2", "--give-up", "1ms"]).exits(98);
    assert!(!ended.err.contains("Given up"), "{ended}");
    assert_eq!(server.requests().len(), 300);
}

#[test]
fn a_sample_over_its_total_time_is_no_response_timeout() {
    let server = Server::start(|_| Answer::Silence);
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::get(server.addr, "/"))]);
    let args = ["run", "plan.jmx", "-Jhttp.total_timeout=80", "-e", "-o", "report", "-l", "out.jtl"];
    let ended = folder.swell(&args).exits(98);
    ended.prints(&["nothing answered: total timeout, no end after "]);
    assert!(folder.report("report/index.html").contains("total timeout"));
    let json = Folder::with_plan([plan::group(1, 1).with(plan::get(server.addr, "/"))])
        .swell(&["run", "plan.jmx", "-Jhttp.total_timeout=80", "--json"])
        .exits(98)
        .json();
    assert_eq!(json["errors"][0]["kind"], "total_timeout", "{json}");
    // Nothing was read, so nothing was read late.
    assert_eq!(json["total"]["read_delay"]["samples"], 0, "{json}");
}
