//! Turns the rows of a results file into intervals, as a test produces them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use swell_budget::input::MOST_OPEN_LABELS;
use swell_stats::{FailureKind, Interval, Observation, Recorder, Users};

use super::pieces::{Pieces, open};
use super::read::read_samples;
use super::sample::{JtlCounts, JtlError, JtlSample, Place};

/// Intervals that are open at a time: rows come in the order of their ends, give or take some
/// seconds.
const OPEN: usize = 30;

/// Intervals of a whole file, if their length is not given.
const WANTED: i64 = 1000;

/// How much of the end of a file is looked at for its last row.
const TAIL: u64 = 64 * 1024;

/// How rows are turned into intervals.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntervalOptions {
    /// Length of an interval; none: a second, and more in a file of more than a quarter of an hour.
    pub length_ms: Option<i64>,
}

/// Reads a file with its pieces ([`Pieces`]) and hands over what happened in each interval. Most
/// come in order; a row that is far from its neighbours makes an interval that overlaps others.
/// `each` sees the rows as well.
///
/// # Errors
/// As [`read_samples`].
pub fn read_intervals(
    path: &Path,
    options: IntervalOptions,
    mut each: impl FnMut(&JtlSample<'_>),
    take: impl FnMut(Interval),
) -> Result<JtlCounts, JtlError> {
    let pieces = Pieces::of(path)?;
    let length_ms = options.length_ms.unwrap_or_else(|| length_for(&pieces));
    let mut open = Open {
        length_ms: length_ms.max(1),
        intervals: Vec::with_capacity(OPEN + 1),
        last: 0,
        labels: 0,
        take,
    };
    let counts = pieces.read(|sample| {
        each(sample);
        open.add(sample);
    })?;
    open.finish();
    Ok(counts)
}

/// A power of two of seconds that makes about a thousand intervals; a second where the end of the
/// file does not say when it was.
fn length_for(pieces: &Pieces) -> i64 {
    let spanned = first_and_last(pieces).unwrap_or((0, 0));
    let mut length_ms = 1000;
    while (spanned.1 - spanned.0) / length_ms > WANTED {
        length_ms *= 2;
    }
    length_ms
}

/// Times of the first and the last row of CSV files. A compressed file has no end that can be
/// looked at alone: of those, the first row of the newest stands for the last.
fn first_and_last(pieces: &Pieces) -> Option<(i64, i64)> {
    let head = |path: &Path| {
        let mut bytes = Vec::new();
        Read::take(open(path).ok()?, TAIL).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    // What is read of a pipe is gone.
    if !pieces.paths().iter().all(|path| path.is_file()) {
        return None;
    }
    let first = head(pieces.paths().first()?)?;
    let (first_ms, mut last_ms) = times(lines(&first))?;
    let newest = pieces.paths().iter().rev().find_map(|path| {
        let head = head(path)?;
        let header = head.split(|byte| *byte == b'\n').next()?;
        times(&end_of(path, header).unwrap_or_else(|| lines(&head).to_vec()))
    });
    if let Some((_, newest_ms)) = newest {
        last_ms = last_ms.max(newest_ms);
    }
    Some((first_ms, last_ms))
}

/// The last whole lines of a file that is not compressed, below that header. None if they are few.
fn end_of(path: &Path, header: &[u8]) -> Option<Vec<u8>> {
    if path.extension().is_some_and(|end| end == "gz") {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut tail = Vec::new();
    Read::take(file, TAIL).read_to_end(&mut tail).ok()?;
    let tail = lines(&tail);
    let at = tail.iter().position(|byte| *byte == b'\n')?;
    Some([header, b"\n", &tail[at + 1..]].concat())
}

/// Earliest and latest start of rows.
fn times(bytes: &[u8]) -> Option<(i64, i64)> {
    let mut ends: Option<(i64, i64)> = None;
    let found = read_samples(bytes, |sample| {
        let (first, last) = ends.unwrap_or((sample.start_ms, sample.start_ms));
        ends = Some((first.min(sample.start_ms), last.max(sample.start_ms)));
    });
    found.ok().and(ends)
}

/// The bytes up to the last line end.
fn lines(bytes: &[u8]) -> &[u8] {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(bytes, |at| &bytes[..=at])
}

/// Intervals that are being filled.
struct Open<T> {
    length_ms: i64,
    intervals: Vec<Filling>,
    /// The place of the one that was filled last.
    last: usize,
    /// Labels of all of them.
    labels: usize,
    take: T,
}

struct Filling {
    number: i64,
    recorder: Recorder,
    users: u64,
}

impl<T: FnMut(Interval)> Open<T> {
    fn add(&mut self, sample: &JtlSample<'_>) {
        let number = sample.end_ms().div_euclid(self.length_ms);
        if self.intervals.get(self.last).is_none_or(|filling| filling.number != number) {
            self.last = self.find(number);
        }
        let filling = &mut self.intervals[self.last];
        filling.users = filling.users.max(sample.users.unwrap_or(0));
        let before = filling.recorder.label_count();
        let seen = observed(sample);
        match sample.place {
            Place::Own if !sample.is_empty_transaction() => filling.recorder.record(&seen),
            // JMeter's report leaves out what has no sample.
            Place::Own | Place::InTransaction => filling.recorder.record_part(&seen),
            Place::InSample => filling.recorder.record_reported(&seen),
            Place::Parallel => filling.recorder.record_parallel(&seen),
            Place::ParallelInTransaction => {
                filling.recorder.record_part(&Observation { is_transaction: true, ..seen });
            }
        }
        self.labels += filling.recorder.label_count() - before;
        while self.labels > MOST_OPEN_LABELS && self.intervals.len() > 1 {
            self.give_first();
        }
    }

    fn find(&mut self, number: i64) -> usize {
        if let Some(place) = self.intervals.iter().position(|filling| filling.number == number) {
            return place;
        }
        if self.intervals.len() >= OPEN {
            self.give_first();
        }
        self.intervals.push(Filling { number, recorder: Recorder::default(), users: 0 });
        self.intervals.len() - 1
    }

    /// The earliest interval is complete, as far as can be told. The place of the one that was
    /// filled last is looked for again.
    fn give_first(&mut self) {
        let numbers = self.intervals.iter().enumerate();
        let first = numbers.min_by_key(|(_, filling)| filling.number).map_or(0, |(place, _)| place);
        let done = self.intervals.swap_remove(first);
        self.last = usize::MAX;
        self.labels -= done.recorder.label_count();
        self.give(done);
    }

    fn give(&mut self, mut done: Filling) {
        let users = Users { active: done.users, started: done.users, finished: 0 };
        (self.take)(Interval {
            start_ms: done.number.saturating_mul(self.length_ms),
            length_ms: self.length_ms.unsigned_abs(),
            labels: done.recorder.take_interval(),
            users,
            ..Interval::default()
        });
    }

    fn finish(mut self) {
        let mut rest = std::mem::take(&mut self.intervals);
        rest.sort_by_key(|filling| filling.number);
        for filling in rest {
            self.give(filling);
        }
    }
}

const MS: u64 = 1_000_000;

fn observed<'a>(sample: &JtlSample<'a>) -> Observation<'a> {
    let start_ns = sample.start_ms.saturating_mul(1_000_000);
    let elapsed_ns = sample.elapsed_ms.saturating_mul(MS);
    let known = |ms: u64| (ms > 0).then(|| ms.saturating_mul(MS));
    let is_asserted = !sample.failure.is_empty();
    let kind = if sample.success {
        FailureKind::Other
    } else {
        FailureKind::of(sample.code, sample.message, is_asserted, sample.latency_ms > 0)
    };
    Observation {
        label: sample.label,
        is_transaction: sample.is_transaction(),
        success: sample.success,
        start_ns,
        end_ns: start_ns.saturating_add_unsigned(elapsed_ns),
        elapsed_ns,
        elapsed_ms: sample.elapsed_ms,
        connect_ns: known(sample.connect_ms),
        first_byte_ns: known(sample.latency_ms),
        bytes: sample.bytes,
        sent_bytes: sample.sent_bytes,
        code: sample.code,
        message: if is_asserted { sample.failure } else { sample.message },
        kind,
        ..Observation::default()
    }
}
