//! The steps of a run for a terminal: those that passed on one line, failures with everything.

use std::fmt::Write as _;

use swell_report::{Role as Colour, Styled, plain, plain_lines};
use swell_trace::{
    Action, Check, Content, DataRead, Decision, End, EndReason, Event, Exchange, Extraction, Line, Outcome,
    ReadVariable, Role, Sample, Start, Step, Transaction, Verdict,
};

use crate::collector::Output;

/// Lines of a body that are shown of a failed step.
const BODY_LINES: usize = 20;
/// Characters of one line that are shown.
const LINE: usize = 300;
/// Characters of a value that are shown.
const VALUE: usize = 80;

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
                let level = line.level;
                if matches!(level, "error" | "warn" | "output") {
                    let mut text = Styled::default();
                    let first = line.text.lines().next().unwrap_or_default();
                    let shown = format!("    {level}: {}\n", cut(&plain(first), LINE));
                    match level {
                        "error" => text.push(Colour::Bad, &shown),
                        "warn" => text.push(Colour::Doubtful, &shown),
                        _ => text.write_str(&shown).expect("writing to a text cannot fail"),
                    }
                    (self.print)(text);
                }
            }
            Event::Iteration(_) | Event::UserEnd(_) => {}
            Event::End(end) => (self.print)(ended(end)),
        }
    }
}

/// A text that lines are added to.
#[derive(Default)]
struct Page(Styled);

impl Page {
    fn line(&mut self, indent: usize, text: &str) {
        let text = cut(plain(text).trim_end(), LINE);
        writeln!(self.0, "{:indent$}{text}", "").expect("writing to a text cannot fail");
    }

    fn coloured(&mut self, indent: usize, role: Colour, text: &str) {
        write!(self.0, "{:indent$}", "").expect("writing to a text cannot fail");
        self.0.push(role, &cut(plain(text).trim_end(), LINE));
        writeln!(self.0).expect("writing to a text cannot fail");
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

fn quoted(value: &str) -> String {
    format!("\"{}\"", cut(&plain(value), VALUE))
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

fn place(line: u32) -> String {
    if line == 0 { String::new() } else { format!(" (line {line})") }
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

fn of_action(page: &mut Page, action: &Action, is_open: bool) {
    let name = &action.element.name;
    let line = place(action.element.line);
    if let Some(error) = &action.error {
        page.coloured(6, Colour::Bad, &format!("{name}{line}: {error}"));
    }
    for found in &action.extractions {
        of_extraction(page, action, found, is_open);
    }
    for check in &action.checks {
        of_check(page, action, check, is_open);
    }
    if let (Some(timer), true) = (&action.timer, is_open) {
        let wait = timer.wait_ms.map_or("for other virtual users".to_owned(), |ms| format!("{ms} ms"));
        let skipped = if timer.skipped { ", skipped" } else { "" };
        page.line(6, &format!("{name}  timer: waits {wait}{skipped}"));
    }
    if is_open && action.extractions.is_empty() && action.role != Role::Sampler {
        for change in &action.variables {
            let after = change.after.as_deref().map_or("removed".to_owned(), quoted);
            page.line(6, &format!("{name}  sets {} = {after}", change.name));
        }
    }
    if is_open {
        for change in &action.properties {
            let after = change.after.as_deref().map_or("removed".to_owned(), quoted);
            page.line(6, &format!("{name}  sets property {} = {after}", change.name));
        }
    }
}

fn language(name: &str) -> &str {
    match name {
        "json" => "JSON",
        "regex" => "regex",
        "css" => "CSS",
        "xpath" => "XPath",
        other => other,
    }
}

fn of_extraction(page: &mut Page, action: &Action, found: &Extraction, is_open: bool) {
    let name = &action.element.name;
    let what = format!("{name}  {}  {}", language(found.language), cut(&found.expression, VALUE));
    if let Some(taken) = &found.taken {
        if is_open {
            let many =
                if found.matches > 1 { format!(" (of {} matches)", found.matches) } else { String::new() };
            page.line(6, &format!("{what}   -> {} = {}{many}", found.variable, quoted(taken)));
        }
        return;
    }
    let default = match &found.default {
        Some(default) => format!(" -> {} = {} (default)", found.variable, quoted(default)),
        None => format!(" -> {} is not set", found.variable),
    };
    let line = place(action.element.line);
    page.coloured(6, Colour::Bad, &format!("{what}   NO MATCH{default}{line}"));
    if let Some(error) = &found.error {
        page.line(8, error);
    }
    if !found.nearby.is_empty() {
        page.line(8, &format!("the {} has: {}", found.subject, found.nearby.join(", ")));
    }
}

fn of_check(page: &mut Page, action: &Action, check: &Check, is_open: bool) {
    let name = &action.element.name;
    if check.passed {
        if is_open {
            page.line(6, &format!("{name}  ok"));
        }
        return;
    }
    let line = place(action.element.line);
    let said = match (&check.field, &check.wanted, &check.got) {
        (Some(field), Some(wanted), Some(got)) => {
            let relation = check.relation.as_deref().unwrap_or("equals");
            format!("{field} is {}, wanted: {relation} {}", quoted(got), quoted(wanted))
        }
        (Some(field), Some(wanted), None) => format!("{field}, wanted {}", quoted(wanted)),
        _ => check.message.as_deref().unwrap_or("it failed").trim().to_owned(),
    };
    page.coloured(6, Colour::Bad, &format!("{name}  FAILED  {said}{line}"));
    if let Some(at) = check.differs_at.filter(|at| *at > 0) {
        page.line(8, &format!("the texts differ from character {at} on"));
    }
}

fn read_text(read: &ReadVariable) -> String {
    let value = read.value.as_deref().map_or("no value".to_owned(), quoted);
    let by = match (&read.set_by, read.set_by_step) {
        (Some(by), Some(step)) => format!(", set by `{by}` at step {step}"),
        (Some(by), None) => format!(", set by `{by}`"),
        _ => String::new(),
    };
    let default = if read.is_default { " to its default" } else { "" };
    format!("{} = {value}{by}{default}", read.name)
}

/// Request and response of a sample, and of its parts.
fn of_sample(page: &mut Page, sample: &Sample, indent: usize) {
    for exchange in &sample.exchanges {
        of_exchange(page, exchange, indent);
    }
    if let Some(sent) = sample.sent.as_deref().filter(|_| sample.exchanges.is_empty()) {
        lines(page, indent, "> ", sent);
    }
    let answered = sample.exchanges.iter().any(|exchange| exchange.response.is_some());
    if !answered && !sample.success {
        page.coloured(indent, Colour::Bad, &format!("{}: {}", sample.code, sample.message));
    }
    if sample.children.is_empty() {
        body(page, indent, "", &sample.body, &sample.content_type);
    }
    for child in &sample.children {
        page.line(indent, &format!("- {}  {} {:.1} ms", child.label, child.code, child.timing.elapsed_ms));
        of_sample(page, child, indent + 2);
    }
}

fn of_exchange(page: &mut Page, exchange: &Exchange, indent: usize) {
    if let Some(connection) = &exchange.connection {
        let how = if connection.reused { "open connection" } else { "new connection" };
        let tls = connection.tls.as_ref().map(|version| format!(", {version}")).unwrap_or_default();
        let proxy = connection.proxy.as_ref().map(|proxy| format!(", proxy {proxy}")).unwrap_or_default();
        page.line(indent, &format!("* {how} {} to {}{tls}{proxy}", connection.number, connection.address));
    }
    if let Some(request) = &exchange.request {
        lines(page, indent, "> ", request.head.text().unwrap_or("(bytes that are not text)").trim_end());
        body(page, indent, "> ", &request.body, "");
    }
    if let Some(response) = &exchange.response {
        lines(page, indent, "< ", response.head.text().unwrap_or("(bytes that are not text)").trim_end());
    }
    if let Some(error) = &exchange.error {
        page.coloured(indent, Colour::Bad, &format!("* {error}"));
    }
    for cookie in exchange.cookies.refused.iter().chain(&exchange.cookies.not_sent) {
        page.line(indent, &format!("* cookie {}: {}", cookie.name, cookie.reason));
    }
}

fn lines(page: &mut Page, indent: usize, sign: &str, text: &str) {
    let text = plain_lines(text);
    let mut all = text.lines();
    for line in all.by_ref().take(BODY_LINES) {
        page.line(indent, &format!("{sign}{line}"));
    }
    let left = all.count();
    if left > 0 {
        page.line(indent, &format!("{sign}({left} more lines)"));
    }
}

fn body(page: &mut Page, indent: usize, sign: &str, content: &Content, content_type: &str) {
    if content.is_empty() {
        return;
    }
    if let Some(text) = content.text() {
        lines(page, indent, sign, text);
    } else {
        let of = if content_type.is_empty() { String::new() } else { format!(" of {content_type}") };
        page.line(indent, &format!("{sign}({} bytes{of} that are not text)", content.size));
    }
    if content.is_cut() {
        let kept = content.bytes.len();
        page.line(indent, &format!("{sign}(cut: the first {kept} of {} bytes)", content.size));
    }
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
