//! JSON Assertion (`org.apache.jmeter.assertions.JSONPathAssertion`), and jp@gc's JSON Path Assertion that it was made
//! from (`com.atlantbh.jmeter.plugins.jsonutils.jsonpathassertion.JSONPathAssertion`).

use std::rc::Rc;

use swell_expr::{Context, Template};
use swell_plan::{Element, Severity};
use swell_regex::{Dialect, Reach};

use crate::extractors::note_yaml;
use crate::field::TextField;
use crate::json::{self, Json};
use crate::jsonpath::{Fault, JsonPath};
use crate::regex::{PatternField, dialect, log_exhausted};
use crate::{Assertion, AssertionResult, Build, Needs, SampleResult, Text};

const PATH: &str = "JSON_PATH";
const EXPECTED: &str = "EXPECTED_VALUE";

#[expect(clippy::struct_excessive_bools, reason = "the element's check boxes, and whose it is")]
struct JsonPathAssertion {
    name: TextField,
    path: Template,
    compiled: Option<Rc<Result<JsonPath, Fault>>>,
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

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn Assertion> {
    make(element, build, false)
}

/// The plug-in's.
pub(crate) fn build_plugin(element: &Element, build: &dyn Build) -> Box<dyn Assertion> {
    note_yaml(element, build);
    make(element, build, true)
}

fn make(element: &Element, build: &dyn Build, plugin: bool) -> Box<dyn Assertion> {
    let path = build.template(element, PATH, "");
    let compiled = path.constant().map(|text| Rc::new(JsonPath::compile(text)));
    if let Some(Err(fault)) = compiled.as_deref() {
        let message = format!("the path cannot be read, so it never matches: {}", fault.message);
        build.note(Severity::Warning, element, Some(PATH), message, None);
    }
    let validates = element.flag("JSONVALIDATION", false);
    let expected = if element.flag("ISREGEX", true) {
        let template = build.template(element, EXPECTED, "");
        let dialect = if plugin { Dialect::Oro } else { dialect(build) };
        let field = PatternField::new(template, dialect, Reach::Whole);
        if validates {
            field.note_problem(element, build, EXPECTED);
        }
        Expected::Pattern(field)
    } else if plugin {
        Expected::Text
    } else {
        Expected::Json
    };
    Box::new(JsonPathAssertion {
        name: TextField::name_of(element, build),
        path,
        compiled,
        expected,
        expected_text: build.template(element, EXPECTED, ""),
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

    fn check(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        let body = sample.body_text();
        if body.is_empty() {
            return AssertionResult::failed_for_null(name);
        }
        match (self.judge(cx, &name, &body), self.inverted) {
            (Ok(()), true) => AssertionResult::failed(name, self.inverted_message(cx).into()),
            (Err(message), false) => AssertionResult::failed(name, message.into()),
            // JMeter leaves an empty message, not none.
            _ => AssertionResult { message: Some(Text::EMPTY), ..AssertionResult::passed(name) },
        }
    }
}

impl JsonPathAssertion {
    /// The error is the text of the exception that JMeter throws to itself.
    fn judge(&self, cx: &mut Context, name: &str, body: &str) -> Result<(), String> {
        let document = json::parse(body)?;
        let path_text = self.path.text(cx);
        let compiled = match &self.compiled {
            Some(compiled) => compiled.clone(),
            None => Rc::new(JsonPath::compile(&path_text)),
        };
        let path = match &*compiled {
            Ok(path) => path,
            Err(_) if path_text.is_empty() => return Err("path can not be null or empty".to_owned()),
            Err(fault) => return Err(fault.message.clone()),
        };
        let value = path.read(&document).map_err(|fault| fault.message)?;
        if !self.validates {
            let nothing = matches!(&*value, Json::Array(members) if members.is_empty());
            return if nothing && !path.is_definite() && !self.plugin {
                Err(self.nothing_found(cx, &path_text))
            } else {
                Ok(())
            };
        }
        let matched = match &*value {
            Json::Array(members) => self.array_matches(cx, name, members, &value)?,
            other => (self.expects_null && *other == Json::Null) || self.equals(cx, name, other)?,
        };
        if matched { Ok(()) } else { Err(self.mismatch(cx, &path_text, &value)) }
    }

    fn array_matches(
        &self,
        cx: &mut Context,
        name: &str,
        members: &[Json<'_>],
        whole: &Json<'_>,
    ) -> Result<bool, String> {
        if members.is_empty() && &*self.expected_text.text(cx) == "[]" {
            return Ok(true);
        }
        for member in members {
            if (*member == Json::Null && self.expects_null) || self.equals(cx, name, member)? {
                return Ok(true);
            }
        }
        self.equals(cx, name, whole)
    }

    fn equals(&self, cx: &mut Context, name: &str, value: &Json<'_>) -> Result<bool, String> {
        let field = match &self.expected {
            Expected::Pattern(field) => field,
            Expected::Text => return Ok(shown(value) == *self.expected_text.text(cx)),
            Expected::Json => {
                let text = self.expected_text.text(cx);
                // What cannot be read counts as null.
                return Ok(json::parse(&text).unwrap_or(Json::Null).equals(value));
            }
        };
        match &*field.get(cx) {
            Err(bad) => Err(bad.message().to_owned()),
            Ok(regex) => Ok(regex.is_match(&shown(value)).unwrap_or_else(|_| {
                let pattern = field.text(cx);
                log_exhausted(cx, name, &pattern);
                false
            })),
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

    fn mismatch(&self, cx: &mut Context, path: &str, value: &Json<'_>) -> String {
        let place = if self.plugin { "Value".to_owned() } else { format!("Value in json path '{path}'") };
        if self.expects_null {
            return format!("{place} expected to be null, but found '{}'", value.java_text());
        }
        let (expected, shown) = (self.expected_text.text(cx), shown(value));
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

/// A value as it is compared and shown (`JSONPathAssertion.objectToString`): doubles without an exponent.
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
