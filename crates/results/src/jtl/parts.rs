//! Detects rows of a CSV file that are parts of an earlier sample: redirects, embedded resources,
//! and sub-results of scripts.
//!
//! JMeter writes a sample first and then its parts, named `label-0`, `label-1`, …
//! (`SampleResult.addSubResult`), and parts of parts as `label-0-0`. Rows of other threads may be
//! in between. A plan may also have samplers with such names, so a row is a part only if it has the
//! next number, the same thread, and a time within that of its sample.

use memchr::memrchr;

use super::sample::JtlSample;

/// Rows that a part may be apart from its sample.
const KEPT: usize = 64;

/// The most recent rows.
#[derive(Default)]
pub(super) struct Recent {
    rows: Vec<Row>,
    /// The place of the next row.
    next: usize,
}

#[derive(Default)]
struct Row {
    label: String,
    thread: String,
    from_ms: i64,
    to_ms: i64,
    /// Parts that were found.
    parts: u64,
}

impl Recent {
    /// Whether this row is a part of one before it. It is kept in either case.
    pub(super) fn is_part(&mut self, sample: &JtlSample<'_>) -> bool {
        let from_ms = sample.start_ms;
        let to_ms = sample.end_ms();
        let is_part = numbered(sample.label).is_some_and(|(of, number)| {
            let holds = |row: &&mut Row| row.label == of && row.thread == sample.thread;
            // The newest of that name counts.
            let (newer, older) = self.rows.split_at_mut(self.next);
            let sample = newer.iter_mut().rev().chain(older.iter_mut().rev()).find(holds);
            let sample =
                sample.filter(|row| row.parts == number && row.from_ms <= from_ms && to_ms <= row.to_ms);
            sample.map(|row| row.parts += 1).is_some()
        });
        if self.rows.len() < KEPT {
            self.rows.push(Row::default());
        }
        let row = &mut self.rows[self.next];
        row.label.clear();
        row.label.push_str(sample.label);
        row.thread.clear();
        row.thread.push_str(sample.thread);
        (row.from_ms, row.to_ms, row.parts) = (from_ms, to_ms, 0);
        self.next = (self.next + 1) % KEPT;
        is_part
    }
}

/// Text and number of `text-number`.
fn numbered(label: &str) -> Option<(&str, u64)> {
    if !label.as_bytes().last().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let at = memrchr(b'-', label.as_bytes())?;
    let digits = &label[at + 1..];
    let number = digits.parse().ok().filter(|number: &u64| number.to_string() == digits)?;
    Some((&label[..at], number))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of rows of label, thread, start and time are parts.
    fn parts(rows: &[(&str, &str, i64, u64)]) -> Vec<bool> {
        let mut recent = Recent::default();
        let is_part = |&(label, thread, start_ms, elapsed_ms): &(&str, &str, i64, u64)| {
            let sample = JtlSample { start_ms, elapsed_ms, label, thread, ..JtlSample::default() };
            recent.is_part(&sample)
        };
        rows.iter().map(is_part).collect()
    }

    #[test]
    fn numbered_rows_within_the_time_of_a_sample_are_its_parts() {
        let rows = [
            ("page", "1", 100, 10),
            ("page-0", "1", 100, 6),
            ("other", "2", 90, 40),
            ("page-0-0", "1", 100, 2),
            ("page-0-1", "1", 102, 4),
            ("page-1", "1", 107, 3),
            ("page", "1", 120, 5),
            ("page-0", "1", 120, 5),
        ];
        assert_eq!(parts(&rows), [false, true, false, true, true, true, false, true]);
    }

    #[test]
    fn samplers_of_such_names_are_samples() {
        let rows = [
            ("page", "1", 100, 10),
            ("page-1", "1", 100, 5),
            ("page-0", "2", 100, 5),
            ("page-00", "1", 100, 5),
            ("page-0", "1", 110, 5),
            ("page-", "1", 100, 5),
            ("-0", "1", 100, 5),
        ];
        assert_eq!(parts(&rows), [false; 7]);
    }

    #[test]
    fn a_sample_is_found_among_the_rows_that_came_last() {
        let others = |count| std::iter::repeat_n(("other", "2", 0, 900), count);
        for (between, wanted) in [(KEPT - 1, true), (KEPT, false)] {
            let rows: Vec<_> =
                [("a", "1", 5, 5)].into_iter().chain(others(between)).chain([("a-0", "1", 5, 5)]).collect();
            assert_eq!(parts(&rows).last(), Some(&wanted), "{between} rows between");
        }
    }
}
