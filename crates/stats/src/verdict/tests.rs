use super::*;

fn none() -> Evidence {
    Evidence::default()
}

fn level(evidence: &Evidence) -> Grade {
    verdict(evidence).grade
}

#[test]
fn limits_of_each_criterion() {
    let parts = |make: fn(f64) -> Evidence, valid: f64, degraded: f64| {
        [valid, valid * 1.01 + 1e-9, degraded, degraded * 1.01].map(|value| level(&make(value)))
    };
    let expected = [Grade::Valid, Grade::Degraded, Grade::Degraded, Grade::Invalid];
    let start = |ms: f64| Evidence { start_delay_p99_ns: Some((ms * 1e6) as u64), ..none() };
    assert_eq!(parts(start, 1.0, 10.0), expected);
    let read =
        |ms: f64| Evidence { read_delay_p99_ns: Some((ms * 1e6) as u64), read_delay_counts: true, ..none() };
    assert_eq!(parts(read, 0.2, 1.0), expected);
    type Case = (fn(f64) -> Evidence, f64, f64);
    let table: [Case; 8] = [
        (|x| Evidence { disk_wait: Some(x), ..none() }, 0.001, 0.01),
        (|x| Evidence { cpu_busy: Some((1, x)), ..none() }, 0.7, 0.9),
        (|x| Evidence { run_queue_wait: Some(x), ..none() }, 0.2, 0.4),
        (|x| Evidence { rate_error: Some(-x), ..none() }, 0.01, 0.05),
        (|x| Evidence { dropped_starts: Some(x), ..none() }, 0.0, 0.001),
        (|x| Evidence { resource_exhaustion: Some(x), ..none() }, 0.0, 0.001),
        (|x| Evidence { send_delay_p99_ns: Some((x * 1e6) as u64), ..none() }, 0.2, 1.0),
        (|x| Evidence { clock_grain_ns: Some((x * 1e6).round() as u64), ..none() }, 0.005, 0.1),
    ];
    for (make, valid, degraded) in table {
        assert_eq!(parts(make, valid, degraded), expected, "{:?}", make(1.0));
    }
}

#[test]
fn what_the_machine_does_is_noted_and_no_more() {
    for evidence in [
        Evidence { steal: Some(0.9), ..Evidence::default() },
        Evidence { timed_elsewhere: Some(0.01), ..Evidence::default() },
        Evidence { retransmits: Some(0.9), ..Evidence::default() },
        Evidence { accept_queue: Some(0.9), ..Evidence::default() },
        Evidence { connect_retries: Some(0.9), ..Evidence::default() },
        Evidence { clock_steps: Some(1), ..Evidence::default() },
        Evidence { memory_free: Some(0.01), ..Evidence::default() },
    ] {
        assert_eq!(level(&evidence), Grade::Degraded, "{evidence:?}");
    }
    let fine =
        Evidence { steal: Some(0.0), clock_steps: Some(0), memory_free: Some(0.5), ..Evidence::default() };
    assert_eq!((level(&fine), verdict(&fine).gates.len()), (Grade::Valid, 3));
}

#[test]
fn late_reads_that_are_part_of_the_times_are_judged_by_the_times() {
    let read = |delay_us: u64, median_ms: u64| {
        let read_delay_p99_ns = Some(delay_us * 1000);
        let elapsed_p50_ns = median_ms * 1_000_000;
        level(&Evidence { read_delay_p99_ns, elapsed_p50_ns, read_delay_counts: true, ..Evidence::default() })
    };
    assert_eq!([read(200, 1), read(201, 1), read(1000, 1), read(1001, 1)].map(|l| l as u8), [0, 1, 1, 2]);
    assert_eq!(
        [read(1000, 100), read(1001, 100), read(5000, 100), read(5001, 100)].map(|l| l as u8),
        [0, 1, 1, 2]
    );
}

#[test]
fn late_starts_are_judged_by_what_they_did_to_a_figure_and_late_reads_by_the_starts_that_follow() {
    let of = |measured_ms: u64, by_us: u64| {
        let changed = Changed {
            quantile: Some(0.99),
            measured_ns: measured_ms * 1_000_000,
            by_ns: by_us * 1_000,
            of_responses: false,
        };
        let start_delay_p99_ns = Some(23_590_000);
        let seen = Evidence { late_starts: Some(changed), start_delay_p99_ns, ..none() };
        let found = verdict(&Evidence { read_delay_p99_ns: Some(23_590_000), ..seen });
        assert_eq!(found.gates.len(), 1, "late reads make late starts: {found:?}");
        found.grade as u8
    };
    assert_eq!([of(500, 3_750), of(500, 3_751), of(500, 25_000), of(500, 25_001)], [0, 1, 1, 2]);
    assert_eq!([of(2, 200), of(2, 201), of(2, 1_000), of(2, 1_001)], [0, 1, 1, 2]);
}

#[test]
fn load_is_not_judged_where_nothing_reaches_a_server() {
    let users_time = Some(UsersTime { lived_s: 10.0, sampled_s: 1.0, waited_s: 0.0, samples: 9 });
    let busy = Evidence {
        cpu_busy: Some((0, 1.0)),
        run_queue_wait: Some(0.9),
        rate_error: Some(-0.9),
        dropped_starts: Some(0.9),
        start_delay_p99_ns: Some(90_000_000),
        users_time,
        clock_steps: Some(0),
        ..none()
    };
    let judged = |part| {
        let found = verdict(&Evidence { unreached: Some(part), ..busy.clone() });
        (found.grade, found.gates.iter().map(|gate| gate.criterion).collect::<Vec<_>>())
    };
    assert_eq!(judged(0.0).1.len(), 8);
    assert_eq!(judged(0.1).0, Grade::Invalid);
    assert_eq!(judged(0.5), (Grade::Degraded, vec![Criterion::Unreached, Criterion::ClockSteps]));
    assert_eq!(judged(1.0), (Grade::Invalid, vec![Criterion::Unreached, Criterion::ClockSteps]));
}

#[test]
fn the_worst_gate_decides_and_what_was_not_measured_is_not_judged() {
    assert_eq!(
        verdict(&Evidence::default()),
        Verdict {
            grade: Grade::Valid,
            gates: Vec::new(),
            read_delay_counts: false,
            neighbour: None,
            machine_tcp: None,
            processors: None,
            culprit: None,
            culprit_machine: None,
            scripts: None,
            refusal: None
        }
    );
    let seen = Evidence { cpu_busy: Some((3, 0.95)), steal: Some(0.5), ..Evidence::default() };
    let found = verdict(&seen);
    assert_eq!((found.grade, found.gates.len(), found.gates[0].worker), (Grade::Invalid, 2, Some(3)));
}

#[test]
fn scripts_are_the_limit_where_their_calls_wait_for_threads_and_a_few_calls_say_nothing() {
    let of = |calls, waited_s| {
        let scripts = ScriptTime { calls, waited_s, ran_s: 9.0, ..ScriptTime::default() };
        verdict(&Evidence { scripts: Some(scripts), ..none() })
    };
    assert_eq!(
        (of(1_000, 1.0).grade, of(1_000, 1.1).grade, of(1_000, 1e6).grade),
        (Grade::Valid, Grade::Degraded, Grade::Degraded)
    );
    assert_eq!((of(99, 9.0).gates.len(), of(1_000, 1.1).gates[0].criterion), (0, Criterion::ScriptWait));
}

#[test]
fn a_neighbour_is_named_where_a_gate_suffers_from_it() {
    let neighbour = Some(Neighbour { address: ([127, 0, 0, 1], 8080).into(), processors: 2 });
    let named = |evidence| verdict(&Evidence { neighbour, ..evidence }).neighbour;
    assert_eq!(named(Evidence { run_queue_wait: Some(0.3), ..none() }), neighbour);
    assert_eq!(named(Evidence { run_queue_wait: Some(0.1), ..none() }), None, "it is valid");
    assert_eq!(named(Evidence { clock_steps: Some(3), ..none() }), None, "there is no culprit");
    assert_eq!(verdict(&Evidence { run_queue_wait: Some(0.3), ..none() }).neighbour, None);
}

#[test]
fn little_accounts_for_the_time_of_users() {
    let time = |lived_s| UsersTime { lived_s, sampled_s: 25.0, waited_s: 75.0, samples: 100 };
    let close = |gap: Option<f64>, to: f64| gap.is_some_and(|gap| (gap - to).abs() < 1e-9);
    assert!(close(time(100.0).gap(), 0.0) && close(time(125.0).gap(), 0.25));
    assert!(close(time(99.0).gap(), 0.0), "a user's last wait may be cut");
    assert_eq!(UsersTime::default().gap(), None);
    let judged = |lived_s| level(&Evidence { users_time: Some(time(lived_s)), ..Evidence::default() });
    assert_eq!([101.0, 101.1, 105.0, 105.1].map(|s| judged(s) as u8), [0, 1, 1, 2]);
}

#[test]
fn short_cycles_may_cost_the_tool_a_fifth_of_a_millisecond() {
    // A thousand samples of 1 ms each.
    let judged = |own_s: f64| {
        let users_time = UsersTime { lived_s: 1.0 + own_s, sampled_s: 1.0, waited_s: 0.0, samples: 1000 };
        level(&Evidence { users_time: Some(users_time), ..Evidence::default() })
    };
    assert_eq!([0.199, 0.201, 0.999, 1.001].map(|s| judged(s) as u8), [0, 1, 1, 2]);
}
