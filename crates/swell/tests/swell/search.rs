//! `swell search`: finds the load that a server can handle.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};
use serde_json::Value;

use crate::support::{Answer, Folder, Server, closed_port, site};

const READY: &str = r"line:listening at http://127\.0\.0\.1:(\d+)";

/// Trials as short as they can be.
const SHORT: [&str; 4] = ["--trial", "1s", "--warm-up", "100ms"];

#[test]
fn a_server_that_bears_all_and_one_that_bears_nothing_are_told() {
    let folder = Folder::new();
    let site = site();
    let search = |path: &str, more: &[&str]| {
        let url = format!("http://{}{path}", site.addr());
        let args = [&["search", &url, "--users", "1..2", "--slo", "errors<50%"][..], &SHORT, more].concat();
        folder.swell(&args)
    };
    let ended = search("/bytes/10", &["--json"]).exits(0);
    let found = ended.json();
    assert_eq!((&found["stopped"], &found["answer"]["holds"]), (&"bears_all".into(), &2.0.into()), "{found}");
    assert!(found["trials"].as_array().expect("trials").len() >= 2, "{found}");
    search("/admit?rate=1", &[]).exits(99).prints(&["does not hold 1 user (errors<50%)"]);
    search("/bytes/10", &["--expect", ">=5"]).exits(99).prints(&["holds 2 users"]);
}

#[test]
fn a_server_that_turns_requests_down_is_named_with_its_evidence_and_the_page_has_it() {
    let folder = Folder::new();
    let site = site();
    let url = format!("http://{}/admit?rate=10", site.addr());
    let args =
        [&["search", &url, "--rate", "20..100", "--slo", "errors<1%", "-o", "out"][..], &SHORT].concat();
    let ended = folder.swell(&args).exits(99);
    ended.prints(&["admission control", "of the responses at 20.0 were 503 or 429"]);
    let kept: serde_json::Value = serde_json::from_str(&folder.read("out/search.json")).expect("JSON");
    assert_eq!(kept["answer"]["limit"]["cause"], "admission_control", "{kept}");
    let page = folder.report("out/index.html");
    assert!(page.contains("admission control") && page.contains("Trials in order"), "{page}");
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
    ended.says(&["it is restarted, and the trial is repeated", "this is the answer so far"]);
}

#[test]
fn a_server_that_is_not_there_ends_the_search() {
    let folder = Folder::new();
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let ended = folder.swell(&["search", &url, "--rate", "50..100"]).exits(98);
    let ended = ended.prints(&["nothing answered: connection refused by 127.0.0.1:"]);
    assert!(!ended.out.contains("limit"), "{ended}");
}

#[test]
fn a_search_pauses_where_no_server_is_reached() {
    let search = ["search", "http://nosuch.invalid/", "--users", "4..8", "--trial", "2s", "--json"];
    let found = Folder::new().swell(&search).exits(98).json();
    let words = found["answer"]["words"].as_str().unwrap_or_default().to_owned();
    // "… (100 % of 670,836 samples)" without a pause.
    let count = words.rsplit(" of ").next().unwrap_or_default();
    let count: String = count.chars().filter(char::is_ascii_digit).collect();
    assert!(count.parse::<u32>().is_ok_and(|samples| (1..10_000).contains(&samples)), "{words}");
}

#[test]
fn where_nothing_works_studies_say_what_hit_says_and_name_no_limit() {
    let folder = Folder::new();
    let site = site();
    let [closed, unknown, missing] = [
        format!("http://127.0.0.1:{}/", closed_port()),
        "http://nosuch.invalid/".to_owned(),
        format!("http://{}/status/404", site.addr()),
    ];
    for (url, sentence) in [
        (&closed, "nothing answered: connection refused by 127.0.0.1:"),
        (&unknown, "nothing answered: name not found: nosuch.invalid"),
        (&missing, "not one sample succeeded: status 404 Not Found"),
    ] {
        folder.swell(&["hit", url, "-n", "3"]).exits(98).prints(&[sentence]);
        // So few requests that no rule could be decided by them alone.
        let search = ["search", url, "--rate", "3..9", "--trial", "2s", "--warm-up", "0s", "--json"];
        let found = folder.swell(&search).exits(98).json();
        let answer = &found["answer"];
        assert!(answer["words"].as_str().is_some_and(|words| words.starts_with(sentence)), "{found}");
        assert_eq!((&answer["limit"], &answer["holds"]), (&Value::Null, &Value::Null));
        let why = found["stopped"]["nothing_works"].as_str();
        assert!(why.is_some_and(|why| why.starts_with(sentence)), "{found}");
        assert_eq!(found["trials"].as_array().map(Vec::len), Some(1), "the first one is enough");
        let sweep = ["sweep", url, "--vary", "users=1,2", "--each", "200ms"];
        let swept = folder.swell(&sweep).exits(98).prints(&[sentence]);
        assert!(!swept.out.contains("limit:"), "{swept}");
    }
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
        (&[here, "--users", "1.5..9"], &["invalid number `1.5`: must be whole"]),
        (&[here, "--rate", "1..1000000"], &["above the ceiling of 100000", "--max-rate"]),
        (&[here, "--users", "1..20000"], &["above the ceiling of 10000", "--max-users"]),
        (&[here, "--rate", "1..9", "--slo", "p(99)"], &["missing a comparison"]),
        (&[here, "--rate", "1..9", "--slo", "errors<5"], &["a share or a time"]),
        (&[here, "--rate", "1..9", "--slo", "p(99)<1s for 5s"], &["cannot have `for`"]),
        (&[here, "--vary", "x=1..9"], &["a URL has no property `x`"]),
        (&[here], &["no range of loads given", "--rate 50..5000"]),
        (&[plan, "--rate", "1..9"], &["--rate has nothing to set", "--vary NAME=A..B"]),
        (&[plan, "--vary", "unread=1..9"], &["reads no property `unread`"]),
        (&[here, "--rate", "1..9", "--expect", "much"], &["'>=1000'"]),
        (&[here, "--rate", "1..9", "--trial", "10ms"], &["at least 1s"]),
    ];
    for (args, why) in table {
        let args: Vec<_> = ["search", "-o", "out"].iter().chain(*args).copied().collect();
        folder.swell(&args).exits(104).says(why);
        assert!(!folder.has("out"), "{args:?}");
    }
    // A place that takes no files is found before the first trial.
    let ended = folder.swell(&["search", here, "--rate", "1..9", "-o", "/proc"]).exits(112);
    assert!(ended.err.contains("cannot write `/proc`"), "{ended}");
}

#[test]
fn a_plan_that_is_over_before_it_is_steady_is_told() {
    let folder = Folder::new();
    let site = site();
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ten-urls.jmx");
    let port = format!("-Jport={}", site.addr().port());
    let args =
        ["search", plan, &port, "-Jduration=1", "-Jpause=0", "--vary", "threads=1..2", "--warm-up", "20s"];
    folder.swell(&args).exits(104).says(&["the plan ends before there is a steady second"]);
}

/// What a property means only the plan knows, so its users are counted when they are wanted.
#[test]
fn a_property_passes_no_ceiling_either() {
    let folder = Folder::new();
    let site = site();
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ten-urls.jmx");
    let port = format!("-Jport={}", site.addr().port());
    let plan = [plan, &port, "-Jloops=-1", "--max-users", "5"];
    let why = ["users, above the ceiling of 5", "--max-users"];
    let search = [&["search"], &plan[..], &["--vary", "threads=9..10"]].concat();
    folder.swell(&search).exits(104).says(&why);
    let sweep = [&["sweep"], &plan[..], &["--vary", "threads=9", "--each", "20s"]].concat();
    folder.swell(&sweep).exits(104).says(&why);
}

#[test]
fn an_interrupted_search_prints_the_answer_so_far() {
    let folder = Folder::new();
    let site = site();
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
    let folder = Folder::new();
    let site = site();
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

/// Answers requests of one connection until it ends; false from `may_answer` leaves it without an
/// answer.
fn answer(mut stream: TcpStream, may_answer: impl Fn() -> bool) {
    let mut asked = [0; 4096];
    while stream.read(&mut asked).is_ok_and(|length| length > 0) {
        if may_answer() && stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
            return;
        }
    }
}

/// A server with a thread a connection, at most `most` at a time; where more come, they wait, or it
/// `hangs` for ever.
fn server_of(most: u32, hangs: bool) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("bound"));
    let open = Arc::new((Mutex::new(0), Condvar::new()));
    let stuck = Arc::new(AtomicBool::new(false));
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let open = open.clone();
            let stuck = stuck.clone();
            let (count, ended) = &*open;
            let mut count = count.lock();
            ended.wait_while(&mut count, |count| !hangs && *count >= most);
            *count += 1;
            stuck.fetch_or(*count > most, Ordering::Relaxed);
            drop(count);
            std::thread::spawn(move || {
                answer(stream, || !stuck.load(Ordering::Relaxed));
                *open.0.lock() -= 1;
                open.1.notify_one();
            });
        }
    });
    url
}

#[test]
fn a_server_that_hangs_after_an_overload_ends_the_search_with_that_as_its_limit() {
    let folder = Folder::new();
    let url = server_of(8, true);
    let args = [
        &["search", &url, "--users", "1..64", "--slo", "errors<50%", "--recovery", "1s", "--json"][..],
        &SHORT,
    ];
    let ended = folder.swell(&args.concat()).exits(98);
    let ended =
        ended.says(&["the server hangs: 1 s after the overload it does not respond at the lowest load"]);
    let found = ended.json();
    assert_eq!(found["answer"]["limit"]["cause"], "hang", "{found}");
}

#[test]
fn users_who_get_no_answer_at_all_fail_a_trial_although_the_others_are_quick() {
    let folder = Folder::new();
    let url = server_of(8, false);
    let args = [
        &[
            "search",
            &url,
            "--users",
            "1..64",
            "--slo",
            "p(50)<200ms",
            "--width",
            "50%",
            "--recovery",
            "1s",
            "--json",
        ][..],
        &SHORT,
    ];
    let ended = folder.swell(&args.concat()).exits(0);
    let ended = ended.says(&["had no response in the whole trial"]);
    let found = ended.json();
    // A connection that was closed a moment ago may still have its place.
    assert!((6.0..=8.0).contains(&found["answer"]["holds"].as_f64().expect("a load")), "{found}");
    assert_eq!(found["answer"]["limit"]["cause"], "pool", "{found}");
}

#[test]
fn a_server_that_dies_of_a_load_twice_does_not_bear_it() {
    let folder = Folder::new();
    // It ends when it has many descriptors open, so with many users.
    let server = format!(
        "'{}' target --port 0 & own=$!; while [ -d /proc/$own ] && [ $(ls /proc/$own/fd | wc -l) -lt 48 ]; do :; done; kill $own; echo too many; exit 7",
        env!("CARGO_BIN_EXE_swell")
    );
    let args = [
        &["search", "http://127.0.0.1:{port}/delay/5ms", "--users", "4..64", "--slo", "errors<50%"][..],
        &["--width", "50%", "--server", &server, "--ready", READY, "--json"],
        &SHORT,
    ];
    let ended = folder.swell(&args.concat()).exits(0);
    let ended =
        ended.says(&["it is restarted, and the trial is repeated", "fail (the server exited with status 7"]);
    let found = ended.json();
    assert_eq!(found["answer"]["limit"]["cause"], "crash", "{found}");
    let evidence = &found["answer"]["limit"]["evidence"][0];
    assert!(evidence.as_str().is_some_and(|line| line.contains("twice: the server exited with status 7")));
}

#[test]
fn a_server_that_fails_most_samples_does_not_pass_by_quick_failures() {
    let folder = Folder::new();
    let site = site();
    let url = format!("http://{}/admit?rate=1", site.addr());
    let search = |more: &[&str]| {
        let args = [&["search", &url, "--users", "1..2", "--slo", "mean<2s"][..], &SHORT, more];
        folder.swell(&args.concat())
    };
    search(&[]).exits(99).says(&["100 % of the samples failed, more than half"]);
    search(&["--no-abort"]).exits(0).prints(&["holds 2 users"]);
}

#[test]
fn short_h_is_a_request_header_and_not_the_proxy() {
    let folder = Folder::new();
    let server = Server::start(|_| Answer::ok("fine"));
    let url = format!("http://{}/", server.addr);
    let args = [&["search", &url, "--users", "1..2", "-H", "X-One: 1"][..], &SHORT].concat();
    folder.swell(&args).exits(0);
    assert!(server.requests().iter().all(|request| request.header("X-One") == Some("1")));
    let sweep = ["sweep", &url, "--vary", "users=1..2", "-H", "X-One: 1"];
    folder.swell(&sweep).refused(&["`swell sweep` has no option `-H`", "the proxy is --proxyHost HOST"]);
}
