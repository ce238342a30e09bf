//! The figures of a run as JSON, and the file that has them.

use std::path::PathBuf;

use swell_report::without_passwords;
use swell_results::write_whole;
use swell_run::TrialReport;

use crate::observer::{Observer, Second};
use crate::paths::cannot_write;
use crate::{Ended, Problem};

/// The figures of a run, its verdict, and the results of its thresholds and exports, as JSON.
pub fn summary_json(ended: &Ended) -> String {
    let report = &ended.report;
    let exports = serde_json::to_value(&ended.exports).unwrap_or_default();
    swell_report::json::of_run(
        &report.summary,
        report.verdict.as_ref(),
        &ended.judgements,
        exports,
        event_loops(report),
        report.outcome.as_ref().map_or(&[], |outcome| &outcome.user_faults),
        serde_json::to_value(&ended.annotation).unwrap_or_default(),
    )
}

/// The interface of the kernel that event loops used; null where there were none.
fn event_loops(report: &TrialReport) -> serde_json::Value {
    let Some(served) = &report.io else { return serde_json::Value::Null };
    serde_json::json!({ "io": served.io.word(), "refused": served.refused })
}

/// Writes the summary to a file.
pub(crate) struct SummaryFile(pub(crate) PathBuf);

impl Observer for SummaryFile {
    fn second(&mut self, _second: &Second) {}

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        // A run that was refused before its first user leaves an old summary as it is.
        if !ended.report.began {
            return Vec::new();
        }
        let json = summary_json(ended);
        let written = write_whole(&self.0, without_passwords(&json).as_bytes());
        let problem = written.map_err(|error| Problem::output(cannot_write("summary", &self.0, &error)));
        problem.err().into_iter().collect()
    }
}
