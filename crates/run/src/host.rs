//! The real machine, for expressions and elements.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{IpAddr, ToSocketAddrs};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use swell_expr::{FileLimits, FileName, Host, Level};
use swell_results::{Folders, NEW_FILE_MODE, Writing, open_named, write_named};

use crate::{Message, MessageSink};

/// This machine, with a log file.
pub struct Machine {
    plan_dir: PathBuf,
    log: Mutex<Log>,
    files: Mutex<()>,
    limits: FileLimits,
    messages: MessageSink,
}

/// What stands in the log.
#[derive(Clone, Debug, Default)]
pub struct Logged {
    /// The log file; none if nothing is logged.
    pub path: Option<PathBuf>,
    /// How many errors were logged.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<String>,
}

struct Log {
    /// Opened at the first line, so that a run without anything to log leaves no file behind.
    file: Option<File>,
    path: Option<PathBuf>,
    /// Lines from before the run: only its start makes an old log go.
    waiting: Option<String>,
    least: Level,
    errors: u64,
    first_error: Option<String>,
    messages: MessageSink,
}

impl Machine {
    /// A machine whose relative files are looked for in the working directory, then in `plan_dir`; it tells `messages` what is
    /// printed, and has no log.
    pub fn new(plan_dir: PathBuf, messages: MessageSink) -> Self {
        let log = Log {
            file: None,
            path: None,
            waiting: Some(String::new()),
            least: Level::Info,
            errors: 0,
            first_error: None,
            messages: messages.clone(),
        };
        Self {
            plan_dir,
            log: Mutex::new(log),
            files: Mutex::default(),
            limits: FileLimits::default(),
            messages,
        }
    }

    /// What is at least as important as `least` is logged to `path`, if there is one, and its errors are counted.
    #[must_use]
    pub fn with_log(self, path: Option<PathBuf>, least: Level) -> Self {
        let mut log = self.log();
        (log.path, log.least) = (path, least);
        drop(log);
        self
    }

    /// Sees whether the log can be written, and leaves everything as it is.
    pub fn check_log(&self) -> io::Result<()> {
        let log = self.log();
        let Some(path) = &log.path else { return Ok(()) };
        let _folders = folders_of(path)?;
        swell_results::check_place(path)
    }

    /// With limits of its own for the files that it reads.
    #[must_use]
    pub fn with_limits(self, limits: FileLimits) -> Self {
        Self { limits, ..self }
    }

    /// Nothing is logged.
    pub fn without_log(&self) {
        self.log().path = None;
    }

    /// The run starts: a log that is there already is overwritten with the first line.
    pub fn begin_log(&self) {
        let mut log = self.log();
        let Some(lines) = log.waiting.take().filter(|lines| !lines.is_empty()) else { return };
        log.write_or_tell(&lines);
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What stands in the log so far.
    pub fn logged(&self) -> Logged {
        let log = self.log();
        Logged { path: log.path.clone(), errors: log.errors, first_error: log.first_error.clone() }
    }
}

impl Log {
    fn write(&mut self, lines: &str, keep_old: bool) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        if self.file.is_none() {
            folders_of(path)?.keep();
            let mut options = OpenOptions::new();
            options.create(true).write(true).append(keep_old).truncate(!keep_old).mode(NEW_FILE_MODE);
            self.file = Some(options.open(path)?);
        }
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(lines.as_bytes()))
    }

    fn write_or_tell(&mut self, lines: &str) {
        if let Err(error) = self.write(lines, false) {
            // Said once; a log that cannot be written must not fill the terminal.
            (self.messages)(Message::LogFails(&error));
            self.path = None;
        }
    }
}

/// A run that was refused leaves its lines behind those that are there.
impl Drop for Log {
    fn drop(&mut self) {
        let lines = self.waiting.take().filter(|lines| !lines.is_empty());
        if let Some(Err(error)) = lines.map(|lines| self.write(&lines, true)) {
            (self.messages)(Message::LogFails(&error));
        }
    }
}

/// Makes the folders in which a file is to stand.
fn folders_of(path: &Path) -> io::Result<Folders> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or_else(|| Ok(Folders::default()), Folders::make)
}

/// The whole of a file.
pub fn read_whole(path: &Path, limits: FileLimits) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    limits.check_whole(file.metadata()?.len())?;
    limits.read_whole(file)
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

impl Host for Machine {
    fn now_ns(&self) -> i64 {
        swell_net::now_ns()
    }

    fn find(&self, path: &Path) -> PathBuf {
        if path.is_absolute() || path.exists() { path.to_owned() } else { self.plan_dir.join(path) }
    }

    fn file_limits(&self) -> FileLimits {
        self.limits
    }

    fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_whole(&self.find(path), self.limits)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(self.find(path))?))
    }

    fn make_file(&self, name: &FileName) -> io::Result<File> {
        open_named(name, Writing::default())
    }

    fn write_file(&self, name: &FileName, content: &[u8], append: bool) -> io::Result<()> {
        let _one_at_a_time = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        write_named(name, content, Writing { append, makes_folders: false })
    }

    fn env(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn machine_name(&self) -> String {
        swell_net::machine::host_name()
    }

    fn machine_ip(&self) -> String {
        let addresses = (swell_net::machine::host_name(), 0).to_socket_addrs();
        let first = addresses.ok().and_then(|mut all| all.find(|a| a.ip().is_ipv4()));
        first.map_or(IpAddr::from([127, 0, 0, 1]), |a| a.ip()).to_string()
    }

    fn log(&self, level: Level, message: &str) {
        let mut log = self.log();
        if level < log.least {
            return;
        }
        if level == Level::Error {
            log.errors += 1;
            log.first_error.get_or_insert_with(|| message.to_owned());
        }
        let now = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M:%S,%3f").to_string();
        // People watch logs with `tail -f`.
        let message = swell_report::plain_lines(message);
        let message = swell_report::without_passwords(&message);
        let line = format!("{now} {} {message}\n", name_of(level));
        match &mut log.waiting {
            Some(waiting) => waiting.push_str(&line),
            None => log.write_or_tell(&line),
        }
    }

    fn print(&self, line: &str, to_stderr: bool) {
        (self.messages)(Message::Printed { line, to_stderr });
    }

    fn time_zone(&self) -> String {
        jiff::tz::TimeZone::system().iana_name().unwrap_or("UTC").to_owned()
    }
}
