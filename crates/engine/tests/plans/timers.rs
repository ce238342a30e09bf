//! Timers on the real clock.

use std::rc::Rc;
use std::time::Duration;

use swell_api::{Sampler, SamplerFuture, User};

use crate::bench::{Bench, Instant, calmly, element, group, java, plan, sampler, text};

const MS: i64 = 1_000_000;

#[test]
fn think_time_starts_at_the_end_of_the_sample() {
    let timers = [
        element("ConstantTimer", "t", &text("ConstantTimer.delay", "20"), ""),
        element("ConstantTimer", "u", &text("ConstantTimer.delay", "10"), ""),
    ]
    .concat();
    let jmx = plan(&group("G", 1, 4, "", &[timers, java("a", "OK", 5)].concat()));
    let ran = Bench::default().run(&jmx);
    for pair in ran.heard.windows(2) {
        assert_eq!(pair[1].intended_ns, pair[0].end_ns + 30 * MS, "both timers are summed");
        assert!(pair[1].start_ns >= pair[1].intended_ns);
    }
}

#[test]
fn a_constant_throughput_is_exact_below_the_millisecond() {
    for mode in ["0", "1", "2", "3", "4"] {
        let timer = element(
            "ConstantThroughputTimer",
            "t",
            &format!("{}{}", text("throughput", "40000"), text("calcMode", mode)),
            "",
        );
        let jmx = plan(&group("G", 1, 101, "", &[timer, sampler("a")].concat()));
        let ran = Bench::default().workers(1).run(&jmx);
        let slots: Vec<_> = ran.heard.iter().map(|heard| heard.intended_ns).collect();
        let least = slots.windows(2).map(|pair| pair[1] - pair[0]).min();
        // JMeter would take 2 ms. Longer ones come where the user was late: it does not catch up.
        assert_eq!(least, Some(1_500_000), "mode {mode}");
        assert!(ran.heard.iter().all(|heard| heard.start_ns >= heard.intended_ns));
    }
}

#[test]
fn a_pause_is_no_lateness_of_the_next_sample() {
    let properties = [text("ActionProcessor.action", "1"), text("ActionProcessor.duration", "20")];
    let pause = element("TestAction", "p", &properties.concat(), "");
    let ran = Bench::default().run(&plan(&group("G", 1, 3, "", &[pause, sampler("a")].concat())));
    for pair in ran.heard.windows(2) {
        assert_eq!(pair[1].intended_ns - pair[0].end_ns, 20 * MS);
    }
}

#[test]
fn synchronized_users_go_together_across_workers() {
    let timer = element("SyncTimer", "sync", &text("groupSize", "4"), "");
    let jmx = plan(&group("G", 4, 3, "", &[timer, sampler("a")].concat()));
    let ran = Bench::default().workers(2).run(&jmx);
    assert_eq!(ran.heard.len(), 12);
    let mut starts: Vec<_> = ran.heard.iter().map(|heard| heard.start_ns).collect();
    starts.sort_unstable();
    // With a short timeout a meeting that is never complete breaks.
    let timer =
        element("SyncTimer", "sync", &[text("groupSize", "4"), text("timeoutInMs", "20")].concat(), "");
    let ran = Bench::default().workers(2).run(&plan(&group("G", 3, 1, "", &[timer, sampler("a")].concat())));
    assert_eq!(ran.heard.len(), 3);
}

#[test]
fn a_precise_throughput_spreads_its_samples_over_the_window() {
    let properties = [
        text("throughput", "50"),
        text("throughputPeriod", "1"),
        text("duration", "1"),
        text("randomSeed", "7"),
    ];
    let timer = element("PreciseThroughputTimer", "t", &properties.concat(), "");
    let more = [text("ThreadGroup.scheduler", "true"), text("ThreadGroup.duration", "1")].concat();
    let jmx = plan(&group("G", 5, -1, &more, &[timer, sampler("a")].concat()));
    let Some(ran) = calmly(|| Bench::default().run(&jmx)) else { return };
    let count = ran.heard.len();
    assert!((25..=53).contains(&count), "{count}");
}

#[test]
fn a_late_start_is_charged_to_the_user_who_was_busy_and_not_to_the_tool() {
    // 100 samples a second are wanted, and the one user takes 40 ms for each.
    let properties = [text("throughput", "6000"), text("calcMode", "swell.schedule")].concat();
    let timer = element("ConstantThroughputTimer", "t", &properties, "");
    let ran =
        Bench::default().workers(1).run(&plan(&group("G", 1, 5, "", &[timer, java("a", "OK", 40)].concat())));
    let first_ns = ran.heard[0].intended_ns;
    for (slot, heard) in (0..).zip(&ran.heard) {
        assert_eq!(heard.intended_ns, first_ns + slot * 10 * MS);
        let response_ns = heard.response_ns.expect("a rate is set");
        assert!(response_ns >= (slot + 1) * 30 * MS, "{slot}: {response_ns}");
        assert!(heard.start_ns >= heard.ready_ns);
    }
    for pair in ran.heard.windows(2) {
        // Until then the user was busy, less what the tool was late with the sample before; up to 1
        // ms of that is not handed on.
        let late_ns = pair[0].start_ns - pair[0].ready_ns;
        let handed_on_ns = pair[0].end_ns - pair[1].ready_ns;
        assert!((0..=MS).contains(&(late_ns - handed_on_ns)), "{late_ns} {handed_on_ns}");
    }
}

/// Holds up its worker, and all users there.
struct Holding;

impl Sampler for Holding {
    fn sample<'a>(&'a self, _user: &'a mut User) -> SamplerFuture<'a> {
        std::thread::sleep(Duration::from_millis(300));
        Box::pin(std::future::ready(None))
    }
}

#[test]
fn what_a_worker_that_stood_still_makes_late_is_charged_to_the_tool() {
    // 100 samples a second by two users, and for 300 ms nothing moves.
    let properties = [text("throughput", "6000"), text("calcMode", "swell.schedule")].concat();
    let timer = element("ConstantThroughputTimer", "t", &properties, "");
    let pause = element("ConstantTimer", "t", &text("ConstantTimer.delay", "50"), "");
    let groups = [
        group("G", 2, 30, "", &[timer, element("InstantSampler", "a", "", "")].concat()),
        group("H", 1, 1, "", &[pause, element("HoldingSampler", "h", "", "")].concat()),
    ];
    let mut bench = Bench::default().workers(1);
    bench.add_sampler("InstantSampler", |_, _| {
        Rc::new(Instant { success: true, body: "", code: "200", message: "OK" })
    });
    bench.add_sampler("HoldingSampler", |_, _| Rc::new(Holding));
    let ran = bench.run(&plan(&groups.concat()));
    let late =
        ran.heard.iter().map(|heard| (heard.start_ns - heard.intended_ns, heard.start_ns - heard.ready_ns));
    let held: Vec<_> = late.filter(|(late_ns, _)| *late_ns > 20 * MS).collect();
    assert!(held.len() >= 25, "{held:?}");
    // Turns of a busy user are short, and not handed on.
    assert!(held.iter().all(|(late_ns, charged_ns)| late_ns - charged_ns < 10 * MS), "{held:?}");
}

#[test]
fn users_time_is_in_samples_and_in_what_the_plan_wants_them_to_wait() {
    let pause = [text("ActionProcessor.action", "1"), text("ActionProcessor.duration", "30")].concat();
    let pause = element("TestAction", "p", &pause, "");
    let timer = element("ConstantTimer", "t", &text("ConstantTimer.delay", "20"), "");
    let body = [pause, java("a", "OK", 10), timer].concat();
    let ran = Bench::default().workers(2).run(&plan(&group("G", 3, 2, "", &body)));
    for pair in ran.heard.iter().filter(|h| h.thread.ends_with("-1")).collect::<Vec<_>>().windows(2) {
        assert_eq!(
            pair[1].intended_ns - pair[0].end_ns,
            (20 + 30 + 20) * MS,
            "the pause comes after its timer"
        );
    }
    let spent = ran.outcome.spent;
    let ms = |ns: u128| ns as f64 / 1e6;
    assert_eq!(spent.waited_ns, 3 * 2 * (20 + 30 + 20) * 1_000_000);
    assert!(ms(spent.sampled_ns) >= 60.0, "{spent:?}");
    // A user that begins late has lived less than its first wait, which counts as the plan wants
    // it: 20 and 30 ms for each.
    let late_ns = 3 * (20 + 30) * 1_000_000;
    assert!(spent.lived_ns + late_ns >= spent.sampled_ns + spent.waited_ns, "{spent:?}");
}
