//! Binary Response Assertion (`eu.luminis.jmeter.assertions.BinaryContentAssertion`).

use swell_api::{Assertion, AssertionResult, CompileContext, Needs, SampleResult, Scope, StepProgress, Text};
use swell_expr::{Context, Template};
use swell_plan::Element;

use super::binary::{contains, parse, shown};

/// The assertion.
struct BinaryContent {
    name: Template,
    value: Template,
    comparison: Template,
    scope: Scope,
}

pub(super) fn make(element: &Element, compile: &CompileContext) -> Box<dyn Assertion> {
    let scope = match element.text_or_empty("Assertion.scope") {
        "children" => Scope::Children,
        "all" => Scope::All,
        _ => Scope::Parent,
    };
    Box::new(BinaryContent {
        name: compile.text(element, "TestElement.name", element.name()),
        value: compile.template(element, "compareValue", ""),
        comparison: compile.template(element, "comparisonType", ""),
        scope,
    })
}

impl Assertion for BinaryContent {
    fn needs(&self) -> Needs {
        Needs { body: true, ..Needs::default() }
    }

    fn scope(&self) -> Scope {
        self.scope
    }

    fn check<'a>(
        &'a self,
        cx: &'a mut Context,
        sample: &'a mut SampleResult,
    ) -> StepProgress<'a, AssertionResult> {
        let name = self.name.eval_value(cx);
        let value = self.value.eval(cx).into_owned();
        let comparison = self.comparison.eval(cx).into_owned();
        StepProgress::Done(verdict(Text::Shared(name), &value, comparison.trim(), &sample.body))
    }
}

fn verdict(name: Text, value: &str, comparison: &str, body: &[u8]) -> AssertionResult {
    let value = match parse(value) {
        Ok(value) => value,
        Err(exception) => return AssertionResult::thrown(exception.into()),
    };
    let (holds, expected) = match comparison {
        "" | "Contains" => (contains(body, &value), "to contain"),
        "Equals" => (body == &value[..], "to equal"),
        "StartsWith" => (body.starts_with(&value), "to start with"),
        "NotContains" => (!contains(body, &value), "not to contain"),
        "NotEquals" => (body != &value[..], "not to equal"),
        "NotStartsWith" => (!body.starts_with(&value), "not to start with"),
        other => {
            let constant = "eu.luminis.jmeter.assertions.BinaryContentAssertion.ComparisonType";
            let text = format!("java.lang.IllegalArgumentException: No enum constant {constant}.{other}");
            return AssertionResult::thrown(text.into());
        }
    };
    if holds {
        return AssertionResult::passed(name);
    }
    let all = |bytes: &[u8]| shown(bytes, usize::MAX, "");
    let text = format!("Response expected {expected} {}\nResponse was: {}", all(&value), all(body));
    AssertionResult::failed(name, text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_compared_by_every_type() {
        let body = [1, 2, 3];
        for (comparison, value, holds) in [
            ("", "02 03", true),
            ("Contains", "0x04", false),
            ("Equals", "010203", true),
            ("StartsWith", "01 02", true),
            ("StartsWith", "02", false),
            ("NotEquals", "01", true),
            ("NotContains", "02", false),
            ("NotStartsWith", "02", true),
        ] {
            let result = verdict("a".into(), value, comparison, &body);
            assert_eq!((result.failure, result.error), (!holds, false), "{comparison} {value}");
        }
        let failed = verdict("a".into(), "04", "Contains", &body).message.expect("why");
        assert_eq!(&*failed, "Response expected to contain 0x04\nResponse was: 0x01 0x02 0x03");
        assert!(verdict("a".into(), "xy", "", &body).error);
        assert!(verdict("a".into(), "", "Ends", &body).error);
    }
}
