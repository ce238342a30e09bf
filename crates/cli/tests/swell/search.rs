//! `swell search`: the load that a server bears.

use crate::support::{Folder, closed_port, site};

const READY: &str = r"line:listening at http://127\.0\.0\.1:(\d+)";

/// Trials as short as they can be.
const SHORT: [&str; 4] = ["--trial", "1s", "--warm-up", "100ms"];

#[test]
fn a_server_that_bears_all_and_one_that_bears_nothing_are_told() {
    let (folder, site) = (Folder::new(), site());
    let search = |path: &str, more: &[&str]| {
        let url = format!("http://{}{path}", site.addr());
        let args = [&["search", &url, "--users", "1..2", "--slo", "errors<50%"][..], &SHORT, more].concat();
        folder.swell(&args)
    };
    let ended = search("/bytes/10", &["--json"]).exits(0);
    let found = ended.json();
    assert_eq!((&found["stopped"], &found["answer"]["holds"]), (&"bears_all".into(), &2.0.into()), "{found}");
    assert!(found["trials"].as_array().expect("trials").len() >= 2, "{found}");
    search("/overloaded", &[]).exits(99).prints(&["does not hold 1 user (errors<50%)"]);
    search("/bytes/10", &["--expect", ">=5"]).exits(99).prints(&["holds 2 users"]);
}

#[test]
fn a_server_that_turns_requests_down_is_named_with_its_evidence_and_the_page_has_it() {
    let (folder, site) = (Folder::new(), site());
    let url = format!("http://{}/overloaded", site.addr());
    let args =
        [&["search", &url, "--rate", "20..100", "--slo", "errors<1%", "-o", "out"][..], &SHORT].concat();
    let ended = folder.swell(&args).exits(99);
    ended.prints(&["admission control", "of the responses at 20.0 were 503 or 429"]);
    let kept: serde_json::Value = serde_json::from_str(&folder.read("out/search.json")).expect("JSON");
    assert_eq!(kept["answer"]["limit"]["cause"], "admission_control", "{kept}");
    let page = folder.read("out/index.html");
    assert!(page.contains("admission control") && page.contains("Trials in their order"), "{page}");
    folder.swell(&args).refused(&["`out` has a search already", "-f writes over it"]);
}

#[test]
fn a_server_that_dies_is_started_anew_and_given_up_in_the_end() {
    let folder = Folder::new();
    // It ends by itself a moment after it is ready.
    let server = format!("timeout 1 '{}' target --port 0", env!("CARGO_BIN_EXE_swell"));
    let url = "http://127.0.0.1:{port}/delay/5ms";
    let args = ["search", url, "--rate", "20..100", "--trial", "20s", "--server", &server, "--ready", READY];
    let ended = folder.swell(&args).exits(98);
    ended.says(&["it is started anew, and the trial made once more", "this is the answer so far"]);
}

#[test]
fn a_server_that_is_not_there_ends_the_search() {
    let folder = Folder::new();
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let ended = folder.swell(&["search", &url, "--rate", "50..100"]).exits(98);
    ended
        .says(&["the server does not answer", "this is the answer so far"])
        .prints(&["nothing is known yet"]);
}

#[test]
fn what_is_wrong_is_told_before_the_first_trial() {
    let folder = Folder::new();
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/first.jmx");
    let here = "http://127.0.0.1:9/";
    let table: &[(&[&str], &[&str])] = &[
        (
            &["http://93.184.216.34/", "--rate", "1..9"],
            &["neither this machine nor in a private network", "--i-may-load"],
        ),
        (&[here, "--rate", "100..10"], &["the wrong way round", "10..100"]),
        (&[here, "--rate", "10..10"], &["only one load"]),
        (&[here, "--users", "1.5..9"], &["`1.5` is no whole number"]),
        (&[here, "--rate", "1..1000000"], &["above the ceiling of 100000", "--max-rate"]),
        (&[here, "--users", "1..20000"], &["above the ceiling of 10000", "--max-users"]),
        (&[here, "--rate", "1..9", "--slo", "p(99)"], &["a comparison is missing"]),
        (&[here, "--rate", "1..9", "--slo", "errors<5"], &["a share or a time"]),
        (&[here, "--rate", "1..9", "--slo", "p(99)<1s for 5s"], &["no `for`"]),
        (&[here, "--vary", "x=1..9"], &["a URL has no property `x`"]),
        (&[here], &["--rate <A..B>"]),
        (&[plan, "--rate", "1..9"], &["--rate has nothing to set", "--vary NAME=A..B"]),
        (&[plan, "--vary", "nobody=1..9"], &["reads no property `nobody`"]),
        (&[here, "--rate", "1..9", "--expect", "much"], &["'>=1000'"]),
        (&[here, "--rate", "1..9", "--trial", "10ms"], &["at least 1s"]),
    ];
    for (args, why) in table {
        let args: Vec<_> = ["search"].iter().chain(*args).copied().collect();
        folder.swell(&args).exits(104).says(why);
    }
}

#[test]
fn a_plan_that_is_over_before_it_is_steady_is_told() {
    let (folder, site) = (Folder::new(), site());
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ten-urls.jmx");
    let port = format!("-Jport={}", site.addr().port());
    let args =
        ["search", plan, &port, "-Jduration=1", "-Jpause=0", "--vary", "threads=1..2", "--warm-up", "20s"];
    folder.swell(&args).exits(104).says(&["the plan ends by itself before there is a steady second"]);
}

#[test]
fn an_interrupted_search_prints_the_answer_so_far() {
    let (folder, site) = (Folder::new(), site());
    let url = format!("http://{}/delay/1ms", site.addr());
    let args = [&["search", &url, "--users", "1..500", "--slo", "errors<50%"][..], &SHORT].concat();
    let mut running = folder.call(&args).start();
    running.wait_for_words("1. 1 user: ");
    running.signal("INT");
    let ended = running.wait();
    assert!(ended.code == Some(105) && ended.err.contains("this is the answer so far"), "{ended}");
    assert!(ended.out.contains("errors<50%"), "{ended}");
}

#[test]
fn a_property_of_a_plan_is_varied_and_so_are_its_users() {
    let (folder, site) = (Folder::new(), site());
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ten-urls.jmx");
    let port = format!("-Jport={}", site.addr().port());
    for how in [["--vary", "threads=1..2"], ["--users", "1..2"]] {
        let args = [
            &["search", plan, &port, "-Jpause=0", "-Jloops=1000000", "--slo", "errors<50%", "--json"][..],
            &how,
            &SHORT,
        ]
        .concat();
        let found = folder.swell(&args).exits(0).json();
        assert_eq!(found["answer"]["holds"], 2.0, "{found}");
    }
}
