//! Runs cases and judges their output.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use swell_plan::Plan;

use crate::case::Case;
use crate::departures::Departures;
use crate::diff::diff;
use crate::recorder::Recorder;
use crate::runner::Tool;

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both programs agree.
    Same,
    /// They differ; with the difference.
    Differs(String),
    /// They differ as expected; with the reason.
    Known(String),
    /// They should differ, but agree: the list of departures is out of date.
    Mended,
    /// There was no run to compare; with the reason.
    Failed(String),
}

/// A case with its outcome.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Name of the case.
    pub case: String,
    /// Its outcome.
    pub outcome: Outcome,
}

impl Verdict {
    /// Whether the outcome is as expected.
    pub fn is_fine(&self) -> bool {
        matches!(self.outcome, Outcome::Same | Outcome::Known(_))
    }
}

/// A case with the files that its plan reads.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The case.
    pub case: &'a Case,
    /// Folder of the files.
    pub data: Option<&'a Path>,
}

impl Subject<'_> {
    /// Runs the case; returns the text to compare, and the log.
    ///
    /// # Errors
    /// The run failed; with the reason.
    pub fn render(&self, tool: &Tool) -> Result<(String, String), String> {
        let prepare = |_: &Recorder, _: &Path| -> Plan { self.case.plan.clone() };
        let observation = tool.capture(&prepare, &self.case.rules, self.data)?;
        Ok((observation.render(&self.case.rules), observation.log))
    }
}

/// Largest number of lines of a stored difference.
const SHOWN: usize = 200;

/// Compares a run with the expected output. With departures, known differences are a separate
/// outcome.
pub fn judge(
    case: &str,
    expected: Option<String>,
    actual: Result<String, String>,
    departures: &Departures,
) -> Verdict {
    let outcome = match (expected, actual, departures.reason(case)) {
        (None, ..) => Outcome::Failed("no golden file (swell-parity golden makes it)".to_owned()),
        (Some(_), Err(error), None) => Outcome::Failed(error),
        (Some(expected), Ok(actual), None) if expected == actual => Outcome::Same,
        (Some(expected), Ok(actual), None) => Outcome::Differs(diff(&expected, &actual, SHOWN)),
        (Some(expected), Ok(actual), Some(_)) if expected == actual => Outcome::Mended,
        (Some(_), _, Some(reason)) => Outcome::Known(reason.to_owned()),
    };
    Verdict { case: case.to_owned(), outcome }
}

/// Runs `work` for each item, `at_once` at a time; returns the results in order.
pub fn each<T: Sync, R: Send>(items: &[T], at_once: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..at_once.max(1) {
            scope.spawn(|| {
                while let Some((index, item)) = take(&next, items) {
                    let result = work(item);
                    results.lock().push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn take<'a, T>(next: &AtomicUsize, items: &'a [T]) -> Option<(usize, &'a T)> {
    let index = next.fetch_add(1, Ordering::SeqCst);
    items.get(index).map(|item| (index, item))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(expected: Option<&str>, actual: Result<&str, &str>, known: bool) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("departures.txt");
        std::fs::write(&file, if known { "c: why\n" } else { "" }).unwrap();
        let departures = Departures::load(&file).unwrap();
        let actual = actual.map(str::to_owned).map_err(str::to_owned);
        judge("c", expected.map(str::to_owned), actual, &departures).outcome
    }

    #[test]
    fn verdicts() {
        assert_eq!(outcome(Some("a"), Ok("a"), false), Outcome::Same);
        assert!(matches!(outcome(Some("a"), Ok("b"), false), Outcome::Differs(d) if d.contains("+b")));
        assert_eq!(outcome(Some("a"), Ok("b"), true), Outcome::Known("why".to_owned()));
        assert_eq!(outcome(Some("a"), Ok("a"), true), Outcome::Mended);
        assert_eq!(outcome(Some("a"), Err("e"), false), Outcome::Failed("e".to_owned()));
        assert_eq!(outcome(Some("a"), Err("e"), true), Outcome::Known("why".to_owned()));
        assert!(matches!(outcome(None, Ok("a"), false), Outcome::Failed(_)));
    }

    #[test]
    fn results_are_in_order() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(each(&items, 4, |n| n * 2), (0..100).map(|n| n * 2).collect::<Vec<_>>());
    }
}
