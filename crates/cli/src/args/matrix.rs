//! Options of `swell matrix`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::observe::ObserveArgs;
use super::units::duration;

/// `swell matrix`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell matrix                                           every installed tool, a few minutes
  swell matrix --tools swell,wrk,ab --users 20,100 -d 5s
  swell matrix --tools jmeter --program jmeter=/opt/jmeter/bin/jmeter
  swell matrix --rtt 0.1ms,10ms,50ms --users 20,100,200,500,1000 -d 300s -o out
  swell matrix --list                                    known tools, and which are installed

Each tool makes the same load on the built-in target on this machine: each user sends its next
request when the last one is answered, over a persistent connection. The figures of the tool are
compared with what the target recorded, giving the error of the mean and of the 99th percentile. A
figure that a tool does not print is empty. Tool and target share the processors of this machine.
With -o the folder has matrix.csv, matrix.json, index.html, and each tool's output in `runs`.
Thresholds, exports, the monitor and kept runs apply to the runs of Swell itself. The live page
shows the progress of all runs; it cannot change their load, which is the same for each tool.

Exit status: 0 all installed tools were measured, 98 the output of one could not be read, 99 a
threshold failed, 104 bad arguments or no tool installed, 105 interrupted (results are kept), 112
the output folder cannot be written.")]
pub(crate) struct MatrixArgs {
    /// Tools to run [default: all that are installed]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// Response delays of the target
    #[arg(long, value_name = "TIMES", value_delimiter = ',', value_parser = duration, default_value = "0.1ms,10ms")]
    pub(crate) rtt: Vec<Duration>,
    /// Numbers of users
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=60_000), default_value = "20,100")]
    pub(crate) users: Vec<u32>,
    /// Length of a run in whole seconds
    #[arg(short = 'd', long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub(crate) duration: Duration,
    /// Number of rounds; medians are shown
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) rounds: u16,
    /// Keep tools in the given order instead of a random one
    #[arg(long)]
    pub(crate) in_order: bool,
    /// Random seed of the order
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Path of a tool that is not on the PATH; repeatable
    #[arg(long, value_name = "NAME=PATH")]
    pub(crate) program: Vec<String>,
    /// Worker threads of the target
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) site_workers: u16,
    /// List known tools and which are installed
    #[arg(long)]
    pub(crate) list: bool,
    /// Write matrix.csv, matrix.json, index.html and tool output to this folder
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an earlier matrix in the output folder
    #[arg(short = 'f', long)]
    pub(crate) force: bool,
    /// Print matrix.json to standard output instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) observe: ObserveArgs,
}
