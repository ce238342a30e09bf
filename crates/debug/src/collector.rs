//! Receives the events of a run and hands them on.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use swell_trace::{
    BODY_BYTES, Content, ElementRef, End, EndReason, Event, Line, Outcome, Sample, Start, Step, TraceSink,
};

use crate::differ;
use crate::hints;
use crate::history::History;
use crate::nearby;
use crate::never_ran::{self, PlannedStep};

/// Bytes of all bodies together that are kept.
const TOTAL_BYTES: u64 = 256 << 20;

/// How a run is traced.
#[derive(Clone, Debug)]
pub struct CollectorSettings {
    /// Bytes of one body that are kept.
    pub body_bytes: usize,
    /// Bytes of all bodies together that are kept.
    pub total_bytes: u64,
    /// Samples wait for their timers.
    pub keeps_timers: bool,
    /// The run stops after the first sample with this label.
    pub until: Option<String>,
}

impl Default for CollectorSettings {
    /// To the end of the plan without waiting, with as much as a page can show.
    fn default() -> Self {
        Self { body_bytes: BODY_BYTES, total_bytes: TOTAL_BYTES, keeps_timers: false, until: None }
    }
}

/// Receives events in their order, whole and with hints.
pub trait Output: Send {
    /// Takes an event.
    fn line(&mut self, line: &Line<'_>);
}

type Stop = Box<dyn Fn() + Send>;

/// Receives the events of a run.
pub struct Collector {
    settings: CollectorSettings,
    next_step: AtomicU32,
    state: Mutex<State>,
}

struct State {
    outputs: Vec<Box<dyn Output>>,
    number: u64,
    history: History,
    kept_bytes: u64,
    left_out_bytes: u64,
    steps: u32,
    samples: u32,
    failed: u32,
    planned: Vec<PlannedStep>,
    stop: Option<Stop>,
    reached: bool,
    ended: bool,
}

impl Collector {
    /// One that hands events to these outputs.
    pub fn new(settings: CollectorSettings, outputs: Vec<Box<dyn Output>>) -> Self {
        let state = State {
            outputs,
            number: 0,
            history: History::default(),
            kept_bytes: 0,
            left_out_bytes: 0,
            steps: 0,
            samples: 0,
            failed: 0,
            planned: Vec::new(),
            stop: None,
            reached: false,
            ended: false,
        };
        Self { settings, next_step: AtomicU32::new(1), state: Mutex::new(state) }
    }

    /// The trace begins. `planned`: the samplers of the plan.
    /// `setters`: variables that elements of the plan set.
    pub fn start(&self, start: Start, planned: Vec<PlannedStep>, setters: Vec<(String, ElementRef)>) {
        let mut state = self.state.lock();
        state.planned = planned;
        state.history.setters = setters;
        state.emit(&Event::Start(start));
    }

    /// How the run is stopped when the wanted sample is there.
    pub fn stop_with(&self, stop: impl Fn() + Send + 'static) {
        let mut state = self.state.lock();
        if state.reached {
            stop();
        }
        state.stop = Some(Box::new(stop));
    }

    /// The trace ends. `is_interrupted`: a signal ended it; `is_stopped`: the plan did.
    pub fn end(&self, is_interrupted: bool, is_stopped: bool) -> End {
        let mut state = self.state.lock();
        let reason = match (state.reached, is_interrupted, is_stopped) {
            (true, _, _) => EndReason::Until,
            (_, true, _) => EndReason::Interrupted,
            (_, _, true) => EndReason::Stopped,
            _ => EndReason::Finished,
        };
        let end = End {
            reason,
            steps: state.steps,
            samples: state.samples,
            failed: state.failed,
            never_ran: never_ran::never_ran(&state.planned, &state.history, reason),
            hints: hints::of_run(&state.history),
            left_out_bytes: state.left_out_bytes,
        };
        state.emit(&Event::End(end.clone()));
        state.ended = true;
        end
    }
}

impl TraceSink for Collector {
    fn event(&self, event: Event) {
        let mut state = self.state.lock();
        if state.ended {
            // What a user that does not end does now is not waited for.
            return;
        }
        let event = match event {
            Event::Step(step) => Event::Step(Box::new(state.step(*step, &self.settings))),
            Event::Decision(decision) => {
                state.history.decided(&decision);
                Event::Decision(decision)
            }
            Event::Data(data) => {
                state.history.data_read(&data);
                Event::Data(data)
            }
            Event::Transaction(mut transaction) => {
                state.bound(&mut transaction.sample, self.settings.total_bytes);
                Event::Transaction(transaction)
            }
            other => other,
        };
        state.emit(&event);
    }

    fn next_step(&self) -> u32 {
        self.next_step.fetch_add(1, Ordering::Relaxed)
    }

    fn body_bytes(&self) -> usize {
        self.settings.body_bytes
    }

    fn keeps_timers(&self) -> bool {
        self.settings.keeps_timers
    }
}

impl State {
    fn emit(&mut self, event: &Event) {
        self.number += 1;
        let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64);
        let line = Line { seq: self.number, at_ms, event };
        for output in &mut self.outputs {
            output.line(&line);
        }
    }

    /// Completes a step.
    fn step(&mut self, mut step: Step, settings: &CollectorSettings) -> Step {
        self.steps += 1;
        self.samples += u32::from(step.sample.is_some());
        self.failed += u32::from(step.outcome == Outcome::Failed);
        differ::note(&mut step);
        nearby::note(&mut step);
        if step.reason.is_empty() {
            step.reason = reason(&step);
        }
        step.hints = hints::of_step(&step, &self.history);
        self.history.step(&step);
        if let Some(sample) = &mut step.sample {
            self.bound(sample, settings.total_bytes);
        }
        if !self.reached && settings.until.as_ref().is_some_and(|label| *label == step.label) {
            self.reached = true;
            if let Some(stop) = &self.stop {
                stop();
            }
        }
        step
    }

    /// Leaves out bodies once all together are too large.
    fn bound(&mut self, sample: &mut Sample, total_bytes: u64) {
        let mut keep = |content: &mut Content| {
            let bytes = content.bytes.len() as u64;
            if self.kept_bytes + bytes > total_bytes {
                self.left_out_bytes += bytes;
                content.bytes = Vec::new();
            } else {
                self.kept_bytes += bytes;
            }
        };
        keep(&mut sample.body);
        for exchange in &mut sample.exchanges {
            if let Some(request) = &mut exchange.request {
                keep(&mut request.body);
            }
        }
        for child in &mut sample.children {
            self.bound(child, total_bytes);
        }
    }
}

/// Why a step did not pass.
pub(crate) fn reason(step: &Step) -> String {
    if step.outcome != Outcome::Failed {
        return String::new();
    }
    let failed =
        step.actions.iter().flat_map(|action| action.checks.iter().map(move |check| (action, check)));
    if let Some((action, check)) = failed.into_iter().find(|(_, check)| !check.passed) {
        let message = check.message.as_deref().unwrap_or("it failed").trim();
        let first = message.lines().next().unwrap_or_default();
        return format!("assertion `{}`: {first}", action.element.name);
    }
    let sample = step.sample.as_ref();
    sample.map(|sample| format!("{} {}", sample.code, sample.message).trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use swell_trace::Exchange;

    use super::*;

    /// Keeps the lengths of the bodies of each step, and what was left out.
    #[derive(Clone, Default)]
    struct Seen(Arc<Mutex<Vec<(usize, u64)>>>);

    impl Output for Seen {
        fn line(&mut self, line: &Line<'_>) {
            if let Event::Step(step) = line.event
                && let Some(sample) = &step.sample
            {
                self.0.lock().push((sample.body.bytes.len(), sample.body.size));
            }
        }
    }

    fn step(body_bytes: usize, sent_bytes: usize) -> Event {
        let content = |length: usize| Content { bytes: vec![b'x'; length], size: length as u64 };
        let request = swell_trace::Request { body: content(sent_bytes), ..swell_trace::Request::default() };
        let exchange = Exchange { request: Some(request), ..Exchange::default() };
        let sample = Sample { body: content(body_bytes), exchanges: vec![exchange], ..Sample::default() };
        Event::Step(Box::new(Step { sample: Some(sample), ..Step::default() }))
    }

    #[test]
    fn bodies_are_left_out_once_all_together_are_too_large() {
        let seen = Seen::default();
        let settings = CollectorSettings { total_bytes: 100, ..CollectorSettings::default() };
        let collector = Collector::new(settings, vec![Box::new(seen.clone())]);
        for (body, sent) in [(60, 0), (30, 20), (10, 0), (1, 0)] {
            collector.event(step(body, sent));
        }
        let end = collector.end(false, false);
        assert_eq!(*seen.0.lock(), [(60, 60), (30, 30), (10, 10), (0, 1)]);
        assert_eq!(end.left_out_bytes, 20 + 1);
    }
}
