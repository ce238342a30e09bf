//! Compare Assertion: samples in one iteration of the enclosing controller must be equal
//! (`org.apache.jmeter.assertions.CompareAssertion`).

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

use swell_api::{
    Assertion, AssertionResult, Compared, CompileContext, IterationElement, Needs, Placement, SampleResult,
    StepProgress,
};
use swell_budget::Budget;
use swell_expr::{Context, Template};
use swell_plan::{Element, PropertyValue};
use swell_regex::{BadPattern, Reach, Regex};

use crate::field::{IntField, TextField};
use crate::heavy::{Cost, Shared, Task};
use crate::pattern::{PatternField, dialect, given_up};
use crate::subject::{Piece, Subject};

struct CompareAssertion {
    name: TextField,
    content: bool,
    /// Milliseconds; negative: any.
    time_ms: IntField,
    skipped: Vec<BodyReplacement>,
    instance: u32,
}

/// What is replaced in a body before it is compared.
struct BodyReplacement {
    pattern: PatternField,
    substitute: Template,
}

/// What a user keeps of the iteration: the last sample, and the first two neighbours that differ.
/// Later samples do not change that those two differ.
#[derive(Default)]
struct ComparedSamples {
    last: Option<Rc<ComparedSample>>,
    contents: Option<(Rc<ComparedSample>, Rc<ComparedSample>)>,
    times: Option<(Rc<ComparedSample>, Rc<ComparedSample>)>,
}

/// A sample as far as it is compared and shown.
struct ComparedSample {
    /// What was sent.
    head: String,
    content: String,
    elapsed_ms: i64,
}

/// The number of the state that the assertion and its iteration element share.
fn instance(element: &Element, compile: &CompileContext) -> u32 {
    compile.expr.instance_of(&format!("compared {}", compile.identity(element)))
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn Assertion> {
    let elements = match element.property("stringsToSkip") {
        Some(PropertyValue::Collection(members)) => members.as_slice(),
        _ => &[],
    };
    let skipped = elements.iter().filter_map(|member| match &member.value {
        PropertyValue::Element(skipped) => Some(BodyReplacement {
            pattern: PatternField::new(
                compile.template(skipped, "regex", ""),
                dialect(compile),
                Reach::Anywhere,
            ),
            substitute: compile.template(skipped, "substitute", ""),
        }),
        _ => None,
    });
    Box::new(CompareAssertion {
        name: TextField::name_of(element, compile),
        content: element.flag("compareContent", false),
        time_ms: IntField::of(element, compile, "compareTime", ""),
        skipped: skipped.collect(),
        instance: instance(element, compile),
    })
}

impl Assertion for CompareAssertion {
    fn needs(&self) -> Needs {
        Needs { body: self.content, request: true, ..Needs::default() }
    }

    fn is_small(&self, sample: &SampleResult) -> bool {
        !self.content
            || (Cost::Regex.is_tiny(sample.body.len())
                && self.skipped.len() <= FEW
                && self.skipped.iter().all(|skipped| skipped.pattern.is_plain()))
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

/// Replacements that are made on the loop at once.
const FEW: usize = 4;

fn result(name: swell_api::Text, seen: &ComparedSamples, most_ms: i64) -> AssertionResult {
    let mut compared = Compared::default();
    let mut result = AssertionResult::passed(name);
    if let Some((a, b)) = &seen.contents {
        add(&mut compared.base, format!("{}{}", a.head, a.content));
        add(&mut compared.secondary, format!("{}{}", b.head, b.content));
        result.message = Some("Responses differ in content".into());
    }
    if let Some((a, b)) = &seen.times {
        add(&mut compared.base, format!("{}Response Time:{}", a.head, a.elapsed_ms));
        add(&mut compared.secondary, format!("{}Response Time:{}", b.head, b.elapsed_ms));
        let message = format!("Responses differ in response time by more than{most_ms} ms");
        result.message = Some(message.into());
    }
    result.failure = result.message.is_some();
    result.compared = Some(Box::new(compared));
    result
}

fn add(to: &mut Option<String>, text: String) {
    *to = Some(match to.take() {
        None => text,
        Some(before) => format!("{before}\n\n{text}"),
    });
}

/// `CompareAssertion.appendResultDetails`.
fn head(sample: &SampleResult) -> String {
    let data = sample.sampler_data.as_deref().unwrap_or_default();
    format!("{}\n{}\n\n", data.trim_matches(|c| c <= ' '), sample.request_headers)
}

impl CompareAssertion {
    async fn judge(
        &self,
        placement: Placement,
        cx: &mut Context,
        sample: &mut SampleResult,
    ) -> AssertionResult {
        let name = self.name.get(cx);
        let most_ms = self.time_ms.get(cx);
        let mut content = String::new();
        if self.content {
            let skipped: Vec<_> = self.skipped.iter().map(|skipped| skipped.now(cx)).collect();
            let task = Task { name: &self.name, cost: Cost::Regex, placement, subject: &Subject::BODY };
            let nothing = Shared::nothing();
            let text =
                task.ask(cx, sample, &nothing, move |(), pieces, budget| compared(&skipped, pieces, budget));
            match text.await {
                Ok(text) => content = text,
                Err(message) => {
                    return AssertionResult { error: true, ..AssertionResult::failed(name, message.into()) };
                }
            }
        }
        let kept =
            Rc::new(ComparedSample { head: head(sample), content, elapsed_ms: sample.timing.elapsed_ms() });
        let seen = state(cx, self.instance);
        let Some(before) = seen.last.replace(kept.clone()) else { return AssertionResult::passed(name) };
        let pair = || Some((before.clone(), kept.clone()));
        if self.content && seen.contents.is_none() && before.content != kept.content {
            seen.contents = pair();
        }
        let apart_ms = (before.elapsed_ms - kept.elapsed_ms).abs();
        if most_ms >= 0 && seen.times.is_none() && apart_ms > most_ms {
            seen.times = pair();
        }
        result(name, seen, most_ms)
    }
}

/// An expression with its text and what takes the place of its matches.
type Replacement = (Arc<Result<Regex, BadPattern>>, String, String);

impl BodyReplacement {
    fn now(&self, cx: &mut Context) -> Replacement {
        let pattern = self.pattern.text(cx);
        (self.pattern.shared(&pattern), pattern, self.substitute.text(cx).to_string())
    }
}

/// The body without what is not compared. The error says what was given up.
fn compared(skipped: &[Replacement], pieces: &[Piece<'_>], budget: &Budget) -> Result<String, String> {
    let mut content = pieces.first().map(Piece::text).unwrap_or_default().into_owned();
    for (regex, pattern, substitute) in skipped {
        // JMeter ends the assertion with an exception here; the pattern was noted when the plan was
        // read.
        let Ok(regex) = &**regex else { continue };
        let replaced = regex.replace_all_within(&content, substitute, budget);
        content = replaced.map_err(|_| given_up(pattern, budget))?;
    }
    Ok(content)
}

fn state(cx: &mut Context, instance: u32) -> &mut ComparedSamples {
    let place = instance as usize;
    if cx.function_states.len() <= place {
        cx.function_states.resize_with(place + 1, || None);
    }
    let state =
        cx.function_states[place].get_or_insert_with(|| Box::<ComparedSamples>::default() as Box<dyn Any>);
    state.downcast_mut().expect("the number identifies this element")
}

/// Forgets the samples of the iteration before.
struct ComparisonReset {
    instance: u32,
}

/// What the assertion does when an iteration starts.
pub(crate) fn iteration_element(element: &Element, compile: &CompileContext) -> Box<dyn IterationElement> {
    Box::new(ComparisonReset { instance: instance(element, compile) })
}

impl IterationElement for ComparisonReset {
    fn iteration_start(&self, cx: &mut Context) {
        *state(cx, self.instance) = ComparedSamples::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;
    use swell_api::Timing;

    fn sample(body: &str, elapsed_ms: i64) -> SampleResult {
        let timing = Timing { end_ns: elapsed_ms * 1_000_000, ..Timing::default() };
        let sampler_data = Some(" GET x \n".to_owned());
        let body = body.as_bytes().to_vec();
        SampleResult {
            timing,
            sampler_data,
            body: body.into(),
            request_headers: "H: 1\n".to_owned(),
            ..SampleResult::default()
        }
    }

    #[test]
    fn neighbours_are_compared_until_the_next_iteration() {
        let bench = Bench::new();
        let element = Element::new("CompareAssertion", "TestBeanGUI", "same")
            .with_flag("compareContent", true)
            .with_text("compareTime", "10");
        let assertion = build(&element, &bench);
        let forget = iteration_element(&element, &bench);
        let mut cx = bench.user();
        let mut judge = |body: &str, elapsed_ms| {
            let result = assertion.check(&mut cx, &mut sample(body, elapsed_ms)).finish();
            let compared = result.compared.as_ref().map(|pair| (pair.base.clone(), pair.secondary.clone()));
            (result.message.map(|message| message.to_string()), compared)
        };
        assert_eq!(judge("a", 5), (None, None));
        assert_eq!(judge("a", 15), (None, Some((None, None))));
        let (message, compared) = judge("a", 30);
        assert_eq!(message.as_deref(), Some("Responses differ in response time by more than10 ms"));
        let time = |ms| Some(format!("GET x\nH: 1\n\n\nResponse Time:{ms}"));
        assert_eq!(compared, Some((time(15), time(30))));
        let (_, compared) = judge("b", 30);
        let both =
            |content, ms| Some(format!("GET x\nH: 1\n\n\n{content}\n\nGET x\nH: 1\n\n\nResponse Time:{ms}"));
        assert_eq!(compared, Some((both("a", 15), both("b", 30))));
        forget.iteration_start(&mut cx);
        let result = assertion.check(&mut cx, &mut sample("c", 900)).finish();
        assert_eq!((result.failure, result.compared), (false, None));
    }
}
