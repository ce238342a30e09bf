//! Options of `swell matrix`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::units::duration;

/// `swell matrix`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell matrix                                           every tool that is here, a few minutes
  swell matrix --tools swell,wrk,ab --users 20,100 -d 5s
  swell matrix --tools jmeter --program jmeter=/opt/jmeter/bin/jmeter
  swell matrix --rtt 0.1ms,10ms,50ms --users 20,100,200,500,1000 -d 300s -o out
  swell matrix --list                                    which tools are known, and which are here

Each tool makes the same load against the built-in site on this machine: each user sends the next
request when the last one is answered, on a connection that is kept. Its figures stand beside
what the site recorded: the error of its mean and of its 99th percentile. A figure that a tool does
not say is empty. Generator and site share the processors of this machine. With -o the folder has
matrix.csv, matrix.json, the page index.html, and what each tool wrote in `runs`.

Exit status: 0 all tools that are here were read, 98 one could not be, 104 bad arguments or no tool
is here, 105 interrupted (what was measured is kept), 112 the folder cannot be written.")]
pub(crate) struct MatrixArgs {
    /// Tools, by their names [default: all that are here]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// Response delays of the site
    #[arg(long, value_name = "TIMES", value_delimiter = ',', value_parser = duration, default_value = "0.1ms,10ms")]
    pub(crate) rtt: Vec<Duration>,
    /// Numbers of users
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=60_000), default_value = "20,100")]
    pub(crate) users: Vec<u32>,
    /// Time a run, whole seconds
    #[arg(short = 'd', long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub(crate) duration: Duration,
    /// How often all is measured; medians are shown
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) rounds: u16,
    /// Tools in the order in which they are given, instead of one that is drawn a round
    #[arg(long)]
    pub(crate) in_order: bool,
    /// Where the order is drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Program of a tool that is not on the path; may be repeated
    #[arg(long, value_name = "NAME=PATH")]
    pub(crate) program: Vec<String>,
    /// Worker threads of the site
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) site_workers: u16,
    /// List the tools that are known
    #[arg(long)]
    pub(crate) list: bool,
    /// Folder for matrix.csv, matrix.json, index.html and the outputs of tools
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write over a matrix that is in the folder already
    #[arg(short = 'f', long)]
    pub(crate) force: bool,
    /// matrix.json on standard output, instead of tables
    #[arg(long)]
    pub(crate) json: bool,
}
