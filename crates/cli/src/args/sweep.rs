//! Options of `swell sweep`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use swell_study::search::Slo;
use swell_study::sweep::Axis;

use super::ObserveArgs;
use super::SetArgs;
use super::fleet::StudyFleetArgs;
use super::jvm::JvmArgs;
use super::properties::{SettingArgs, proxy_host_without_short};
use super::safety::SafetyArgs;
use super::search::{Percent, VaryRange};
use super::server::ServerArgs;
use super::units::duration;

/// `swell sweep`.
#[derive(Debug, Args)]
#[command(mut_arg("proxy_host", proxy_host_without_short))]
#[command(after_help = "\
Examples:
  swell sweep http://localhost:8080/ --vary users=10,50,100 --each 10s
  swell sweep plan.jmx --vary threads=100,500,1000 -o out
  swell sweep 'localhost:8080/pool?workers={workers}' --setting workers=5,10 --vary users=5,10,20
  swell sweep plan.jmx --vary users=9,99 --setting n=5,9 --server './up {n}' --ready 'line:on (\\d+)'
  swell sweep 'localhost/pool?workers={n}' --setting n=5,9 --search rate=9..999 --slo 'p(99)<1s'

Each setting is measured at each load. The server is restarted for each setting; a group in the
--ready pattern is its port. `{name}` is replaced by a setting in --server, --ready, hooks and URLs;
a plan reads settings, host and port as properties. --vary is `users` or `rate` for a URL, and a
property for a plan, read by ${__P(threads)}. With -o, surface.csv, surface.json and index.html are
rewritten after each cell.

With --search there is no load axis: each setting's breaking point is found as by `swell search`,
with trials as long as --each, and the folder has capacity.csv, capacity.json and index.html.

Each cell is a run: --run-dir has a folder trial-N for each, --live has one page for all, and
exported metrics have the labels `trial` and `load`. Thresholds judge every cell; with --search, the
trials at the highest loads that hold.

Exit status: 0 all cells were measured, 98 in some cells the server exited or was unreachable, or no
request of the lowest load succeeded, 104 bad arguments, 105 interrupted (finished cells are kept),
112 the output folder cannot be written.")]
pub(crate) struct SweepArgs {
    /// Plan or URL to test
    #[arg(value_name = "PLAN|URL")]
    pub(crate) subject: String,
    #[command(flatten)]
    pub(crate) set: SetArgs,
    /// Load axis and its values: users=100,500,1000
    #[arg(long, value_name = "NAME=VALUES", required_unless_present = "search", conflicts_with = "search")]
    pub(crate) vary: Option<Axis>,
    /// Server setting and its values; several settings give every combination
    #[arg(long = "setting", value_name = "NAME=VALUES")]
    pub(crate) settings: Vec<Axis>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    #[command(flatten)]
    pub(crate) hooks: SettingHookArgs,
    /// Length of a cell
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "20s")]
    pub(crate) each: Duration,
    /// Repeat the whole grid N times, restarting servers each time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) repeats: u16,
    /// Keep settings and loads in the given order instead of a random one
    #[arg(long)]
    pub(crate) in_order: bool,
    /// Random seed of the order
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Warm-up to discard at the start of each cell: a time, or `auto` to detect it
    #[arg(long, value_name = "TIME", default_value = "auto")]
    pub(crate) warm_up: WarmUpArg,
    /// Virtual users when the request rate of a URL is varied
    #[arg(short = 'c', long, value_name = "USERS", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) users: u32,
    #[command(flatten)]
    pub(crate) capacity: CapacityArgs,
    #[command(flatten)]
    pub(crate) safety: SafetyArgs,
    /// Write figures and index.html to this folder
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an earlier sweep in the output folder
    #[arg(short = 'f', long)]
    pub(crate) force: bool,
    /// Print surface.json to standard output instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) observe: ObserveArgs,
    #[command(flatten)]
    pub(crate) fleet: StudyFleetArgs,
    #[command(flatten)]
    pub(crate) jvm: JvmArgs,
    #[command(flatten)]
    pub(crate) properties: SettingArgs,
}

/// Capacity of each setting.
#[derive(Debug, Args)]
#[command(next_help_heading = "Capacity of each setting")]
pub(crate) struct CapacityArgs {
    /// Find the breaking point of each setting in this range: users=1..500, rate=50..5000
    ///
    /// The name can also be a plan property. This replaces the load axis (--vary).
    #[arg(long, value_name = "NAME=A..B")]
    pub(crate) search: Option<VaryRange>,
    /// Service-level objective the server must meet; repeatable [default: p(99)<1s and errors<1%]
    #[arg(long = "slo", id = "slo", value_name = "RULE", requires = "search", value_parser = Slo::parse)]
    pub(crate) rules: Vec<Slo>,
    /// Width of the answer's interval, as a share of the breaking point
    #[arg(long, value_name = "PERCENT", default_value = "5%", requires = "search")]
    pub(crate) width: Percent,
    /// Time after which no trial of a setting begins
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "15m", requires = "search")]
    pub(crate) budget: Duration,
}

/// How settings reach the server under test.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct SettingHookArgs {
    /// Time to load a started server before it is measured
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "5s")]
    pub(crate) server_warm_up: Duration,
    /// Shell command to run before the cells of each setting, for an external server
    #[arg(long, value_name = "CMD")]
    pub(crate) set_hook: Option<String>,
    /// Shell command to run after the cells of each setting
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
