//! What the served page of `swell debug` asks of the program: what expressions find, and to write
//! elements for them into the plan.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use swell_api::Registry;
use swell_author::AddedElement;
use swell_debug::Responses;
use swell_elements::{Expression, Question};
use swell_engine::Prepared;
use swell_page::{TraceHost, TriedExpression, WrittenAs};
use swell_report::without_passwords;
use swell_secrets::without_protected;
use swell_trace::{ElementRef, Extraction, Sample};

use crate::debug_questions::{ask, check_match, near};
use crate::exit::Failure;
use crate::{plan_text, question_elements};

/// The file of a plan, which nothing but the page should change while the page is served.
pub(crate) struct PlanOnDisk {
    path: PathBuf,
    /// As it was run. Places in the trace refer to it.
    read: Vec<u8>,
    /// With what the page has added.
    known: Mutex<Vec<u8>>,
}

impl PlanOnDisk {
    /// Reads it.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let read = plan_text::bytes(path)?;
        Ok(Self { path: path.to_owned(), known: Mutex::new(read.clone()), read })
    }

    /// The path of a sampler of the trace, as commands take it. What the page adds is below
    /// samplers, so it stays right.
    fn path_of(&self, sampler: &ElementRef) -> Result<String, Failure> {
        plan_text::check_jmeter_plan(&self.path)?;
        question_elements::path_of(&self.path, &self.read, sampler)
    }

    /// Adds an element, unless another program has changed the file.
    fn add(&self, addition: swell_author::Addition) -> Result<AddedElement, Failure> {
        let mut known = self.known.lock();
        if plan_text::bytes(&self.path)? != *known {
            let what = format!(
                "`{}` was changed after `swell debug` had read it, so nothing is written",
                self.path.display()
            );
            return Err(Failure::settings(what).hint("end `swell debug` and start it again"));
        }
        let mut enlarged = plan_text::enlarge(&self.path, &known, &[addition])?;
        plan_text::replace(&self.path, &enlarged.bytes)?;
        *known = enlarged.bytes;
        Ok(enlarged.added.remove(0))
    }
}

/// The program behind the page.
pub(crate) struct DebugHost {
    plan: PlanOnDisk,
    responses: Responses,
    shows_secrets: bool,
    prepared: Arc<Prepared>,
    registry: Registry,
}

impl DebugHost {
    pub(crate) fn new(
        plan: PlanOnDisk,
        responses: Responses,
        shows_secrets: bool,
        (prepared, registry): (Arc<Prepared>, Registry),
    ) -> Self {
        Self { plan, responses, shows_secrets, prepared, registry }
    }

    fn asked(&self, tried: &TriedExpression) -> Result<(Question, Sample, Option<Extraction>), String> {
        let question = Question::parse(&tried.expression).map_err(|error| error.to_string())?;
        let sample = self.responses.sample(tried.step, &tried.place)?;
        let found = ask(&question, &sample, &self.prepared, &self.registry);
        Ok((question, sample, found))
    }

    /// The path of the sampler of a step. Sub-samples are requests of the same sampler.
    fn below(&self, step: u32) -> Result<String, Failure> {
        let sampler = self.responses.sampler(step);
        let sampler = sampler.ok_or_else(|| Failure::settings(format!("step {step} has no sampler")))?;
        self.plan.path_of(&sampler)
    }

    fn try_write(
        &self,
        (step, question): (u32, &Question),
        found: Option<&Extraction>,
        written_as: &WrittenAs,
    ) -> Result<AddedElement, Failure> {
        check_match(question, found)?;
        let below = self.below(step)?;
        let addition = match written_as {
            WrittenAs::Extractor(name) => {
                let element = question_elements::extractor(question, name);
                question_elements::addition(&below, element, Some(name))
            }
            WrittenAs::Assertion(equals) => {
                let element = question_elements::assertion(question, equals.as_deref())?;
                question_elements::addition(&below, element, None)
            }
        };
        self.plan.add(addition)
    }
}

impl TraceHost for DebugHost {
    fn ask(&self, tried: &TriedExpression) -> Result<Value, String> {
        let (question, sample, found) = self.asked(tried)?;
        let below = self.below(tried.step).ok();
        let mut answer = answer(&question, found.as_ref(), &sample, self.shows_secrets);
        let below = below.filter(|_| found.is_some_and(|found| found.matches > 0));
        answer["command"] =
            json!(below.as_ref().map(|below| question_elements::command(&self.plan.path, below, &question)));
        answer["writes"] = json!(below.map(|_| writes(&question)));
        Ok(answer)
    }

    fn write(&self, tried: &TriedExpression, written_as: &WrittenAs) -> Result<Value, String> {
        let (question, _, found) = self.asked(tried)?;
        let added = self.try_write((tried.step, &question), found.as_ref(), written_as);
        let AddedElement { below, name, line } = added.map_err(|failure| failure.sentence())?;
        let plan = self.plan.path.display().to_string();
        Ok(json!({"plan": plan, "below": below, "name": name, "line": line}))
    }
}

/// What the page can write for a question: the proposed name of a variable, and whether there is an
/// assertion, and one with a value.
fn writes(question: &Question) -> Value {
    json!({
        "variable": question_elements::proposed_name(question),
        "asserts": question_elements::assertion(question, None).is_ok(),
        "equals": matches!(question.looks_for, Expression::Json(_)),
    })
}

/// What a question found, for the page.
fn answer(question: &Question, found: Option<&Extraction>, sample: &Sample, shows_secrets: bool) -> Value {
    let fields: Vec<_> = question.settings.iter().map(|(name, value)| json!([name, value])).collect();
    let element = json!({"name": question.menu, "fields": fields});
    let Some(found) = found else {
        let error = question.not_asked();
        let element = error.map(|_| element);
        let error = error.unwrap_or("the expression cannot be used here");
        return json!({"count": 0, "values": [], "error": error, "near": [], "element": element});
    };
    let shown = |text: &String| {
        if shows_secrets { text.clone() } else { without_protected(&without_passwords(text)).into_owned() }
    };
    let values: Vec<_> = found.values.iter().map(shown).collect();
    json!({
        "count": found.matches,
        "values": values,
        "error": found.error,
        "near": near(found, sample),
        "element": found.error.is_none().then_some(element),
    })
}
