//! JSON JMESPath Extractor (`org.apache.jmeter.extractor.json.jmespath.JMESPathExtractor`).

use std::rc::Rc;

use rand::Rng;
use swell_expr::{Context, Level, Template, Thrown};
use swell_plan::{Element, Severity};

use crate::field::TextField;
use crate::jmespath::{JmesPath, PathField};
use crate::json::{Json, parse_strictly};
use crate::scope::ScopeField;
use crate::{Build, Needs, PostProcessor, SampleResult, Scope};

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

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn PostProcessor> {
    let variable = build.template(element, "JMESExtractor.referenceName", "");
    if let Some(name) = variable.constant() {
        for ending in ["", "_matchNr", "_1"] {
            build.expr().names.slot(&format!("{name}{ending}"));
        }
    }
    let path = PathField::trimmed(build.template(element, PATH, ""));
    if let Some(reason) = path.problem() {
        let message = format!("the path cannot be read, so the default is taken: {reason}");
        build.note(Severity::Warning, element, Some(PATH), message, None);
    }
    Box::new(JmesPathExtractor {
        name: TextField::name_of(element, build),
        scope: ScopeField::of_extractor(element, build),
        variable,
        path,
        default: build.template(element, "JMESExtractor.defaultValue", ""),
        number: build.template(element, NUMBER, ""),
    })
}

impl PostProcessor for JmesPathExtractor {
    fn needs(&self) -> Needs {
        Needs { body: self.scope.scope != Scope::Variable, ..Needs::default() }
    }

    fn process(&self, cx: &mut Context, sample: &mut SampleResult) {
        let (variable, default) = (self.variable.eval_value(cx), self.default.eval_value(cx));
        let Some(number) = self.number(cx) else { return };
        let path = self.path.get(cx);
        clear_old(cx, &variable);
        let found = match self.texts(cx, sample) {
            None => return cx.vars.put(&variable, default),
            Some(texts) => found(&path, &texts),
        };
        match found {
            Ok(values) if values.is_empty() => {
                cx.vars.put(&variable, default);
                cx.vars.put(&format!("{variable}_matchNr"), "0");
            }
            Ok(values) => {
                save(cx, &variable, &values, number, default);
                cx.vars.put(&format!("{variable}_matchNr"), values.len().to_string());
            }
            Err(message) => {
                let name = self.name.get(cx);
                let message = format!("Error processing JSON content in {name}, message: {message}");
                cx.host.log(Level::Error, &message);
                cx.vars.put(&variable, default);
            }
        }
    }
}

impl JmesPathExtractor {
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

    /// What is searched; none if there is nothing. A variable that is not there is an error of reading.
    fn texts(&self, cx: &mut Context, sample: &SampleResult) -> Option<Vec<Option<String>>> {
        if self.scope.scope == Scope::Variable {
            return Some(vec![self.scope.variable.value(cx).map(|value| value.to_string())]);
        }
        let samples = self.scope.scope.samples(sample).into_iter();
        let bodies = samples.map(|sample| sample.body_text().into_owned());
        let texts: Vec<_> = bodies.filter(|body| !body.trim().is_empty()).map(Some).collect();
        (!texts.is_empty()).then_some(texts)
    }
}

/// What the path finds in all texts: the elements of arrays one by one, nothing for null.
fn found(path: &Result<JmesPath, String>, texts: &[Option<String>]) -> Result<Vec<String>, String> {
    let path = path.as_ref().map_err(Clone::clone)?;
    let mut all = Vec::new();
    for text in texts {
        let text = text.as_deref().ok_or("argument \"content\" is null")?;
        let document = parse_strictly(text)?;
        let value = path.search(&document)?;
        match &*value {
            Json::Null => {}
            Json::Array(members) => all.extend(members.iter().map(shown)),
            value => all.push(shown(value)),
        }
    }
    Ok(all)
}

/// Texts as they are, all else as JSON.
pub(crate) fn shown(value: &Json<'_>) -> String {
    match value {
        Json::Text(text) => text.to_string(),
        other => other.jackson_text(),
    }
}

fn save(cx: &mut Context, variable: &str, values: &[String], number: i32, default: Rc<str>) {
    match (values, number) {
        (values, ..0) => {
            for (at, value) in values.iter().enumerate() {
                cx.vars.put(&format!("{variable}_{}", at + 1), value.as_str());
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

/// Removes the count and the numbered variables of an earlier run, up to the first that is not there.
fn clear_old(cx: &mut Context, variable: &str) {
    cx.vars.remove(&format!("{variable}_matchNr"));
    let mut number = 1;
    while cx.vars.remove(&format!("{variable}_{number}")).is_some() {
        number += 1;
    }
}
