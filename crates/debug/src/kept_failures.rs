//! The first failures of a load run, each with the steps of its iteration before it.

mod of_agents;

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::Mutex;
use serde_json::Value;
use swell_trace::{Event, Iteration, Line, LogLine, Outcome, RecentLimits, RecentPool, Start, Step};

use crate::collector::reason;
use crate::differ;
use crate::hints;
use crate::json_lines::json_line;
use crate::never_ran::PlannedStep;

/// Causes that are kept, at most: a label with a response code is one.
const CAUSES: usize = 200;
/// Bytes of the events of all failures.
const TOTAL_BYTES: usize = 16 << 20;
/// Bytes of one body.
const BODY_BYTES: usize = 64 << 10;
/// Bytes of heads of one user, and with bodies.
const USER_BYTES: [usize; 2] = [64 << 10, 1 << 20];

/// A failure of a load run.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// Name of the virtual user.
    pub user: String,
    /// Name of its thread group.
    pub group: String,
    /// Iteration of the thread group.
    pub iteration: u64,
    /// The steps of the iteration; the last one failed.
    pub steps: Vec<Step>,
    /// Steps of the iteration before those.
    pub left_out: usize,
    /// The steps before were recorded.
    pub is_whole: bool,
}

/// Where a kept failure is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureLink {
    /// Label of the sample.
    pub label: String,
    /// Its response code.
    pub code: String,
    /// Number of the step.
    pub step: u32,
}

/// The first failures of a load run. Workers add to it; a run folder and pages read it.
pub struct KeptFailures {
    /// Failures of each label and response code.
    most: usize,
    keeps_bodies: bool,
    pool: Arc<RecentPool>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    start: Start,
    planned: Vec<PlannedStep>,
    lines: Vec<String>,
    /// The first line of each failure.
    begins: Vec<usize>,
    bytes: usize,
    next_step: u32,
    causes: HashMap<(String, String), Cause>,
    links: Vec<FailureLink>,
    /// Failures of agents that were too large to be sent.
    too_large: usize,
    is_full: bool,
}

#[derive(Default)]
struct Cause {
    whole: usize,
    alone: usize,
}

impl KeptFailures {
    /// Keeps the first `most` failures of each label and response code.
    pub fn new(most: usize, keeps_bodies: bool) -> Self {
        let limits = RecentLimits {
            body_bytes: keeps_bodies.then_some(BODY_BYTES),
            user_bytes: USER_BYTES[usize::from(keeps_bodies)],
        };
        let pool = Arc::new(RecentPool::new(limits));
        Self { most, keeps_bodies, pool, state: Mutex::default() }
    }

    /// Where users record what they do.
    pub fn pool(&self) -> &Arc<RecentPool> {
        &self.pool
    }

    /// Whether bodies are wanted.
    pub fn keeps_bodies(&self) -> bool {
        self.keeps_bodies
    }

    /// Bytes of one body that are kept.
    pub fn body_bytes(&self) -> usize {
        BODY_BYTES
    }

    /// The run begins. `planned`: the samplers of the plan.
    pub fn start(&self, start: Start, planned: Vec<PlannedStep>) {
        let mut state = self.state.lock();
        state.start = start;
        state.planned = planned;
    }

    /// Whether one more failure of that cause is kept, and whether also one without the steps
    /// before it.
    pub fn wants(&self, label: &str, code: &str) -> (bool, bool) {
        let state = self.state.lock();
        if state.is_full {
            return (false, false);
        }
        match state.causes.get(&(label.to_owned(), code.to_owned())) {
            Some(cause) => (cause.whole < self.most, cause.whole + cause.alone == 0),
            None => (true, true),
        }
    }

    /// Keeps a failure if one of its cause is wanted.
    pub fn keep(&self, failure: Failure) {
        let Some(last) = failure.steps.last() else { return };
        let code = last.sample.as_ref().map(|sample| sample.code.clone()).unwrap_or_default();
        let cause = (last.label.clone(), code);
        let mut state = self.state.lock();
        if state.is_full || !state.admit(cause.clone(), failure.is_whole, self.most) {
            return;
        }
        state.begin_failure();
        let step = state.add(failure);
        let (label, code) = cause;
        state.links.push(FailureLink { label, code, step });
        self.close_if_full(&mut state);
    }

    fn close_if_full(&self, state: &mut State) {
        if state.bytes > TOTAL_BYTES || state.causes.len() >= CAUSES {
            state.is_full = true;
            self.pool.close();
        }
    }

    /// Failures of each label and response code that are kept.
    pub fn most(&self) -> usize {
        self.most
    }

    /// How many lines of events there are.
    pub fn len(&self) -> usize {
        self.state.lock().lines.len()
    }

    /// Whether nothing was kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The events from that line on, one JSON object a line, secrets masked.
    pub fn lines_from(&self, line: usize) -> Vec<String> {
        self.state.lock().lines.get(line..).unwrap_or_default().to_vec()
    }

    /// Where each failure is shown.
    pub fn links(&self) -> Vec<FailureLink> {
        self.state.lock().links.clone()
    }
}

impl State {
    /// Writes the event that all lines begin with, if there are none yet.
    fn write_start(&mut self) {
        if self.lines.is_empty() {
            let start = Start { kept_failures: true, ..self.start.clone() };
            self.write(&Event::Start(start));
        }
    }

    /// The lines of one more failure begin.
    fn begin_failure(&mut self) {
        self.write_start();
        self.begins.push(self.lines.len());
    }

    fn admit(&mut self, key: (String, String), is_whole: bool, most: usize) -> bool {
        let cause = self.causes.entry(key).or_default();
        let count = if is_whole { &mut cause.whole } else { &mut cause.alone };
        let is_wanted = if is_whole { *count < most } else { *count == 0 && cause.whole == 0 };
        if is_wanted {
            if is_whole { cause.whole += 1 } else { cause.alone += 1 }
        }
        is_wanted
    }

    /// Writes a failure; the number of its step.
    fn add(&mut self, failure: Failure) -> u32 {
        let Failure { user, group, iteration, steps, left_out, is_whole } = failure;
        let variables = Vec::new();
        self.write(&Event::Iteration(Iteration {
            user: user.clone(),
            group: group.clone(),
            iteration,
            variables,
        }));
        let note = if !is_whole {
            Some(
                "The steps before this failure are not known: only some of the virtual users are recorded."
                    .to_owned(),
            )
        } else if left_out > 0 {
            Some(format!("{left_out} earlier steps of this iteration are not kept."))
        } else {
            None
        };
        if let Some(text) = note {
            self.write(&Event::Log(LogLine { level: "info", text }));
        }
        for mut step in steps {
            self.next_step += 1;
            step.number = self.next_step;
            step.user.clone_from(&user);
            step.group.clone_from(&group);
            step.iteration = iteration;
            self.place(&mut step);
            differ::note(&mut step);
            if step.reason.is_empty() {
                step.reason = reason(&step);
            }
            if step.outcome == Outcome::Failed {
                step.hints = hints::of_kept(&step);
            }
            self.write(&Event::Step(Box::new(step)));
        }
        self.next_step
    }

    /// Finds the sampler of a step by its label.
    fn place(&self, step: &mut Step) {
        let named = |planned: &&PlannedStep| planned.element.name == step.label;
        let mut found = self.planned.iter().filter(named);
        let in_group = found.clone().find(|planned| planned.group.name == step.group);
        if let Some(planned) = in_group.or_else(|| found.next()) {
            step.element = planned.element.clone();
            step.controllers = planned.controllers.iter().map(|control| control.name.clone()).collect();
        }
    }

    fn write(&mut self, event: &Event) {
        let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64);
        let line = Line { seq: self.lines.len() as u64 + 1, at_ms, event };
        // An event of texts and numbers is valid JSON.
        if let Ok(text) = json_line(&line, false) {
            self.bytes += text.len();
            self.lines.push(text);
        }
    }
}

/// Where the failures of lines are shown that were written to a file.
pub fn links_of(lines: &str) -> Vec<FailureLink> {
    let mut links: Vec<FailureLink> = Vec::new();
    // A failure is the last step of its iteration.
    let mut last: Option<FailureLink> = None;
    for line in lines.lines() {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        match event["event"].as_str() {
            Some("iteration") => links.extend(last.take()),
            Some("step") if event["outcome"] == "failed" => {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let step = event["number"].as_u64().and_then(|number| u32::try_from(number).ok());
                let label = text(&event["label"]);
                let code = text(&event["sample"]["code"]);
                last = step.map(|step| FailureLink { label, code, step });
            }
            _ => {}
        }
    }
    links.extend(last);
    links
}

/// Lines of events as a page takes them: compressed by gzip.
///
/// # Errors
/// They cannot be compressed.
pub fn packed<'l>(lines: impl IntoIterator<Item = &'l str>) -> std::io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    for line in lines {
        packer.write_all(line.as_bytes())?;
    }
    packer.finish()
}

#[cfg(test)]
mod tests {
    use swell_trace::Sample;

    use super::*;

    pub(super) fn step(label: &str, code: &str, success: bool) -> Step {
        let sample = Sample { label: label.into(), code: code.into(), success, ..Sample::default() };
        let outcome = if success { Outcome::Passed } else { Outcome::Failed };
        Step { label: label.into(), outcome, sample: Some(sample), ..Step::default() }
    }

    pub(super) fn failure(code: &str, is_whole: bool) -> Failure {
        let before = is_whole.then(|| step("login", "200", true));
        let steps = before.into_iter().chain([step("order", code, false)]).collect();
        Failure { user: "u 1-1".into(), group: "g".into(), iteration: 3, steps, left_out: 0, is_whole }
    }

    #[test]
    fn the_first_failures_of_each_cause_are_kept() {
        let kept = KeptFailures::new(2, false);
        assert_eq!((kept.wants("order", "500"), kept.is_empty()), ((true, true), true));
        kept.keep(failure("500", false));
        assert_eq!(kept.wants("order", "500"), (true, false), "whole ones are still wanted");
        kept.keep(failure("500", false));
        kept.keep(failure("500", true));
        kept.keep(failure("500", true));
        assert_eq!(kept.wants("order", "500"), (false, false));
        kept.keep(failure("500", true));
        kept.keep(failure("404", true));
        let link = |code: &str, step| FailureLink { label: "order".into(), code: code.into(), step };
        let wanted = [link("500", 1), link("500", 3), link("500", 5), link("404", 7)];
        assert_eq!(kept.links(), wanted);
        let lines = kept.lines_from(0);
        assert_eq!(links_of(&lines.concat()), wanted);
        assert!(lines[0].contains(r#""event":"start""#) && lines[0].contains(r#""kept_failures":true"#));
        let alone = lines.iter().filter(|line| line.contains("only some of the virtual users")).count();
        assert_eq!((alone, kept.len()), (1, 1 + 4 + 1 + 7));
    }

    #[test]
    fn all_failures_together_are_bounded() {
        let kept = KeptFailures::new(1, false);
        for code in 0..2 * CAUSES {
            kept.keep(failure(&code.to_string(), true));
        }
        assert_eq!(kept.links().len(), CAUSES);
        assert!(kept.pool().take(0).is_none(), "users record nothing any more");
        let kept = KeptFailures::new(1000, true);
        for _ in 0..100 {
            let mut large = failure("500", true);
            if let Some(sample) = large.steps.last_mut().and_then(|step| step.sample.as_mut()) {
                sample.response_headers = "x".repeat(1 << 20);
            }
            kept.keep(large);
        }
        assert!(kept.lines_from(0).concat().len() < TOTAL_BYTES + (2 << 20));
    }
}
