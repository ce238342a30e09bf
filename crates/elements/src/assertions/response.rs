//! Response Assertion: a part of the sample contains, matches or equals texts
//! (`org.apache.jmeter.assertions.ResponseAssertion`).

use std::borrow::Cow;

use swell_expr::{Context, Template, Value};
use swell_plan::{Element, Severity};
use swell_regex::Reach;

use super::response_diff::DiffStyle;
use crate::field::{IntField, TextField};
use crate::java::is_utf8_compatible;
use crate::regex::{PatternField, dialect, log_exhausted};
use crate::scope::ScopeField;
use crate::{Assertion, AssertionResult, Build, Needs, SampleResult, Scope, Text};

const MATCH: i64 = 1;
const CONTAINS: i64 = 2;
const NOT: i64 = 4;
const EQUALS: i64 = 8;
const SUBSTRING: i64 = 16;
const OR: i64 = 32;

const TEST_TYPE: &str = "Assertion.test_type";
const TEST_FIELD: &str = "Assertion.test_field";
const TEST_STRINGS: &str = "Asserion.test_strings";

/// The part that is looked at, with JMeter's word for it in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Body,
    Document,
    Code,
    Message,
    ResponseHeaders,
    RequestHeaders,
    RequestData,
    Url,
}

/// How a text is compared.
enum Test {
    /// A regular expression, found anywhere or over the whole part.
    Pattern(PatternField),
    /// The text as it is.
    Literal(Literal),
}

struct Literal {
    template: Template,
    finder: Option<memchr::memmem::Finder<'static>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Contains,
    Equals,
    Substring,
    Match,
}

struct ResponseAssertion {
    name: TextField,
    scope: ScopeField,
    part: Part,
    kind: Kind,
    test_type: i64,
    assume_success: bool,
    custom_message: TextField,
    tests: Vec<Test>,
    diff: DiffStyle,
}

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn Assertion> {
    let part = Part::of(element.text_or_empty(TEST_FIELD));
    if part == Part::Document {
        let message =
            "the document's text is not extracted here: the plain body is checked instead".to_owned();
        build.note(Severity::Warning, element, Some(TEST_FIELD), message, Some("check the text response"));
    }
    let test_type = test_type(element, build);
    let kind = Kind::of(test_type);
    Box::new(ResponseAssertion {
        name: TextField::name_of(element, build),
        scope: ScopeField::of_assertion(element, build),
        part,
        kind,
        test_type,
        assume_success: element.flag("Assertion.assume_success", false),
        custom_message: TextField::new(build.template(element, "Assertion.custom_message", "")),
        tests: tests(element, build, kind),
        diff: DiffStyle::of(build.props()),
    })
}

/// The bits; CONTAINS where there is no such property. They are not looked up again while the test runs.
fn test_type(element: &Element, build: &dyn Build) -> i64 {
    match IntField::of(element, build, TEST_TYPE, "2") {
        IntField::Constant(bits) => bits,
        IntField::Template(_) => {
            let message = "the kind of test must be a number here, not an expression".to_owned();
            let hint = Some("1 matches, 2 contains, 8 equals, 16 substring; add 4 for not, 32 for or");
            build.note(Severity::Error, element, Some(TEST_TYPE), message, hint);
            CONTAINS
        }
    }
}

fn tests(element: &Element, build: &dyn Build, kind: Kind) -> Vec<Test> {
    let dialect = dialect(build);
    let texts = element.collection(TEST_STRINGS).iter().filter_map(|property| property.value.as_text());
    let make = |text: &str| {
        let template = build.text(element, TEST_STRINGS, text);
        let reach = match kind {
            Kind::Contains => Reach::Anywhere,
            Kind::Match => Reach::Whole,
            Kind::Equals | Kind::Substring => return Test::Literal(Literal::new(template)),
        };
        let field = PatternField::new(template, dialect, reach);
        field.note_problem(element, build, TEST_STRINGS);
        Test::Pattern(field)
    };
    texts.map(make).collect()
}

impl Test {
    /// The text that is looked for now. It is evaluated once for a sample.
    fn wanted(&self, cx: &mut Context) -> Value {
        match self {
            Self::Pattern(field) => field.value(cx),
            Self::Literal(literal) => literal.template.eval_value(cx),
        }
    }
}

impl Literal {
    fn new(template: Template) -> Self {
        let finder =
            template.constant().map(|text| memchr::memmem::Finder::new(text.as_bytes()).into_owned());
        Self { template, finder }
    }

    /// Whether its value now, `wanted`, is somewhere in UTF-8 text.
    fn is_in(&self, text: &[u8], wanted: &str) -> bool {
        match &self.finder {
            Some(finder) => finder.find(text).is_some(),
            None => memchr::memmem::find(text, wanted.as_bytes()).is_some(),
        }
    }
}

impl Kind {
    fn of(test_type: i64) -> Self {
        // JMeter looks at the bits in this order and takes what has none of them for a match.
        match test_type {
            bits if bits & CONTAINS != 0 => Self::Contains,
            bits if bits & EQUALS != 0 => Self::Equals,
            bits if bits & SUBSTRING != 0 => Self::Substring,
            _ => Self::Match,
        }
    }
}

impl Part {
    fn of(field: &str) -> Self {
        match field {
            "Assertion.response_data" => Self::Body,
            "Assertion.response_data_as_document" => Self::Document,
            "Assertion.response_code" => Self::Code,
            "Assertion.response_message" => Self::Message,
            "Assertion.response_headers" => Self::ResponseHeaders,
            "Assertion.request_headers" => Self::RequestHeaders,
            "Assertion.request_data" => Self::RequestData,
            _ => Self::Url,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Body => "text",
            Self::Document => "document",
            Self::Code => "code",
            Self::Message => "message",
            Self::ResponseHeaders => "headers",
            Self::RequestHeaders => "request headers",
            Self::RequestData => "request data",
            Self::Url => "URL",
        }
    }

    fn needs(self) -> Needs {
        let none = Needs::default();
        match self {
            Self::Body | Self::Document => Needs { body: true, ..none },
            Self::ResponseHeaders => Needs { response_headers: true, ..none },
            Self::RequestHeaders | Self::RequestData => Needs { request: true, ..none },
            Self::Url => Needs { details: true, ..none },
            Self::Code | Self::Message => none,
        }
    }

    fn text(self, sample: &SampleResult) -> Cow<'_, str> {
        match self {
            Self::Body | Self::Document => sample.body_text(),
            Self::Code => Cow::Borrowed(&sample.code),
            Self::Message => Cow::Borrowed(&sample.message),
            Self::ResponseHeaders => Cow::Borrowed(&sample.response_headers),
            Self::RequestHeaders => Cow::Borrowed(&sample.request_headers),
            Self::RequestData => Cow::Borrowed(sample.sampler_data.as_deref().unwrap_or_default()),
            Self::Url => Cow::Borrowed(sample.url.as_deref().unwrap_or_default()),
        }
    }
}

impl Assertion for ResponseAssertion {
    fn needs(&self) -> Needs {
        if self.scope.scope == Scope::Variable { Needs::default() } else { self.part.needs() }
    }

    fn scope(&self) -> Scope {
        self.scope.scope
    }

    fn check(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        if self.assume_success {
            sample.success = true;
        }
        if self.scope.scope == Scope::Variable {
            let value = self.scope.variable.value(cx);
            return self.judge(cx, name, value.as_deref().unwrap_or_default());
        }
        if let Some(result) = self.judge_bytes(cx, &name, sample) {
            return result;
        }
        self.judge(cx, name, &self.part.text(sample))
    }
}

impl ResponseAssertion {
    fn has(&self, bit: i64) -> bool {
        self.test_type & bit != 0
    }

    /// Looks for texts in the body as it came, where that is the same as looking in the decoded body: nothing is
    /// decoded then. None where it is not, or where the part is empty.
    fn judge_bytes(&self, cx: &mut Context, name: &Text, sample: &SampleResult) -> Option<AssertionResult> {
        let is_body = self.part == Part::Body && self.kind == Kind::Substring;
        if !is_body || sample.body.is_empty() || !is_utf8_compatible(&sample.encoding) {
            return None;
        }
        let found = |_: &mut Context, test: &Test, wanted: &Value| match test {
            Test::Literal(literal) => Ok(literal.is_in(&sample.body, wanted)),
            Test::Pattern(_) => Ok(false),
        };
        Some(self.fold(cx, name.clone(), "", found))
    }

    fn judge(&self, cx: &mut Context, name: Text, text: &str) -> AssertionResult {
        if text.is_empty() {
            // A negated test is always met by nothing.
            return if self.has(NOT) {
                AssertionResult::passed(name)
            } else {
                AssertionResult::failed_for_null(name)
            };
        }
        let label = name.clone();
        self.fold(cx, name, text, |cx, test, wanted| self.is_found(cx, &label, test, wanted, text))
    }

    fn is_found(
        &self,
        cx: &mut Context,
        name: &str,
        test: &Test,
        wanted: &Value,
        text: &str,
    ) -> Result<bool, String> {
        match test {
            Test::Literal(_) if self.kind == Kind::Equals => Ok(**wanted == *text),
            Test::Literal(literal) => Ok(literal.is_in(text.as_bytes(), wanted)),
            Test::Pattern(field) => match &*field.of(wanted) {
                Err(bad) => Err(format!("Bad test configuration {bad}")),
                Ok(regex) => Ok(regex.is_match(text).unwrap_or_else(|_| {
                    log_exhausted(cx, name, wanted);
                    false
                })),
            },
        }
    }

    /// Puts the tests together: all must pass, or one with OR.
    fn fold(
        &self,
        cx: &mut Context,
        name: Text,
        text: &str,
        found: impl Fn(&mut Context, &Test, &Value) -> Result<bool, String>,
    ) -> AssertionResult {
        let mut messages = String::new();
        for test in &self.tests {
            let wanted = test.wanted(cx);
            let passed = match found(cx, test, &wanted) {
                Ok(found) => found != self.has(NOT),
                Err(message) => {
                    return AssertionResult {
                        name,
                        error: true,
                        message: Some(message.into()),
                        ..AssertionResult::default()
                    };
                }
            };
            match (self.has(OR), passed) {
                (true, true) => return AssertionResult::passed(name),
                (true, false) => {
                    messages.push_str(&self.fail_text(cx, &wanted, text));
                    messages.push('\t');
                }
                (false, true) => {}
                (false, false) => {
                    let message = self.fail_text(cx, &wanted, text);
                    return self.failed(cx, name, message);
                }
            }
        }
        if !self.has(OR) {
            return AssertionResult::passed(name);
        }
        if messages.is_empty() {
            messages.push('\t');
        }
        self.failed(cx, name, messages)
    }

    fn failed(&self, cx: &mut Context, name: Text, message: String) -> AssertionResult {
        let custom = self.custom_message.get(cx);
        AssertionResult::failed(name, if custom.is_empty() { message.into() } else { custom })
    }

    fn fail_text(&self, cx: &mut Context, wanted: &str, text: &str) -> String {
        let shown = if self.has(EQUALS) { self.diff.compare(text, wanted) } else { wanted.to_owned() };
        let part = if self.scope.scope == Scope::Variable {
            format!("variable({})", self.scope.variable.name(cx))
        } else {
            self.part.word().to_owned()
        };
        format!("Test failed: {part} expected {} /{shown}/", expectation(self.test_type))
    }
}

fn expectation(test_type: i64) -> &'static str {
    const NOT_CONTAINS: i64 = NOT | CONTAINS;
    const NOT_SUBSTRING: i64 = NOT | SUBSTRING;
    const NOT_MATCH: i64 = NOT | MATCH;
    const NOT_EQUALS: i64 = NOT | EQUALS;
    match test_type {
        CONTAINS | SUBSTRING => "to contain",
        NOT_CONTAINS | NOT_SUBSTRING => "not to contain",
        MATCH => "to match",
        NOT_MATCH => "not to match",
        EQUALS => "to equal",
        NOT_EQUALS => "not to equal",
        _ => "something using",
    }
}
