//! The seconds that subscribers receive.

use swell_engine::Phase;

use crate::plans::{counts, plan, settings, start, target};
use swell_run::Trial;

#[test]
fn all_subscribers_get_all_samples_and_one_that_takes_nothing_holds_up_nobody() {
    let site = target();
    let trial =
        Trial::prepare(&plan(site.addr(), "/bytes/100", 3, 400), settings()).expect("the plan can run");
    let first = trial.subscribe();
    let second = trial.subscribe();
    let idle = trial.subscribe();
    let running = trial.start().expect("threads");
    let by_labels: u64 = first.map(|second| second.labels().total().samples).sum();
    let report = running.wait();
    let last: Vec<_> = second.collect();
    let by_totals: u64 = last.iter().map(|second| second.total.samples).sum();
    assert_eq!((counts(&report), by_labels, by_totals), ((1200, 0), 1200, 1200));
    let last = last.last().expect("the last second");
    assert!(last.is_last && last.samples == 1200 && last.errors == 0);
    assert_eq!((last.users().active, last.users().finished), (0, 3));
    let status = last.status.as_ref().expect("it ran");
    assert_eq!(
        (status.samples, status.groups[0].name.as_str(), status.groups[0].finished),
        (1200, "users", 3)
    );
    let spent = last.time_spent();
    assert!(spent.sampled_ns > 0 && spent.sampled_ns <= spent.lived_ns, "{spent:?}");
    assert_eq!(Some(spent), report.outcome.map(|outcome| outcome.spent));
    let intervals: Vec<_> = idle.map(|second| second.interval()).collect();
    let mut whole = swell_stats::Interval::default();
    for interval in &intervals {
        whole.merge(interval);
    }
    assert_eq!((whole.labels.total().samples, whole.users.finished), (1200, 3));
    assert!(intervals.windows(2).all(|pair| pair[0].end_ms() == pair[1].start_ms), "nothing lies between");
    assert_eq!(intervals.iter().filter_map(|interval| interval.wanted.users).max(), Some(3));
}

#[test]
fn while_it_runs_a_second_tells_samples_users_and_time_spent() {
    let site = target();
    let running = start(&plan(site.addr(), "/bytes/100", 2, -1), settings());
    let control = running.control();
    let mut seconds = running.subscribe();
    let told = seconds.find(|second| second.time_spent().sampled_ns > 0 && second.total.samples > 0);
    let told = told.expect("it runs until it is stopped");
    let status = told.status.as_ref().expect("it has begun");
    assert_eq!((status.phase, told.users().active, told.is_last), (Some(Phase::Main), 2, false));
    assert!(status.samples > 0 && told.samples > 0);
    let progress = control.progress();
    assert!(progress.counted.total().samples >= told.samples);
    control.stop();
    assert!(seconds.any(|second| second.is_last));
    assert_eq!(counts(&running.wait()).1, 0);
}

#[test]
fn a_property_that_is_set_from_outside_changes_a_trial_that_runs() {
    let site = target();
    let running = start(&plan(site.addr(), "/bytes/${__P(size,10)}", 2, -1), settings());
    let control = running.control();
    let mut seconds = running.subscribe();
    let bytes = |second: &swell_run::Second| second.total.bytes / second.total.samples.max(1);
    let before = seconds.find(|second| second.total.samples > 0).expect("it runs until it is stopped");
    assert!(bytes(&before) < 10_000, "{}", bytes(&before));
    control.set_property("size", "20000");
    assert!(seconds.any(|second| bytes(&second) > 20_000), "the trial ended without");
    control.stop();
    assert_eq!(counts(&running.wait()).1, 0);
}

#[test]
fn a_trial_can_be_stopped_at_once_and_left() {
    let site = target();
    let hanging = plan(site.addr(), "/delay/600s", 2, 1);
    let running = start(&hanging, settings());
    let begun = running.subscribe().any(|second| second.users().active == 2);
    assert!(begun);
    running.control().stop_now();
    let report = running.wait();
    assert_eq!(report.outcome.expect("it ended").cut, 2);
    let left = start(&hanging, settings());
    left.control().abandon();
    let report = left.wait();
    assert!(report.outcome.is_none() && !report.broken);
}
