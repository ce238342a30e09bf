//! Counts as agents report them: each once, in the interval that they are of, in two precisions.

use std::collections::BTreeMap;

use rand::Rng;
use rand::rngs::SmallRng;
use swell_fleet::reporting::IntervalReporter;
use swell_fleet::wire::Body;
use swell_stats::encoding::decode;
use swell_stats::{Observation, Recorder, Snapshot};

use super::{Checked, equal, must, one_of};

/// What was reported, as a controller adds it up.
#[derive(Default)]
struct Reported {
    live: Snapshot,
    fine: Snapshot,
    /// Samples of each interval.
    intervals: BTreeMap<i64, u64>,
    wrong: Option<String>,
}

impl Reported {
    fn take(&mut self, body: Body) {
        match body {
            Body::Counts { at_s, snapshot } => match decode::<Snapshot>(&snapshot) {
                Ok(snapshot) => {
                    let samples = snapshot.rows.iter().map(|row| row.stats.samples).sum::<u64>();
                    *self.intervals.entry(at_s).or_default() += samples;
                    snapshot.rows.iter().filter(|row| row.is_fine()).for_each(|row| self.fine.add_fine(row));
                    self.live.merge(&snapshot);
                }
                Err(error) => self.wrong = Some(error.to_string()),
            },
            Body::Fine { snapshot } => match decode::<Snapshot>(&snapshot) {
                Ok(snapshot) => snapshot.rows.iter().for_each(|row| self.fine.add_fine(row)),
                Err(error) => self.wrong = Some(error.to_string()),
            },
            other => self.wrong = Some(format!("{other:?}")),
        }
    }
}

/// Samples of some labels: few or many.
fn second(draws: &mut SmallRng) -> (Snapshot, u64) {
    let mut recorder = Recorder::default();
    let mut all = 0;
    for label in ["home", "search", "pay"] {
        let samples = one_of(draws, &[0, 1, 3, 40, 700]);
        for _ in 0..samples {
            let elapsed_ns = draws.random_range(0..3_000_000_000);
            let success = draws.random_bool(0.9);
            recorder.record(&Observation { label, success, elapsed_ns, ..Observation::default() });
        }
        all += samples;
    }
    (recorder.take_interval(), all)
}

/// Seconds that are counted, some late, and told as they end or before.
pub(super) fn check(draws: &mut SmallRng, operations: u32) -> Checked {
    let interval_s = draws.random_range(1..6);
    let mut reporter = IntervalReporter::new(one_of(draws, &["a.1", "b.7"]), interval_s);
    let step = i64::from(interval_s);
    let mut reported = Reported::default();
    let (mut truth, mut samples) = (Snapshot::default(), BTreeMap::<i64, u64>::new());
    let mut now_s = 1_700_000_000 + draws.random_range(0..100);
    for _ in 0..operations / 4 {
        let at_s = now_s - i64::from(draws.random_bool(0.2));
        let (counted, count) = second(draws);
        truth.merge(&counted);
        *samples.entry(at_s.div_euclid(step) * step).or_default() += count;
        reporter.count(at_s, &counted);
        now_s += i64::from(draws.random_bool(0.9)) + 60 * i64::from(draws.random_bool(0.03));
        let border_s = now_s.div_euclid(step) * step;
        let through_s = reporter.tell(now_s, |body| reported.take(body));
        equal("told through", &through_s, &((now_s - 1).div_euclid(step) * step))?;
        if draws.random_bool(0.1) {
            reporter.tell_so_far(&mut |body| reported.take(body));
            equal("all intervals", &told(&reported), &kept(&samples, i64::MAX))?;
        }
        let whole = kept(&samples, border_s);
        let is_told = told(&reported);
        let differs = whole.iter().find(|(at_s, samples)| is_told.get(*at_s) != Some(*samples));
        must(differs.is_none(), || format!("the interval {differs:?} is reported as {is_told:?}"))?;
        equal("samples told", &reporter.samples(), &is_told.values().sum::<u64>())?;
    }
    reporter.finish(|body| reported.take(body));
    if let Some(wrong) = reported.wrong {
        return Err(wrong);
    }
    equal("all intervals", &told(&reported), &kept(&samples, i64::MAX))?;
    let mut live = reported.live;
    equal("third digits without figures", &live.refine(&reported.fine), &0)?;
    for all in [&mut live, &mut truth] {
        all.rows.sort_by_key(|row| row.label.clone());
    }
    must(live.rows == truth.rows, || "the rows that were told are not those that were counted".to_owned())
}

/// Intervals with samples that begin before a second.
fn kept(samples: &BTreeMap<i64, u64>, border_s: i64) -> BTreeMap<i64, u64> {
    let whole = samples.iter().filter(|(at_s, samples)| **at_s < border_s && **samples > 0);
    whole.map(|(at_s, samples)| (*at_s, *samples)).collect()
}

fn told(reported: &Reported) -> BTreeMap<i64, u64> {
    kept(&reported.intervals, i64::MAX)
}
