//! Every command that makes load has the same options on who watches its runs and what they leave.

use std::path::Path;

use crate::support::{Folder, plan, site};

/// How many runs a command makes.
#[derive(Clone, Copy, PartialEq)]
enum Runs {
    One,
    /// Each has its own folder, and all have one live page.
    Many,
    /// As `Many`, each in another process.
    OfOtherProcesses,
}

/// Each command with the shortest load that it can make.
fn commands(url: &str) -> [(Vec<&str>, Runs); 6] {
    [
        (vec!["run", "plan.jmx"], Runs::One),
        (vec!["hit", url, "-n", "20"], Runs::One),
        (
            vec![
                "search",
                url,
                "--users",
                "1..2",
                "--slo",
                "errors<50%",
                "--trial",
                "1s",
                "--warm-up",
                "100ms",
            ],
            Runs::Many,
        ),
        (vec!["sweep", url, "--vary", "users=1,2", "--each", "1s"], Runs::Many),
        (vec!["calibrate", "-d", "500ms", "-c", "10"], Runs::Many),
        (
            vec!["matrix", "--tools", "swell", "--rtt", "1ms", "--users", "1,2", "-d", "1s", "--rounds", "1"],
            Runs::OfOtherProcesses,
        ),
    ]
}

const RULES: [&str; 2] = ["--threshold", "samples>0"];

fn folder(url: &str) -> Folder {
    let address = url.trim_start_matches("http://").split('/').next().expect("an address");
    Folder::with_plan([plan::group(1, 20).with(plan::get(address.parse().expect("an address"), "/bytes/10"))])
}

#[test]
fn every_command_that_makes_load_has_every_option_on_who_watches() {
    let site = site();
    let url = format!("http://{}/bytes/10", site.addr());
    let port = format!("port:{}", site.addr().port());
    let receiver = format!("otlp={url}");
    for (command, runs) in commands(&url) {
        let folder = folder(&url);
        // Another process cannot report the port that it chose.
        let export = if runs == Runs::OfOtherProcesses { &receiver } else { "prometheus=127.0.0.1:0" };
        let observe = [
            &RULES[..],
            &["--junit", "junit.xml", "--run-dir", "kept", "--live", "--export", export],
            &["--monitor", &port, "--gitlab", "gitlab.json"],
        ];
        let call = folder.call(&[&command[..], &observe.concat()].concat());
        let call =
            call.env("XDG_RUNTIME_DIR", folder.path()).env("GITHUB_STEP_SUMMARY", folder.at("step.md"));
        let ended = call.run().exits(0);
        let name = command[0];
        if runs != Runs::OfOtherProcesses {
            assert!(ended.err.contains("metrics of the run are at http://127.0.0.1:"), "{name}: {ended}");
        }
        assert_eq!(ended.err.matches("Live page: http://127.0.0.1:").count(), 1, "{name}: {ended}");
        let step = folder.read("step.md");
        assert!(step.starts_with("## ") && step.contains("samples>0` | ✅ |"), "{name}: {step}");
        assert_eq!(step.matches("\n## ").count(), 0, "{name}: one summary, {step}");
        assert!(
            ended.out.contains("samples>0") || ended.out.contains("thresholds PASSED"),
            "{name}: {ended}"
        );
        let junit = folder.read("junit.xml");
        assert!(junit.contains("samples&gt;0") && junit.contains("failures=\"0\""), "{name}: {junit}");
        let gitlab: serde_json::Value =
            serde_json::from_str(&folder.read("gitlab.json")).expect("valid JSON");
        assert!(gitlab["metrics"]["http_reqs"]["count"].as_u64() > Some(0), "{name}: {gitlab}");
        let kept = if runs == Runs::One { "kept" } else { "kept/trial-1" };
        for file in ["run.json", "intervals", "outcome.json", "summary.json"] {
            assert!(Path::new(&folder.at(&format!("{kept}/{file}"))).exists(), "{name}: no {kept}/{file}");
        }
    }
}

#[test]
fn a_broken_threshold_is_the_status_of_every_command_that_makes_load() {
    let site = site();
    let url = format!("http://{}/bytes/10", site.addr());
    for (command, _) in commands(&url) {
        let folder = folder(&url);
        let rules =
            ["--threshold", "samples>100000000", "--threshold", "errors>50% abort", "--junit", "j.xml"];
        let ended = folder.swell(&[&command[..], &rules].concat()).exits(99);
        assert!(folder.read("j.xml").contains("<failure"), "{}: {ended}", command[0]);
    }
}

#[test]
fn a_file_for_two_purposes_is_refused_before_the_first_trial() {
    let site = site();
    let url = format!("http://{}/bytes/10", site.addr());
    for (command, _) in commands(&url) {
        let folder = folder(&url);
        folder.write("rules", "errors<1%\n");
        let files = ["--thresholds", "rules", "--junit", "rules"];
        let ended = folder.swell(&[&command[..], &files].concat());
        ended.refused(&["`rules` cannot be the JUnit file: it is the file of rules"]);
        assert_eq!(folder.read("rules"), "errors<1%\n");
    }
}

#[test]
fn a_matrix_refuses_what_its_runs_cannot_have() {
    let folder = Folder::new();
    for (options, why) in [
        (["--name", "nightly"], "--name: the runs of a matrix have no names"),
        (["--export", "prometheus=0"], "would serve its metrics on another port"),
        (["--export", "csv=s.csv"], "would overwrite the CSV file"),
        (["--threshold", "erors<1%"], "unknown figure `erors`"),
    ] {
        let line = [&["matrix", "--tools", "swell", "-d", "1s"][..], &options].concat();
        folder.swell(&line).refused(&[why]);
    }
}
