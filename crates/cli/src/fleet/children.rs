//! Agents on this machine: processes that are started for a run and end with it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use swell_expr::Properties;
use swell_fleet::Join;

use super::mode::NATS;
use super::ssh::SshHost;
use crate::args::{Clock, IoArg, JvmArgs, RunArgs};
use crate::exit::Failure;

/// How long an agent may take to exit once the run has finished.
const TO_LEAVE: Duration = Duration::from_secs(15);

/// Agents that this process has started, here or over ssh. They end when this is dropped, also if
/// this process is killed, since their standard inputs end.
pub(crate) struct Children {
    agents: Vec<Child>,
    /// They wait for one run after the other, until their standard inputs end.
    stay: bool,
}

/// How they make load.
pub(crate) struct ChildOptions<'a> {
    pub(crate) workers: Option<u16>,
    pub(crate) clock: Clock,
    pub(crate) io: Option<IoArg>,
    pub(crate) source: Option<&'a str>,
    pub(crate) jvm: &'a JvmArgs,
    /// They take part in one run after the other.
    pub(crate) stay: bool,
}

impl<'a> From<&'a RunArgs> for ChildOptions<'a> {
    fn from(args: &'a RunArgs) -> Self {
        let workers = args.one.workers;
        let clock = args.one.clock;
        let io = args.one.io;
        let source = args.one.source.as_deref();
        Self { workers, clock, io, source, jvm: &args.jvm, stay: false }
    }
}

impl Children {
    /// Starts `count` agents, each with one of these ways to join.
    ///
    /// # Errors
    /// The system starts no process.
    pub(crate) fn start(count: usize, joins: &[Join], args: &ChildOptions<'_>) -> Result<Self, Failure> {
        let cannot = |error: std::io::Error| Failure::settings(format!("cannot start an agent: {error}"));
        let program = std::env::current_exe().map_err(cannot)?;
        let workers = args.workers.unwrap_or_else(|| workers_of_each(count));
        let mut children = Self { agents: Vec::new(), stay: args.stay };
        for (number, join) in (1..=count).zip(joins.iter().cycle()) {
            let mut agent = Command::new(&program);
            agent.args(["agent", "--quiet", "--until-stdin-ends"]);
            agent.args(["--allow-scripts", "--allow-process", "--allow-files"]);
            agent.args((!args.stay).then_some("--once"));
            agent.args(["--name", &format!("agent-{number}"), "-w", &workers.to_string()]);
            agent.arg("--clock").arg(OsString::from(args.clock.word()));
            // An agent takes it from its environment where its plan has no property for it.
            agent.env("SWELL_IO", IoArg::of(args.io).resolved().word());
            // The same here: one port of one address serves one connection, whichever process has
            // it.
            agent.envs(args.source.map(|list| ("SWELL_SOURCE", list)));
            agent.args(args.jvm.words());
            // A password on a command line can be read by all users of the machine.
            agent.env(NATS, join.to_string()).env_remove("RUST_BACKTRACE");
            // Ctrl-C goes to all processes of a group: the controller says when agents stop.
            agent.stdin(Stdio::piped()).stdout(Stdio::null()).process_group(0);
            children.agents.push(agent.spawn().map_err(cannot)?);
        }
        Ok(children)
    }

    /// Starts an agent on each of these machines.
    ///
    /// # Errors
    /// There is no ssh.
    pub(crate) fn start_elsewhere(
        hosts: &[SshHost],
        joins: &[Join],
        props: &Properties,
    ) -> Result<Self, Failure> {
        let mut children = Self { agents: Vec::new(), stay: false };
        for (host, join) in hosts.iter().zip(joins.iter().cycle()) {
            children.agents.push(host.start(join, props)?);
        }
        Ok(children)
    }
}

/// The processors, shared out.
fn workers_of_each(agents: usize) -> u16 {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    u16::try_from(processors / agents.max(1)).unwrap_or(1024).max(1)
}

impl Drop for Children {
    fn drop(&mut self) {
        let began = Instant::now();
        // They exit by themselves once the run has finished; their rows must be complete by then.
        while began.elapsed() < TO_LEAVE
            && self.agents.iter_mut().any(|child| matches!(child.try_wait(), Ok(None)))
        {
            if self.stay || began.elapsed() > Duration::from_secs(2) {
                self.agents.iter_mut().for_each(|child| drop(child.stdin.take()));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        for child in &mut self.agents {
            // One that is gone needs no end, and its exit status was told by its own words.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
