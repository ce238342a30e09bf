//! jp@gc - JSON Path Extractor
//! (`com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor`).

use std::sync::Arc;

use swell_api::{CompileContext, Needs, Placement, PostProcessor, SampleResult, StepProgress, YieldBudget};
use swell_budget::Budget;
use swell_expr::{Context, Template};
use swell_plan::{Element, Severity};
use swell_query::json::Json;
use swell_query::jsonpath::{JsonPath, PathError};

use crate::assertions::java_text;
use crate::field::TextField;
use crate::heavy::{Cost, Shared, Task};
use crate::json_document::{self, JsonDocument};
use crate::numbered::clear_numbered;
use crate::reported::{self, Report};
use crate::subject::{Piece, Subject};

struct Extractor {
    name: TextField,
    variable: Template,
    path: Template,
    compiled: Option<Arc<Result<JsonPath, PathError>>>,
    default: Template,
    /// The variable that is read, where it is not the body.
    source: Option<Template>,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn PostProcessor> {
    note_yaml(element, compile);
    let path = compile.template(element, "JSONPATH", "");
    let compiled = path.constant().map(|text| Arc::new(JsonPath::compile(text)));
    if let Some(Err(fault)) = compiled.as_deref() {
        let message = format!("invalid path, so the default is used: {}", fault.message);
        compile.note(Severity::Warning, element, Some("JSONPATH"), message, None);
    }
    let from_variable = element.text("SUBJECT") == Some("VAR");
    Box::new(Extractor {
        name: TextField::name_of(element, compile),
        variable: compile.template(element, "VAR", ""),
        path,
        compiled,
        default: compile.template(element, "DEFAULT", ""),
        source: from_variable.then(|| compile.template(element, "VARIABLE", "")),
    })
}

/// Why such an element needs JMeter's class.
pub(crate) fn lacks_yaml(element: &Element) -> Option<String> {
    (element.text("INPUT_FORMAT") == Some("YAML")).then(|| "YAML is not read natively".to_owned())
}

/// YAML is not read natively.
pub(crate) fn note_yaml(element: &Element, compile: &CompileContext) {
    if let Some(message) = lacks_yaml(element) {
        let hint = "choose JSON, or install Java and JMeter's class for it: `swell jvm install`";
        compile.note(Severity::Error, element, Some("INPUT_FORMAT"), message, Some(hint));
    }
}

impl PostProcessor for Extractor {
    fn needs(&self) -> Needs {
        Needs { body: self.source.is_none(), ..Needs::default() }
    }

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepProgress<'a> {
        let is_simple =
            matches!(self.compiled.as_deref(), Some(Ok(path)) if path.is_simple()) && self.source.is_none();
        let placement = Placement::of(is_simple && Cost::Json.is_tiny(Subject::BODY.bytes(sample)));
        placement.run(self.work(placement, cx, sample))
    }
}

impl Extractor {
    async fn work(&self, placement: Placement, cx: &mut Context, sample: &mut SampleResult) {
        let variable = self.variable.eval(cx).into_owned();
        let subject = match &self.source {
            None => Subject::BODY,
            Some(source) => {
                let source = source.eval(cx).into_owned();
                Subject::Value(cx.vars.get(&source).cloned())
            }
        };
        let compiled = match &self.compiled {
            Some(compiled) => Shared::Constant(compiled),
            None => Shared::Owned(Arc::new(JsonPath::compile(&self.path.text(cx)))),
        };
        let task = Task { name: &self.name, cost: Cost::Outline, placement, subject: &subject };
        let found = task.ask(cx, sample, &compiled, read).await;
        let mut pace = YieldBudget::new(placement);
        let values = reported::is_wanted(cx).then(|| match &found {
            Some(Found::One(text)) => vec![text.clone()],
            Some(Found::Many(_, texts)) => texts.clone(),
            None => Vec::new(),
        });
        match found {
            Some(Found::One(text)) => cx.vars.put(&variable, text),
            Some(Found::Many(whole, texts)) => {
                cx.vars.put(&variable, whole);
                cx.vars.put(&format!("{variable}_matchNr"), texts.len().to_string());
                clear_numbered(cx, &variable, &mut pace).await;
                for (number, text) in (1..).zip(texts) {
                    cx.vars.put(&format!("{variable}_{number}"), text);
                    pace.steps(1).await;
                }
            }
            None => {
                let default = self.default.eval_value(cx);
                cx.vars.put(&variable, default);
                cx.vars.put(&format!("{variable}_matchNr"), "0");
                clear_numbered(cx, &variable, &mut pace).await;
            }
        }
        let Some(values) = values else { return };
        let report = Report {
            language: "json",
            expression: self.path.eval(cx).into_owned(),
            subject: &subject,
            variable: &variable,
            wanted: 0,
            matches: values.len(),
            found: !values.is_empty(),
            values,
            has_default: true,
            error: None,
        };
        reported::report(cx, sample, report);
    }
}

/// What a path found.
enum Found {
    One(String),
    /// An array, as a whole and its members.
    Many(String, Vec<String>),
}

fn read(path: &Result<JsonPath, PathError>, pieces: &[Piece<'_>], budget: &Budget) -> Option<Found> {
    let piece = pieces.first()?;
    let text = piece.text();
    let path = path.as_ref().ok()?;
    if let Some(value) = json_document::find(path, piece, &text) {
        return found(&value, budget);
    }
    let document = JsonDocument::of(&[path], piece, &text, budget);
    found(&*document.value(path, budget).ok()?, budget)
}

fn found(value: &Json<'_>, budget: &Budget) -> Option<Found> {
    let shown = |value: &Json<'_>| {
        let text = java_text(value);
        budget.keep(text.len()).ok().map(|()| text)
    };
    match value {
        Json::Array(members) if members.is_empty() => None,
        Json::Array(members) => {
            Some(Found::Many(shown(value)?, members.iter().map(shown).collect::<Option<_>>()?))
        }
        other => shown(other).map(Found::One),
    }
}
