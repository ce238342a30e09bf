//! Options of `swell history` and `swell open`.

use clap::Args;

/// `swell history`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell history                         the last 20 runs that were kept
  swell history --limit 100 --json

Runs are kept in ~/.local/share/swell/runs, or in the folder that SWELL_RUNS names.")]
pub(crate) struct HistoryArgs {
    /// Show at most this many runs, the latest first
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// A JSON list
    #[arg(long)]
    pub(crate) json: bool,
}

/// `swell open`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell open last                       the report of the run that began last, in a browser
  swell open nightly --print            where the report is")]
pub(crate) struct OpenArgs {
    /// A name that `swell history` shows, `last`, or a folder of a run
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Print the path of the report and open nothing
    #[arg(long)]
    pub(crate) print: bool,
}
