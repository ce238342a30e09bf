//! Options of `swell report`.

use std::path::PathBuf;

use clap::Args;
use swell_stats::threshold::Group;

use super::kept::group;

/// `swell report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell report results.jtl                      report.html, from a results file of Swell or JMeter
  swell report results.jtl -o out/              out/index.html and out/statistics.json
  swell report swell-runs/2026-11-23-shop -o shop.html
                                                from the folder of a run, even a killed one
  swell report results.jtl --percentiles jmeter  percentiles as in JMeter's own report
  swell report results.jtl --group 'checkout=^/(cart|pay)'
                                                a row for all labels of the checkout
  swell report last --hlog times.hlog           for HdrHistogram tools, in nanoseconds

A results file is XML, or CSV with any columns in any order, with or without a header. Unreadable
rows are counted and reported; the rest is shown.

Exit status: 0, or 104 if there is nothing to read or the report cannot be written.")]
pub(crate) struct ReportArgs {
    /// Folder of a run, or a results file (JTL)
    #[arg(value_name = "RUN|JTL")]
    pub(crate) source: PathBuf,
    /// Output file, or a folder for index.html and statistics.json
    #[arg(short = 'o', long, value_name = "FILE|DIR", default_value = "report.html")]
    pub(crate) output: PathBuf,
    /// Overwrite an existing report
    #[arg(short = 'f', long)]
    pub(crate) force: bool,
    /// Page title [default: name of the plan or file]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// How to compute percentiles of a results file
    #[arg(long, value_enum, default_value_t)]
    pub(crate) percentiles: Percentiles,
    /// APDEX limits in milliseconds: satisfied, tolerated
    #[arg(long, value_name = "T,F", default_value = "500,1500", value_parser = apdex)]
    pub(crate) apdex: (u64, u64),
    /// Group of labels, shown together: NAME=PATTERN, a regular expression; repeatable
    ///
    /// A kept run has the groups that it was made with; a group of the same name replaces its own.
    #[arg(long = "group", value_name = "NAME=PATTERN", value_parser = group)]
    pub(crate) groups: Vec<String>,
    /// Also write service times per label and second as an HdrHistogram log
    ///
    /// The source must be the folder of a run.
    #[arg(long, value_name = "FILE")]
    pub(crate) hlog: Option<PathBuf>,
}

impl ReportArgs {
    /// Labels that are shown together.
    pub(crate) fn label_groups(&self) -> Vec<Group> {
        // Each was read before.
        Group::of_definitions(&self.groups)
    }
}

/// Which percentiles are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Percentiles {
    /// Over all samples
    #[default]
    Exact,
    /// As JMeter's report: over the last 20,000 samples of a label, interpolated
    Jmeter,
}

fn apdex(text: &str) -> Result<(u64, u64), String> {
    let wanted = "expected two numbers of milliseconds, such as 500,1500";
    let (first, second) = text.split_once(',').ok_or(wanted)?;
    let [first, second] = [first, second].map(|part| part.trim().parse::<u64>().map_err(|_| wanted));
    match (first?, second?) {
        (first, second) if first <= second => Ok((first, second)),
        _ => Err(format!("{wanted}; the first must not be above the second")),
    }
}
