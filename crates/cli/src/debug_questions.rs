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
use crate::question_elements::shell_quoted;
use crate::{plan_text, question_elements};

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
            if found.is_some_and(|found| found.matches > 0) {
                out.push_str(&plain_lines(&next_command(question, step, plan)));
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

impl AskedStep {
    /// Writes an extractor for a question into the plan, below the sampler of the step.
    ///
    /// # Errors
    /// It finds nothing, the sampler is not in the plan, or the name is taken.
    pub(crate) fn write(
        &self,
        (question, name): (&Question, &str),
        prepared: &Prepared,
        registry: &Registry,
        plan: &Path,
    ) -> Result<(), Failure> {
        let kept = self.kept.lock();
        let Some((step, sample)) = kept.as_ref().and_then(|step| Some((step, step.sample.as_ref()?))) else {
            return Ok(());
        };
        let found = ask(question, last_of(sample), prepared, registry);
        check_match(question, found.as_ref())?;
        let before = plan_text::bytes(plan)?;
        let below = question_elements::path_of(plan, &before, &step.element)?;
        let element = question_elements::extractor(question, name);
        let addition = question_elements::addition(&below, element, Some(name));
        let after = plan_text::enlarge(plan, &before, &[addition])?;
        plan_text::replace(plan, &after.bytes)
    }
}

/// Refuses to write an element that would find nothing.
pub(crate) fn check_match(question: &Question, found: Option<&Extraction>) -> Result<(), Failure> {
    if found.is_some_and(|found| found.matches > 0) {
        return Ok(());
    }
    let why = question.not_asked().unwrap_or("it has no match there");
    let what = format!("`{}` is not written into the plan: {why}", question.text);
    Err(Failure::settings(what).hint("`swell set --extract` adds an extractor untested"))
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

/// The command that corrects an extractor of the step that found nothing, or adds one.
fn next_command(question: &Question, step: &Step, plan: &Path) -> String {
    if let Some(correction) = correction(question, step, plan) {
        return correction;
    }
    let bytes = plan_text::bytes(plan).ok();
    let below = bytes.and_then(|bytes| question_elements::path_of(plan, &bytes, &step.element).ok());
    let Some(below) = below else { return String::new() };
    let command = question_elements::command(plan, &below, question);
    format!("      to write it into the plan: {command}\n")
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
    let Some(found) = found else {
        line(&format!("  {}   {}", question.text, question.not_asked().unwrap_or("it cannot be used here")));
        if question.not_asked().is_some() {
            line(&settings_of(question));
        }
        return;
    };
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
    line(&settings_of(question));
}

/// The element to paste.
fn settings_of(question: &Question) -> String {
    let settings = question.settings.iter().map(|(name, value)| format!("{name}: {value}"));
    format!("      {}: {}", question.menu, settings.collect::<Vec<_>>().join("; "))
}
