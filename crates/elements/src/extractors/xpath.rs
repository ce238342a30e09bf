//! XPath Extractor (`org.apache.jmeter.extractor.XPathExtractor`).

use rand::Rng;
use swell_document::xpath::{Value, shown_number};
use swell_document::{Document, Kind, NodeId, fragment};
use swell_expr::{Context, Level, Template};
use swell_plan::Element;

use super::numbered::Numbered;
use crate::field::{IntField, TextField, VarName};
use crate::markup::{Markup, Unreadable};
use crate::scope::ScopeField;
use crate::xpath_field::XPathField;
use crate::{AssertionResult, Build, Needs, PostProcessor, SampleResult, Scope};

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

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn PostProcessor> {
    Box::new(XPathExtractor {
        name: TextField::name_of(element, build),
        scope: ScopeField::of_extractor(element, build),
        variable: Numbered::variable(element, build, "XPathExtractor.refname"),
        path: XPathField::of(element, build, "XPathExtractor.xpathQuery", ""),
        default: build.template(element, "XPathExtractor.default", ""),
        match_number: IntField::of(element, build, "XPathExtractor.matchNumber", "-1"),
        markup: Markup::of(element, build, "XPathExtractor", false),
        as_fragment: element.flag("XPathExtractor.fragment", false),
    })
}

/// Why there are no matches.
enum Failure {
    Document(Unreadable),
    Path(String),
}

impl PostProcessor for XPathExtractor {
    fn needs(&self) -> Needs {
        Needs { body: self.scope.scope != Scope::Variable, ..Needs::default() }
    }

    fn process(&self, cx: &mut Context, sample: &mut SampleResult) {
        let numbered = Numbered::start(cx, &self.variable, &self.default);
        match self.matches(cx, sample) {
            Ok(matches) => numbered.save(cx, &self.variable, matches),
            Err(failure) => self.report(cx, sample, failure),
        }
    }
}

impl XPathExtractor {
    fn matches(&self, cx: &mut Context, sample: &SampleResult) -> Result<Vec<Option<String>>, Failure> {
        let wanted = self.match_number.get(cx);
        let mut found = Vec::new();
        if self.scope.scope == Scope::Variable {
            match self.scope.variable.value(cx) {
                Some(text) if text.is_empty() => {}
                Some(text) => self.search(cx, text.as_bytes(), wanted, &mut found)?,
                None => self.log_missing_variable(cx),
            }
        } else {
            for sample in self.scope.scope.samples(sample) {
                self.search(cx, sample.body_text().as_bytes(), wanted, &mut found)?;
            }
        }
        Ok(found)
    }

    fn search(
        &self,
        cx: &mut Context,
        bytes: &[u8],
        wanted: i64,
        found: &mut Vec<Option<String>>,
    ) -> Result<(), Failure> {
        let text = self.path.text(cx);
        let document = match self.markup.read(bytes) {
            Ok(document) => document,
            Err(unreadable @ Unreadable::Walk(_)) => {
                // Xalan compiles the path before it walks.
                let compiled = self.path.evaluate(cx, &text, &Document::empty());
                return Err(compiled
                    .err()
                    .map_or(Failure::Document(unreadable), |error| Failure::Path(error.message)));
            }
            Err(unreadable) => return Err(Failure::Document(unreadable)),
        };
        match self.path.evaluate(cx, &text, &document).map_err(|error| Failure::Path(error.message))? {
            Value::Nodes(nodes) => {
                let chosen = match wanted {
                    0 if nodes.is_empty() => 0,
                    0 => cx.random.random_range(0..nodes.len()) as i64 + 1,
                    number => number,
                };
                let is_chosen = |at: usize| chosen < 0 || chosen == at as i64 + 1;
                let nodes = nodes.into_iter().enumerate().filter(|&(at, _)| is_chosen(at));
                found.extend(nodes.map(|(_, node)| self.value(&document, node)));
            }
            Value::Boolean(value) => found.push(Some(value.to_string())),
            Value::Number(value) => found.push(Some(shown_number(value))),
            Value::Text(text) => found.push(Some(text)),
        }
        Ok(())
    }

    fn value(&self, document: &Document, node: NodeId) -> Option<String> {
        if self.as_fragment && document.kind(node) == Kind::Element {
            return Some(fragment(document, node));
        }
        document.dom_value(node).map(str::to_owned)
    }

    fn log_missing_variable(&self, cx: &mut Context) {
        let (variable, name) = (self.scope.variable.name(cx).into_owned(), self.name.get(cx));
        let message = format!(
            "No variable '{variable}' found to process by XPathExtractor '{name}', skipping processing"
        );
        cx.host.log(Level::Warn, &message);
    }

    /// A failure is a result of an assertion; only where the document could not be had the sample fails, too.
    fn report(&self, cx: &mut Context, sample: &mut SampleResult, failure: Failure) {
        let (name, path) = (self.name.get(cx), self.path.text(cx));
        let (exception, message) = match failure {
            Failure::Document(Unreadable::Input(message)) => {
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
            Failure::Document(Unreadable::Tidy(message)) => {
                sample.success = false;
                ("TidyException", message)
            }
            Failure::Document(Unreadable::Malformed(message)) => ("SAXException", message),
            Failure::Document(Unreadable::Walk(message)) | Failure::Path(message) => {
                ("TransformerException", message)
            }
        };
        cx.host.log(Level::Warn, &format!("{exception} while processing ({path}). {message}"));
        let message = format!("{message}\nSee log file for further details.");
        sample.assertions.push(AssertionResult::failed(name, message.into()));
    }
}
