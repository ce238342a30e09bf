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

Each figure gets one of three answers. Changed (better, worse): the difference is larger than the
noise of both runs. Same: its 95 % interval is within --same-within. Unknown: neither; the line then
shows the smallest change that could have been detected, and the run length needed.
A phase at the start that looks like a warm-up is left out.

The first word is the answer. FAILED: something is significantly worse, or a threshold of AFTER
failed. PASSED: neither. UNKNOWN: nothing changed, and a total figure is unknown.
A label whose failures grew is worse whatever its times are. Times of a label whose samples all
failed are not compared.

Exit status: 0; with --fail-on-worse 99 for FAILED; with --fail-on-unknown 110 for UNKNOWN; 104 if
a run cannot be read.")]
pub(crate) struct CompareArgs {
    /// Run to compare with: a kept run's name, `last`, a run folder, or a results file (JTL)
    #[arg(value_name = "BEFORE")]
    pub(crate) before: String,
    /// Run to judge
    #[arg(value_name = "AFTER")]
    pub(crate) after: String,
    /// Print Markdown to standard output
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Print JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write an HTML page to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Ignore changes smaller than this share
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub(crate) at_least: f64,
    /// Treat figures as the same if their 95 % interval is within ±PERCENT
    ///
    /// For the error rate the limit is a tenth of that.
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0, value_parser = percent)]
    pub(crate) same_within: f64,
    /// Include the warm-up phase
    #[arg(long)]
    pub(crate) with_warm_up: bool,
    /// Exit with status 99 if something is significantly worse or a threshold of AFTER failed
    #[arg(long)]
    pub(crate) fail_on_worse: bool,
    /// Exit with status 110 if nothing changed and a total figure is unknown
    #[arg(long)]
    pub(crate) fail_on_unknown: bool,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    number
        .ok()
        .filter(|percent| (0.0..=1000.0).contains(percent))
        .ok_or_else(|| format!("invalid percentage `{text}`; write 1 or 2.5%"))
}
