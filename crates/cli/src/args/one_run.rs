//! The options that `run` and `hit` share.

use std::time::Duration;

use clap::Args;
use swell_report::text::Column;
use swell_session::{Grace, SessionOptions};
use swell_stats::threshold::nearest;

use super::http_version::HttpVersionArgs;
use super::observe::ObserveArgs;
use super::rotation::RotationArgs;
use super::shape::ShapeArgs;
use super::{Clock, IoArg};
use crate::output::Detail;

/// The options of a command that makes one run.
#[derive(Clone, Debug, Args)]
pub(crate) struct OneRunArgs {
    #[command(flatten)]
    pub(crate) shape: ShapeArgs,
    /// Worker threads [default: one per core]
    #[arg(short = 'w', long, alias = "threads", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Load")]
    pub(crate) workers: Option<u16>,
    /// Abort running samples this long after a stop signal: 30s, or `unlimited`
    ///
    /// The default is 10s after SIGTERM and SIGHUP, and unlimited after Ctrl-C. `swell hit` also
    /// aborts requests that run 5s, or this long, after its duration. For a plan the property
    /// swell.grace sets the same.
    #[arg(long, value_name = "TIME", value_parser = super::units::grace, help_heading = "Load")]
    pub(crate) grace: Option<Grace>,
    /// Local addresses to connect from, in turn: `10.0.0.2-10.0.0.5,10.0.1.7`
    ///
    /// By default the kernel chooses. The property swell.source sets the same.
    #[arg(long, value_name = "ADDRESSES", help_heading = "Load")]
    pub(crate) source: Option<String>,
    /// Kernel interface for event loops [default: auto]
    ///
    /// The property swell.io sets the same.
    #[arg(long, value_name = "IO", value_enum, help_heading = "Load")]
    pub(crate) io: Option<IoArg>,
    /// Start requests of a rate up to this late, several at once, to use less CPU: `1ms`
    ///
    /// By default each starts at its own time. The report counts the delay as the tool's. The
    /// property swell.slack sets the same.
    #[arg(long, value_name = "TIME", value_parser = super::units::slack, help_heading = "Load")]
    pub(crate) slack: Option<Duration>,
    /// Clock that ends a sample
    #[arg(long, value_enum, default_value_t, help_heading = "Load")]
    pub(crate) clock: Clock,
    /// Print the summary as JSON to standard output
    #[arg(long, help_heading = "Results")]
    pub(crate) json: bool,
    /// Columns of the table: samples,failed,p50,p99,per-s
    ///
    /// There are samples, errors, failed (percent), mean, sd, min, p50, p90, p95, p99, p99.9, max,
    /// per-s, kb-per-s, sent-kb-per-s, and the medians of connect, tls and first-byte.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = column, help_heading = "Results")]
    pub(crate) columns: Vec<Column>,
    /// Exit with status 110 or 111 if the verdict is DEGRADED or INVALID
    #[arg(long, help_heading = "Results")]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) version: HttpVersionArgs,
    #[command(flatten)]
    pub(crate) rotation: RotationArgs,
    #[command(flatten)]
    pub(crate) observe: ObserveArgs,
    /// Full-screen terminal view with keys that change the load
    #[arg(long, help_heading = "Live view")]
    pub(crate) tui: bool,
}

fn column(name: &str) -> Result<Column, String> {
    let all = Column::ALL;
    all.into_iter().find(|column| column.name() == name.trim()).ok_or_else(|| {
        let near = nearest(name, all.iter().map(|column| column.name()));
        let names = all.map(Column::name).join(", ");
        let hint = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        format!("unknown column `{name}`: {hint}there are {names}")
    })
}

impl OneRunArgs {
    /// How much of the summary is shown.
    pub(crate) fn detail(&self, verbose: bool) -> Detail {
        Detail { verbose, columns: self.columns.clone() }
    }

    /// What the run leaves and who watches it. `by_default`: it is kept if no option says
    /// otherwise.
    pub(crate) fn options(&self, by_default: bool) -> SessionOptions {
        SessionOptions { strict: self.strict, ..self.observe.options(by_default, self.json) }
    }
}
