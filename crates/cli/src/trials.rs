//! Observes the trials of a study: each is a run with thresholds, exports and a folder, and all are
//! on one live page.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use swell_plan::Plan;
use swell_report::page::About;
use swell_report::text::Results;
use swell_report::thresholds;
use swell_results::run_folder::RunFolder;
use swell_run::{Starter, Trial, TrialReport};
use swell_session::runs::KeepOptions;
use swell_session::{
    Event, Github, Observed, Paths, Session, SessionOptions, StudyPage, StudyProgress, Subject,
    TrialIdentity, TrialLoad, TrialResult, about_of_properties, judge_kept, machine, write_gitlab,
    write_junit,
};
use swell_stats::threshold::Judgement;
use swell_stats::verdict::Verdict;
use swell_stats::{LabelStats, Run, Summary};

use crate::args::ObserveArgs;
use crate::exit::{Exit, Failure};
use crate::print::{page as print_page, print_stderr};

/// How many trials keep their figures until it is decided which of them count.
const MOST_FIGURES: usize = 64;

/// What a study observes.
pub(crate) struct StudyOptions<'a> {
    /// The command: `search`.
    pub(crate) kind: &'static str,
    /// The URL or the plan.
    pub(crate) subject: &'a str,
    pub(crate) observe: &'a ObserveArgs,
    /// Files of earlier studies may be overwritten.
    pub(crate) force: bool,
    /// Standard output belongs to JSON.
    pub(crate) json: bool,
    pub(crate) counting: Counting,
}

/// Which trials the thresholds judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    /// Each trial.
    All,
    /// Those that [`ObservedTrials::settle`] names.
    Settled,
}

/// A trial that is about to start.
pub(crate) struct TrialFacts<'a> {
    pub(crate) file: Option<&'a Path>,
    pub(crate) plan: &'a Plan,
    /// Options have changed the plan of the file.
    pub(crate) is_changed: bool,
    /// Its load and settings.
    pub(crate) label: String,
}

/// The trials of a study.
pub(crate) struct ObservedTrials {
    kind: &'static str,
    subject: String,
    options: SessionOptions,
    json: bool,
    progress: StudyProgress,
    /// Trials so far.
    count: usize,
    /// The label of the last trial.
    label: String,
    session: Option<Session>,
    running: Arc<Mutex<Option<Observed>>>,
    judged: JudgedTrials,
}

impl ObservedTrials {
    /// Checks the files that the study writes, and serves its live page. `interrupted` is set when
    /// a signal wants the end.
    ///
    /// # Errors
    /// One of them cannot be written, or the page cannot be served.
    pub(crate) fn begin(study: &StudyOptions<'_>, interrupted: Arc<AtomicBool>) -> Result<Self, Failure> {
        let paths = study.observe.paths(Paths::default());
        paths.check_overlaps()?;
        paths.check_places(study.force)?;
        let mut options = study.observe.options(false, study.json);
        // A broken threshold is a result of a study, not its end.
        options.thresholds.never_stops = true;
        options.is_for_github = false;
        options.force = study.force;
        options.interrupted = interrupted;
        let live = options.live.take();
        options.study_page = live.map(|live| StudyPage::begin(&live, &options.say)).transpose()?;
        let trials = Self {
            kind: study.kind,
            subject: study.subject.to_owned(),
            options,
            json: study.json,
            progress: StudyProgress::new(study.kind, study.subject),
            count: 0,
            label: String::new(),
            session: None,
            running: Arc::default(),
            judged: JudgedTrials::new(study.counting),
        };
        trials.show_progress();
        Ok(trials)
    }

    /// Puts observers around a trial that is ready.
    ///
    /// # Errors
    /// An option cannot be used, or the folder of the trial cannot be made.
    pub(crate) fn observe(&mut self, trial: &Trial, facts: TrialFacts<'_>) -> Result<(), Failure> {
        let keep = self.next(facts.label);
        let options = SessionOptions { junit: None, gitlab: None, keep, ..self.options.clone() };
        let about = About {
            title: format!("swell {} {}: {}", self.kind, self.subject, self.label),
            facts: vec![("Trial".to_owned(), format!("{}: {}", self.count, self.label)), machine()],
            ..about_of_properties(trial.props())
        };
        let identity = TrialIdentity { number: self.count.to_string(), load: self.label.clone() };
        let changed_text = facts.is_changed.then(|| swell_plan::write(facts.plan).into_bytes());
        let subject = Subject {
            kind: self.kind,
            file: facts.file,
            changed_text,
            trial: Some(identity),
            plan: facts.plan,
            title: self.subject.clone(),
            about,
        };
        let notices = Arc::new(|event| {
            if let Event::Notice(line) = event {
                print_stderr(&line);
            }
        });
        self.session = Some(Session::begin(options, &subject, trial, notices)?);
        Ok(())
    }

    /// Counts a trial that is about to start, and shows it on the live page. Each has its own
    /// folder.
    pub(crate) fn next(&mut self, label: String) -> KeepOptions {
        self.count += 1;
        self.progress.running = Some(TrialLoad { number: self.count, load: label.clone() });
        self.label = label;
        self.show_progress();
        let keep = &self.options.keep;
        let number = self.count;
        KeepOptions {
            folder: keep.folder.as_ref().map(|folder| folder.join(format!("trial-{number}"))),
            name: keep.name.as_ref().map(|name| format!("{name}-trial-{number}")),
            by_default: false,
            annotation: keep.annotation.clone(),
        }
    }

    fn show_progress(&self) {
        if let Some(page) = &self.options.study_page {
            page.show(&self.progress);
        }
    }

    /// Starts the trial with its observers.
    pub(crate) fn starter(&mut self, starter: Starter) -> Starter {
        let Some(session) = self.session.take() else { return starter };
        let place = self.running.clone();
        Box::new(move |trial| {
            let (running, observed) = session.start(trial, starter)?;
            *place.lock() = Some(observed);
            Ok(running)
        })
    }

    /// Ends the observers of the trial.
    ///
    /// # Errors
    /// A file of the trial could not be written.
    pub(crate) fn end_trial(&mut self, report: TrialReport) -> Result<TrialReport, Failure> {
        let Some(observed) = self.running.lock().take() else { return Ok(report) };
        let interrupted = self.options.interrupted.load(Ordering::Relaxed);
        let ended = observed.end(report, interrupted);
        if let Some(problem) = ended.problems.into_iter().next() {
            return Err(problem.into());
        }
        let TrialReport { run, summary, verdict, .. } = &ended.report;
        self.add(summary.clone(), run.total(), verdict.clone(), ended.judgements);
        Ok(ended.report)
    }

    /// Adds a trial that another process made and kept in a folder.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(crate) fn end_kept(&mut self, folder: &Path) -> Result<(), Failure> {
        let wrong = |error: swell_results::run_folder::ReadError| Failure::settings(error.to_string());
        let kept = RunFolder::open(folder).map_err(wrong)?;
        let (run, _) = kept.run().map_err(wrong)?;
        let verdict = kept.outcome().map_err(wrong)?.and_then(|outcome| outcome.verdict());
        let judgements = judge_kept(&self.options.thresholds, &kept, &self.options.say)?;
        self.add(run.summary(), run.total(), verdict, judgements);
        Ok(())
    }

    fn add(
        &mut self,
        summary: Summary,
        total_stats: LabelStats,
        verdict: Option<Verdict>,
        judgements: Vec<Judgement>,
    ) {
        let total = &summary.total;
        let is_measured = total.samples > 0;
        let p95 = &total.quantiles[2];
        self.progress.add(TrialResult {
            trial: TrialLoad { number: self.count, load: self.label.clone() },
            per_s: is_measured.then_some(total.throughput_per_s),
            p95_ms: (is_measured && p95.supported).then_some(p95.ms),
            error_percent: is_measured.then(|| total.error_percent()),
            is_met: (!judgements.is_empty()).then(|| judgements.iter().all(|judgement| judgement.passed)),
            text: String::new(),
        });
        self.show_progress();
        let figures = Figures { summary, total: total_stats, verdict };
        self.judged.add(JudgedTrial { label: self.label.clone(), figures: Some(figures), judgements });
    }

    /// Adds a trial that no rule judges, such as one of another tool, with the figures that are
    /// known.
    pub(crate) fn end_unjudged(
        &mut self,
        per_s: Option<f64>,
        p95_ms: Option<f64>,
        error_percent: Option<f64>,
    ) {
        let trial = TrialLoad { number: self.count, load: self.label.clone() };
        let text = String::new();
        self.progress.add(TrialResult { trial, per_s, p95_ms, error_percent, is_met: None, text });
        self.show_progress();
    }

    /// Shows on the live page what the study says about its last trial. The first line counts.
    pub(crate) fn conclude(&mut self, text: &str) {
        let last = self.progress.trials.last_mut().filter(|last| last.text.is_empty());
        if let Some(last) = last {
            text.clone_into(&mut last.text);
            self.show_progress();
        }
    }

    /// Drops trials since the last call, except the last one of each of these labels.
    pub(crate) fn settle(&mut self, labels: &[String]) {
        self.judged.settle(labels);
    }

    /// Whether a rule, or a file for a pipeline, needs the figures of trials.
    pub(crate) fn needs_figures(&self) -> bool {
        let SessionOptions { thresholds, junit, gitlab, .. } = &self.options;
        !thresholds.rules.is_empty()
            || thresholds.rules_file.is_some()
            || junit.is_some()
            || gitlab.is_some()
            || Github::of_environment(&self.options.print).is_some()
    }

    /// Shows and writes the results of the thresholds, and ends the live page. `exit` is the status
    /// of the study without them.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn end(&mut self, exit: Exit) -> Result<Exit, Failure> {
        self.end_page();
        let judgements: Vec<_> = self.judged.trials.iter().flat_map(JudgedTrial::labelled).collect();
        if !self.json {
            print_page(&thresholds::text(&judgements))?;
        }
        self.write_for_pipelines(&judgements)?;
        let is_broken = judgements.iter().any(|judgement| !judgement.passed);
        Ok(if exit == Exit::Fine && is_broken { Exit::ThresholdBroken } else { exit })
    }

    fn end_page(&mut self) {
        // Observers of a trial that did not start use the page.
        self.session = None;
        if let Some(page) = self.options.study_page.take() {
            page.end();
        }
    }

    /// The figures in these files are those of the last trial that counts.
    fn write_for_pipelines(&self, judgements: &[Judgement]) -> Result<(), Failure> {
        let options = &self.options;
        let last = self.judged.trials.last().and_then(|trial| trial.figures.as_ref());
        let nothing = Figures::default();
        let Figures { summary, total, verdict } = last.unwrap_or(&nothing);
        let name = format!("swell {}", self.kind);
        if let Some(path) = &options.junit {
            let max_errors = options.junit_max_errors_percent.unwrap_or(100.0);
            write_junit(path, &name, summary, verdict.as_ref(), judgements, max_errors)?;
        }
        if let Some(path) = &options.gitlab {
            write_gitlab(path, summary, total)?;
        }
        // A summary of nothing would read like a run without samples.
        if let Some(github) = Github::of_environment(&options.print).filter(|_| last.is_some()) {
            let name = format!("{name} {}", self.subject);
            let results = Results {
                summary,
                verdict: verdict.as_ref(),
                judgements,
                transactions: &[],
                total,
                notes: &[],
                earlier: None,
            };
            github.write(&name, &results, &options.say)?;
        }
        Ok(())
    }
}

impl Drop for ObservedTrials {
    /// Ends the live page also if the study is interrupted or fails.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.end_page();
        }
    }
}

/// Figures of a trial.
struct Figures {
    summary: Summary,
    total: LabelStats,
    verdict: Option<Verdict>,
}

impl Default for Figures {
    fn default() -> Self {
        let nothing = Run::default();
        Self { summary: nothing.summary(), total: nothing.total(), verdict: None }
    }
}

/// A trial that was judged by the thresholds.
struct JudgedTrial {
    label: String,
    /// None where a later trial counts in any case.
    figures: Option<Figures>,
    judgements: Vec<Judgement>,
}

impl JudgedTrial {
    /// Its judgements, each with the label of the trial.
    fn labelled(&self) -> impl Iterator<Item = Judgement> {
        self.judgements.iter().cloned().map(|judgement| {
            let rule = format!("{}: {}", self.label, judgement.rule);
            Judgement { rule, ..judgement }
        })
    }
}

/// Trials with their judgements. Figures are kept only of those that can still be the last that
/// counts.
struct JudgedTrials {
    counting: Counting,
    trials: Vec<JudgedTrial>,
    /// Trials of which it is decided that they count.
    settled: usize,
}

impl JudgedTrials {
    fn new(counting: Counting) -> Self {
        Self { counting, trials: Vec::new(), settled: 0 }
    }

    fn add(&mut self, trial: JudgedTrial) {
        let first = self.trials.len().saturating_sub(MOST_FIGURES - 1).max(self.settled);
        for (place, earlier) in self.trials.iter_mut().enumerate() {
            let is_last_settled = place + 1 == self.settled;
            let is_open = place >= first && earlier.label != trial.label;
            if self.counting == Counting::All || !(is_last_settled || is_open) {
                earlier.figures = None;
            }
        }
        self.trials.push(trial);
    }

    fn settle(&mut self, labels: &[String]) {
        let mut since = self.trials.split_off(self.settled);
        for label in labels {
            let last = since.iter().rposition(|trial| trial.label == *label);
            self.trials.extend(last.map(|place| since.remove(place)));
        }
        self.settled = self.trials.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(label: &str) -> JudgedTrial {
        JudgedTrial { label: label.to_owned(), figures: Some(Figures::default()), judgements: Vec::new() }
    }

    fn with_figures(trials: &JudgedTrials) -> Vec<&str> {
        let with = trials.trials.iter().filter(|trial| trial.figures.is_some());
        with.map(|trial| trial.label.as_str()).collect()
    }

    #[test]
    fn only_the_last_trial_keeps_its_figures_where_all_count() {
        let mut trials = JudgedTrials::new(Counting::All);
        for label in ["users 1", "users 2", "users 3"] {
            trials.add(trial(label));
        }
        assert_eq!((with_figures(&trials), trials.trials.len()), (vec!["users 3"], 3));
    }

    #[test]
    fn figures_are_kept_until_it_is_decided_which_trial_counts() {
        let mut trials = JudgedTrials::new(Counting::Settled);
        for label in ["rate 1", "rate 4", "rate 2", "rate 4"] {
            trials.add(trial(label));
        }
        assert_eq!(
            with_figures(&trials),
            ["rate 1", "rate 2", "rate 4"],
            "the earlier one of a load is dropped"
        );
        trials.settle(&["rate 2".to_owned()]);
        assert_eq!(with_figures(&trials), ["rate 2"]);
        (0..2 * MOST_FIGURES).for_each(|load| trials.add(trial(&format!("rate {load}"))));
        assert_eq!(with_figures(&trials).len(), MOST_FIGURES + 1, "and the settled one");
        trials.settle(&[]);
        assert_eq!(with_figures(&trials), ["rate 2"], "no later trial counts");
    }
}
