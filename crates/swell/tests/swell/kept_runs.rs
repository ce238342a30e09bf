//! Runs that are kept: their folders, their names, the history.

use std::time::Instant;

use swell_results::run_folder::{RecordEnd, RunFolder};

use crate::support::{Folder, LIMIT, plan, site};

fn folder() -> Folder {
    Folder::with_plan([plan::group(2, 5).with(plan::nap(0))])
}

fn samples(run: &RunFolder) -> (u64, RecordEnd) {
    let (run, end) = run.run().expect("the intervals are readable");
    (run.total().samples, end)
}

#[test]
fn a_run_leaves_a_folder_with_all_that_it_was() {
    let folder = folder();
    let ended =
        folder.swell(&["run", "plan.jmx", "--run-dir", "kept", "-Japi.token=geheim", "-Jusers=5"]).exits(0);
    ended.says(&["The run is kept as plan-", " in kept"]);
    let run = RunFolder::open(&folder.at("kept")).expect("a run");
    assert_eq!(samples(&run), (10, RecordEnd::Whole));
    let metadata = run.metadata();
    assert_eq!((metadata.plan.file.as_str(), metadata.plan.title.as_str()), ("plan.jmx", "Plan"));
    assert_eq!(metadata.properties.get("users").map(String::as_str), Some("5"));
    assert!(metadata.command.iter().any(|argument| argument == "-Japi.token=***"), "{:?}", metadata.command);
    assert_eq!(run.plan(), Some(folder.read("plan.jmx")));
    let outcome = run.outcome().expect("readable").expect("it has ended");
    assert_eq!((outcome.exit, outcome.interrupted, outcome.verdict().is_some()), (0, false, true));
    let summary: serde_json::Value =
        serde_json::from_str(&run.summary().expect("there is one")).expect("JSON");
    assert_eq!(summary["total"]["samples"], 10);
    let kinds: Vec<_> = run.events().expect("readable").into_iter().map(|event| event.kind).collect();
    assert_eq!(
        (kinds.first().map(String::as_str), kinds.last().map(String::as_str)),
        (Some("start"), Some("end"))
    );
    for file in ["run.json", "outcome.json", "events.ndjson", "summary.json"] {
        assert!(!folder.read(&format!("kept/{file}")).contains("geheim"), "{file}");
    }
}

#[test]
fn a_run_that_was_killed_leaves_everything_up_to_its_last_second() {
    let site = site();
    let folder =
        Folder::with_plan([plan::group(2, -1).with(plan::get(site.addr(), "/bytes/10")).with(plan::nap(1))]);
    let running = folder.call(&["run", "plan.jmx", "--run-dir", "kept", "-l", "out.jtl"]).start();
    let deadline = Instant::now() + LIMIT;
    let run = loop {
        assert!(Instant::now() < deadline, "no two seconds were kept");
        match RunFolder::open(&folder.at("kept")) {
            Ok(run)
                if run.intervals().is_ok_and(|intervals| {
                    intervals.filter(|one| !one.labels.rows.is_empty()).count() > 1
                }) =>
            {
                break run;
            }
            _ => std::thread::sleep(std::time::Duration::from_millis(5)),
        }
    };
    assert!(run.is_running());
    let before = samples(&run).0;
    running.signal("KILL");
    drop(running);
    let (after, end) = samples(&run);
    assert!(before > 0 && after >= before && end == RecordEnd::Whole, "{before} {after} {end:?}");
    assert!(!run.is_running() && run.outcome().expect("readable").is_none());
}

#[test]
fn a_folder_that_cannot_be_used_is_refused_before_the_first_user() {
    let folder = folder();
    let refused = |dir: &str, texts: &[&str]| {
        folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "--run-dir", dir]).refused(texts);
        assert!(!folder.has("out.jtl"), "nothing ran");
    };
    folder.write("file", "");
    refused("file/kept", &["cannot keep the run in `file/kept`", "hint: "]);
    std::fs::create_dir(folder.at("full")).expect("made");
    folder.write("full/mine", "");
    refused("full", &["`full` holds other files", "new or empty"]);
    folder.swell(&["run", "plan.jmx", "--run-dir", "kept"]).exits(0);
    refused("kept", &["there is a run already in `kept`", "-f"]);
    folder.swell(&["run", "plan.jmx", "-f", "--run-dir", "kept"]).exits(0);
}

#[test]
fn a_disk_that_is_full_in_the_middle_stops_no_load() {
    // The kernel lets this user's files grow to 8 blocks of 512 bytes, and says so where one more
    // is written.
    let site = site();
    let folder = Folder::with_plan([plan::group(3, 2000).with(plan::get(site.addr(), "/bytes/10"))]);
    let limited = "trap '' XFSZ; ulimit -f 4";
    let args =
        ["run", "plan.jmx", "--run-dir", "kept", "-Jsummariser.log=false", "-j", "/dev/null", "--json"];
    let call = crate::support::Call::in_shell(folder.path(), limited, &args, "");
    let ended = call.env("SWELL_RUNS", "off").run();
    assert_eq!(ended.json()["total"]["samples"], 6000, "{ended}");
    ended.exits(112).says(&["cannot write the folder of the run `kept`"]);
}

#[test]
fn runs_are_kept_by_default_and_listed() {
    let folder = folder();
    let swell = |args: &[&str]| folder.call(args).env("SWELL_RUNS", folder.at("runs")).run();
    swell(&["run", "plan.jmx", "--name", "nightly"]).exits(0).says(&["The run is kept as nightly in "]);
    swell(&["run", "plan.jmx", "--name", "nightly", "--threshold", "samples>99"])
        .exits(99)
        .says(&["kept as nightly-2 in "]);
    swell(&["run", "plan.jmx"]).exits(0).says(&["The run is kept as plan-2"]);
    swell(&["run", "plan.jmx", "--no-run-dir"]).exits(0);
    let listed = swell(&["history", "--json"]).exits(0).json();
    let runs = listed.as_array().expect("a list");
    assert_eq!(runs.len(), 3, "{listed}");
    assert_eq!(
        (&runs[1]["name"], &runs[1]["exit"], &runs[1]["samples"]),
        (&"nightly-2".into(), &99.into(), &10.into())
    );
    assert_eq!((&runs[1]["thresholds_broken"], &runs[2]["name"]), (&1.into(), &"nightly".into()));
    let table = swell(&["history", "--limit", "2"]).exits(0);
    table.prints(&["nightly-2", "1/1 failed", "plan-2"]);
    assert!(swell(&["history", "--limit", "1"]).out.lines().count() == 4, "a head and a run");
}

/// Waits until a run has kept a second with samples.
pub(crate) fn wait_for_samples(folder: &Folder, run: &str) {
    let deadline = Instant::now() + LIMIT;
    let has_samples = || {
        let run = RunFolder::open(&folder.at(run)).ok()?;
        run.intervals().ok()?.any(|one| !one.labels.rows.is_empty()).then_some(())
    };
    while has_samples().is_none() {
        assert!(Instant::now() < deadline, "no second of {run} was kept");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_run_names_the_one_before_it_with_the_command_that_compares_both() {
    let folder = folder();
    let swell = |args: &[&str]| folder.call(args).env("SWELL_RUNS", folder.at("runs")).run();
    let first = swell(&["run", "plan.jmx", "--name", "first"]).exits(0);
    assert!(!first.out.contains("since "), "{first}");
    let second = swell(&["run", "plan.jmx", "--name", "second", "-e", "-o", "report"]).exits(0);
    let change = "p95 unknown (too few samples), failed 0 % → 0 %";
    let lines = second.out.lines().skip_while(|line| !line.contains("; measurement "));
    let line = lines.skip(1).take(2).collect::<Vec<_>>().join("\n");
    assert!(line.starts_with(&format!("since first: {change}")), "{second}");
    assert!(line.ends_with("\n  swell compare first second"), "{second}");
    let data = "\"name\":\"first\",\"start_ms\":";
    assert!(folder.report("report/index.html").contains(data), "the report names it, too");
    swell(&["report", "second", "-o", "again.html"]).exits(0);
    assert!(folder.report("again.html").contains("\"command\":\"swell compare first second\""));
    swell(&["compare", "first", "second"]).exits(0);
    let alone = swell(&["run", "plan.jmx", "--no-run-dir"]).exits(0);
    assert!(!alone.out.contains("since "), "{alone}");
}

#[test]
fn two_runs_at_once_with_the_same_name_and_the_same_files_lose_nothing() {
    let folder = Folder::with_plan([plan::group(2, -1).with(plan::nap(5))]);
    let call = |args: &[&str]| folder.call(args).env("SWELL_RUNS", folder.at("runs"));
    let args = ["run", "plan.jmx", "--name", "x", "-l", "out.jtl", "-e", "-o", "report"];
    let runs = [("x", "report"), ("x-2", "report-2")].map(|(name, report)| {
        let running = call(&args).start();
        wait_for_samples(&folder, &format!("runs/{name}"));
        (name, report, running)
    });
    // What would take the rows of the others away is refused.
    let xml = "-Jjmeter.save.saveservice.output_format=xml";
    for more in [&["-f"][..], &[xml], &["--jtl-rotate", "1MB"]] {
        let ended = call(&[&["run", "plan.jmx", "-l", "out.jtl"], more].concat()).run();
        ended.refused(&["cannot write results to `out.jtl`: another run is writing to it", "hint: "]);
    }
    let ended = runs.map(|(name, report, running)| {
        running.signal("INT");
        let ended = running.wait().exits(105);
        let kept = format!("kept as {name} in ");
        (
            samples(&RunFolder::open(&folder.at(&format!("runs/{name}"))).expect("a run")).0,
            report,
            ended.says(&[&kept]),
        )
    });
    for (samples, report, ended) in &ended {
        let said = format!("The report is {report}/index.html");
        assert!(ended.err.contains(&said), "{ended}");
        assert!(folder.report(&format!("{report}/index.html")).contains("<html"));
        let statistics: serde_json::Value =
            serde_json::from_str(&folder.read(&format!("{report}/statistics.json"))).expect("JSON");
        assert_eq!(statistics["Total"]["sampleCount"], *samples);
    }
    assert!(
        ended[1].2.err.contains("report/index.html was created by another run in the meantime"),
        "{}",
        ended[1].2
    );
    assert_eq!(folder.jtl("out.jtl").len() as u64, ended[0].0 + ended[1].0);
    assert_eq!(call(&["history", "--json"]).run().exits(0).json().as_array().map(Vec::len), Some(2));
}

#[test]
fn without_a_place_for_runs_a_run_goes_on_and_a_name_is_refused() {
    let folder = folder();
    let swell = |args: &[&str], runs: &str| folder.call(args).env("SWELL_RUNS", runs).run();
    folder.write("file", "");
    let ended = swell(&["run", "plan.jmx"], "file/runs").exits(0);
    ended.says(&["cannot keep the run in `file/runs/plan-", "this run is not kept"]);
    swell(&["run", "plan.jmx", "--name", "x"], "off")
        .refused(&["no folder for kept runs is set", "SWELL_RUNS"]);
    let ended = swell(&["history"], "off").exits(0);
    ended.says(&["no runs are kept"]);
}

#[test]
fn a_name_that_is_none_is_refused() {
    let folder = folder();
    folder.swell(&["run", "plan.jmx", "--name", "../x"]).refused(&["a name has letters, digits"]);
}

#[test]
fn a_run_is_found_by_its_name() {
    let folder = folder();
    let swell = |args: &[&str]| folder.call(args).env("SWELL_RUNS", folder.at("runs")).run();
    swell(&["run", "plan.jmx", "--name", "first"]).exits(0);
    let path = swell(&["open", "first", "--print"]).exits(0).out;
    assert_eq!(path.trim(), folder.at("runs/first/report.html").display().to_string());
    assert!(std::fs::read_to_string(path.trim()).expect("the report is there").contains("<html"));
    assert_eq!(swell(&["open", "last", "--print"]).exits(0).out, path);
    swell(&["open", "fir", "--print"]).refused(&["there is no run `fir`", "did you mean first?"]);
}

#[test]
fn tags_notes_and_baselines_are_changed_by_commands() {
    let folder = folder();
    let swell = |args: &[&str]| folder.call(args).env("SWELL_RUNS", folder.at("runs")).run();
    swell(&["history", "tag", "a", "version=1"]).refused(&["no run is kept in", "hint: "]);
    swell(&["run", "plan.jmx", "--name", "a", "--tag", "version=1", "--note", "first"]).exits(0);
    swell(&["run", "plan.jmx", "--name", "b", "--tag", "novalue"]).refused(&["invalid tag `novalue`"]);
    swell(&["history", "tag", "last", "version=2", "branch=main"])
        .exits(0)
        .says(&["Tags of a: branch=main, version=2"]);
    swell(&["history", "tag", "a", "--remove", "branch"]).exits(0).says(&["Tags of a: version=2"]);
    swell(&["history", "tag", "a", "--remove", "branch"]).refused(&["the run `a` has no tag `branch`"]);
    swell(&["history", "note", "a", "new index"]).exits(0);
    swell(&["history", "baseline", "a"]).exits(0).says(&["a is the baseline of ", "plan.jmx"]);
    swell(&["history", "note", "nosuch", "x"]).refused(&["there is no run `nosuch`"]);
    let listed = swell(&["history", "--json"]).exits(0).json();
    assert_eq!(
        (&listed[0]["tags"], &listed[0]["note"]),
        (&serde_json::json!({"version": "2"}), &"new index".into())
    );
    assert_eq!(listed[0]["is_baseline"], true);
    swell(&["history"]).exits(0).prints(&["a  (baseline)  version=2"]);
    let report = swell(&["open", "a", "--print"]).exits(0).out;
    assert!(report.contains("report.html"), "{report}");
    let run: serde_json::Value = serde_json::from_str(&folder.read("runs/a/run.json")).expect("JSON");
    assert_eq!((&run["tags"]["version"], &run["note"]), (&"2".into(), &"new index".into()));
}

#[test]
fn a_rule_without_a_named_baseline_compares_to_that_of_the_plan() {
    let folder = folder();
    let swell = |args: &[&str]| folder.call(args).env("SWELL_RUNS", folder.at("runs")).run();
    let rule = ["run", "plan.jmx", "--threshold", "samples>=baseline"];
    swell(&rule).refused(&["compares to a baseline, and none is named", "`swell history baseline`"]);
    swell(&["run", "plan.jmx", "--name", "good"]).exits(0);
    swell(&["history", "baseline", "good"]).exits(0);
    swell(&rule).exits(0);
    swell(&["run", "plan.jmx", "--threshold", "samples>baseline"]).exits(99);
    swell(&["history", "baseline", "good", "--remove"]).exits(0).says(&["has no baseline any more"]);
    swell(&rule).refused(&["none is named"]);
}

#[test]
fn results_files_are_imported_as_runs_of_a_plan() {
    let folder = folder();
    let swell = |args: &[&str]| folder.call(args).env("SWELL_RUNS", folder.at("runs")).run();
    swell(&["run", "plan.jmx", "-l", "out.jtl", "--no-run-dir"]).exits(0);
    let import =
        ["history", "import", "out.jtl", "--plan", "plan.jmx", "--name", "old", "--tag", "version=0.9"];
    swell(&import).exits(0).says(&["out.jtl is kept as old: 10 samples"]);
    swell(&import).exits(0).says(&["kept as old-2"]);
    swell(&["run", "plan.jmx", "--name", "new"]).exits(0);
    let listed = swell(&["history", "--json"]).exits(0).json();
    let subjects: Vec<_> = listed.as_array().expect("a list").iter().map(|run| &run["subject"]).collect();
    assert_eq!(subjects.len(), 3);
    assert!(
        subjects.iter().all(|subject| **subject == folder.at("plan.jmx").display().to_string()),
        "{listed}"
    );
    assert_eq!((&listed[1]["kind"], &listed[1]["tags"]["version"]), (&"import".into(), &"0.9".into()));
    swell(&["compare", "old", "new"]).exits(0);
    folder.write("text", "no results");
    swell(&["history", "import", "text"]).refused(&["cannot import `text`", "a results file is CSV"]);
    swell(&["history", "import", "missing.jtl"]).refused(&["cannot import `missing.jtl`"]);
}
