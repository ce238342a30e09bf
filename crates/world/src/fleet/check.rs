//! What must hold in every world of a fleet.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use swell_fleet::wire::{Body, up};
use swell_stats::Snapshot;
use swell_stats::encoding::decode;

use super::agent::Truth;
use super::controller::Led;
use super::options::FleetOptions;

/// A slice that rests for longer than this, and two intervals, is lost load: the reports on both sides
/// stand for an interval each.
const LOST_S: f64 = 6.0;
/// One that rests for less is not.
const MADE_S: f64 = 0.5;

/// What is known at the end.
pub(super) struct Seen<'w> {
    pub(super) options: &'w FleetOptions,
    pub(super) truth: &'w Truth,
    /// What the last controller came to.
    pub(super) led: &'w Led,
    /// The world ended as it should; otherwise why not.
    pub(super) stuck: Option<String>,
}

/// What did not hold.
pub(super) fn check(seen: &Seen<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(stuck) = &seen.stuck {
        wrong.push(format!("life: {stuck}"));
    }
    wrong.extend(one_holder(seen.truth));
    if wrong.is_empty() {
        wrong.extend(totals(seen));
    }
    wrong
}

/// A slice is made by at most one agent at every instant: once another share has made it, a share
/// makes it no more.
fn one_holder(truth: &Truth) -> Option<String> {
    let mut by_slice: BTreeMap<u32, Vec<(i64, &str)>> = BTreeMap::new();
    for made in &truth.made {
        by_slice.entry(made.slice).or_default().push((made.at_ns, &made.share));
    }
    for (slice, mut made) in by_slice {
        made.sort_unstable();
        let mut left: BTreeSet<&str> = BTreeSet::new();
        let mut holder = "";
        for (at_ns, share) in made {
            if share == holder {
                continue;
            }
            left.insert(holder);
            if left.contains(share) {
                return Some(format!(
                    "P6 holder: slice {slice} was made by {holder} and by {share} at {at_ns} ns"
                ));
            }
            holder = share;
        }
    }
    None
}

/// What an agent told of a share.
#[derive(Default)]
struct Told {
    counts: u64,
    end: Option<u64>,
}

/// Each message once.
fn told(measured: &[Bytes]) -> BTreeMap<String, Told> {
    let mut seen = BTreeSet::new();
    let mut shares: BTreeMap<String, Told> = BTreeMap::new();
    for message in measured {
        let message = up(message).expect("as an agent sent it");
        if !seen.insert((message.agent, message.seq)) {
            continue;
        }
        let share = shares.entry(message.share).or_default();
        match message.body {
            Body::Counts { snapshot, .. } => {
                let snapshot = decode::<Snapshot>(&snapshot).expect("as an agent sent it");
                share.counts += snapshot.rows.iter().map(|row| row.stats.samples).sum::<u64>();
            }
            Body::End(end) => share.end = Some(end.samples),
            Body::Granted { .. } | Body::Fine { .. } | Body::Goes { .. } | Body::Failure { .. } => {}
        }
    }
    shares
}

/// Whether no number of an agent is missing before its last one.
fn has_all(received: &[Bytes]) -> bool {
    let mut numbers: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for message in received {
        let message = up(message).expect("as an agent sent it");
        numbers.entry(message.agent).or_default().insert(message.seq);
    }
    numbers.values().all(|seen| seen.last().is_none_or(|last| last + 1 == seen.len() as u64))
}

/// Totals are exact, each message counts once.
fn totals(seen: &Seen<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    let shares = told(&seen.led.received);
    for (name, told) in &shares {
        let Some((made, _)) = seen.truth.shares.get(name) else {
            // It was granted, and its agent ended before it began.
            continue;
        };
        if told.end.is_some_and(|end| end != *made || told.counts != end) {
            wrong.push(format!(
                "P6 report: {name} made {made} samples, told {} and ended with {:?}",
                told.counts, told.end
            ));
        }
        if told.counts > *made {
            wrong.push(format!("P6 report: {name} made {made} samples and told {}", told.counts));
        }
    }
    let Some(end) = &seen.led.end else {
        wrong.push("life: no controller has ended the run".to_owned());
        return wrong;
    };
    let received: u64 = shares.values().map(|told| told.counts).sum();
    if seen.led.counted != received {
        wrong.push(format!("P6 totals: {} samples counted of {received} that agents told", seen.led.counted));
    }
    // A message that was lost with a connection, of an agent that never came back, is missing.
    if end.failed.is_none()
        && has_all(&seen.led.received)
        && let Some(why) = &end.invalid
    {
        wrong.push(format!("P6 account: {why}"));
    }
    wrong.extend(calm(seen));
    wrong.extend(lost_load(seen));
    wrong
}

/// The longest time in which a slice was not made while the load lasted, seconds.
fn longest_gap_s(seen: &Seen<'_>) -> f64 {
    let made = &seen.truth.made;
    let Some(from_ns) = made.iter().map(|made| made.at_ns).min() else {
        return f64::from(seen.options.length_s);
    };
    let until_ns = from_ns + i64::from(seen.options.length_s) * 1_000_000_000;
    let mut gaps = (0..seen.options.slices).map(|slice| {
        let mut times: Vec<i64> =
            made.iter().filter(|made| made.slice == slice).map(|made| made.at_ns.min(until_ns)).collect();
        times.extend([from_ns, until_ns]);
        times.sort_unstable();
        times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    });
    gaps.by_ref().max().unwrap_or(0) as f64 / 1e9
}

/// Load that was wanted and not made is said to be lost; none is where all was made.
fn lost_load(seen: &Seen<'_>) -> Option<String> {
    let end = seen.led.end.as_ref().filter(|end| end.failed.is_none())?;
    let gap_s = longest_gap_s(seen);
    let least_s = LOST_S + 2.0 * f64::from(seen.options.interval_s);
    if gap_s > least_s && end.lost.is_none() {
        return Some(format!(
            "P6 lost: a slice was not made for {gap_s:.1} s, and no load is said to be lost"
        ));
    }
    // What was made and never came is lost as well.
    let made: u64 = seen.truth.shares.values().map(|(samples, _)| samples).sum();
    let lost = end.lost.as_ref().filter(|_| gap_s < MADE_S && seen.led.counted == made)?;
    Some(format!(
        "P6 lost: all load was made (gaps up to {gap_s:.1} s), but {:?} is said to be lost",
        lost.load
    ))
}

/// Where nothing goes wrong, all load is made and nothing is said to be lost.
fn calm(seen: &Seen<'_>) -> Option<String> {
    let FleetOptions { slices, length_s, samples, .. } = *seen.options;
    if !seen.options.faults.is_empty() {
        return None;
    }
    // A second that an agent still counts would come twice.
    if let Some(pair) = seen.led.closed_s.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Some(format!("P6 seconds: the seconds {pair:?} were closed one after the other"));
    }
    let most = u64::from(slices) * u64::from(samples) * (u64::from(length_s) * 20 + 1);
    let counted = seen.led.counted;
    let lost = seen.led.end.as_ref().and_then(|end| end.lost.as_ref());
    let failed = seen.led.end.as_ref().and_then(|end| end.failed.as_ref());
    (counted > most || counted * 10 < most * 9 || lost.is_some() || failed.is_some())
        .then(|| format!("P6 calm: {counted} samples of {most}; lost {lost:?}, failed {failed:?}"))
}
