//! Options of `swell history` and `swell open`.

use clap::Args;

/// `swell history`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell history                         the last 20 kept runs
  swell history --limit 100 --json

Runs are kept in ~/.local/share/swell/runs, or in the folder set by SWELL_RUNS.")]
pub(crate) struct HistoryArgs {
    /// Number of runs to show, latest first
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// Print a JSON list
    #[arg(long)]
    pub(crate) json: bool,
}

/// `swell open`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell open last                       the report of the last run, in a browser
  swell open nightly --print            the path of the report")]
pub(crate) struct OpenArgs {
    /// Name of a kept run, `last`, or a run folder
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Print the report's path instead of opening it
    #[arg(long)]
    pub(crate) print: bool,
}
