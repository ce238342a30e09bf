//! The run of the same plan before a run.

use std::sync::Arc;

use swell_report::Earlier;
use swell_results::run_folder::RunFolder;

use super::{Entry, History, existing_history};

/// Commands whose runs are trials of one study: those before a trial had another load on purpose.
const STUDIES: [&str; 3] = ["search", "sweep", "matrix"];

/// The last run of the same plan before this one, by the same command.
pub fn earlier_run(history: &History, this: &Entry) -> Option<Earlier> {
    if this.subject.is_empty() || STUDIES.contains(&this.kind.as_str()) {
        return None;
    }
    let found = history.before(this)?;
    let number = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
    Some(Earlier {
        name: found.name,
        start_ms: found.start_ms,
        samples: number(found.samples),
        errors: number(found.errors),
        p95_ms: found.p95_ms,
        per_s: found.per_s,
        this: this.name.clone(),
    })
}

/// The same of a run by its folder; none if the history does not have it, or cannot be read.
pub fn earlier_of(run: &RunFolder) -> Option<Earlier> {
    // A report without that line is whole.
    let history = existing_history(&(Arc::new(|_: &str| {}) as crate::Say))?;
    let entry = history.find(&run.metadata().name)?;
    let is_same = entry.folder.canonicalize().ok() == run.path().canonicalize().ok();
    earlier_run(&history, &entry).filter(|_| is_same)
}
