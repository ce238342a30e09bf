//! JSON JMESPath Extractor (`org.apache.jmeter.extractor.json.jmespath.JMESPathExtractor`).

use std::rc::Rc;

use crate::jmespath::JmesPath;
use rand::Rng;
use swell_api::{Compile, Needs, Placement, PostProcessor, SampleResult, Scope, StepRun, YieldBudget};
use swell_budget::Budget;
use swell_expr::{Context, Level, Template, Thrown};
use swell_plan::{Element, Severity};
use swell_query::json::{Json, parse_strictly};

use super::jmespath_field::PathField;
use swell_elements::field::TextField;
use swell_elements::heavy::{Cost, Task, let_go};
use swell_elements::heavy::{VARIABLE_BYTES, search_given_up};
use swell_elements::numbered::clear_old;
use swell_elements::scope::ScopeField;
use swell_elements::subject::{Piece, SamplePart, Subject};

const PATH: &str = "JMESExtractor.jmesPathExpr";
const NUMBER: &str = "JMESExtractor.matchNumber";

struct JmesPathExtractor {
    name: TextField,
    scope: ScopeField,
    variable: Template,
    path: PathField,
    default: Template,
    number: Template,
}

pub(crate) fn build(element: &Element, compile: &Compile) -> Box<dyn PostProcessor> {
    let variable = compile.template(element, "JMESExtractor.referenceName", "");
    if let Some(name) = variable.constant() {
        for ending in ["", "_matchNr", "_1"] {
            compile.expr.names.slot(&format!("{name}{ending}"));
        }
    }
    let path = PathField::trimmed(compile.template(element, PATH, ""));
    if let Some(reason) = path.problem() {
        let message = format!("the path cannot be read, so the default is taken: {reason}");
        compile.note(Severity::Warning, element, Some(PATH), message, None);
    }
    Box::new(JmesPathExtractor {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_extractor(element, compile),
        variable,
        path,
        default: compile.template(element, "JMESExtractor.defaultValue", ""),
        number: compile.template(element, NUMBER, ""),
    })
}

impl PostProcessor for JmesPathExtractor {
    fn needs(&self) -> Needs {
        Needs { body: self.scope.scope != Scope::Variable, ..Needs::default() }
    }

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepRun<'a> {
        let is_tiny = self.scope.scope == Scope::Parent && Cost::Json.is_tiny(Subject::BODY.bytes(sample));
        let placement = Placement::of(is_tiny);
        placement.run(self.work(placement, cx, sample))
    }
}

impl JmesPathExtractor {
    async fn work(&self, placement: Placement, cx: &mut Context, sample: &mut SampleResult) {
        let (variable, default) = (self.variable.eval_value(cx), self.default.eval_value(cx));
        let Some(number) = self.number(cx) else { return };
        let path = self.path.get(cx);
        let mut pace = YieldBudget::new(placement);
        clear_old(cx, &variable, &mut pace).await;
        let subject = if self.scope.scope == Scope::Variable {
            Subject::Value(self.scope.variable.value(cx))
        } else {
            Subject::Samples(self.scope.scope, SamplePart::Body)
        };
        let is_variable = matches!(subject, Subject::Value(_));
        let task = Task { name: &self.name, cost: Cost::Json, placement, subject: &subject };
        let found = task
            .ask(cx, sample, &path, move |path, pieces, budget| search(path, is_variable, pieces, budget));
        match found.await {
            None => cx.vars.put(&variable, default),
            Some(Ok(values)) if values.is_empty() => {
                cx.vars.put(&variable, default);
                cx.vars.put(&format!("{variable}_matchNr"), "0");
            }
            Some(Ok(values)) => {
                save(cx, &variable, &values, number, default, &mut pace).await;
                cx.vars.put(&format!("{variable}_matchNr"), values.len().to_string());
                let_go(cx, values).await;
            }
            Some(Err(message)) => {
                let name = self.name.get(cx);
                let message = format!("Error processing JSON content in {name}, message: {message}");
                cx.host.log(Level::Error, &message);
                cx.vars.put(&variable, default);
            }
        }
    }

    /// The match number; none where it is no number, which is an exception.
    fn number(&self, cx: &mut Context) -> Option<i32> {
        let text = self.number.text(cx);
        if text.trim().is_empty() {
            return Some(0);
        }
        let number = text.parse().ok();
        if number.is_none() {
            let message = format!("For input string: \"{}\"", &*text);
            let thrown = Thrown { class: "java.lang.NumberFormatException", message };
            cx.thrown.get_or_insert_with(|| Box::new(thrown));
        }
        number
    }
}

/// What the path finds in all texts: the elements of arrays one by one, nothing for null. None where there is nothing to look at. A
/// variable that is not there is an error of reading.
fn search(
    path: &Result<JmesPath, String>,
    is_variable: bool,
    pieces: &[Piece<'_>],
    budget: &Budget,
) -> Option<Result<Vec<String>, String>> {
    let texts: Vec<_> = pieces.iter().map(Piece::text).collect();
    let texts: Vec<_> = texts.iter().filter(|text| is_variable || !text.trim().is_empty()).collect();
    if texts.is_empty() && !is_variable {
        return None;
    }
    let path = match path {
        Ok(path) => path,
        Err(message) => return Some(Err(message.clone())),
    };
    if texts.is_empty() {
        return Some(Err("argument \"content\" is null".to_owned()));
    }
    let mut all = Vec::new();
    let found = texts.into_iter().try_for_each(|text| add_found(path, text, &mut all, budget));
    Some(found.map(|()| all))
}

fn add_found(path: &JmesPath, text: &str, all: &mut Vec<String>, budget: &Budget) -> Result<(), String> {
    let document = parse_strictly(text)?;
    let value = path.search(&document)?;
    let members = match &*value {
        Json::Null => &[],
        Json::Array(members) => &**members,
        value => std::slice::from_ref(value),
    };
    for member in members {
        let text = shown(member);
        budget.keep(text.len() + VARIABLE_BYTES).map_err(search_given_up)?;
        all.push(text);
    }
    Ok(())
}

/// Texts as they are, all else as JSON.
pub(crate) fn shown(value: &Json<'_>) -> String {
    match value {
        Json::Text(text) => text.to_string(),
        other => other.jackson_text(),
    }
}

async fn save(
    cx: &mut Context,
    variable: &str,
    values: &[String],
    number: i32,
    default: Rc<str>,
    pace: &mut YieldBudget,
) {
    match (values, number) {
        (values, ..0) => {
            for (at, value) in values.iter().enumerate() {
                cx.vars.put(&format!("{variable}_{}", at + 1), value.as_str());
                pace.steps(1).await;
            }
        }
        ([only], _) => cx.vars.put(variable, only.as_str()),
        (values, 0) => {
            let at = cx.random.random_range(0..values.len());
            cx.vars.put(variable, values[at].as_str());
        }
        (values, number) => match values.get(number as usize - 1) {
            Some(value) => cx.vars.put(variable, value.as_str()),
            None => cx.vars.put(variable, default),
        },
    }
}
