//! The page as a whole.

use std::io::Read as _;

use base64::Engine as _;
use serde_json::Value;
use swell_stats::verdict::{Evidence, verdict};
use swell_stats::{FailureKind, LabelStats, Load, Observation, Recorder, SummaryRow, Users, Wanted};

use super::*;

const START_MS: i64 = 1_700_000_000_000;

/// An interval of a second in which each label has that many samples.
fn interval(second: i64, labels: usize, samples: u64) -> Interval {
    let mut recorder = Recorder::default();
    for number in 0..labels {
        let label = format!("label {number:03}");
        for step in 0..samples {
            let mixed =
                (second as u64 * 131 + number as u64 * 31 + step).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
            let elapsed_ns = 1_000_000 * (1 + number as u64 % 7) + mixed * 100;
            let start_ns = (START_MS + second * 1000) * 1_000_000 + step as i64;
            recorder.record(&Observation {
                label: &label,
                success: !mixed.is_multiple_of(89),
                start_ns,
                end_ns: start_ns + elapsed_ns as i64,
                elapsed_ns,
                connect_ns: (step == 0).then_some(10_000),
                start_delay_ns: Some(mixed),
                bytes: 1000,
                code: "503",
                message: "Service Unavailable",
                kind: FailureKind::Status,
                ..Observation::default()
            });
        }
    }
    Interval {
        start_ms: START_MS + second * 1000,
        length_ms: 1000,
        labels: recorder.take_interval(),
        users: Users { active: 7, started: 9, finished: 2 },
        wanted: Wanted { users: Some(7), per_s: Some(40.0) },
        load: Load { worker_busy: Some(0.25), ..Load::default() },
        is_paused: false,
        readings: Vec::new(),
    }
}

fn page(seconds: i64, labels: usize, samples: u64) -> RunPage {
    let mut page =
        RunPage::new(About { title: "shop <plan>".into(), made_by: "swell".into(), ..About::default() });
    (0..seconds).for_each(|second| page.add(&interval(second, labels, samples)));
    page
}

/// The data that a report holds.
fn unpacked(html: &str) -> Value {
    let from = html.find("id=\"data\">").expect("it holds data") + 10;
    let data = html[from..].split('<').next().unwrap_or_default();
    let packed = base64::engine::general_purpose::STANDARD.decode(data).expect("base64");
    let mut json = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut json).expect("gzip");
    serde_json::from_str(&json).expect("JSON")
}

#[test]
fn points_rows_and_cells_hold_all_samples() {
    let page = page(30, 3, 5);
    let document = serde_json::to_value(page.document(None, true)).expect("JSON");
    let sum = |list: &Value| {
        list.as_array().expect("a list").iter().map(|n| n.as_u64().expect("a number")).sum::<u64>()
    };
    let columns = &document["time"]["columns"];
    assert_eq!((sum(&columns["samples"]), sum(&columns["connects"])), (450, 90));
    assert_eq!(document["total"]["samples"], 450);
    let cells = |row: &Value| {
        row.as_array().expect("cells").iter().map(|cell| cell[1].as_u64().unwrap_or(0)).sum::<u64>()
    };
    assert_eq!(cells(&document["cells"]["total"]), 450);
    assert_eq!(cells(&document["cells"]["labels"][1]), 150);
    assert_eq!(document["start_ms"], START_MS);
    assert_eq!(
        (&columns["users"][3], &columns["wanted_per_s"][3], &columns["worker_cpu"][3]),
        (&7.into(), &40.0.into(), &0.25.into())
    );
    assert_eq!(
        sum(&document["time"]["kinds"]["status"]),
        document["total"]["errors"].as_u64().expect("a number")
    );
    assert_eq!(document["slowest"].as_array().map(Vec::len), Some(90));
    assert!(document["errors"][0]["got"].as_str().is_some_and(|got| got.contains("503 Service Unavailable")));
}

#[test]
fn rows_and_points_have_codes_kinds_and_stages() {
    let mut page = page(0, 0, 0).followed();
    (0..30).for_each(|second| page.add(&interval(second, 3, 5)));
    let tick = serde_json::to_value(page.tick().expect("news")).expect("JSON");
    let document = serde_json::to_value(page.document(None, true)).expect("JSON");
    let codes = &document["time"]["codes"];
    assert_eq!((codes.as_array().map(Vec::len), &codes[0][0]), (Some(1), &"503".into()));
    let of_points = codes[0][1].as_array().expect("a list").iter().filter_map(Value::as_u64);
    assert_eq!((of_points.clone().count(), of_points.sum::<u64>()), (30, 450));
    assert_eq!(tick["codes"].to_string(), r#"[["503",15]]"#, "of the last point");
    let total = &document["total"];
    let label = &document["labels"][1];
    assert_eq!((&total["codes"][0][1], &label["codes"][0][1]), (&450.into(), &150.into()));
    assert_eq!((&total["failures"][0][0], &total["failures"][0][1]), (&"status".into(), &total["errors"]));
    assert_eq!((&label["stages"][0][0], &label["stages"][2]), (&30.into(), &Value::Null), "{label}");
    for name in ["codes", "failures", "stages"] {
        assert_eq!(tick["total"][name], total[name], "a tick has the same {name}");
    }
    let transaction = Row::of(&SummaryRow::of("t", true, &LabelStats::default()), None);
    let counted = page.run().total();
    let row = serde_json::to_value(transaction.detailed(&counted)).expect("JSON");
    assert_eq!(row["codes"].to_string(), "[]", "a transaction sends nothing");
}

#[test]
fn causes_of_a_tick_and_the_others_are_all_failed_samples() {
    let mut page = page(0, 0, 0).followed();
    let mut recorder = Recorder::default();
    for cause in 'a'..='z' {
        let message = cause.to_string();
        recorder.record(&Observation {
            label: "x",
            message: &message,
            code: "503",
            ..Observation::default()
        });
    }
    page.add(&Interval { labels: recorder.take_interval(), ..interval(0, 0, 0) });
    for has_list in [true, false] {
        let tick = serde_json::to_value(page.tick().expect("news")).expect("JSON");
        assert_eq!(tick["errors"].as_array().map(Vec::len), has_list.then_some(20), "{tick}");
        assert_eq!(tick["other_errors"], 6, "of 26 samples, in a tick with the list: {has_list}");
    }
}

#[test]
fn a_report_is_one_file_with_its_data_and_loads_nothing() {
    let mut page = page(3, 1, 2);
    let about = &mut page.about;
    about.facts.push(("Target".into(), "http://me:hidden@host/?password=x1".into()));
    page.event(Event {
        at_ms: START_MS,
        who: "page".into(),
        what: "</script><script>alert(1)</script>".into(),
    });
    let seen = verdict(&Evidence { cpu_busy: Some((0, 0.95)), ..Evidence::default() });
    let html = file(&page, Some(&seen));
    assert!(html.contains("<title>shop &lt;plan&gt;</title>") && !html.contains("alert(1)"));
    let text = html.split_once("<noscript>").and_then(|(_, rest)| rest.split_once("</noscript>"));
    let text = text.map(|(text, _)| text).unwrap_or_default();
    let parts = [
        "<pre>shop &lt;plan&gt;\n6 samples in 2.1 s: 33.33 % failed, max ",
        "\nTOTAL: 6 samples, 2 failed, 2.86/s, p50 61.90 ms, p95 -",
        "\nMeasurement: unusable\n  INVALID  ",
        "95 % busy",
    ];
    assert!(parts.iter().all(|part| text.contains(part)), "without scripts: {text}");
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(!html.contains(" src=") && !html.contains("href="), "needs no network");
    let document = unpacked(&html);
    assert_eq!((&document["kind"], &document["verdict"]["grade"]), (&"run".into(), &"INVALID".into()));
    assert!(
        document["verdict"]["reasons"][0]["text"].as_str().is_some_and(|text| text.contains("95 % busy"))
    );
    assert_eq!(document["facts"][0][1], "http://me:***@host/?password=***");
}

#[test]
fn thresholds_are_shown_so_far_and_at_the_end_with_what_was_tested() {
    let rules = ["p(99)<1ms", "errors<99%", "label(\"later\"): p(99)<1s"];
    let rules = rules.map(|text| swell_stats::threshold::Threshold::parse(text).expect("a rule")).into();
    let mut page = page(0, 0, 0).judged_by(Some(Judge::new(rules, None))).followed();
    page.about.facts.push((LOAD_GENERATOR.into(), "here".into()));
    page.add(&interval(0, 2, 50));
    let tick = serde_json::to_value(page.tick().expect("news")).expect("JSON");
    let document = serde_json::to_value(page.document(None, true)).expect("JSON");
    assert_eq!(tick["thresholds"], document["thresholds"]);
    let told = &document["thresholds"];
    assert_eq!((&told["kept"], &told["broken"], &told["open"]), (&1.into(), &1.into(), &1.into()), "{told}");
    assert_eq!(
        (&told["rules"][0]["rule"], &told["rules"][0]["passed"]),
        (&"p(99)<1ms".into(), &false.into())
    );
    assert_eq!((&told["rules"][1]["passed"], &told["rules"][2]["passed"]), (&Value::Null, &true.into()));
    let rule = |number: u8, passed| Rule {
        rule: format!("r{number}"),
        passed: Some(passed),
        text: "\u{1b}[2Jfigure".into(),
        ..Rule::on_tile("", None)
    };
    page.end(Ending {
        servers: (1..=9).map(|port| format!("h:{port}")).collect(),
        thresholds: (0..150).map(|number| rule(number, number != 149)).collect(),
        problems: vec!["error: results could not be written".into()],
        ..Ending::default()
    });
    let document = serde_json::to_value(page.document(None, false)).expect("JSON");
    let told = &document["thresholds"];
    assert_eq!((&told["kept"], &told["broken"], &told["open"]), (&149.into(), &1.into(), &0.into()));
    let rules = told["rules"].as_array().expect("a list");
    assert_eq!((rules.len(), &rules[0]["rule"]), (100, &"r149".into()));
    assert!(!told.to_string().contains("u001b"), "no control of a terminal");
    let target = &document["facts"][0];
    assert_eq!(target[0], TARGET, "before what made the load");
    assert_eq!(target[1], "h:1, h:2, h:3, h:4, h:5, h:6, h:7, h:8 and 1 more");
    assert!(document["notes"].as_array().expect("notes").contains(&"results could not be written".into()));
}

#[test]
fn a_percentile_has_the_interval_of_the_summary() {
    // Counts of a late worker reach the page with those of the next second.
    let mut page = page(0, 0, 0);
    let mut run = Run::default();
    for second in 0..40 {
        let made = interval(second, 2, if second % 7 == 0 { 300 } else { 60 });
        run.add(made.start_ms / 1000, &made.labels, made.users);
        let late_ms = if second % 3 == 0 { 1000 } else { 0 };
        page.add(&Interval { start_ms: made.start_ms + late_ms, ..made });
    }
    let summary = run.summary();
    let shown = |page: &RunPage| {
        let document = serde_json::to_value(page.document(None, false)).expect("JSON");
        [&document["total"], &document["labels"][1]].map(|row| row["intervals_ms"].clone())
    };
    let of = |row: &swell_stats::SummaryRow| {
        serde_json::to_value(Row::of(row, None)).expect("JSON")["intervals_ms"].clone()
    };
    let stated = [of(&summary.total), of(&summary.rows[1])];
    assert_ne!(shown(&page), stated, "by itself the page has others");
    let kept = crate::json::of_run(&summary, None, &[], Value::Null, Value::Null, &[], Value::Null);
    for intervals in [Intervals::of(&summary), Intervals::of_json(&kept)] {
        let mut page = page.clone();
        page.end(Ending { intervals, ..Ending::default() });
        assert_eq!(shown(&page), stated);
        assert!(stated[0][0].is_array(), "there is one");
    }
}

#[test]
fn transactions_have_the_labels_of_rows() {
    let part = Part { label: "pay\u{1b}[2J".into(), transaction: false };
    let transactions = vec![Transaction { label: "Buy\u{1b}".into(), parts: vec![part] }];
    let page = RunPage::new(About { transactions, ..About::default() });
    let document = serde_json::to_value(page.document(None, true)).expect("JSON");
    let shown = &document["transactions"][0];
    assert_eq!((&shown["label"], &shown["parts"][0]["label"]), (&"Buy␛".into(), &"pay␛[2J".into()));
}

#[test]
fn the_headline_is_that_of_the_summary_in_the_page_and_its_ticks() {
    let rule = swell_stats::threshold::Threshold::parse("p(99)<1ms").expect("a rule");
    let mut page = page(0, 0, 0).judged_by(Some(Judge::new(vec![rule], None))).followed();
    assert_eq!(serde_json::to_value(page.document(None, true)).expect("JSON")["headline"], Value::Null);
    (0..3).for_each(|second| page.add(&interval(second, 2, 50)));
    let tick = serde_json::to_value(page.tick().expect("news")).expect("JSON");
    let document = serde_json::to_value(page.document(None, true)).expect("JSON");
    let headline = document["headline"].as_str().expect("a headline");
    assert!(
        headline.contains("% failed, p95 ") && headline.ends_with("; the threshold failed"),
        "{headline}"
    );
    assert_eq!((&tick["headline"], &tick["headline_tone"]), (&document["headline"], &"bad".into()));
    assert_eq!((&document["headline_tone"], &document["measurement"]), (&"bad".into(), &Value::Null));
    let degraded = verdict(&Evidence { cpu_busy: Some((0, 0.8)), ..Evidence::default() });
    page.end(Ending::default());
    let document = serde_json::to_value(page.document(Some(&degraded), false)).expect("JSON");
    assert_eq!(
        (&document["headline_tone"], &document["measurement"]),
        (&"doubtful".into(), &"doubtful".into())
    );
}

#[test]
fn a_page_on_nothing_is_whole() {
    let document = serde_json::to_value(page(0, 0, 0).document(None, false)).expect("JSON");
    assert_eq!(
        (&document["start_ms"], &document["total"]["samples"], &document["duration_s"]),
        (&0.into(), &0.into(), &0.0.into())
    );
}

/// Seconds of eight hours would take minutes to count in a test; longer intervals give as many
/// cells, which are most of the size.
#[test]
fn eight_hours_of_200_labels_fit_in_two_megabytes() {
    let mut page = RunPage::new(About::default());
    for step in 0..200_i64 {
        let mut long = interval(step * 144, 200, 6);
        long.length_ms = 144_000;
        page.add(&long);
    }
    let html = file(&page, None);
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    let document = unpacked(&html);
    let points = document["time"]["columns"]["samples"].as_array().map_or(0, Vec::len);
    assert!((900..=2000).contains(&points), "{points}");
    assert_eq!(document["labels"].as_array().map(Vec::len), Some(200));
}

#[test]
fn figures_of_the_target_are_series_with_gaps_in_the_order_of_their_charts() {
    use swell_stats::Reading;
    use swell_stats::reading::{Figure, Known};
    let mut page = RunPage::new(About::default()).followed();
    let port = "port 80".into();
    let exporter = "h:9100".into();
    for second in 0..3 {
        let mut one = interval(second, 1, 1);
        one.readings = vec![Reading::new(&port, Known::Threads, 10.0 + second as f64, 1.0)];
        if second != 1 {
            one.readings.push(Reading::new(&exporter, Known::MachineUser, 0.25, 1.0));
        }
        let figure = Figure::Named { name: "pool{a=<b>}".into(), is_rate: true };
        one.readings.push(Reading { figure, ..Reading::new(&exporter, Known::GcTime, 2.0, 1.0) });
        page.add(&one);
    }
    let document = serde_json::to_value(page.document(None, true)).expect("JSON");
    let told: Vec<_> =
        document["time"]["target"].as_array().expect("a list").iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            r#"{"source":"h:9100","name":"machine_user","chart":"Target: processor time","unit":"share","limit":false,"values":[0.25,null,0.25]}"#,
            r#"{"source":"port 80","name":"threads","chart":"Target: threads","unit":"count","limit":false,"values":[10.0,11.0,12.0]}"#,
            r#"{"source":"h:9100","name":"pool{a=<b>}","chart":"Target: other figures","unit":"per_s","limit":false,"values":[2.0,2.0,2.0]}"#,
        ]
    );
    let tick = serde_json::to_value(page.tick()).expect("JSON");
    assert_eq!(tick["target"][1]["values"].to_string(), "[12.0]");
}

#[test]
fn script_and_style_stay_small() {
    use std::io::Write as _;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all([SCRIPT.as_str(), STYLE.as_str()].concat().as_bytes()).expect("a Vec takes it");
    let packed = packer.finish().expect("a Vec takes it").len();
    assert!(packed <= 80_000, "{packed} bytes compressed");
}

#[test]
fn a_rule_on_all_samples_has_its_limit_on_a_tile() {
    let tile = |rule: &str, limit| {
        let rule = Rule::on_tile(rule, Some(limit));
        rule.figure.zip(rule.limit)
    };
    let on = |name, limit: &str| Some((name, limit.to_owned()));
    assert_eq!(tile("p(95)<800ms", 800.0), on("p95", "< 800 ms"));
    assert_eq!(tile("p(99)<=baseline*1.1", 12.345), on("p99", "≤ 12.345 ms"));
    assert_eq!(tile("errors<1%", 1.0), on("Failed", "< 1 %"));
    assert_eq!(tile("errors<5", 5.0), on("Failed", "< 5"));
    assert_eq!(tile("rps>=100", 100.0), on("Rate", "≥ 100/s"));
    for other in [
        "label(\"a\"): p(95)<1s",
        "p(95)<1s over 10s",
        "p(95)<1s after 10s",
        "response.p(95)<1s",
        "p(97)<1s",
        "p(95)<1s — a label",
    ] {
        assert_eq!(tile(other, 1.0), None, "{other}");
    }
    let none = Rule::on_tile("p(95)<baseline", None);
    assert_eq!((none.figure, none.limit), (None, None), "there is no baseline");
}

#[test]
fn a_cause_of_a_page_and_of_its_ticks_begins_with_label_and_count() {
    let mut page = page(0, 0, 0).followed();
    (0..3).for_each(|second| page.add(&interval(second, 1, 50)));
    let tick = serde_json::to_value(page.tick().expect("news")).expect("JSON");
    let document = serde_json::to_value(page.document(None, true)).expect("JSON");
    let lead = document["errors"][0]["lead"].as_str().expect("a text");
    assert!(
        lead.starts_with("label 000: ") && lead.ends_with(" of 150 failed with 503 Service Unavailable"),
        "{lead}"
    );
    assert_eq!(tick["errors"][0]["lead"], lead);
}

#[test]
fn a_page_says_what_changed_since_the_run_before_and_whether_p95_stands() {
    let mut page = page(20, 1, 50);
    let earlier = crate::Earlier {
        name: "shop-1".into(),
        this: "shop-2".into(),
        samples: 1000,
        p95_ms: Some(50.0),
        ..crate::Earlier::default()
    };
    page.end(Ending { earlier: Some(earlier), ..Ending::default() });
    let sent = verdict(&Evidence { send_delay_p99_ns: Some(400_000), ..Evidence::default() });
    let document = serde_json::to_value(page.document(Some(&sent), false)).expect("JSON");
    let change = document["earlier"]["change"].as_str().expect("a text");
    assert!(change.starts_with("p95 50 ms → ") && change.contains(", failed 0 % → "), "{change}");
    assert_eq!(document["earlier"]["command"], "swell compare shop-1 shop-2");
    assert!(
        document["p95_stands"].as_str().is_some_and(|text| text.ends_with(" may be up to 0.4 ms too high"))
    );
}
