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
        options: Options::default(),
    };
    (compared, compare(&side(label, 10), &side(label, 12), Options::default()))
}

#[test]
fn the_result_comes_first_then_the_largest_changes_and_doubts() {
    let (compared, comparison) = compared();
    let text = text(&compared, &comparison);
    let lines: Vec<_> = text.lines().take(4).collect();
    assert_eq!(
        lines,
        [
            "WORSE: 2 of 2 rows changed beyond noise",
            "  <img src=x>|`: worse, p95 10.47 → 12.47 ms (+19.1 %)",
            "from tomcat to jboss <b>",
            "note: the load differs"
        ]
    );
    assert!(text.contains("mean ms") && text.contains("worse"), "{text}");
    let same = compare(&side("a", 10), &side("a", 10), Options::default());
    assert!(super::text(&compared, &same).starts_with("SAME: the total is within ±10 %\nfrom "));
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
    let text = text(&compared, &comparison);
    let lines: Vec<_> = text.lines().take(4).collect();
    assert!(lines[0].starts_with("WORSE: 3 of 5 rows are worse beyond noise, 1 better"), "{text}");
    assert_eq!(lines[1], "  pay: worse, 0 → 100 % failed; its times include those of failed samples");
    assert!(
        lines[2].starts_with("  find: worse, p95 40.") && lines[3].starts_with("  item: better, p95 30."),
        "{text}"
    );
    let document = super::page::page("Swell", &compared, &comparison).document();
    assert_eq!(document["answer"]["lines"].as_array().map(Vec::len), Some(3));
    assert!(markdown(&compared, &comparison).contains("\n- pay: worse, 0 → 100 % failed"));
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
    assert!(document["answer"]["headline"].as_str().is_some_and(|text| text.starts_with("WORSE: ")));
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
    let text = text(&compared, &comparison);
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
