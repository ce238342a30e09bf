//! What late starts change: runs whose truth is known, since the same samples without lateness are.

use rand::Rng;
use rand::rngs::SmallRng;
use swell_stats::{Changed, Observation, Recorder};

use super::{Checked, equal, must, one_of};

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

/// A sample: its lateness, and its service time.
fn sample(late_ns: u64, elapsed_ns: u64, of_rate: bool) -> Observation<'static> {
    Observation {
        label: "load",
        success: true,
        elapsed_ns,
        elapsed_ms: elapsed_ns / MS,
        start_delay_ns: Some(late_ns),
        response_ns: of_rate.then_some(late_ns + elapsed_ns),
        first_byte_ns: Some(elapsed_ns),
        ..Observation::default()
    }
}

fn changed(samples: impl IntoIterator<Item = Observation<'static>>) -> Option<Changed> {
    let mut recorder = Recorder::default();
    samples.into_iter().for_each(|seen| recorder.record(&seen));
    let all = recorder.take_interval();
    all.changed_by_late_starts(&all.total())
}

fn allowed_ns(changed: Changed) -> u64 {
    (changed.measured_ns * 3 / 400).max(200 * US)
}

/// Runs of each kind.
pub(super) fn check(draws: &mut SmallRng, _: u32) -> Checked {
    let measured_ns = draws.random_range(0..100 * MS);
    let figure = Changed { measured_ns, ..Changed::default() };
    equal("what a figure may be off by", &figure.allowed_ns(), &allowed_ns(figure))?;
    punctual(draws)?;
    late_responses(draws)?;
    late_users(draws)?;
    seldom(draws)?;
    few(draws)
}

/// No sample is late: nothing is changed.
fn punctual(draws: &mut SmallRng) -> Checked {
    let elapsed_ns = draws.random_range(MS..50 * MS);
    let most_ns = one_of(draws, &[0, 1_000, 50_000]);
    let samples = (0..draws.random_range(100..2_000)).map(|_| sample(most_ns, elapsed_ns, true));
    let found = changed(samples).ok_or("a punctual run has no figure")?;
    equal("a punctual run is changed by", &found.by_ns, &0)
}

/// Starts of a rate that are late make response times longer, by as much.
fn late_responses(draws: &mut SmallRng) -> Checked {
    let (elapsed_ns, late_ns) = (draws.random_range(MS..10 * MS), draws.random_range(5 * MS..90 * MS));
    let samples = draws.random_range(600..3_000);
    let found = changed((0..samples).map(|number| {
        // Three of ten: the 90th percentile is theirs.
        let late_ns = if number % 10 < 3 { late_ns } else { 0 };
        sample(late_ns, elapsed_ns, true)
    }));
    let found = found.ok_or("late response times have no figure")?;
    let is_of_late = found.of_responses && found.quantile.is_some_and(|quantile| quantile >= 0.9);
    let off_ns = (elapsed_ns + late_ns) / 512 + US;
    let is_right =
        found.by_ns.abs_diff(late_ns) <= off_ns && found.measured_ns.abs_diff(elapsed_ns + late_ns) <= off_ns;
    must(is_of_late && is_right, || {
        format!("response times {late_ns} ns too long of {elapsed_ns} ns: {found:?}")
    })
}

/// Samples of users that start late, and are faster or slower than others by chance only: the
/// figures are hardly off.
fn late_users(draws: &mut SmallRng) -> Checked {
    let late_ns = draws.random_range(MS..20 * MS);
    let elapsed_ns = draws.random_range(20 * MS..60 * MS);
    let samples = draws.random_range(1_000..4_000_u32);
    let found = changed((0..samples).map(|number| {
        let late_ns = if number % 5 == 0 { late_ns } else { 0 };
        sample(late_ns, elapsed_ns, false)
    }));
    let found = found.ok_or("late users have no figure")?;
    must(found.by_ns <= allowed_ns(found), || format!("users that are late and no slower: {found:?}"))
}

/// A few samples that are late and slow change the mean, and no percentile.
fn seldom(draws: &mut SmallRng) -> Checked {
    let samples = draws.random_range(5_000..8_000_u64);
    let elapsed_ns = MS;
    let slow_ns = draws.random_range(120 * MS..200 * MS);
    let found = changed((0..samples).map(|number| match number % 200 {
        0 => sample(slow_ns, slow_ns, false),
        _ => sample(0, elapsed_ns, false),
    }));
    let found = found.ok_or("a mean has no figure")?;
    let slow = samples.div_ceil(200);
    let mean_ns = (slow * slow_ns + (samples - slow) * elapsed_ns) / samples;
    let by_ns = mean_ns - elapsed_ns;
    let is_right = found.quantile.is_none()
        && !found.of_responses
        && found.measured_ns.abs_diff(mean_ns) <= 2
        && found.by_ns.abs_diff(by_ns) <= by_ns / 100 + US;
    must(is_right, || format!("the mean is off by {by_ns} of {mean_ns} ns: {found:?}"))
}

/// Labels with fewer samples have no figure.
fn few(draws: &mut SmallRng) -> Checked {
    let late_ns = draws.random_range(0..MS);
    let of = |samples: u64| changed((0..samples).map(|_| sample(late_ns, MS, true))).is_some();
    equal("whether 99 and 100 samples are judged", &(of(99), of(100)), &(false, true))
}
