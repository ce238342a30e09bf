//! `swell sweep`: a grid of settings and loads.

use crate::support::{Folder, closed_port, site};

/// Starts the binary's own site.
fn server(args: &str) -> String {
    format!("'{}' target --port 0 {args}", env!("CARGO_BIN_EXE_swell"))
}

const READY: &str = r"line:listening at http://127\.0\.0\.1:(\d+)";

#[test]
fn each_setting_gets_a_server_of_its_own_and_each_load_a_cell() {
    let folder = Folder::new();
    let server = server("--workers {threads}");
    let args = [
        "sweep",
        "http://127.0.0.1:{port}/pool?workers={pool}&service=5ms",
        "--setting",
        "threads=1,2",
        "--setting",
        "pool=3",
        "--vary",
        "users=2,6",
        "--each",
        "300ms",
        "--repeats",
        "2",
        "--server",
        &server,
        "--ready",
        READY,
        "--server-warm-up",
        "0",
        "-o",
        "out",
    ];
    let ended = folder.swell(&args).exits(0);
    let ended = ended.prints(&["threads 1, pool 3", "threads 2, pool 3", "throughput/s", "server CPU"]);
    let ended = ended.says(&["8 of 8: "]);
    assert_eq!(ended.err.matches("Starting the server with threads").count(), 4, "{ended}");
    let kept: serde_json::Value = serde_json::from_str(&folder.read("out/surface.json")).expect("JSON");
    let cells = kept["cells"].as_array().expect("cells");
    assert_eq!(cells.len(), 8);
    for cell in cells {
        assert_eq!(cell["ending"], "measured", "{cell}");
        assert!(cell["figures"]["samples"].as_u64() > Some(0), "{cell}");
        assert!(cell["figures"]["server_rss_bytes"].as_u64() > Some(0), "{cell}");
    }
    assert_eq!(folder.read("out/surface.csv").lines().count(), 9);
    assert!(folder.report("out/index.html").contains("threads 2, pool 3"));
    // What is there is not lost by mistake.
    folder.swell(&args).refused(&["`out` has a sweep already", "-f writes over it"]);
}

#[test]
fn a_plan_gets_settings_and_load_as_properties_and_the_same_seed_the_same_order() {
    let folder = Folder::new();
    let site = site();
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ten-urls.jmx");
    let port = format!("-Jport={}", site.addr().port());
    let order = |seed: &str| {
        let args = [
            "sweep",
            plan,
            "--vary",
            "threads=1,2,3,4,5",
            "--setting",
            "pause=0,1",
            "--each",
            "100ms",
            "--seed",
            seed,
            &port,
            "--json",
        ];
        let json = folder.swell(&args).exits(0).json();
        let place = |cell: &serde_json::Value| (cell["setting"].as_u64(), cell["load"].as_u64());
        json["cells"].as_array().expect("cells").iter().map(place).collect::<Vec<_>>()
    };
    let first = order("7");
    assert_eq!((first.len(), first == order("7")), (10, true));
    let mut given = first.clone();
    given.sort_unstable();
    assert_ne!(first, given, "of ten cells in a drawn order, all as given is one of millions");
}

#[test]
fn a_server_that_ends_costs_its_cell_and_shows_its_last_lines() {
    let folder = Folder::new();
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let start = |server: &str| {
        let args = [
            "sweep",
            &url,
            "--vary",
            "users=1,2",
            "--each",
            "20s",
            "--server",
            server,
            "--ready",
            "line:ready",
            "--server-warm-up",
            "0",
        ];
        folder.swell(&args)
    };
    // It ends by itself once it is ready, however long that takes: the cell runs for longer.
    let ended = start("echo ready; sleep 0.2; echo no memory; exit 7").exits(98);
    ended.prints(&["at users 1: the server exited with status 7", "| no memory"]).says(&["2 of 2: users"]);
    let ended = start("echo hello; exit 3").exits(98);
    ended.prints(&["before it was ready, the server exited with status 3", "| hello"]);
}

#[test]
fn hooks_set_and_take_back() {
    let folder = Folder::new();
    let site = site();
    let url = format!("http://{}/", site.addr());
    let args = [
        "sweep",
        &url,
        "--vary",
        "rate=50",
        "--setting",
        "n=1,2",
        "--each",
        "100ms",
        "--in-order",
        "-c",
        "3",
        "--set-hook",
        "echo set {n} >> log",
        "--reset-hook",
        "echo reset {n} >> log",
    ];
    folder.swell(&args).exits(0);
    assert_eq!(folder.read("log"), "set 1\nreset 1\nset 2\nreset 2\n");
    let broken = ["sweep", &url, "--vary", "users=1", "--each", "100ms", "--set-hook", "echo why; exit 5"];
    folder.swell(&broken).exits(98).prints(&["the hook exited with status 5", "| why"]);
}

#[test]
fn mistakes_are_told_before_anything_starts() {
    let folder = Folder::new();
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ten-urls.jmx");
    let url = "http://127.0.0.1:1/";
    let table: [(&[&str], &[&str]); 19] = [
        (
            &["http://192.0.2.1/", "--vary", "users=1"],
            &["`192.0.2.1` (192.0.2.1) is neither this machine", "--i-may-load 192.0.2.1"],
        ),
        (
            &[plan, "--vary", "users=1"],
            &["the plan reads no property `users`", "it reads", "threads", "hint: "],
        ),
        (&[url, "--vary", "threads=1"], &["a URL has no `threads` to vary", "hint: "]),
        (&[url, "--vary", "users=1,0"], &["users=0: invalid number of users `0`"]),
        (&[url, "--vary", "rate=5,x"], &["rate=x: invalid rate `x`; write 5000"]),
        (&[url, "--vary", "rate=9,200000/s"], &["above the ceiling of 100000", "--max-rate"]),
        (
            &[url, "--vary", "users=1", "--setting", "n=1,2"],
            &["nothing uses the setting `n`", "write {n} in"],
        ),
        (
            &[plan, "--vary", "threads=1", "--setting", "unused=1,2"],
            &["nothing uses the setting `unused`", "${__P(unused)}"],
        ),
        (
            &[url, "--search", "users=1..9", "--setting", "n=1", "--server", "x", "--ready", "tcp:a:1"],
            &["nothing uses the setting `n`"],
        ),
        (
            &[
                url,
                "--vary",
                "users=1",
                "--setting",
                "n=1,2",
                "--set-hook",
                "echo {m}",
                "--reset-hook",
                "rm {p}",
            ],
            &["nothing uses the setting `n`"],
        ),
        (&[url, "--vary", "users=1", "--setting", "users=2"], &["`users` is given twice"]),
        (&[url, "--vary", "users"], &["`users` has no values", "use NAME=VALUE"]),
        (&[url, "--vary", "users=1", "--each", "1ms"], &["a cell takes at least 100ms"]),
        (&[url, "--vary", "users=1", "--server", "x", "--ready", "soon"], &["use line:PATTERN"]),
        (&["http://127.0.0.1:{port}/", "--vary", "users=1"], &["unknown setting `port`"]),
        (&[url, "--vary", "users=20000"], &["users=20000 is above the ceiling of 10000", "--max-users"]),
        (&[url, "--vary", "rate=9,200000"], &["rate=200000 is above the ceiling of 100000", "--max-rate"]),
        (&[url, "--search", "users=1.5..9"], &["users are whole numbers"]),
        (&[url, "--search", "rate=1..200000"], &["above the ceiling of 100000", "--max-rate"]),
    ];
    for (args, why) in table {
        let args: Vec<_> = ["sweep", "--in-order", "-o", "out"].iter().chain(args).copied().collect();
        let ended = folder.swell(&args).exits(104);
        assert!(!ended.err.contains("1 of "), "a cell was measured: {ended}");
        ended.says(why);
    }
}

#[test]
fn an_interrupted_sweep_keeps_what_it_measured() {
    let folder = Folder::new();
    let site = site();
    let url = format!("http://{}/delay/1ms", site.addr());
    let args = ["sweep", &url, "--vary", "users=1,2,3", "--each", "1s", "--in-order", "-o", "out"];
    let mut running = folder.call(&args).start();
    running.wait_for_words("1 of 3: ");
    running.signal("INT");
    let ended = running.wait();
    assert!(ended.code == Some(105) && ended.err.contains("interrupted; "), "{ended}");
    let kept: serde_json::Value = serde_json::from_str(&folder.read("out/surface.json")).expect("JSON");
    assert!((1..3).contains(&kept["cells"].as_array().expect("cells").len()), "{kept}");
}

#[test]
fn each_setting_is_searched_for_how_much_it_bears() {
    let folder = Folder::new();
    let server = server("--workers {threads}");
    let args = [
        "sweep",
        "http://127.0.0.1:{port}/bytes/{size}",
        "--setting",
        "threads=1,2",
        "--setting",
        "size=10",
        "--search",
        "users=1..2",
        "--slo",
        "errors<50%",
        "--each",
        "1s",
        "--warm-up",
        "100ms",
        "--server",
        &server,
        "--ready",
        READY,
        "--server-warm-up",
        "0",
        "-o",
        "out",
    ];
    let ended = folder.swell(&args).exits(0);
    let ended = ended.says(&["Search 1 of 2: threads 1, size 10", "1. 1 user: pass", "Search 2 of 2"]);
    ended.prints(&["threads 2, size 10", "holds 2 users, and no higher load was too much"]);
    let kept: serde_json::Value = serde_json::from_str(&folder.read("out/capacity.json")).expect("JSON");
    let each = kept["each"].as_array().expect("settings");
    assert_eq!(each.len(), 2);
    assert!(each.iter().all(|one| one["found"]["answer"]["holds"] == 2.0), "{kept}");
    assert!(folder.read("out/capacity.csv").starts_with("threads,size,holds,fails,"));
    assert!(folder.report("out/index.html").contains("threads 2, size 10 holds 2 users"));
    folder.swell(&args).refused(&["`out` has a sweep already"]);
}

#[test]
fn a_setting_whose_server_does_not_start_costs_that_setting() {
    let folder = Folder::new();
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let args = [
        "sweep",
        &url,
        "--setting",
        "n=1,2",
        "--search",
        "rate=10..50",
        "--server",
        "echo no {n}; exit 3",
        "--ready",
        "line:ready",
    ];
    folder
        .swell(&args)
        .exits(98)
        .prints(&["n 1: before it was ready, the server exited with status 3", "| no 2"]);
}

#[test]
fn a_cell_in_which_most_samples_fail_ends_early() {
    let folder = Folder::new();
    let site = site();
    let url = format!("http://{}/overloaded", site.addr());
    let args = ["sweep", &url, "--vary", "users=2", "--each", "1h"];
    let ended = folder.swell(&args).exits(98);
    ended.prints(&[
        "not one sample succeeded",
        "users 2: ended early, 100 % of the samples failed, more than half",
    ]);
}
