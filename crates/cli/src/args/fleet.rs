//! Options of tests on many machines.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::Clock;
use super::SettingArgs;
use super::jvm::JvmArgs;
use super::units::duration;

/// How to enter a broker that knows its users by more than a name and a password.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CredsArgs {
    /// Credentials for that broker: a file with a JWT and its seed, as `nsc` writes it, or with the seed of an NKey
    #[arg(long, value_name = "FILE", env = "SWELL_NATS_CREDS")]
    pub(crate) creds: Option<PathBuf>,
}

/// Who makes the load of a run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct FleetArgs {
    /// Number of agents that make the load together: `run` starts them on this machine, unless --nats says where they have joined;
    /// `controller` waits for them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) agents: Option<u16>,
    /// A broker that runs already, and that agents have joined: nats://[USER:PASSWORD@]HOST:PORT, or nats+tls://… [default: one is started
    /// for this test]
    #[arg(long, value_name = "URL")]
    pub(crate) nats: Option<String>,
    #[command(flatten)]
    pub(crate) creds: CredsArgs,
    /// How long agents are waited for [default: 30s; of `controller` 10m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) agents_timeout: Option<Duration>,
    /// What becomes of the load of an agent that is lost [default: redistribute; with a threshold abort]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) on_agent_loss: Option<OnAgentLoss>,
    /// How long set-up and tear-down thread groups may take on an agent, and main ones after their time, before the test ends without what
    /// is late (with --on-agent-loss continue the others go on) [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) phase_timeout: Option<Duration>,
    /// How often agents tell what they count, 1s to 60s in whole seconds: all figures over time are of so long [default: 1s; with more than
    /// 200 agents 5s]
    #[arg(long, value_name = "TIME", value_parser = whole_seconds)]
    pub(crate) agents_interval: Option<u32>,
    /// Slices that the load is cut into [default: one a worker of each agent]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) slices: Option<u32>,
    /// Each agent runs the whole plan, as JMeter's servers do: the load of the plan times the number of agents
    #[arg(long)]
    pub(crate) jmeter_multiply: bool,
    /// Begin although clocks of agents are known only within more than 50 ms
    #[arg(long)]
    pub(crate) allow_skew: bool,
    /// One more file that the agents get; those that the plan names are sent anyway. May be repeated
    #[arg(long = "send-file", value_name = "FILE")]
    pub(crate) send_files: Vec<PathBuf>,
    /// Data files and scripts that the plan names are those in the folders that agents were started in, which may differ; none is sent
    #[arg(long)]
    pub(crate) local_files: bool,
    /// Where the broker of this test listens; other than the loopback it is encrypted [default: 127.0.0.1; of `controller` 0.0.0.0:4222]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = listen)]
    pub(crate) listen: Option<SocketAddr>,
    /// The name or address of this machine in the line for agents to join
    #[arg(long, value_name = "HOST")]
    pub(crate) advertise: Option<String>,
    /// The program nats-server [default: SWELL_NATS_SERVER, else of the path, else what `swell fleet install` installed]
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_server: Option<PathBuf>,
    /// Lead a run on whose controller was lost, on the broker of --nats
    #[arg(long, value_name = "RUN", requires = "nats")]
    pub(crate) take: Option<String>,
}

/// Who makes the trials of a study.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct StudyFleetArgs {
    /// Number of agents that make each trial of a plan together; they are started on this machine, once, unless --nats says where they
    /// wait for runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) agents: Option<u16>,
    /// A broker that runs already, and where agents wait for runs (`swell agent URL` without a run): nats://[USER:PASSWORD@]HOST:PORT
    #[arg(long, value_name = "URL", requires = "agents")]
    pub(crate) nats: Option<String>,
    #[command(flatten)]
    pub(crate) creds: CredsArgs,
    /// How long agents are waited for at each trial [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "agents")]
    pub(crate) agents_timeout: Option<Duration>,
    /// The program nats-server [default: SWELL_NATS_SERVER, else of the path, else what `swell fleet install` installed]
    #[arg(long, value_name = "FILE", requires = "agents")]
    pub(crate) nats_server: Option<PathBuf>,
}

/// `--on-agent-loss`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnAgentLoss {
    /// Others take its slices
    Redistribute,
    /// The others go on without its slices
    Continue,
    /// The test ends
    Abort,
}

fn whole_seconds(text: &str) -> Result<u32, String> {
    let time = duration(text)?;
    let seconds = u32::try_from(time.as_secs()).ok().filter(|seconds| (1..=60).contains(seconds));
    seconds
        .filter(|_| time.subsec_nanos() == 0)
        .ok_or_else(|| "1s to 60s are wanted, in whole seconds".to_owned())
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    let alone = text.parse::<IpAddr>().map(|address| SocketAddr::new(address, 0));
    alone.or_else(|_| text.parse()).map_err(|_| {
        "an address is wanted, with a port or without, such as 0.0.0.0:4222, 10.0.0.5 or [::1]:4222"
            .to_owned()
    })
}

/// `swell agent`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell agent 'nats+tls://agent:SECRET@10.0.0.5:4222/RUN#cert=sha256:HEX'
                                        the line that `swell controller` printed
  swell agent nats://10.0.0.5:4222      each run that is announced at a broker of your own
  SWELL_NATS=nats://10.0.0.5:4222 swell agent --once
                                        one run, and no password on the command line

An agent runs the plans of everyone who controls the broker. Scripts and processes of a plan run
only if --allow-scripts and --allow-process are given, and files other than those sent with the
plan and those in the folder of the run are read and written only with --allow-files.

Exit status: 0 the run is over, 104 the agent cannot join or take part, 105 it was asked to leave.
Ctrl-C: the agent leaves, and others take its slices.")]
pub(crate) struct AgentArgs {
    /// Where to join: the line of the controller, or a broker
    #[arg(value_name = "URL", env = "SWELL_NATS", hide_env_values = true)]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) creds: CredsArgs,
    /// What this agent is called [default: the name of this machine]
    #[arg(long, value_name = "NAME", value_parser = agent_name)]
    pub(crate) name: Option<String>,
    /// Slices that it takes, each made by one worker thread [default: one a core]
    #[arg(short = 'w', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: Option<u16>,
    /// Leave after one run
    #[arg(long)]
    pub(crate) once: bool,
    /// How long to wait, without load, for a controller that is gone: another may lead the run on (`swell controller --take`)
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m")]
    pub(crate) controller_timeout: Duration,
    /// Let plans run scripts and classes in a JVM here
    #[arg(long, env = "SWELL_ALLOW_SCRIPTS")]
    pub(crate) allow_scripts: bool,
    /// Let plans start processes here
    #[arg(long, env = "SWELL_ALLOW_PROCESS")]
    pub(crate) allow_process: bool,
    /// Let plans read and write files here outside of the folder of their run
    #[arg(long, env = "SWELL_ALLOW_FILES")]
    pub(crate) allow_files: bool,
    /// Where files of runs go, each in a folder of its own [default: the folder for temporary files]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// What ends a sample
    #[arg(long, value_enum, default_value_t)]
    pub(crate) clock: Clock,
    /// Say nothing but what is wrong
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Leave when standard input ends (for programs that start it)
    #[arg(long, hide = true)]
    pub(crate) until_stdin_ends: bool,
    /// Set the clock of this agent wrong by so much, to try out how that is mended
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
  swell fleet install                   nats-server, which machines of a test talk over, with Go
  swell fleet manifest k8s --agents 20 --image registry.example.com/swell:1 > fleet.yaml
  swell fleet manifest compose --agents 3 --image swell
  swell fleet manifest systemd --join nats://10.0.0.5:4222
  swell fleet manifest ssh --join nats://10.0.0.5:4222 me@host1 me@host2
  swell fleet manifest nats --agents 3 --join nats://10.0.0.5:4222 > nats.conf

Exit status: 0 if it is done, 104 if not.")]
pub(crate) struct FleetCommandArgs {
    #[command(subcommand)]
    pub(crate) command: FleetSubcommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FleetSubcommand {
    /// Install nats-server into the user's cache, with Go
    Install,
    /// Print what starts agents elsewhere
    Manifest(ManifestArgs),
}

/// `swell fleet manifest`.
#[derive(Debug, Args)]
pub(crate) struct ManifestArgs {
    /// What is to start them
    #[arg(value_enum)]
    pub(crate) place: ManifestPlace,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) agents: u32,
    /// Image with the program `swell` as its entry point
    #[arg(long, value_name = "IMAGE", default_value = "swell:latest", value_parser = plain_word)]
    pub(crate) image: String,
    /// Where agents join
    #[arg(long, value_name = "URL", default_value = "nats://agent:SECRET@controller.example.com:4222", value_parser = plain_word)]
    pub(crate) join: String,
    /// Machines for ssh
    #[arg(value_name = "HOST", value_parser = plain_word)]
    pub(crate) hosts: Vec<String>,
}

/// What is printed goes into shells and YAML, where other signs have a meaning.
fn plain_word(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-:@/%+=#[]".contains(c);
    if text.is_empty() || text.starts_with(['-', '#']) || !text.chars().all(is_plain) {
        return Err(
            "a word is wanted of letters, digits and `._-:@/%+=#[]`; others are written as %20".to_owned()
        );
    }
    Ok(text.to_owned())
}

/// Which text is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ManifestPlace {
    /// Kubernetes: broker, agents as an Indexed Job, controller
    K8s,
    /// Docker Compose: the same
    Compose,
    /// A systemd unit of an agent
    Systemd,
    /// Lines for a shell
    Ssh,
    /// Settings of a broker of one's own, with a credential for each agent
    Nats,
}
