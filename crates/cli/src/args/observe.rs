//! Who watches a run and what it leaves: the options of every command that makes load.

use std::sync::Arc;

use clap::Args;
use swell_session::{Paths, PrintLine, SessionOptions};

use super::kept::{ExportArgs, KeepArgs, ThresholdArgs};
use super::live::LiveArgs;
use super::monitor::MonitorArgs;
use crate::exit::Exit;
use crate::print::{print_stderr, print_stdout, say};

/// The options of every command that makes load.
#[derive(Clone, Debug, Args)]
pub(crate) struct ObserveArgs {
    #[command(flatten)]
    pub(crate) thresholds: ThresholdArgs,
    #[command(flatten, next_help_heading = "Live view")]
    pub(crate) live: LiveArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    pub(crate) monitor: MonitorArgs,
    #[command(flatten)]
    pub(crate) exports: ExportArgs,
}

impl ObserveArgs {
    /// What they ask for. `by_default`: the run is kept if no option says otherwise; `json`:
    /// standard output belongs to JSON.
    pub(crate) fn options(&self, by_default: bool, json: bool) -> SessionOptions {
        SessionOptions {
            thresholds: self.thresholds.options(),
            junit: self.thresholds.junit.clone(),
            junit_max_errors_percent: self.thresholds.junit_max_errors,
            gitlab: self.thresholds.gitlab.clone(),
            keep: self.keep.options(by_default),
            live: self.live.options(),
            ceilings: self.live.ceilings(),
            exports: self.exports.destinations(),
            is_for_github: true,
            say: say(),
            print: printer(json),
            exit_status: |ending| Exit::from(ending) as u8,
            ..SessionOptions::default()
        }
    }

    /// Adds the files that are read and written.
    pub(crate) fn paths(&self, paths: Paths) -> Paths {
        self.exports.outputs(self.thresholds.outputs(self.thresholds.inputs(paths)))
    }
}

/// Prints lines for the runner of a pipeline, which reads both streams.
fn printer(json: bool) -> PrintLine {
    if json {
        return Arc::new(|line| {
            print_stderr(line);
            Ok(())
        });
    }
    Arc::new(|line| Ok(print_stdout(&format!("{line}\n"))?))
}
