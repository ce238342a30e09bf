//! Options of `swell compare`.

use std::path::PathBuf;

use clap::Args;

/// `swell compare`.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell compare tomcat jboss                         two runs of `swell history`
  swell compare before.jtl after.jtl --markdown      two results files, for a merge request
  swell compare baseline last --fail-on-worse        status 99 if the last run is worse

Each figure has one of three answers. Changed (better, worse): the difference is larger than the
noise of both runs. Same: its 95 % interval lies within --same-within. Unknown: neither; the line
then has the smallest change that the runs would have shown, and the length that they need.
A beginning that looks like a warm-up is left out.

Exit status: 0; with --fail-on-worse 99 if something is worse beyond noise; with --fail-on-unknown
110 if nothing changed and a figure of the total is unknown; 104 if a run cannot be read.")]
pub(crate) struct CompareArgs {
    /// The run before: a name of `swell history`, `last`, a folder of a run, or a results file (JTL)
    #[arg(value_name = "BEFORE")]
    pub(crate) before: String,
    /// The run after
    #[arg(value_name = "AFTER")]
    pub(crate) after: String,
    /// Markdown on standard output
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page, too
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Changes below this share are none, however certain they are
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub(crate) at_least: f64,
    /// Figures whose 95 % interval lies within ±PERCENT are the same; the share of errors within a tenth of it
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0, value_parser = percent)]
    pub(crate) same_within: f64,
    /// Let a beginning that looks like a warm-up count
    #[arg(long)]
    pub(crate) with_warm_up: bool,
    /// End with status 99 if something is worse beyond noise
    #[arg(long)]
    pub(crate) fail_on_worse: bool,
    /// End with status 110 if nothing changed and a figure of the total is unknown
    #[arg(long)]
    pub(crate) fail_on_unknown: bool,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    number
        .ok()
        .filter(|percent| (0.0..=1000.0).contains(percent))
        .ok_or_else(|| format!("`{text}` is no share; write 1 or 2.5%"))
}
