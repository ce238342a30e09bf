//! Options of tests on many machines.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::Clock;
use super::SettingArgs;
use super::jvm::JvmArgs;
use super::units::duration;

/// Credentials for a broker that needs more than a name and a password.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CredsArgs {
    /// Broker credentials: a file with a JWT and seed, as `nsc` writes it, or an NKey seed
    #[arg(long, value_name = "FILE", env = "SWELL_NATS_CREDS")]
    pub(crate) creds: Option<PathBuf>,
}

/// Agents of a run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct FleetArgs {
    /// Number of agents that share the load
    ///
    /// `swell run` starts them on this machine, or uses those that joined the broker given by
    /// --nats. `swell controller` waits for them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) agents: Option<u16>,
    /// Existing broker that agents have joined: nats://[USER:PASSWORD@]HOST:PORT, or nats+tls://...
    ///
    /// By default a broker is started for this test.
    #[arg(long, value_name = "URL")]
    pub(crate) nats: Option<String>,
    #[command(flatten)]
    pub(crate) creds: CredsArgs,
    /// Time to wait for agents to join [default: 30s; 10m for `controller`]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) agents_timeout: Option<Duration>,
    /// Action when an agent is lost [default: redistribute; abort with thresholds]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) on_agent_loss: Option<OnAgentLoss>,
    /// Time limit for phases of agents that run late [default: 1h]
    ///
    /// It limits setUp and tearDown thread groups on an agent, and main thread groups after their
    /// scheduled time. The test then ends without what is late; with --on-agent-loss continue the
    /// other agents continue.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) phase_timeout: Option<Duration>,
    /// Reporting interval of agents, 1s to 60s in whole seconds [default: 1s; 5s above 200 agents]
    ///
    /// Figures over time have this resolution.
    #[arg(long, value_name = "TIME", value_parser = whole_seconds)]
    pub(crate) agents_interval: Option<u32>,
    /// Slices the load is cut into [default: one per worker of each agent]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) slices: Option<u32>,
    /// Run the whole plan on each agent, as JMeter's servers do, instead of sharing the load
    #[arg(long)]
    pub(crate) jmeter_multiply: bool,
    /// Start even if agents' clocks are known only to within more than 50 ms
    #[arg(long)]
    pub(crate) allow_skew: bool,
    /// Additional file to send to agents; repeatable
    ///
    /// Files that the plan names are always sent.
    #[arg(long = "send-file", value_name = "FILE")]
    pub(crate) send_files: Vec<PathBuf>,
    /// Use data files and scripts in each agent's own folder; send none
    #[arg(long)]
    pub(crate) local_files: bool,
    /// Listen address of this test's broker [default: 127.0.0.1; 0.0.0.0:4222 for `controller`]
    ///
    /// Connections to any address other than loopback are encrypted.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = listen)]
    pub(crate) listen: Option<SocketAddr>,
    /// Host name or address of this machine that agents connect to
    #[arg(long, value_name = "HOST")]
    pub(crate) advertise: Option<String>,
    /// Path of nats-server [default: SWELL_NATS_SERVER, else the PATH, else as installed by Swell]
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_server: Option<PathBuf>,
    /// Take over a run whose controller was lost
    #[arg(long, value_name = "RUN", requires = "nats")]
    pub(crate) take: Option<String>,
}

/// Agents of a study.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct StudyFleetArgs {
    /// Number of agents that share each trial of a plan
    ///
    /// They are started once on this machine, or wait for runs at the broker given by --nats.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) agents: Option<u16>,
    /// Existing broker where agents wait for runs: nats://[USER:PASSWORD@]HOST:PORT
    #[arg(long, value_name = "URL", requires = "agents")]
    pub(crate) nats: Option<String>,
    #[command(flatten)]
    pub(crate) creds: CredsArgs,
    /// Time to wait for agents at each trial [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "agents")]
    pub(crate) agents_timeout: Option<Duration>,
    /// Path of nats-server [default: SWELL_NATS_SERVER, else the PATH, else as installed by Swell]
    #[arg(long, value_name = "FILE", requires = "agents")]
    pub(crate) nats_server: Option<PathBuf>,
}

/// `--on-agent-loss`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnAgentLoss {
    /// Other agents take over its slices
    Redistribute,
    /// Other agents continue without its slices
    Continue,
    /// End the test
    Abort,
}

fn whole_seconds(text: &str) -> Result<u32, String> {
    let time = duration(text)?;
    let seconds = u32::try_from(time.as_secs()).ok().filter(|seconds| (1..=60).contains(seconds));
    seconds
        .filter(|_| time.subsec_nanos() == 0)
        .ok_or_else(|| "expected 1s to 60s, in whole seconds".to_owned())
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    let alone = text.parse::<IpAddr>().map(|address| SocketAddr::new(address, 0));
    alone.or_else(|_| text.parse()).map_err(|_| {
        "expected an address with or without a port, such as 0.0.0.0:4222, 10.0.0.5 or [::1]:4222".to_owned()
    })
}

/// `swell agent`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell agent 'nats+tls://agent:SECRET@10.0.0.5:4222/RUN#cert=sha256:HEX'
                                        the command that `swell controller` printed
  swell agent nats://10.0.0.5:4222      every run announced on this broker
  SWELL_NATS=nats://10.0.0.5:4222 swell agent --once
                                        one run, no password on the command line

An agent runs the plans of everyone who can use the broker. Plans may run scripts only with
--allow-scripts, start processes only with --allow-process, and access files outside the run's
folder only with --allow-files.

Exit status: 0 the run finished, 104 the agent cannot join or take part, 105 it was asked to leave.
Ctrl-C: the agent leaves, and others take over its slices.")]
pub(crate) struct AgentArgs {
    /// Broker to join: the URL that the controller printed, or any broker
    #[arg(value_name = "URL", env = "SWELL_NATS", hide_env_values = true)]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) creds: CredsArgs,
    /// Agent name [default: the host name]
    #[arg(long, value_name = "NAME", value_parser = agent_name)]
    pub(crate) name: Option<String>,
    /// Slices to take, each on one worker thread [default: one per core]
    #[arg(short = 'w', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: Option<u16>,
    /// Exit after one run
    #[arg(long)]
    pub(crate) once: bool,
    /// Time to wait, without load, for a lost controller or its replacement
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m")]
    pub(crate) controller_timeout: Duration,
    /// Allow plans to run scripts and classes in a JVM on this machine
    #[arg(long, env = "SWELL_ALLOW_SCRIPTS")]
    pub(crate) allow_scripts: bool,
    /// Allow plans to start processes on this machine
    #[arg(long, env = "SWELL_ALLOW_PROCESS")]
    pub(crate) allow_process: bool,
    /// Allow plans to read and write files outside the run's folder
    #[arg(long, env = "SWELL_ALLOW_FILES")]
    pub(crate) allow_files: bool,
    /// Parent folder for the files of runs [default: the temporary folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Clock that ends a sample
    #[arg(long, value_enum, default_value_t)]
    pub(crate) clock: Clock,
    /// Print only errors
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Leave when standard input ends (for programs that start it)
    #[arg(long, hide = true)]
    pub(crate) until_stdin_ends: bool,
    /// Shift this agent's clock, to test clock correction
    #[arg(long, value_name = "SECONDS", hide = true, allow_hyphen_values = true, default_value_t = 0.0)]
    pub(crate) clock_shift: f64,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// A name is part of subjects and file names.
fn agent_name(text: &str) -> Result<String, String> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || text.len() > 60 || !text.chars().all(is_fine) {
        return Err("a name has letters, digits, `-` and `_`, and at most 60 of them".to_owned());
    }
    Ok(text.to_owned())
}

/// `swell fleet`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell fleet install                   install nats-server with Go
  swell fleet manifest k8s --agents 20 --image registry.example.com/swell:1 > fleet.yaml
  swell fleet manifest compose --agents 3
  swell fleet manifest systemd --join nats://10.0.0.5:4222
  swell fleet manifest ssh --join nats://10.0.0.5:4222 me@host1 me@host2
  swell fleet manifest nats --agents 3 --join nats://10.0.0.5:4222 > nats.conf

Exit status: 0 on success, 104 otherwise.")]
pub(crate) struct FleetCommandArgs {
    #[command(subcommand)]
    pub(crate) command: FleetSubcommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetSubcommand {
    /// Install nats-server into the user's cache (requires Go)
    Install,
    /// Print manifests that start agents elsewhere
    Manifest(ManifestArgs),
}

/// `swell fleet manifest`.
#[derive(Debug, Args)]
pub(crate) struct ManifestArgs {
    /// Platform that starts the agents
    #[arg(value_enum)]
    pub(crate) place: ManifestPlace,
    /// Number of agents
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) agents: u32,
    /// Container image whose entry point is `swell`
    #[arg(
        long,
        value_name = "IMAGE",
        default_value = concat!("swell:", env!("CARGO_PKG_VERSION")),
        value_parser = plain_word
    )]
    pub(crate) image: String,
    /// Broker the agents join
    #[arg(long, value_name = "URL", default_value = "nats://agent:SECRET@controller.example.com:4222", value_parser = plain_word)]
    pub(crate) join: String,
    /// Hosts, for ssh
    #[arg(value_name = "HOST", value_parser = plain_word)]
    pub(crate) hosts: Vec<String>,
}

/// What is printed goes into shells and YAML, where other signs have a meaning.
fn plain_word(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-:@/%+=#[]".contains(c);
    if text.is_empty() || text.starts_with(['-', '#']) || !text.chars().all(is_plain) {
        return Err("expected only letters, digits and `._-:@/%+=#[]`; write others as %20".to_owned());
    }
    Ok(text.to_owned())
}

/// Platforms of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ManifestPlace {
    /// Kubernetes: broker, agents as an Indexed Job, controller
    K8s,
    /// Docker Compose: broker, agents, controller
    Compose,
    /// A systemd unit that runs an agent
    Systemd,
    /// Shell commands that start agents over ssh
    Ssh,
    /// Configuration of an external broker with separate credentials for each agent
    Nats,
}
