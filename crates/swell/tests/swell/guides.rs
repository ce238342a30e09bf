//! The guides in `docs/guide` and the answers in `docs/questions`: runs every command that they
//! show, in order, in a new folder.
//!
//! A block that starts with three backticks and `sh` is run by bash and must succeed. A block
//! marked `sh elsewhere` needs something that a test may not use (root, Docker, JMeter); its syntax
//! is checked. Blocks of other languages are not looked at, but for lines in pipelines (`yaml`,
//! `groovy`) that call `swell`.
//!
//! What differs from what a reader types: `localhost:8080` is a target that this test starts, and
//! tests take moments: times are [`shortened`], and the times that the example plans have by
//! default are properties of a JMeter home.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Call, Folder, site};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// A fenced block: the words behind its backticks, and its lines.
struct Block {
    info: String,
    text: String,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut all = Vec::new();
    let mut open: Option<Block> = None;
    for line in markdown.lines() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(info)) => open = Some(Block { info: info.trim().to_owned(), text: String::new() }),
            (Some(_), Some(_)) => all.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block does not end");
    all
}

/// What of a block is run.
fn script(block: &Block) -> Option<String> {
    let call = |line: &str| {
        let line = line.trim().trim_start_matches("- ").trim_start_matches("run: ");
        let line = line.strip_prefix("sh '").map_or(line, |rest| rest.trim_end_matches('\''));
        line.starts_with("swell ").then(|| format!("{line}\n"))
    };
    match block.info.as_str() {
        "sh" => Some(block.text.clone()),
        "yaml" | "groovy" => Some(block.text.lines().filter_map(call).collect()),
        _ => None,
    }
}

/// The times of the example plans, for those that a command does not set.
const DEFAULTS: &str = "seconds=1\nduration=1\nrampup=1\npause=1\n";

/// The same with tests that take moments: the word behind `-d`, `--for`, `--each` and `--trial`,
/// the properties of the examples that are times, and the default time of `swell hit`.
fn shortened(script: &str, address: std::net::SocketAddr) -> String {
    let script = script.replace("localhost:8080", &address.to_string());
    let script = script.replace("-Jport=8080", &format!("-Jport={}", address.port()));
    script.lines().map(|line| shortened_line(line) + "\n").collect()
}

fn shortened_line(line: &str) -> String {
    let mut out = String::new();
    let mut is_time = false;
    let mut is_trial = false;
    for word in line.split_inclusive(' ') {
        let (text, end) = word.split_at(word.trim_end().len());
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        match name {
            _ if is_time => out.push_str("400ms"),
            _ if is_trial => out.push_str("1s"),
            "-Jseconds" | "-Jduration" | "-Jrampup" => {
                out.push_str(name);
                out.push_str("=1");
            }
            "-Jpause" => out.push_str("-Jpause=1"),
            _ => out.push_str(text),
        }
        is_trial = text == "--trial" || text == "--each" && line.contains(" --search ");
        is_time = !is_trial && matches!(text, "-d" | "--for" | "--each");
        out.push_str(end);
    }
    let has_length = [" -d ", " --for ", " -n "].iter().any(|option| line.contains(option));
    if line.starts_with("swell hit ") && !has_length {
        out.push_str(" -n 50");
    }
    out
}

/// Runs all commands of a page.
fn follow(name: &str) {
    let broker = crate::support::nats_server();
    if name == "guide/many-machines.md" && broker.is_none() {
        return;
    }
    let markdown = fs::read_to_string(docs().join(name)).expect("the page is there");
    let folder = Folder::new();
    let site = site();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::create_dir(folder.at("examples")).expect("a new folder");
    let plans = fs::read_dir(root.join("examples")).expect("the examples are there").flatten();
    for plan in plans.filter(|entry| entry.path().is_file()) {
        fs::copy(plan.path(), folder.at("examples").join(plan.file_name())).expect("it can be copied");
    }
    fs::create_dir(folder.at("examples/proto")).expect("a new folder");
    fs::copy(root.join("examples/proto/echo.proto"), folder.at("examples/proto/echo.proto"))
        .expect("it can be copied");
    fs::create_dir(folder.at("bin")).expect("a new folder");
    folder.write("bin/user.properties", DEFAULTS);
    let binary = Path::new(env!("CARGO_BIN_EXE_swell")).parent().expect("a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").expect("there is one"));
    let mut run = 0;
    for block in blocks(&markdown) {
        if block.info == "sh elsewhere" {
            Call::shell(folder.path(), "bash", &["-n", "-c", &block.text]).run().exits(0);
        }
        let Some(script) = script(&block).filter(|script| !script.is_empty()) else { continue };
        let script = shortened(&script, site.addr());
        Call::shell(folder.path(), "bash", &["-euo", "pipefail", "-c", &script])
            .env("PATH", &path)
            .env("HOME", folder.path())
            .env("SWELL_RUNS", folder.at("runs"))
            .env("JMETER_HOME", folder.path())
            .env("SWELL_NATS_SERVER", broker.clone().unwrap_or_default())
            .run()
            .exits(0);
        run += 1;
    }
    assert!(run > 0, "{name} shows no command");
}

/// Every page of a folder is one of these, and in its list.
fn listed(folder: &str, followed: &[&str]) {
    let folder = docs().join(folder);
    let list = fs::read_to_string(folder.join("README.md")).expect("there is a list");
    let mut found: Vec<String> = fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .filter(|name| name != "README.md")
        .collect();
    found.sort();
    assert_eq!(found, followed);
    for name in found {
        assert!(list.contains(&format!("]({name})")), "{name} is not in README.md");
    }
}

macro_rules! pages {
    ($list:ident, $folder:literal: $($test:ident $file:literal)*) => {
        $(#[test]
        fn $test() {
            follow(concat!($folder, "/", $file));
        })*

        #[test]
        fn $list() {
            listed($folder, &[$($file),*]);
        }
    };
}

pages! { every_guide_is_followed_by_a_test_and_listed, "guide":
    debugging_a_plan "debug-a-plan.md"
    custom_figures_and_groups "figures.md"
    a_first_test "first-test.md"
    from_jmeter "from-jmeter.md"
    from_postman "from-postman.md"
    from_wrk_hey_and_k6 "from-wrk-hey-k6.md"
    grpc_methods "grpc.md"
    http_2 "http2.md"
    hurl_files_as_load_tests "hurl.md"
    importing_recordings_and_curl_commands "import.md"
    in_a_pipeline "in-a-pipeline.md"
    install "install.md"
    kubernetes "kubernetes.md"
    the_live_page "live.md"
    load_shapes "load-shapes.md"
    tests_that_run_for_days "long-tests.md"
    many_machines "many-machines.md"
    many_runs_in_one_place "many-runs.md"
    many_users "many-users.md"
    load_generators_side_by_side "matrix.md"
    plans_as_text "plans-as-text.md"
    reading_the_report "reading-the-report.md"
    recording_a_plan "record-a-plan.md"
    runs_that_are_kept "runs.md"
    the_breaking_point "search.md"
    streams_of_events "streaming.md"
    sweeps "sweep.md"
    the_test_server "test-server.md"
    tests_as_code "tests-as-code.md"
    thresholds "thresholds.md"
    the_verdict "verdict.md"
    websockets "websocket.md"
}

pages! { every_question_is_followed_by_a_test_and_listed, "questions":
    comparing_two_versions "compare-two-versions.md"
    times_that_differ_from_jmeter "different-from-jmeter.md"
    how_many_users_a_machine_makes "how-many-users.md"
    other_systems "mac-and-windows.md"
    a_plan_that_needs_a_plug_in "plan-needs-a-plug-in.md"
    a_rate_that_is_too_low "rate-too-low.md"
    a_verdict_that_is_degraded "why-degraded.md"
    a_plan_that_fails "why-does-my-plan-fail.md"
}

#[test]
fn commands_are_shortened_and_pointed_at_a_target_of_the_test() {
    let address = ([127, 0, 0, 1], 4711).into();
    for (shown, run) in [
        (
            "swell hit http://localhost:8080/ -d 30s -c 5\n",
            "swell hit http://127.0.0.1:4711/ -d 400ms -c 5\n",
        ),
        ("swell run a.jmx -Jseconds=60 -Jport=8080\n", "swell run a.jmx -Jseconds=1 -Jport=4711\n"),
    ] {
        assert_eq!(shortened(shown, address), run);
    }
    let pipeline =
        Block { info: "yaml".into(), text: "      - run: swell run a.jmx\n      - run: make\n".into() };
    assert_eq!(script(&pipeline).as_deref(), Some("swell run a.jmx\n"));
}
