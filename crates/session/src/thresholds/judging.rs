//! Judges the thresholds second by second, and stops the run when a rule that aborts is broken.

use swell_results::run_folder::JournalEvent;
use swell_stats::threshold::Judge;

use crate::observer::{Event, Observer, RunHandle, Second};
use crate::{Ended, Problem};

/// The thresholds of a run.
pub(crate) struct Thresholds {
    judge: Judge,
    never_stops: bool,
    run: Option<RunHandle>,
}

impl Thresholds {
    /// Nothing if there are no rules.
    pub(crate) fn new(judge: Judge, never_stops: bool) -> Option<Self> {
        (!judge.is_empty()).then_some(Self { judge, never_stops, run: None })
    }
}

impl Observer for Thresholds {
    fn begin(&mut self, run: &RunHandle) {
        self.run = Some(run.clone());
    }

    fn second(&mut self, second: &Second) {
        let broken = self.judge.take(second.interval());
        if let Some(fine) = &second.fine {
            self.judge.refine(fine);
        }
        for rule in broken {
            let Some(run) = self.run.as_ref().filter(|_| !self.never_stops) else { continue };
            // Shown before it is done: nothing is shown after the end.
            run.say(format!(
                "Threshold failed: {rule}. No new samples are started; waiting for running samples."
            ));
            let event = JournalEvent::now("threshold", format!("broken: {rule}")).by("threshold");
            run.emit(Event::Happened(event.with("rule", rule.as_str())));
            run.control().stop();
        }
    }

    fn end(&mut self, ended: &mut Ended) -> Vec<Problem> {
        ended.judgements = self.judge.finish();
        Vec::new()
    }
}
