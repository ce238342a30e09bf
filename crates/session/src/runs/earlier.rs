//! The run of the same plan before a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use swell_report::Earlier;
use swell_report::compare::label_changes;
use swell_results::run_folder::RunFolder;
use swell_stats::compare::Options;

use super::{Entry, History, compare, existing_history, side_of};

/// Commands whose runs are trials of one study: those before a trial had another load on purpose.
const STUDIES: [&str; 3] = ["search", "sweep", "matrix"];

/// Labels that are named.
const MOST_LABELS: usize = 2;

/// Runs of more bytes are not compared by label at the end of a run: that takes seconds.
const MOST_BYTES: u64 = 16 << 20;

/// A run of the same plan before another.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierRun {
    /// What the history has of it.
    shown: Earlier,
    /// Its folder.
    before: PathBuf,
    /// The folder of the other.
    this: PathBuf,
}

impl EarlierRun {
    /// The run with the labels that changed since, as far as both runs can be read.
    #[must_use]
    pub fn with_label_changes(self) -> Earlier {
        let label_changes = self.label_changes().unwrap_or_default();
        Earlier { label_changes, ..self.shown }
    }

    /// None without one of the runs, or with one that is too long. `swell compare` says why.
    fn label_changes(&self) -> Option<Vec<String>> {
        let side = |name: &str, path: &Path| {
            let run = RunFolder::open(path).ok()?;
            let bytes = run.interval_bytes().ok()?;
            (bytes <= MOST_BYTES).then(|| side_of(name, &run).ok()).flatten()
        };
        let before = side(&self.shown.name, &self.before)?;
        let after = side(&self.shown.this, &self.this)?;
        let (_, comparison) = compare(before, after, Options::default()).ok()?;
        Some(label_changes(&comparison, MOST_LABELS))
    }
}

/// The last run of the same plan before this one, by the same command.
pub fn earlier_run(history: &History, this: &Entry) -> Option<EarlierRun> {
    if this.subject.is_empty() || STUDIES.contains(&this.kind.as_str()) {
        return None;
    }
    let found = history.before(this)?;
    let number = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
    let before = found.folder;
    let shown = Earlier {
        name: found.name,
        start_ms: found.start_ms,
        samples: number(found.samples),
        errors: number(found.errors),
        p95_ms: found.p95_ms,
        per_s: found.per_s,
        this: this.name.clone(),
        label_changes: Vec::new(),
    };
    Some(EarlierRun { shown, before, this: this.folder.clone() })
}

/// The same of a run by its folder; none if the history does not have it, or cannot be read.
pub fn earlier_of(run: &RunFolder) -> Option<Earlier> {
    // A report without that line is whole.
    let history = existing_history(&(Arc::new(|_: &str| {}) as crate::Say))?;
    let entry = history.find(&run.metadata().name)?;
    let is_same = entry.folder.canonicalize().ok() == run.path().canonicalize().ok();
    earlier_run(&history, &entry).filter(|_| is_same).map(EarlierRun::with_label_changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_results::run_folder::{Metadata, Recorder};
    use swell_stats::{Interval, Observation, Recorder as Counts};

    /// A run of 30 s with two labels, one of which takes that long.
    fn write(path: &Path, login_ms: u64) {
        let mut folder = Recorder::create(path, &Metadata::default(), b"", false).expect("a new folder");
        for at in 0..30_i64 {
            let mut counts = Counts::default();
            for number in 0..40 {
                for (label, ms) in [("home", 20), ("login", login_ms)] {
                    let elapsed_ns = 1_000_000 * ms + 10_000 * ((number * 7 + at.cast_unsigned()) % 11);
                    counts.record(&Observation {
                        label,
                        success: true,
                        elapsed_ns,
                        ..Observation::default()
                    });
                }
            }
            let labels = counts.take_interval();
            folder.record(&Interval { start_ms: at * 1000, length_ms: 1000, labels, ..Interval::default() });
        }
    }

    #[test]
    fn labels_that_changed_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let [before, this] = ["before", "this"].map(|name| folder.path().join(name));
        write(&before, 20);
        write(&this, 30);
        let run = EarlierRun { shown: Earlier::default(), before, this: this.clone() };
        let changes = run.clone().with_label_changes().label_changes;
        assert_eq!(changes, ["login: worse, p95 20.09 → 30.11 ms (+49.8 %)"]);
        let same = EarlierRun { before: this.clone(), ..run.clone() };
        assert!(same.with_label_changes().label_changes.is_empty());
        let gone = EarlierRun { before: folder.path().join("gone"), ..run };
        assert!(gone.with_label_changes().label_changes.is_empty(), "one run cannot be read");
    }
}
