//! XPath2 Assertion (`org.apache.jmeter.assertions.XPath2Assertion`). JMeter asks Saxon, but asks Xalan, too, whether the
//! expression gives a boolean: so what is no XPath 1.0 is an error.

use crate::xpath2::XPath2;
use swell_api::{Assertion, AssertionResult, Compile, Needs, Placement, SampleResult, Scope, StepRun, Text};
use swell_budget::Budget;
use swell_expr::{Context, Level, Thrown};
use swell_plan::Element;
use swell_query::Document;
use swell_query::xml::{XmlErrorKind, XmlOptions, parse};
use swell_query::xpath::{Value, XPath, XPathError};

use super::xpath2_field::{XPath2Field, not_compiled};
use swell_elements::field::TextField;
use swell_elements::heavy::{Cost, Shared, Task};
use swell_elements::scope::ScopeField;
use swell_elements::subject::{Piece, Subject};

struct XPath2Assertion {
    name: TextField,
    scope: ScopeField,
    path: XPath2Field,
    negated: bool,
}

pub(crate) fn build(element: &Element, compile: &Compile) -> Box<dyn Assertion> {
    Box::new(XPath2Assertion {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_assertion(element, compile),
        path: XPath2Field::of(element, compile, "XPath.xpath", "/", "XPath.namespaces"),
        negated: element.flag("XPath.negate", false),
    })
}

impl Assertion for XPath2Assertion {
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
    ) -> StepRun<'a, AssertionResult> {
        Placement::Anywhere.run(self.judge(cx, sample))
    }
}

impl XPath2Assertion {
    async fn judge(&self, cx: &mut Context, sample: &mut SampleResult) -> AssertionResult {
        let name = self.name.get(cx);
        let subject = if self.scope.scope == Scope::Variable {
            match self.scope.variable.value(cx) {
                Some(value) if !value.is_empty() => Subject::Value(Some(value)),
                _ => return AssertionResult::failed_for_null(name),
            }
        } else {
            Subject::BODY
        };
        let texts = self.path.texts(cx);
        let path = texts.0.clone();
        if path.is_empty() {
            cx.host.log(Level::Warn, "Error : XPath2 query is empty");
            return AssertionResult { message: Some(Text::EMPTY), ..AssertionResult::passed(name) };
        }
        let compiled = Shared::Owned(self.path.compiled(&texts));
        let task =
            Task { name: &self.name, cost: Cost::Xml, placement: Placement::Anywhere, subject: &subject };
        let found =
            task.ask(cx, sample, &compiled, move |path, pieces, budget| holds(path, &texts, pieces, budget));
        let (failure, error, message) = match found.await {
            Ok(found) => {
                let words = if self.negated { "Nodes Matched for" } else { "No Nodes Matched for" };
                (found == self.negated, false, format!("{words} {path}"))
            }
            Err(CheckError::Type(message)) => (false, true, format!("Exception: {message} for:{path}")),
            Err(CheckError::Namespaces) => {
                let message = "Index 1 out of bounds for length 1".to_owned();
                let thrown = Thrown { class: "java.lang.ArrayIndexOutOfBoundsException", message };
                cx.thrown.get_or_insert_with(|| Box::new(thrown));
                return AssertionResult::passed(name);
            }
            Err(CheckError::Other(message)) => {
                let message =
                    format!("Exception occurred computing assertion with XPath:{path}, error:{message}");
                (false, true, message)
            }
        };
        AssertionResult { name, failure, error, message: Some(message.into()), ..AssertionResult::default() }
    }
}

/// Why there is no verdict.
enum CheckError {
    /// Xalan cannot tell the type.
    Type(String),
    /// A prefix has no namespace, which is an exception.
    Namespaces,
    Other(String),
}

/// Whether something is found, or true.
fn holds(
    compiled: &Result<XPath2, XPathError>,
    texts: &(String, String),
    pieces: &[Piece<'_>],
    budget: &Budget,
) -> Result<bool, CheckError> {
    let path = compiled.as_ref().map_err(|error| CheckError::Other(not_compiled(error)))?;
    let text = pieces.first().map(Piece::text).unwrap_or_default();
    let document = parse(&text, XmlOptions::SAXON).map_err(|error| {
        CheckError::Other(match error.kind {
            XmlErrorKind::Malformed => error.with_place(),
            XmlErrorKind::Input => error.message,
        })
    })?;
    let is_boolean = is_boolean(texts)?;
    let items = path.evaluate(&document, budget).map_err(|error| CheckError::Other(error.message))?;
    Ok(match items.first() {
        None => false,
        Some(item) => !is_boolean || item.text(&document).eq_ignore_ascii_case("true"),
    })
}

/// What an expression may cost on no document, in units of work.
const ON_NOTHING: u64 = 1_000_000;

/// Whether an expression gives a boolean in XPath 1.0, on no document.
fn is_boolean((path, namespaces): &(String, String)) -> Result<bool, CheckError> {
    let pairs = pairs(namespaces).ok_or(CheckError::Namespaces)?;
    let resolve = |prefix: &str| {
        let found = pairs.iter().rev().find(|(known, _)| *known == prefix);
        found.map(|(_, namespace)| (*namespace).to_owned())
    };
    let value = XPath::compile(path)
        .and_then(|path| path.evaluate_with(&Document::empty(), &Budget::of_units(ON_NOTHING), resolve));
    value.map(|value| matches!(value, Value::Boolean(_))).map_err(|error| CheckError::Type(error.message))
}

/// Prefixes with their namespaces, parted by any space, as `PropertiesBasedPrefixResolverForXpath2` reads them. None where a
/// prefix is without a namespace.
fn pairs(namespaces: &str) -> Option<Vec<(&str, &str)>> {
    namespaces.split_ascii_whitespace().map(pair).collect()
}

fn pair(text: &str) -> Option<(&str, &str)> {
    let mut parts = text.split('=');
    Some((parts.next()?, parts.next().filter(|namespace| !namespace.is_empty())?))
}
