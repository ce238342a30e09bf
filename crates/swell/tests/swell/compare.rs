//! `swell compare`: compares two runs and reports significant changes.

use std::fmt::Write as _;

use crate::support::Folder;

/// A results file of 60 s with two labels, of which `login` takes that long; the times of a run
/// wander by `seed`.
fn results(folder: &Folder, name: &str, login_ms: u64, seed: u64) {
    let mut text = String::from(
        "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,grpThreads,allThreads,Latency,Connect\n",
    );
    let mut random = seed;
    for second in 0..60 {
        for number in 0..20_u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let noise = (random >> 33) % 20;
            let at = 1_700_000_000_000_u64 + second * 1000 + number * 50;
            // A quarter, so that the median of all is not between the times of the two labels.
            let (label, ms) =
                if number % 4 == 0 { ("login", login_ms + noise) } else { ("search", 40 + noise) };
            writeln!(text, "{at},{ms},{label},200,OK,t 1-1,true,10,1,1,{ms},0")
                .expect("writing to a String cannot fail");
        }
    }
    folder.write(name, text);
}

#[test]
fn a_label_that_is_slower_is_told_and_the_other_is_not() {
    let folder = Folder::new();
    results(&folder, "before.jtl", 100, 1);
    results(&folder, "after.jtl", 120, 2);
    results(&folder, "again.jtl", 100, 3);
    let ended = folder.swell(&["compare", "before.jtl", "after.jtl", "--fail-on-worse", "--json"]).exits(99);
    let json = ended.json();
    let of = |label: usize| &json["labels"][label];
    assert_eq!((&of(0)["label"], &of(0)["worse"]), (&"login".into(), &true.into()), "{ended}");
    assert_eq!((&of(1)["label"], &of(1)["worse"]), (&"search".into(), &false.into()), "{ended}");
    let compared = folder.swell(&["compare", "before.jtl", "after.jtl"]).exits(0);
    let wide: Vec<_> = compared.out.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    compared.prints(&["FAILED: 1 of 2 labels is worse", "\nexit status 0; with --fail-on-worse it is 99\n"]);
    folder
        .swell(&["compare", "after.jtl", "before.jtl", "--fail-on-worse"])
        .exits(0)
        .prints(&["PASSED: 1 of 2 labels is better, none is worse", "\nexit status 0\n"]);
    folder
        .swell(&["compare", "before.jtl", "again.jtl", "--fail-on-worse"])
        .exits(0)
        .prints(&["PASSED: the total is within ±10 %"]);
    let markdown =
        folder.swell(&["compare", "before.jtl", "after.jtl", "--markdown", "--html", "page.html"]).exits(0);
    folder
        .swell(&["compare", "before.jtl", "after.jtl", "--html", "./after.jtl"])
        .refused(&["`./after.jtl` cannot be the page: it is compared", "hint: "]);
    markdown.prints(&["### FAILED", "| login |", "❌"]);
    assert!(folder.report("page.html").contains("\"kind\":\"compare\",\"made_by\":\"Swell "));
}

#[test]
fn what_cannot_be_compared_is_told() {
    let folder = Folder::new();
    results(&folder, "a.jtl", 100, 1);
    folder.write("none.jtl", "timeStamp,elapsed,label,responseCode,success\n");
    folder
        .swell(&["compare", "a.jtl", "none.jtl"])
        .refused(&["cannot compare `none.jtl`: it has no samples"]);
    folder.swell(&["compare", "a.jtl", "missing"]).refused(&["there is no run `missing`", "hint: "]);
    folder.write("text.jtl", "nothing of the kind\nat all\n");
    folder.swell(&["compare", "text.jtl", "a.jtl"]).exits(104);
}

#[test]
fn another_load_is_told_after_the_result() {
    let folder = Folder::with_plan([crate::support::plan::group(2, 20).with(crate::support::plan::nap(1))]);
    folder.swell(&["run", "plan.jmx", "--run-dir", "two"]).exits(0);
    folder.write(
        "plan.jmx",
        crate::support::plan::jmx([crate::support::plan::group(4, 20).with(crate::support::plan::nap(60))]),
    );
    folder.swell(&["run", "plan.jmx", "--run-dir", "four"]).exits(0);
    let ended = folder.swell(&["compare", "two", "four"]).exits(0);
    assert!(ended.out.starts_with("UNKNOWN: 6 of 6 figures of the total"), "{ended}");
    ended.prints(&[
        "\nnote: the load differs: two had up to ",
        "10 % needs ",
        "\nchanged: contents of the plan: ",
    ]);
    folder.swell(&["compare", "two", "four", "--fail-on-worse"]).exits(0);
    let ended = folder.swell(&["compare", "two", "four", "--fail-on-unknown", "--json"]).exits(110);
    assert_eq!(ended.json()["finding"], "unknown", "{ended}");
}

#[test]
fn rows_that_are_far_apart_in_time_end_no_report_and_no_comparison() {
    let folder = Folder::new();
    for bits in [40, 44, 47, 52] {
        let mut text = String::from("timeStamp,elapsed,label,responseCode,responseMessage,success\n");
        for row in 0..60_u64 {
            writeln!(text, "{},{},L{},200,OK,true", 1_700_000_000_000 + (row << bits), 10 + row, row % 3)
                .expect("writing to a String cannot fail");
        }
        let rows = format!("far{bits}.csv");
        let page = format!("far{bits}.html");
        folder.write(&rows, text);
        folder.swell(&["report", &rows, "-o", &page]).exits(0);
        assert!(folder.report(&page).contains("L2"), "{bits}");
        folder.swell(&["compare", &rows, "far40.csv"]).exits(0);
    }
}

#[test]
fn a_threshold_that_fails_now_fails_the_comparison_and_changed_settings_are_listed() {
    let folder = Folder::with_plan([crate::support::plan::group(2, 20).with(crate::support::plan::nap(1))]);
    let run = |name: &str, rule: &str, property: &str, status| {
        let args = ["run", "plan.jmx", "--run-dir", name, "--threshold", rule, property];
        folder.swell(&args).exits(status);
    };
    run("before", "samples<1000", "-Jname=x", 0);
    run("after", "samples<10", "-Jname=y", 99);
    let ended = folder.swell(&["compare", "before", "after"]).exits(0);
    assert!(ended.out.starts_with("FAILED: the threshold failed in after; "), "{ended}");
    ended.prints(&[
        "\n  threshold failed: samples<10: samples 40 (limit 10) (passed before)\n",
        "\n  limit changed: samples<1000 → samples<10\n",
        "\nexit status 0; with --fail-on-worse it is 99\n",
        "\nchanged: property name: x → y\n",
        "\nchanged: command: run plan.jmx -Jname=x → run plan.jmx -Jname=y\n",
    ]);
    let ended = folder.swell(&["compare", "before", "after", "--fail-on-worse", "--json"]).exits(99);
    let json = ended.json();
    assert_eq!((&json["passed"], &json["thresholds"]["after"][0]["passed"]), (&false.into(), &false.into()));
}
