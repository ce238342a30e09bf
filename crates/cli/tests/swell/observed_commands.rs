//! Every command that makes load has the same options on who watches its runs and what they leave.

use std::path::Path;

use crate::support::{Folder, plan, site};

/// Whether each run is one of many, with a folder for each.
type IsStudy = bool;

/// Each command with the shortest load that it can make.
fn commands(url: &str) -> [(Vec<&str>, IsStudy); 5] {
    [
        (vec!["run", "plan.jmx"], false),
        (vec!["hit", url, "-n", "20"], false),
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
            true,
        ),
        (vec!["sweep", url, "--vary", "users=1,2", "--each", "1s"], true),
        (vec!["calibrate", "-d", "500ms", "-c", "10"], true),
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
    for (command, is_study) in commands(&url) {
        let folder = folder(&url);
        let observe = [
            &RULES[..],
            &["--junit", "junit.xml", "--run-dir", "kept", "--live", "--export", "prometheus=127.0.0.1:0"],
            &["--monitor", &port, "--gitlab", "gitlab.json"],
        ];
        let call = folder.call(&[&command[..], &observe.concat()].concat());
        let ended = call.env("XDG_RUNTIME_DIR", folder.path()).run().exits(0);
        let name = command[0];
        assert!(ended.err.contains("metrics of the run are at http://127.0.0.1:"), "{name}: {ended}");
        assert!(ended.err.contains("Live page: http://127.0.0.1:"), "{name}: {ended}");
        assert!(
            ended.out.contains("samples>0") || ended.out.contains("thresholds PASSED"),
            "{name}: {ended}"
        );
        let junit = folder.read("junit.xml");
        assert!(junit.contains("samples&gt;0") && junit.contains("failures=\"0\""), "{name}: {junit}");
        let gitlab: serde_json::Value =
            serde_json::from_str(&folder.read("gitlab.json")).expect("valid JSON");
        assert!(gitlab["metrics"]["http_reqs"]["count"].as_u64() > Some(0), "{name}: {gitlab}");
        let kept = if is_study { "kept/trial-1" } else { "kept" };
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
