//! JSON JMESPath Assertion (`org.apache.jmeter.assertions.jmespath.JMESPathAssertion`).

use std::sync::Arc;

use crate::jmespath::JmesPath;
use swell_api::{Assertion, AssertionResult, Compile, Needs, Placement, SampleResult, StepRun, Text};
use swell_budget::Budget;
use swell_expr::Context;
use swell_plan::{Element, Severity};
use swell_query::json::{Json, parse_strictly};
use swell_regex::{BadPattern, Reach, Regex};

use super::jmespath_extractor::shown;
use super::jmespath_field::PathField;
use swell_elements::field::TextField;
use swell_elements::heavy::{Cost, Task};
use swell_elements::pattern::{PatternField, dialect, given_up};
use swell_elements::subject::{Piece, Subject};

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

pub(crate) fn build(element: &Element, compile: &Compile) -> Box<dyn Assertion> {
    let path = PathField::new(compile.template(element, PATH, ""));
    if let Some(reason) = path.problem() {
        compile.note(
            Severity::Warning,
            element,
            Some(PATH),
            format!("the path cannot be read: {reason}"),
            None,
        );
    }
    let expected = PatternField::new(compile.template(element, EXPECTED, ""), dialect(compile), Reach::Whole);
    let is_pattern = element.flag("ISREGEX", true);
    let judges_value = element.flag("JSONVALIDATION", false);
    let expects_null = element.flag("EXPECT_NULL", false);
    if is_pattern && judges_value && !expects_null {
        expected.note_problem(element, compile, EXPECTED);
    }
    Box::new(JmesPathAssertion {
        name: TextField::name_of(element, compile),
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

    fn is_small(&self, sample: &SampleResult) -> bool {
        self.expected.is_plain() && Cost::Json.is_tiny(sample.body.len())
    }

    fn check<'a>(
        &'a self,
        cx: &'a mut Context,
        sample: &'a mut SampleResult,
    ) -> StepRun<'a, AssertionResult> {
        let placement = Placement::of(self.is_small(sample));
        placement.run(self.judge(placement, cx, sample))
    }
}

/// What a found value must be.
enum Expected {
    Found,
    Null,
    Pattern(Arc<Result<Regex, BadPattern>>, String),
    Value(String),
}

/// Why there is no verdict.
enum CheckError {
    Exception(String),
    /// It takes too much.
    GivenUp(String),
}

impl JmesPathAssertion {
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
        // Java's empty message, which results show.
        let passed = AssertionResult { message: Some(Text::EMPTY), ..AssertionResult::passed(name.clone()) };
        let (path, wanted) = (self.path.get(cx), self.wanted(cx));
        let task = Task { name: &self.name, cost: Cost::Json, placement, subject: &Subject::BODY };
        let held =
            task.ask(cx, sample, &path, move |path, pieces, budget| holds(path, &wanted, pieces, budget));
        match held.await {
            Ok(holds) if holds != self.inverted => passed,
            Ok(_) => AssertionResult::failed(name, self.message(cx).into()),
            Err(CheckError::Exception(_)) if self.inverted => passed,
            Err(CheckError::Exception(message) | CheckError::GivenUp(message)) => {
                AssertionResult { name, error: true, message: Some(message.into()), ..passed }
            }
        }
    }

    fn wanted(&self, cx: &mut Context) -> Expected {
        match (self.judges_value, self.expects_null) {
            (false, _) => Expected::Found,
            (true, true) => Expected::Null,
            (true, false) => {
                let text = self.expected.text(cx);
                if self.is_pattern {
                    Expected::Pattern(self.expected.shared(&text), text)
                } else {
                    Expected::Value(text)
                }
            }
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

fn holds(
    path: &Result<JmesPath, String>,
    wanted: &Expected,
    pieces: &[Piece<'_>],
    budget: &Budget,
) -> Result<bool, CheckError> {
    let text = pieces.first().map(Piece::text).unwrap_or_default();
    let document = parse_strictly(&text).map_err(CheckError::Exception)?;
    let path = path.as_ref().map_err(|message| CheckError::Exception(message.clone()))?;
    let value = path.search(&document).map_err(CheckError::Exception)?;
    match wanted {
        Expected::Found => Ok(*value != Json::Null),
        Expected::Null => Ok(*value == Json::Null),
        Expected::Pattern(regex, pattern) => match &**regex {
            Err(bad) => Err(CheckError::Exception(bad.message().to_owned())),
            Ok(regex) => {
                let matches = regex.is_match_within(&shown(&value), budget);
                matches.map_err(|_| CheckError::GivenUp(given_up(pattern, budget)))
            }
        },
        Expected::Value(expected) => {
            if shown(&value) == *expected {
                return Ok(true);
            }
            Ok(parse_strictly(expected).map_err(CheckError::Exception)?.equals(&value))
        }
    }
}
