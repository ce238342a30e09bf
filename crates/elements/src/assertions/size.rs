//! Size Assertion: compares the size of a part of the response
//! (`org.apache.jmeter.assertions.SizeAssertion`).

use swell_api::{Assertion, AssertionResult, CompileContext, SampleResult, Scope};
use swell_expr::{Context, Template};
use swell_java::format::grouped;
use swell_plan::{Element, Severity};

use super::figures::{FigureAssertion, Figures};
use crate::field::{IntField, TextField};
use crate::reported;
use crate::scope::ScopeField;

/// What is measured.
#[derive(Clone, Copy)]
enum MeasuredPart {
    /// Head and body as received.
    Response,
    Headers,
    Body,
    Code,
    Message,
}

struct SizeAssertion {
    name: TextField,
    scope: ScopeField,
    part: MeasuredPart,
    operator: IntField,
    size: Template,
}

const SIZE: &str = "SizeAssertion.size";

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn Assertion> {
    let size = compile.template(element, SIZE, "");
    if let Some(text) = size.constant().filter(|text| text.parse::<i64>().is_err()) {
        let message = format!("invalid size `{text}`: the assertion reports an error for every sample");
        compile.note(
            Severity::Warning,
            element,
            Some(SIZE),
            message,
            Some("use a number of bytes, digits only"),
        );
    }
    Box::new(Figures(SizeAssertion {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_assertion(element, compile),
        part: part(element.text_or_empty("Assertion.test_field")),
        operator: IntField::of(element, compile, "SizeAssertion.operator", ""),
        size,
    }))
}

fn part(field: &str) -> MeasuredPart {
    match field {
        "SizeAssertion.response_headers" => MeasuredPart::Headers,
        "SizeAssertion.response_data" => MeasuredPart::Body,
        "SizeAssertion.response_code" => MeasuredPart::Code,
        "SizeAssertion.response_message" => MeasuredPart::Message,
        _ => MeasuredPart::Response,
    }
}

impl FigureAssertion for SizeAssertion {
    fn scope(&self) -> Scope {
        self.scope.scope
    }

    fn judge(&self, cx: &mut Context, sample: &SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        let found = if self.scope.scope == Scope::Variable {
            match self.size_in_variable(cx) {
                Ok(size) => size,
                Err(message) => return AssertionResult::failed(name, message.into()),
            }
        } else {
            measure(self.part, sample)
        };
        let text = self.size.eval(cx);
        let Ok(wanted) = text.parse::<i64>() else {
            let exception = format!("java.lang.NumberFormatException: For input string: \"{text}\"");
            return AssertionResult::thrown(exception.into());
        };
        let operator = self.operator.get(cx);
        let complaint = complaint(operator, found, wanted);
        if reported::is_wanted(cx) {
            let relation = match operator {
                1 => "equals",
                2 => "does not equal",
                3 => "is greater than",
                4 => "is less than",
                5 => "is at least",
                _ => "is at most",
            };
            let wanted = format!("{wanted} bytes");
            reported::measured(cx, "size", relation, wanted, format!("{found} bytes"), complaint.is_none());
        }
        match complaint {
            None => AssertionResult::passed(name),
            Some(words) => AssertionResult::failed(name, message(found, words, wanted).into()),
        }
    }
}

impl SizeAssertion {
    fn size_in_variable(&self, cx: &mut Context) -> Result<i64, String> {
        let value = self.scope.variable.value(cx);
        let shown = value.as_deref().unwrap_or("null");
        shown.parse().map_err(|_| {
            format!("Error parsing variable name: {} value: {shown}", self.scope.variable.name(cx))
        })
    }
}

fn measure(part: MeasuredPart, sample: &SampleResult) -> i64 {
    let body = if sample.body_size == 0 { sample.body.len() as i64 } else { sample.body_size as i64 };
    let headers = sample.header_size as i64;
    match part {
        MeasuredPart::Headers => headers,
        MeasuredPart::Body => body,
        MeasuredPart::Code => sample.code.encode_utf16().count() as i64,
        MeasuredPart::Message => sample.message.encode_utf16().count() as i64,
        MeasuredPart::Response if headers + body == 0 => sample.bytes as i64,
        MeasuredPart::Response => headers + body,
    }
}

/// The text for what a size should have been; `None` if it is right.
fn complaint(operator: i64, found: i64, wanted: i64) -> Option<&'static str> {
    let (right, words) = match operator {
        1 => (found == wanted, "been equal to"),
        2 => (found != wanted, "not been equal to"),
        3 => (found > wanted, "been greater than"),
        4 => (found < wanted, "been less than"),
        5 => (found >= wanted, "been greater or equal to"),
        6 => (found <= wanted, "been less than or equal to"),
        _ => (false, "ERROR - invalid condition"),
    };
    (!right).then_some(words)
}

fn message(found: i64, words: &str, wanted: i64) -> String {
    format!(
        "The result was the wrong size: It was {} bytes, but should have {words} {} bytes.",
        grouped(found),
        grouped(wanted)
    )
}
