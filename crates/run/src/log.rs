//! The log of a run: lines go to the writer of its file, and errors are counted.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};
use swell_expr::{Backlog, FileName, Level};
use swell_results::{FileWrite, FileWriters, Folders, NEW_FILE_MODE, OnWriteError, Writing};

use crate::{Message, MessageSink};

/// Contents of the log.
#[derive(Clone, Debug, Default)]
pub struct LogSummary {
    /// The log file; none if nothing is logged.
    pub path: Option<PathBuf>,
    /// How many errors were logged.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<String>,
}

/// The log of a run.
pub(crate) struct Log {
    state: Mutex<State>,
    writers: Arc<FileWriters>,
    /// The file takes nothing more.
    fails: Arc<AtomicBool>,
    messages: MessageSink,
    on_error: OnWriteError,
}

struct State {
    path: Option<PathBuf>,
    /// The file among those that are written.
    place: PathBuf,
    /// Lines from before the run: only its start makes an old log go.
    waiting: Option<String>,
    /// The next line is the first of the run.
    is_new: bool,
    least: Level,
    errors: u64,
    first_error: Option<String>,
}

impl Log {
    /// What is at least as important as `least` is logged to `path`, if there is one, and its
    /// errors are counted.
    pub(crate) fn new(
        path: Option<PathBuf>,
        least: Level,
        writers: Arc<FileWriters>,
        messages: MessageSink,
    ) -> Self {
        let errors = 0;
        let first_error = None;
        let waiting = Some(String::new());
        let place = path.as_deref().map(swell_results::place_of).unwrap_or_default();
        let state = Mutex::new(State { path, place, waiting, is_new: true, least, errors, first_error });
        let fails = Arc::default();
        let on_error = on_error(&fails, &messages);
        Self { state, writers, fails, messages, on_error }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Sees whether the log can be written, and leaves everything as it is.
    pub(crate) fn check(&self) -> io::Result<()> {
        let state = self.state();
        let Some(path) = &state.path else { return Ok(()) };
        let _folders = folders_of(path)?;
        swell_results::check_place(path)
    }

    /// Nothing is logged.
    pub(crate) fn drop_file(&self) {
        self.state().path = None;
    }

    /// The run starts: a log that is there already is overwritten with the first line.
    pub(crate) fn begin(&self) {
        let mut state = self.state();
        let Some(lines) = state.waiting.take().filter(|lines| !lines.is_empty()) else { return };
        self.write(&mut state, lines);
    }

    /// Contents of the log until now.
    pub(crate) fn logged(&self) -> LogSummary {
        let state = self.state();
        let path = state.path.clone().filter(|_| !self.fails.load(Ordering::Acquire));
        LogSummary { path, errors: state.errors, first_error: state.first_error.clone() }
    }

    /// Logs a line.
    pub(crate) fn line(&self, level: Level, message: &str) {
        let mut state = self.state();
        if level < state.least {
            return;
        }
        if level == Level::Error {
            state.errors += 1;
            state.first_error.get_or_insert_with(|| message.to_owned());
        }
        let now = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M:%S,%3f").to_string();
        // People watch logs with `tail -f`.
        let message = swell_report::plain_lines(message);
        let message = swell_report::without_passwords(&message);
        let line = format!("{now} {} {message}\n", name_of(level));
        if let Some(waiting) = &mut state.waiting {
            waiting.push_str(&line);
            return;
        }
        self.write(&mut state, line);
        let place = state.place.clone();
        drop(state);
        self.writers.settle_most(&place);
    }

    /// What a user waits for that has just logged.
    pub(crate) fn backlog(&self) -> Option<Backlog> {
        self.writers.backlog(&self.state().place)
    }

    /// Waits until what was logged is written, unless the log is one of the files that take
    /// nothing.
    pub(crate) fn settle_unless(&self, stuck: &[PathBuf]) {
        let place = self.state().place.clone();
        if !stuck.contains(&place) {
            self.writers.settle(&place);
        }
    }

    fn write(&self, state: &mut State, lines: String) {
        if self.fails.load(Ordering::Acquire) {
            return;
        }
        let Some(path) = &state.path else { return };
        let how = Writing { append: !std::mem::take(&mut state.is_new), makes_folders: true };
        let name = FileName::of_plan(path.to_string_lossy());
        let content = Box::new(lines.into_bytes());
        let write = FileWrite { name, content, how, on_error: self.on_error.clone() };
        // Users wait for it that log by themselves ([`Log::backlog`]).
        drop(self.writers.write_to(state.place.clone(), write));
    }
}

/// Said once; a log that cannot be written must not fill the terminal.
fn on_error(fails: &Arc<AtomicBool>, messages: &MessageSink) -> OnWriteError {
    let fails = fails.clone();
    let messages = messages.clone();
    Arc::new(move |_, error| {
        if !fails.swap(true, Ordering::AcqRel) {
            messages(Message::LogFails(error));
        }
    })
}

/// A refused run appends its lines to the existing ones.
impl Drop for Log {
    fn drop(&mut self) {
        let mut state = self.state();
        let lines = state.waiting.take().filter(|lines| !lines.is_empty());
        let path = state.path.take();
        drop(state);
        if let (Some(lines), Some(path)) = (lines, path)
            && let Err(error) = append(&path, &lines)
        {
            (self.messages)(Message::LogFails(&error));
        }
    }
}

fn append(path: &Path, lines: &str) -> io::Result<()> {
    folders_of(path)?.keep();
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(NEW_FILE_MODE).open(path)?.write_all(lines.as_bytes())
}

/// Makes the folders in which a file is to stand.
fn folders_of(path: &Path) -> io::Result<Folders> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or_else(|| Ok(Folders::default()), Folders::make)
}

fn name_of(level: Level) -> &'static str {
    match level {
        Level::Trace => "TRACE",
        Level::Debug => "DEBUG",
        Level::Info => "INFO",
        Level::Warn => "WARN",
        Level::Error => "ERROR",
    }
}
