//! XPath Extractor (`org.apache.jmeter.extractor.XPathExtractor`).

use rand::rngs::SmallRng;
use rand::{Rng, RngCore, SeedableRng};
use swell_api::{
    AssertionResult, CompileContext, Needs, Placement, PostProcessor, SampleResult, Scope, StepProgress,
};
use swell_budget::Budget;
use swell_expr::{Context, Level, Template};
use swell_plan::Element;
use swell_query::xpath::{Value, XPath, XPathError, shown_number};
use swell_query::{Document, NodeId, NodeKind, fragment};

use crate::field::{IntField, TextField, VarName};
use crate::heavy::{Cost, Shared, Task, VARIABLE_BYTES, search_given_up};
use crate::markup::{Markup, ParseFailure};
use crate::numbered::Numbered;
use crate::reported::{self, Report};
use crate::scope::ScopeField;
use crate::subject::{Piece, SamplePart, Subject};
use crate::xpath_field::{Namespaces, XPathField};

struct XPathExtractor {
    name: TextField,
    scope: ScopeField,
    variable: VarName,
    path: XPathField,
    default: Template,
    match_number: IntField,
    markup: Markup,
    as_fragment: bool,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn PostProcessor> {
    Box::new(XPathExtractor {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_extractor(element, compile),
        variable: Numbered::variable(element, compile, "XPathExtractor.refname"),
        path: XPathField::of(element, compile, "XPathExtractor.xpathQuery", ""),
        default: compile.template(element, "XPathExtractor.default", ""),
        match_number: IntField::of(element, compile, "XPathExtractor.matchNumber", "-1"),
        markup: Markup::of(element, compile, "XPathExtractor", false),
        as_fragment: element.flag("XPathExtractor.fragment", false),
    })
}

/// Why it has no matches.
enum Failure {
    Document(ParseFailure),
    Path(String),
}

impl Failure {
    /// The message of the library.
    fn text(&self) -> String {
        match self {
            Self::Document(ParseFailure::Input(message) | ParseFailure::Malformed(message))
            | Self::Path(message) => message.clone(),
        }
    }
}

impl PostProcessor for XPathExtractor {
    fn needs(&self) -> Needs {
        Needs { body: self.scope.scope != Scope::Variable, ..Needs::default() }
    }

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepProgress<'a> {
        Placement::Anywhere.run(self.work(cx, sample))
    }
}

/// What is asked of a document.
struct Lookup {
    markup: Markup,
    namespaces: Namespaces,
    /// The number of the match, 0 for any, negative for all.
    wanted: i64,
    /// Which of any.
    seed: u64,
    as_fragment: bool,
}

type Matches = Vec<Option<String>>;

impl XPathExtractor {
    async fn work(&self, cx: &mut Context, sample: &mut SampleResult) {
        let numbered = Numbered::start(cx, &self.variable, &self.default);
        match self.matches(cx, sample).await {
            Ok(matches) => {
                let values = reported::is_wanted(cx).then(|| matches.clone());
                numbered.save(cx, &self.variable, matches).await;
                if let Some(values) = values {
                    let values = values.into_iter().map(Option::unwrap_or_default).collect();
                    self.trace(cx, sample, values, None);
                }
            }
            Err(failure) => {
                let why = reported::is_wanted(cx).then(|| failure.text());
                self.report(cx, sample, failure);
                if why.is_some() {
                    self.trace(cx, sample, Vec::new(), why);
                }
            }
        }
    }

    /// Reports what was found to the trace.
    fn trace(&self, cx: &mut Context, sample: &SampleResult, values: Vec<String>, error: Option<String>) {
        let variable = self.variable.name(cx).into_owned();
        let expression = self.path.text(cx).clone();
        let wanted = self.match_number.get(cx);
        let subject = self.scope.subject(cx, SamplePart::Body);
        let report = Report {
            language: "xpath",
            expression,
            subject: &subject,
            variable: &variable,
            wanted,
            matches: values.len(),
            found: !values.is_empty(),
            values,
            has_default: true,
            error,
        };
        reported::report(cx, sample, report);
    }

    async fn matches(&self, cx: &mut Context, sample: &mut SampleResult) -> Result<Matches, Failure> {
        let wanted = self.match_number.get(cx);
        let subject = if self.scope.scope == Scope::Variable {
            let value = self.scope.value(cx, "XPathExtractor", &self.name);
            Subject::Value(value.filter(|text| !text.is_empty()))
        } else {
            Subject::Samples(self.scope.scope, SamplePart::Body)
        };
        let text = self.path.text(cx);
        let (compiled, namespaces) = self.path.get(cx, &text);
        let seed = if wanted == 0 { cx.random.next_u64() } else { 0 };
        let asked = Lookup { markup: self.markup, namespaces, wanted, seed, as_fragment: self.as_fragment };
        let task =
            Task { name: &self.name, cost: Cost::Xml, placement: Placement::Anywhere, subject: &subject };
        task.ask(cx, sample, &Shared::Owned(compiled), move |path, pieces, budget| {
            search(path, &asked, pieces, budget)
        })
        .await
    }

    /// A failure is a result of an assertion; only where the document could not be had the sample
    /// fails, too.
    fn report(&self, cx: &mut Context, sample: &mut SampleResult, failure: Failure) {
        let name = self.name.get(cx);
        let path = self.path.text(cx);
        let (exception, message) = match failure {
            Failure::Document(ParseFailure::Input(message)) => {
                cx.host.log(Level::Error, &format!("IOException on ({path}): {message}"));
                let message = Some(format!("IOException: {message}").into());
                sample.assertions.push(AssertionResult {
                    name,
                    error: true,
                    message,
                    ..AssertionResult::default()
                });
                sample.success = false;
                return;
            }
            Failure::Document(ParseFailure::Malformed(message)) => ("SAXException", message),
            Failure::Path(message) => ("TransformerException", message),
        };
        cx.host.log(Level::Warn, &format!("{exception} while processing ({path}). {message}"));
        let message = format!("{message}\nSee log file for further details.");
        sample.assertions.push(AssertionResult::failed(name, message.into()));
    }
}

fn search(
    path: &Result<XPath, XPathError>,
    asked: &Lookup,
    pieces: &[Piece<'_>],
    budget: &Budget,
) -> Result<Matches, Failure> {
    let mut found = Vec::new();
    let mut random = SmallRng::seed_from_u64(asked.seed);
    let failed = |error: XPathError| Failure::Path(error.message);
    for piece in pieces {
        let parsed = asked.markup.parsed(piece, &piece.text());
        let document = parsed.document.as_ref().map_err(|why| Failure::Document(why.clone()))?;
        let path = path.as_ref().map_err(|error| failed(error.clone()))?;
        match path.evaluate_in(document, &asked.namespaces, budget).map_err(failed)? {
            Value::Nodes(nodes) => {
                let chosen = match asked.wanted {
                    0 if nodes.is_empty() => 0,
                    0 => random.random_range(0..nodes.len()) as i64 + 1,
                    number => number,
                };
                let is_chosen = |at: usize| chosen < 0 || chosen == at as i64 + 1;
                for (_, node) in nodes.into_iter().enumerate().filter(|&(at, _)| is_chosen(at)) {
                    found.push(value(document, node, asked.as_fragment, budget).map_err(Failure::Path)?);
                }
            }
            Value::Boolean(value) => found.push(Some(value.to_string())),
            Value::Number(value) => found.push(Some(shown_number(value))),
            Value::Text(text) => found.push(Some(text)),
        }
    }
    Ok(found)
}

/// What a node of a fragment costs, in units of work.
const NODE: u64 = 50;

fn value(
    document: &Document,
    node: NodeId,
    as_fragment: bool,
    budget: &Budget,
) -> Result<Option<String>, String> {
    let text = if as_fragment && document.kind(node) == NodeKind::Element {
        budget.work(NODE * document.size(node) as u64).map_err(search_given_up)?;
        Some(fragment(document, node))
    } else {
        document.dom_value(node).map(str::to_owned)
    };
    budget.keep(text.as_ref().map_or(0, String::len) + VARIABLE_BYTES).map_err(search_given_up)?;
    Ok(text)
}
