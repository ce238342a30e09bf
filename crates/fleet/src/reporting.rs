//! What a share counts, as its agent tells it: each interval with two digits where a label has many
//! samples, and the third digit of those seldom
//! ([why](../../../../docs/decisions/2026-11-25-two-precisions.md)). Pure: seconds go in, messages
//! come out.

use std::collections::BTreeMap;

use swell_stats::{FINE_UP_TO, Snapshot};

use crate::pieces::{PIECE, pieces};
use crate::wire::Body;

/// How often the third digit is reported.
const FINE_EVERY_S: i64 = 60;

/// A share that is reported.
pub struct IntervalReporter {
    interval_s: i64,
    /// What is not told yet, by the beginning of its interval.
    untold: BTreeMap<i64, Snapshot>,
    /// The third digit of what was told with two.
    fine: Snapshot,
    /// When that is due. Shares differ in it, so that not all of a test tell theirs at once.
    fine_due_s: Option<i64>,
    phase_s: i64,
    /// Samples that were told.
    samples: u64,
}

impl IntervalReporter {
    /// A share of that name, told every `interval_s` seconds.
    pub fn new(share: &str, interval_s: u32) -> Self {
        let sum = share.bytes().fold(0_i64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        Self {
            interval_s: i64::from(interval_s.max(1)),
            untold: BTreeMap::new(),
            fine: Snapshot::default(),
            fine_due_s: None,
            phase_s: sum.rem_euclid(FINE_EVERY_S),
            samples: 0,
        }
    }

    /// Samples that were told.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Takes what was counted in a second, named by whole seconds since the epoch.
    pub fn count(&mut self, at_s: i64, counted: &Snapshot) {
        self.untold.entry(self.border(at_s)).or_default().merge(counted);
    }

    /// Reports the counts of the intervals that have ended at that second. Returns the second
    /// before which all is reported: workers count a second when it has ended, and the last of them
    /// may be late, so that is the second before.
    pub fn tell(&mut self, now_s: i64, mut send: impl FnMut(Body)) -> i64 {
        let border_s = self.border(now_s);
        while let Some(entry) = self.untold.first_entry().filter(|entry| *entry.key() < border_s) {
            let (at_s, counted) = entry.remove_entry();
            self.tell_interval(at_s, &counted, &mut send);
        }
        let due_s = *self.fine_due_s.get_or_insert_with(|| {
            let since_s = (now_s - self.phase_s).rem_euclid(FINE_EVERY_S);
            now_s + FINE_EVERY_S - since_s
        });
        if now_s >= due_s {
            self.fine_due_s = Some(due_s + FINE_EVERY_S);
            self.tell_fine(&mut send);
        }
        self.border(now_s - 1)
    }

    /// Reports the counts of an interval before it ends: what is not reported is lost with this
    /// process.
    pub fn tell_so_far(&mut self, send: &mut impl FnMut(Body)) {
        for (at_s, counted) in std::mem::take(&mut self.untold) {
            self.tell_interval(at_s, &counted, send);
        }
    }

    /// Tells all that is left.
    pub fn finish(&mut self, mut send: impl FnMut(Body)) {
        self.tell_so_far(&mut send);
        self.tell_fine(&mut send);
    }

    /// The beginning of the interval of a second. Intervals begin at multiples of their length, on
    /// all machines alike.
    fn border(&self, at_s: i64) -> i64 {
        at_s.div_euclid(self.interval_s) * self.interval_s
    }

    fn tell_interval(&mut self, at_s: i64, counted: &Snapshot, send: &mut impl FnMut(Body)) {
        for row in &counted.rows {
            self.samples += row.stats.samples;
            if row.stats.samples > FINE_UP_TO {
                self.fine.add_fine(row);
            }
        }
        for snapshot in pieces(&counted.coarse(FINE_UP_TO), PIECE) {
            send(Body::Counts { at_s, snapshot });
        }
    }

    /// After the intervals that it belongs to.
    fn tell_fine(&mut self, send: &mut impl FnMut(Body)) {
        let fine = std::mem::take(&mut self.fine);
        if fine.rows.is_empty() {
            return;
        }
        for snapshot in pieces(&fine, PIECE) {
            send(Body::Fine { snapshot });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use swell_stats::encoding::decode;
    use swell_stats::{LabelRow, Observation, Recorder};

    /// A second with this number of samples of each label.
    fn second(at_s: i64, samples: [u16; 2]) -> Snapshot {
        let mut recorder = Recorder::default();
        for (label, samples) in ["few", "many"].into_iter().zip(samples) {
            for number in 0..u64::from(samples) {
                let elapsed_ns = 1_000_000 + 997 * number * (1 + at_s.unsigned_abs() % 7);
                recorder.record(&Observation { label, success: true, elapsed_ns, ..Observation::default() });
            }
        }
        recorder.take_interval()
    }

    /// All that was told, as a controller adds it up.
    #[derive(Default)]
    struct ReportedTotals {
        live: Snapshot,
        fine: Snapshot,
        begins: Vec<i64>,
        fine_messages: usize,
    }

    impl ReportedTotals {
        fn take(&mut self, body: Body) {
            match body {
                Body::Counts { at_s, snapshot } => {
                    let snapshot: Snapshot = decode(&snapshot).expect("a snapshot");
                    snapshot.rows.iter().filter(|row| row.is_fine()).for_each(|row| self.fine.add_fine(row));
                    self.live.merge(&snapshot);
                    self.begins.push(at_s);
                }
                Body::Fine { snapshot } => {
                    let snapshot: Snapshot = decode(&snapshot).expect("a snapshot");
                    snapshot.rows.iter().for_each(|row| self.fine.add_fine(row));
                    self.fine_messages += 1;
                }
                other => panic!("{other:?}"),
            }
        }

        fn rows(mut self) -> Vec<LabelRow> {
            assert_eq!(self.live.refine(&self.fine), 0);
            self.live.rows.sort_by_key(|row| row.label.clone());
            self.live.rows
        }
    }

    proptest! {
        #[test]
        fn what_is_told_is_what_was_counted_and_at_any_time_whole_up_to_its_border(
            seconds in proptest::collection::vec([0_u16..30, 0_u16..900], 0..150), interval_s in 1_u32..7, share in 0_u8..200,
        ) {
            let mut telling = IntervalReporter::new(&format!("a.{share}"), interval_s);
            let mut told = ReportedTotals::default();
            let mut truth = Snapshot::default();
            for (at_s, samples) in (1000..).zip(&seconds) {
                let counted = second(at_s, *samples);
                truth.merge(&counted);
                telling.count(at_s, &counted);
                let through_s = telling.tell(at_s + 1, |body| told.take(body));
                prop_assert!((0..i64::from(interval_s)).contains(&(at_s - through_s)));
                let border_s = (at_s + 1) / i64::from(interval_s) * i64::from(interval_s);
                let whole = seconds.iter().take((border_s - 1000).max(0) as usize).flatten().map(|one| u64::from(*one)).sum();
                prop_assert_eq!((told.live.total().samples, telling.samples()), (whole, whole));
            }
            prop_assert!(told.fine_messages <= seconds.len() / 60 + 1);
                        telling.finish(|body| told.take(body));
            prop_assert_eq!(telling.samples(), truth.total().samples);
            for at_s in &told.begins {
                prop_assert_eq!(at_s % i64::from(interval_s), 0);
            }
            truth.rows.sort_by_key(|row| row.label.clone());
            prop_assert_eq!(told.rows(), truth.rows);
        }
    }

    #[test]
    fn halves_of_a_second_are_told_as_they_come_and_are_one_second() {
        let mut telling = IntervalReporter::new("a.0", 1);
        let mut told = ReportedTotals::default();
        let halves = [second(1000, [3, 700]), second(1001, [4, 100])];
        telling.count(1000, &halves[0]);
        assert_eq!(telling.tell(1000, |body| told.take(body)), 999);
        telling.tell_so_far(&mut |body| told.take(body));
        assert_eq!((telling.samples(), told.live.total().samples), (703, 703));
        telling.count(1000, &halves[1]);
        assert_eq!(telling.tell(1001, |body| told.take(body)), 1000);
        telling.finish(|body| told.take(body));
        let mut truth = Snapshot::default();
        for half in &halves {
            truth.merge(half);
        }
        truth.rows.sort_by_key(|row| row.label.clone());
        assert_eq!(told.begins, [1000, 1000]);
        assert_eq!(told.rows(), truth.rows);
    }

    #[test]
    fn a_second_that_is_told_late_is_told_all_the_same() {
        let mut telling = IntervalReporter::new("a.0", 5);
        let mut told = ReportedTotals::default();
        telling.count(1000, &second(1000, [1, 0]));
        telling.tell(1005, |body| told.take(body));
        telling.count(1004, &second(1004, [2, 0]));
        telling.tell(1006, |body| told.take(body));
        assert_eq!((told.begins, told.live.total().samples), (vec![1000, 1000], 3));
    }
}
