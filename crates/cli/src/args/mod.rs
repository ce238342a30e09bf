//! The command line.

mod authoring;
mod clock;
mod compare;
mod compat;
mod debug;
mod fleet;
mod given;
mod habits;
mod history;
mod hit;
mod http_version;
mod import;
mod jmeter;
mod jvm;
mod jvm_command;
mod kept;
mod line;
mod live;
mod matrix;
mod monitor;
mod observe;
mod one_run;
mod pages;
pub(crate) mod properties;
mod record;
mod report;
mod rotation;
mod run;
mod safety;
mod search;
mod serve;
mod server;
mod shape;
mod short_help;
mod sweep;
mod text_plan;
mod units;
pub(crate) mod values;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::colour::ColorWhen;

pub(crate) use authoring::{DiffArgs, FmtArgs, LintArgs, SetArgs, SetCommandArgs, ShowArgs};
pub(crate) use clock::Clock;
pub(crate) use compare::CompareArgs;
pub(crate) use compat::CompatLevel;
pub(crate) use debug::{DebugArgs, TimersArg};
pub(crate) use fleet::{
    AgentArgs, CredsArgs, FleetArgs, FleetCommandArgs, FleetSubcommand, ManifestPlace, OnAgentLoss,
    StudyFleetArgs,
};
pub(crate) use history::{
    BaselineArgs, HistoryArgs, HistorySubcommand, ImportArgs, NoteArgs, OpenArgs, TagArgs,
};
pub(crate) use hit::HitArgs;
pub(crate) use import::ImportPlanArgs;
pub(crate) use jvm::JvmArgs;
pub(crate) use jvm_command::{JvmCommandArgs, JvmInstallArgs, JvmPlaceArgs, JvmSubcommand};
pub(crate) use line::parse;
pub(crate) use live::{CtlArgs, CtlCommand, LoadArgs};
pub(crate) use matrix::MatrixArgs;
pub(crate) use observe::ObserveArgs;
pub(crate) use one_run::OneRunArgs;
pub(crate) use pages::{CompletionsArgs, ManArgs};
pub(crate) use properties::{Setting, SettingArgs};
pub(crate) use record::{RecordArgs, RecordCaArgs, RecordSubcommand, TransactionsArg};
pub(crate) use report::{Percentiles, ReportArgs};
pub(crate) use run::{DEFAULT_LOG, IoArg, RunArgs};
pub(crate) use search::{NumberRange, RateRange, RestartArg, SearchArgs, VaryRange};
pub(crate) use serve::ServeArgs;
pub(crate) use server::ServerArgs;
pub(crate) use shape::{ShapeCommand, ShapeCommandArgs, in_words, read as read_shape};
pub(crate) use sweep::{SettingHookArgs, SweepArgs};
pub(crate) use text_plan::{TextLoadArgs, TextPlanArgs, is_text_plan};
pub(crate) use units::{duration, grace, rate, users};

/// Runs JMeter test plans at full speed and reports the error bounds of its results.
#[derive(Debug, Parser)]
#[command(name = "swell", version = VERSION, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Use colours; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", hide_short_help = true)]
    pub(crate) color: ColorWhen,
    /// Permissions of new files, such as 0600 or 0640 [default: from the umask]
    #[arg(long, global = true, value_name = "MODE", value_parser = file_mode, hide_short_help = true)]
    pub(crate) file_mode: Option<u32>,
}

fn file_mode(text: &str) -> Result<u32, String> {
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| mode & !0o666 == 0 && mode & 0o600 == 0o600);
    mode.ok_or_else(|| {
        format!("invalid file mode `{text}`: use an octal number that lets the owner read and write, such as 0600, 0640 or 0644")
    })
}

/// What `--version` prints after the name. The second line is for tools that expect JMeter.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\nruns plans as Apache JMeter 5.6.3 does");

const EXAMPLES: &str = "\
Examples:
  swell run plan.jmx -l results.jtl          run a JMeter plan, save its samples
  swell -n -t plan.jmx -l results.jtl        the same in JMeter's spelling
  swell run plan.jmx -Jthreads=500           set a property, read by ${__P(threads)}
  swell history                              list kept runs; `swell open last` shows one
  swell serve                                kept runs as pages, with trends and comparisons
  swell run plan.jmx --agents 3              the same load from three processes
  swell check plan.jmx                       which elements of the plan are supported
  swell debug plan.jmx                       one user, one iteration, every step of it
  swell hit http://localhost:8080/ -c 50 -d 10s
                                             load-test a URL without a plan
  swell report results.jtl -o report.html    HTML report of a finished run
  swell target                               start a website to test against
  swell help hit                             all options of a command
  swell doctor                               check this machine before a test
  swell calibrate                            the highest rate and user count it can measure";

const CONTROLLER_EXAMPLES: &str = "\
Examples:
  swell controller plan.jmx --agents 3 -l results.jtl
                                        start a broker, print the command for agents
  swell controller plan.jmx --agents 3 --nats nats://10.0.0.5:4222
                                        use an existing broker
  swell run plan.jmx --agents 3         three agents on this machine, for this run

The plan's load is shared among all agents; with --jmeter-multiply each agent runs the whole plan.
All other options and the exit status are those of `swell run`.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a JMeter test plan (.jmx)
    Run(Box<RunArgs>),
    /// Run a plan once with one virtual user and show every step
    Debug(Box<DebugArgs>),
    /// Load-test one or more URLs without a plan
    Hit(Box<HitArgs>),
    /// Record a browser or another client and write a plan
    Record(Box<RecordArgs>),
    /// Make a plan from a recording (HAR), curl commands and other files
    Import(Box<ImportPlanArgs>),
    /// Show which elements of a plan run natively, are ignored, or are unsupported
    Check(CheckArgs),
    /// Show a plan as text, and who sets and reads each variable
    Show(ShowArgs),
    /// Set properties of a plan
    Set(SetCommandArgs),
    /// Compare two plans
    Diff(DiffArgs),
    /// Find what will surprise the author of a plan
    Lint(LintArgs),
    /// Rewrite a plan in JMeter's layout
    Fmt(FmtArgs),
    /// Generate an HTML report from a finished run or a results file
    Report(ReportArgs),
    /// Compare two runs and report significant changes
    Compare(CompareArgs),
    /// List kept runs, and edit their tags, notes and baselines
    History(HistoryArgs),
    /// Serve kept runs as pages: list, reports, comparisons and trends
    Serve(ServeArgs),
    /// Open the report of a kept run
    Open(OpenArgs),
    /// Find a server's breaking point and what causes it
    Search(Box<SearchArgs>),
    /// Measure a server over a grid of loads and settings
    Sweep(Box<SweepArgs>),
    /// Measure what this machine can measure: lowest latency, highest rate, most users
    Calibrate(CalibrateArgs),
    /// Compare load generators by how far their figures are wrong
    Matrix(MatrixArgs),
    /// Inspect and control a running test
    Ctl(CtlArgs),
    /// Draw a load profile
    Shape(ShapeCommandArgs),
    /// Serve the built-in website to test against
    Target(TargetArgs),
    /// Check this machine for limits that would distort a test
    Doctor(DoctorArgs),
    /// Run a plan on remote agents
    #[command(after_help = CONTROLLER_EXAMPLES, after_long_help = CONTROLLER_EXAMPLES)]
    Controller(Box<RunArgs>),
    /// Run a load agent for a remote controller
    Agent(Box<AgentArgs>),
    /// Install the message broker, or print manifests that start agents
    Fleet(FleetCommandArgs),
    /// Install JMeter's classes and plug-ins, or show what is installed
    Jvm(JvmCommandArgs),
    /// Generate shell completions
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

impl Command {
    /// Files with variables of the environment, of a command that has them.
    pub(crate) fn env_files(&self) -> &[PathBuf] {
        match self {
            Self::Run(args) | Self::Controller(args) => &args.settings.env_files,
            Self::Check(args) => &args.settings.env_files,
            Self::Debug(args) => &args.settings.env_files,
            Self::Hit(args) => &args.values.env_files,
            Self::Search(args) => &args.properties.env_files,
            Self::Sweep(args) => &args.properties.env_files,
            Self::Agent(args) => &args.settings.env_files,
            _ => &[],
        }
    }
}

/// `swell check`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell check plan.jmx
  swell check plans/*.jmx --json
  swell check plans/                    a line a plan, and reasons grouped
  swell check plan.jmx --properties     which properties -J can set, with their defaults

Exit status: 0 if every plan can run, 104 if one cannot.")]
pub(crate) struct CheckArgs {
    /// Plans, or folders that contain plans
    #[arg(required = true, value_name = "PLAN")]
    pub(crate) plans: Vec<PathBuf>,
    /// Print one JSON object per plan
    ///
    /// With --summary it is one object for all plans.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only totals and reasons over all plans
    #[arg(long)]
    pub(crate) summary: bool,
    /// Print the properties that each plan reads, with their defaults
    #[arg(long, conflicts_with = "summary")]
    pub(crate) properties: bool,
    /// Print every element of every plan, and every reason
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) set: SetArgs,
    #[command(flatten)]
    pub(crate) jvm: jvm::JvmArgs,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
}

/// `swell target`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell target                          http://127.0.0.1:8080/
  swell target --port 0                 a free port, printed on the first line
  swell target --tls-port 8443          also HTTPS, with a self-signed certificate

The page / lists all pages; /stats shows how long each request really took. The gRPC service
swell.Echo has server reflection.")]
pub(crate) struct TargetArgs {
    /// Address to listen on
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: std::net::IpAddr,
    /// Port to listen on; 0 picks a free one
    #[arg(short, long, default_value_t = 8080)]
    pub(crate) port: u16,
    /// HTTPS port; 0 picks a free one
    #[arg(long)]
    pub(crate) tls_port: Option<u16>,
    /// Worker threads
    #[arg(short = 'w', long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: u16,
    /// Answer every path as JMeter's HttpMirrorServer does
    #[arg(long)]
    pub(crate) mirror: bool,
    /// Keep each worker's last N requests that have an `id` in the query, for /stats/log
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) log: usize,
    /// HTTP/2: streams that a connection may have open
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) http2_streams: u32,
    /// HTTP/2: close each connection with GOAWAY after N requests, as nginx does after 1000
    #[arg(long, value_name = "N")]
    pub(crate) http2_requests: Option<u64>,
    /// Print the .proto file of its gRPC service, and start nothing
    #[arg(long)]
    pub(crate) proto: bool,
    /// Exit when standard input ends (for programs that start it)
    #[arg(long, hide = true)]
    pub(crate) until_stdin_ends: bool,
}

impl TargetArgs {
    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::new(self.host, self.port)
    }
}

/// `swell doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell doctor                          for a test with 10,000 users
  swell doctor -c 50000 --json

Exit status: 0 if no problem was found, 1 if a limit will distort the test.")]
pub(crate) struct DoctorArgs {
    /// Number of users in the planned test
    #[arg(short = 'c', long, value_name = "USERS", default_value_t = 10_000)]
    pub(crate) users: u64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// `swell calibrate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell calibrate                       about two minutes, against the built-in target
  swell calibrate -d 10s --json         longer trials, one JSON object

Each trial is a run: --run-dir has a folder trial-N for each, and --live and --export serve one
trial after the other. Thresholds judge the floor and the trials at the highest valid loads.")]
pub(crate) struct CalibrateArgs {
    /// Length of a trial; the CPU check needs 5 s
    #[arg(short = 'd', long, value_name = "TIME", value_parser = duration, default_value = "6s")]
    pub(crate) duration: Duration,
    /// Most users to try [default: limited by file descriptors]
    #[arg(short = 'c', long, value_name = "USERS", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) most_users: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Overwrite earlier trials in the folder of kept runs
    #[arg(short = 'f', long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) observe: ObserveArgs,
}

/// The arguments of `swell agent` in a line.
#[cfg(feature = "fleet")]
pub(crate) fn agent_args(
    words: impl Iterator<Item = std::ffi::OsString>,
) -> Result<Box<AgentArgs>, clap::Error> {
    match Cli::try_parse_from(words)?.command {
        Command::Agent(args) => Ok(args),
        _ => unreachable!("the line says agent"),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::CommandFactory as _;

    use super::line::with_command;
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    /// Words of a line, as a shell takes them; what stands after two blanks explains it.
    fn words_of(example: &str) -> Vec<OsString> {
        let command = example.trim().split("  ").next().unwrap_or_default();
        // Where its output goes is the shell's.
        let command =
            command.split(" > ").next().and_then(|command| command.split(" | ").next()).unwrap_or_default();
        let quoted = command.split('\'').enumerate();
        quoted
            .flat_map(|(place, text)| match place % 2 {
                0 => text.split_whitespace().collect(),
                _ => vec![text],
            })
            .map(OsString::from)
            .collect()
    }

    #[test]
    fn every_example_of_the_help_is_a_valid_line() {
        let command = Cli::command();
        let all = std::iter::once(&command).chain(command.get_subcommands());
        let texts: Vec<_> = all.map(|c| c.get_after_help().expect("there is one").to_string()).collect();
        assert_eq!(texts.len(), 31);
        let all = std::iter::once(&command).chain(command.get_subcommands());
        let long = all.filter_map(|c| c.get_after_long_help()).map(ToString::to_string);
        let texts: std::collections::BTreeSet<_> = texts.into_iter().chain(long).collect();
        for text in texts {
            assert!(text.lines().all(|line| line.chars().count() <= 100), "clap would break a line: {text}");
            let examples: Vec<_> = text.lines().filter(|line| line.starts_with("  swell ")).collect();
            assert!(!examples.is_empty(), "no examples: {text}");
            for example in examples {
                let parsed = Cli::try_parse_from(with_command(words_of(example)));
                // Help of a command is given as an error.
                let wrong = parsed.err().filter(clap::Error::use_stderr);
                assert!(wrong.is_none(), "{example}: {}", wrong.expect("it is some"));
            }
        }
    }

    #[test]
    fn both_helps_of_the_controller_are_about_it() {
        for option in ["-h", "--help"] {
            let help = Cli::try_parse_from(["swell", "controller", option]).expect_err("help").to_string();
            assert!(help.contains("swell controller plan.jmx --agents 3"), "{option}: {help}");
        }
    }

    #[test]
    fn settings_keep_the_order_of_the_command_line() {
        let args = [
            "swell",
            "-n",
            "-tp.jmx",
            "-Ja=1",
            "-q",
            "more.properties",
            "-J",
            "b=2",
            "-Gc=3",
            "-Dd=4",
            "-Ja=",
        ];
        let cli = Cli::try_parse_from(with_command(args.map(OsString::from).to_vec())).expect("valid");
        let Command::Run(run) = cli.command else { panic!("run is meant") };
        let all: Vec<_> = run.settings.in_order().iter().map(|s| format!("{s:?}")).collect();
        let want = [
            r#"Property("a", "1")"#,
            r#"File("more.properties")"#,
            r#"Property("b", "2")"#,
            r#"Property("c", "3")"#,
            r#"System("d", "4")"#,
            r#"Property("a", "")"#,
        ];
        assert_eq!(all, want);
    }

    /// The help that `-h` shows: one sentence that a reader understands without another option.
    #[test]
    fn options_have_one_sentence_of_help() {
        let mut failures = Vec::new();
        let mut waiting = vec![Cli::command()];
        while let Some(command) = waiting.pop() {
            let name = command.get_name().to_owned();
            let texts = command.get_arguments().map(|arg| (arg.get_id().to_string(), arg.get_help()));
            let about = command.get_subcommands().map(|sub| (sub.get_name().to_owned(), sub.get_about()));
            for (id, help) in texts.chain(about) {
                let text = help.map(ToString::to_string).unwrap_or_default();
                let sentence = text.split(" [default").next().unwrap_or_default();
                let names_option = sentence.split_whitespace().any(|part| part.starts_with("--"));
                if sentence.is_empty() || sentence.len() > 100 || sentence.contains(". ") || names_option {
                    failures.push(format!("{name} {id}: {text}"));
                }
            }
            waiting.extend(command.get_subcommands().cloned());
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}
