//! A run as the history lists it.

use std::path::{Path, PathBuf};

use swell_results::run_folder::RunFolder;

use super::{Annotation, RunFacts};

/// A run in the history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Its name, unique in the history.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The user gave it its name: it is kept until the user removes it.
    pub named: bool,
    /// The command: `run`, `hit`; `import` for results of another tool.
    pub kind: String,
    /// The file of its plan, as it was named.
    pub plan: String,
    /// What it tests: the absolute path of its plan, or a URL. Runs of one subject have one trend
    /// and one baseline.
    pub subject: String,
    /// User id of who ran it; none in entries of earlier versions.
    pub owner: Option<u32>,
    /// Its tags and its note.
    pub annotation: Annotation,
    /// When it began, milliseconds since the epoch.
    pub start_ms: i64,
    /// When it ended. It and all that follows are missing while the run continues, and if it was
    /// killed.
    pub end_ms: Option<i64>,
    /// Its exit status.
    pub exit: Option<u8>,
    /// The verdict on the tool's own accuracy.
    pub verdict: Option<String>,
    /// Samples, transactions left out.
    pub samples: Option<i64>,
    /// Failed samples.
    pub errors: Option<i64>,
    /// Mean response time.
    pub mean_ms: Option<f64>,
    /// Median response time.
    pub p50_ms: Option<f64>,
    /// 95th percentile of response times.
    pub p95_ms: Option<f64>,
    /// 99th percentile of response times.
    pub p99_ms: Option<f64>,
    /// Samples a second.
    pub per_s: Option<f64>,
    /// Rules that were judged.
    pub thresholds: Option<i64>,
    /// Rules that were broken.
    pub thresholds_broken: Option<i64>,
}

impl Entry {
    /// A run that begins.
    pub(crate) fn begun(name: &str, folder: &Path, named: bool, facts: &RunFacts) -> Self {
        Self {
            name: name.to_owned(),
            // The working directory is another one next time.
            folder: std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()),
            named,
            kind: facts.kind().to_owned(),
            plan: facts.plan_file().to_owned(),
            subject: facts.subject().to_owned(),
            owner: Some(own_id()),
            annotation: facts.annotation().clone(),
            start_ms: facts.start_ms(),
            ..Self::default()
        }
    }

    /// Whether it is still running.
    pub fn is_running(&self) -> bool {
        self.end_ms.is_none() && RunFolder::open(&self.folder).is_ok_and(|run| run.is_running())
    }

    /// Whether its folder is still there.
    pub fn has_folder(&self) -> bool {
        RunFolder::is_one(&self.folder)
    }

    /// Whether this user ran it. Entries of earlier versions do not say; the owner of the folder
    /// does.
    #[cfg(feature = "history")]
    pub(crate) fn is_own(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let of_folder = || std::fs::metadata(&self.folder).ok().map(|metadata| metadata.uid());
        self.owner.or_else(of_folder).is_none_or(|owner| owner == own_id())
    }
}

/// The id of this user.
pub(super) fn own_id() -> u32 {
    rustix::process::getuid().as_raw()
}
