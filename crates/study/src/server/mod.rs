//! The server under test as a child of this process: started with settings, awaited until it is
//! ready, stopped with all of its processes.
//!
//! A server is a command line for the shell, in a separate process group. It ends with this
//! process, however this process ends: a guard, a shell that waits for the end of a pipe, then
//! kills the group. (`PR_SET_PDEATHSIG` would reach only the shell, would be forgotten if the
//! server changes its user, and depends on one thread of ours.)

mod error;
mod guard;
mod hook;
mod output;
mod ready;
mod template;

use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

pub use error::{Death, ServerError};
pub use hook::run_hook;
pub use ready::Ready;
pub use template::{Template, UnknownSetting};

pub(crate) use guard::Guard;
use output::Output;

/// The setting that holds the server's port: found in its ready line, or given to it where its
/// command asks for it.
pub const PORT: &str = "port";

/// How long between two looks at a server that is to become ready, or to end.
const LOOK: Duration = Duration::from_millis(20);

/// How to start, await and stop a server.
#[derive(Clone, Debug)]
pub struct ServerPlan {
    /// The command, for `/bin/sh`; `{name}` is replaced by a setting. If it has `{port}` and no
    /// setting has that name, a free port of the loopback address is chosen.
    pub command: Template,
    /// How it is known that it serves.
    pub ready: Ready,
    /// How long that may take.
    pub ready_within: Duration,
    /// How long it may take to end after SIGTERM; then it is killed.
    pub stop_within: Duration,
}

impl ServerPlan {
    /// With the usual times: a minute to become ready, ten seconds to stop.
    pub fn new(command: Template, ready: Ready) -> Self {
        Self { command, ready, ready_within: Duration::from_mins(1), stop_within: Duration::from_secs(10) }
    }

    /// Starts the server with these settings and waits until it is ready. `goes_on` is asked while
    /// it waits; false ends that and the server.
    ///
    /// # Errors
    /// The command names a setting that is not there, cannot be started, ends early, or is not
    /// ready in time.
    pub fn start(
        &self,
        settings: &[(String, String)],
        goes_on: impl Fn() -> bool,
    ) -> Result<Server, ServerError> {
        let mut settings = settings.to_vec();
        if self.command.names().any(|name| name == PORT) && settings.iter().all(|(name, _)| name != PORT) {
            settings.push((PORT.to_owned(), free_port().map_err(ServerError::Start)?.to_string()));
        }
        let command = self.command.fill(&settings).map_err(ServerError::Setting)?;
        let mut server = Server::spawn(command, settings, self.stop_within).map_err(ServerError::Start)?;
        server.await_ready(&self.ready, self.ready_within, goes_on)?;
        Ok(server)
    }
}

/// A server that is ready. Dropping it stops it.
#[derive(Debug)]
pub struct Server {
    child: Child,
    group: Pid,
    guard: Option<Guard>,
    output: Output,
    command: String,
    settings: Vec<(String, String)>,
    stop_within: Duration,
    /// It has ended and is stopped already.
    over: Option<ExitStatus>,
}

impl Server {
    fn spawn(
        command: String,
        settings: Vec<(String, String)>,
        stop_within: Duration,
    ) -> std::io::Result<Self> {
        let (reader, writer) = std::io::pipe()?;
        let mut shell = Command::new("/bin/sh");
        // Ctrl-C goes to all processes of a group; the server must stay until the running samples
        // are done.
        shell.args(["-c", &command]).process_group(0).stdin(Stdio::null());
        let child = shell.stdout(writer.try_clone()?).stderr(writer).spawn()?;
        // The command holds our ends of the pipe: without them the end of the output is the end of
        // the server.
        drop(shell);
        let group = Pid::from_child(&child);
        let mut server = Self {
            child,
            group,
            guard: None,
            output: Output::read(reader),
            command,
            settings,
            stop_within,
            over: None,
        };
        // An error here drops the server, which stops it.
        server.guard = Some(Guard::of(group)?);
        Ok(server)
    }

    fn await_ready(
        &mut self,
        ready: &Ready,
        within: Duration,
        goes_on: impl Fn() -> bool,
    ) -> Result<(), ServerError> {
        let deadline = Instant::now() + within;
        let probe = ready.filled(&self.settings).map_err(ServerError::Setting)?;
        loop {
            match &probe {
                Ready::Line(pattern) => {
                    if let Some(port) = self.output.matching(pattern) {
                        if !port.is_empty() {
                            self.set(PORT, port);
                        }
                        return Ok(());
                    }
                    self.output.wait(LOOK);
                }
                other if other.answers() => return self.is_own(),
                _ => std::thread::sleep(LOOK),
            }
            if let Some(death) = self.death() {
                return Err(ServerError::Died(death));
            }
            if !goes_on() {
                return Err(ServerError::GivenUp);
            }
            if Instant::now() >= deadline {
                let waited_for = probe.to_string();
                let command = self.command.clone();
                let last_lines = self.output.last_lines();
                return Err(ServerError::NotReady { command, waited_for, within, last_lines });
            }
        }
    }

    /// What answers may be an older server at the same port, while this one ends because of it: it
    /// gets a moment for that.
    fn is_own(&mut self) -> Result<(), ServerError> {
        std::thread::sleep(LOOK * 5);
        self.death().map_or(Ok(()), |death| Err(ServerError::Died(death)))
    }

    fn set(&mut self, name: &str, value: String) {
        match self.settings.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.settings.push((name.to_owned(), value)),
        }
    }

    /// The settings it runs with, its port among them where that is known.
    pub fn settings(&self) -> &[(String, String)] {
        &self.settings
    }

    /// A setting by its name.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The command it was started with.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The number of its process group, which is that of its first process.
    pub fn group(&self) -> u32 {
        self.child.id()
    }

    /// How its first process ended, if it ended without being stopped.
    pub fn death(&mut self) -> Option<Death> {
        if !self.has_ended() {
            return None;
        }
        let status = self.stop();
        Some(Death { command: self.command.clone(), status, last_lines: self.output.last_lines() })
    }

    /// The last lines of its output, 20 at most.
    pub fn last_lines(&self) -> Vec<String> {
        self.output.last_lines()
    }

    /// Whether its first process has ended; its number stays taken until it is waited for.
    fn has_ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // If there is no such child, it was already waited for.
        self.over.is_some() || waitid(WaitId::Pid(self.group), look).map_or(true, |status| status.is_some())
    }

    /// Stops all of it: SIGTERM to its group, and SIGKILL for the rest when the time has passed.
    /// Returns how its first process ended.
    pub fn stop(&mut self) -> ExitStatus {
        if let Some(status) = self.over {
            return status;
        }
        // A group without processes: nothing to end.
        let _ = kill_process_group(self.group, Signal::TERM);
        let deadline = Instant::now() + self.stop_within;
        while !(self.has_ended() && self.output.is_over()) && Instant::now() < deadline {
            self.output.wait(LOOK);
        }
        let _ = kill_process_group(self.group, Signal::KILL);
        // Before the child is waited for: from then on its number may become another's.
        drop(self.guard.take());
        // A child of ours that has ended, or was just killed.
        let status = self.child.wait().unwrap_or_else(|_| ExitStatus::from_raw(0));
        self.over = Some(status);
        status
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

#[cfg(test)]
mod tests;
