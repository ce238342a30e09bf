//! Forms of a comparison.

use super::*;
use swell_stats::compare::{Options, Side, compare};
use swell_stats::{Interval, Observation, Recorder};

/// A run of 40 s with these times.
fn side(label: &str, ms: u64) -> Side {
    let mut side = Side::default();
    for at in 0..40_i64 {
        let mut recorder = Recorder::default();
        for number in 0..50_u64 {
            let elapsed_ns = 1_000_000 * ms + number * 10_000 + (at as u64 * 7919) % 5000;
            recorder.record(&Observation { label, success: true, elapsed_ns, ..Observation::default() });
        }
        let labels = recorder.take_interval();
        side.add(&Interval { start_ms: at * 1000, length_ms: 1000, labels, ..Interval::default() });
    }
    side
}

fn compared() -> (ComparedRuns, Comparison) {
    let label = "<img src=x>|`";
    let compared = ComparedRuns {
        before: "tomcat".into(),
        after: "jboss <b>".into(),
        notes: vec!["the load differs".into()],
        ..ComparedRuns::default()
    };
    (compared, compare(&side(label, 10), &side(label, 12), Options::default()))
}

#[test]
fn the_result_comes_first_then_the_largest_changes_and_doubts() {
    let (compared, comparison) = compared();
    let text = text(&compared, &comparison, None);
    let lines: Vec<_> = text.lines().take(4).collect();
    assert_eq!(
        lines,
        [
            "FAILED: 1 of 1 label is worse",
            "  <img src=x>|`: worse, p95 10.47 → 12.47 ms (+19.1 %)",
            "from tomcat to jboss <b>",
            "note: the load differs"
        ]
    );
    assert!(text.contains("mean ms") && text.contains("worse"), "{text}");
    let same = compare(&side("a", 10), &side("a", 10), Options::default());
    assert!(super::text(&compared, &same, None).starts_with("PASSED: the total is within ±10 %\nfrom "));
}

#[test]
fn lines_fit_into_80_columns() {
    let label = format!("GET /search?q={}", "x".repeat(120));
    let (plain, _) = compared();
    let names = ["before", "after"].map(|name| format!("results-of-the-last-night/{name}-the-change.jtl"));
    let [before, after] = names;
    let notes = vec![format!("{before}: its first 10 s look like a warm-up and are excluded")];
    let settings = vec![Difference { name: "hosts".into(), before: "a ".repeat(50), after: "b ".repeat(50) }];
    let compared = ComparedRuns { before, after, notes, settings, ..plain };
    let slow = side(&label, 987_654);
    for comparison in
        [compare(&side(&label, 10), &slow, Options::default()), compare(&slow, &slow, Options::default())]
    {
        let text = text(&compared, &comparison, Some(80));
        let wide: Vec<_> = text.lines().filter(|line| crate::label::width(line) > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
        assert!(text.contains("\n  mean ms ") && text.contains("  95 %: "), "{text}");
    }
}

/// A run of 40 s in which all samples of a label fail, or none.
fn side_of(labels: &[(&str, u64, bool)]) -> Side {
    let mut side = Side::default();
    for at in 0..40_i64 {
        let mut recorder = Recorder::default();
        for (label, ms, success) in labels {
            for number in 0..50_u64 {
                let elapsed_ns = 1_000_000 * ms + number * 10_000 + (at as u64 * 7919) % 5000;
                let success = *success;
                recorder.record(&Observation { label, success, elapsed_ns, ..Observation::default() });
            }
        }
        let labels = recorder.take_interval();
        side.add(&Interval { start_ms: at * 1000, length_ms: 1000, labels, ..Interval::default() });
    }
    side
}

#[test]
fn a_label_whose_samples_fail_faster_is_not_better() {
    let before = side_of(&[("pay", 60, true), ("find", 40, true), ("home", 20, true), ("item", 30, true)]);
    let after = side_of(&[("pay", 1, false), ("find", 75, true), ("home", 20, true), ("item", 15, true)]);
    let comparison = compare(&before, &after, Options::default());
    let (compared, _) = compared();
    let text = text(&compared, &comparison, None);
    let lines: Vec<_> = text.lines().take(4).collect();
    assert_eq!(lines[0].split(';').next(), Some("FAILED: 2 of 4 labels are worse, 1 is better"), "{text}");
    assert_eq!(lines[1], "  pay: worse, 0 → 100 % failed; all failed, so its times say nothing");
    assert!(!text.contains("pay: better"), "{text}");
    assert!(
        lines[2].starts_with("  find: worse, p95 40.") && lines[3].starts_with("  item: better, p95 30."),
        "{text}"
    );
    let document = super::page::page("Swell", &compared, &comparison).document();
    assert_eq!(document["answer"]["lines"].as_array().map(Vec::len), Some(3));
    let markdown = markdown(&compared, &comparison);
    assert!(markdown.contains("\n- pay: worse, 0 → 100 % failed"), "{markdown}");
    let pay = markdown.lines().find(|line| line.starts_with("| pay |")).expect("a row");
    assert!(pay.contains("%) (all failed) |") && pay.contains(" ❌") && !pay.contains('✅'), "{pay}");
    let table = document["sections"][1]["blocks"][0]["rows"].as_array().expect("rows").clone();
    let pay = table.iter().find(|row| row[0]["text"] == "pay").expect("a row");
    assert_eq!((&pay[2]["tone"], &pay[7]["tone"]), (&"doubtful".into(), &"bad".into()));
    assert!(pay[2]["more"].as_str().is_some_and(|more| more.contains("all failed")), "{pay:?}");
    let many: Vec<_> = ["a", "b", "c", "d", "e", "f", "g"].map(|label| (label, 10, true)).into();
    let slower: Vec<_> = many.iter().map(|(label, ms, success)| (*label, 2 * ms, *success)).collect();
    let comparison = compare(&side_of(&many), &side_of(&slower), Options::default());
    assert_eq!(changes::largest(&comparison).last().map(String::as_str), Some("and 2 more labels"));
}

#[test]
fn labels_are_no_markup() {
    let (compared, comparison) = compared();
    let markdown = markdown(&compared, &comparison);
    assert!(markdown.contains("| &lt;img src=x&gt;\\|\\` |") && !markdown.contains("<img"), "{markdown}");
    let html = html("Swell", &compared, &comparison);
    let (shown, _) = html.split_once("<div id").expect("there is a place for the page");
    assert!(shown.contains("jboss &lt;b&gt;") && !shown.contains("<b>"), "{shown}");
}

#[test]
fn a_page_has_the_answer_the_changes_and_all_labels() {
    let (compared, comparison) = compared();
    let document = super::page::page("Swell", &compared, &comparison).document();
    assert_eq!((&document["kind"], &document["answer"]["tone"]), (&"compare".into(), &"bad".into()));
    assert!(document["answer"]["headline"].as_str().is_some_and(|text| text.starts_with("FAILED: ")));
    let bar = &document["sections"][0]["blocks"][0]["bars"][0];
    assert_eq!((&bar["name"], &bar["tone"]), (&"the mean".into(), &"bad".into()));
    let [low, high] = [&bar["interval"][0], &bar["interval"][1]].map(|end| end.as_f64().expect("a number"));
    let value = bar["value"].as_f64().expect("a number");
    assert!(low < value && value < high && (value - 0.2).abs() < 0.02, "{bar}");
    let table = &document["sections"][1]["blocks"][0];
    assert_eq!(table["head"][2], "mean ms");
    assert_eq!(table["rows"][1][0]["text"], "<img src=x>|`");
    let more = table["rows"][0][2]["more"].as_str().expect("a text");
    assert!(more.contains(" worse\n95 %: +"), "{table}");
}

#[test]
fn machines_get_all_figures() {
    let (compared, comparison) = compared();
    let json = json(&compared, &comparison);
    assert_eq!((&json["schema"], &json["worse"]), (&"swell.comparison/2".into(), &true.into()));
    let mean = &json["total"]["figures"]["mean_ms"];
    assert_eq!(mean["finding"], "worse");
    assert!(mean["change"].as_f64().is_some_and(|change| (change - 0.2).abs() < 0.02), "{mean}");
}

#[test]
fn what_was_not_steady_is_told() {
    let changes = vec![swell_stats::compare::ChangePoint { at_s: 70, before_ms: 10.0, after_ms: 13.0 }];
    let notes = steadiness("tomcat", &Steadiness { warm_up_s: 12, changes }, true);
    assert_eq!(notes[0], "tomcat: its first 12 s look like a warm-up and are excluded");
    assert!(
        notes[1].contains("70 s after the first sample, the median went from 10.00 to 13.00 ms (+30.0 %)"),
        "{}",
        notes[1]
    );
}

#[test]
fn what_cannot_be_told_comes_with_what_would_tell_it() {
    let (compared, _) = compared();
    let unsteady = |seed: u64| {
        let mut side = Side::default();
        for at in 0..20_i64 {
            let mut recorder = Recorder::default();
            for number in 0..5_u64 {
                let elapsed_ns = 1_000_000 * (5 + (at as u64 * 7919 + seed + number * 31) % 90);
                recorder.record(&Observation {
                    label: "a",
                    success: true,
                    elapsed_ns,
                    ..Observation::default()
                });
            }
            let labels = recorder.take_interval();
            side.add(&Interval { start_ms: at * 1000, length_ms: 1000, labels, ..Interval::default() });
        }
        side
    };
    let comparison = compare(&unsteady(3), &unsteady(5), Options::default());
    let text = text(&compared, &comparison, None);
    for part in ["UNKNOWN: ", "to detect 10 % in all of them", "  detects ", "; 10 % needs ", "; 1 pp needs "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json = json(&compared, &comparison);
    let mean = &json["total"]["figures"]["mean_ms"];
    assert_eq!(
        (&json["finding"], &mean["finding"], &mean["changed"]),
        (&"unknown".into(), &"unknown".into(), &false.into())
    );
    assert!(
        ["smallest_change_seen", "needed_seconds", "needed_samples"]
            .iter()
            .all(|key| mean[key].as_f64() > Some(0.1)),
        "{mean}"
    );
    assert!(markdown(&compared, &comparison).contains(" ? |"));
    let document = super::page::page("Swell", &compared, &comparison).document();
    let cell = &document["sections"][1]["blocks"][0]["rows"][0][2];
    assert_eq!(cell["tone"], "doubtful");
    assert!(
        cell["more"]
            .as_str()
            .is_some_and(|more| more.contains(" unknown\n95 %: ") && more.contains("\ndetects ")),
        "{cell}"
    );
}

#[test]
fn a_comparison_passes_or_fails_by_changes_and_by_thresholds() {
    let rule = |rule: &str, passed| RuleResult {
        rule: rule.to_owned(),
        passed,
        text: "p(95) 10.5 ms (limit 10.0 ms)".to_owned(),
        ..RuleResult::default()
    };
    let same = compare(&side("a", 10), &side("a", 10), Options::default());
    let slower = compare(&side("a", 10), &side("a", 12), Options::default());
    let faster = compare(&side("a", 12), &side("a", 10), Options::default());
    let (plain, _) = compared();
    let ruled = ComparedRuns {
        causes: vec!["a: 3 of 9 failed with 503 Busy".to_owned()],
        rules_before: vec![rule("p(95)<10ms", true)],
        rules_after: vec![rule("p(95)<10ms", false), rule("errors<1%", true)],
        ..plain.clone()
    };
    let of = |compared: &ComparedRuns, of: &Comparison| {
        text(compared, of, None).lines().next().map(str::to_owned).expect("a line")
    };
    assert_eq!(of(&plain, &same), "PASSED: the total is within ±10 %");
    assert_eq!(of(&plain, &faster), "PASSED: 1 of 1 label is better, none is worse");
    assert_eq!(of(&plain, &slower), "FAILED: 1 of 1 label is worse");
    let failed = "FAILED: 1 of 2 thresholds failed in jboss <b>; the total is within ±10 %";
    assert_eq!(of(&ruled, &same), failed);
    let all = text(&ruled, &same, None);
    let line = "\n  threshold failed: p(95)<10ms: p(95) 10.5 ms (limit 10.0 ms) (passed before)\n";
    assert!(all.contains(line) && all.contains("\n  new threshold: errors<1%\n"), "{all}");
    assert!(all.contains("\n  failed in jboss <b>: a: 3 of 9 failed with 503 Busy\n"), "{all}");
    assert_eq!(json(&ruled, &same)["passed"], false);
    assert_eq!(json(&plain, &same)["passed"], true);
    let document = super::page::page("Swell", &ruled, &same).document();
    assert_eq!(document["answer"]["tone"], "bad");
    assert_eq!(document["sections"][1]["title"], "Thresholds");
    assert_eq!(document["sections"][1]["blocks"][0]["rows"][0][2]["text"], "failed");
}

#[test]
fn counts_of_changed_labels_agree() {
    let before: Vec<_> = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|label| (label, 10, true)).into();
    let slower = |at, ms: u64| if at < 7 { 2 * ms } else { ms };
    let after = before.iter().zip(0..).map(|((label, ms, ok), at)| (*label, slower(at, *ms), *ok));
    let after: Vec<_> = after.collect();
    let comparison = compare(&side_of(&before), &side_of(&after), Options::default());
    let (compared, _) = compared();
    let text = text(&compared, &comparison, None);
    assert!(text.starts_with("FAILED: 7 of 8 labels are worse"), "{text}");
    let listed = text.lines().filter(|line| line.contains(": worse, ")).count();
    assert_eq!((listed, text.contains("\n  and 2 more labels\n")), (5, true), "{text}");
}

#[test]
fn changed_settings_are_listed_everywhere() {
    let setting = Difference { name: "users".into(), before: "5".into(), after: "10 <b>".into() };
    let (plain, comparison) = compared();
    let compared = ComparedRuns {
        settings: vec![setting],
        status: "exit status 0".into(),
        measurements: [Some("good"), Some("doubtful")],
        ..plain
    };
    let text = text(&compared, &comparison, None);
    assert!(
        text.contains("\nexit status 0\nfrom tomcat to jboss <b>; measurement good → doubtful\nchanged: users: 5 → 10 <b>\n"),
        "{text}"
    );
    assert!(markdown(&compared, &comparison).contains("- changed: users: `5` → `10 <b>`\n"));
    assert_eq!(json(&compared, &comparison)["settings"][0]["after"], "10 <b>");
    let document = super::page::page("Swell", &compared, &comparison).document();
    assert_eq!(document["sections"][1]["blocks"][0]["rows"][0][1], "5");
}

#[test]
fn a_doubtful_measurement_says_whether_the_changes_are_larger() {
    use swell_stats::verdict::{Evidence, verdict};
    let (_, comparison) = compared();
    let note = |by_ns| {
        let sent = Evidence { send_delay_p99_ns: Some(by_ns), ..Evidence::default() };
        measurement_note("jboss", &verdict(&sent), Some(12.4), &comparison)
    };
    assert_eq!(note(1000), None);
    let small = note(400_000).expect("a note");
    assert!(small.starts_with("jboss: its measurement is doubtful: requests were sent late"), "{small}");
    assert!(
        small.ends_with("; p95 may be up to 0.4 ms too high, and its changes above are larger"),
        "{small}"
    );
    let large = note(5_000_000).expect("a note");
    let ends = "; p95 may be up to 5 ms too high, which can explain the changes of ";
    assert!(large.contains(" is unusable: ") && large.contains(ends), "{large}");
}

#[test]
fn two_runs_that_failed_wholly_are_not_called_too_short() {
    let failed = side_of(&[("pay", 1, false)]);
    let comparison = compare(&failed, &side_of(&[("pay", 9, false)]), Options::default());
    let (compared, _) = compared();
    let text = text(&compared, &comparison, None);
    assert!(text.starts_with("UNKNOWN: all samples failed, so times are not compared\n"), "{text}");
    assert!(!text.contains("figures of") && text.contains("all failed"), "{text}");
}
