//! Destinations of the samples that listeners of a plan receive.

use swell_metrics::ListenerMetrics;
use swell_results::{FileOptions, ResultFiles};

/// The results files of a run, and its listeners' metrics for other systems. Clones share both.
#[derive(Clone)]
pub struct Sinks {
    /// Results files.
    pub files: ResultFiles,
    /// Metrics of Prometheus Listeners and Backend Listeners.
    pub metrics: ListenerMetrics,
}

impl Sinks {
    /// No files and no metrics yet. A dry run of the files is one of the metrics.
    pub fn new(options: FileOptions) -> Self {
        let dry_run = options.dry_run;
        let files = ResultFiles::new(options);
        let metrics = ListenerMetrics::new(files.start_texts().clone(), dry_run);
        Self { files, metrics }
    }
}
