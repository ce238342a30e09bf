//! What a run leaves and who watches it, as plain values.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use swell_engine::Ceilings;
use swell_metrics::export::Destination;

use crate::observer::Say;
use crate::page::{LiveOptions, StudyPage};
use crate::report::ReportOptions;
use crate::runs::KeepOptions;
use crate::thresholds::ThresholdOptions;
use crate::{Ending, Problem};

/// Prints a line of data, such as one that the runner of a pipeline reads.
pub type PrintLine = Arc<dyn Fn(&str) -> Result<(), Problem> + Send + Sync>;

/// What a run leaves and who watches it.
#[derive(Clone)]
pub struct SessionOptions {
    /// Rules that the run must meet.
    pub thresholds: ThresholdOptions,
    /// File for the results of the thresholds as JUnit XML.
    pub junit: Option<PathBuf>,
    /// Failed samples of a hundred above which a label fails there; none: 0 in a run, and no limit
    /// in a study, whose trials may be meant to fail.
    pub junit_max_errors_percent: Option<f64>,
    /// File for GitLab's load-performance report.
    pub gitlab: Option<PathBuf>,
    /// Where the run is kept.
    pub keep: KeepOptions,
    /// The live page.
    pub live: Option<LiveOptions>,
    /// The live page of the study of which the run is a trial.
    pub study_page: Option<StudyPage>,
    /// The most load that control may ask for.
    pub ceilings: Ceilings,
    /// Systems that get the figures during the run.
    pub exports: Vec<Destination>,
    /// The HTML report.
    pub report: Option<ReportOptions>,
    /// File for the summary as JSON.
    pub summary: Option<PathBuf>,
    /// Files of earlier runs may be overwritten.
    pub force: bool,
    /// The verdict decides how the run ended.
    pub strict: bool,
    /// Write the step summary and annotations of a job of GitHub Actions, if the run is in one.
    pub is_for_github: bool,
    /// Set when a signal wants the end.
    pub interrupted: Arc<AtomicBool>,
    /// Shows a line to the user.
    pub say: Say,
    /// Prints a line that the runner of a pipeline reads.
    pub print: PrintLine,
    /// The exit status that stands for an ending, for the folder of the run.
    pub exit_status: fn(Ending) -> u8,
}

impl Default for SessionOptions {
    /// A run without observers that writes no files.
    fn default() -> Self {
        Self {
            thresholds: ThresholdOptions::default(),
            junit: None,
            junit_max_errors_percent: None,
            gitlab: None,
            keep: KeepOptions::default(),
            live: None,
            study_page: None,
            ceilings: Ceilings::default(),
            exports: Vec::new(),
            report: None,
            summary: None,
            force: false,
            strict: false,
            is_for_github: false,
            interrupted: Arc::default(),
            say: Arc::new(|_| {}),
            print: Arc::new(|_| Ok(())),
            exit_status: |ending| u8::from(ending != Ending::Completed),
        }
    }
}
