//! Takes each second of a trial, on a thread of its own: into the folder of the run, and to the thresholds.

use std::io;
use std::sync::mpsc::Sender;
use std::thread::{Builder, JoinHandle};

use swell_engine::Phase;
use swell_results::run_folder::{Event as JournalEvent, Journal, Recorder};
use swell_run::{Second, Subscription, TrialControl};
use swell_stats::threshold::{Judge, Judgement};

use super::event::Event;

/// What takes the seconds of a run.
#[derive(Default)]
pub(crate) struct Recording {
    /// The folder; none where nothing is kept.
    pub(crate) recorder: Option<Recorder>,
    /// The thresholds; none where there are no rules.
    pub(crate) judge: Option<Judge>,
}

impl Recording {
    /// Whether somebody wants the seconds.
    pub(crate) fn is_wanted(&self) -> bool {
        self.recorder.is_some() || self.judge.is_some()
    }

    /// Where events of the run go.
    pub(crate) fn journal(&self) -> Journal {
        self.recorder.as_ref().map_or_else(Journal::nowhere, |recorder| recorder.journal().clone())
    }

    /// What became of the thresholds.
    pub(crate) fn judgements(&self) -> Vec<Judgement> {
        self.judge.as_ref().map(Judge::finish).unwrap_or_default()
    }

    /// Takes the seconds on a thread of its own until the trial is over; what is to be said goes to `say`.
    pub(crate) fn start(
        mut self,
        seconds: Subscription,
        control: TrialControl,
        say: Sender<Event>,
    ) -> io::Result<JoinHandle<Self>> {
        Builder::new().name("swell-recorder".to_owned()).spawn(move || {
            let mut background = swell_net::Background::enter();
            let mut phase = None;
            for second in seconds {
                self.note_phase(&second, &mut phase);
                self.take(&second, &control, &say);
                background.rest();
            }
            self
        })
    }

    fn take(&mut self, second: &Second, control: &TrialControl, say: &Sender<Event>) {
        let interval = second.interval();
        // The watch is gone only if it has seen the end.
        let tell = |text: String| drop(say.send(Event::Say(text)));
        if let Some(recorder) = &mut self.recorder {
            let had_failed = recorder.failure().is_some();
            recorder.record(&interval);
            if let Some(fine) = &second.fine {
                recorder.record_fine(fine);
            }
            if let Some(why) = recorder.failure().filter(|_| !had_failed) {
                let folder = recorder.path().display();
                tell(format!(
                    "cannot write the folder of the run `{folder}` any more: {why}; the test goes on"
                ));
            }
        }
        let broken = self.judge.as_mut().map(|judge| judge.take(&interval)).unwrap_or_default();
        if let Some((judge, fine)) = self.judge.as_mut().zip(second.fine.as_ref()) {
            judge.refine(fine);
        }
        for rule in broken {
            // Told before it is done: who is told hears of nothing after the end.
            tell(format!(
                "Threshold broken: {rule}. No new samples are started; waiting for running samples."
            ));
            let event = JournalEvent::now("threshold", format!("broken: {rule}")).by("threshold");
            self.journal().write(&event.with("rule", rule.as_str()));
            control.stop();
        }
    }

    fn note_phase(&self, second: &Second, known: &mut Option<Phase>) {
        let Some(status) = &second.status else { return };
        if status.phase == *known || status.phase.is_none() {
            return;
        }
        *known = status.phase;
        let name = match status.phase {
            Some(Phase::SetUp) => "set-up",
            Some(Phase::TearDown) => "tear-down",
            Some(Phase::Main) | None => "main",
        };
        let groups = status.groups.iter().filter(|group| Some(group.phase) == status.phase);
        let groups: Vec<_> = groups.map(|group| group.name.clone()).collect();
        self.journal().write(
            &JournalEvent::now("phase", format!("{name} begins")).with("phase", name).with("groups", groups),
        );
    }
}
