//! Response Assertion: a part of the sample must contain, match or equal texts
//! (`org.apache.jmeter.assertions.ResponseAssertion`).

use swell_api::{
    Assertion, AssertionResult, CompileContext, Needs, Placement, SampleResult, Scope, StepProgress, Text,
};
use swell_budget::Budget;
use swell_expr::{Context, Template, Value};
use swell_plan::{Element, Severity};
use swell_regex::{BadPattern, Reach, Regex};

use super::response_diff::DiffStyle;
use crate::field::{IntField, TextField};
use crate::heavy::{Cost, Shared, Task};
use crate::pattern::{PatternField, dialect, given_up};
use crate::reported;
use crate::scope::ScopeField;
use crate::subject::{Piece, SamplePart, Subject};

const MATCH: i64 = 1;
const CONTAINS: i64 = 2;
const NOT: i64 = 4;
const EQUALS: i64 = 8;
const SUBSTRING: i64 = 16;
const OR: i64 = 32;

const TEST_TYPE: &str = "Assertion.test_type";
const TEST_FIELD: &str = "Assertion.test_field";
const TEST_STRINGS: &str = "Asserion.test_strings";

/// The part that is checked, with JMeter's name for it in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestField {
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
enum Comparison {
    Contains,
    Equals,
    Substring,
    Match,
}

struct ResponseAssertion {
    name: TextField,
    scope: ScopeField,
    part: TestField,
    comparison: Comparison,
    test_type: i64,
    assume_success: bool,
    custom_message: TextField,
    tests: Vec<Test>,
    diff: DiffStyle,
}

/// Why such an assertion needs JMeter's class.
pub(crate) fn lacks(element: &Element) -> Option<String> {
    if TestField::of(element.text_or_empty(TEST_FIELD)) == TestField::Document {
        return Some("document text is not extracted natively".to_owned());
    }
    let is_evaluated = element.text_or_empty(TEST_TYPE).contains("${");
    is_evaluated.then(|| "an expression as test type is not evaluated natively".to_owned())
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn Assertion> {
    let part = TestField::of(element.text_or_empty(TEST_FIELD));
    if part == TestField::Document {
        let message = "document text is not extracted natively: the plain body is checked instead".to_owned();
        compile.note(Severity::Warning, element, Some(TEST_FIELD), message, Some("check the text response"));
    }
    let test_type = test_type(element, compile);
    let comparison = Comparison::of(test_type);
    Box::new(ResponseAssertion {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_assertion(element, compile),
        part,
        comparison,
        test_type,
        assume_success: element.flag("Assertion.assume_success", false),
        custom_message: TextField::new(compile.template(element, "Assertion.custom_message", "")),
        tests: tests(element, compile, comparison),
        diff: DiffStyle::of(&compile.props),
    })
}

/// The bits; CONTAINS if the property is missing. They are not looked up again during the test.
fn test_type(element: &Element, compile: &CompileContext) -> i64 {
    match IntField::of(element, compile, TEST_TYPE, "2") {
        IntField::Constant(bits) => bits,
        IntField::Template(_) => {
            let message = "invalid test type: use a number, not an expression".to_owned();
            let hint = Some("1 matches, 2 contains, 8 equals, 16 substring; add 4 for not, 32 for or");
            compile.note(Severity::Error, element, Some(TEST_TYPE), message, hint);
            CONTAINS
        }
    }
}

fn tests(element: &Element, compile: &CompileContext, comparison: Comparison) -> Vec<Test> {
    let dialect = dialect(compile);
    let texts = element.collection(TEST_STRINGS).iter().filter_map(|property| property.value.as_text());
    let make = |text: &str| {
        let template = compile.text(element, TEST_STRINGS, text);
        let reach = match comparison {
            Comparison::Contains => Reach::Anywhere,
            Comparison::Match => Reach::Whole,
            Comparison::Equals | Comparison::Substring => return Test::Literal(Literal::new(template)),
        };
        let field = PatternField::new(template, dialect, reach);
        field.note_problem(element, compile, TEST_STRINGS);
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

impl Comparison {
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

impl TestField {
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

    fn of_sample(self) -> SamplePart {
        match self {
            Self::Body | Self::Document => SamplePart::Body,
            Self::Code => SamplePart::Code,
            Self::Message => SamplePart::Message,
            Self::ResponseHeaders => SamplePart::ResponseHeaders,
            Self::RequestHeaders => SamplePart::RequestHeaders,
            Self::RequestData => SamplePart::RequestData,
            Self::Url => SamplePart::Url,
        }
    }

    fn text_bytes(self, sample: &SampleResult) -> usize {
        Subject::Samples(Scope::Parent, self.of_sample()).bytes(sample)
    }
}

impl Assertion for ResponseAssertion {
    fn needs(&self) -> Needs {
        if self.scope.scope == Scope::Variable { Needs::default() } else { self.part.needs() }
    }

    fn scope(&self) -> Scope {
        self.scope.scope
    }

    fn is_small(&self, sample: &SampleResult) -> bool {
        let few_and_plain = self.tests.len() <= FEW_TESTS
            && self.tests.iter().all(|test| match test {
                Test::Pattern(field) => field.is_plain(),
                Test::Literal(_) => true,
            });
        // Where texts are not equal, their difference is looked for, which costs as much as a
        // pattern.
        let cost = if self.comparison == Comparison::Substring { Cost::Bytes } else { Cost::Regex };
        few_and_plain && self.scope.scope != Scope::Variable && cost.is_tiny(self.part.text_bytes(sample))
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

/// Tests that are made on the loop at once.
const FEW_TESTS: usize = 8;

/// What is asked of a text.
struct Lookup {
    comparison: Comparison,
    wanted: String,
    /// How differences from the wanted text are shown, where they are.
    diff: Option<DiffStyle>,
}

/// Whether a text is as wanted, and where not, the difference.
struct Answer {
    found: bool,
    difference: Option<String>,
}

impl ResponseAssertion {
    fn has(&self, bit: i64) -> bool {
        self.test_type & bit != 0
    }

    /// How texts are compared, for a report.
    fn relation(&self) -> &'static str {
        match (self.comparison, self.has(NOT)) {
            (Comparison::Contains, false) => "contains a match of",
            (Comparison::Contains, true) => "contains no match of",
            (Comparison::Match, false) => "matches",
            (Comparison::Match, true) => "does not match",
            (Comparison::Equals, false) => "equals",
            (Comparison::Equals, true) => "does not equal",
            (Comparison::Substring, false) => "contains",
            (Comparison::Substring, true) => "does not contain",
        }
    }

    async fn judge(
        &self,
        placement: Placement,
        cx: &mut Context,
        sample: &mut SampleResult,
    ) -> AssertionResult {
        let name = self.name.get(cx);
        if self.assume_success {
            sample.success = true;
        }
        let subject = if self.scope.scope == Scope::Variable {
            Subject::Value(self.scope.variable.value(cx))
        } else {
            Subject::Samples(Scope::Parent, self.part.of_sample())
        };
        if subject.bytes(sample) == 0 {
            if reported::is_wanted(cx) {
                let wanted = self.tests.first().map(|test| test.wanted(cx).to_string()).unwrap_or_default();
                let passed = self.has(NOT);
                reported::compared(cx, sample, &subject, (self.relation(), &wanted), passed);
            }
            // A negated test is always met by nothing.
            return if self.has(NOT) {
                AssertionResult::passed(name)
            } else {
                AssertionResult::failed_for_null(name)
            };
        }
        let cost = if matches!(self.comparison, Comparison::Equals | Comparison::Substring) {
            Cost::Bytes
        } else {
            Cost::Regex
        };
        let task = Task { name: &self.name, cost, placement, subject: &subject };
        self.fold(task, cx, name, sample).await
    }

    /// Makes a test. The error is a message.
    async fn ask(
        &self,
        task: Task<'_>,
        cx: &mut Context,
        sample: &mut SampleResult,
        test: &Test,
        wanted: &str,
    ) -> Result<Answer, String> {
        if task.placement == Placement::OnLoop
            && let Some(found) = self.here(test, wanted, task.subject, sample)
        {
            return found.map(|found| Answer { found, difference: None });
        }
        let diff = self.has(EQUALS).then(|| self.diff.clone());
        let asked = Lookup { comparison: self.comparison, wanted: wanted.to_owned(), diff };
        match test {
            Test::Literal(_) => Ok(task
                .ask(cx, sample, &Shared::nothing(), move |(), pieces, _| compare(&asked, pieces))
                .await),
            Test::Pattern(field) => {
                let found = move |pattern: &_, pieces: &[Piece<'_>], budget: &Budget| {
                    matches(pattern, &asked, pieces, budget)
                };
                task.ask(cx, sample, &field.of(wanted), found).await
            }
        }
    }

    /// The same without a copy of anything. None where a difference is to be shown.
    fn here(
        &self,
        test: &Test,
        wanted: &str,
        subject: &Subject,
        sample: &SampleResult,
    ) -> Option<Result<bool, String>> {
        let is_met = |literal: &Literal, bytes: &[u8]| match self.comparison {
            Comparison::Equals => bytes == wanted.as_bytes(),
            _ => literal.is_in(bytes, wanted),
        };
        let found = subject.read(sample, |pieces| {
            let piece = pieces.first()?;
            Some(match test {
                // As the body came, where that is the same as in the decoded body: nothing is
                // decoded then.
                Test::Literal(literal) => match piece {
                    Piece::Body { bytes, .. } if sample.is_utf8_compatible() => Ok(is_met(literal, bytes)),
                    piece => Ok(is_met(literal, piece.text().as_bytes())),
                },
                Test::Pattern(field) => match &*field.of(wanted) {
                    Err(bad) => Err(format!("Bad test configuration {bad}")),
                    Ok(regex) => {
                        let budget = Budget::unlimited();
                        let found = regex.is_match_within(&piece.text(), &budget);
                        found.map_err(|_| given_up(wanted, &budget))
                    }
                },
            })
        });
        found.filter(|found| !self.has(EQUALS) || *found != Ok(self.has(NOT)))
    }

    /// Puts the tests together: all must pass, or one with OR.
    async fn fold(
        &self,
        task: Task<'_>,
        cx: &mut Context,
        name: Text,
        sample: &mut SampleResult,
    ) -> AssertionResult {
        let mut messages = String::new();
        for test in &self.tests {
            let wanted = test.wanted(cx);
            let answer = match self.ask(task, cx, sample, test, &wanted).await {
                Ok(answer) => answer,
                Err(message) => {
                    return AssertionResult {
                        name,
                        error: true,
                        message: Some(message.into()),
                        ..AssertionResult::default()
                    };
                }
            };
            if reported::is_wanted(cx) {
                let passed = answer.found != self.has(NOT);
                reported::compared(cx, sample, task.subject, (self.relation(), &wanted), passed);
            }
            match (self.has(OR), answer.found != self.has(NOT)) {
                (true, true) => return AssertionResult::passed(name),
                (true, false) => {
                    messages.push_str(&self.fail_text(cx, &wanted, answer));
                    messages.push('\t');
                }
                (false, true) => {}
                (false, false) => {
                    let message = self.fail_text(cx, &wanted, answer);
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

    fn fail_text(&self, cx: &mut Context, wanted: &str, answer: Answer) -> String {
        let shown = answer.difference.unwrap_or_else(|| wanted.to_owned());
        let part = if self.scope.scope == Scope::Variable {
            format!("variable({})", self.scope.variable.name(cx))
        } else {
            self.part.word().to_owned()
        };
        format!("Test failed: {part} expected {} /{shown}/", expectation(self.test_type))
    }
}

/// Looks for a text as it is.
fn compare(asked: &Lookup, pieces: &[Piece<'_>]) -> Answer {
    let text = pieces.first().map(Piece::text).unwrap_or_default();
    let found = match asked.comparison {
        Comparison::Equals => asked.wanted == *text,
        _ => memchr::memmem::find(text.as_bytes(), asked.wanted.as_bytes()).is_some(),
    };
    Answer { found, difference: asked.difference(&text) }
}

/// Looks for a match.
fn matches(
    pattern: &Result<Regex, BadPattern>,
    asked: &Lookup,
    pieces: &[Piece<'_>],
    budget: &Budget,
) -> Result<Answer, String> {
    let text = pieces.first().map(Piece::text).unwrap_or_default();
    let regex = pattern.as_ref().map_err(|bad| format!("Bad test configuration {bad}"))?;
    let found = regex.is_match_within(&text, budget).map_err(|_| given_up(&asked.wanted, budget))?;
    Ok(Answer { found, difference: asked.difference(&text) })
}

impl Lookup {
    fn difference(&self, text: &str) -> Option<String> {
        self.diff.as_ref().map(|diff| diff.compare(text, &self.wanted))
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
