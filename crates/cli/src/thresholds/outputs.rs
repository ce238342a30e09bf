//! Writes what became of the thresholds for the tools that a pipeline runs in.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use swell_report::thresholds::{github, gitlab, junit};
use swell_report::without_passwords;
use swell_results::write_whole;
use swell_run::TrialReport;
use swell_stats::threshold::Judgement;

use crate::args::ThresholdArgs;
use crate::exit::Failure;
use crate::print::{print_stderr, print_stdout};

/// Writes the files that the command line names, and what GitHub Actions shows. `name`: of the run. With `json`, standard output
/// belongs to that.
pub(crate) fn write(
    args: &ThresholdArgs,
    name: &str,
    report: &TrialReport,
    judgements: &[Judgement],
    json: bool,
) -> Result<(), Failure> {
    let (summary, verdict) = (&report.summary, report.verdict.as_ref());
    let mut written = Ok(());
    if let Some(path) = &args.junit {
        written = written.and(keep(path, "the JUnit file", &junit::xml(name, summary, verdict, judgements)));
    }
    if let Some(path) = &args.gitlab {
        let file = gitlab::json(summary, &report.run.total());
        let text = serde_json::to_string_pretty(&file).expect("numbers and texts are valid JSON") + "\n";
        written = written.and(keep(path, "the file for GitLab", &text));
    }
    if let Some(path) = env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) {
        append_step_summary(Path::new(&path), &github::step_summary(name, summary, verdict, judgements));
    }
    if env::var_os("GITHUB_ACTIONS").is_some_and(|set| set == "true") {
        for line in github::annotations(verdict, judgements) {
            // The runner reads both streams.
            if json {
                print_stderr(&line);
            } else {
                print_stdout(&format!("{line}\n"))?;
            }
        }
    }
    written
}

fn keep(path: &Path, what: &str, text: &str) -> Result<(), Failure> {
    let written = write_whole(path, without_passwords(text).as_bytes());
    written.map_err(|error| Failure::lost(format!("cannot write {what} to `{}`: {error}", path.display())))
}

/// The figures are elsewhere, too: that a page of GitHub lacks them ends nothing.
fn append_step_summary(path: &Path, text: &str) {
    let file = OpenOptions::new().append(true).create(true).open(path);
    if let Err(error) = file.and_then(|mut file| file.write_all(without_passwords(text).as_bytes())) {
        print_stderr(&format!("cannot write the step summary of GitHub to `{}`: {error}", path.display()));
    }
}
