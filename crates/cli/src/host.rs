//! The real machine, for expressions and elements.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{IpAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use swell_expr::{Host, Level};

use crate::output::words;

/// This machine, with a log file.
pub(crate) struct Machine {
    plan_dir: PathBuf,
    log: Mutex<Log>,
    files: Mutex<()>,
}

/// What stands in the log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Logged {
    pub(crate) path: Option<PathBuf>,
    pub(crate) errors: u64,
    pub(crate) first_error: Option<String>,
}

struct Log {
    /// Opened at the first line, so that a run without anything to log leaves no file behind.
    file: Option<File>,
    path: Option<PathBuf>,
    least: Level,
    errors: u64,
    first_error: Option<String>,
}

impl Machine {
    /// A machine whose relative files are looked for in the working directory, then in `plan_dir`, and that logs to `log`
    /// what is at least as important as `least`.
    pub(crate) fn new(plan_dir: PathBuf, log: Option<PathBuf>, least: Level) -> Self {
        let log = Log { file: None, path: log, least, errors: 0, first_error: None };
        Self { plan_dir, log: Mutex::new(log), files: Mutex::default() }
    }

    /// What stands in the log so far.
    pub(crate) fn logged(&self) -> Logged {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        Logged { path: log.path.clone(), errors: log.errors, first_error: log.first_error.clone() }
    }
}

impl Log {
    fn write(&mut self, line: &str) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        if self.file.is_none() {
            self.file = Some(File::create(path)?);
        }
        self.file.as_mut().map_or(Ok(()), |file| file.write_all(line.as_bytes()))
    }
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

    fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(self.find(path))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(self.find(path))?))
    }

    fn write_file(&self, path: &Path, content: &[u8], append: bool) -> io::Result<()> {
        let _one_at_a_time = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file =
            OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(path)?;
        file.write_all(content)
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
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
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
        let written = log.write(&format!("{now} {} {message}\n", name_of(level)));
        if let Err(error) = written {
            // Said once; a log that cannot be written must not fill the terminal.
            words(&format!("cannot write the log: {error}; nothing more is logged"));
            log.path = None;
        }
    }

    fn print(&self, line: &str, to_stderr: bool) {
        // What is printed may come from a response, and may reach a terminal also through a pipe.
        let line = swell_report::plain_lines(line);
        // A closed pipe at the other end is no reason to stop a test.
        let _closed = if to_stderr {
            writeln!(io::stderr().lock(), "{line}")
        } else {
            writeln!(io::stdout().lock(), "{line}")
        };
    }

    fn time_zone(&self) -> String {
        jiff::tz::TimeZone::system().iana_name().unwrap_or("UTC").to_owned()
    }
}
