//! XPath Assertion (`org.apache.jmeter.assertions.XPathAssertion`).

use std::borrow::Cow;

use swell_api::{
    Assertion, AssertionResult, CompileContext, Needs, Placement, SampleResult, Scope, StepProgress, Text,
};
use swell_budget::Budget;
use swell_expr::Context;
use swell_plan::Element;
use swell_query::xpath::{Value, XPath, XPathError};

use crate::field::TextField;
use crate::heavy::{Cost, Shared, Task};
use crate::markup::{Markup, ParseFailure};
use crate::scope::ScopeField;
use crate::subject::{Piece, Subject};
use crate::xpath_field::{Namespaces, XPathField};

struct XPathAssertion {
    name: TextField,
    scope: ScopeField,
    path: XPathField,
    markup: Markup,
    negated: bool,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn Assertion> {
    Box::new(XPathAssertion {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_assertion(element, compile),
        path: XPathField::of(element, compile, "XPath.xpath", "/"),
        markup: Markup::of(element, compile, "XPath", true),
        negated: element.flag("XPath.negate", false),
    })
}

/// What it says of a sample: whether that is a failure or an error, and why.
enum Verdict {
    Passed(String),
    Failed(String),
    Error(String),
}

impl Assertion for XPathAssertion {
    fn needs(&self) -> Needs {
        Needs { body: self.scope.scope != Scope::Variable, ..Needs::default() }
    }

    fn scope(&self) -> Scope {
        self.scope.scope
    }

    fn is_small(&self, sample: &SampleResult) -> bool {
        self.scope.scope == Scope::Parent && sample.body.is_empty()
    }

    fn check<'a>(
        &'a self,
        cx: &'a mut Context,
        sample: &'a mut SampleResult,
    ) -> StepProgress<'a, AssertionResult> {
        Placement::Anywhere.run(self.judge_sample(cx, sample))
    }
}

impl XPathAssertion {
    async fn judge_sample(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        let subject = if self.scope.scope == Scope::Variable {
            Subject::Value(self.scope.variable.value(cx))
        } else {
            Subject::BODY
        };
        if subject.bytes(sample) == 0 {
            return AssertionResult::failed_for_null(name);
        }
        let text = self.path.text(cx);
        let (compiled, namespaces) = self.path.get(cx, &text);
        let asked = Lookup { markup: self.markup, namespaces };
        let task =
            Task { name: &self.name, cost: Cost::Xml, placement: Placement::Anywhere, subject: &subject };
        let compiled = Shared::Owned(compiled);
        let value = task
            .ask(cx, sample, &compiled, move |path, pieces, budget| evaluate(path, &asked, pieces, budget));
        let verdict = match value.await {
            Ok(value) => self.judge(&text, value),
            Err(ParseFailure::Malformed(message)) => Verdict::Error(format!("SAXException: {message}")),
            Err(ParseFailure::Input(message)) => Verdict::Error(format!("IOException: {message}")),
        };
        let (failure, error, message) = match verdict {
            Verdict::Passed(message) => (false, false, message),
            Verdict::Failed(message) => (true, false, message),
            Verdict::Error(message) => (false, true, message),
        };
        AssertionResult { name, failure, error, message: Some(Text::from(message)), compared: None }
    }
}

/// What is asked of a document.
struct Lookup {
    markup: Markup,
    namespaces: Namespaces,
}

/// What the path gives on a document that can be read.
fn evaluate(
    path: &Result<XPath, XPathError>,
    asked: &Lookup,
    pieces: &[Piece<'_>],
    budget: &Budget,
) -> Result<Result<Value, XPathError>, ParseFailure> {
    let piece = pieces.first().unwrap_or(&Piece::Text(""));
    let parsed;
    let read;
    // It reads bytes, not text; in most bodies they are the same.
    let document = match piece.text() {
        Cow::Borrowed(text) if text.len() == piece.bytes().len() => {
            parsed = asked.markup.parsed(piece, text);
            parsed.document.as_ref().map_err(Clone::clone)?
        }
        _ => {
            read = asked.markup.read(piece.bytes())?;
            &read
        }
    };
    let path = path.as_ref().map_err(Clone::clone);
    Ok(path.and_then(|path| path.evaluate_in(document, &asked.namespaces, budget)))
}

impl XPathAssertion {
    fn judge(&self, text: &str, value: Result<Value, XPathError>) -> Verdict {
        match value {
            Err(error) => Verdict::Error(format!("TransformerException: {error} for: {text}")),
            Ok(Value::Nodes(nodes)) if nodes.is_empty() => {
                self.verdict(self.negated, format!("No Nodes Matched {text}"))
            }
            Ok(Value::Nodes(_)) if self.negated => Verdict::Failed(
                "Specified XPath was found... Turn off negate if this is not desired".to_owned(),
            ),
            Ok(Value::Nodes(_)) => Verdict::Passed(String::new()),
            Ok(Value::Boolean(value)) => {
                let found = if self.negated { "Nodes Matched for" } else { "No Nodes Matched for" };
                self.verdict(value != self.negated, format!("{found} {text}"))
            }
            Ok(Value::Number(_) | Value::Text(_)) => Verdict::Failed(format!("Cannot understand: {text}")),
        }
    }

    /// JMeter leaves the message where the assertion holds.
    #[expect(clippy::unused_self, reason = "the name says what the assertion does")]
    fn verdict(&self, holds: bool, message: String) -> Verdict {
        if holds { Verdict::Passed(message) } else { Verdict::Failed(message) }
    }
}
