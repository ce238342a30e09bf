//! Tests that are set to run for days: how long, and results files in pieces.

use crate::support::{Folder, plan, site};

fn samples(report: &Folder, page: &str) -> u64 {
    let statistics: serde_json::Value =
        serde_json::from_str(&report.read(&format!("{page}/statistics.json"))).expect("JSON");
    statistics["Total"]["sampleCount"].as_u64().expect("a number")
}

fn pieces(folder: &Folder) -> Vec<String> {
    let entries = folder.path().read_dir().expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.filter(|name| name.starts_with("out.0")).collect();
    names.sort();
    names
}

#[test]
fn results_in_pieces_are_read_as_one() {
    let site = site();
    let folder = Folder::with_plan([plan::group(2, 2000).with(plan::get(site.addr(), "/bytes/10"))]);
    let run = |more: &[&str]| {
        let all = [&["run", "plan.jmx", "-l", "out.jtl", "--jtl-rotate", "20kB,1h"], more].concat();
        folder.swell(&all).exits(0)
    };
    for (more, all) in [(&[][..], 4000), (&[][..], 8000), (&["-f"][..], 4000)] {
        run(more);
        let found = pieces(&folder);
        assert!(found.len() >= 3 && found.iter().all(|name| name.ends_with(".jtl.gz")), "{found:?}");
        folder.swell(&["report", "out.jtl", "-o", "page", "-f"]).exits(0);
        assert_eq!(samples(&folder, "page"), all);
    }
    // A piece is a results file by itself.
    folder.swell(&["report", "out.000001.jtl.gz", "-o", "piece"]).exits(0);
    assert!((100..4000).contains(&samples(&folder, "piece")));
    folder.swell(&["compare", "out.jtl", "out.jtl"]).exits(0);
    run(&["-f", "--jtl-keep", "1"]);
    assert_eq!(pieces(&folder).len(), 1);
    folder.swell(&["report", "out.jtl", "-o", "page", "-f"]).exits(0).says(&["pieces of `out.jtl` are gone"]);
    assert!(folder.report("page/index.html").contains("are gone"));
}

#[test]
fn xml_results_are_cut_into_whole_documents() {
    let site = site();
    let folder = Folder::with_plan([plan::group(2, 600).with(plan::get(site.addr(), "/bytes/10"))]);
    let xml = "-Jjmeter.save.saveservice.output_format=xml";
    folder.swell(&["run", "plan.jmx", xml, "-l", "out.jtl", "--jtl-rotate", "20kB"]).exits(0);
    assert!(!pieces(&folder).is_empty());
    folder.swell(&["report", "out.jtl", "-o", "page"]).exits(0);
    folder.swell(&["report", "out.000001.jtl.gz", "-o", "piece"]).exits(0);
    assert_eq!(samples(&folder, "page"), 1200);
    assert!((1..1200).contains(&samples(&folder, "piece")));
}

#[test]
fn a_test_takes_as_long_as_it_is_told() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(1))]);
    // Once by the plan, until then with the option.
    folder.swell(&["run", "plan.jmx", "-l", "out.jtl", "--for", "300ms"]).exits(0);
    let rows = folder.jtl("out.jtl");
    assert!(rows.len() > 1, "{}", rows.len());
    folder.swell(&["run", "plan.jmx", "--for", "0s"]).exits(104).says(&["8h or 7d"]);
    folder.swell(&["run", "plan.jmx", "--for", "soon"]).exits(104).says(&["invalid time `soon`"]);
    folder.swell(&["run", "plan.jmx", "--for", "1s", "--agents", "2"]).exits(104).says(&["--for", "agents"]);
}

#[test]
fn sizes_that_are_none_and_files_that_cannot_be_cut_are_told() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(0))]);
    let run = |more: &[&str]| folder.swell(&[&["run", "plan.jmx"], more].concat()).exits(104);
    run(&["-l", "a.jtl", "--jtl-rotate", "1G"]).says(&["invalid size or time `1G`", "1GB"]);
    run(&["-l", "a.jtl", "--jtl-keep", "3"]).says(&["--jtl-rotate"]);
    run(&["-l", "a.jtl", "--jtl-rotate", "1GB", "--jtl-keep", "some"]).says(&["`some`", "20GB"]);
    run(&["-l", "/dev/null", "--jtl-rotate", "1GB"]).says(&["no regular file"]);
    assert!(!folder.has("a.jtl"));
}

/// Two hours with a sample a second, whose times rise by that number of milliseconds an hour.
fn two_hours(rise_ms: u64) -> String {
    let row = |second: u64| {
        // Up to 20 ms that have no trend.
        let elapsed = 200 + second * 7_919 % 21 + rise_ms * second / 3600;
        format!("{},{elapsed},page,true\n", 1_700_000_000_000 + second * 1000)
    };
    format!("timeStamp,elapsed,label,success\n{}", (0..7200).map(row).collect::<String>())
}

#[test]
fn a_report_says_what_drifts_and_is_silent_where_nothing_does() {
    let folder = Folder::new();
    for (name, rise_ms) in [("steady", 0), ("leaking", 100)] {
        folder.write(&format!("{name}.jtl"), two_hours(rise_ms));
        folder.swell(&["report", &format!("{name}.jtl"), "-o", name]).exits(0);
    }
    let said = folder.report("leaking/index.html");
    assert!(said.contains("Over the run, p50 rises by "), "{said}");
    assert!(said.contains(" ms an hour over 2 h"), "{said}");
    assert!(!folder.report("steady/index.html").contains("an hour over"));
}

/// A run that is long enough to drift is too long for a test, and its folder is all that a report
/// has.
#[test]
fn the_report_of_a_kept_run_says_what_its_summary_says_of_the_tool() {
    let folder = Folder::with_plan([plan::group(1, 1).with(plan::nap(1))]);
    folder.swell(&["run", "plan.jmx", "--run-dir", "kept"]).exits(0);
    let summary = folder.read("kept/summary.json");
    assert!(summary.contains("\"drifts\": []"), "{summary}");
    let reason = "the tool's own memory rises by 14.1 MiB an hour over 168 h (14.0 to 14.1)";
    let drift = format!("\"drifts\": [{{ \"figure\": \"own_memory\", \"reason\": \"{reason}\" }}]");
    folder.write("kept/summary.json", summary.replace("\"drifts\": []", &drift));
    folder.swell(&["report", "kept", "-o", "page"]).exits(0);
    assert!(folder.report("page/index.html").contains(&format!("Over the run, {reason}.")));
}
