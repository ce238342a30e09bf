//! Changes of what users write on a run.

use std::fs;

use swell_results::run_folder::RunFolder;

use super::{
    Annotation, Entry, HAS_HISTORY, History, REPORT, existing_history, needed_runs_folder, without_history,
};
use crate::Problem;
use crate::observer::Say;

/// The history of this user, which must exist.
///
/// # Errors
/// This build has no history, no run was kept yet, or the file cannot be used.
pub fn own_history(say: &Say) -> Result<History, Problem> {
    if !HAS_HISTORY {
        return Err(without_history("kept runs cannot be listed or changed"));
    }
    let runs = needed_runs_folder()?;
    History::open_existing(&runs, say).ok_or_else(|| {
        Problem::settings(format!("no run is kept in `{}`", runs.display()))
            .hint("`swell run` keeps each run there; `swell history import` adds results files")
    })
}

/// The name of the baseline of a subject.
pub(crate) fn baseline_of(subject: &str, say: &Say) -> Option<String> {
    existing_history(say)?.baseline_of(subject).map(|entry| entry.name)
}

/// Replaces the tags and the note of a run: in the history, and in its folder, so that they move
/// with it.
///
/// # Errors
/// A tag or the note is invalid, or a file cannot be written.
pub fn annotate(history: &History, entry: &Entry, annotation: &Annotation) -> Result<(), Problem> {
    annotation.check().map_err(Problem::settings)?;
    history.set_annotation(&entry.name, annotation)?;
    let Ok(folder) = RunFolder::open(&entry.folder) else { return Ok(()) };
    folder.annotate(&annotation.tags, &annotation.note).map_err(|error| {
        let path = entry.folder.display();
        Problem::output(format!("cannot write the tags of `{}` to `{path}`: {error}", entry.name))
    })?;
    // It has the earlier tags, and `swell open` makes it again.
    let _ = fs::remove_file(entry.folder.join(REPORT));
    Ok(())
}
