//! Rows of one worker for one file, until they are passed to its writer.

use swell_api::SampleResult;
use swell_expr::{Backlog, Context};

use crate::RowFormat;
use crate::output::{Batch, Output};
use crate::row_text::RowText;

/// Bytes after which rows are handed over.
const FULL: usize = 64 * 1024;

/// Nanoseconds after which rows are handed over.
const OLD_NS: i64 = 200_000_000;

/// The rows, and the state for writing a sample once even if several listeners share the file.
#[derive(Default)]
pub(crate) struct WorkerRows {
    batch: Batch,
    handed_over_ns: i64,
    current: Option<Identity>,
    /// Which listeners got the current sample.
    written_by: Vec<bool>,
    /// The writer was behind when rows were handed over last: users that make rows are to wait.
    behind: bool,
}

/// Tells samples apart. Two samples that are the same in all this and go to different listeners of
/// one file would have to be of one user and moment.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity {
    sample: usize,
    label: usize,
    thread: usize,
    start_ns: i64,
    end_ns: i64,
}

impl WorkerRows {
    /// A number for a listener of this file.
    pub(crate) fn join(&mut self) -> usize {
        self.written_by.push(false);
        self.written_by.len() - 1
    }

    /// Whether this listener is the first that comes with the sample (`SampleResult.markFile`).
    pub(crate) fn is_first(&mut self, listener: usize, sample: &SampleResult) -> bool {
        if self.written_by.len() == 1 {
            return true;
        }
        let identity = Identity {
            sample: std::ptr::from_ref(sample).addr(),
            label: sample.label.as_ptr().addr(),
            thread: sample.thread_name.as_ptr().addr(),
            start_ns: sample.timing.start_ns,
            end_ns: sample.timing.end_ns,
        };
        // A listener never gets a sample twice: one that comes again comes with the next.
        let first = self.current != Some(identity) || self.written_by[listener];
        if first {
            self.current = Some(identity);
            self.written_by.fill(false);
        }
        self.written_by[listener] = true;
        first
    }

    /// Appends the rows of a sample and hands over if that is due.
    pub(crate) fn write(&mut self, format: &RowFormat, sample: &SampleResult, cx: &Context, output: &Output) {
        self.push(sample, output, |rows| format.row(sample, cx, rows));
    }

    /// Appends the row of a sample that `row` makes, and hands over if that is due.
    pub(crate) fn push(&mut self, sample: &SampleResult, output: &Output, row: impl FnOnce(&mut RowText)) {
        row(&mut self.batch.text);
        self.batch.row_ends.push(self.batch.text.len() as u32);
        let now_ns = sample.timing.end_ns.max(sample.timing.read_ns);
        // Bodies go at once: they take memory of all users.
        if self.batch.text.len() >= FULL
            || self.batch.text.has_bodies()
            || now_ns - self.handed_over_ns >= OLD_NS
        {
            self.handed_over_ns = now_ns;
            self.hand_over(output);
        }
    }

    /// Hands over what there is. The caller holds the lock of these rows, so batches of a worker
    /// stay in order.
    pub(crate) fn hand_over(&mut self, output: &Output) {
        output.hand_over(&mut self.batch);
        self.behind = output.is_behind();
    }

    /// What a user waits for that has just made a row; none as long as the disk keeps up.
    pub(crate) fn backlog(&mut self, output: &Output) -> Option<Backlog> {
        if !self.behind {
            return None;
        }
        let backlog = output.backlog();
        self.behind = backlog.is_some();
        backlog
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn a_sample_is_written_for_the_first_listener_only() {
        let mut rows = WorkerRows::default();
        let a = rows.join();
        let b = rows.join();
        let sample = testing::sample();
        assert_eq!([a, b].map(|listener| rows.is_first(listener, &sample)), [true, false]);
        // The next sample, in the same memory and within the resolution of a simulated clock.
        assert_eq!([a, b].map(|listener| rows.is_first(listener, &sample)), [true, false]);
        assert_eq!([b, a].map(|listener| rows.is_first(listener, &sample)), [true, false]);
    }

    #[test]
    fn samples_of_different_scopes_are_all_written() {
        let mut rows = WorkerRows::default();
        let a = rows.join();
        let b = rows.join();
        let one = testing::sample();
        let two = testing::sample();
        assert_eq!(
            [rows.is_first(a, &one), rows.is_first(b, &two), rows.is_first(a, &two)],
            [true, true, false]
        );
    }

    #[test]
    fn a_listener_alone_writes_everything() {
        let mut rows = WorkerRows::default();
        let alone = rows.join();
        let sample = testing::sample();
        assert!(rows.is_first(alone, &sample) && rows.is_first(alone, &sample));
    }
}
