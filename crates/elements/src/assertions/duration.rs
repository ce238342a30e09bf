//! Duration Assertion: the longest permitted duration of a sample
//! (`org.apache.jmeter.assertions.DurationAssertion`).

use swell_api::{Assertion, AssertionResult, CompileContext, SampleResult, Scope};
use swell_expr::Context;
use swell_java::format::grouped;
use swell_plan::Element;

use super::figures::{FigureAssertion, Figures};
use crate::field::{IntField, TextField};
use crate::reported;
use crate::scope::scope_of;

struct DurationAssertion {
    name: TextField,
    scope: Scope,
    limit_ms: IntField,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn Assertion> {
    Box::new(Figures(DurationAssertion {
        name: TextField::name_of(element, compile),
        scope: scope_of(element, compile, "Assertion.scope"),
        limit_ms: IntField::of(element, compile, "DurationAssertion.duration", ""),
    }))
}

impl FigureAssertion for DurationAssertion {
    fn scope(&self) -> Scope {
        self.scope
    }

    fn judge(&self, cx: &mut Context, sample: &SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        let limit_ms = self.limit_ms.get(cx);
        let elapsed_ms = sample.timing.elapsed_ms();
        if reported::is_wanted(cx) && limit_ms > 0 {
            let wanted = format!("{limit_ms} ms");
            let got = format!("{elapsed_ms} ms");
            reported::measured(cx, "duration", "is at most", wanted, got, elapsed_ms <= limit_ms);
        }
        if limit_ms <= 0 || elapsed_ms <= limit_ms {
            return AssertionResult::passed(name);
        }
        let message = format!(
            "The operation lasted too long: It took {} milliseconds, but should not have lasted longer than {} milliseconds.",
            grouped(elapsed_ms),
            grouped(limit_ms)
        );
        AssertionResult::failed(name, message.into())
    }
}
