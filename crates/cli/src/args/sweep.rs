//! Options of `swell sweep`, and those that every study of a server has.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use swell_study::search::Slo;
use swell_study::server::Ready;
use swell_study::sweep::Axis;

use super::fleet::StudyFleetArgs;
use super::jvm::JvmArgs;
use super::monitor::MonitorArgs;
use super::properties::SettingArgs;
use super::safety::SafetyArgs;
use super::search::{Percent, VaryRange};
use super::units::duration;

/// `swell sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell sweep http://localhost:8080/ --vary users=10,50,100 --each 10s
  swell sweep plan.jmx --vary threads=100,500,1000 -o out
  swell sweep 'localhost:8080/pool?workers={workers}' --setting workers=5,10 --vary users=5,10,20
  swell sweep plan.jmx --vary users=9,99 --setting n=5,9 --server './up {n}' --ready 'line:on (\\d+)'
  swell sweep 'localhost/pool?workers={n}' --setting n=5,9 --search rate=9..999 --slo 'p(99)<1s'

Each setting is measured at each load. The server is started anew for each setting; a group of the
pattern of --ready is its port. `{name}` stands for a setting in --server, --ready, in hooks and in
URLs; plans have settings, host and port as properties. What is varied is `users` or `rate` of a
URL, and of a plan the property of that name, ${__P(threads)} in it. With -o the folder has
surface.csv, surface.json and the page index.html, written anew after each cell.

With --search the load is no axis: `swell search` finds how much each setting bears, with trials of
the time of --each, and the folder has capacity.csv, capacity.json and index.html.

Exit status: 0 all cells were measured, 98 in some the server ended or was not there, or not one
request of the least load succeeded, 104 bad arguments, 105 interrupted (what was measured is kept),
112 the folder cannot be written.")]
pub(crate) struct SweepArgs {
    /// A plan, or a URL
    #[arg(value_name = "PLAN|URL")]
    pub(crate) subject: String,
    /// What is varied, and its values: users=100,500,1000
    #[arg(long, value_name = "NAME=VALUES", required_unless_present = "search", conflicts_with = "search")]
    pub(crate) vary: Option<Axis>,
    /// A setting of the server, and its values; several give every combination
    #[arg(long = "setting", value_name = "NAME=VALUES")]
    pub(crate) settings: Vec<Axis>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Time a cell
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "20s")]
    pub(crate) each: Duration,
    /// Measure the whole grid so often, each time with servers of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) repeats: u16,
    /// Settings and loads in the order in which they are given, instead of one that is drawn
    #[arg(long)]
    pub(crate) in_order: bool,
    /// Where the order is drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// What to leave out at the beginning of each cell: a time, or `auto` for what looks unlike the rest
    #[arg(long, value_name = "TIME", default_value = "auto")]
    pub(crate) warm_up: WarmUpArg,
    /// Users of a URL where its rate is varied
    #[arg(short = 'c', long, value_name = "USERS", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) users: u32,
    #[command(flatten)]
    pub(crate) capacity: CapacityArgs,
    #[command(flatten)]
    pub(crate) safety: SafetyArgs,
    #[command(flatten)]
    pub(crate) monitor: MonitorArgs,
    /// Folder for the figures and the page index.html
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write over a sweep that is in the folder already
    #[arg(short = 'f', long)]
    pub(crate) force: bool,
    /// surface.json on standard output, instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fleet: StudyFleetArgs,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    #[command(flatten)]
    pub(crate) properties: SettingArgs,
}

/// How much each setting bears.
#[derive(Debug, Args)]
#[command(next_help_heading = "Capacity of each setting")]
pub(crate) struct CapacityArgs {
    /// Instead of --vary: search between these loads how much each setting bears: users=1..500, rate=50..5000, or a property of a plan
    #[arg(long, value_name = "NAME=A..B")]
    pub(crate) search: Option<VaryRange>,
    /// What the server has to keep, as in `swell search`; may be repeated [default: p(99)<1s and errors<1%]
    #[arg(long = "slo", value_name = "RULE", requires = "search", value_parser = Slo::parse)]
    pub(crate) rules: Vec<Slo>,
    /// How close the limit is wanted
    #[arg(long, value_name = "PERCENT", default_value = "5%", requires = "search")]
    pub(crate) width: Percent,
    /// No trial of a setting begins after this time
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "15m", requires = "search")]
    pub(crate) budget: Duration,
}

/// The server under test.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerArgs {
    /// Command that starts the server, for the shell; {name} is a setting, {port} a free port
    #[arg(long, value_name = "CMD", requires = "ready")]
    pub(crate) server: Option<String>,
    /// When it is ready: `line:PATTERN` of its output (a group is its port), http://HOST:PORT/PATH or tcp:HOST:PORT
    #[arg(long, value_name = "SIGN", requires = "server")]
    pub(crate) ready: Option<Ready>,
    /// How long that may take
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub(crate) ready_within: Duration,
    /// A server that was just started gets load for so long before it is measured
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "5s")]
    pub(crate) server_warm_up: Duration,
    /// Command before the cells of each setting, for a server that is not started here
    #[arg(long, value_name = "CMD")]
    pub(crate) set_hook: Option<String>,
    /// Command after them
    #[arg(long, value_name = "CMD")]
    pub(crate) reset_hook: Option<String>,
}

/// `auto` or a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarmUpArg(pub(crate) swell_study::trials::WarmUp);

impl std::str::FromStr for WarmUpArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        use swell_study::trials::WarmUp;
        if text == "auto" {
            return Ok(Self(WarmUp::Auto));
        }
        duration(text).map(|time| Self(WarmUp::Time(time))).map_err(|why| format!("{why}, or `auto`"))
    }
}
