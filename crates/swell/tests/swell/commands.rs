//! The other commands: check, target, doctor, help.

use std::io::{Read, Write};
use std::net::TcpStream;

use swell_plan::{Element, Node};

use crate::support::{Call, Folder, plan, site};

fn folder() -> Folder {
    let listener =
        Node::new(Element::new("ResultCollector", "ViewResultsFullVisualizer", "View Results Tree"));
    Folder::with_plan([plan::group(1, 1).with(plan::nap(0)), listener])
}

#[test]
fn check_lists_every_element_with_what_becomes_of_it() {
    let ended = folder().swell(&["check", "plan.jmx"]).exits(0);
    let ended = ended.prints(&[
        "plan.jmx\n",
        "TestPlan `Plan`",
        "ThreadGroup `Users`",
        "JavaSampler `nap`",
        "This plan runs.",
    ]);
    assert_eq!(
        ended.out.lines().filter(|line| line.trim_start().starts_with("native")).count(),
        4,
        "{ended}"
    );
}

#[test]
fn check_speaks_json_one_plan_a_line() {
    let folder = folder();
    folder.write("broken.jmx", "<");
    let ended = folder.swell(&["check", "plan.jmx", "broken.jmx", "--json"]).exits(104);
    let plans: Vec<serde_json::Value> =
        ended.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let runs: Vec<_> = plans.iter().map(|plan| plan["runs"].as_bool()).collect();
    assert_eq!(runs, [Some(true), Some(false)]);
    assert!(plans.iter().all(|plan| plan["schema"] == "swell.check/1"), "{ended}");
    let element = &plans[0]["elements"][1];
    assert_eq!((&element["class"], &element["support"]), (&"ThreadGroup".into(), &"native".into()));
    assert!(element["line"].as_u64().is_some_and(|line| line > 1), "{ended}");
    assert_eq!(plans[1]["findings"][0]["severity"], "error");
}

#[test]
fn check_counts_over_folders() {
    let folder = folder();
    folder.write("broken.jmx", "<");
    folder.swell(&["check", ".", "--summary"]).exits(104).prints(&[
        "2 plans, 1 well-formed: 1 (100%) run natively, 0 need the JVM, 0 cannot run for another reason",
    ]);
}

#[test]
fn check_of_a_folder_is_a_line_a_plan_and_reasons_once() {
    let folder = folder();
    folder.write("broken.jmx", "<");
    let unknown = || Node::new(Element::new("com.example.Sampler", "Gui", "unknown"));
    for name in ["a.jmx", "b.jmx"] {
        folder.write(name, plan::jmx([plan::group(1, 1).with(unknown()).with(unknown())]));
    }
    let ended = folder.swell(&["check", ".", "--scripts", "native"]).exits(104);
    let lines: Vec<_> = ended.out.lines().collect();
    assert!(lines[0].starts_with("does not run  a.jmx: "), "{ended}");
    assert!(lines[2].starts_with("does not run  broken.jmx: "), "{ended}");
    assert_eq!(lines[3], "native        plan.jmx", "{ended}");
    let ended = ended.prints(&["2 plans, 4 elements: "]);
    assert_eq!(ended.out.matches("(Sampler ×4)").count(), 1, "{ended}");
    let all = folder.swell(&["check", ".", "-v"]).exits(104);
    all.prints(&["TestPlan `Plan`", "This plan runs.", "native        plan.jmx"]);
}

#[test]
fn check_lists_properties_with_their_defaults() {
    let label = "${__P(users,10)} ${__P(host)} ${__property(users,,20)}";
    let folder =
        Folder::with_plan([plan::group(1, 1).with(Node::new(Element::new("DebugSampler", "Gui", label)))]);
    let ended = folder.swell(&["check", "plan.jmx", "--properties"]).exits(0);
    assert_eq!(ended.out, "plan.jmx\n  host\n  users  [defaults: 10, 20]\n", "{ended}");
}

#[test]
fn check_tells_plans_that_wait_for_the_jvm_from_others() {
    let script = || {
        plan::group(1, 1).with(Node::new(
            Element::new("JSR223Sampler", "TestBeanGUI", "script").with_text("script", "com.example.A.run()"),
        ))
    };
    let function =
        || plan::group(1, 1).with(Node::new(Element::new("DebugSampler", "TestBeanGUI", "${__groovy(1)}")));
    let unheard = || plan::group(1, 1).with(Node::new(Element::new("com.example.Sampler", "Gui", "unheard")));
    let cases = [(vec![script(), function()], "jvm"), (vec![script(), unheard()], "partly")];
    for (groups, standing) in cases {
        let folder = Folder::with_plan(groups);
        let word = format!("\"standing\":\"{standing}\"");
        folder.swell(&["check", "plan.jmx", "--json", "--scripts", "native"]).exits(104).prints(&[&word]);
    }
    let folder = Folder::with_plan([script()]);
    let without_java = folder.swell(&["check", "plan.jmx", "--java-home", "/nowhere"]);
    without_java.exits(104).prints(&["jvm", "/nowhere (set by --java-home)", "lib/server"]);
}

#[test]
fn check_neither_runs_nor_writes_anything() {
    let listener =
        Element::new("ResultCollector", "SimpleDataWriter", "keep").with_text("filename", "out.jtl");
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0)), Node::new(listener)]);
    folder.swell(&["check", "plan.jmx"]).exits(0);
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).expect("there").map(|e| e.expect("there").file_name()).collect();
    assert_eq!(names, ["plan.jmx"]);
}

#[test]
fn a_data_file_that_is_missing_is_a_warning_of_check() {
    let data = Element::new("CSVDataSet", "TestBeanGUI", "users").with_text("filename", "users.csv");
    let folder = Folder::with_plan([plan::group(1, 1).with(Node::new(data)).with(plan::nap(0))]);
    folder
        .swell(&["check", "plan.jmx"])
        .exits(0)
        .prints(&["warning: [Plan > Users > users] filename: cannot read `users.csv`"]);
}

/// Fetches a page on a new connection.
fn page(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").expect("sent");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("answered");
    text
}

#[test]
fn the_site_says_its_addresses_serves_and_ends_with_its_input() {
    let folder = Folder::new();
    let mut site = folder.call(&["target", "--port", "0", "--tls-port", "0", "--until-stdin-ends"]).start();
    let address = |line: &str, scheme: &str| {
        let rest = line.trim_end().strip_prefix("listening at ").and_then(|rest| rest.strip_prefix(scheme));
        rest.unwrap_or_else(|| panic!("{line}")).trim_end_matches('/').to_owned()
    };
    let plain = address(&site.next_line(), "http://");
    let tls = address(&site.next_line(), "https://");
    assert!(page(&plain, "/").contains("Site under test"));
    assert!(page(&plain, "/bytes/3").starts_with("HTTP/1.1 200 OK\r\n"));
    assert!(page(&plain, "/status/404").starts_with("HTTP/1.1 404 "));
    folder.swell(&["hit", &format!("https://{tls}/"), "-n", "1"]).exits(0).prints(&["0.00"]);
    site.end_input();
    site.wait().exits(0);
    assert!(TcpStream::connect(&plain).is_err(), "it still listens");
}

#[test]
fn the_site_ends_at_a_signal() {
    for signal in ["INT", "TERM"] {
        let mut site = Folder::new().call(&["target", "--port", "0"]).start();
        site.next_line();
        site.signal(signal);
        site.wait().exits(0);
    }
}

#[test]
fn a_port_that_is_taken_is_told_with_a_hint() {
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    let port = taken.local_addr().expect("bound").port().to_string();
    let ended = Folder::new().swell(&["target", "--port", &port]);
    ended.refused(&["cannot listen at 127.0.0.1:", "in use", "hint: --port 0"]);
}

#[test]
fn two_sites_do_not_share_a_port_without_a_word() {
    let mut first = Folder::new().call(&["target", "--port", "0", "--until-stdin-ends"]).start();
    let line = first.next_line();
    let port = line.trim_end().trim_end_matches('/').rsplit(':').next().expect("a port");
    Folder::new().swell(&["target", "--port", port]).refused(&["cannot listen", "in use"]);
    first.end_input();
    first.wait().exits(0);
}

#[test]
fn calibrate_finds_the_floor_and_the_limits() {
    let ended = Folder::new().swell(&["calibrate", "-d", "100ms", "-c", "10", "--json"]).exits(0);
    let json = ended.json();
    let floor = &json["floor"];
    assert!(floor["service_p50_ms"].as_f64().is_some_and(|ms| ms > 0.0 && ms < 100.0), "{ended}");
    // A busy machine may have no valid load at all; then it says why.
    for (found, limit) in [("highest_valid_rate_per_s", "rate_limit"), ("highest_valid_users", "users_limit")]
    {
        assert!(json[found].is_u64() || json[limit].as_array().is_some_and(|why| !why.is_empty()), "{ended}");
    }
    ended.says(&["The floor", "requests a second: ", "10 users: "]);
}

/// `setarch` gives a process another release of the kernel.
#[test]
fn a_kernel_that_is_too_old_is_named() {
    let folder = Folder::new();
    let site = site();
    let url = format!("http://{}/", site.addr());
    let on_old = |args: &[&str]| {
        let before = ["--uname-2.6", env!("CARGO_BIN_EXE_swell")];
        Call::shell(folder.path(), "setarch", &[&before, args].concat()).run()
    };
    let known = std::process::Command::new("setarch").args(["--uname-2.6", "true"]).status();
    if !known.is_ok_and(|status| status.success()) {
        return println!("skipped: setarch is not installed, or cannot change the release");
    }
    let hit = on_old(&["hit", &url, "-c", "1", "-n", "1"]).exits(0);
    hit.says(&["Linux 2.6.", "is older than 5.4, the oldest kernel that Swell supports"]);
    on_old(&["doctor", "-c", "10"]).exits(1).prints(&["WARN  kernel", "needed 5.4"]);
    let usual = folder.swell(&["hit", &url, "-c", "1", "-n", "1"]).exits(0);
    assert!(!usual.err.contains("oldest kernel"), "{usual}");
}

#[test]
fn doctor_speaks_to_people_and_machines() {
    let folder = Folder::new();
    folder.swell(&["doctor", "-c", "100"]).prints(&[
        "for a test with 100 users",
        "open files a process",
        "clock source",
    ]);
    let ended = folder.swell(&["doctor", "--json"]);
    let json = ended.json();
    assert_eq!(json["users"], 10_000);
    // What else runs here decides which of the two.
    let ok = json["ok"].as_bool().expect("a word for pipelines");
    assert_eq!(ended.code, Some(i32::from(!ok)), "{ended}");
    let spoiled = folder.swell(&["doctor", "-c", "1000000000000"]).exits(1);
    spoiled.prints(&["WARN  open files a process", "WARN  memory", "problems found"]);
    assert!(json["facts"]["cores"].as_u64().is_some_and(|cores| cores > 0));
    assert!(
        json["findings"]
            .as_array()
            .is_some_and(|all| all.len() > 5 && all.iter().all(|f| f["ok"].is_boolean()))
    );
}

#[test]
fn help_goes_to_standard_output_with_examples() {
    let folder = Folder::new();
    for (args, texts) in [
        (&["--help"][..], &["Examples:\n", "swell run plan.jmx -l results.jtl", "Commands:"][..]),
        (&[], &["Examples:\n", "Commands:"]),
        (&["-?"], &["Examples:\n", "-t, --testfile <PLAN>", "-l, --logfile <FILE>"]),
        (&["--?"], &["-t, --testfile <PLAN>"]),
        (&["run", "--help"], &["Examples:\n", "Exit status: 0 ", "105 interrupted", "-Jusers=500"]),
        (&["check", "--help"], &["Examples:\n", "Exit status: 0 "]),
        (&["hit", "--help"], &["Examples:\n", "Exit status: 0 "]),
        (&["target", "--help"], &["Examples:\n"]),
        (&["doctor", "--help"], &["Examples:\n"]),
    ] {
        let ended = folder.swell(args).exits(0).prints(texts);
        assert_eq!(ended.err, "", "{ended}");
    }
}

/// Tools that expect JMeter ask for the version as they ask JMeter (`bzt`: `-j FILE --version`).
#[test]
fn the_version_is_printed_wherever_it_is_asked_for() {
    let folder = Folder::new();
    let words = concat!("swell ", env!("CARGO_PKG_VERSION"), "\nruns plans as Apache JMeter 5.6.3 does\n");
    for line in [&["--version"][..], &["-V"], &["-v"], &["-j", "some.log", "--version"], &["run", "-v"]] {
        let said = folder.swell(line).exits(0).out;
        // Which Java and JMeter there are is up to the machine.
        let of_jvm = |line: &&str| line.starts_with("scripts and plug-ins run on: ");
        assert_eq!(said.lines().filter(of_jvm).count(), 1, "{said}");
        let rest: String = said.split_inclusive('\n').filter(|line| !of_jvm(line)).collect();
        assert_eq!(rest, words, "{line:?}");
    }
    assert!(!folder.has("some.log"));
}
