//! The real machine as the environment of expressions and elements.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::net::{IpAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use swell_expr::{Backlog, Confinement, FileLimits, FileName, Host, Level, WriteFailed};
use swell_results::{FileWrite, FileWriters, OnWriteError, Writing, check_named, open_named};
use swell_trace::{Event as TraceEvent, LogLine, TraceSink};

use crate::log::Log;
use crate::open::open_to_read;
use crate::{LogSummary, Message, MessageSink};

/// This machine, with a log file.
#[derive(Clone)]
pub struct Machine {
    plan_dir: PathBuf,
    log: Arc<Log>,
    writers: Arc<FileWriters>,
    limits: FileLimits,
    confinement: Confinement,
    moved: HashMap<PathBuf, PathBuf>,
    messages: MessageSink,
    trace: Option<Arc<dyn TraceSink>>,
}

impl Machine {
    /// A machine whose relative files are looked for in the working directory, then in `plan_dir`;
    /// it tells `messages` what is printed, and has no log.
    pub fn new(plan_dir: PathBuf, messages: MessageSink) -> Self {
        let writers = Arc::<FileWriters>::default();
        let log = Arc::new(Log::new(None, Level::Info, writers.clone(), messages.clone()));
        let limits = FileLimits::default();
        let confinement = Confinement::default();
        Self { plan_dir, log, writers, limits, confinement, moved: HashMap::new(), messages, trace: None }
    }

    /// What is at least as important as `least` is logged to `path`, if there is one, and its
    /// errors are counted.
    #[must_use]
    pub fn with_log(self, path: Option<PathBuf>, least: Level) -> Self {
        let log = Arc::new(Log::new(path, least, self.writers.clone(), self.messages.clone()));
        Self { log, ..self }
    }

    /// What is logged, and what the plan prints, goes into a trace, too.
    #[must_use]
    pub fn traced(self, trace: Option<Arc<dyn TraceSink>>) -> Self {
        Self { trace, ..self }
    }

    /// Sees whether the log can be written, and leaves everything as it is.
    pub fn check_log(&self) -> io::Result<()> {
        self.log.check()
    }

    /// With separate limits for the files that it reads.
    #[must_use]
    pub fn with_limits(self, limits: FileLimits) -> Self {
        Self { limits, ..self }
    }

    /// A machine whose files a plan may touch only in one folder.
    #[must_use]
    pub fn confined(self, confinement: Confinement) -> Self {
        Self { confinement, ..self }
    }

    /// A machine where files that the plan names by these names are elsewhere.
    #[must_use]
    pub fn with_moved_files(self, moved: HashMap<PathBuf, PathBuf>) -> Self {
        Self { moved, ..self }
    }

    /// Nothing is logged.
    pub fn without_log(&self) {
        self.log.drop_file();
    }

    /// The run starts: a log that is there already is overwritten with the first line.
    pub fn begin_log(&self) {
        self.log.begin();
    }

    /// Contents of the log until now.
    pub fn logged(&self) -> LogSummary {
        self.log.logged()
    }

    /// What writes the files of the plan, and the log.
    pub(crate) fn writers(&self) -> &Arc<FileWriters> {
        &self.writers
    }

    /// Writes all that waits. A file that takes nothing for as long as that is given up, which is
    /// logged as an error.
    pub(crate) fn finish_files(&self, patience: Duration) {
        let Err(given_up) = self.writers.finish(patience) else { return };
        let seconds = patience.as_secs();
        for path in &given_up {
            let path = path.display();
            let line = format!("{path} accepted no data for {seconds} s: its remaining data is lost");
            self.log(Level::Error, &line);
        }
        self.log.settle_unless(&given_up);
    }

    /// Writes what was logged after the end of the run, such as its last summary lines. A log that
    /// takes nothing for a second is left.
    pub fn finish_log(&self) {
        self.finish_files(Duration::from_secs(1));
    }

    /// Where a file is that the plan may read, once what the run has written to it is there.
    fn written(&self, path: &Path) -> io::Result<PathBuf> {
        let path = self.find(path);
        self.confinement.check(&path)?;
        self.writers.settle(&path);
        Ok(path)
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Trace => "trace",
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    }
}

/// The whole of a file.
pub fn read_whole(path: &Path, limits: FileLimits) -> io::Result<Vec<u8>> {
    let file = open_to_read(path)?;
    limits.check_whole(file.metadata()?.len())?;
    limits.read_whole(file)
}

impl Host for Machine {
    fn now_ns(&self) -> i64 {
        swell_net::now_ns()
    }

    fn find(&self, path: &Path) -> PathBuf {
        match self.moved.get(path) {
            Some(place) => place.clone(),
            None if path.is_absolute() || path.exists() => path.to_owned(),
            None => self.plan_dir.join(path),
        }
    }

    fn may_use(&self, path: &Path) -> io::Result<()> {
        self.confinement.check(&self.find(path))
    }

    fn file_limits(&self) -> FileLimits {
        self.limits
    }

    fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_whole(&self.written(path)?, self.limits)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(open_to_read(&self.written(path)?)?))
    }

    fn make_file(&self, name: &FileName) -> io::Result<File> {
        self.confinement.check(Path::new(name.text()))?;
        self.writers.settle(Path::new(name.text()));
        open_named(name, Writing::default())
    }

    fn write_file(
        &self,
        name: &FileName,
        content: Vec<u8>,
        append: bool,
        failed: WriteFailed,
    ) -> io::Result<Option<Backlog>> {
        self.confinement.check(Path::new(name.text()))?;
        check_named(name)?;
        let log = self.log.clone();
        let on_error: OnWriteError = Arc::new(move |name, error| {
            let (level, line) = failed(name.text(), error);
            log.line(level, &line);
        });
        let how = Writing { append, makes_folders: false };
        Ok(self.writers.write(FileWrite { name: name.clone(), content: Box::new(content), how, on_error }))
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
        self.log.line(level, message);
        if let Some(trace) = &self.trace {
            trace.event(TraceEvent::Log(LogLine { level: level_name(level), text: message.to_owned() }));
        }
    }

    fn backlog(&self) -> Option<Backlog> {
        self.log.backlog()
    }

    fn print(&self, line: &str, to_stderr: bool) {
        match &self.trace {
            Some(trace) => trace.event(TraceEvent::Log(LogLine { level: "output", text: line.to_owned() })),
            None => (self.messages)(Message::Printed { line, to_stderr }),
        }
    }

    fn for_user(&self, trace: Arc<dyn TraceSink>) -> Option<Arc<dyn Host>> {
        Some(Arc::new(self.clone().traced(Some(trace))))
    }

    fn time_zone(&self) -> String {
        jiff::tz::TimeZone::system().iana_name().unwrap_or("UTC").to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_takes_nothing_is_given_up_at_the_end_and_the_log_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let log = folder.path().join("swell.log");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        let machine = Machine::new(folder.path().to_owned(), Arc::new(|_| {}));
        let machine = machine.with_log(Some(log.clone()), Level::Info);
        machine.begin_log();
        let name = FileName::of_plan(pipe.to_string_lossy());
        let failed = |_: &str, _: &io::Error| (Level::Error, "the reader is gone".to_owned());
        assert!(machine.write_file(&name, b"text".to_vec(), true, failed).is_ok_and(|wait| wait.is_none()));
        machine.finish_files(Duration::from_millis(1));
        let said = std::fs::read_to_string(&log).expect("it is written");
        assert!(said.contains("pipe accepted no data for 0 s: its remaining data is lost"), "{said}");
        assert_eq!(machine.logged().errors, 1);
        // The thread that holds it continues, and the test leaves nothing behind.
        drop(File::open(&pipe).expect("its writer waits for this"));
    }
}
