//! The steps of a run for a terminal: those that passed on one line, failures with everything.

mod actions;
mod page;
mod samples;

use std::fmt::Write as _;

use swell_report::{Role as Colour, Styled, plain};
use swell_trace::{
    DataRead, Decision, End, EndReason, Event, Line, Outcome, ReadVariable, Start, Step, Transaction, Verdict,
};

use crate::collector::Output;
use actions::{of_action, of_line, read_text};
use page::{Page, place, quoted};
use samples::of_sample;

/// Writes steps for people.
pub struct Terminal<F> {
    print: F,
    /// All steps are shown with everything.
    all: bool,
    last: Option<(String, u64)>,
}

impl<F: FnMut(Styled) + Send> Terminal<F> {
    /// Gives each text to `print`. `all`: steps that passed are shown with everything, too.
    pub fn new(all: bool, print: F) -> Self {
        Self { print, all, last: None }
    }

    /// The head of an iteration, if another user or iteration was shown last.
    fn head(&mut self, user: &str, iteration: u64) {
        let now = (user.to_owned(), iteration);
        if self.last.as_ref() != Some(&now) {
            let mut text = Styled::default();
            if self.last.is_some() {
                text.write_str("\n").expect("writing to a text cannot fail");
            }
            text.push(Colour::Head, &format!("{}, iteration {iteration}\n", plain(user)));
            (self.print)(text);
            self.last = Some(now);
        }
    }
}

impl<F: FnMut(Styled) + Send> Output for Terminal<F> {
    fn line(&mut self, line: &Line<'_>) {
        match line.event {
            Event::Start(start) => (self.print)(started(start)),
            Event::Step(step) => {
                self.head(&step.user, step.iteration);
                (self.print)(of_step(step, self.all));
            }
            Event::Decision(decision) => {
                self.head(&decision.user, decision.iteration);
                (self.print)(of_decision(decision));
            }
            Event::Data(data) => (self.print)(of_data(data)),
            Event::Transaction(transaction) => (self.print)(of_transaction(transaction)),
            Event::Log(line) => {
                let mut page = Page::default();
                of_line(&mut page, 4, "", line, self.all);
                (self.print)(page.0);
            }
            Event::Iteration(_) | Event::UserEnd(_) => {}
            Event::End(end) => (self.print)(ended(end)),
        }
    }
}

fn started(start: &Start) -> Styled {
    let mut page = Page::default();
    for left in &start.not_run {
        let place = place(left.element.line);
        page.coloured(
            0,
            Colour::Doubtful,
            &format!("NOT RUN: `{}`{place}: {}", left.element.name, left.reason),
        );
    }
    page.0
}

/// A step.
fn of_step(step: &Step, all: bool) -> Styled {
    let mut page = Page::default();
    let failed = matches!(step.outcome, Outcome::Failed | Outcome::Stopped);
    let text = title(step);
    match step.outcome {
        Outcome::Failed | Outcome::Stopped => page.coloured(0, Colour::Bad, &text),
        Outcome::NotRun => page.coloured(0, Colour::Doubtful, &text),
        Outcome::Passed | Outcome::NoSample => page.line(0, &text),
    }
    let is_open = failed || all;
    for action in &step.actions {
        of_action(&mut page, action, is_open);
    }
    if is_open {
        // What nothing has changed since the start explains no failure.
        let is_told = |read: &&ReadVariable| all || read.value.is_none() || read.set_by.is_some();
        for read in step.reads.iter().filter(is_told) {
            page.line(6, &read_text(read));
        }
        if let Some(sample) = &step.sample {
            of_sample(&mut page, sample, 6);
        }
    }
    for hint in &step.hints {
        page.coloured(6, Colour::Doubtful, &format!("hint: {}", hint.text));
    }
    page.0
}

fn title(step: &Step) -> String {
    let number = step.number;
    let label = &step.label;
    let Some(sample) = &step.sample else {
        let what = match step.outcome {
            Outcome::NotRun => format!("NOT RUN: {}", step.reason),
            Outcome::NoSample => "no sample".to_owned(),
            _ => format!("STOPPED: {}", step.reason),
        };
        return format!("{number:>3}  {label:<28} {what}{}", place(step.element.line));
    };
    let code = &sample.code;
    let ms = sample.timing.elapsed_ms;
    if step.outcome == Outcome::Failed {
        return format!("{number:>3}  {label:<28} {code:<4} {ms:.1} ms   FAILED{}", place(step.element.line));
    }
    let size = sample.body.size;
    let kind = sample.content_type.split(';').next().unwrap_or_default();
    let of = if kind.is_empty() { String::new() } else { format!(" {kind}") };
    let message = &sample.message;
    let cached = sample.exchanges.iter().any(|exchange| exchange.cache.is_some());
    let cached = if cached { ", cached" } else { "" };
    let parts = match sample.children.len() {
        0 => String::new(),
        count => format!(", {count} requests"),
    };
    format!("{number:>3}  {label:<28} {code:<4} {ms:.1} ms   {message}, {size} B{of}{parts}{cached}")
}

fn of_decision(decision: &Decision) -> Styled {
    let mut page = Page::default();
    let name = &decision.element.name;
    let kind = match decision.kind {
        "if" => "If",
        "while" => "While",
        "loop" => "Loop",
        "for_each" => "ForEach",
        "switch" => "Switch",
        "throughput" => "Throughput",
        "random" => "Random",
        "random_order" => "Random Order",
        "interleave" => "Interleave",
        "once_only" => "Once Only",
        "runtime" => "Runtime",
        "critical_section" => "Critical Section",
        other => other,
    };
    let condition = match (&decision.written, &decision.evaluated) {
        (Some(written), Some(evaluated)) if written != evaluated => format!("   {written} -> {evaluated}"),
        (Some(written), _) => format!("   {written}"),
        _ => String::new(),
    };
    let reads = decision.reads.iter().map(read_text).collect::<Vec<_>>().join("; ");
    let reads = if reads.is_empty() { reads } else { format!("   {reads}") };
    let line = place(decision.element.line);
    let text = format!("  -  {kind} `{name}`  {}{condition}{reads}{line}", decision.text);
    match decision.verdict {
        Verdict::Skipped => page.coloured(0, Colour::Doubtful, &text),
        Verdict::Entered | Verdict::Turn | Verdict::Left => page.line(0, &text),
    }
    page.0
}

fn of_data(data: &DataRead) -> Styled {
    let mut page = Page::default();
    let action = &data.action;
    let sets = action.variables.iter().map(|change| {
        let after = change.after.as_deref().map_or("removed".to_owned(), quoted);
        format!("{} = {after}", change.name)
    });
    let sets = sets.collect::<Vec<_>>().join(", ");
    let row = match &action.data {
        Some(row) => match row.record {
            Some(record) => format!("  {} record {record}", row.file),
            None => format!("  {}: no more records", row.file),
        },
        None => String::new(),
    };
    let text = format!("  -  {}{row}  {sets}{}", action.element.name, place(action.element.line));
    if action.data.as_ref().is_some_and(|row| row.record.is_none()) {
        page.coloured(0, Colour::Doubtful, &text);
    } else {
        page.line(0, &text);
    }
    if let Some(error) = &action.error {
        page.coloured(6, Colour::Bad, error);
    }
    for written in &action.output {
        of_line(&mut page, 6, "", written, false);
    }
    page.0
}

fn of_transaction(transaction: &Transaction) -> Styled {
    let sample = &transaction.sample;
    let mut page = Page::default();
    let state = if sample.success { "ok" } else { "FAILED" };
    let steps = transaction.steps.len();
    let ms = sample.timing.elapsed_ms;
    let text = format!("  -  Transaction `{}`  {state}, {steps} steps, {ms:.1} ms", sample.label);
    if sample.success {
        page.line(0, &text);
    } else {
        page.coloured(0, Colour::Bad, &text);
    }
    for action in &transaction.actions {
        of_action(&mut page, action, !sample.success);
    }
    page.0
}

fn ended(end: &End) -> Styled {
    let mut page = Page::default();
    page.line(0, "");
    let samples = match (end.failed, end.samples) {
        (0, 1) => "1 sample, none failed".to_owned(),
        (0, samples) => format!("{samples} samples, none failed"),
        (failed, samples) => format!("{failed} of {samples} samples failed"),
    };
    let why = match end.reason {
        EndReason::Finished => "",
        EndReason::Until => ", stopped after the wanted sample",
        EndReason::Interrupted => ", interrupted",
        EndReason::Stopped => ", the test was stopped",
    };
    match end.failed {
        0 => page.line(0, &format!("{samples}{why}")),
        _ => page.coloured(0, Colour::Bad, &format!("{samples}{why}")),
    }
    for never in &end.never_ran {
        let line = place(never.element.line);
        let text = format!("never ran: {}{line}: {}", never.element.name, never.reason);
        page.coloured(0, Colour::Doubtful, &text);
    }
    for hint in &end.hints {
        page.coloured(0, Colour::Doubtful, &format!("hint: {}", hint.text));
    }
    if end.left_out_bytes > 0 {
        page.line(
            0,
            &format!("{} bytes of bodies were left out: the trace is too large", end.left_out_bytes),
        );
    }
    page.0
}
