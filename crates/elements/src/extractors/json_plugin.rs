//! jp@gc - JSON Path Extractor (`com.atlantbh.jmeter.plugins.jsonutils.jsonpathextractor.JSONPathExtractor`).

use std::rc::Rc;

use swell_expr::{Context, Template};
use swell_plan::{Element, Severity};

use crate::assertions::java_text;
use crate::json::{self, Json};
use crate::jsonpath::{Fault, JsonPath};
use crate::{Build, Needs, PostProcessor, SampleResult};

struct Extractor {
    variable: Template,
    path: Template,
    compiled: Option<Rc<Result<JsonPath, Fault>>>,
    default: Template,
    /// The variable that is read, where it is not the body.
    source: Option<Template>,
}

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn PostProcessor> {
    note_yaml(element, build);
    let path = build.template(element, "JSONPATH", "");
    let compiled = path.constant().map(|text| Rc::new(JsonPath::compile(text)));
    if let Some(Err(fault)) = compiled.as_deref() {
        let message = format!("the path cannot be read, so the default is taken: {}", fault.message);
        build.note(Severity::Warning, element, Some("JSONPATH"), message, None);
    }
    let from_variable = element.text("SUBJECT") == Some("VAR");
    Box::new(Extractor {
        variable: build.template(element, "VAR", ""),
        path,
        compiled,
        default: build.template(element, "DEFAULT", ""),
        source: from_variable.then(|| build.template(element, "VARIABLE", "")),
    })
}

/// YAML is read by nobody here.
pub(crate) fn note_yaml(element: &Element, build: &dyn Build) {
    if element.text("INPUT_FORMAT") == Some("YAML") {
        let message = "YAML is not read yet".to_owned();
        build.note(Severity::Error, element, Some("INPUT_FORMAT"), message, Some("JSON"));
    }
}

impl PostProcessor for Extractor {
    fn needs(&self) -> Needs {
        Needs { body: self.source.is_none(), ..Needs::default() }
    }

    fn process(&self, cx: &mut Context, sample: &mut SampleResult) {
        let variable = self.variable.eval(cx).into_owned();
        let found = match &self.source {
            None => self.read(cx, &sample.body_text()),
            Some(source) => {
                let source = source.eval(cx).into_owned();
                let text = cx.vars.get(&source).cloned();
                text.and_then(|text| self.read(cx, &text))
            }
        };
        match found {
            Some(Found::One(text)) => cx.vars.put(&variable, text),
            Some(Found::Many(whole, texts)) => {
                cx.vars.put(&variable, whole);
                cx.vars.put(&format!("{variable}_matchNr"), texts.len().to_string());
                clear_old(cx, &variable);
                for (number, text) in (1..).zip(texts) {
                    cx.vars.put(&format!("{variable}_{number}"), text);
                }
            }
            None => {
                let default = self.default.eval_value(cx);
                cx.vars.put(&variable, default);
                cx.vars.put(&format!("{variable}_matchNr"), "0");
                clear_old(cx, &variable);
            }
        }
    }
}

/// What a path found.
enum Found {
    One(String),
    /// An array, as a whole and its members.
    Many(String, Vec<String>),
}

impl Extractor {
    fn read(&self, cx: &mut Context, text: &str) -> Option<Found> {
        let document = json::parse(text).ok()?;
        let compiled = match &self.compiled {
            Some(compiled) => compiled.clone(),
            None => Rc::new(JsonPath::compile(&self.path.text(cx))),
        };
        let path = compiled.as_ref().as_ref().ok()?;
        let value = path.read(&document).ok()?;
        match &*value {
            Json::Array(members) if members.is_empty() => None,
            Json::Array(members) => {
                Some(Found::Many(java_text(&value), members.iter().map(java_text).collect()))
            }
            other => Some(Found::One(java_text(other))),
        }
    }
}

fn clear_old(cx: &mut Context, variable: &str) {
    let mut number = 1;
    while cx.vars.remove(&format!("{variable}_{number}")).is_some() {
        number += 1;
    }
}
