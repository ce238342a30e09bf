//! The environment as a contract: clock, files, log and names of the machine.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use swell_trace::TraceSink;

use crate::backlog::{Backlog, WriteFailed};
use crate::file_limits::FileLimits;
use crate::file_name::FileName;
use crate::level::Level;

/// The environment that expressions and elements use. The command implements it on the real
/// machine, tests on tables.
pub trait Host: Send + Sync {
    /// Wall clock, nanoseconds since the epoch.
    fn now_ns(&self) -> i64;
    /// Where a file is that is named in a plan. A relative path is looked up as JMeter's FileServer
    /// does: in the working directory, then in the plan's folder. It need not exist.
    fn find(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }
    /// Whether the plan may touch a file, found as in [`Host::find`], for who opens it without
    /// [`Host::open`] ([`crate::Confinement`]).
    fn may_use(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }
    /// How much of a file may be held in memory.
    fn file_limits(&self) -> FileLimits {
        FileLimits::default()
    }
    /// The whole of a file, found as in [`Host::find`]; more than [`Host::file_limits`] allow is an
    /// error.
    fn read_file(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// A file opened for reading from its start, found as in [`Host::find`].
    fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>>;
    /// Hands content to the writer of a file, which writes or appends; its folder must be there. A
    /// relative path counts from the working directory (`__StringToFile`). A name that is not
    /// wholly the plan's own leads nowhere but below the plan's folder, past no link
    /// ([`FileName::contained`]). What several threads hand over is written in turn, and read by
    /// [`Host::read_file`] and [`Host::open`]. Gives what the user waits for, or why it cannot be
    /// written; what fails later is logged as `failed` says.
    fn write_file(
        &self,
        name: &FileName,
        content: Vec<u8>,
        append: bool,
        failed: WriteFailed,
    ) -> io::Result<Option<Backlog>>;
    /// Makes a file, or empties it, for something else to write to. What is not the plan's own in
    /// its name does not lead it out of the plan's folder.
    fn make_file(&self, name: &FileName) -> io::Result<File>;
    /// A variable of the process's environment (`__env`).
    fn env(&self, name: &str) -> Option<String>;
    /// Host name of this machine.
    fn machine_name(&self) -> String;
    /// Address of this machine, as Java's `InetAddress.getLocalHost().getHostAddress()`.
    fn machine_ip(&self) -> String;
    /// A line for the log (`jmeter.log`). It does not wait for the disk; see [`Host::backlog`].
    fn log(&self, level: Level, message: &str);
    /// What a user waits for that has just logged or written a file; none as long as writers keep
    /// up.
    fn backlog(&self) -> Option<Backlog> {
        None
    }
    /// A line for standard output, or for standard error (`__log` with level `OUT` or `ERR`).
    fn print(&self, line: &str, to_stderr: bool);
    /// The machine's time zone as an IANA name.
    fn time_zone(&self) -> String;

    /// The same environment for one user of a run that is traced, whose log lines and prints go to
    /// `trace`; none if it has no trace.
    fn for_user(&self, _trace: Arc<dyn TraceSink>) -> Option<Arc<dyn Host>> {
        None
    }
}
