use std::collections::HashSet;
use std::sync::LazyLock;

use super::*;
use crate::page::Part;
use crate::styled::Role;
use crate::testing;
use crate::thresholds::tests::judgement;
use swell_stats::verdict::{Evidence, ScriptTime, verdict};
use swell_stats::{FailureKind, Observation, Recorder, Run};
use unicode_width::UnicodeWidthStr;

fn terminal() -> View {
    View { width: Some(80), ..View::default() }
}

fn verbose() -> View {
    View { verbose: true, ..View::default() }
}

fn results<'a>(summary: &'a Summary, verdict: Option<&'a Verdict>) -> Results<'a> {
    static NOTHING: LazyLock<LabelStats> = LazyLock::new(LabelStats::default);
    Results {
        summary,
        verdict,
        judgements: &[],
        transactions: &[],
        total: &NOTHING,
        notes: &[],
        earlier: None,
    }
}

fn text_of(of: &Summary, verdict: Option<&Verdict>, view: &View) -> Styled {
    summary(&results(of, verdict), view)
}

fn degraded() -> Verdict {
    verdict(&Evidence {
        cpu_busy: Some((1, 0.97)),
        start_delay_p99_ns: Some(1_900_000),
        ..Evidence::default()
    })
}

fn plan() -> [Transaction; 1] {
    let part = |label: &str| Part { label: label.to_owned(), transaction: false };
    let parts = vec![part("Home"), part("Order: confirm the purchase of everything")];
    [Transaction { label: "Checkout".to_owned(), parts }]
}

#[test]
fn the_summary_of_a_run_fits_80_columns() {
    let judgements = [judgement("errors<1%", true), judgement("p(99)<800ms", false)];
    let counted = testing::run();
    let run = counted.summary();
    let verdict = degraded();
    let of = Results {
        judgements: &judgements,
        transactions: &plan(),
        total: &counted.total(),
        ..results(&run, Some(&verdict))
    };
    let text = summary(&of, &terminal());
    testing::assert_golden("summary.txt", &text);
    assert!(text.lines().all(|line| line.width() <= 80), "too wide:\n{text}");
    let all = summary(&of, &verbose());
    testing::assert_golden("summary-verbose.txt", &all);
}

#[test]
fn a_small_run_prints_at_most_15_lines() {
    let rules = [judgement("errors<1%", true), judgement("p(99)<800ms", false)];
    let run =
        failed(20, FailureKind::Refused, "Connect to 127.0.0.1:1 [/127.0.0.1] failed: Connection refused");
    let valid = verdict(&Evidence::default());
    let of = Results { judgements: &rules, ..results(&run, Some(&valid)) };
    let text = summary(&of, &terminal());
    assert!(text.lines().count() <= 15, "{text}");
    let run = testing::small_run().summary();
    let text = text_of(&run, Some(&valid), &terminal());
    assert!(text.lines().count() <= 6, "{text}");
}

#[test]
fn what_comes_first_is_the_answer_and_what_comes_last_is_how_well_it_was_measured() {
    let rules = [judgement("errors<1%", false)];
    let run = testing::run().summary();
    let verdict = degraded();
    let of = Results { judgements: &rules, ..results(&run, Some(&verdict)) };
    for view in [terminal(), verbose(), View::default()] {
        let text = summary(&of, &view);
        let order = [
            "75/s for 2 min: 1 % failed, p95 51 ms; the threshold failed",
            "thresholds FAILED: 1 of 1",
            "failed samples",
            "label (times in ms)",
            "TOTAL",
            "Measurement: unusable",
            "INVALID   the machine, not the server",
        ];
        let places: Vec<_> = order.iter().map(|part| text.find(part)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{text}");
    }
}

#[test]
fn time_of_scripts_is_shown_where_there_were_some() {
    let scripts = ScriptTime {
        calls: 2_000,
        refused: 1,
        ran_s: 3.0,
        waited_s: 0.5,
        longest_wait_s: 0.0125,
        most_threads: 4,
        thread_limit: 1_000,
    };
    let said = |scripts| {
        let seen = Evidence { scripts, ..Evidence::default() };
        text_of(&testing::run().summary(), Some(&verdict(&seen)), &verbose())
    };
    let line = "2000 calls, 1.500 ms each; waited for a thread 0.250 ms, at most 12.500 ms; 4 of 1000 threads; 1 rejected\n";
    assert!(said(Some(scripts)).contains(line), "{}", said(Some(scripts)));
    assert!(!said(None).contains("scripts"));
}

#[test]
fn late_reads_that_are_part_of_the_times_are_called_so() {
    let said = |read_delay_counts, view: &View| {
        let seen = Evidence { read_delay_counts, ..Evidence::default() };
        text_of(&testing::run().summary(), Some(&verdict(&seen)), view)
    };
    let text = said(true, &verbose());
    assert!(
        text.contains("error, INCLUDED in response times: late reads")
            && text.contains("not included in response times: late starts")
    );
    assert!(said(false, &verbose()).contains("error, not included in response times: late reads"));
    let brief = said(true, &View::default());
    assert!(brief.contains("own error p99 ms: reads 0.06 (in the times), starts 0.89"), "{brief}");
    assert!(said(false, &View::default()).contains("own error p99 ms: reads 0.06, starts 0.89\n"));
}

#[test]
fn a_run_without_samples() {
    let text = text_of(&Run::default().summary(), None, &verbose());
    assert!(text.starts_with("no sample was completed\n"), "{text}");
    assert!(text.contains("TOTAL") && text.contains("duration 0:00.0"), "{text}");
}

#[test]
fn one_label_is_its_own_total() {
    let text = text_of(&testing::small_run().summary(), None, &View::default());
    assert_eq!(text.lines().filter(|line| line.starts_with("Home")).count(), 1);
    assert!(!text.contains("TOTAL"), "{text}");
}

/// A run of labels, one sample each.
fn labelled(labels: &[String]) -> Summary {
    let mut recorder = Recorder::default();
    for (number, label) in labels.iter().enumerate() {
        let success = number != 77;
        recorder.record(&Observation { label, success, elapsed_ns: 1_000_000, ..Observation::default() });
    }
    Summary::of(&recorder.take_interval())
}

#[test]
fn a_file_shows_labels_whole_and_a_terminal_keeps_them_different() {
    let labels: Vec<_> = (0..3).map(|number| format!("GET /shop/{number}/items/of/the/day")).collect();
    let of = labelled(&labels);
    let file = text_of(&of, None, &View::default());
    let on_terminal = text_of(&of, None, &terminal());
    assert!(labels.iter().all(|label| file.contains(&format!("{label} "))), "{file}");
    let rows = |text: &str| text.lines().skip(2).take(4).map(str::to_owned).collect::<Vec<_>>();
    let columns: HashSet<_> = file.lines().skip(1).take(5).map(str::len).collect();
    assert_eq!(columns.len(), 1, "columns are below each other:\n{file}");
    let names: HashSet<_> = rows(&on_terminal).iter().map(|line| line[..20].to_owned()).collect();
    assert_eq!(names.len(), 4, "{on_terminal}");
}

#[test]
fn a_common_beginning_of_long_labels_is_shown_once() {
    let labels: Vec<_> = ["orders", "items"]
        .iter()
        .map(|page| format!("http://shop.example.com:8080/api/v1/{page}"))
        .collect();
    let text = text_of(&labelled(&labels), None, &terminal());
    assert!(text.contains("\n… is http://shop.example.com:8080/api/v1\n"), "{text}");
    assert!(text.contains("\n…/orders ") && text.contains("\n…/items "), "{text}");
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
}

#[test]
fn of_many_labels_a_terminal_shows_the_worst_and_a_file_all() {
    let labels: Vec<_> = (0..100).map(|number| format!("page {number:02}")).collect();
    let of = labelled(&labels);
    let text = text_of(&of, None, &terminal());
    assert!(text.contains("30 of 100 labels, those with most failures"), "{text}");
    let first = text.lines().find(|line| line.starts_with("page")).expect("a label");
    assert!(first.starts_with("page 77 "), "{text}");
    assert_eq!(text.matches("\npage ").count(), 30);
    assert_eq!(text_of(&of, None, &View::default()).matches("\npage ").count(), 100);
    assert_eq!(text_of(&of, None, &View { verbose: true, ..terminal() }).matches("\npage ").count(), 100);
}

#[test]
fn a_label_of_any_length_fits_and_counts_of_any_length_keep_the_columns() {
    let labels = ["x".repeat(10_000), "漢".repeat(10_000)];
    let mut of = labelled(&labels);
    of.rows[0].samples = 12_345_678_901;
    let text = text_of(&of, None, &terminal());
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    let widths: HashSet<_> =
        text.lines().filter(|line| line.contains("1.00")).map(UnicodeWidthStr::width).collect();
    assert_eq!(widths.len(), 1, "{text}");
}

#[test]
fn columns_are_those_that_are_asked_for() {
    let view = View { columns: vec![Column::Mean, Column::P999, Column::Errors], ..terminal() };
    let text = text_of(&testing::run().summary(), None, &view);
    let head = text.lines().find(|line| line.starts_with("label")).expect("a head");
    assert_eq!(head.split_whitespace().skip(4).collect::<Vec<_>>(), ["mean", "p99.9", "errors"]);
}

#[test]
fn shares_are_never_rounded_to_none_or_all() {
    let mut of = labelled(&["a".to_owned(), "b".to_owned()]);
    of.rows[0].samples = 1_000_000;
    of.rows[0].errors = 1;
    of.rows[1].samples = 1_000_000;
    of.rows[1].errors = 999_999;
    let text = text_of(&of, None, &terminal());
    assert!(text.contains(" <0.01 ") && text.contains(" >99.99 "), "{text}");
}

/// Samples that failed, as HTTP has them.
fn failed(times: usize, kind: FailureKind, message: &str) -> Summary {
    let mut recorder = Recorder::default();
    for _ in 0..times {
        recorder.record(&Observation {
            label: "Home",
            start_ns: 1_700_000_000_123_000_000,
            kind,
            code: "Non HTTP response code: org.apache.http.conn.HttpHostConnectException",
            message,
            ..Observation::default()
        });
    }
    Summary::of(&recorder.take_interval())
}

#[test]
fn roles_are_those_of_heads_headline_and_verdict() {
    let seen = Evidence { unreached: Some(1.0), ..Evidence::default() };
    let text = text_of(&failed(3, FailureKind::Refused, "x"), Some(&verdict(&seen)), &View::default());
    let roles: Vec<_> =
        text.parts().into_iter().filter_map(|(role, part)| Some((role?, part.trim()))).collect();
    let of = |role| roles.iter().filter(|part| part.0 == role).map(|part| part.1).collect::<Vec<_>>();
    let headline = text.lines().next().expect("a headline");
    assert_eq!(of(Role::Bad), [headline, "unusable", "INVALID"], "{roles:?}");
    let heads: Vec<_> = of(Role::Head).iter().map(|head| head.split(' ').next().expect("a name")).collect();
    assert_eq!(heads, ["count", "label"], "{roles:?}");
}

#[test]
fn the_first_line_says_that_nothing_answered_and_the_verdict_does_not_say_it_again() {
    let refused =
        "Non HTTP response message: Connect to 127.0.0.1:8080 [/127.0.0.1] failed: Connection refused";
    let seen = Evidence { unreached: Some(1.0), cpu_busy: Some((0, 1.0)), ..Evidence::default() };
    let run = failed(1537, FailureKind::Refused, refused);
    let text = text_of(&run, Some(&verdict(&seen)), &terminal());
    let said = "nothing answered: connection refused by 127.0.0.1:8080 (100 % of 1,537 samples)";
    assert_eq!(text.lines().next(), Some(said));
    let reason = "Measurement: unusable\n  INVALID   no sample reached a server that responds\n";
    assert!(text.contains(reason), "{text}");
    assert_eq!(text.matches("nothing answered").count(), 1, "{text}");
    assert!(!text.contains("the machine, not the server"), "{text}");
    let text_of_cause = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lead = " Home: 1,537 of 1,537 failed: connection refused by 127.0.0.1:8080; first at 22:13:20 UTC ";
    assert!(text_of_cause.contains(lead), "{text}");
    let all = text_of(&run, Some(&verdict(&seen)), &verbose());
    assert!(all.contains("first at 2023-11-14T22:13:20.123Z"), "{all}");
    let all = all.split_whitespace().collect::<Vec<_>>().join(" ");
    let cause = "connection refused: expected a connection to 127.0.0.1:8080; got a refusal";
    assert!(all.contains(cause), "{all}");
}

#[test]
fn errors_that_answer_are_not_called_silence() {
    let text = text_of(&failed(2, FailureKind::Status, "Not Found"), None, &terminal());
    assert!(text.starts_with("not one sample succeeded: status "), "{text}");
}

#[test]
fn times_of_failures_alone_are_muted_and_named() {
    let mut recorder = Recorder::default();
    for number in 0..300 {
        let label = if number % 3 == 0 { "POST /pay" } else { "GET /home" };
        let success = number % 3 != 0;
        // Each cause has some of the failures.
        let code = if number % 2 == 0 { "500" } else { "503" };
        recorder.record(&Observation {
            label,
            success,
            code,
            elapsed_ns: 1_000_000,
            ..Observation::default()
        });
    }
    let of = Summary::of(&recorder.take_interval());
    let text = text_of(&of, None, &terminal());
    assert!(text.contains("\nall failed, so these times are times of failures: POST /pay\n"), "{text}");
    let muted: Vec<_> = text.parts().into_iter().filter(|part| part.0 == Some(Role::Muted)).collect();
    assert_eq!(muted.len(), 4, "p50, p95, p99 and max of one label: {muted:?}");
    assert!(muted.iter().all(|(_, part)| matches!(part.trim(), "1.00" | "-")), "{muted:?}");
    let rules = [Judgement { all_failed: true, ..judgement("label(\"POST /pay\"): p(99)<800ms", true) }];
    let text = summary(&Results { judgements: &rules, ..results(&of, None) }, &terminal());
    assert!(text.parts().contains(&(Some(Role::Muted), "passed  ")), "{text}");
}

#[test]
fn what_changed_since_the_run_before_follows_the_headline() {
    let earlier = Earlier {
        name: "shop-20231114-221320".to_owned(),
        this: "shop-20231115-221320".to_owned(),
        samples: 9000,
        p95_ms: Some(40.0),
        per_s: Some(75.0),
        ..Earlier::default()
    };
    let run = testing::run().summary();
    let of = Results { earlier: Some(&earlier), ..results(&run, None) };
    let text = summary(&of, &terminal());
    let lines: Vec<_> = text.lines().skip(1).take(2).collect();
    let wanted = [
        "since shop-20231114-221320: p95 40 ms → 51 ms (+28 %), failed 0 % → 1 %",
        "  swell compare shop-20231114-221320 shop-20231115-221320",
    ];
    assert_eq!(lines, wanted);
}

#[test]
fn a_measurement_that_is_not_good_says_whether_p95_stands() {
    let sent = verdict(&Evidence { send_delay_p99_ns: Some(400_000), ..Evidence::default() });
    let text = text_of(&testing::run().summary(), Some(&sent), &terminal());
    assert!(text.contains("\n            p95 51 ms may be up to 0.4 ms too high\n"), "{text}");
    let good = verdict(&Evidence { send_delay_p99_ns: Some(1000), ..Evidence::default() });
    assert!(!text_of(&testing::run().summary(), Some(&good), &terminal()).contains("stands"));
    assert!(text_of(&testing::run().summary(), Some(&good), &verbose()).contains("p95 51 ms stands: "));
}
