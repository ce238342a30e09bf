//! Runs that are kept: where, under which names, what is in their folders, and what users write on
//! them.

mod annotation;
mod differences;
mod earlier;
mod edit;
mod entry;
mod facts;
mod folder;
#[cfg(feature = "history")]
mod history;
#[cfg(not(feature = "history"))]
#[path = "without_history.rs"]
mod history;
mod import;
mod page;
mod place;
mod side;
mod trend;

use std::path::{Path, PathBuf};

use swell_results::run_folder::RunFolder;

use crate::Problem;
use crate::observer::Say;

pub use annotation::{Annotation, VERSION_TAG};
pub use earlier::{EarlierRun, earlier_of, earlier_run};
pub(crate) use edit::baseline_of;
pub use edit::{annotate, own_history};
pub use entry::Entry;
pub(crate) use facts::RunFacts;
pub(crate) use folder::KeptRun;
pub use history::History;
pub use import::{ImportOptions, Imported, import};
pub use page::page_of;
pub(crate) use place::Place;
use place::is_part_of_name;
pub use place::{check_name, existing_history, needed_runs_folder, runs_folder};
pub use side::{ComparedSide, compare, side_of};
pub use trend::{LabelName, Point, PointFigures};

/// The report in the folder of a run.
pub const REPORT: &str = "report.html";

/// Whether this build lists runs in a history (feature `history`).
pub const HAS_HISTORY: bool = cfg!(feature = "history");

/// What was asked for needs the history, which this build does not have.
pub fn without_history(needs: &str) -> Problem {
    Problem::settings(format!("this build has no history: {needs}")).hint(
        "`make release` and `cargo install --path crates/swell` build it in; --run-dir keeps a run without it",
    )
}

/// Where a run is kept.
#[derive(Clone, Debug, Default)]
pub struct KeepOptions {
    /// The folder that was named.
    pub folder: Option<PathBuf>,
    /// The name that was given.
    pub name: Option<String>,
    /// The run is kept in the folder of runs if nothing was named.
    pub by_default: bool,
    /// Tags and a note, also of a run that is not kept.
    pub annotation: Annotation,
}

impl KeepOptions {
    /// Whether there is a folder for the run.
    pub fn has_place(&self) -> bool {
        !matches!(Place::of(self), Place::Nowhere)
    }
}

/// How much is kept of runs without a given name.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "history"), expect(dead_code, reason = "only the history removes runs"))]
pub(crate) struct Limits {
    /// Runs.
    pub(crate) runs: u64,
    /// Bytes of all their folders.
    pub(crate) bytes: u64,
}

impl Limits {
    /// As the properties `swell.runs.keep` and `swell.runs.max_mb` say.
    pub(crate) fn of(props: &swell_expr::Properties) -> Self {
        let number = |name, default| u64::try_from(props.number(name, default)).unwrap_or(0);
        Self { runs: number("swell.runs.keep", 100), bytes: number("swell.runs.max_mb", 2048) << 20 }
    }
}

/// A run by its name in the history, its folder, or `last`.
///
/// # Errors
/// No run has this name.
pub fn find(name: &str, say: &Say) -> Result<RunFolder, Problem> {
    let path = Path::new(name);
    if RunFolder::is_one(path) {
        return Ok(RunFolder::open(path)?);
    }
    if !HAS_HISTORY {
        return Err(without_history(&format!("`{name}` is not the folder of a run, and no run has a name")));
    }
    let history = existing_history(say);
    open_entry(&entry_in(history.as_ref(), name)?)
}

/// The folder of a run of the history.
///
/// # Errors
/// It is gone, or cannot be read.
pub fn open_entry(entry: &Entry) -> Result<RunFolder, Problem> {
    if entry.has_folder() {
        return Ok(RunFolder::open(&entry.folder)?);
    }
    let text = format!("the folder of the run `{}` is gone: `{}`", entry.name, entry.folder.display());
    Err(Problem::settings(text)
        .hint("runs without a given name are removed after a while: swell.runs.keep, swell.runs.max_mb"))
}

/// A run of the history by its name, or `last`.
///
/// # Errors
/// No run has this name.
pub fn entry_in(history: Option<&History>, name: &str) -> Result<Entry, Problem> {
    let entry = history.and_then(|history| history.find(name));
    entry.ok_or_else(|| {
        let named = history.map(|history| history.names_like(name)).unwrap_or_default();
        let hint = if named.is_empty() {
            "name a folder of a run, or a name that `swell history` shows".to_owned()
        } else {
            format!("did you mean {}? `swell history` shows all", named.join(", "))
        };
        Problem::settings(format!("there is no run `{name}`")).hint(hint)
    })
}
