//! Options on what is kept of a run, and by which thresholds it is judged.

use std::path::PathBuf;

use clap::Args;
use swell_metrics::export::Destination;
use swell_session::runs::{Annotation, KeepOptions, check_name};
use swell_session::{Paths, ThresholdOptions};
use swell_stats::threshold::Group;

use super::given::Given;

/// What is kept of a run.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct KeepArgs {
    /// Keep the run in this folder, which must be new or empty
    ///
    /// A command of many trials keeps each in its own folder there: `trial-1`, `trial-2` and so on.
    /// By default `swell run` keeps each run among the kept runs, and all other commands keep
    /// nothing.
    #[arg(long, value_name = "DIR", help_heading = "Kept runs", conflicts_with = "no_run_dir")]
    pub(crate) run_dir: Option<PathBuf>,
    /// Do not keep this run
    #[arg(long, help_heading = "Kept runs")]
    pub(crate) no_run_dir: bool,
    /// Name of the kept run; a number is appended if the name is taken
    ///
    /// A command of many trials appends the number of each: `NAME-trial-1`.
    #[arg(long = "name", value_name = "NAME", help_heading = "Kept runs", conflicts_with = "no_run_dir", value_parser = check_name)]
    pub(crate) run_name: Option<String>,
    /// Tag of the run, such as version=1.4.2; repeatable
    ///
    /// Tags are shown in the report, in the summary and in the list of kept runs. `version` is the
    /// version of the system under test.
    #[arg(long = "tag", value_name = "NAME=VALUE", help_heading = "Kept runs", value_parser = Annotation::parse_tag)]
    tags: Vec<(String, String)>,
    /// Note on the run, shown where its tags are
    #[arg(long, value_name = "TEXT", help_heading = "Kept runs", value_parser = Annotation::parse_note)]
    note: Option<String>,
}

impl KeepArgs {
    /// Where the run is kept; `by_default`: in the folder of runs if no option says otherwise.
    pub(crate) fn options(&self, by_default: bool) -> KeepOptions {
        let annotation = Annotation {
            tags: self.tags.iter().cloned().collect(),
            note: self.note.clone().unwrap_or_default(),
        };
        if self.no_run_dir {
            return KeepOptions { annotation, ..KeepOptions::default() };
        }
        KeepOptions { folder: self.run_dir.clone(), name: self.run_name.clone(), by_default, annotation }
    }
}

/// Rules that a run must meet.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ThresholdArgs {
    /// Rule the run must meet, such as 'p(95)<500ms' or 'errors<1%'; repeatable
    ///
    /// Rules can name a label, a window and an action: 'label("Login"): p(99)<800ms for 10s abort'.
    #[arg(long = "threshold", value_name = "RULE", help_heading = "Thresholds")]
    pub(crate) rules: Vec<String>,
    /// Read threshold rules from this file, one per line; `#` starts a comment line
    #[arg(long = "thresholds", value_name = "FILE", help_heading = "Thresholds")]
    pub(crate) rules_file: Option<PathBuf>,
    /// Group of labels, judged and shown together: NAME=PATTERN, a regular expression; repeatable
    ///
    /// A label can be in several groups, and a group can have several patterns. Rules name a group
    /// like this: 'group("checkout"): p(95)<800ms'.
    #[arg(long = "group", value_name = "NAME=PATTERN", help_heading = "Thresholds", value_parser = group)]
    pub(crate) groups: Vec<String>,
    /// Kept run that rules with `baseline` compare to: a name or a folder
    #[arg(long, value_name = "RUN", help_heading = "Thresholds")]
    pub(crate) baseline: Option<String>,
    /// Write a JUnit XML file with a test case for each threshold and label
    #[arg(long, value_name = "FILE", help_heading = "Thresholds")]
    pub(crate) junit: Option<PathBuf>,
    /// Failed samples above which the test case of a label fails: 1% [default: 0%]
    ///
    /// In a study (search, sweep, matrix, calibrate) labels fail only if this option is given.
    #[arg(long, value_name = "PERCENT", requires = "junit", value_parser = percent, help_heading = "Thresholds")]
    pub(crate) junit_max_errors: Option<f64>,
    /// Write metrics for GitLab's load performance report
    #[arg(long, value_name = "FILE", help_heading = "Thresholds")]
    pub(crate) gitlab: Option<PathBuf>,
}

impl ThresholdArgs {
    /// Where the rules come from.
    pub(crate) fn options(&self) -> ThresholdOptions {
        ThresholdOptions {
            rules: self.rules.clone(),
            rules_file: self.rules_file.clone(),
            baseline: self.baseline.clone(),
            never_stops: false,
            groups: self.groups(),
        }
    }

    /// Labels that are judged and shown together.
    pub(crate) fn groups(&self) -> Vec<Group> {
        // Each was read before.
        Group::of_definitions(&self.groups)
    }

    /// Adds the files that are read.
    pub(crate) fn inputs(&self, paths: Paths) -> Paths {
        paths.reads(self.rules_file.clone(), "the file of rules")
    }

    /// Adds the files that are written.
    pub(crate) fn outputs(&self, paths: Paths) -> Paths {
        let paths = paths.at_end(self.junit.clone(), "the JUnit file");
        paths.at_end(self.gitlab.clone(), "the file for GitLab")
    }
}

/// Where metrics are exported during the run.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ExportArgs {
    /// Export metrics during the run, such as prometheus=ADDRESS:PORT or influxdb=URL; repeatable
    ///
    /// Kinds: prometheus=ADDRESS:PORT serves an endpoint for a Prometheus server to scrape.
    /// remote-write=URL, otlp=URL and influxdb=URL post; datadog=HOST:PORT and statsd=HOST:PORT
    /// send by UDP. csv=FILE writes a row for each second and label. The URL of InfluxDB has
    /// `?db=NAME`, or `?org=NAME&bucket=NAME&token=TOKEN`.
    #[arg(long, value_name = "KIND=WHERE", help_heading = "Exports")]
    export: Vec<Given<Destination>>,
}

impl ExportArgs {
    /// Where metrics go.
    pub(crate) fn destinations(&self) -> Vec<Destination> {
        self.export.iter().map(|export| export.value.clone()).collect()
    }

    /// Adds the files that are written.
    pub(crate) fn outputs(&self, paths: Paths) -> Paths {
        let files = self.export.iter().filter_map(|export| export.value.file());
        files.fold(paths, |paths, file| paths.at_end(file.clone(), "the CSV file of the export"))
    }

    /// The same options for another run of this program.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = String> {
        self.export.iter().map(|export| format!("--export={}", export.text))
    }
}

/// `1%`, or `1`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse().ok();
    let percent = number.filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| format!("invalid percentage `{text}`: use 0% to 100%, such as 0.5%"))
}

/// Reads a group, as text.
pub(super) fn group(text: &str) -> Result<String, String> {
    Group::add(text, &mut Vec::new()).map(|()| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_0_to_100() {
        assert_eq!(["0", "1%", "0.5 %", "100%"].map(percent), [0.0, 1.0, 0.5, 100.0].map(Ok));
        for wrong in ["", "%", "-1%", "101%", "NaN", "1/2"] {
            percent(wrong).expect_err(wrong);
        }
    }
}
