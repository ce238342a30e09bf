//! What an expression can see and do: variables, properties, who it runs for, and the outside world
//! by contract.

use std::any::Any;
use std::cell::OnceCell;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use crate::refusal::Refusal;

use crate::{FileLimits, FileName};

/// Log levels of JMeter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `TRACE`.
    Trace,
    /// `DEBUG`.
    Debug,
    /// `INFO`.
    Info,
    /// `WARN`.
    Warn,
    /// `ERROR`.
    Error,
}

/// The world outside, as far as expressions and elements need it. The command implements it on the
/// real machine, tests on a table.
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
        failed: crate::WriteFailed,
    ) -> io::Result<Option<crate::Backlog>>;
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
    fn backlog(&self) -> Option<crate::Backlog> {
        None
    }
    /// A line for standard output, or for standard error (`__log` with level `OUT` or `ERR`).
    fn print(&self, line: &str, to_stderr: bool);
    /// The machine's time zone as an IANA name.
    fn time_zone(&self) -> String;
}

/// How a function or element asks the engine to stop (JMeterStopThreadException and its relatives).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopRequest {
    /// This virtual user ends after the current element.
    User,
    /// The test stops: running samples finish.
    Test,
    /// The test stops now: running samples are cut.
    TestNow,
}

/// Facts that hold for a whole run.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// File name of the plan without folder (`__TestPlanName`).
    pub plan_name: String,
    /// Folder of the plan file.
    pub plan_dir: std::path::PathBuf,
    /// Variables that every user starts with: as long as they keep their values, these are the
    /// plan's own.
    pub variables: Vec<(String, String)>,
    /// Functions that other crates bring.
    pub functions: crate::ForeignFunctions,
    /// The first script that was not understood while the test ran.
    pub refusal: OnceLock<Refusal>,
    /// Users that an error ended.
    pub faults: crate::UserFaults,
}

/// An exception that a function threw: the text that calls it has no value, and neither has what
/// would use that text. Code that works for a user takes it ([`Context::thrown`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrown {
    /// Its class.
    pub class: &'static str,
    /// Its message.
    pub message: String,
}

impl Thrown {
    /// No class of Java: a script was not understood ([`Context::refuse`]).
    pub const NOT_UNDERSTOOD: &'static str = "script not understood";
    /// The class of the exception that ends the thread, where no sample is made of it.
    pub const STOP_THREAD: &'static str = "org.apache.jorphan.util.JMeterStopThreadException";
    /// No class of Java: an error, which was reported, ends the thread; its sample is not reported.
    pub const ENDS_USER: &'static str = "an error ends the user";
    /// No class of Java: a call has no answer yet ([`Context::is_suspended`]).
    pub const SUSPENDED: &'static str = "not answered yet";
    /// No class of Java: a call will never have an answer.
    pub const NO_ANSWER: &'static str = "no answer";
}

impl std::fmt::Display for Thrown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.class, self.message)
    }
}

/// Who runs.
#[derive(Clone, Debug)]
pub struct UserIdentity {
    /// JMeter's thread name: `<group> <groupNo>-<threadNo>`.
    pub thread_name: Rc<str>,
    /// Name of the thread group.
    pub group_name: Rc<str>,
    /// Number in the group, from 0 (`__threadNum` shows it plus 1).
    pub thread_index: u32,
    /// Number of the thread group among the elements of the plan; 0 outside of groups.
    pub group_number: u32,
    /// How many users the thread group has, as far as its schedule says; 0 outside of groups.
    pub group_users: u32,
}

/// How many users run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunningUsers {
    /// Running users of the user's thread group.
    pub group: u32,
    /// Running users of all thread groups.
    pub all: u32,
}

/// Users of the thread groups of a phase, as far as these have begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseUsers {
    /// How many their schedules have.
    pub planned: u32,
    /// How many have begun.
    pub started: u32,
}

/// Knows how many users run. Few plans ask, so it is computed on demand.
pub trait UserCounts {
    /// How many run now.
    fn running_users(&self) -> RunningUsers;
    /// Those of the phase of the user's thread group.
    fn phase_users(&self) -> PhaseUsers;
}

/// The part of a virtual user that expressions, assertions, extractors and pre-processors see. One
/// per user, on one worker; never shared.
pub struct Context {
    /// Variables of this user.
    pub vars: crate::Vars,
    /// Properties of the run, shared by all users of all workers.
    pub props: Arc<crate::Properties>,
    /// The outside world.
    pub host: Arc<dyn Host>,
    /// Facts of the run.
    pub run: Arc<RunInfo>,
    /// Who runs.
    pub user: UserIdentity,
    /// Name of the sampler that runs or ran last (`__samplerName`).
    pub sampler_name: Rc<str>,
    /// Who knows how many users run; none outside of a run ([`Context::running_users`]).
    pub users: Option<Rc<dyn UserCounts>>,
    /// Thread group iteration, from 1, 0 before the first (`__iterationNum`, per-iteration
    /// elements).
    pub iteration: u64,
    /// Elements that something else runs (the JVM) and that have not heard of iterations of their
    /// controllers yet: their numbers in the plan, in order, each with how many iterations.
    pub unheard: Vec<(u32, u32)>,
    /// Set by a function or element that wants the engine to stop something; the engine takes it
    /// after each element.
    pub stop: Option<StopRequest>,
    /// The first exception since it was taken last. Until then no further function is called.
    pub thrown: Option<Box<Thrown>>,
    /// Random numbers of this user.
    pub random: rand::rngs::SmallRng,
    /// State that functions keep for each user, by instance number (`__counter(TRUE)`).
    pub function_states: Vec<Option<Box<dyn Any>>>,
    /// The body of the last response as text (`__regexFunction`); set by the engine only where a
    /// plan may read it.
    pub previous: Option<Rc<str>>,
    /// How work on large texts is done.
    pub heavy: Rc<crate::Heavy>,
    /// What this user waits for before its next sample; the engine takes it
    /// ([`Context::wait_for`]).
    pub backlog: OnceCell<crate::Backlog>,
    /// Room of the files that its functions have read; the engine releases it before the next
    /// sample.
    pub files_read: crate::FilesRead,
    /// How calls go that something else answers.
    pub remote: crate::RemoteMode,
}

impl Context {
    /// How many users run now; none outside of a run.
    pub fn running_users(&self) -> RunningUsers {
        self.users.as_ref().map(|users| users.running_users()).unwrap_or_default()
    }

    /// The users of the phase; none outside of a run.
    pub fn phase_users(&self) -> PhaseUsers {
        self.users.as_ref().map(|users| users.phase_users()).unwrap_or_default()
    }

    /// Sets a variable for a function, unless one of its arguments has thrown: in Java nothing
    /// follows an exception.
    pub(crate) fn store(&mut self, name: &str, value: impl Into<crate::Value>) {
        if self.thrown.is_none() {
            self.vars.put(name, value);
        }
    }
}
