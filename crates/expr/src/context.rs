//! What an expression can read and do: variables, properties, its user, and the environment.

use std::any::Any;
use std::cell::OnceCell;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use swell_trace::{SharedRecent, UserTrace};

use crate::backlog::{Backlog, WriteFailed};
use crate::file_name::FileName;
use crate::files_read::FilesRead;
use crate::heavy::Heavy;
use crate::host::Host;
use crate::level::Level;
use crate::properties::Properties;
use crate::refusal::{Refusal, ScriptPlace};
use crate::replay::RemoteMode;
use crate::script_failure::Unsupported;
use crate::thrown::Thrown;
use crate::user::{PhaseUsers, RunningUsers, UserCounts, UserIdentity};
use crate::user_faults::UserFaults;
use crate::vars::{Value, Vars};

/// Small files do not count, as small bodies do not.
const FREE: usize = 16 << 10;

/// The kind of stop that a function or element requests (JMeterStopThreadException and others).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopRequest {
    /// This virtual user ends after the current element.
    User,
    /// The test stops: running samples finish.
    Test,
    /// The test stops now: running samples are cut.
    TestNow,
}

/// Constants of a whole run.
#[derive(Clone, Debug, Default)]
pub struct RunInfo {
    /// File name of the plan without folder (`__TestPlanName`).
    pub plan_name: String,
    /// Folder of the plan file.
    pub plan_dir: PathBuf,
    /// Variables that every user starts with: as long as they keep their values, these are the
    /// plan's own.
    pub variables: Vec<(String, String)>,
    /// The first script that was not understood while the test ran.
    pub refusal: OnceLock<Refusal>,
    /// Users that an error ended.
    pub faults: UserFaults,
}

/// The part of a virtual user that expressions, assertions, extractors and pre-processors use.
/// There is one per user; it stays on one worker and is never shared.
pub struct Context {
    /// Variables of this user.
    pub vars: Vars,
    /// Properties of the run, shared by all users of all workers.
    pub props: Arc<Properties>,
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
    pub unheard: Box<[(u32, u32)]>,
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
    pub previous: Option<Rc<String>>,
    /// How work on large texts is done.
    pub heavy: Rc<Heavy>,
    /// What this user waits for before its next sample; the engine takes it
    /// ([`Context::wait_for`]).
    pub backlog: OnceCell<Backlog>,
    /// Room of the files that its functions have read; the engine releases it before the next
    /// sample.
    pub files_read: FilesRead,
    /// How calls go that something else answers.
    pub remote: RemoteMode,
    /// Collects what this user does, in a run that is traced.
    pub trace: Option<Box<UserTrace>>,
    /// Heads and figures of the samples of this iteration, in a run that keeps its first failures.
    pub recent: Option<SharedRecent>,
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
    pub(crate) fn store(&mut self, name: &str, value: impl Into<Value>) {
        if self.thrown.is_none() {
            self.vars.put(name, value);
        }
    }

    /// Makes the user wait for a writer before its next sample. If it is to wait for another
    /// already, that one comes first; this one is asked for again with what is written next.
    pub fn wait_for(&self, backlog: Option<Backlog>) {
        if let Some(backlog) = backlog {
            // An error: it is to wait already.
            let _ = self.backlog.set(backlog);
        }
    }

    /// Hands content to the writer of a file, for which the user waits if it lags. False if it is
    /// known now that it cannot be written; `failed` says so in the log, now or when it turns out.
    pub fn write_file(&self, name: &FileName, content: Vec<u8>, append: bool, failed: WriteFailed) -> bool {
        match self.host.write_file(name, content, append, failed) {
            Ok(backlog) => {
                self.wait_for(backlog);
                true
            }
            Err(error) => {
                let (level, message) = failed(name.text(), &error);
                self.log(level, &message);
                false
            }
        }
    }

    /// Logs a line; where the log cannot keep up, the user waits for it.
    pub fn log(&self, level: Level, message: &str) {
        self.host.log(level, message);
        self.wait_for(self.host.backlog());
    }

    /// Ends the test because of an unsupported script. The first one of a run is reported at its
    /// end ([`crate::RunInfo::refusal`]); what was to be done with the script's value is not done.
    pub fn refuse(&mut self, place: &Rc<ScriptPlace>, reason: Unsupported, script: &str) {
        let refusal = Refusal::new(ScriptPlace::clone(place), reason, script);
        self.stop = Some(StopRequest::TestNow);
        let thrown = Thrown { class: Thrown::NOT_UNDERSTOOD, message: refusal.to_string() };
        self.thrown.get_or_insert_with(|| Box::new(thrown));
        let message = refusal.to_string();
        // Others that meet the same at the same time are not told of again.
        if self.run.refusal.set(refusal).is_ok() {
            self.host.log(Level::Error, &format!("{message}; the test ends"));
        }
    }

    /// Reads a whole file within the memory that all users share.
    ///
    /// # Errors
    /// It cannot be read, is larger than one file may be, or than what is left of the shared
    /// memory.
    pub(crate) fn read_shared(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        let limits = self.host.file_limits();
        let mut file = self.host.open(path)?;
        let mut content = Vec::new();
        loop {
            let more = FREE.max(content.capacity() / 4);
            if content.capacity() > 0 {
                self.files_read.take(&self.heavy.account, more)?;
            }
            content.reserve_exact(more);
            let read = (&mut file).take(more as u64).read_to_end(&mut content)?;
            limits.check_whole(content.len() as u64)?;
            if read < more {
                return Ok(content);
            }
        }
    }
}
