//! A trial that a command has watched to its end.

use swell_plan::{Diagnostic, Severity};
use swell_results::export;
use swell_results::run_folder::Recorder;
use swell_run::TrialReport;
use swell_stats::threshold::Judgement;
use swell_stats::verdict::Grade;

use crate::exit::Exit;

/// A trial that is over.
#[derive(Default)]
pub(crate) struct Watched {
    pub(crate) report: TrialReport,
    /// A signal asked for the end.
    pub(crate) interrupted: bool,
    /// What became of the thresholds.
    pub(crate) judgements: Vec<Judgement>,
    /// What became of exports.
    pub(crate) exports: Vec<export::Outcome>,
    /// The folder of the run, not finished yet.
    pub(crate) recorder: Option<Recorder>,
}

impl Watched {
    /// The worst that is to be said about the run; `strict`: how good the tool was counts too.
    pub(crate) fn exit(&self, strict: bool) -> Exit {
        let level = self.report.verdict.as_ref().filter(|_| strict).map(|verdict| verdict.grade);
        match (self.exit_by_events(), level) {
            (Exit::Fine, Some(Grade::Invalid)) => Exit::Invalid,
            (Exit::Fine, Some(Grade::Degraded)) => Exit::Degraded,
            (exit, _) => exit,
        }
    }

    fn exit_by_events(&self) -> Exit {
        let report = &self.report;
        let outcome = report.outcome.as_ref();
        let wrong = |problem: &Diagnostic| problem.severity == Severity::Error;
        if report.broken || outcome.is_some_and(|outcome| outcome.failed_workers > 0) {
            Exit::Broken
        } else if report.refusal().is_some() || report.ended_by.is_some() {
            Exit::EndedByScript
        } else if !report.write_failures.is_empty() {
            Exit::ResultsLost
        } else if self.interrupted {
            Exit::Interrupted
        } else if outcome.is_some_and(|outcome| outcome.problems.iter().any(wrong)) {
            Exit::Settings
        } else if report.summary.is_empty() && outcome.is_some_and(|outcome| outcome.cut > 0) {
            // Requests went out, and none was answered in its time.
            Exit::NothingSucceeded
        } else if report.summary.is_empty() {
            Exit::NothingRan
        } else if swell_report::headline(&report.summary).is_some() {
            // Before any verdict of `--strict`: where nothing succeeded, how well the tool measured decides nothing.
            Exit::NothingSucceeded
        } else if self.judgements.iter().any(|judgement| !judgement.passed) {
            Exit::ThresholdBroken
        } else {
            Exit::Fine
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swell_engine::Outcome;
    use swell_plan::Place;
    use swell_results::WriteFailure;
    use swell_run::TrialReport;
    use swell_stats::verdict::{Evidence, Verdict};
    use swell_stats::{Observation, Recorder, Run, Users};

    fn watched(outcome: Option<Outcome>) -> Watched {
        Watched { report: TrialReport { outcome, ..TrialReport::default() }, ..Watched::default() }
    }

    /// A run with these samples.
    fn measured(successes: &[bool]) -> TrialReport {
        let (mut recorder, mut run) = (Recorder::default(), Run::default());
        for &success in successes {
            recorder.record(&Observation { success, ..Observation::default() });
        }
        run.add(0, &recorder.take_interval(), Users::default());
        let outcome = Some(Outcome::default());
        TrialReport { outcome, summary: run.summary(), run, ..TrialReport::default() }
    }

    #[test]
    fn the_status_says_the_worst() {
        let fine = || watched(Some(Outcome::default()));
        let lost = WriteFailure { path: "x".into(), cause: String::new(), rows_written: 0, rows_lost: 1 };
        let wrong = Diagnostic {
            severity: Severity::Error,
            place: Place::default(),
            message: String::new(),
            hint: None,
        };
        let warned = Outcome {
            problems: vec![Diagnostic { severity: Severity::Warning, ..wrong.clone() }],
            ..Outcome::default()
        };
        let refused = || Outcome { problems: vec![wrong.clone()], ..Outcome::default() };
        let interrupted = |outcome| Watched { interrupted: true, ..watched(outcome) };
        let with_lost = |outcome: Outcome| {
            let mut run = interrupted(Some(outcome));
            run.report.write_failures.push(lost.clone());
            run
        };
        let broken = |outcome| {
            let mut run = watched(outcome);
            run.report.broken = true;
            run
        };
        let exits = |run: Watched, exit| assert_eq!(run.exit(false), exit);
        exits(fine(), Exit::NothingRan);
        exits(watched(Some(warned)), Exit::NothingRan);
        exits(watched(Some(refused())), Exit::Settings);
        exits(interrupted(Some(refused())), Exit::Interrupted);
        exits(interrupted(None), Exit::Interrupted);
        exits(with_lost(refused()), Exit::ResultsLost);
        exits(with_lost(Outcome { failed_workers: 1, ..refused() }), Exit::Broken);
        exits(broken(None), Exit::Broken);
    }

    #[test]
    fn a_strict_run_ends_with_its_verdict_unless_something_worse_happened() {
        let exit = |successes: &[bool], interrupted, level: Option<Grade>| {
            let verdict =
                level.map(|level| Verdict { grade: level, ..swell_stats::verdict(&Evidence::default()) });
            let report = TrialReport { verdict, ..measured(successes) };
            let run = Watched { report, interrupted, ..Watched::default() };
            (run.exit(true) as u8, run.exit(false) as u8)
        };
        let levels = [None, Some(Grade::Valid), Some(Grade::Degraded), Some(Grade::Invalid)];
        let ended = levels.map(|level| exit(&[true], false, level));
        assert_eq!(ended, [(0, 0), (0, 0), (110, 0), (111, 0)]);
        assert_eq!(exit(&[true], true, levels[3]), (105, 105));
        assert_eq!(exit(&[false], false, levels[3]), (98, 98), "nothing succeeded");
        assert_eq!(exit(&[false], true, levels[3]), (105, 105));
    }
}
