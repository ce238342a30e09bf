//! Thresholds: rules that decide the exit status, and what pipelines read of them.

use crate::support::{Folder, LIMIT, plan, site};

/// Users that take naps of that length.
fn napping(users: u32, loops: i32, ms: u32) -> Folder {
    Folder::with_plan([plan::group(users, loops).with(plan::nap(ms))])
}

#[test]
fn a_broken_threshold_is_the_status_and_a_kept_one_is_not() {
    let folder = napping(2, 5, 20);
    let kept = ["run", "plan.jmx", "--threshold", "max<60s", "--threshold", "errors<1%"];
    folder.swell(&kept).exits(0).prints(&[
        "thresholds PASSED: 2 of 2",
        "passed",
        "max<60s: max 2",
        "limit 60000 ms",
    ]);
    let broken =
        ["run", "plan.jmx", "--threshold", "samples>1000", "--threshold", r#"label("nap"): min>=20ms"#];
    folder.swell(&broken).exits(99).prints(&[
        "thresholds FAILED: 1 of 2\n",
        "  FAILED    samples>1000: samples 10 (limit 1000)\n",
        "  passed    label(\"nap\"): min>=20ms: min 2",
    ]);
    let strict = [&broken[..], &["--json"]].concat();
    let json = folder.swell(&strict).exits(99).json();
    let rules = json["thresholds"].as_array().expect("a list");
    assert_eq!((rules.len(), &rules[0]["passed"], &rules[0]["value"]), (2, &false.into(), &10.0.into()));
}

#[test]
fn reports_show_what_became_of_thresholds_and_what_was_tested() {
    let site = site();
    let folder = Folder::with_plan([plan::group(1, 3).with(plan::get(site.addr(), "/"))]);
    let args = ["run", "plan.jmx", "-e", "-o", "made", "--run-dir", "kept"];
    let rules = ["--threshold", "samples>1000", "--threshold", "errors<1%"];
    folder.swell(&[&args[..], &rules].concat()).exits(99);
    folder.swell(&["report", "kept", "-o", "later.html"]).exits(0);
    for name in ["made/index.html", "later.html"] {
        let report = folder.report(name);
        let target = format!(r#"["Target","{}"]"#, site.addr());
        let told = r#""thresholds":{"kept":1,"broken":1,"open":0,"result":"1 of 2 failed","rules":[{"rule":"samples>1000","passed":false,"text":"samples 3 (limit 1000)""#;
        assert!(report.contains(told) && report.contains(&target), "{name}: {report}");
        assert!(report.contains(r#""what":"the run begins""#), "{name} has the journal: {report}");
    }
}

#[test]
fn rules_come_from_a_file_and_from_properties_as_well() {
    let folder = napping(1, 3, 0);
    folder.write("rules.txt", "# of the shop\nsamples>=3\n\nlabel(\"nap\"): errors<1%\n");
    let ended =
        folder.swell(&["run", "plan.jmx", "--thresholds", "rules.txt", "-Jswell.threshold.1=samples>3"]);
    ended.exits(99).prints(&["thresholds FAILED: 1 of 3", "FAILED    samples>3: samples 3 (limit 3)"]);
}

#[test]
fn a_rule_that_matches_nothing_fails() {
    let folder = napping(1, 3, 0);
    let ended = folder.swell(&["run", "plan.jmx", "--threshold", r#"label("naps"): p(99)<1s"#]);
    ended.exits(99).prints(&["no match", "the label `naps`; did you mean `nap`?"]);
}

#[test]
fn a_rule_with_a_typo_is_refused_before_the_run_with_the_right_words() {
    let folder = napping(1, 3, 0);
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "--threshold", "p(99)<800mss"]).refused(&[
        "--threshold: `mss` is an invalid unit of time",
        "  p(99)<800mss\n        ^^^^^^",
        "hint: use us, ms, s, m or h",
    ]);
    folder.write("rules.txt", "errors<1%\n\nerrrs<1%");
    folder
        .swell(&["run", "plan.jmx", "--thresholds", "rules.txt"])
        .refused(&["rules.txt, line 3: unknown figure `errrs`", "did you mean `errors`?"]);
    folder
        .swell(&["run", "plan.jmx", "--thresholds", "none.txt"])
        .refused(&["cannot read the thresholds `none.txt`"]);
    folder.swell(&["run", "plan.jmx", "-Jswell.threshold.a=rps=5"]).refused(&[
        "the property swell.threshold.a: missing a comparison before `=`",
        "invalid comparison: use <, <=, > or >=",
    ]);
    assert!(!folder.has("out.jtl"), "nothing ran");
}

#[test]
fn a_rule_ends_a_run_that_would_go_on() {
    let site = site();
    let folder = Folder::with_plan([plan::group(2, -1)
        .with(plan::get(site.addr(), "/status/500"))
        .with(plan::nap(5))]);
    let rules = ["--threshold", "errors<10% for 2s abort", "--run-dir", "kept"];
    let ended = folder.swell(&[&["run", "plan.jmx"][..], &rules].concat()).exits(99);
    ended.says(&["Threshold failed: errors<10% for 2s abort. No new samples are started"]);
    let events = folder.read("kept/events.ndjson");
    assert!(
        events.contains(r#""kind":"threshold""#) && events.contains(r#""source":"threshold""#),
        "{events}"
    );
    assert!(LIMIT.as_secs() > 30, "the plan does not end by itself");
}

#[test]
fn build_servers_get_their_files() {
    let folder = napping(2, 5, 0);
    let args =
        ["run", "plan.jmx", "--threshold", "samples>1000", "--junit", "junit.xml", "--gitlab", "load.json"];
    let call =
        folder.call(&args).env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", folder.at("step.md"));
    folder.write("step.md", "before\n");
    call.run().exits(99).prints(&["::error title=Threshold failed::samples>1000: samples 10 (limit 1000)"]);
    let junit = folder.read("junit.xml");
    assert!(junit.contains("name=\"samples&gt;1000\"") && junit.contains("failures=\"1\""), "{junit}");
    let gitlab: serde_json::Value = serde_json::from_str(&folder.read("load.json")).expect("JSON");
    assert_eq!(gitlab["metrics"]["http_reqs"]["count"], 10);
    let step = folder.read("step.md");
    assert!(step.starts_with("before\n## ") && step.contains("| `samples>1000` | ❌ |"), "{step}");
    let parts = ["none failed", "; the threshold failed**", "| TOTAL | 10 |", "\nMeasurement: **"];
    let places: Vec<_> = parts.iter().map(|part| step.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{step}");
}

#[test]
fn the_junit_case_of_a_label_fails_with_its_first_error_unless_some_are_allowed() {
    let site = site();
    let folder = Folder::with_plan([plan::group(1, 2)
        .with(plan::get(site.addr(), "/status/503"))
        .with(plan::get(site.addr(), "/hello"))]);
    let junit = |more: &[&str]| {
        folder.swell(&[&["run", "plan.jmx", "--junit", "junit.xml"], more].concat()).exits(0);
        folder.read("junit.xml")
    };
    let text = junit(&[]);
    let failed = "<failure message=\"2 of 2 samples failed (100 %, at most 0 %): status 503 ";
    assert!(text.contains("failures=\"1\"") && text.matches(failed).count() == 1, "{text}");
    assert!(junit(&["--junit-max-errors", "100%"]).contains("failures=\"0\""));
    folder.swell(&["run", "plan.jmx", "--junit-max-errors", "2"]).exits(104);
    let wrong = ["run", "plan.jmx", "--junit", "junit.xml", "--junit-max-errors", "101%"];
    folder.swell(&wrong).refused(&["invalid percentage `101%`: use 0% to 100%"]);
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_run() {
    let folder = napping(1, 1, 0);
    for option in ["--junit", "--gitlab"] {
        let ended = folder.swell(&["run", "plan.jmx", "-l", "out.jtl", option, "none/x"]);
        ended.refused(&["cannot write the ", "`none/x`"]);
    }
    assert!(!folder.has("out.jtl"));
}

#[test]
fn a_run_is_compared_to_a_baseline() {
    let folder = napping(1, 40, 5);
    let rule = ["--threshold", "median<baseline*1.5", "--no-run-dir"];
    folder.swell(&["run", "plan.jmx", "--run-dir", "base"]).exits(0);
    let with = |baseline: &[&str]| folder.swell(&[&["run", "plan.jmx"], &rule[..], baseline].concat());
    with(&["--baseline", "base"]).exits(0).prints(&["median<baseline*1.5", "the baseline has "]);
    with(&[]).refused(&["compares to a baseline, and none is named", "hint: name the run with --baseline"]);
    with(&["--baseline", "nothing"]).refused(&["there is no run `nothing`"]);
    folder.write("plan.jmx", plan::jmx([plan::group(1, 40).with(plan::nap(60))]));
    with(&["--baseline", "base"]).exits(99).prints(&["FAILED    median<baseline*1.5"]);
}

#[test]
fn a_quick_test_has_thresholds_as_well() {
    let site = site();
    let folder = Folder::new();
    let url = format!("http://{}/", site.addr());
    let hit = |rule: &str| folder.swell(&["hit", &url, "-n", "20", "-c", "2", "--threshold", rule]);
    hit("errors<1%").exits(0).prints(&["thresholds PASSED: 1 of 1"]);
    hit("samples>20").exits(99).prints(&["FAILED    samples>20: samples 20 (limit 20)"]);
}
