//! A run that has finished: what was measured, what its observers left, and why it ended.

use swell_metrics::export;
use swell_plan::{Diagnostic, Severity};
use swell_report::Earlier;
use swell_report::page::RunPage;
use swell_run::TrialReport;
use swell_stats::threshold::Judgement;
use swell_stats::verdict::Grade;

use crate::Problem;
use crate::observer::Say;
use crate::runs::Annotation;

/// A run that has finished.
pub struct Ended {
    /// What was measured.
    pub report: TrialReport,
    /// A signal asked for the end.
    pub interrupted: bool,
    /// The results of the thresholds.
    pub judgements: Vec<Judgement>,
    /// What exports sent and lost.
    pub exports: Vec<export::ExportOutcome>,
    /// The page of the run, where one was made.
    pub page: Option<RunPage>,
    /// What could not be written.
    pub problems: Vec<Problem>,
    /// The verdict on the tool's own accuracy decides how the run ended.
    pub strict: bool,
    /// The name under which the run is kept, or would be.
    pub name: String,
    /// Its tags and its note.
    pub annotation: Annotation,
    /// The run of the same plan before it, where both are kept.
    pub earlier: Option<Earlier>,
    /// Shows a line to the user.
    pub say: Say,
}

/// How a run ended: the worst that can be said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The run came to its end, and a sample succeeded.
    Completed,
    /// Samples were taken, and not one of them succeeded, or none was answered.
    NothingSucceeded,
    /// A threshold was broken.
    ThresholdBroken,
    /// The plan or a setting turned out to be wrong.
    Settings,
    /// A signal ended the run.
    Interrupted,
    /// A script ended the run.
    ByScript,
    /// An internal error: numbers may be incomplete.
    Broken,
    /// The verdict is DEGRADED, and that counts.
    Degraded,
    /// The verdict is INVALID, and that counts.
    Invalid,
    /// Results could not be written whole.
    ResultsLost,
    /// No sample was completed.
    NothingRan,
}

impl Ended {
    /// A trial without observers.
    pub fn of_trial(report: TrialReport, interrupted: bool) -> Self {
        Self {
            report,
            interrupted,
            judgements: Vec::new(),
            exports: Vec::new(),
            page: None,
            problems: Vec::new(),
            strict: false,
            name: String::new(),
            annotation: Annotation::default(),
            earlier: None,
            say: std::sync::Arc::new(|_| {}),
        }
    }

    /// Shows a line to the user.
    pub fn say(&self, line: &str) {
        (self.say)(line);
    }

    /// How the run ended.
    pub fn ending(&self) -> Ending {
        match self.of_run() {
            worse @ (Ending::Broken | Ending::ByScript) => worse,
            _ if !self.problems.is_empty() => Ending::ResultsLost,
            ending => ending,
        }
    }

    /// How the run itself ended, whatever was written of it.
    pub fn of_run(&self) -> Ending {
        let grade = self.report.verdict.as_ref().filter(|_| self.strict).map(|verdict| verdict.grade);
        match (self.by_events(), grade) {
            (Ending::Completed, Some(Grade::Invalid)) => Ending::Invalid,
            (Ending::Completed, Some(Grade::Degraded)) => Ending::Degraded,
            (ending, _) => ending,
        }
    }

    /// The same without the verdict.
    pub(crate) fn by_events(&self) -> Ending {
        let report = &self.report;
        let outcome = report.outcome.as_ref();
        let wrong = |problem: &Diagnostic| problem.severity == Severity::Error;
        if report.broken || outcome.is_some_and(|outcome| outcome.failed_workers > 0) {
            Ending::Broken
        } else if report.refusal().is_some() || report.ended_by.is_some() {
            Ending::ByScript
        } else if !report.write_failures.is_empty() {
            Ending::ResultsLost
        } else if self.interrupted {
            Ending::Interrupted
        } else if outcome.is_some_and(|outcome| outcome.problems.iter().any(wrong)) {
            Ending::Settings
        } else if report.summary.is_empty() && outcome.is_some_and(|outcome| outcome.cut > 0) {
            // Requests went out, and none was answered in its time.
            Ending::NothingSucceeded
        } else if report.summary.is_empty() {
            Ending::NothingRan
        } else if swell_report::total_failure(&report.summary).is_some() {
            // Before any verdict of `--strict`: where nothing succeeded, how well the tool measured
            // decides nothing.
            Ending::NothingSucceeded
        } else if self.judgements.iter().any(|judgement| !judgement.passed) {
            Ending::ThresholdBroken
        } else {
            Ending::Completed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_engine::RunOutcome;
    use swell_plan::Place;
    use swell_results::WriteFailure;
    use swell_run::TrialReport;
    use swell_stats::verdict::{Evidence, Verdict};
    use swell_stats::{Observation, Recorder, Run, Users};

    fn watched(outcome: Option<RunOutcome>) -> Ended {
        Ended::of_trial(TrialReport { outcome, ..TrialReport::default() }, false)
    }

    /// A run with these samples.
    fn measured(successes: &[bool]) -> TrialReport {
        let mut recorder = Recorder::default();
        let mut run = Run::default();
        for &success in successes {
            recorder.record(&Observation { success, ..Observation::default() });
        }
        run.add(0, &recorder.take_interval(), Users::default());
        let outcome = Some(RunOutcome::default());
        TrialReport { outcome, summary: run.summary(), run, ..TrialReport::default() }
    }

    #[test]
    fn the_status_says_the_worst() {
        let fine = || watched(Some(RunOutcome::default()));
        let lost = WriteFailure { path: "x".into(), cause: String::new(), rows_written: 0, rows_lost: 1 };
        let wrong = Diagnostic {
            severity: Severity::Error,
            place: Place::default(),
            message: String::new(),
            hint: None,
        };
        let warned = RunOutcome {
            problems: vec![Diagnostic { severity: Severity::Warning, ..wrong.clone() }],
            ..RunOutcome::default()
        };
        let refused = || RunOutcome { problems: vec![wrong.clone()], ..RunOutcome::default() };
        let interrupted = |outcome| Ended { interrupted: true, ..watched(outcome) };
        let with_lost = |outcome: RunOutcome| {
            let mut run = interrupted(Some(outcome));
            run.report.write_failures.push(lost.clone());
            run
        };
        let broken = |outcome| {
            let mut run = watched(outcome);
            run.report.broken = true;
            run
        };
        let exits = |run: Ended, ending| assert_eq!(run.ending(), ending);
        exits(fine(), Ending::NothingRan);
        exits(watched(Some(warned)), Ending::NothingRan);
        exits(watched(Some(refused())), Ending::Settings);
        exits(interrupted(Some(refused())), Ending::Interrupted);
        exits(interrupted(None), Ending::Interrupted);
        exits(with_lost(refused()), Ending::ResultsLost);
        exits(with_lost(RunOutcome { failed_workers: 1, ..refused() }), Ending::Broken);
        exits(broken(None), Ending::Broken);
    }

    #[test]
    fn a_strict_run_ends_with_its_verdict_unless_something_worse_happened() {
        let ending = |successes: &[bool], interrupted, grade: Option<Grade>| {
            let verdict = grade.map(|grade| Verdict { grade, ..swell_stats::verdict(&Evidence::default()) });
            let report = TrialReport { verdict, ..measured(successes) };
            let run = |strict| {
                let report = TrialReport { verdict: report.verdict.clone(), ..measured(successes) };
                Ended { strict, ..Ended::of_trial(report, interrupted) }.ending()
            };
            (run(true), run(false))
        };
        let grades = [None, Some(Grade::Valid), Some(Grade::Degraded), Some(Grade::Invalid)];
        let fine = Ending::Completed;
        let ended = grades.map(|grade| ending(&[true], false, grade));
        assert_eq!(ended, [(fine, fine), (fine, fine), (Ending::Degraded, fine), (Ending::Invalid, fine)]);
        let both = |ending| (ending, ending);
        assert_eq!(ending(&[true], true, grades[3]), both(Ending::Interrupted));
        assert_eq!(ending(&[false], false, grades[3]), both(Ending::NothingSucceeded));
        assert_eq!(ending(&[false], true, grades[3]), both(Ending::Interrupted));
    }

    #[test]
    fn a_file_that_could_not_be_written_outweighs_how_the_run_ended() {
        let mut run = Ended::of_trial(measured(&[true]), true);
        assert_eq!(run.ending(), Ending::Interrupted);
        run.problems.push(Problem::output("the disk is full"));
        assert_eq!((run.ending(), run.of_run()), (Ending::ResultsLost, Ending::Interrupted));
    }
}
