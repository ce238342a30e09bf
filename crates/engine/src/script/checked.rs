//! JSR223 and BeanShell assertions.

use swell_api::{Assertion, AssertionResult, CompileContext, Needs, SampleResult, StepProgress, Text};
use swell_expr::{Context, ElementKind, FieldValue, ScriptEnd};
use swell_plan::Node;

use super::sample_bindings::Samples;
use super::source::Source;

struct ScriptAssertion(Source);

/// The assertion of an element; none if its script is not understood.
pub(crate) fn assertion(
    node: &Node,
    kind: ElementKind,
    compile: &CompileContext,
) -> Option<Box<dyn Assertion>> {
    let source = Source::compile(&node.element, kind, compile)?;
    Some(Box::new(ScriptAssertion(source)))
}

impl Assertion for ScriptAssertion {
    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn check<'a>(
        &'a self,
        cx: &'a mut Context,
        sample: &'a mut SampleResult,
    ) -> StepProgress<'a, AssertionResult> {
        StepProgress::Done(self.judge(cx, sample))
    }
}

impl ScriptAssertion {
    fn judge(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult {
        let source = &self.0;
        let mut result = AssertionResult::passed(source.name(cx).into());
        let own = if source.is_jsr223() { Vec::new() } else { given(sample) };
        if source.is_jsr223() {
            let mut stage = Samples { own: Some(sample), result: Some(result.clone()) };
            let ended = source.run(own, cx, &mut stage);
            result = stage.result.take().expect("inserted above");
            if let Err(exception) = ended {
                source.log(&exception, cx);
                result.error = true;
                result.message = Some(exception.into());
            }
            return result;
        }
        let mut stage = Samples { own: Some(sample), result: None };
        match source.run(own, cx, &mut stage) {
            Ok(ended) => conclude(&mut result, &ended),
            Err(exception) => {
                source.log(&exception, cx);
                result.error = true;
                result.message = Some(exception.into());
            }
        }
        result
    }
}

/// The variables of a BeanShell Assertion.
fn given(sample: &SampleResult) -> Vec<FieldValue> {
    let text = |text: &str| FieldValue::Text(text.into());
    vec![
        FieldValue::Flag(false),
        text(""),
        text(&sample.code),
        text(&sample.message),
        text(&sample.label),
        FieldValue::Flag(sample.success),
    ]
}

/// What a BeanShell Assertion says by its variables.
fn conclude(result: &mut AssertionResult, ended: &ScriptEnd) {
    let variable = |place: usize| ended.given.get(place).cloned().flatten().unwrap_or_default();
    result.failure = variable(3).eq_ignore_ascii_case("true");
    result.message = Some(Text::Shared(variable(4).into()));
}
