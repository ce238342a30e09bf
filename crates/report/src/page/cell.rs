//! What one label did in one span of time, small enough for hundreds of labels times a hundred
//! spans.

use std::collections::HashMap;
use std::sync::Arc;

use swell_stats::{LabelStats, Snapshot};

use super::grid::FIRST_WIDTH_MS;

/// Buckets an octave: a value is off by at most 1/32.
const OCTAVE_BITS: u32 = 4;

/// Cells of all labels together at most, in a page.
const MOST_CELLS: usize = 20_000;

/// Cells of one label at most.
const MOST_CELLS_A_LABEL: usize = 240;

/// Labels whose cells have buckets.
pub(super) const MOST_LABELS: usize = 300;

/// Labels whose cells have none, so that a stretch of time has all figures of them but percentiles;
/// of still others there are only figures of the whole run.
const MOST_THIN: usize = 5000;

/// Cells without buckets that take the room of one with them.
const THIN_A_CELL: usize = 16;

/// A bucket of whole microseconds, as `web/src/histogram.ts` reads it.
pub(super) fn bucket_of(us: u64) -> u32 {
    let shift = (us | 1).ilog2().saturating_sub(OCTAVE_BITS);
    (shift << OCTAVE_BITS) + (us >> shift) as u32
}

/// Counts of one label in one span.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cell {
    pub(super) samples: u64,
    pub(super) errors: u64,
    pub(super) received: u64,
    pub(super) sent: u64,
    pub(super) sum_us: u64,
    pub(super) max_us: u64,
    pub(super) satisfied: u64,
    pub(super) tolerated: u64,
    /// Buckets with their counts, rising.
    pub(super) buckets: Vec<(u32, u64)>,
}

/// Two thresholds of the APDEX in milliseconds: satisfied up to the first, tolerated up to the
/// second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apdex {
    /// Satisfied up to here.
    pub satisfied_ms: u64,
    /// Tolerated up to here.
    pub tolerated_ms: u64,
}

impl Default for Apdex {
    /// JMeter's (`jmeter.reportgenerator.apdex_satisfied_threshold`, `…_tolerated_threshold`).
    fn default() -> Self {
        Self { satisfied_ms: 500, tolerated_ms: 1500 }
    }
}

impl Apdex {
    pub(super) fn of(self, stats: &LabelStats) -> Option<f64> {
        stats.apdex(self.satisfied_ms * 1_000_000, self.tolerated_ms * 1_000_000)
    }
}

impl Cell {
    pub(super) fn of(stats: &LabelStats, apdex: Apdex) -> Self {
        let mut buckets: Vec<(u32, u64)> = Vec::new();
        for (low_ns, high_ns, times) in stats.elapsed.iter() {
            let bucket = bucket_of(u64::midpoint(low_ns, high_ns) / 1000);
            match buckets.last_mut() {
                Some((last, count)) if *last == bucket => *count += times,
                _ => buckets.push((bucket, times)),
            }
        }
        let good_up_to = |ms: u64| {
            let ns = ms * 1_000_000;
            stats.elapsed.count_up_to(ns) - stats.failed.count_up_to(ns)
        };
        let satisfied = good_up_to(apdex.satisfied_ms);
        Self {
            samples: stats.samples,
            errors: stats.errors,
            received: stats.bytes,
            sent: stats.sent_bytes,
            sum_us: (stats.sum_ns / 1000) as u64,
            max_us: stats.max_ns / 1000,
            satisfied,
            tolerated: good_up_to(apdex.tolerated_ms.max(apdex.satisfied_ms)) - satisfied,
            buckets,
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.samples += other.samples;
        self.errors += other.errors;
        self.received += other.received;
        self.sent += other.sent;
        self.sum_us += other.sum_us;
        self.max_us = self.max_us.max(other.max_us);
        self.satisfied += other.satisfied;
        self.tolerated += other.tolerated;
        for &(bucket, times) in &other.buckets {
            match self.buckets.binary_search_by_key(&bucket, |(bucket, _)| *bucket) {
                Ok(at) => self.buckets[at].1 += times,
                Err(at) => self.buckets.insert(at, (bucket, times)),
            }
        }
    }

    /// As `Cell` in `web/src/document.ts`.
    pub(super) fn numbers(&self, place: i64) -> Vec<u64> {
        let mut out = vec![
            place as u64,
            self.samples,
            self.errors,
            self.received,
            self.sent,
            self.sum_us,
            self.max_us,
            self.satisfied,
            self.tolerated,
        ];
        let mut before = 0;
        for &(bucket, times) in &self.buckets {
            out.extend([u64::from(bucket - before), times]);
            before = bucket;
        }
        out
    }
}

/// Cells of one label: by the number of their span since the epoch, rising.
type Row = Vec<(i64, Cell)>;

/// Cells of all labels, of one width.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    width_ms: i64,
    /// First and last number of a span.
    ends: Option<(i64, i64)>,
    total: Row,
    labels: HashMap<(Arc<str>, bool), Row>,
    /// Labels among them whose cells have no buckets.
    thin: usize,
    apdex: Apdex,
}

impl Cells {
    pub(super) fn new(apdex: Apdex) -> Self {
        Self {
            width_ms: FIRST_WIDTH_MS,
            ends: None,
            total: Row::new(),
            labels: HashMap::new(),
            thin: 0,
            apdex,
        }
    }

    /// Adds what all labels did at a moment.
    pub(super) fn add(&mut self, at_ms: i64, counted: &Snapshot, total: &LabelStats) {
        let place = at_ms.div_euclid(self.width_ms);
        let (first, last) = self.ends.unwrap_or((place, place));
        self.ends = Some((first.min(place), last.max(place)));
        if total.samples > 0 {
            put(&mut self.total, place, &Cell::of(total, self.apdex));
        }
        for row in counted.rows.iter().filter(|row| row.stats.samples > 0) {
            let key = (row.label.clone(), row.is_transaction);
            let mut cell = Cell::of(&row.stats, self.apdex);
            let is_thin = match self.labels.get(&key) {
                Some(known) => known.first().is_some_and(|(_, first)| first.buckets.is_empty()),
                None if self.labels.len() >= MOST_LABELS + MOST_THIN => continue,
                None => {
                    let is_thin = self.labels.len() >= MOST_LABELS;
                    self.thin += usize::from(is_thin);
                    is_thin
                }
            };
            if is_thin {
                cell.buckets = Vec::new();
            }
            put(self.labels.entry(key).or_default(), place, &cell);
        }
        self.shrink_to(self.limit());
    }

    fn limit(&self) -> usize {
        let cells = self.labels.len() - self.thin + self.thin / THIN_A_CELL;
        (MOST_CELLS / cells.max(1)).clamp(20, MOST_CELLS_A_LABEL)
    }

    /// Doubles the width until there are so few spans.
    pub(super) fn shrink_to(&mut self, limit: usize) {
        while let Some((first, last)) = self.ends.filter(|(first, last)| last - first >= limit as i64) {
            self.width_ms *= 2;
            self.ends = Some((first.div_euclid(2), last.div_euclid(2)));
            self.labels.values_mut().chain([&mut self.total]).for_each(halve);
        }
    }

    pub(super) fn width_ms(&self) -> i64 {
        self.width_ms
    }

    /// How many spans there are.
    pub(super) fn spans(&self) -> usize {
        self.ends.map_or(0, |(first, last)| (last - first + 1) as usize)
    }

    /// When the first span begins, in milliseconds since the epoch.
    pub(super) fn start_ms(&self) -> i64 {
        self.ends.map_or(0, |(first, _)| first * self.width_ms)
    }

    pub(super) fn total(&self) -> Vec<Vec<u64>> {
        self.numbers(&self.total)
    }

    /// All cells of a label, if there are any of it.
    pub(super) fn label(&self, label: &Arc<str>, is_transaction: bool) -> Option<Vec<Vec<u64>>> {
        self.labels.get(&(label.clone(), is_transaction)).map(|row| self.numbers(row))
    }

    /// The last cell of all samples together.
    pub(super) fn last_of_total(&self) -> Option<Vec<u64>> {
        self.last(&self.total)
    }

    /// The last cell of a label, if there are any of it.
    pub(super) fn last_of(&self, label: &Arc<str>, is_transaction: bool) -> Option<Vec<u64>> {
        self.last(self.labels.get(&(label.clone(), is_transaction))?)
    }

    fn last(&self, row: &Row) -> Option<Vec<u64>> {
        let first = self.ends.map_or(0, |(first, _)| first);
        row.last().map(|(place, cell)| cell.numbers(place - first))
    }

    fn numbers(&self, row: &Row) -> Vec<Vec<u64>> {
        let first = self.ends.map_or(0, |(first, _)| first);
        row.iter().map(|(place, cell)| cell.numbers(place - first)).collect()
    }
}

fn put(row: &mut Row, place: i64, cell: &Cell) {
    match row.binary_search_by_key(&place, |(place, _)| *place) {
        Ok(at) => row[at].1.merge(cell),
        Err(at) => row.insert(at, (place, cell.clone())),
    }
}

fn halve(row: &mut Row) {
    let narrow = std::mem::take(row);
    for (place, cell) in narrow {
        match row.last_mut() {
            Some((last, before)) if *last == place.div_euclid(2) => before.merge(&cell),
            _ => row.push((place.div_euclid(2), cell)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_stats::{Observation, Recorder};

    fn counted(labels: usize, elapsed_us: u64) -> (Snapshot, LabelStats) {
        let mut recorder = Recorder::default();
        for number in 0..labels {
            let label = &format!("label {number}");
            recorder.record(&Observation {
                label,
                success: true,
                elapsed_ns: elapsed_us * 1000,
                bytes: 3,
                ..Observation::default()
            });
        }
        let snapshot = recorder.take_interval();
        let total = snapshot.total();
        (snapshot, total)
    }

    #[test]
    fn buckets_are_sixteen_an_octave_and_exact_below_that() {
        let table = [
            (0, 0),
            (1, 1),
            (15, 15),
            (16, 16),
            (31, 31),
            (32, 32),
            (33, 32),
            (34, 33),
            (64, 48),
            (1_000_000, 270),
        ];
        for (us, bucket) in table {
            assert_eq!(bucket_of(us), bucket, "{us}");
        }
    }

    #[test]
    fn cells_are_merged_in_pairs_and_nothing_is_lost() {
        let mut cells = Cells::new(Apdex::default());
        for second in 0..1000_i64 {
            let (snapshot, total) = counted(2, 1000 + second as u64);
            cells.add(1_700_000_000_000 + second * 1000, &snapshot, &total);
        }
        assert!(cells.spans() <= MOST_CELLS_A_LABEL && cells.width_ms() == 8000, "{}", cells.spans());
        let sum = |rows: &[Vec<u64>]| rows.iter().map(|cell| cell[1]).sum::<u64>();
        assert_eq!(sum(&cells.total()), 2000);
        let one = cells.label(&Arc::from("label 1"), false).expect("it is kept");
        assert_eq!((sum(&one), one.iter().map(|cell| cell[7]).sum::<u64>()), (1000, 1000), "all satisfied");
        let in_buckets = one.iter().flat_map(|cell| cell[9..].chunks(2)).map(|pair| pair[1]).sum::<u64>();
        assert_eq!(in_buckets, 1000);
        let late = cells.total().len();
        let (snapshot, total) = counted(1, 5);
        cells.add(1_600_000_000_000, &snapshot, &total);
        assert!(
            cells.spans() <= MOST_CELLS_A_LABEL && cells.total().len() < late,
            "one long before the others"
        );
    }

    #[test]
    fn of_too_many_labels_some_have_no_buckets_and_some_no_cells() {
        let mut cells = Cells::new(Apdex::default());
        let (snapshot, total) = counted(MOST_LABELS + MOST_THIN + 5, 7);
        // Those that are known stay as they are.
        for _ in 0..2 {
            cells.add(0, &snapshot, &total);
        }
        let kept: Vec<_> = snapshot.rows.iter().filter_map(|row| cells.label(&row.label, false)).collect();
        let with_buckets = kept.iter().filter(|row| row[0].len() > 9).count();
        assert_eq!((kept.len(), with_buckets), (MOST_LABELS + MOST_THIN, MOST_LABELS));
        assert!(kept.iter().all(|row| row[0][1] == 2 && row[0][5] == 14), "samples and sums of all");
        assert_eq!(cells.total()[0][1], 2 * (MOST_LABELS + MOST_THIN + 5) as u64);
        assert_eq!(cells.limit(), 32);
    }
}
