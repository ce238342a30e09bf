use super::*;
use crate::{Observation, Recorder};

/// A second with this number of samples, all of one time; every `fail`th fails.
fn second(at_s: i64, label: &str, samples: u64, elapsed_ms: u64, fail: u64) -> Interval {
    let mut recorder = Recorder::default();
    for number in 0..samples {
        let start_ns = at_s * 1_000_000_000 + number.cast_signed() * 1_000_000_000 / samples.cast_signed();
        recorder.record(&Observation {
            label,
            success: fail == 0 || number % fail != 0,
            start_ns,
            end_ns: start_ns + elapsed_ms.cast_signed() * 1_000_000,
            elapsed_ns: elapsed_ms * 1_000_000,
            ..Observation::default()
        });
    }
    Interval {
        start_ms: at_s * 1000,
        length_ms: 1000,
        labels: recorder.take_interval(),
        ..Interval::default()
    }
}

fn judge(rules: &[&str]) -> Judge {
    let rules = rules.iter().map(|rule| Threshold::parse(rule).expect("a rule"));
    Judge::new(rules.collect(), None)
}

fn judged(rules: &[&str], seconds: &[Interval]) -> Vec<(bool, String)> {
    let mut judge = judge(rules);
    for second in seconds {
        judge.take(second);
    }
    judge.finish().into_iter().map(|judgement| (judgement.passed, judgement.text)).collect()
}

#[test]
fn a_rate_is_judged_from_the_first_user_on_and_not_while_agents_join() {
    let blank = |at_s: i64, started: u64| Interval {
        start_ms: at_s * 1000,
        length_ms: 1000,
        users: crate::Users { active: started, started, finished: 0 },
        ..Interval::default()
    };
    let rules = ["rps>50 over 2s"];
    let load = (5..9).map(|at| second(at, "Login", 100, 10, 0));
    let joins: Vec<_> = (0..5).map(|at| blank(at, 0)).chain(load.clone()).collect();
    assert_eq!(judged(&rules, &joins)[0], (true, "rps 100.0/s (limit 50.00/s)".to_owned()));
    let silent: Vec<_> = (0..5).map(|at| blank(at, 3)).chain(load).collect();
    assert!(!judged(&rules, &silent)[0].0, "users that get no answer are a figure");
}

#[test]
fn a_whole_run_is_judged_with_the_third_digit_that_comes_at_its_end() {
    // 1,003 ms are in a bucket of two digits that goes up to 1,006.6 ms, and in one of three up to
    // 1,003.5.
    let mut counted = second(0, "Login", 400, 1003, 0);
    counted.merge(&second(0, "Login", 5, 2000, 0));
    let coarse = Interval { labels: counted.labels.coarse(0), ..counted.clone() };
    let mut fine = Snapshot::default();
    fine.add_fine(&counted.labels.rows[0]);
    let rules = ["p90<1004ms", "each label: p90<1004ms", "p90<1004ms over 1s"];
    let mut judge = judge(&rules);
    judge.take(&coarse);
    let passed = |judge: &Judge| judge.finish().iter().map(|one| one.passed).collect::<Vec<_>>();
    let before = passed(&judge);
    judge.refine(&fine);
    assert_eq!((before, passed(&judge)), (vec![false; 3], vec![true, true, false]));
}

#[test]
fn rules_of_the_whole_run() {
    let seconds: Vec<_> = (0..20).map(|at| second(at, "Login", 100, 10 + at as u64, 50)).collect();
    let found = judged(
        &[
            "p(99)<50ms",
            "p(99)<20ms",
            "errors<3%",
            "errors<40",
            "rps>90",
            "samples>=2000",
            "mean<19.4ms",
            "label(/log/i): max<1s",
        ],
        &seconds,
    );
    let passed: Vec<_> = found.iter().map(|(passed, _)| *passed).collect();
    assert_eq!(passed, [true, false, true, false, true, true, false, true], "{found:#?}");
    assert!(
        found[1].1.starts_with("p(99) 29.0") && found[1].1.contains("(limit 20.00 ms)"),
        "{}",
        found[1].1
    );
    assert!(found[3].1.starts_with("errors 40 (limit 40)"), "{}", found[3].1);
}

#[test]
fn a_rule_that_matches_nothing_fails_and_tells_the_label_that_may_be_meant() {
    let seconds = [second(0, "Login", 5, 1, 0), second(1, "Search", 5, 1, 0)];
    let found = judged(
        &[
            r#"label("login"): mean<1s"#,
            r#"label("Pay"): errors<1%"#,
            "transaction: mean<1s",
            "connect.mean<1s",
            "mean<1s after 60s",
        ],
        &seconds,
    );
    assert!(found.iter().all(|(passed, _)| !passed), "{found:?}");
    assert!(
        found[0].1.ends_with("there is no sample of the label `login`; did you mean `Login`?"),
        "{}",
        found[0].1
    );
    assert!(found[1].1.ends_with("; labels of the run: `Login`, `Search`"), "{}", found[1].1);
    assert!(found[2].1.contains("no sample of any transaction"), "{}", found[2].1);
    assert_eq!(found[3].1, "connect.mean was not measured: no sample has this figure");
    assert_eq!(found[4].1, "the run ended after 2 s, so nothing is left to judge");
    let none = judged(&["rps>0"], &[]);
    assert_eq!((none.len(), none[0].1.as_str()), (1, "no match: there is no sample"));
}

#[test]
fn a_rule_on_times_fails_where_no_sample_reached_a_server() {
    let of_kind = |kind| {
        let mut recorder = Recorder::default();
        for elapsed_ns in 1..=30 {
            let label = "Login";
            recorder.record(&Observation { label, elapsed_ns, kind, ..Observation::default() });
        }
        Interval { length_ms: 1000, labels: recorder.take_interval(), ..Interval::default() }
    };
    let rules = ["p95<1s", r#"label("Login"): max<1s for 1s"#, "errors<=100%"];
    let told = |name: &str| (false, format!("{name} was not measured: no sample reached a server"));
    let found = judged(&rules, &[of_kind(FailureKind::Refused)]);
    assert_eq!(found[..2], [told("p(95)"), told("max")]);
    assert!(found[2].0, "{found:?}");
    let found = judged(&rules, &[of_kind(FailureKind::Refused), of_kind(FailureKind::Status)]);
    assert!(found.iter().all(|(passed, _)| *passed), "{found:?}");
}

#[test]
fn the_beginning_can_be_left_out() {
    let seconds: Vec<_> = (0..60).map(|at| second(at, "a", 50, if at < 30 { 900 } else { 9 }, 0)).collect();
    let found = judged(&["max<100ms", "max<100ms after 30s", "max<100ms after 29s"], &seconds);
    assert_eq!(
        found.iter().map(|(passed, _)| *passed).collect::<Vec<_>>(),
        [false, true, false],
        "{found:?}"
    );
}

#[test]
fn a_window_for_some_time_is_broken_only_without_a_break() {
    let slow = |at: i64| if (10..13).contains(&at) || (20..24).contains(&at) { 900 } else { 9 };
    let seconds: Vec<_> = (0..40).map(|at| second(at, "a", 50, slow(at), 0)).collect();
    let found = judged(&["p(95)<100ms for 5s", "p(95)<100ms for 4s", "p(95)<100ms for 3s"], &seconds);
    assert_eq!(
        found.iter().map(|(passed, _)| *passed).collect::<Vec<_>>(),
        [true, false, false],
        "{found:?}"
    );
    assert!(
        found[1].1.contains("in the last of 4 consecutive seconds, 24 s after the start"),
        "{}",
        found[1].1
    );
    assert!(found[2].1.contains("13 s after the start"), "{}", found[2].1);
}

#[test]
fn a_window_over_some_time_takes_its_samples_together() {
    let seconds: Vec<_> = (0..40).map(|at| second(at, "a", if at == 20 { 1 } else { 100 }, 9, 0)).collect();
    let found = judged(&["rps>60 over 2s", "rps>60 over 5s", "rps>10 for 1s"], &seconds);
    assert_eq!(
        found.iter().map(|(passed, _)| *passed).collect::<Vec<_>>(),
        [false, true, false],
        "{found:?}"
    );
    assert!(found[0].1.starts_with("rps 50.50/s over the 2 s up to 21 s after the start"), "{}", found[0].1);
}

#[test]
fn a_run_shorter_than_the_window_is_judged_as_a_whole() {
    let slow: Vec<_> = (0..3).map(|at| second(at, "a", 50, 900, 0)).collect();
    let quick: Vec<_> = (0..3).map(|at| second(at, "a", 50, 9, 0)).collect();
    for rule in ["p(95)<100ms for 10s", "p(95)<100ms over 10s"] {
        let found = judged(&[rule], &slow);
        assert!(!found[0].0 && found[0].1.contains("shorter than the window"), "{found:?}");
        assert!(judged(&[rule], &quick)[0].0, "{rule}");
    }
}

#[test]
fn a_second_without_samples_is_no_rate_and_no_time() {
    let mut seconds: Vec<_> = (0..10).map(|at| second(at, "a", 50, 900, 0)).collect();
    seconds.extend((10..20).map(|at| second(at, "a", 0, 0, 0)));
    let found = judged(&["rps>10 for 5s", "p(95)<100ms for 15s"], &seconds);
    assert_eq!((found[0].0, found[1].0), (false, true), "{found:?}");
}

#[test]
fn a_pause_is_not_judged() {
    let mut seconds: Vec<_> = (0..10).map(|at| second(at, "a", 50, 9, 0)).collect();
    seconds.extend((10..20).map(|at| Interval { is_paused: true, ..second(at, "a", 0, 0, 0) }));
    assert!(judged(&["rps>10 for 5s"], &seconds)[0].0);
}

#[test]
fn a_rule_that_ends_the_run_is_told_once_and_not_in_its_first_seconds() {
    let mut judge = judge(&["errors<10% abort", "errors<10% for 3s abort", "errors<10%"]);
    let told: Vec<_> = (0..15).map(|at| judge.take(&second(at, "a", 50, 9, 2)).len()).collect();
    assert_eq!(told, [0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]);
    let aborted: Vec<_> =
        judge.finish().iter().map(|judgement| (judgement.passed, judgement.aborted)).collect();
    assert_eq!(aborted, [(false, true), (false, true), (false, false)]);
}

#[test]
fn each_label_is_judged_by_itself() {
    let mut judge = judge(&["each label: mean<50ms"]);
    for at in 0..3 {
        let mut both = second(at, "slow", 20, 90, 0);
        both.labels.merge(&second(at, "quick", 2000, 1, 0).labels);
        judge.take(&both);
    }
    let found: Vec<_> = judge.finish().into_iter().map(|one| (one.rule, one.passed)).collect();
    let wanted = [
        ("each label: mean<50ms — quick".to_owned(), true),
        ("each label: mean<50ms — slow".to_owned(), false),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn a_baseline_is_the_same_figure_of_another_run() {
    let of = |elapsed_ms| second(0, "a", 1000, elapsed_ms, 0);
    let rules = || {
        vec![
            Threshold::parse("p(95)<baseline*1.1").expect("a rule"),
            Threshold::parse("label(\"b\"): mean<baseline").expect("a rule"),
        ]
    };
    let mut now = of(105);
    now.labels.merge(&second(0, "b", 10, 5, 0).labels);
    for (elapsed_ms, passed) in [(100, true), (90, false)] {
        let mut judge = Judge::new(rules(), Some(of(elapsed_ms).labels));
        judge.take(&now);
        let found = judge.finish();
        assert_eq!(found[0].passed, passed, "{found:?}");
        assert!(found[0].text.contains("; the baseline has "), "{}", found[0].text);
        assert!(
            !found[1].passed && found[1].text == "the baseline has no sample of the label `b`",
            "{}",
            found[1].text
        );
    }
}

#[test]
fn a_limit_within_the_noise_is_told() {
    let noisy = |at: i64| {
        let mut all = second(at, "a", 100, 100, 0);
        all.labels.merge(&second(at, "a", 6, 200 + (at as u64 * 37) % 100, 0).labels);
        all
    };
    let seconds: Vec<_> = (0..60).map(noisy).collect();
    let found = judged(&["p(97)<250ms", "p(97)<2s", "p(99.99)<2s"], &seconds);
    assert!(found[0].1.contains("; within noise: its 95 % confidence interval is "), "{}", found[0].1);
    assert!(!found[1].1.contains("noise"), "{}", found[1].1);
    assert!(found[2].1.contains("samples are not enough to be sure"), "{}", found[2].1);
}

#[test]
fn a_time_that_only_failures_have_passes_with_that_said() {
    let rules = ["p(95)<800ms", "errors<=100%", "mean>1s"];
    let judgements = |fail| {
        let mut judge = judge(&rules);
        judge.take(&second(0, "a", 1000, 10, fail));
        judge.finish()
    };
    let all = judgements(1);
    let flags: Vec<_> = all.iter().map(|judgement| (judgement.passed, judgement.all_failed)).collect();
    assert_eq!(flags, [(true, true), (true, false), (false, true)], "{all:?}");
    assert!(all[0].text.ends_with("ms (limit 800.0 ms); all samples failed"), "{}", all[0].text);
    let some = judgements(2);
    assert!(some.iter().all(|judgement| !judgement.all_failed && !judgement.text.contains("all samples")));
}
