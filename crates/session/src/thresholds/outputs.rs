//! Writes the results of the thresholds for the tools that a pipeline runs in.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use swell_report::text::Results;
use swell_report::thresholds::{github, gitlab, junit};
use swell_report::without_passwords;
use swell_results::write_whole;
use swell_stats::threshold::Judgement;
use swell_stats::verdict::Verdict;
use swell_stats::{LabelStats, Summary};

use crate::observer::{Observer, Say, Second};
use crate::paths::cannot_write;
use crate::{Ended, PrintLine, Problem, SessionOptions};

/// The results as JUnit XML.
pub(crate) struct Junit {
    path: PathBuf,
    max_errors_percent: f64,
}

impl Junit {
    /// That which the options ask for.
    pub(crate) fn of(options: &SessionOptions) -> Option<Self> {
        let max_errors_percent = options.junit_max_errors_percent.unwrap_or_default();
        Some(Self { path: options.junit.clone()?, max_errors_percent })
    }
}

impl Observer for Junit {
    fn second(&mut self, _second: &Second) {}

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        let report = &ended.report;
        let written = write_junit(
            &self.path,
            &ended.name,
            &report.summary,
            report.verdict.as_ref(),
            &ended.judgements,
            self.max_errors_percent,
        );
        written.err().into_iter().collect()
    }
}

/// The figures of GitLab's load-performance report.
pub(crate) struct Gitlab(pub(crate) PathBuf);

impl Observer for Gitlab {
    fn second(&mut self, _second: &Second) {}

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        write_gitlab(&self.0, &ended.report.summary, &ended.report.run.total()).err().into_iter().collect()
    }
}

/// Writes the results of thresholds and labels as JUnit XML. `name` is that of the run or study; a
/// label with more than `max_errors_percent` failed samples fails.
///
/// # Errors
/// The file cannot be written.
pub fn write_junit(
    path: &Path,
    name: &str,
    summary: &Summary,
    verdict: Option<&Verdict>,
    judgements: &[Judgement],
    max_errors_percent: f64,
) -> Result<(), Problem> {
    let text = junit::xml(name, summary, verdict, judgements, max_errors_percent);
    write(path, "JUnit file", &text)
}

/// Writes the figures of GitLab's load-performance report.
///
/// # Errors
/// The file cannot be written.
pub fn write_gitlab(path: &Path, summary: &Summary, total: &LabelStats) -> Result<(), Problem> {
    let file = gitlab::json(summary, total);
    let text = serde_json::to_string_pretty(&file).expect("numbers and texts are valid JSON") + "\n";
    write(path, "file for GitLab", &text)
}

fn write(path: &Path, what: &str, text: &str) -> Result<(), Problem> {
    let written = write_whole(path, without_passwords(text).as_bytes());
    written.map_err(|error| Problem::output(cannot_write(what, path, &error)))
}

/// The step summary and annotations of a job of GitHub Actions.
pub struct Github {
    step_summary: Option<PathBuf>,
    /// Prints a line that the runner reads.
    annotate: Option<PrintLine>,
}

impl Github {
    /// As the environment of the job asks for; nothing outside of one. `print` writes to a stream
    /// that the runner reads.
    pub fn of_environment(print: &PrintLine) -> Option<Self> {
        let step_summary = env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
        let is_job = env::var_os("GITHUB_ACTIONS").is_some_and(|set| set == "true");
        let step_summary = step_summary.map(PathBuf::from);
        let annotate = is_job.then(|| print.clone());
        (step_summary.is_some() || annotate.is_some()).then_some(Self { step_summary, annotate })
    }

    /// Writes both. `name` is that of the run or study; `say` shows a line to the user.
    ///
    /// # Errors
    /// A line for the runner cannot be printed. A summary that cannot be written is only a message:
    /// its figures are elsewhere, too.
    pub fn write(&self, name: &str, results: &Results<'_>, say: &Say) -> Result<(), Problem> {
        if let Some(path) = &self.step_summary {
            let text = github::step_summary(name, results);
            if let Err(error) = append(path, &text) {
                let path = path.display();
                say(&format!("cannot write the step summary of GitHub to `{path}`: {error}"));
            }
        }
        let Some(annotate) = &self.annotate else { return Ok(()) };
        github::annotations(results.verdict, results.judgements).iter().try_for_each(|line| annotate(line))
    }
}

impl Observer for Github {
    fn second(&mut self, _second: &Second) {}

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        let Ended { name, report, judgements, earlier, say, .. } = ended;
        let results = Results {
            summary: &report.summary,
            verdict: report.verdict.as_ref(),
            judgements,
            transactions: &[],
            total: &report.run.total(),
            notes: &[],
            earlier: earlier.as_ref(),
        };
        let written = self.write(name, &results, say);
        written.err().into_iter().collect()
    }
}

fn append(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(without_passwords(text).as_bytes())
}
