//! Detects rows of a CSV file that are the whole of a Parallel Controller, whose branches are the
//! following rows.
//!
//! Nothing in such a row says so. It has no URL but has sent bytes. The following rows are within
//! its time, and together have exactly its bytes in both directions. The row is held back until
//! that is certain.

use super::sample::{JtlSample, Place};

/// A row that may be such a whole, and what its branches still lack.
#[derive(Default)]
pub(super) struct Held {
    row: Option<Row>,
}

struct Row {
    /// The sample, without its texts.
    sample: JtlSample<'static>,
    texts: [String; 5],
    bytes: u64,
    sent_bytes: u64,
}

impl Row {
    fn of(sample: &JtlSample<'_>) -> Self {
        let JtlSample { label, code, message, failure, thread, .. } = *sample;
        Self {
            sample: JtlSample { label: "", code: "", message: "", failure: "", thread: "", ..*sample },
            texts: [label, code, message, failure, thread].map(str::to_owned),
            bytes: sample.bytes,
            sent_bytes: sample.sent_bytes,
        }
    }

    fn give(&self, place: Place, take: &mut impl FnMut(&JtlSample<'_>)) {
        let [label, code, message, failure, thread] = &self.texts;
        take(&JtlSample { label, code, message, failure, thread, place, ..self.sample });
    }

    /// Takes a branch off; false if it cannot be one.
    fn has(&mut self, branch: &JtlSample<'_>) -> bool {
        let inside = self.sample.start_ms <= branch.start_ms && branch.end_ms() <= self.sample.end_ms();
        let left = (self.bytes.checked_sub(branch.bytes), self.sent_bytes.checked_sub(branch.sent_bytes));
        let (true, (Some(bytes), Some(sent_bytes))) = (inside, left) else { return false };
        (self.bytes, self.sent_bytes) = (bytes, sent_bytes);
        true
    }

    fn is_whole(&self) -> bool {
        self.bytes == 0 && self.sent_bytes == 0
    }
}

impl Held {
    /// Takes a row that came and hands over what is known. `url`: what it says of its URL, if there
    /// is such a column.
    pub(super) fn pass(
        &mut self,
        sample: &JtlSample<'_>,
        url: Option<&[u8]>,
        take: &mut impl FnMut(&JtlSample<'_>),
    ) {
        if sample.place == Place::InSample {
            return take(sample);
        }
        if let Some(mut row) = self.row.take() {
            if !row.has(sample) {
                row.give(Place::Own, take);
            } else if row.is_whole() {
                row.give(Place::Parallel, take);
            } else {
                self.row = Some(row);
                return take(sample);
            }
        }
        let sends = sample.bytes > 0 && sample.sent_bytes > 0;
        if sends && url == Some(b"null") && !sample.is_transaction() {
            self.row = Some(Row::of(sample));
        } else {
            take(sample);
        }
    }

    /// The file has ended.
    pub(super) fn end(&mut self, take: &mut impl FnMut(&JtlSample<'_>)) {
        if let Some(row) = self.row.take() {
            row.give(Place::Own, take);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Label, start, time, bytes both ways, and whether it has a URL.
    type Wanted<'a> = (&'a str, i64, u64, u64, bool);

    fn places(rows: &[Wanted<'_>]) -> Vec<(String, Place)> {
        let mut held = Held::default();
        let mut found = Vec::new();
        let mut take = |sample: &JtlSample<'_>| found.push((sample.label.to_owned(), sample.place));
        for &(label, start_ms, elapsed_ms, bytes, has_url) in rows {
            let sample =
                JtlSample { start_ms, elapsed_ms, label, bytes, sent_bytes: bytes, ..JtlSample::default() };
            held.pass(&sample, Some(if has_url { b"http://h/" } else { b"null" }), &mut take);
        }
        held.end(&mut take);
        found
    }

    fn named(rows: &[(&str, Place)]) -> Vec<(String, Place)> {
        rows.iter().map(|&(label, place)| (label.to_owned(), place)).collect()
    }

    #[test]
    fn rows_that_make_up_a_row_without_url_are_its_branches() {
        let rows =
            [("P", 10, 9, 30, false), ("a", 10, 9, 10, true), ("b", 10, 5, 20, true), ("c", 19, 1, 7, true)];
        let wanted = [("a", Place::Own), ("P", Place::Parallel), ("b", Place::Own), ("c", Place::Own)];
        assert_eq!(places(&rows), named(&wanted));
    }

    #[test]
    fn a_sample_without_url_is_a_sample_where_others_do_not_make_it_up() {
        let tcp = ("tcp", 10, 9, 30, false);
        for other in [("later", 20, 1, 30, true), ("larger", 10, 1, 31, true)] {
            assert_eq!(places(&[tcp, other]), named(&[("tcp", Place::Own), (other.0, Place::Own)]));
        }
        assert_eq!(places(&[tcp]), named(&[("tcp", Place::Own)]));
        assert_eq!(places(&[tcp, ("a", 10, 1, 29, true)]), named(&[("a", Place::Own), ("tcp", Place::Own)]));
    }
}
