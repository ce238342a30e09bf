//! Writes the folder of a run during the run.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use swell_stats::encoding::encode;
use swell_stats::{Interval, Snapshot};

use super::compaction::{Bounds, merge_neighbours};
use super::events::Journal;
use super::files::{LOCK, is_running, new_file, remove_run};
use super::intervals::Appender;
use super::{
    EVENTS, FAILURES, FAILURES_PAGE, FINE, INTERVALS, METADATA, Metadata, OUTCOME, Outcome, PLAN, SUMMARY,
};
use crate::place::write_private;

/// Only the user of the run looks into its folder: what servers answered may be secret.
const FOLDER_MODE: u32 = 0o700;

/// Intervals do not become wider than some days.
const WIDEST_MS: u64 = 1 << 28;

/// Writes one run. A failed write ends the recording but not the run: [`Recorder::failure`] returns
/// the reason.
pub struct Recorder {
    path: PathBuf,
    intervals: Appender,
    /// Held during the run, so that others can tell ([`super::RunFolder::is_running`]).
    _lock: File,
    journal: Journal,
    /// Made with the first failure.
    failures: Option<File>,
    bounds: Bounds,
    /// What neighbours are merged to at most.
    width_ms: u64,
    failure: Option<String>,
}

/// Why a run cannot be recorded.
#[derive(Debug)]
pub enum CreateError {
    /// There is a run in the folder already.
    HasRun(PathBuf),
    /// There is something else in the folder.
    NotEmpty(PathBuf),
    /// The folder cannot be made or written.
    Io(PathBuf, io::Error),
}

impl fmt::Display for CreateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HasRun(path) => write!(f, "there is a run already in `{}`", path.display()),
            Self::NotEmpty(path) => {
                write!(f, "`{}` holds other files, and none of a run", path.display())
            }
            Self::Io(path, error) => write!(f, "cannot keep the run in `{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for CreateError {}

impl Recorder {
    /// Makes the folder with what is known before the first user. An existing folder must be empty,
    /// or with `replace` hold a finished run, which is removed.
    ///
    /// # Errors
    /// See [`CreateError`]; a folder that was made for it is gone again.
    pub fn create(path: &Path, metadata: &Metadata, plan: &[u8], replace: bool) -> Result<Self, CreateError> {
        make_folder(path, replace)?;
        // Two that begin at once meet here, and one of them has it.
        let lock = new_file(&path.join(LOCK)).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CreateError::HasRun(path.to_owned()),
            _ => CreateError::Io(path.to_owned(), error),
        })?;
        let begun = begin(path, lock, metadata, plan);
        begun.map_err(|error| {
            // What is left is no run; that it cannot be removed either is no second message.
            let _ = remove_run(path);
            CreateError::Io(path.to_owned(), error)
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where events of the run go.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Appends what happened in an interval.
    pub fn record(&mut self, interval: &Interval) {
        if self.failure.is_some() {
            return;
        }
        let result = self.intervals.append(interval).and_then(|()| self.keep_bounded());
        self.note(result);
        let journal = self.journal.take_failure().map_or(Ok(()), Err);
        self.note(journal);
    }

    /// Writes what gives figures of all intervals together their third digit, where machines sent
    /// two: see [`Snapshot::refine`].
    pub fn record_fine(&mut self, fine: &Snapshot) {
        let result = write_private(&self.path.join(FINE), &encode(fine));
        self.note(result);
    }

    /// Appends events of failures.
    pub fn record_failures(&mut self, lines: &[String]) {
        if lines.is_empty() || self.failure.is_some() {
            return;
        }
        let result = self.append_failures(lines);
        self.note(result);
    }

    fn append_failures(&mut self, lines: &[String]) -> io::Result<()> {
        let file = match &mut self.failures {
            Some(file) => file,
            None => self.failures.insert(new_file(&self.path.join(FAILURES))?),
        };
        file.write_all(lines.concat().as_bytes())
    }

    /// Writes the page of the failures.
    pub fn write_failures_page(&mut self, page: &str) {
        let result = write_private(&self.path.join(FAILURES_PAGE), page.as_bytes());
        self.note(result);
    }

    /// Why nothing is written any more.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Writes how the run ended. `summary` is the JSON of its figures.
    pub fn finish(&mut self, outcome: &Outcome, summary: &str) {
        let result = self.write_end(outcome, summary);
        self.note(result);
    }

    fn write_end(&mut self, outcome: &Outcome, summary: &str) -> io::Result<()> {
        self.intervals.sync()?;
        write_private(&self.path.join(SUMMARY), summary.as_bytes())?;
        write_json(&self.path.join(OUTCOME), outcome)
    }

    fn keep_bounded(&mut self) -> io::Result<()> {
        if !self.bounds.are_exceeded_by(&self.intervals) {
            return Ok(());
        }
        // Half of the room is free afterwards, so that this is seldom.
        while self.bounds.half().are_exceeded_by(&self.intervals) && self.width_ms < WIDEST_MS {
            self.intervals = merge_neighbours(&self.path.join(INTERVALS), self.width_ms)?;
            if self.bounds.half().are_exceeded_by(&self.intervals) {
                self.width_ms *= 2;
            }
        }
        Ok(())
    }

    fn note(&mut self, result: io::Result<()>) {
        if let (Err(error), None) = (result, &self.failure) {
            self.failure = Some(error.to_string());
        }
    }
}

fn begin(path: &Path, lock: File, metadata: &Metadata, plan: &[u8]) -> io::Result<Recorder> {
    lock.try_lock()?;
    if !plan.is_empty() {
        write_private(&path.join(PLAN), plan)?;
    }
    let intervals = Appender::begin(new_file(&path.join(INTERVALS))?)?;
    let journal = Journal::create(&path.join(EVENTS))?;
    // Last, since it makes the folder that of a run.
    write_json(&path.join(METADATA), metadata)?;
    Ok(Recorder {
        path: path.to_owned(),
        intervals,
        _lock: lock,
        journal,
        failures: None,
        bounds: Bounds::default(),
        width_ms: 2000,
        failure: None,
    })
}

fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    write_private(path, text.as_bytes())
}

fn make_folder(path: &Path, replace: bool) -> Result<(), CreateError> {
    let failed = |error| CreateError::Io(path.to_owned(), error);
    if path.join(METADATA).exists() {
        if !replace || is_running(path) {
            return Err(CreateError::HasRun(path.to_owned()));
        }
        remove_run(path).map_err(failed)?;
    }
    let is_used = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        return Err(CreateError::NotEmpty(path.to_owned()));
    }
    fs::DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::super::intervals::tests::second;
    use super::super::{JournalEvent, RecordEnd, RunFolder};
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn metadata() -> Metadata {
        Metadata { schema: Metadata::SCHEMA.into(), name: "shop".into(), ..Metadata::default() }
    }

    fn samples(run: &RunFolder) -> (u64, RecordEnd) {
        let mut intervals = run.intervals().expect("readable");
        let samples = intervals.by_ref().map(|one| one.labels.total().samples).sum();
        (samples, intervals.end().expect("at its end").clone())
    }

    #[test]
    fn a_run_is_readable_while_it_goes_on_and_when_it_is_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/run");
        let mut recorder = Recorder::create(&path, &metadata(), b"<plan/>", false).expect("made");
        recorder.record(&second(0, 5));
        recorder.journal().write(&JournalEvent::now("start", "begun"));
        let run = RunFolder::open(&path).expect("it is a run");
        assert!(run.is_running() && run.outcome().expect("readable").is_none());
        assert_eq!((samples(&run), run.metadata()), ((5, RecordEnd::Whole), &metadata()));
        recorder.record(&second(1000, 6));
        recorder.finish(&Outcome { exit: 99, ..Outcome::default() }, "{}\n");
        assert_eq!(recorder.failure(), None);
        drop(recorder);
        let outcome = run.outcome().expect("readable").expect("it has ended");
        assert_eq!((samples(&run).0, outcome.exit, run.is_running()), (11, 99, false));
        assert_eq!(run.events().expect("readable")[0].text, "begun");
        assert_eq!((run.plan().as_deref(), run.summary().as_deref()), (Some("<plan/>"), Some("{}\n")));
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(
            (mode(&path), mode(&path.join(INTERVALS)), mode(&path.join(METADATA))),
            (0o700, 0o600, 0o600)
        );
    }

    #[test]
    fn figures_of_two_digits_have_their_third_when_the_run_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run");
        let mut recorder = Recorder::create(&path, &metadata(), b"", false).expect("made");
        let whole = second(0, 500);
        recorder.record(&Interval { labels: whole.labels.coarse(0), ..whole.clone() });
        let run = RunFolder::open(&path).expect("it is a run");
        let rows = || run.run().expect("readable").0.snapshot.rows;
        assert_ne!(rows(), whole.labels.rows, "it has two digits so far");
        let mut fine = Snapshot::default();
        whole.labels.rows.iter().for_each(|row| fine.add_fine(row));
        recorder.record_fine(&fine);
        assert_eq!((rows(), recorder.failure()), (whole.labels.rows, None));
        drop(recorder);
        run.remove().expect("removed");
        assert!(!path.exists(), "nothing is left");
    }

    #[test]
    fn a_folder_that_holds_something_is_refused_and_only_a_run_that_is_over_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run");
        let create = |replace| Recorder::create(&path, &metadata(), b"", replace);
        let running = create(false).expect("made");
        assert!(matches!(create(false), Err(CreateError::HasRun(_))));
        assert!(matches!(create(true), Err(CreateError::HasRun(_))), "it is running");
        drop(running);
        fs::write(path.join("report.html"), "mine").expect("written");
        assert!(matches!(create(true), Err(CreateError::NotEmpty(_))));
        assert!(path.join("report.html").exists());
        fs::remove_file(path.join("report.html")).expect("removed");
        assert!(create(true).is_ok());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error_before_anything_ran() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("written");
        let error = Recorder::create(&file.join("run"), &metadata(), b"", false).err().expect("refused");
        assert!(error.to_string().contains("cannot keep the run in `"), "{error}");
    }

    #[test]
    fn a_disk_that_is_full_ends_the_recording_and_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run");
        let mut recorder = Recorder::create(&path, &metadata(), b"", false).expect("made");
        let full = fs::OpenOptions::new().append(true).open("/dev/full").expect("the kernel has one");
        let begun = Appender { file: full, bytes: 8, count: 0 };
        recorder.intervals = begun;
        recorder.record(&second(0, 1));
        let why = recorder.failure().expect("it failed").to_owned();
        assert!(why.contains("No space left"), "{why}");
        recorder.record(&second(1000, 1));
        assert_eq!(recorder.failure(), Some(why.as_str()));
    }

    #[test]
    fn a_long_run_keeps_a_bounded_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run");
        let mut recorder = Recorder::create(&path, &metadata(), b"", false).expect("made");
        recorder.bounds = Bounds { intervals: 20, bytes: u64::MAX };
        for at in 0..500 {
            recorder.record(&second(at * 1000, 3));
            assert!(recorder.intervals.count <= 20, "{at} {:?}", recorder.failure());
        }
        let run = RunFolder::open(&path).expect("a run");
        assert_eq!((samples(&run), recorder.failure()), ((1500, RecordEnd::Whole), None));
        assert_eq!(recorder.width_ms, 64_000, "no wider than it must be");
    }
}
