//! State of the live page, and notification of its readers.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;

use serde_json::{Value, json};
use swell_debug::{FailureLink, KeptFailures};
use swell_net::now_ns;
use swell_report::page::{About, Ending, Event, KeptFailure, RunPage};
use swell_run::{Second, TrialControl, evidence_so_far};
use swell_stats::LabelStats;
use swell_stats::verdict::Verdict;

use crate::study::StudyProgress;
use crate::{OnEvent, ShownRun};

/// Events that are kept for readers who reconnect: ten minutes of seconds.
const KEPT: usize = 600;

/// A verdict is not shown as one before a trial has lasted so long.
const SETTLED_MS: u64 = 10_000;

/// An event for all readers.
#[derive(Clone)]
pub(crate) struct PageEvent {
    pub(crate) id: u64,
    /// A complete event of a stream.
    pub(crate) text: Rc<str>,
}

/// State of the page.
pub(crate) struct LiveState {
    pub(crate) page: RunPage,
    pub(crate) control: Option<TrialControl>,
    verdict: Option<Verdict>,
    /// What the verdict would be if the run ended now; none before the first sample.
    so_far: Option<Verdict>,
    /// All samples together.
    total: LabelStats,
    /// Milliseconds of the trial so far.
    counted_ms: u64,
    on_event: OnEvent,
    /// Failures that the trial keeps.
    pub(crate) failures: Option<Arc<KeptFailures>>,
    news: VecDeque<PageEvent>,
    last_id: u64,
    waiting: Vec<Waker>,
    /// The trials of the study, if this is the page of one.
    study: Option<StudyProgress>,
    is_paused: bool,
    /// There will be no more events.
    pub(crate) is_over: bool,
    /// Incremented by each change of the load.
    pub(crate) revision: u64,
    samples: u64,
    errors: u64,
}

impl Default for LiveState {
    /// A page without a trial.
    fn default() -> Self {
        Self {
            page: RunPage::new(About::default()).followed(),
            control: None,
            verdict: None,
            so_far: None,
            total: LabelStats::default(),
            counted_ms: 0,
            on_event: Box::new(|_, _| {}),
            failures: None,
            news: VecDeque::new(),
            last_id: 0,
            waiting: Vec::new(),
            study: None,
            is_paused: false,
            is_over: false,
            revision: 0,
            samples: 0,
            errors: 0,
        }
    }
}

impl LiveState {
    /// Shows a trial that is about to start. Readers of the one before it, in a study, ask for
    /// everything again.
    pub(crate) fn begin(&mut self, shown: ShownRun) {
        let ShownRun { about, judge, on_event, failures } = shown;
        let known = std::mem::take(self);
        *self = Self {
            page: RunPage::new(about).judged_by(judge).followed(),
            on_event,
            failures,
            news: known.news,
            last_id: known.last_id,
            waiting: known.waiting,
            study: known.study,
            revision: known.revision,
            ..Self::default()
        };
        self.replace_all();
    }

    /// Shows the trials of the study so far.
    pub(crate) fn show_study(&mut self, study: StudyProgress) {
        self.study = Some(study);
        self.replace_all();
    }

    /// In a study, readers ask for everything again.
    fn replace_all(&mut self) {
        if self.study.is_some() {
            self.tell("reset", &json!({}));
        }
    }

    /// Adds seconds of the trial, in their order.
    pub(crate) fn seconds(&mut self, seconds: &[Arc<Second>]) {
        for (place, second) in (1..).zip(seconds) {
            self.add(second);
            // Readers of a late thread see only the verdict of the last second.
            if place == seconds.len() {
                let evidence = evidence_so_far(&self.page.run().snapshot, &self.total, &second.resources);
                self.so_far = (self.total.samples > 0).then(|| swell_stats::verdict(&evidence));
            }
            if let Some(tick) = self.page.tick() {
                let mut value = serde_json::to_value(&tick).unwrap_or_default();
                value["status"] = self.status();
                self.tell("tick", &value);
            }
        }
    }

    fn add(&mut self, second: &Second) {
        let interval = second.interval();
        self.is_paused = interval.is_paused;
        (self.samples, self.errors) = (second.samples, second.errors);
        if let Some(kept) = &self.failures {
            self.page.link_failures(links(kept));
        }
        self.page.add(&interval);
        if let Some(fine) = &second.fine {
            self.page.refine(fine);
        }
        self.total.merge(&second.total);
        self.counted_ms += interval.length_ms;
    }

    /// Records a change of the run that was made on this page.
    pub(crate) fn event(&mut self, kind: &str, who: &str, what: String) {
        let event = Event { at_ms: now_ns().div_euclid(1_000_000), who: who.to_owned(), what };
        (self.on_event)(kind, &event);
        self.show(event);
    }

    /// Records a change of the run that was made elsewhere.
    pub(crate) fn event_elsewhere(&mut self, who: &str, what: String) {
        self.show(Event { at_ms: now_ns().div_euclid(1_000_000), who: who.to_owned(), what });
    }

    fn show(&mut self, event: Event) {
        self.revision += 1;
        self.tell("journal", &json!(event));
        self.page.event(event);
    }

    /// Records the end of a trial.
    pub(crate) fn end_trial(&mut self, verdict: Option<Verdict>, ending: Ending) {
        self.page.end(ending);
        self.verdict = verdict;
        self.replace_all();
    }

    /// Records the end of the last trial.
    pub(crate) fn end(&mut self) {
        self.is_over = true;
        // With all data, because the server stops now.
        let whole = self.snapshot();
        self.tell("end", &whole);
    }

    /// The page as it is now, with the id of the last event that it includes.
    pub(crate) fn snapshot(&self) -> Value {
        let document = self.page.document(self.verdict.as_ref(), !self.is_over);
        let mut value = serde_json::to_value(document).unwrap_or_default();
        value["last_id"] = self.last_id.into();
        value["status"] = self.status();
        value["study"] = json!(self.study);
        value
    }

    /// Status of the run, for programs and for the controls of the page.
    pub(crate) fn status(&self) -> Value {
        let status = self.control.as_ref().and_then(TrialControl::status);
        let groups = status.iter().flat_map(|status| &status.groups).enumerate().map(|(place, group)| {
            json!({
                "place": place,
                "name": group.name,
                "active": group.active,
                "planned": group.planned,
                "wanted_users": group.wanted_users,
                "wanted_per_s": group.wanted_per_second,
            })
        });
        json!({
            "revision": self.revision,
            "phase": status.as_ref().and_then(|status| status.phase).map(|phase| format!("{phase:?}").to_lowercase()),
            "is_paused": self.is_paused,
            "is_over": self.is_over,
            "users": status.as_ref().map(|status| status.active),
            "samples": self.samples,
            "errors": self.errors,
            "trial": self.study.as_ref().and_then(|study| study.running.as_ref()),
            "groups": groups.collect::<Vec<_>>(),
            "verdict_so_far": self.so_far.as_ref().map(|verdict| {
                json!({
                    "grade": verdict.grade.to_string(),
                    "measurement": verdict.grade.measurement(),
                    "is_settled": self.is_settled(),
                    "reasons": swell_report::reasons(verdict),
                })
            }),
        })
    }

    /// There are enough samples and seconds to judge by: the first seconds of a run are unlike the
    /// rest, and gates are about 99th percentiles.
    fn is_settled(&self) -> bool {
        self.counted_ms >= SETTLED_MS && swell_stats::supports(self.total.samples, 0.99)
    }

    fn tell(&mut self, kind: &str, value: &Value) {
        self.last_id += 1;
        let text = format!("id: {}\nevent: {kind}\ndata: {value}\n\n", self.last_id);
        self.news.push_back(PageEvent { id: self.last_id, text: text.into() });
        if self.news.len() > KEPT {
            self.news.pop_front();
        }
        self.waiting.drain(..).for_each(Waker::wake);
    }

    /// Events after that id; none if the id is unknown or no longer kept.
    pub(crate) fn since(&self, id: u64) -> Option<Vec<PageEvent>> {
        let first = self.news.front().map_or(self.last_id + 1, |news| news.id);
        (id + 1 >= first && id <= self.last_id)
            .then(|| self.news.iter().filter(|news| news.id > id).cloned().collect())
    }

    /// The id of the last event.
    pub(crate) fn last_id(&self) -> u64 {
        self.last_id
    }

    /// Wakes when there are new events.
    pub(crate) fn wait(&mut self, waker: &Waker) {
        if !self.waiting.iter().any(|known| known.will_wake(waker)) {
            self.waiting.push(waker.clone());
        }
    }
}

/// The failures that are kept so far, as links to the page that is served.
fn links(kept: &KeptFailures) -> Vec<KeptFailure> {
    let address = |step: u32| format!("failures#step={step}");
    let links = kept.links().into_iter();
    links
        .map(|FailureLink { label, code, step }| KeptFailure { label, code, address: address(step) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_back_gets_what_was_missed_or_is_told_to_begin_anew() {
        let mut live = LiveState::default();
        assert_eq!(live.since(0).map(|news| news.len()), Some(0));
        (0..KEPT + 5).for_each(|number| live.event("load", "page", format!("change {number}")));
        let ids = |id| live.since(id).map(|news| news.iter().map(|news| news.id).collect::<Vec<_>>());
        assert_eq!(ids(603), Some(vec![604, 605]));
        assert_eq!(ids(5).map(|ids| ids.len()), Some(KEPT));
        assert_eq!((ids(4), ids(606)), (None, None), "too old, and never told");
        let last = live.since(604).expect("kept");
        assert!(
            last[0].text.starts_with("id: 605\nevent: journal\ndata: {") && last[0].text.ends_with("}\n\n")
        );
        assert_eq!(live.revision, 605);
    }

    #[test]
    fn the_state_has_the_verdict_so_far() {
        let mut live = LiveState::default();
        assert_eq!(live.status()["verdict_so_far"], Value::Null, "before the first sample");
        let mut recorder = swell_stats::Recorder::default();
        for _ in 0..2000 {
            recorder.record(&swell_stats::Observation {
                label: "a",
                elapsed_ns: 1_000_000,
                start_delay_ns: Some(900_000_000),
                ..swell_stats::Observation::default()
            });
        }
        live.seconds(&[Arc::new(Second::of(0, 1_000_000_000, recorder.take_interval()))]);
        assert_eq!(live.status()["verdict_so_far"]["is_settled"], false, "a second is too short");
        let seconds = (1..10).map(|at_s| {
            let [from_ns, at_ns] = [at_s, at_s + 1].map(|at_s| at_s * 1_000_000_000);
            Arc::new(Second::of(from_ns, at_ns, recorder.take_interval()))
        });
        live.seconds(&seconds.collect::<Vec<_>>());
        assert_eq!(live.last_id(), 10, "each second is a tick, also of a thread that is late");
        let told = &live.snapshot()["status"]["verdict_so_far"];
        assert_eq!((&told["is_settled"], &told["measurement"]), (&json!(true), &json!("unusable")));
        assert_eq!(told["grade"], "INVALID", "{told}");
        assert!(told["reasons"][0].as_str().is_some_and(|reason| reason.contains("late starts")), "{told}");
    }

    #[test]
    fn the_end_says_that_the_memory_of_the_tool_grew() {
        let mut live = LiveState::default();
        let mut own = swell_stats::OwnGrowth::default();
        for second in 0..7200 {
            own.look(
                1,
                swell_stats::OwnUse { memory_bytes: Some((200 << 20) + second * 65_536), descriptors: None },
            );
        }
        assert_eq!(live.snapshot()["notes"], json!([]));
        live.end_trial(None, Ending { own, ..Ending::default() });
        live.end();
        let notes = &live.snapshot()["notes"];
        assert!(
            notes[0].as_str().is_some_and(|note| note.contains("the tool's own memory rises by 225.0 MiB")),
            "{notes}"
        );
    }
}
