//! `swell report`: pages of runs that are over.

use serde_json::Value;

use swell_plan::{Element, Node};

use crate::support::{Folder, plan};

const HEADER: &str = "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes\n";

/// A folder with the results of ten samples of two labels, two of them failed.
fn folder() -> Folder {
    let folder = Folder::new();
    let row = |number: u64| {
        let label = ["home", "<img src=x onerror=alert(1)>"][number as usize % 2];
        let success = !number.is_multiple_of(5);
        format!(
            "{},{},{label},{},x,{success},100\n",
            1_700_000_000_000 + number * 500,
            10 + number,
            if success { 200 } else { 500 }
        )
    };
    folder.write("r.jtl", HEADER.to_owned() + &(0..10).map(row).collect::<String>());
    folder
}

#[test]
fn a_report_is_made_of_a_results_file_and_an_old_one_kept() {
    let folder = folder();
    folder.swell(&["report", "r.jtl"]).exits(0).says(&["The report is report.html"]);
    assert!(folder.report("report.html").contains("home"));
    assert!(!folder.read("report.html").contains("<img src=x"), "labels are text");
    folder.swell(&["report", "r.jtl"]).refused(&["the report exists already: report.html", "hint: "]);
    folder.swell(&["report", "r.jtl", "-f", "--title", "Shop"]).exits(0);
    assert!(folder.report("report.html").contains("<title>Shop</title>"));
}

#[test]
fn jmeters_spelling_writes_statistics_with_jmeters_fields() {
    let folder = folder();
    folder.swell(&["-g", "r.jtl", "-o", "out"]).exits(0).says(&["The report is out/index.html"]);
    let all: Value = serde_json::from_str(&folder.read("out/statistics.json")).expect("JSON");
    let total = &all["Total"];
    assert_eq!(
        (&total["sampleCount"], &total["errorCount"], &total["errorPct"]),
        (&10.into(), &2.into(), &20.0.into())
    );
    assert_eq!(
        (&total["meanResTime"], &total["minResTime"], &total["maxResTime"]),
        (&14.5.into(), &10.0.into(), &19.0.into())
    );
    assert_eq!(all["home"]["sampleCount"], 5);
    folder.swell(&["report", "r.jtl", "-o", "windows", "--percentiles", "jmeter"]).exits(0);
    let all: Value = serde_json::from_str(&folder.read("windows/statistics.json")).expect("JSON");
    assert_eq!((&all["Total"]["medianResTime"], &all["Total"]["pct1ResTime"]), (&14.5.into(), &18.9.into()));
    folder.swell(&["-g", "r.jtl"]).refused(&["-o with its folder is missing", "hint: "]);
}

#[test]
fn rows_that_are_none_are_named_and_the_rest_is_shown() {
    let folder = folder();
    let text = folder.read("r.jtl") + "nonsense\n1700000000000,x,home,200,OK,true,1\n1700000000000,5,ho";
    folder.write("cut.jtl", text);
    let ended = folder.swell(&["report", "cut.jtl"]).exits(0);
    ended.says(&[
        "warning: 3 rows could not be read",
        "line 12: 1 field, and the header has 7",
        "line 13: invalid elapsed `x`: expected a number of milliseconds",
        "line 14: 3 fields",
    ]);
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = folder();
    folder.write("notes.txt", "hello\nworld\n");
    folder.swell(&["report", "notes.txt"]).refused(&[
        "`notes.txt`: this is no results file",
        "line 1",
        "hint: ",
    ]);
    folder.swell(&["report", "none.jtl"]).refused(&["cannot read `none.jtl`: No such file", "hint: "]);
    folder.swell(&["report", "."]).refused(&["`.` is a folder, and no run is in it", "hint: "]);
    assert!(!folder.has("report.html"));
    folder.write("empty.jtl", "");
    folder.swell(&["report", "empty.jtl"]).exits(0).says(&["warning: `empty.jtl` has no samples"]);
}

#[test]
fn the_statistics_of_a_run_are_those_of_its_results_file() {
    let folder = Folder::with_plan([plan::group(2, 5).with(plan::nap(3))]);
    folder.swell(&["run", "plan.jmx", "-l", "r.jtl", "-e", "-o", "live"]).exits(0);
    folder.swell(&["-g", "r.jtl", "-o", "after"]).exits(0);
    let read = |name: &str| -> Value { serde_json::from_str(&folder.read(name)).expect("JSON") };
    let live = read("live/statistics.json");
    let after = read("after/statistics.json");
    for field in ["sampleCount", "errorCount", "meanResTime", "minResTime", "maxResTime", "throughput"] {
        assert_eq!(live["nap"][field], after["nap"][field], "{field}");
    }
}

#[test]
fn a_kept_run_has_its_transactions_with_their_parts_and_a_log_of_histograms() {
    let buy = Node::new(Element::new("TransactionController", "TransactionControllerGui", "Buy"))
        .with(plan::nap(3));
    let folder = Folder::with_plan([plan::group(1, 4).with(buy)]);
    folder.swell(&["run", "plan.jmx", "--run-dir", "kept"]).exits(0);
    folder.swell(&["report", "kept", "--hlog", "times.hlog"]).exits(0);
    let log = folder.read("times.hlog");
    let tags = ["Tag=Buy,", "Tag=nap,"].map(|tag| log.lines().any(|line| line.starts_with(tag)));
    assert!(log.starts_with("#[Logged with Swell ") && tags == [true, true], "{log}");
    let report = folder.report("report.html");
    let parts = r#""transactions":[{"label":"Buy","parts":[{"label":"nap","transaction":false}]}]"#;
    assert!(report.contains(parts), "{report}");
    folder
        .swell(&["report", "kept", "-o", "other.html", "--hlog", "times.hlog"])
        .refused(&["`times.hlog` is there already", "hint: "]);
    folder
        .swell(&["report", "kept", "-o", "new.html", "--hlog", "./new.html"])
        .refused(&["`./new.html` cannot be the log of histograms: it is the report", "hint: "]);
    folder.write("r.jtl", HEADER);
    folder
        .swell(&["report", "r.jtl", "-o", "jtl.html", "--hlog", "more.hlog"])
        .refused(&["--hlog needs histograms", "hint: "]);
}

#[test]
fn a_run_without_samples_shows_no_machine_the_ends_of_javas_long() {
    let folder = Folder::with_plan([plan::group(1, 1)]);
    let line = ["run", "plan.jmx", "-l", "out.jtl", "-e", "-o", "out", "--run-dir", "kept", "--json"];
    let rules = ["--threshold", "p(95)<1s", "--junit", "out.xml", "--gitlab", "out.json"];
    let ended = folder.swell(&[&line[..], &rules].concat()).exits(113);
    // JMeter's lines for people have them.
    assert!(ended.err.contains("Min: 9223372036854775807"), "{ended}");
    folder.swell(&["report", "kept", "-o", "of-folder.html", "--hlog", "times.hlog"]).exits(0);
    let compared = folder.swell(&["compare", "kept", "kept", "--json"]);
    let mut texts = vec![ended.json().to_string(), compared.out];
    texts.extend(["out/index.html", "of-folder.html"].map(|page| folder.report(page)));
    let files = ["out.jtl", "out.summary.json", "out/statistics.json", "out.xml", "out.json", "times.hlog"];
    texts.extend(files.map(|file| folder.read(file)));
    for text in texts {
        assert!(!text.contains("92233720368547") && !text.contains("18446744073709"), "{text}");
    }
}
