//! Adds results files (JTL) of any tool to the kept runs.

use std::io;
use std::path::Path;

use swell_results::jtl::{IntervalOptions, JtlCounts, JtlError, read_intervals};
use swell_results::run_folder::{CreateError, Metadata, Outcome, PlanFacts, Recorder, RunFolder};
use swell_stats::{Interval, Run};

use super::facts::name_with_start;
use super::folder::{cannot_make, create};
use super::{
    Annotation, Entry, HAS_HISTORY, History, Place, RunFacts, entry, needed_runs_folder, without_history,
};
use crate::observer::Say;
use crate::{MADE_BY, Problem, name_of};

/// How a results file becomes a run.
#[derive(Clone, Debug, Default)]
pub struct ImportOptions {
    /// The name of the file for people, where it is a copy under another name.
    pub file_name: Option<String>,
    /// The name of the run; without it, that of the file with the time of its first sample.
    pub name: Option<String>,
    /// The plan that was run; without it, the name of the file stands for it.
    pub plan: Option<String>,
    /// Tags and a note.
    pub annotation: Annotation,
}

/// A results file that was imported.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The name of the run.
    pub name: String,
    /// What was read, and what was not.
    pub counts: JtlCounts,
}

/// Imports a results file.
///
/// # Errors
/// It is not a results file, has no samples, or the run cannot be kept.
pub fn import(file: &Path, options: &ImportOptions, say: &Say) -> Result<Imported, Problem> {
    if !HAS_HISTORY {
        return Err(without_history("runs cannot be imported"));
    }
    options.annotation.check().map_err(Problem::settings)?;
    let runs = needed_runs_folder()?;
    let history = History::open(&runs, say)
        .ok_or_else(|| Problem::settings("a run cannot be imported without the history"))?;
    let file_name = options.file_name.clone().unwrap_or_else(|| name_of(file));
    let place = Place::Among(runs);
    Import { options, file_name, history, place, run: Run::default(), begun: None }.read(file)
}

/// An import that is in progress.
struct Import<'a> {
    options: &'a ImportOptions,
    file_name: String,
    history: History,
    place: Place,
    run: Run,
    /// After the first interval: the run that is written, or why it cannot be.
    begun: Option<Result<Begun, CreateError>>,
}

struct Begun {
    name: String,
    recorder: Recorder,
    start_ms: i64,
    end_ms: i64,
}

impl Import<'_> {
    fn read(&mut self, file: &Path) -> Result<Imported, Problem> {
        let read = read_intervals(file, IntervalOptions::default(), |_| {}, |interval| self.take(&interval));
        let wrong = |why: String| Problem::settings(format!("cannot import `{}`: {why}", self.file_name));
        let (counts, begun) = match (read, self.begun.take()) {
            (_, Some(Err(error))) => return Err(cannot_make(&error)),
            (Err(error), begun) => {
                remove(begun);
                let hint = match error {
                    JtlError::Io(_) => "name a results file (JTL) that this user may read",
                    JtlError::NotJtl(_) => {
                        "a results file is CSV (UTF-8) with the columns timeStamp and elapsed, or XML with testResults"
                    }
                };
                return Err(wrong(error.to_string()).hint(hint));
            }
            (Ok(counts), None) => {
                let rows = counts.bad;
                return Err(wrong(format!("it has no samples ({rows} rows could not be read)")));
            }
            (Ok(counts), Some(Ok(begun))) => (counts, begun),
        };
        self.finish(begun).map(|name| Imported { name, counts })
    }

    fn take(&mut self, interval: &Interval) {
        let begun = match self.begun.take() {
            None => self.begin(interval),
            Some(begun) => begun,
        };
        self.begun = Some(begun.map(|mut begun| {
            begun.recorder.record(interval);
            begun.start_ms = begun.start_ms.min(interval.start_ms);
            begun.end_ms = begun.end_ms.max(interval.end_ms());
            begun
        }));
        self.run.add(interval.start_ms.div_euclid(1000), &interval.labels, interval.users);
    }

    fn begin(&self, first: &Interval) -> Result<Begun, CreateError> {
        let start_ms = first.start_ms;
        let default = || name_with_start(&self.file_name, "import", start_ms);
        let wanted = self.options.name.clone().unwrap_or_else(default);
        let made = create(&self.place, &wanted, false, Some(&self.history), b"", |name| {
            self.metadata(name, start_ms)
        });
        let (name, recorder) = made?;
        Ok(Begun { name, recorder, start_ms, end_ms: start_ms })
    }

    fn metadata(&self, name: &str, start_ms: i64) -> Metadata {
        Metadata {
            schema: Metadata::SCHEMA.to_owned(),
            name: name.to_owned(),
            made_by: format!("{MADE_BY}, imported from {}", self.file_name),
            kind: "import".to_owned(),
            start_ms,
            plan: PlanFacts { file: self.plan(), ..PlanFacts::default() },
            tags: self.options.annotation.tags.clone(),
            note: self.options.annotation.note.clone(),
            ..Metadata::default()
        }
    }

    fn plan(&self) -> String {
        self.options.plan.clone().unwrap_or_else(|| self.file_name.clone())
    }

    fn finish(&self, begun: Begun) -> Result<String, Problem> {
        let Begun { name, mut recorder, start_ms, end_ms } = begun;
        let summary = self.run.summary();
        let outcome = Outcome { schema: Outcome::SCHEMA.to_owned(), end_ms, ..Outcome::default() };
        recorder.finish(&outcome, &swell_report::json::summary(&summary, None));
        let folder = recorder.path().to_owned();
        if let Some(why) = recorder.failure() {
            let text = format!("cannot write the folder of the run `{}`: {why}", folder.display());
            remove(Some(Ok(Begun { name, recorder, start_ms, end_ms })));
            return Err(Problem::output(text));
        }
        let plan = self.plan();
        let is_path = Path::new(&plan).extension().is_some_and(|end| end.eq_ignore_ascii_case("jmx"));
        let subject = if is_path { RunFacts::subject_of_file(Path::new(&plan)) } else { plan.clone() };
        self.history.begin(&Entry {
            name: name.clone(),
            folder: std::path::absolute(&folder).unwrap_or_else(|_| folder.clone()),
            // Nothing removes a run that the user added.
            named: true,
            kind: "import".to_owned(),
            plan,
            subject,
            owner: Some(entry::own_id()),
            annotation: self.options.annotation.clone(),
            start_ms,
            ..Entry::default()
        });
        self.history.end(&name, &outcome, &summary, None, &folder);
        Ok(name)
    }
}

/// Removes what was written of a run that cannot be imported.
fn remove(begun: Option<Result<Begun, CreateError>>) {
    let Some(Ok(begun)) = begun else { return };
    let folder = begun.recorder.path().to_owned();
    drop(begun);
    let removed = RunFolder::open(&folder).map_err(io::Error::other).and_then(RunFolder::remove);
    // The error of the import is reported; a folder that stays is listed nowhere.
    let _ = removed;
}
