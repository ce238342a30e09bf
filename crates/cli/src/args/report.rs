//! Options of `swell report`.

use std::path::PathBuf;

use clap::Args;

/// `swell report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  swell report results.jtl                      report.html, from a results file of Swell or JMeter
  swell report results.jtl -o out/              out/index.html and out/statistics.json
  swell report swell-runs/2026-11-23-shop -o shop.html
                                                from the folder of a run, a killed one, too
  swell report results.jtl --percentiles jmeter  the percentiles of JMeter's own report
  swell report last --hlog times.hlog           for the tools of HdrHistogram, in nanoseconds

A results file may be CSV with any columns in any order, with or without a header, or XML. Rows that
cannot be read are counted and named, and the rest is shown.

Exit status: 0, or 104 if there is nothing to read or the report cannot be written.")]
pub(crate) struct ReportArgs {
    /// The folder of a run, or a results file (JTL)
    #[arg(value_name = "RUN|JTL")]
    pub(crate) source: PathBuf,
    /// The file to write; a folder gets index.html and statistics.json
    #[arg(short = 'o', long, value_name = "FILE|DIR", default_value = "report.html")]
    pub(crate) output: PathBuf,
    /// Write over a report that is there already
    #[arg(short = 'f', long)]
    pub(crate) force: bool,
    /// Title of the page [default: name of the plan or of the file]
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Which percentiles the tables show, where the source is a results file
    #[arg(long, value_enum, default_value_t)]
    pub(crate) percentiles: Percentiles,
    /// Thresholds of the APDEX in milliseconds: satisfied up to the first, tolerated up to the second
    #[arg(long, value_name = "T,F", default_value = "500,1500", value_parser = apdex)]
    pub(crate) apdex: (u64, u64),
    /// Write the service times of each label and second as a log of HdrHistogram, too; the source is the folder of a run
    #[arg(long, value_name = "FILE")]
    pub(crate) hlog: Option<PathBuf>,
}

/// Which percentiles are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Percentiles {
    /// Those of all samples
    #[default]
    Exact,
    /// Those of JMeter's report: of the last 20,000 samples of a label, interpolated
    Jmeter,
}

fn apdex(text: &str) -> Result<(u64, u64), String> {
    let wanted = "two numbers of milliseconds are wanted, such as 500,1500";
    let (first, second) = text.split_once(',').ok_or(wanted)?;
    let [first, second] = [first, second].map(|part| part.trim().parse::<u64>().map_err(|_| wanted));
    match (first?, second?) {
        (first, second) if first <= second => Ok((first, second)),
        _ => Err(format!("{wanted}: the first is not above the second")),
    }
}
