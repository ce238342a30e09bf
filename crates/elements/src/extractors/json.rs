//! JSON Extractor (`org.apache.jmeter.extractor.json.jsonpath.JSONPostProcessor`).

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use rand::Rng;
use swell_api::{
    Compat, CompileContext, Needs, Placement, PostProcessor, SampleResult, Scope, StepProgress, YieldBudget,
};
use swell_budget::Budget;
use swell_expr::{Context, Level, Slot, Template, Thrown, Value};
use swell_plan::{Element, Severity};
use swell_query::json::Json;
use swell_query::jsonpath::{JsonPath, PathError, PathErrorKind};

use super::LOST;
use crate::field::TextField;
use crate::heavy::{Cost, Shared, Task, VARIABLE_BYTES, let_go, search_given_up};
use crate::json_document::{self, JsonDocument};
use crate::numbered::{NumberedSlots, clear_numbered, clear_numbered_from};
use crate::reported::{self, Report};
use crate::scope::ScopeField;
use crate::subject::{Piece, SamplePart, Subject};

const PATHS: &str = "JSONPostProcessor.jsonPathExprs";
const NAMES: &str = "JSONPostProcessor.referenceNames";
const DEFAULTS: &str = "JSONPostProcessor.defaultValues";
const NUMBERS: &str = "JSONPostProcessor.match_numbers";

/// Compiled paths that an extractor with changing paths keeps.
const MOST_PATHS: usize = 64;

type Compiled = Arc<Result<JsonPath, PathError>>;

struct JsonExtractor {
    name: TextField,
    scope: ScopeField,
    texts: Texts,
    /// What is extracted, where that never changes.
    constant: Option<Result<Extractions, Thrown>>,
    paths: RefCell<HashMap<String, Compiled>>,
    concatenate: bool,
}

struct Texts {
    names: Template,
    paths: Template,
    defaults: Template,
    keeps_empty: bool,
    numbers: Template,
}

/// What is extracted.
struct Extractions {
    list: Vec<Extraction>,
    /// What is asked for each.
    questions: Arc<Vec<PathQuestion>>,
}

/// A path, and which of the values that it finds.
struct PathQuestion {
    path: Compiled,
    /// From 1 on; 0: any, negative: all.
    wanted: i32,
}

impl PathQuestion {
    /// Whether the text of a value is used; that of the first is, where it is the only one.
    fn uses(&self, at: usize) -> bool {
        self.wanted <= 0 || at == 0 || at + 1 == self.wanted as usize
    }
}

/// Where the values of a path go.
struct Extraction {
    variable: String,
    /// Places of the variables that are set or removed each time; none where the name changes.
    places: Option<Places>,
    default: Value,
    match_number: i32,
}

/// Where an extraction's variables are.
struct Places {
    variable: Slot,
    count: Slot,
    first: Slot,
    all: NumberedSlots,
}

impl Extraction {
    fn put(&self, cx: &mut Context, value: Value) {
        match &self.places {
            Some(places) => cx.vars.put_slot(places.variable, value),
            None => cx.vars.put(&self.variable, value),
        }
    }

    fn put_count(&self, cx: &mut Context, count: usize) {
        let text: Value = if count == 1 { "1".into() } else { count.to_string().into() };
        match &self.places {
            Some(places) => cx.vars.put_slot(places.count, text),
            None => cx.vars.put(&format!("{}_matchNr", self.variable), text),
        }
    }

    fn put_numbered(&self, cx: &mut Context, number: usize, value: Value) {
        match &self.places {
            Some(places) => places.all.put(cx, &self.variable, number, value),
            None => cx.vars.put(&format!("{}_{number}", self.variable), value),
        }
    }

    /// Removes the count and the numbered variables of an earlier run, up to the first that is not
    /// there.
    async fn clear_old(&self, cx: &mut Context, pace: &mut YieldBudget) {
        let Some(places) = &self.places else {
            cx.vars.remove(&format!("{}_matchNr", self.variable));
            return clear_numbered(cx, &self.variable, pace).await;
        };
        cx.vars.take_slot(places.count);
        if cx.vars.take_slot(places.first).is_some() {
            pace.steps(1).await;
            clear_numbered_from(2, cx, &self.variable, pace).await;
        }
    }
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn PostProcessor> {
    let texts = Texts {
        names: compile.template(element, NAMES, ""),
        paths: compile.template(element, PATHS, ""),
        defaults: compile.template(element, DEFAULTS, ""),
        numbers: compile.template(element, NUMBERS, ""),
        keeps_empty: Compat::is_6(&compile.props),
    };
    let mut constant = texts.constant();
    note_problems(element, compile, constant.as_ref());
    for extraction in constant.iter_mut().flatten().flat_map(|extractions| &mut extractions.list) {
        let place = |ending| compile.expr.names.slot(&format!("{}{ending}", extraction.variable));
        place("_ALL");
        extraction.places = Some(Places {
            variable: place(""),
            count: place("_matchNr"),
            first: place("_1"),
            all: NumberedSlots::default(),
        });
    }
    Box::new(JsonExtractor {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_extractor(element, compile),
        texts,
        constant,
        paths: RefCell::default(),
        concatenate: element.flag("JSONPostProcessor.compute_concat", false),
    })
}

fn note_problems(
    element: &Element,
    compile: &CompileContext,
    constant: Option<&Result<Extractions, Thrown>>,
) {
    match constant {
        Some(Err(thrown)) => {
            let message = format!("{thrown}: {LOST}");
            let hint = "give the same number of names, paths and default values, separated by `;`, and \
                        whole match numbers";
            compile.note(Severity::Warning, element, Some(NAMES), message, Some(hint));
        }
        Some(Ok(extractions)) => {
            for fault in extractions.questions.iter().filter_map(|asked| asked.path.as_ref().as_ref().err()) {
                let message = format!("invalid path, so the default is used: {}", fault.message);
                compile.note(Severity::Warning, element, Some(PATHS), message, None);
            }
        }
        None => {}
    }
}

impl Texts {
    fn constant(&self) -> Option<Result<Extractions, Thrown>> {
        let names = self.names.constant()?;
        let paths = self.paths.constant()?;
        let defaults = self.defaults.constant()?;
        let numbers = self.numbers.constant()?;
        let defaults = self.split_defaults(defaults);
        Some(extractions(names, paths, &defaults, numbers, |path| Arc::new(JsonPath::compile(path))))
    }

    /// JMeter 6.0 keeps empty default values at the end.
    fn split_defaults<'t>(&self, defaults: &'t str) -> Vec<&'t str> {
        if self.keeps_empty { defaults.split(';').collect() } else { split(defaults) }
    }
}

/// Splits the lists; the error is JMeter's exception.
fn extractions(
    names: &str,
    paths: &str,
    defaults: &[&str],
    numbers: &str,
    compile: impl Fn(&str) -> Compiled,
) -> Result<Extractions, Thrown> {
    let names = split(names);
    let paths = split(paths);
    let numbers = match_numbers(numbers, defaults.len())?;
    if names.len() != paths.len() || names.len() != defaults.len() {
        let message = "Mismatch between number of variables, json expressions and default values";
        return Err(Thrown { class: "java.lang.IllegalArgumentException", message: message.to_owned() });
    }
    let lists = names.iter().zip(defaults).zip(numbers);
    let extraction = |((name, default), match_number): ((&&str, &&str), i32)| Extraction {
        variable: java_trim(name).to_owned(),
        places: None,
        default: Value::from(*default),
        match_number,
    };
    let list: Vec<Extraction> = lists.map(extraction).collect();
    let question = |(path, extraction): (&&str, &Extraction)| PathQuestion {
        path: compile(java_trim(path)),
        wanted: extraction.match_number,
    };
    let questions = paths.iter().zip(&list).map(question).collect();
    Ok(Extractions { questions: Arc::new(questions), list })
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

fn match_numbers(text: &str, length: usize) -> Result<Vec<i32>, Thrown> {
    let mut numbers = vec![0; length];
    if text.trim().is_empty() {
        return Ok(numbers);
    }
    for (i, part) in split(text).into_iter().enumerate() {
        let part = java_trim(part);
        let no_number = |_| Thrown {
            class: "java.lang.NumberFormatException",
            message: format!("For input string: \"{part}\""),
        };
        let number = part.parse().map_err(no_number)?;
        let no_place = || Thrown {
            class: "java.lang.ArrayIndexOutOfBoundsException",
            message: format!("Index {i} out of bounds for length {length}"),
        };
        *numbers.get_mut(i).ok_or_else(no_place)? = number;
    }
    Ok(numbers)
}

impl PostProcessor for JsonExtractor {
    fn needs(&self) -> Needs {
        Needs { body: self.scope.scope != Scope::Variable, ..Needs::default() }
    }

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepProgress<'a> {
        let is_tiny = || Cost::Json.is_tiny(Subject::BODY.bytes(sample));
        let placement = Placement::of(self.scope.scope == Scope::Parent && self.is_simple() && is_tiny());
        placement.run(self.work(placement, cx, sample))
    }
}

/// Paths that are followed on the loop whatever they are.
const FEW_PATHS: usize = 4;

impl JsonExtractor {
    /// Whether what it does on a small text is little.
    fn is_simple(&self) -> bool {
        let Some(Ok(extractions)) = &self.constant else { return false };
        let simple = |asked: &PathQuestion| asked.path.as_ref().as_ref().is_ok_and(JsonPath::is_simple);
        extractions.questions.len() <= FEW_PATHS && extractions.questions.iter().all(simple)
    }

    async fn work(&self, placement: Placement, cx: &mut Context, sample: &mut SampleResult) {
        let made;
        let extractions = if let Some(constant) = &self.constant {
            constant
        } else {
            made = self.evaluated(cx);
            &made
        };
        match extractions {
            Ok(extractions) => self.extract(placement, cx, sample, extractions).await,
            Err(thrown) => {
                cx.thrown.get_or_insert_with(|| Box::new(thrown.clone()));
            }
        }
    }

    fn evaluated(&self, cx: &mut Context) -> Result<Extractions, Thrown> {
        let Texts { names, paths, defaults, numbers, .. } = &self.texts;
        let [names, paths, defaults, numbers] = [names, paths, defaults, numbers].map(|text| text.text(cx));
        let defaults = self.texts.split_defaults(&defaults);
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
        let path: Compiled = Arc::new(JsonPath::compile(text));
        paths.insert(text.to_owned(), path.clone());
        path
    }

    async fn extract(
        &self,
        placement: Placement,
        cx: &mut Context,
        sample: &mut SampleResult,
        extractions: &Extractions,
    ) {
        let subject = if self.scope.scope == Scope::Variable {
            Subject::Value(Some(self.scope.variable.value(cx).unwrap_or_default()))
        } else {
            Subject::Samples(self.scope.scope, SamplePart::Body)
        };
        let is_variable = matches!(subject, Subject::Value(_));
        let task = Task { name: &self.name, cost: Cost::Outline, placement, subject: &subject };
        let questions = Shared::Constant(&extractions.questions);
        let is_reported = reported::is_wanted(cx);
        let found = task.ask(cx, sample, &questions, move |questions, pieces, budget| {
            search(questions, (is_variable, is_reported), pieces, budget)
        });
        let found = found.await;
        let mut pace = YieldBudget::new(placement);
        let reports = is_reported.then(|| found.clone().unwrap_or_default());
        let mut found = found.map(Vec::into_iter);
        for extraction in &extractions.list {
            extraction.clear_old(cx, &mut pace).await;
            match found.as_mut().and_then(Iterator::next) {
                None => extraction.put(cx, extraction.default.clone()),
                Some(values) => self.store(cx, extraction, values, &mut pace).await,
            }
        }
        if let Some(found) = reports {
            self.report(cx, sample, &subject, extractions, &found);
        }
    }

    /// Reports what each path found.
    fn report(
        &self,
        cx: &mut Context,
        sample: &SampleResult,
        subject: &Subject,
        extractions: &Extractions,
        found: &[PathResult],
    ) {
        let paths = self.texts.paths.eval(cx).into_owned();
        let paths = split(&paths);
        for (at, extraction) in extractions.list.iter().enumerate() {
            let wanted = i64::from(extraction.match_number);
            let (values, error) = match found.get(at) {
                Some(Ok(values)) => (values.clone(), None),
                Some(Err(message)) => (Vec::new(), Some(message.clone())),
                None => (Vec::new(), None),
            };
            let count = values.len() as i64;
            let report = Report {
                language: "json",
                expression: paths.get(at).map_or(String::new(), |path| java_trim(path).to_owned()),
                subject,
                variable: &extraction.variable,
                wanted,
                matches: values.len(),
                found: if wanted > 0 { count == 1 || count >= wanted } else { count > 0 },
                values: values.into_iter().map(|value| value.unwrap_or_else(|| "null".to_owned())).collect(),
                has_default: true,
                error,
            };
            reported::report(cx, sample, report);
        }
    }

    async fn store(
        &self,
        cx: &mut Context,
        extraction: &Extraction,
        values: PathResult,
        pace: &mut YieldBudget,
    ) {
        match values {
            Ok(values) => {
                self.save(cx, extraction, &values, pace).await;
                let_go(cx, values).await;
            }
            Err(message) => {
                let name = self.name.get(cx);
                let message = format!("Error processing JSON content in {name}, message: {message}");
                cx.host.log(Level::Error, &message);
                extraction.put(cx, extraction.default.clone());
            }
        }
    }

    async fn save(
        &self,
        cx: &mut Context,
        extraction: &Extraction,
        values: &[Option<String>],
        pace: &mut YieldBudget,
    ) {
        let Extraction { variable, default, match_number, .. } = extraction;
        let all = *match_number < 0;
        let text = |at: usize| values[at].as_deref().map_or_else(|| default.clone(), Value::from);
        if all && self.concatenate {
            let texts: Vec<_> = values.iter().map(|value| value.as_deref().unwrap_or(default)).collect();
            cx.vars.put(&format!("{variable}_ALL"), texts.join(","));
        }
        match (values.len(), *match_number) {
            (0, _) => extraction.put(cx, default.clone()),
            (count, ..0) => {
                for at in 0..count {
                    extraction.put_numbered(cx, at + 1, text(at));
                    pace.steps(1).await;
                }
            }
            (1, _) => extraction.put(cx, text(0)),
            (count, 0) => {
                let chosen = cx.random.random_range(0..count);
                extraction.put(cx, text(chosen));
            }
            (count, wanted) => {
                let at = wanted as usize - 1;
                extraction.put(cx, if at < count { text(at) } else { default.clone() });
            }
        }
        if values.is_empty() || *match_number != 0 {
            extraction.put_count(cx, values.len());
        }
    }
}

/// What a path finds, null and what is not used as none; or JMeter's message.
type PathResult = Result<Vec<Option<String>>, String>;

/// A text as it was read.
enum Document<'d> {
    /// What each path finds, without a look at the rest.
    Found(Vec<Json<'d>>),
    Read(JsonDocument<'d>),
    Empty,
}

/// What each path finds in all texts. None where there is nothing to look at: bodies of blanks do
/// not count. `is_reported`: the text of each value is used.
fn search(
    questions: &[PathQuestion],
    (is_variable, is_reported): (bool, bool),
    pieces: &[Piece<'_>],
    budget: &Budget,
) -> Option<Vec<PathResult>> {
    // The usual case needs no lists.
    let mut walked = None;
    if let ([asked], [piece]) = (questions, pieces)
        && let Ok(path) = &*asked.path
        && let text = piece.text()
        && (is_variable || !text.trim().is_empty())
    {
        if let Some(value) = json_document::find(path, piece, &text) {
            return Some(vec![text_of(&value, budget).map(|text| vec![text])]);
        }
        walked = Some((piece, text));
    }
    let is_walked = walked.is_some();
    let texts: Vec<_> = match walked {
        Some(walked) => vec![walked],
        None => pieces.iter().map(|piece| (piece, piece.text())).collect(),
    };
    let texts = texts.iter().filter(|(_, text)| is_variable || !text.trim().is_empty());
    let compiled: Result<Vec<&JsonPath>, _> =
        questions.iter().map(|asked| asked.path.as_ref().as_ref()).collect();
    let compiled = compiled.unwrap_or_default();
    let documents: Vec<_> =
        texts.map(|(piece, text)| document(&compiled, is_walked, piece, text, budget)).collect();
    let each = questions.iter().enumerate();
    let values = |(at, asked)| values(&documents, at, asked, is_reported, budget);
    (!documents.is_empty()).then(|| each.map(values).collect())
}

/// `is_walked`: a walk over the text found nothing of these paths.
fn document<'d>(
    paths: &[&JsonPath],
    is_walked: bool,
    piece: &Piece<'_>,
    text: &'d str,
    budget: &Budget,
) -> Document<'d> {
    let found = if is_walked { None } else { json_document::find_all(paths, piece, text) };
    match found {
        Some(found) => Document::Found(found),
        None if text.is_empty() => Document::Empty,
        None => Document::Read(JsonDocument::of(paths, piece, text, budget)),
    }
}

/// What the path at this place finds in all documents, as texts. A path that is not there finds
/// nothing.
fn values(
    documents: &[Document<'_>],
    at: usize,
    asked: &PathQuestion,
    is_reported: bool,
    budget: &Budget,
) -> PathResult {
    let path = asked.path.as_ref().as_ref().map_err(|fault| fault.message.clone())?;
    let mut values = Vec::new();
    for document in documents {
        let document = match document {
            Document::Found(found) => {
                values.push(text_of(&found[at], budget)?);
                continue;
            }
            Document::Empty => return Err("json can not be null or empty".to_owned()),
            Document::Read(document) => document,
        };
        match document.list(path, budget) {
            Ok(found) => {
                for value in &found {
                    let is_used = is_reported || asked.uses(values.len());
                    values.push(if is_used { text_of(value, budget)? } else { None });
                }
            }
            Err(fault) if fault.kind == PathErrorKind::NotFound => {}
            Err(fault) => return Err(fault.message),
        }
    }
    Ok(values)
}

/// A found value as a variable has it; or that the search was given up.
fn text_of(value: &Json<'_>, budget: &Budget) -> Result<Option<String>, String> {
    let text = value.found_text().map(Cow::into_owned);
    let size = text.as_ref().map_or(0, String::len);
    budget.work(size as u64).and_then(|()| budget.keep(size + VARIABLE_BYTES)).map_err(search_given_up)?;
    Ok(text)
}
