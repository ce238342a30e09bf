//! Observes the trials of a study: each is a run with thresholds, exports, a live page and a folder.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use swell_plan::Plan;
use swell_report::page::About;
use swell_report::thresholds;
use swell_run::{Starter, Trial, TrialReport};
use swell_session::runs::KeepOptions;
use swell_session::{
    Event, Observed, Paths, Session, SessionOptions, Subject, about_of_properties, machine, write_gitlab,
    write_junit,
};
use swell_stats::threshold::Judgement;
use swell_stats::verdict::Verdict;
use swell_stats::{LabelStats, Summary};

use crate::args::ObserveArgs;
use crate::exit::{Exit, Failure};
use crate::print::{page as print_page, print_stderr};

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
    /// Set when a signal wants the end.
    pub(crate) interrupted: Arc<AtomicBool>,
}

/// A trial that is about to start.
pub(crate) struct TrialFacts<'a> {
    pub(crate) file: Option<&'a Path>,
    pub(crate) plan: &'a Plan,
    /// Its load and settings.
    pub(crate) label: String,
}

/// The trials of a study.
pub(crate) struct ObservedTrials {
    kind: &'static str,
    subject: String,
    options: SessionOptions,
    json: bool,
    /// Trials so far.
    count: usize,
    /// The label of the last trial.
    label: String,
    session: Option<Session>,
    running: Arc<Mutex<Option<Observed>>>,
    judged: Vec<JudgedTrial>,
    /// Trials of which it is decided whether they count.
    settled: usize,
}

/// A trial that was judged by the thresholds.
struct JudgedTrial {
    label: String,
    summary: Summary,
    total: LabelStats,
    verdict: Option<Verdict>,
    judgements: Vec<Judgement>,
}

impl ObservedTrials {
    /// Checks the files that the study writes.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub(crate) fn begin(study: &StudyOptions<'_>) -> Result<Self, Failure> {
        let paths = study.observe.paths(Paths::default());
        paths.check_overlaps()?;
        paths.check_places(study.force)?;
        let mut options = study.observe.options(false, study.json);
        // A broken threshold is a result of a study, not its end.
        options.thresholds.never_stops = true;
        options.is_for_github = false;
        options.force = study.force;
        options.interrupted = study.interrupted.clone();
        Ok(Self {
            kind: study.kind,
            subject: study.subject.to_owned(),
            options,
            json: study.json,
            count: 0,
            label: String::new(),
            session: None,
            running: Arc::default(),
            judged: Vec::new(),
            settled: 0,
        })
    }

    /// Puts observers around a trial that is ready.
    ///
    /// # Errors
    /// An option cannot be used, or the folder of the trial cannot be made.
    pub(crate) fn observe(&mut self, trial: &Trial, facts: TrialFacts<'_>) -> Result<(), Failure> {
        self.count += 1;
        let options = SessionOptions { junit: None, gitlab: None, keep: self.keep(), ..self.options.clone() };
        let about = About {
            title: format!("swell {} {}: {}", self.kind, self.subject, facts.label),
            facts: vec![("Trial".to_owned(), format!("{}: {}", self.count, facts.label)), machine()],
            ..about_of_properties(trial.props())
        };
        let subject = Subject {
            kind: self.kind,
            file: facts.file,
            trial: Some(self.count),
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
        self.label = facts.label;
        Ok(())
    }

    /// Each trial has its own folder.
    fn keep(&self) -> KeepOptions {
        let keep = &self.options.keep;
        let number = self.count;
        KeepOptions {
            folder: keep.folder.as_ref().map(|folder| folder.join(format!("trial-{number}"))),
            name: keep.name.as_ref().map(|name| format!("{name}-trial-{number}")),
            by_default: false,
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
        let observed = self.running.lock().take();
        let Some(observed) = observed else { return Ok(report) };
        let interrupted = self.options.interrupted.load(Ordering::Relaxed);
        let ended = observed.end(report, interrupted);
        if let Some(problem) = ended.problems.into_iter().next() {
            return Err(problem.into());
        }
        self.judged.push(JudgedTrial {
            label: self.label.clone(),
            summary: ended.report.summary.clone(),
            total: ended.report.run.total(),
            verdict: ended.report.verdict.clone(),
            judgements: ended.judgements,
        });
        Ok(ended.report)
    }

    /// Drops trials since the last call, except the last one of each of these labels.
    pub(crate) fn settle(&mut self, labels: &[String]) {
        let mut since = self.judged.split_off(self.settled);
        for label in labels {
            let last = since.iter().rposition(|trial| trial.label == *label);
            self.judged.extend(last.map(|place| since.remove(place)));
        }
        self.settled = self.judged.len();
    }

    /// Shows and writes the results of the thresholds. `exit` is the status of the study without them.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn end(&self, exit: Exit) -> Result<Exit, Failure> {
        let judgements: Vec<_> = self.judged.iter().flat_map(JudgedTrial::labelled).collect();
        if !self.json {
            print_page(&thresholds::text(&judgements))?;
        }
        self.write_for_pipelines(&judgements)?;
        let is_broken = judgements.iter().any(|judgement| !judgement.passed);
        Ok(if exit == Exit::Fine && is_broken { Exit::ThresholdBroken } else { exit })
    }

    /// The figures in these files are those of the last trial that counts.
    fn write_for_pipelines(&self, judgements: &[Judgement]) -> Result<(), Failure> {
        let empty = swell_stats::Run::default();
        let last = self.judged.last();
        let summary = last.map_or_else(|| empty.summary(), |trial| trial.summary.clone());
        if let Some(path) = &self.options.junit {
            let verdict = last.and_then(|trial| trial.verdict.as_ref());
            write_junit(path, &format!("swell {}", self.kind), &summary, verdict, judgements)?;
        }
        if let Some(path) = &self.options.gitlab {
            let total = last.map_or_else(|| empty.total(), |trial| trial.total.clone());
            write_gitlab(path, &summary, &total)?;
        }
        Ok(())
    }
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
