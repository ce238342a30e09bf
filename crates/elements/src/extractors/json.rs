//! JSON Extractor (`org.apache.jmeter.extractor.json.jsonpath.JSONPostProcessor`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use rand::Rng;
use swell_expr::{Context, Level, StopRequest, Template, Value};
use swell_plan::{Element, Severity};

use crate::field::TextField;
use crate::json::{self, Json};
use crate::jsonpath::{Fault, FaultKind, JsonPath};
use crate::scope::ScopeField;
use crate::{Build, Needs, PostProcessor, SampleResult, Scope};

const PATHS: &str = "JSONPostProcessor.jsonPathExprs";
const NAMES: &str = "JSONPostProcessor.referenceNames";
const DEFAULTS: &str = "JSONPostProcessor.defaultValues";
const NUMBERS: &str = "JSONPostProcessor.match_numbers";

/// Compiled paths that an extractor with changing paths keeps.
const MOST_PATHS: usize = 64;

type Compiled = Rc<Result<JsonPath, Fault>>;

struct JsonExtractor {
    name: TextField,
    scope: ScopeField,
    texts: Texts,
    /// What is extracted, where that never changes.
    constant: Option<Result<Vec<Extraction>, String>>,
    paths: RefCell<HashMap<String, Compiled>>,
    concatenate: bool,
}

struct Texts {
    names: Template,
    paths: Template,
    defaults: Template,
    numbers: Template,
}

/// One path with where its values go.
struct Extraction {
    variable: String,
    path: Compiled,
    default: Value,
    match_number: i32,
}

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn PostProcessor> {
    let texts = Texts {
        names: build.template(element, NAMES, ""),
        paths: build.template(element, PATHS, ""),
        defaults: build.template(element, DEFAULTS, ""),
        numbers: build.template(element, NUMBERS, ""),
    };
    let constant = texts.constant();
    note_problems(element, build, constant.as_ref());
    for extraction in constant.iter().flatten().flatten() {
        for ending in ["", "_matchNr", "_1", "_ALL"] {
            build.expr().names.slot(&format!("{}{ending}", extraction.variable));
        }
    }
    Box::new(JsonExtractor {
        name: TextField::name_of(element, build),
        scope: ScopeField::of_extractor(element, build),
        texts,
        constant,
        paths: RefCell::default(),
        concatenate: element.flag("JSONPostProcessor.compute_concat", false),
    })
}

fn note_problems(element: &Element, build: &dyn Build, constant: Option<&Result<Vec<Extraction>, String>>) {
    match constant {
        Some(Err(message)) => {
            let message = format!("{message}: a user stops when it comes here");
            let hint = "write as many names, paths and default values, each list separated by `;`";
            build.note(Severity::Error, element, Some(NAMES), message, Some(hint));
        }
        Some(Ok(extractions)) => {
            for fault in extractions.iter().filter_map(|extraction| extraction.path.as_ref().as_ref().err()) {
                let message = format!("a path cannot be read, so the default is taken: {}", fault.message);
                build.note(Severity::Warning, element, Some(PATHS), message, None);
            }
        }
        None => {}
    }
}

impl Texts {
    fn constant(&self) -> Option<Result<Vec<Extraction>, String>> {
        let (names, paths) = (self.names.constant()?, self.paths.constant()?);
        let (defaults, numbers) = (self.defaults.constant()?, self.numbers.constant()?);
        Some(extractions(names, paths, defaults, numbers, |path| Rc::new(JsonPath::compile(path))))
    }
}

/// Splits the lists; the error is JMeter's exception.
fn extractions(
    names: &str,
    paths: &str,
    defaults: &str,
    numbers: &str,
    compile: impl Fn(&str) -> Compiled,
) -> Result<Vec<Extraction>, String> {
    let (names, paths, defaults) = (split(names), split(paths), split(defaults));
    let numbers = match_numbers(numbers, defaults.len())?;
    if names.len() != paths.len() || names.len() != defaults.len() {
        return Err("Mismatch between number of variables, json expressions and default values".to_owned());
    }
    let lists = names.iter().zip(&paths).zip(&defaults).zip(numbers);
    let extraction = |(((name, path), default), match_number): (((&&str, &&str), &&str), i32)| Extraction {
        variable: java_trim(name).to_owned(),
        path: compile(java_trim(path)),
        default: Value::from(*default),
        match_number,
    };
    Ok(lists.map(extraction).collect())
}

/// `String.split(";")`: empty parts at the end are dropped.
fn split(text: &str) -> Vec<&str> {
    let mut parts: Vec<_> = text.split(';').collect();
    while parts.len() > 1 && parts.last() == Some(&"") {
        parts.pop();
    }
    if parts == [""] && !text.is_empty() { Vec::new() } else { parts }
}

fn java_trim(text: &str) -> &str {
    text.trim_matches(|c| c <= ' ')
}

fn match_numbers(text: &str, length: usize) -> Result<Vec<i32>, String> {
    let mut numbers = vec![0; length];
    if text.trim().is_empty() {
        return Ok(numbers);
    }
    for (i, part) in split(text).into_iter().enumerate() {
        let part = java_trim(part);
        let number = part.parse().map_err(|_| format!("match number: For input string: \"{part}\""))?;
        match numbers.get_mut(i) {
            Some(place) => *place = number,
            None => return Err(format!("match number: Index {i} out of bounds for length {length}")),
        }
    }
    Ok(numbers)
}

impl PostProcessor for JsonExtractor {
    fn needs(&self) -> Needs {
        Needs { body: self.scope.scope != Scope::Variable, ..Needs::default() }
    }

    fn process(&self, cx: &mut Context, sample: &mut SampleResult) {
        let made;
        let extractions = if let Some(constant) = &self.constant {
            constant
        } else {
            made = self.evaluated(cx);
            &made
        };
        match extractions {
            Ok(extractions) => self.extract(cx, sample, extractions),
            Err(message) => {
                cx.host.log(Level::Error, message);
                cx.stop = cx.stop.max(Some(StopRequest::User));
            }
        }
    }
}

impl JsonExtractor {
    fn evaluated(&self, cx: &mut Context) -> Result<Vec<Extraction>, String> {
        let Texts { names, paths, defaults, numbers } = &self.texts;
        let [names, paths, defaults, numbers] = [names, paths, defaults, numbers].map(|text| text.text(cx));
        extractions(&names, &paths, &defaults, &numbers, |path| self.path(path))
    }

    fn path(&self, text: &str) -> Compiled {
        let mut paths = self.paths.borrow_mut();
        if let Some(path) = paths.get(text) {
            return path.clone();
        }
        if paths.len() >= MOST_PATHS {
            paths.clear();
        }
        let path: Compiled = Rc::new(JsonPath::compile(text));
        paths.insert(text.to_owned(), path.clone());
        path
    }

    fn extract(&self, cx: &mut Context, sample: &SampleResult, extractions: &[Extraction]) {
        let variable;
        let bodies: Vec<_>;
        let texts: Vec<&str> = if self.scope.scope == Scope::Variable {
            variable = self.scope.variable.value(cx);
            vec![variable.as_deref().unwrap_or_default()]
        } else {
            bodies = self.scope.scope.samples(sample).into_iter().map(SampleResult::body_text).collect();
            bodies.iter().map(|body| &**body).filter(|body| !body.trim().is_empty()).collect()
        };
        let documents: Vec<_> = texts.into_iter().map(document).collect();
        for extraction in extractions {
            self.extract_one(cx, &documents, extraction);
        }
    }

    fn extract_one(&self, cx: &mut Context, documents: &[Result<Json<'_>, String>], extraction: &Extraction) {
        let Extraction { variable, default, .. } = extraction;
        clear_old(cx, variable);
        if documents.is_empty() {
            cx.vars.put(variable, default.clone());
            return;
        }
        match values(documents, &extraction.path) {
            Ok(values) => self.save(cx, extraction, &values),
            Err(message) => {
                let name = self.name.get(cx);
                let message = format!("Error processing JSON content in {name}, message: {message}");
                cx.host.log(Level::Error, &message);
                cx.vars.put(variable, default.clone());
            }
        }
    }

    fn save(&self, cx: &mut Context, extraction: &Extraction, values: &[Option<Value>]) {
        let Extraction { variable, default, match_number, .. } = extraction;
        let all = *match_number < 0;
        let text = |at: usize| values[at].clone().unwrap_or_else(|| default.clone());
        let concatenated = (all && self.concatenate).then(|| {
            let texts: Vec<_> = (0..values.len()).map(text).collect();
            texts.join(",")
        });
        if let Some(concatenated) = concatenated {
            cx.vars.put(&format!("{variable}_ALL"), concatenated);
        }
        match (values.len(), *match_number) {
            (0, _) => cx.vars.put(variable, default.clone()),
            (count, ..0) => {
                for at in 0..count {
                    cx.vars.put(&format!("{variable}_{}", at + 1), text(at));
                }
            }
            (1, _) => cx.vars.put(variable, text(0)),
            (count, 0) => {
                let chosen = cx.random.random_range(0..count);
                cx.vars.put(variable, text(chosen));
            }
            (count, wanted) => {
                let at = wanted as usize - 1;
                cx.vars.put(variable, if at < count { text(at) } else { default.clone() });
            }
        }
        if values.is_empty() || *match_number != 0 {
            cx.vars.put(&format!("{variable}_matchNr"), values.len().to_string());
        }
    }
}

fn document(text: &str) -> Result<Json<'_>, String> {
    if text.is_empty() { Err("json can not be null or empty".to_owned()) } else { json::parse(text) }
}

/// What a path finds in all documents, as texts; null is none. A path that is not there finds nothing.
fn values(
    documents: &[Result<Json<'_>, String>],
    path: &Result<JsonPath, Fault>,
) -> Result<Vec<Option<Value>>, String> {
    let path = path.as_ref().map_err(|fault| fault.message.clone())?;
    let mut values = Vec::new();
    for document in documents {
        let document = document.as_ref().map_err(Clone::clone)?;
        match path.read_list(document) {
            Ok(found) => {
                values.extend(found.iter().map(|value| value.found_text().map(|text| Value::from(&*text))));
            }
            Err(fault) if fault.kind == FaultKind::NotFound => {}
            Err(fault) => return Err(fault.message),
        }
    }
    Ok(values)
}

/// Removes the count and the numbered variables of an earlier run, up to the first that is not there.
fn clear_old(cx: &mut Context, variable: &str) {
    cx.vars.remove(&format!("{variable}_matchNr"));
    let mut number = 1;
    while cx.vars.remove(&format!("{variable}_{number}")).is_some() {
        number += 1;
    }
}
