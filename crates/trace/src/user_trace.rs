//! What one virtual user does, collected into events.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use crate::decision::Decision;
use crate::event::{DataRead, Event, Iteration, Transaction, UserEnd};
use crate::exchange::Exchange;
use crate::output::UserOutput;
use crate::step::{
    Action, Check, DataRow, ElementRef, Extraction, Outcome, PropertyChange, ReadVariable, Role, Sample,
    Step, TimerWait, Written,
};
use crate::variables::KnownVariables;

/// Receives the events of a run. Users of all workers call it.
pub trait TraceSink: Send + Sync {
    /// Takes an event.
    fn event(&self, event: Event);
    /// The number of a step that begins now, from 1.
    fn next_step(&self) -> u32;
    /// Bytes of one body that are kept.
    fn body_bytes(&self) -> usize;
    /// Whether samples wait for their timers.
    fn keeps_timers(&self) -> bool;
}

/// What one virtual user does. Elements report to it; it hands whole events to the sink.
pub struct UserTrace {
    sink: Arc<dyn TraceSink>,
    output: Arc<UserOutput>,
    user: String,
    group: String,
    iteration: u64,
    step: Option<Box<Step>>,
    /// The element that runs now.
    action: Option<Action>,
    known: KnownVariables,
    /// Requests of the current step, shared with downloads that run at the same time.
    exchanges: Rc<RefCell<Vec<Exchange>>>,
    connections: Rc<Cell<u32>>,
    /// What elements did outside of a step: assertions of transactions.
    loose: Vec<Action>,
    /// Steps since the last transaction sample.
    steps: Vec<u32>,
    /// It belongs to a part of a user, such as a parallel download.
    is_part: bool,
}

impl UserTrace {
    /// Nothing yet.
    pub fn new(sink: Arc<dyn TraceSink>, user: &str, group: &str) -> Self {
        Self {
            output: UserOutput::new(sink.clone()),
            sink,
            user: user.to_owned(),
            group: group.to_owned(),
            iteration: 0,
            step: None,
            action: None,
            loose: Vec::new(),
            known: KnownVariables::default(),
            exchanges: Rc::default(),
            connections: Rc::default(),
            steps: Vec::new(),
            is_part: false,
        }
    }

    /// For something that this user does at the same time: its requests are those of the step.
    #[must_use]
    pub fn part(&self) -> Self {
        let mut part = self.branch();
        part.exchanges = self.exchanges.clone();
        part.connections = self.connections.clone();
        part
    }

    /// For a branch that takes separate samples at the same time.
    #[must_use]
    pub fn branch(&self) -> Self {
        let mut branch = Self::new(self.sink.clone(), &self.user, &self.group);
        branch.iteration = self.iteration;
        branch.known = self.known.clone();
        branch.is_part = true;
        branch
    }

    /// Where the user logs and prints.
    pub fn output(&self) -> Arc<dyn TraceSink> {
        self.output.clone()
    }

    /// Bytes of one body that are kept.
    pub fn body_bytes(&self) -> usize {
        self.sink.body_bytes()
    }

    /// Whether samples wait for their timers.
    pub fn keeps_timers(&self) -> bool {
        self.sink.keeps_timers()
    }

    /// The variables that the user has at its start.
    pub fn begin<'v>(&mut self, variables: impl IntoIterator<Item = (&'v str, &'v str)>) {
        self.known.begin(variables);
    }

    /// An iteration of the thread group begins.
    pub fn begin_iteration(&mut self, iteration: u64) {
        self.finish_step();
        self.iteration = iteration;
        let user = self.user.clone();
        let group = self.group.clone();
        let variables = self.known.entries();
        self.sink.event(Event::Iteration(Iteration { user, group, iteration, variables }));
    }

    /// A step begins.
    pub fn begin_step(&mut self, element: &ElementRef, controllers: &[String], written: &[Written]) {
        self.finish_step();
        self.exchanges.borrow_mut().clear();
        let number = self.sink.next_step();
        self.steps.push(number);
        self.step = Some(Box::new(Step {
            number,
            user: self.user.clone(),
            group: self.group.clone(),
            iteration: self.iteration,
            element: element.clone(),
            label: element.name.clone(),
            controllers: controllers.to_vec(),
            written: written.to_vec(),
            ..Step::default()
        }));
    }

    /// The variables that texts of the sampler read.
    pub fn reads<'v>(&mut self, read: impl IntoIterator<Item = (&'v str, Option<String>)>) {
        let reads: Vec<_> =
            read.into_iter().map(|(name, value)| self.known.read(name, value.as_deref())).collect();
        if let Some(step) = &mut self.step {
            step.reads = reads;
        }
    }

    /// A variable that a controller reads.
    pub fn read(&self, name: &str, value: Option<&str>) -> ReadVariable {
        self.known.read(name, value)
    }

    /// An element begins its work.
    pub fn begin_action(&mut self, element: &ElementRef, role: Role) {
        self.output.begin();
        self.action = Some(Action::new(element.clone(), role));
    }

    /// The element has done its work: it set and removed these variables and properties.
    pub fn end_action<'v>(
        &mut self,
        changes: impl IntoIterator<Item = (&'v str, Option<&'v str>)>,
        properties: Vec<PropertyChange>,
        error: Option<String>,
    ) {
        let Some(mut action) = self.action.take() else { return };
        let step = self.step.as_ref().map(|step| step.number);
        let sets = matches!(action.role, Role::PreProcessor | Role::PostProcessor);
        action.variables = self.known.change(changes, step, &action.element.name, sets);
        for extraction in action.extractions.iter().filter(|found| found.default.is_some()) {
            self.known.has_default(&extraction.variable);
        }
        action.properties = properties;
        action.output = self.output.end();
        action.error = error.or(action.error);
        if action.role == Role::IterationElement {
            let has_set = !action.variables.is_empty() || action.data.is_some();
            if has_set || action.error.is_some() || !action.output.is_empty() {
                let user = self.user.clone();
                let group = self.group.clone();
                self.finish_step();
                self.sink.event(Event::Data(DataRead { user, group, action }));
            }
            return;
        }
        match &mut self.step {
            Some(step) => step.actions.push(action),
            None => self.loose.push(action),
        }
    }

    /// The element that ran last cannot run here.
    pub fn last_action_not_run(&mut self, reason: &str) {
        if let Some(action) = self.step.as_mut().and_then(|step| step.actions.last_mut()) {
            action.error = Some(format!("NOT RUN: {reason}"));
        }
    }

    /// What the extractor that runs now looked for and found.
    pub fn extraction(&mut self, extraction: Extraction) {
        if let Some(action) = &mut self.action {
            action.extractions.push(extraction);
        }
    }

    /// What the assertion that runs now compared.
    pub fn check(&mut self, check: Check) {
        if let Some(action) = &mut self.action {
            action.checks.push(check);
        }
    }

    /// The comparisons of the assertion that runs now.
    pub fn checks(&mut self) -> Option<&mut Vec<Check>> {
        self.action.as_mut().map(|action| &mut action.checks)
    }

    /// What the timer that runs now asked for.
    pub fn timer(&mut self, wait: TimerWait) {
        if let Some(action) = &mut self.action {
            action.timer = Some(wait);
        }
    }

    /// The line that the data set that runs now read.
    pub fn data(&mut self, row: DataRow) {
        if let Some(action) = &mut self.action {
            action.data = Some(row);
        }
    }

    /// The requests of the current step, to add to.
    pub fn exchanges(&self) -> Rc<RefCell<Vec<Exchange>>> {
        self.exchanges.clone()
    }

    /// How many connections the user has opened.
    pub fn connections(&self) -> Rc<Cell<u32>> {
        self.connections.clone()
    }

    /// Takes the requests of the sample that started then.
    pub fn take_exchanges(&mut self, sample_start_ns: i64) -> Vec<Exchange> {
        let mut exchanges = self.exchanges.borrow_mut();
        exchanges.extract_if(.., |exchange| exchange.sample_start_ns == sample_start_ns).collect()
    }

    /// Takes the requests that belong to no sample that is known.
    pub fn take_other_exchanges(&mut self) -> Vec<Exchange> {
        std::mem::take(&mut *self.exchanges.borrow_mut())
    }

    /// The sampler cannot run here.
    pub fn not_run(&mut self, reason: &str) {
        if let Some(step) = &mut self.step {
            step.outcome = Outcome::NotRun;
            reason.clone_into(&mut step.reason);
        }
    }

    /// The sampler gave no sample.
    pub fn no_sample(&mut self) {
        if let Some(step) = &mut self.step
            && step.outcome == Outcome::Stopped
        {
            step.outcome = Outcome::NoSample;
        }
    }

    /// The sample as the sampler gave it, and as it is after post-processors and assertions.
    pub fn sample(&mut self, sample: Sample) {
        let Some(step) = &mut self.step else { return };
        if step.outcome == Outcome::NotRun {
            return;
        }
        step.outcome = if sample.success { Outcome::Passed } else { Outcome::Failed };
        step.label.clone_from(&sample.label);
        step.sample = Some(sample);
    }

    /// The element that runs is stopped: what it has logged and printed stays.
    fn cut_action(&mut self) -> Option<Action> {
        let mut action = self.action.take()?;
        action.output = self.output.end();
        (!action.output.is_empty()).then_some(action)
    }

    /// Hands the step over.
    pub fn finish_step(&mut self) {
        let cut = self.cut_action();
        if let Some(mut step) = self.step.take() {
            step.actions.extend(cut);
            step.variables = self.known.entries();
            if step.sample.is_none() {
                step.exchanges = self.take_other_exchanges();
            }
            let failed = step.actions.iter().rev().find_map(|action| action.error.as_ref());
            if let (Outcome::Stopped, true, Some(error)) = (step.outcome, step.reason.is_empty(), failed) {
                step.reason.clone_from(error);
            }
            if step.outcome == Outcome::Stopped && step.reason.is_empty() {
                "it was stopped before its response was complete".clone_into(&mut step.reason);
            }
            self.sink.event(Event::Step(step));
        }
    }

    /// A Transaction Controller gave its sample.
    pub fn transaction(&mut self, sample: Sample) {
        self.finish_step();
        let actions = std::mem::take(&mut self.loose);
        let steps = std::mem::take(&mut self.steps);
        let user = self.user.clone();
        let group = self.group.clone();
        let transaction = Transaction { user, group, steps, actions, sample };
        self.sink.event(Event::Transaction(Box::new(transaction)));
    }

    /// A controller decided; user, group and iteration are filled in.
    pub fn decision(&mut self, decision: Decision) {
        self.finish_step();
        self.sink.event(Event::Decision(Decision {
            user: self.user.clone(),
            group: self.group.clone(),
            iteration: self.iteration,
            ..decision
        }));
    }
}

impl Drop for UserTrace {
    fn drop(&mut self) {
        self.finish_step();
        if !self.is_part {
            let user = self.user.clone();
            let group = self.group.clone();
            self.sink.event(Event::UserEnd(UserEnd { user, group, iterations: self.iteration }));
        }
    }
}
