//! Runs in which nothing answers: one sentence, one status and one verdict, whatever the cause,
//! said once.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc;

use swell_connect::TlsServerConfig;
use swell_plan::{Element, Node};

use crate::support::{Answer, Call, Ended, Folder, Server, closed_port, plan, tls_server};

const REASON: &str = "no sample reached a server that responds";

fn tls_port() -> u16 {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let certificate = made.cert.der().to_vec();
    let key = made.signing_key.serialize_der();
    tls_server(move |_| TlsServerConfig::asking(certificate.clone(), key.clone(), false).expect("they fit")).0
}

/// A plan with a sampler that asks this URL.
fn plan_of(protocol: &str, host: &str, port: &str) -> Node {
    let sampler = Element::new("HTTPSamplerProxy", "HttpTestSampleGui", "/")
        .with_text("HTTPSampler.domain", host)
        .with_text("HTTPSampler.port", port)
        .with_text("HTTPSampler.protocol", protocol)
        .with_text("HTTPSampler.path", "/")
        .with_text("HTTPSampler.method", "GET")
        .with_text("HTTPSampler.connect_timeout", "300")
        .with_text("HTTPSampler.response_timeout", "300");
    plan::group(2, 3).with(Node::new(sampler))
}

/// The first line of the summary, if all says the same.
#[track_caller]
fn says_nothing(text: &Ended, json: &Ended) -> String {
    let mut lines = text.out.lines();
    let first = lines.find(|line| line.starts_with("nothing answered: ")).unwrap_or_default().to_owned();
    assert!(!first.is_empty(), "{text}");
    assert_eq!(text.out.matches("nothing answered").count(), 1, "{text}");
    assert_eq!(text.err.matches(&format!("error: {first}")).count(), 1, "{text}");
    let judged = text.out.split_once("\nMeasurement: unusable").map(|(_, rest)| rest);
    assert!(judged.is_some_and(|rest| rest.contains(&format!("\n  INVALID   {REASON}\n"))), "{text}");
    let json = json.json();
    assert!(json["headline"].as_str().is_some_and(|text| text.starts_with("nothing answered: ")), "{json}");
    assert_eq!(json["verdict"]["level"], "INVALID", "{json}");
    first
}

/// A run of a URL as `swell hit` and as a plan.
#[track_caller]
fn all_say_nothing(protocol: &str, host: &str, port: u16, cause: &str) {
    let url = format!("{protocol}://{host}:{port}/");
    let hit = ["hit", &url, "-n", "6", "-c", "2", "--timeout", "300ms"];
    let run = |args: &[&str]| Folder::new().swell(&[&hit[..], args].concat()).exits(98);
    let first = says_nothing(&run(&[]), &run(&["--json"]));
    assert!(first.contains(cause), "{first}");
    let folder = Folder::with_plan([plan_of(protocol, host, &port.to_string())]);
    let run = |args: &[&str]| folder.swell(&[&["run", "plan.jmx"], args].concat()).exits(98);
    let text = run(&["-l", "out.jtl", "-e", "-o", "report"]);
    let first = says_nothing(&text, &run(&["--json"]));
    assert!(first.contains(cause), "{first}");
    let page = folder.report("report/index.html");
    assert!(page.contains("nothing answered: ") && !page.contains(REASON), "said once in the report");
    folder.swell(&["report", "out.jtl"]).exits(0);
    assert!(folder.report("report.html").contains("nothing answered: "), "the results say so, too");
}

#[test]
fn a_closed_port() {
    all_say_nothing("http", "127.0.0.1", closed_port(), "connection refused by 127.0.0.1:");
}

#[test]
fn tls_on_a_plain_port() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // What greets a TLS server is no request.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        }
    });
    all_say_nothing("https", "127.0.0.1", port, "TLS failed");
}

#[test]
fn plain_http_on_a_tls_port() {
    all_say_nothing("http", "127.0.0.1", tls_port(), "");
}

#[test]
fn a_server_that_accepts_nothing() {
    let (open, closed) = mpsc::channel::<()>();
    let until = move || closed.recv().unwrap_or_default();
    let server = Server::crowded(0, until, |_| Answer::ok("ok"));
    // Dropped before the server, which waits for it.
    let _open = open;
    all_say_nothing("http", "127.0.0.1", server.addr.port(), "");
}

#[test]
fn a_server_that_closes_at_once() {
    let server = Server::start(|_| Answer::Close(Vec::new()));
    all_say_nothing("http", "127.0.0.1", server.addr.port(), "closed early");
}

#[test]
fn a_request_that_cannot_be_made() {
    let folder = Folder::with_plan([plan_of("http", "127.0.0.1", "99999")]);
    let run = |args: &[&str]| folder.swell(&[&["run", "plan.jmx"], args].concat()).exits(98);
    let first = says_nothing(&run(&[]), &run(&["--json"]));
    assert!(first.contains("request cannot be created"), "{first}");
}

#[test]
fn what_is_the_same_place_says_it_once() {
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let folder = Folder::new();
    let ended = Call::in_shell(folder.path(), ":", &["hit", &url, "-n", "3"], "2>&1").run().exits(98);
    assert_eq!(ended.out.matches("nothing answered: ").count(), 1, "{ended}");
    let args = ["hit", &url, "-n", "3", "--json"];
    let ended = Call::in_shell(folder.path(), ":", &args, ">out.json").run().exits(98);
    ended.says(&["error: nothing answered: connection refused"]);
}

#[test]
fn one_answer_in_thousands_is_nearly_nothing() {
    // A script of samples without a network is quick; the port is closed.
    let port = closed_port().to_string();
    let many = plan::group(1, 2000).with(plan::get_from("127.0.0.1", &port, "/", ""));
    let folder = Folder::with_plan([many, plan::group(1, 1).with(plan::nap(1))]);
    let ended = folder.swell(&["run", "plan.jmx"]).exits(98);
    ended.prints(&["almost nothing answered: connection refused by 127.0.0.1:", "Measurement: unusable"]);
    let some = plan::group(1, 100).with(plan::get_from("127.0.0.1", &port, "/", ""));
    let folder = Folder::with_plan([some, plan::group(1, 1).with(plan::nap(1))]);
    folder.swell(&["run", "plan.jmx"]).exits(0).prints(&["Measurement: doubtful"]);
}

#[test]
fn a_run_with_some_failures_has_no_such_line() {
    let server = Server::start(|_| Answer::ok("ok"));
    let closed = plan::get_from("127.0.0.1", &closed_port().to_string(), "/", "");
    let once = Element::new("OnceOnlyController", "OnceOnlyControllerGui", "once");
    let users = plan::group(1, 20).with(plan::get(server.addr, "/")).with(Node::new(once).with(closed));
    let ended = Folder::with_plan([users]).swell(&["run", "plan.jmx"]).exits(0);
    assert!(!ended.out.contains("nothing answered"), "{ended}");
}
