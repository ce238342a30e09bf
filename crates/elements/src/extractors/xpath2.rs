//! XPath2 Extractor (`org.apache.jmeter.extractor.XPath2Extractor`).

use rand::Rng;
use swell_document::Document;
use swell_document::xml::{XmlErrorKind, XmlOptions, parse};
use swell_document::xpath2::Item;
use swell_expr::{Context, Level, Template};
use swell_plan::Element;

use super::numbered::Numbered;
use crate::field::{IntField, TextField, VarName};
use crate::scope::ScopeField;
use crate::xpath2_field::{XPath2Field, not_compiled};
use crate::{AssertionResult, Build, Needs, PostProcessor, SampleResult, Scope};

struct XPath2Extractor {
    name: TextField,
    scope: ScopeField,
    variable: VarName,
    path: XPath2Field,
    default: Template,
    match_number: IntField,
    as_fragment: bool,
}

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn PostProcessor> {
    Box::new(XPath2Extractor {
        name: TextField::name_of(element, build),
        scope: ScopeField::of_extractor(element, build),
        variable: Numbered::variable(element, build, "XPathExtractor2.refname"),
        path: XPath2Field::of(element, build, "XPathExtractor2.xpathQuery", "", "XPathExtractor2.namespaces"),
        default: build.template(element, "XPathExtractor2.default", ""),
        match_number: IntField::of(element, build, "XPathExtractor2.matchNumber", "0"),
        as_fragment: element.flag("XPathExtractor2.fragment", false),
    })
}

impl PostProcessor for XPath2Extractor {
    fn needs(&self) -> Needs {
        Needs { body: self.scope.scope != Scope::Variable, ..Needs::default() }
    }

    fn process(&self, cx: &mut Context, sample: &mut SampleResult) {
        let numbered = Numbered::start(cx, &self.variable, &self.default);
        match self.matches(cx, sample) {
            Ok(matches) => numbered.save(cx, &self.variable, matches),
            Err(message) => {
                let (path, _) = self.path.texts(cx);
                cx.host.log(Level::Warn, &format!("Exception while processing '{path}', message:{message}"));
                let message = format!("{message}\nSee log file for further details.");
                sample.assertions.push(AssertionResult::failed(self.name.get(cx), message.into()));
            }
        }
    }
}

impl XPath2Extractor {
    /// The error is the message of Java's exception.
    fn matches(&self, cx: &mut Context, sample: &SampleResult) -> Result<Vec<Option<String>>, String> {
        let mut found = Vec::new();
        if self.scope.scope == Scope::Variable {
            match self.scope.variable.value(cx) {
                Some(text) if text.is_empty() => {}
                Some(text) => self.search(cx, &text, &mut found)?,
                None => self.log_missing_variable(cx),
            }
            return Ok(found);
        }
        // JMeter asks the main sample once for each sample in the scope.
        let text = sample.body_text();
        for _ in self.scope.scope.samples(sample) {
            self.search(cx, &text, &mut found)?;
        }
        Ok(found)
    }

    fn search(&self, cx: &mut Context, text: &str, found: &mut Vec<Option<String>>) -> Result<(), String> {
        let texts = self.path.texts(cx);
        if texts.0.is_empty() {
            cx.host.log(Level::Warn, "Error : XPath2 query is empty");
            return Ok(());
        }
        let compiled = self.path.compiled(&texts);
        let path = compiled.as_ref().as_ref().map_err(not_compiled)?;
        let document = parse(text, XmlOptions::SAXON).map_err(|error| match error.kind {
            XmlErrorKind::Malformed => error.with_place(),
            XmlErrorKind::Input => error.message,
        })?;
        let items = path.evaluate(&document).map_err(|error| error.message)?;
        let value = |item: &Item| Some(self.value(&document, item));
        let number = match self.match_number.get(cx) {
            ..0 => {
                found.extend(items.iter().map(value));
                return Ok(());
            }
            0 if items.is_empty() => return Err("-1".to_owned()),
            0 => cx.random.random_range(0..items.len()) + 1,
            number => number as usize,
        };
        if let Some(item) = items.get(number - 1) {
            found.push(value(item));
        } else {
            cx.host.log(Level::Warn, &format!("Error : there is no match with the number {number}"));
        }
        Ok(())
    }

    fn value(&self, document: &Document, item: &Item) -> String {
        if self.as_fragment { item.fragment(document) } else { item.text(document) }
    }

    fn log_missing_variable(&self, cx: &mut Context) {
        let (variable, name) = (self.scope.variable.name(cx).into_owned(), self.name.get(cx));
        let message = format!(
            "No variable '{variable}' found to process by XPathExtractor '{name}', skipping processing"
        );
        cx.host.log(Level::Warn, &message);
    }
}
