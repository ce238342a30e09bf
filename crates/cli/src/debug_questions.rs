//! `swell debug --test`: asks the response of a step, as an extractor would.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use swell_api::{Registry, SampleResult};
use swell_debug::{Output, nearby};
use swell_elements::Question;
use swell_engine::{Prepared, extract};
use swell_report::{plain, plain_lines};
use swell_trace::{Action, ElementRef, Event, Extraction, Line, Sample, Step};

use crate::exit::Failure;

/// Matches that are shown.
const MATCHES: usize = 10;
/// Characters of one that are shown.
const LENGTH: usize = 200;

/// Keeps the step that is asked.
#[derive(Clone, Default)]
pub(crate) struct AskedStep {
    at: Option<u32>,
    kept: Arc<Mutex<Option<Step>>>,
}

impl AskedStep {
    /// The step of that number, or the last one with a sample.
    pub(crate) fn new(at: Option<u32>) -> Self {
        Self { at, kept: Arc::default() }
    }

    /// Asks it all questions; the answers are for people.
    ///
    /// # Errors
    /// The step does not exist, or has no sample.
    pub(crate) fn answers(
        &self,
        questions: &[Question],
        prepared: &Prepared,
        registry: &Registry,
        plan: &Path,
    ) -> Result<String, Failure> {
        let kept = self.kept.lock();
        let asked = kept.as_ref().and_then(|step| Some((step, step.sample.as_ref()?)));
        let Some((step, sample)) = asked else {
            let which =
                self.at.map_or("no step has a sample".to_owned(), |at| format!("step {at} has no sample"));
            return Err(
                Failure::settings(which).hint("`swell debug PLAN` shows the steps with their numbers")
            );
        };
        let sample = last_of(sample);
        let size = sample.body.size;
        let mut out = format!(
            "\nstep {}, {}: response body, {size} B {}\n",
            step.number, step.label, sample.content_type
        );
        for question in questions {
            let found = ask(question, sample, prepared, registry);
            answer(&mut out, question, found.as_ref(), sample);
            let is_match = found.is_some_and(|found| found.matches > 0);
            if let Some(command) = correction(question, step, plan).filter(|_| is_match) {
                out.push_str(&plain_lines(&command));
            }
        }
        Ok(out)
    }
}

impl Output for AskedStep {
    fn line(&mut self, line: &Line<'_>) {
        let Event::Step(step) = line.event else { return };
        let is_asked = self.at.map_or(step.sample.is_some(), |at| at == step.number);
        if is_asked {
            *self.kept.lock() = Some(Step::clone(step));
        }
    }
}

/// What a question finds in a sample; none if it cannot be used.
pub(crate) fn ask(
    question: &Question,
    sample: &Sample,
    prepared: &Prepared,
    registry: &Registry,
) -> Option<Extraction> {
    let mut result = SampleResult {
        body: sample.body.bytes.clone().into(),
        response_headers: sample.response_headers.clone(),
        code: sample.code.clone().into(),
        message: sample.message.clone().into(),
        ..SampleResult::default()
    };
    extract(prepared, registry, &question.element, &mut result).into_iter().next()
}

/// What the body has that is similar to what was not found; nothing if there is a match.
pub(crate) fn near(found: &Extraction, sample: &Sample) -> Vec<String> {
    if found.matches > 0 {
        return Vec::new();
    }
    nearby(found.language, &found.expression, sample.body.text().unwrap_or_default())
}

/// The command that gives this expression to an extractor of the step that found nothing.
fn correction(question: &Question, step: &Step, plan: &Path) -> Option<String> {
    let has_missed = |action: &&Action| {
        let mut missed = action.extractions.iter().filter(|found| found.taken.is_none());
        action.element.class == question.element.class && missed.next().is_some()
    };
    let element = &step.actions.iter().find(has_missed)?.element;
    // The path begins with the Test Plan, which a path from the top leaves out.
    let names: Vec<_> = element.path.split(" > ").skip(1).map(swell_author::quoted).collect();
    let path = format!("/{}", names.join("/"));
    let values = question.expression.iter();
    let values: Vec<_> =
        values.map(|(name, value)| shell_quoted(&format!("{path}/{name}={value}"))).collect();
    let plan = shell_quoted(&plan.display().to_string());
    let ElementRef { name, line, .. } = element;
    Some(format!(
        "      `{name}` (line {line}) found nothing; this corrects it:\n      swell set {plan} {} -i\n",
        values.join(" ")
    ))
}

fn shell_quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Where redirects led.
fn last_of(sample: &Sample) -> &Sample {
    match sample.children.last() {
        Some(last) if sample.body.is_empty() => last_of(last),
        _ => sample,
    }
}

fn answer(out: &mut String, question: &Question, found: Option<&Extraction>, sample: &Sample) {
    let mut line = |text: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}", plain(text));
    };
    let Some(found) = found else { return line("  the expression cannot be used here") };
    let count = found.matches;
    let matches = match count {
        0 => "NO MATCH".to_owned(),
        1 => "1 match".to_owned(),
        count => format!("{count} matches"),
    };
    line(&format!("  {}   {matches}", found.expression));
    if let Some(error) = &found.error {
        line(&format!("      {error}"));
    }
    for (number, value) in (1..).zip(found.values.iter().take(MATCHES)) {
        let shown: String = value.chars().take(LENGTH).collect();
        line(&format!("    {number}  {shown}"));
    }
    if count == 0 {
        let near = near(found, sample);
        if !near.is_empty() {
            line(&format!("      the response body has: {}", near.join(", ")));
        }
        return;
    }
    let settings = question.settings.iter().map(|(name, value)| format!("{name}: {value}"));
    let settings = settings.collect::<Vec<_>>().join("; ");
    line(&format!("      {}: {settings}", question.menu));
}
