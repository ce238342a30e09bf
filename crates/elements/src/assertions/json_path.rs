//! JSON Assertion (`org.apache.jmeter.assertions.JSONPathAssertion`), and jp@gc's JSON Path
//! Assertion, from which it was derived
//! (`com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion`).

use std::sync::Arc;

use swell_api::{
    Assertion, AssertionResult, CompileContext, Needs, Placement, SampleResult, StepProgress, Text,
};
use swell_budget::Budget;
use swell_expr::{Context, Template};
use swell_plan::{Element, Severity};
use swell_query::json::{self, Json};
use swell_query::jsonpath::{JsonPath, PathError};
use swell_regex::{BadPattern, Dialect, Reach, Regex};

use crate::extractors::note_yaml;
use crate::field::TextField;
use crate::heavy::{Cost, Shared, Task};
use crate::json_document::{self, JsonDocument};
use crate::pattern::{PatternField, dialect, given_up};
use crate::reported;
use crate::subject::{Piece, Subject};

const PATH: &str = "JSON_PATH";
const EXPECTED: &str = "EXPECTED_VALUE";

#[expect(clippy::struct_excessive_bools, reason = "independent check boxes of the element, and its kind")]
struct JsonPathAssertion {
    name: TextField,
    path: Template,
    compiled: Option<Arc<Result<JsonPath, PathError>>>,
    expected: Expected,
    expected_text: Template,
    validates: bool,
    expects_null: bool,
    inverted: bool,
    /// It is the plug-in's.
    plugin: bool,
}

/// How a found value is compared.
enum Expected {
    Pattern(PatternField),
    Json,
    /// The plug-in's way.
    Text,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn Assertion> {
    make(element, compile, false)
}

/// The plug-in's.
pub(crate) fn build_plugin(element: &Element, compile: &CompileContext) -> Box<dyn Assertion> {
    note_yaml(element, compile);
    make(element, compile, true)
}

fn make(element: &Element, compile: &CompileContext, plugin: bool) -> Box<dyn Assertion> {
    let path = compile.template(element, PATH, "");
    let compiled = path.constant().map(|text| Arc::new(json_path(text)));
    if let Some(Err(fault)) = compiled.as_deref() {
        let message = format!("invalid path, so it never matches: {}", fault.message);
        compile.note(Severity::Warning, element, Some(PATH), message, None);
    }
    let validates = element.flag("JSONVALIDATION", false);
    let expected = if element.flag("ISREGEX", true) {
        let template = compile.template(element, EXPECTED, "");
        let dialect = if plugin { Dialect::Oro } else { dialect(compile) };
        let field = PatternField::new(template, dialect, Reach::Whole);
        if validates {
            field.note_problem(element, compile, EXPECTED);
        }
        Expected::Pattern(field)
    } else if plugin {
        Expected::Text
    } else {
        Expected::Json
    };
    Box::new(JsonPathAssertion {
        name: TextField::name_of(element, compile),
        path,
        compiled,
        expected,
        expected_text: compile.template(element, EXPECTED, ""),
        validates,
        expects_null: element.flag("EXPECT_NULL", false),
        inverted: element.flag("INVERT", false),
        plugin,
    })
}

impl Assertion for JsonPathAssertion {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn is_small(&self, sample: &SampleResult) -> bool {
        matches!(self.compiled.as_deref(), Some(Ok(path)) if path.is_simple())
            && (!self.validates || !matches!(&self.expected, Expected::Pattern(field) if !field.is_plain()))
            && Cost::Json.is_tiny(sample.body.len())
    }

    fn check<'a>(
        &'a self,
        cx: &'a mut Context,
        sample: &'a mut SampleResult,
    ) -> StepProgress<'a, AssertionResult> {
        let place = Placement::of(self.is_small(sample));
        place.run(self.judge(place, cx, sample))
    }
}

/// `JsonPath.read(String, String)` names an empty path otherwise than `JsonPath.compile` does.
fn json_path(path: &str) -> Result<JsonPath, PathError> {
    if path.is_empty() {
        return Err(PathError::other("path can not be null or empty"));
    }
    JsonPath::compile(path)
}

/// What is asked of a document.
struct Lookup {
    /// How a found value is compared; none where it is enough to find one.
    wanted: Option<ExpectedValue>,
    expects_null: bool,
    /// It is the plug-in that asks.
    plugin: bool,
}

/// How a found value is compared.
enum ExpectedValue {
    Pattern(Arc<Result<Regex, BadPattern>>, String),
    Json(String),
    Text(String),
}

/// Why an assertion does not hold.
enum AssertionFailure {
    /// The text of the exception that JMeter throws to itself.
    Exception(String),
    /// An indefinite path finds nothing.
    Nothing,
    /// The value is another: as Java shows it, and as it is compared.
    Other { java: String, shown: String },
    /// It takes too much.
    GivenUp(String),
}

impl JsonPathAssertion {
    async fn judge(
        &self,
        placement: Placement,
        cx: &mut Context,
        sample: &mut SampleResult,
    ) -> AssertionResult {
        let name = self.name.get(cx);
        if sample.body.is_empty() {
            return AssertionResult::failed_for_null(name);
        }
        let path = match &self.compiled {
            Some(compiled) => Shared::Constant(compiled),
            None => Shared::Owned(Arc::new(json_path(&self.path.text(cx)))),
        };
        let expects_null = self.expects_null;
        let plugin = self.plugin;
        let asked = Lookup { wanted: self.validates.then(|| self.wanted(cx)), expects_null, plugin };
        let task = Task { name: &self.name, cost: Cost::Outline, placement, subject: &Subject::BODY };
        let judged =
            task.ask(cx, sample, &path, move |path, pieces, budget| judge(path, &asked, pieces, budget));
        let judged = judged.await;
        if reported::is_wanted(cx) {
            self.report(cx, &judged);
        }
        if let Err(AssertionFailure::GivenUp(message)) = judged {
            return AssertionResult { error: true, ..AssertionResult::failed(name, message.into()) };
        }
        match (judged, self.inverted) {
            (Ok(()), true) => AssertionResult::failed(name, self.inverted_message(cx).into()),
            (Err(complaint), false) => AssertionResult::failed(name, self.message(cx, complaint).into()),
            // JMeter leaves an empty message, not none.
            _ => AssertionResult { message: Some(Text::EMPTY), ..AssertionResult::passed(name) },
        }
    }

    /// Reports what was compared.
    fn report(&self, cx: &mut Context, judged: &Result<(), AssertionFailure>) {
        let field = format!("response body at {}", self.path.eval(cx));
        let expected = self.expected_text.eval(cx).into_owned();
        let wanted = match (self.validates, self.expects_null) {
            (false, _) => "a value".to_owned(),
            (true, true) => "null".to_owned(),
            (true, false) => expected,
        };
        let got = match judged {
            Ok(()) => wanted.clone(),
            Err(AssertionFailure::Nothing) => "nothing".to_owned(),
            Err(AssertionFailure::Other { shown, .. }) => shown.clone(),
            Err(AssertionFailure::Exception(message) | AssertionFailure::GivenUp(message)) => message.clone(),
        };
        let relation = match (&self.expected, self.inverted) {
            (_, true) => "is not",
            (Expected::Pattern(_), false) => "matches",
            (_, false) => "is",
        };
        reported::measured(cx, &field, relation, wanted, got, judged.is_ok() != self.inverted);
    }

    fn wanted(&self, cx: &mut Context) -> ExpectedValue {
        let text = self.expected_text.text(cx).to_string();
        match &self.expected {
            Expected::Pattern(field) => ExpectedValue::Pattern(field.shared(&text), text),
            Expected::Json => ExpectedValue::Json(text),
            Expected::Text => ExpectedValue::Text(text),
        }
    }

    fn message(&self, cx: &mut Context, complaint: AssertionFailure) -> String {
        let path = self.path.text(cx).to_string();
        match complaint {
            AssertionFailure::Exception(message) | AssertionFailure::GivenUp(message) => message,
            AssertionFailure::Nothing => self.nothing_found(cx, &path),
            AssertionFailure::Other { java, shown } => self.mismatch(cx, &path, &java, &shown),
        }
    }

    fn nothing_found(&self, cx: &mut Context, path: &str) -> String {
        let expected = self.expected_text.text(cx);
        format!(
            "JSONPath '{path}' is indefinite and the extracted Value is an empty Array. Please use an assertion value, \
             to be sure to get a correct result. Expected value was '{}'",
            &*expected
        )
    }

    fn mismatch(&self, cx: &mut Context, path: &str, java: &str, shown: &str) -> String {
        let place = if self.plugin { "Value".to_owned() } else { format!("Value in json path '{path}'") };
        if self.expects_null {
            return format!("{place} expected to be null, but found '{java}'");
        }
        let expected = self.expected_text.text(cx);
        match self.expected {
            Expected::Pattern(_) => {
                format!("{place} expected to match regexp '{}', but it did not match: '{shown}'", &*expected)
            }
            Expected::Json | Expected::Text => {
                format!("{place} expected to be '{}', but found '{shown}'", &*expected)
            }
        }
    }

    fn inverted_message(&self, cx: &mut Context) -> String {
        let path = self.path.text(cx);
        if !self.validates {
            return format!("Failed that JSONPath not exists: {}", &*path);
        }
        if self.expects_null {
            return format!("Failed that JSONPath {} not matches null", &*path);
        }
        format!("Failed that JSONPath {} not matches {}", &*path, &*self.expected_text.text(cx))
    }
}

fn judge(
    path: &Result<JsonPath, PathError>,
    asked: &Lookup,
    pieces: &[Piece<'_>],
    budget: &Budget,
) -> Result<(), AssertionFailure> {
    let piece = pieces.first().unwrap_or(&Piece::Text(""));
    let text = piece.text();
    if let Ok(path) = path
        && let Some(value) = json_document::find(path, piece, &text)
    {
        return judge_value(path, &value, asked, budget);
    }
    let paths: Vec<_> = path.iter().collect();
    let document = JsonDocument::of(&paths, piece, &text, budget);
    if let Some(fault) = document.fault() {
        return Err(AssertionFailure::Exception(fault.to_owned()));
    }
    let path = path.as_ref().map_err(|fault| AssertionFailure::Exception(fault.message.clone()))?;
    let value = document.value(path, budget).map_err(|fault| match budget.exceeded() {
        Some(_) => AssertionFailure::GivenUp(fault.message),
        None => AssertionFailure::Exception(fault.message),
    })?;
    judge_value(path, &value, asked, budget)
}

fn judge_value(
    path: &JsonPath,
    value: &Json<'_>,
    asked: &Lookup,
    budget: &Budget,
) -> Result<(), AssertionFailure> {
    let Some(wanted) = &asked.wanted else {
        let nothing = matches!(value, Json::Array(members) if members.is_empty());
        let is_enough = !nothing || path.is_definite() || asked.plugin;
        return if is_enough { Ok(()) } else { Err(AssertionFailure::Nothing) };
    };
    let matched = match value {
        Json::Array(members) => array_matches(wanted, asked.expects_null, members, value, budget)?,
        other => (asked.expects_null && *other == Json::Null) || wanted.equals(other, budget)?,
    };
    if matched {
        Ok(())
    } else {
        Err(AssertionFailure::Other { java: value.java_text(), shown: shown(value) })
    }
}

fn array_matches(
    wanted: &ExpectedValue,
    expects_null: bool,
    members: &[Json<'_>],
    whole: &Json<'_>,
    budget: &Budget,
) -> Result<bool, AssertionFailure> {
    if members.is_empty() && wanted.text() == "[]" {
        return Ok(true);
    }
    for member in members {
        if (*member == Json::Null && expects_null) || wanted.equals(member, budget)? {
            return Ok(true);
        }
    }
    wanted.equals(whole, budget)
}

impl ExpectedValue {
    fn text(&self) -> &str {
        match self {
            Self::Pattern(_, text) | Self::Json(text) | Self::Text(text) => text,
        }
    }

    fn equals(&self, value: &Json<'_>, budget: &Budget) -> Result<bool, AssertionFailure> {
        match self {
            Self::Text(text) => Ok(shown(value) == *text),
            // What cannot be read counts as null.
            Self::Json(text) => Ok(json::parse(text).unwrap_or(Json::Null).equals(value)),
            Self::Pattern(regex, text) => match &**regex {
                Err(bad) => Err(AssertionFailure::Exception(bad.message().to_owned())),
                Ok(regex) => {
                    let matches = regex.is_match_within(&shown(value), budget);
                    matches.map_err(|_| AssertionFailure::GivenUp(given_up(text, budget)))
                }
            },
        }
    }
}

/// A value as it is compared and shown (`JSONPathAssertion.objectToString`): doubles without an
/// exponent.
pub(crate) fn shown(value: &Json<'_>) -> String {
    match value {
        Json::Double(number) if number.is_finite() => {
            let text = format!("{number}");
            if text.contains('.') { text } else { text + ".0" }
        }
        Json::Double(number) if number.is_infinite() => if *number > 0.0 { "∞" } else { "-∞" }.to_owned(),
        other => other.found_text().map_or_else(|| "null".to_owned(), std::borrow::Cow::into_owned),
    }
}
