//! JSON JMESPath Assertion (`org.apache.jmeter.assertions.jmespath.JMESPathAssertion`).

use swell_expr::Context;
use swell_plan::{Element, Severity};
use swell_regex::Reach;

use crate::extractors::jmespath::shown;
use crate::field::TextField;
use crate::jmespath::PathField;
use crate::json::{Json, parse_strictly};
use crate::regex::{PatternField, dialect, log_exhausted};
use crate::{Assertion, AssertionResult, Build, Needs, SampleResult, Text};

const PATH: &str = "JMES_PATH";
const EXPECTED: &str = "EXPECTED_VALUE";

#[expect(clippy::struct_excessive_bools, reason = "four switches of the element")]
struct JmesPathAssertion {
    name: TextField,
    path: PathField,
    expected: PatternField,
    judges_value: bool,
    expects_null: bool,
    is_pattern: bool,
    inverted: bool,
}

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn Assertion> {
    let path = PathField::new(build.template(element, PATH, ""));
    if let Some(reason) = path.problem() {
        build.note(
            Severity::Warning,
            element,
            Some(PATH),
            format!("the path cannot be read: {reason}"),
            None,
        );
    }
    let expected = PatternField::new(build.template(element, EXPECTED, ""), dialect(build), Reach::Whole);
    let is_pattern = element.flag("ISREGEX", true);
    let judges_value = element.flag("JSONVALIDATION", false);
    let expects_null = element.flag("EXPECT_NULL", false);
    if is_pattern && judges_value && !expects_null {
        expected.note_problem(element, build, EXPECTED);
    }
    Box::new(JmesPathAssertion {
        name: TextField::name_of(element, build),
        path,
        expected,
        judges_value,
        expects_null,
        is_pattern,
        inverted: element.flag("INVERT", false),
    })
}

impl Assertion for JmesPathAssertion {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn check(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        let body = sample.body_text();
        if body.is_empty() {
            return AssertionResult::failed_for_null(name);
        }
        // Java's empty message, which results show.
        let passed = AssertionResult { message: Some(Text::EMPTY), ..AssertionResult::passed(name.clone()) };
        match self.holds(cx, &body) {
            Ok(holds) if holds != self.inverted => passed,
            Ok(_) => AssertionResult::failed(name, self.message(cx).into()),
            Err(_) if self.inverted => passed,
            Err(message) => AssertionResult { name, error: true, message: Some(message.into()), ..passed },
        }
    }
}

impl JmesPathAssertion {
    fn holds(&self, cx: &mut Context, body: &str) -> Result<bool, String> {
        let document = parse_strictly(body)?;
        let path = self.path.get(cx);
        let value = path.as_ref().as_ref().map_err(Clone::clone)?.search(&document)?;
        let is_null = *value == Json::Null;
        match (self.judges_value, self.expects_null) {
            (false, _) => Ok(!is_null),
            (true, true) => Ok(is_null),
            (true, false) if self.is_pattern => self.matches(cx, &shown(&value)),
            (true, false) => {
                let expected = self.expected.text(cx);
                if shown(&value) == expected {
                    return Ok(true);
                }
                Ok(parse_strictly(&expected)?.equals(&value))
            }
        }
    }

    fn matches(&self, cx: &mut Context, text: &str) -> Result<bool, String> {
        let regex = self.expected.get(cx);
        match regex.as_ref() {
            Err(bad) => Err(bad.message().to_owned()),
            Ok(regex) => Ok(regex.is_match(text).unwrap_or_else(|_| {
                let (name, pattern) = (self.name.get(cx), self.expected.text(cx));
                log_exhausted(cx, &name, &pattern);
                false
            })),
        }
    }

    /// `buildFailureMessage`.
    fn message(&self, cx: &mut Context) -> String {
        let not = if self.inverted { " not" } else { "" };
        if !self.judges_value {
            return format!("JMESPATH {} expected{not} to exist", self.path.text(cx));
        }
        if self.expects_null {
            return format!("Value expected{not} to be null");
        }
        let verb = if self.is_pattern { "match" } else { "be equal to" };
        format!("Value expected{not} to {verb} {}", self.expected.text(cx))
    }
}
