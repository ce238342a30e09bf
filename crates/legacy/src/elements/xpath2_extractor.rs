//! XPath2 Extractor (`org.apache.jmeter.extractor.XPath2Extractor`).

use crate::xpath2::{Item, XPath2};
use rand::rngs::SmallRng;
use rand::{Rng, RngCore, SeedableRng};
use swell_api::{AssertionResult, Compile, Needs, Placement, PostProcessor, SampleResult, Scope, StepRun};
use swell_budget::Budget;
use swell_expr::{Context, Level, Template};
use swell_plan::Element;
use swell_query::Document;
use swell_query::xml::{XmlErrorKind, XmlOptions, parse};
use swell_query::xpath::XPathError;

use super::xpath2_field::{XPath2Field, not_compiled};
use swell_elements::field::{IntField, TextField, VarName};
use swell_elements::heavy::{Cost, Shared, Task};
use swell_elements::heavy::{VARIABLE_BYTES, search_given_up};
use swell_elements::numbered::Numbered;
use swell_elements::scope::ScopeField;
use swell_elements::subject::{Piece, Subject};

struct XPath2Extractor {
    name: TextField,
    scope: ScopeField,
    variable: VarName,
    path: XPath2Field,
    default: Template,
    match_number: IntField,
    as_fragment: bool,
}

pub(crate) fn build(element: &Element, compile: &Compile) -> Box<dyn PostProcessor> {
    Box::new(XPath2Extractor {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_extractor(element, compile),
        variable: Numbered::variable(element, compile, "XPathExtractor2.refname"),
        path: XPath2Field::of(
            element,
            compile,
            "XPathExtractor2.xpathQuery",
            "",
            "XPathExtractor2.namespaces",
        ),
        default: compile.template(element, "XPathExtractor2.default", ""),
        match_number: IntField::of(element, compile, "XPathExtractor2.matchNumber", "0"),
        as_fragment: element.flag("XPathExtractor2.fragment", false),
    })
}

impl PostProcessor for XPath2Extractor {
    fn needs(&self) -> Needs {
        Needs { body: self.scope.scope != Scope::Variable, ..Needs::default() }
    }

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepRun<'a> {
        Placement::Anywhere.run(self.work(cx, sample))
    }
}

/// What is asked of a document.
struct Lookup {
    /// How often.
    times: usize,
    /// The number of the match, 0 for any, negative for all.
    wanted: i64,
    /// Which of any.
    seed: u64,
    as_fragment: bool,
}

/// What was found.
#[derive(Default)]
struct Matches {
    values: Vec<Option<String>>,
    /// How often there was no match with the wanted number, and that number.
    missing: Vec<usize>,
}

impl XPath2Extractor {
    async fn work(&self, cx: &mut Context, sample: &mut SampleResult) {
        let numbered = Numbered::start(cx, &self.variable, &self.default);
        match self.matches(cx, sample).await {
            Ok(matches) => {
                for number in matches.missing {
                    let message = format!("Error : there is no match with the number {number}");
                    cx.host.log(Level::Warn, &message);
                }
                numbered.save(cx, &self.variable, matches.values).await;
            }
            Err(message) => {
                let (path, _) = self.path.texts(cx);
                cx.host.log(Level::Warn, &format!("Exception while processing '{path}', message:{message}"));
                let message = format!("{message}\nSee log file for further details.");
                sample.assertions.push(AssertionResult::failed(self.name.get(cx), message.into()));
            }
        }
    }

    /// The error is the message of Java's exception.
    async fn matches(&self, cx: &mut Context, sample: &mut SampleResult) -> Result<Matches, String> {
        let (subject, times) = if self.scope.scope == Scope::Variable {
            let value = self.scope.value(cx, "XPathExtractor", &self.name);
            (Subject::Value(value.filter(|text| !text.is_empty())), 1)
        } else {
            // JMeter asks the main sample once for each sample in the scope.
            (Subject::BODY, self.scope.scope.samples(sample).len())
        };
        if times == 0 || matches!(subject, Subject::Value(None)) {
            return Ok(Matches::default());
        }
        let texts = self.path.texts(cx);
        if texts.0.is_empty() {
            for _ in 0..times {
                cx.host.log(Level::Warn, "Error : XPath2 query is empty");
            }
            return Ok(Matches::default());
        }
        let compiled = self.path.compiled(&texts);
        let wanted = self.match_number.get(cx);
        let seed = if wanted == 0 { cx.random.next_u64() } else { 0 };
        let asked = Lookup { times, wanted, seed, as_fragment: self.as_fragment };
        let task =
            Task { name: &self.name, cost: Cost::Xml, placement: Placement::Anywhere, subject: &subject };
        task.ask(cx, sample, &Shared::Owned(compiled), move |path, pieces, budget| {
            search(path, &asked, pieces, budget)
        })
        .await
    }
}

fn search(
    path: &Result<XPath2, XPathError>,
    asked: &Lookup,
    pieces: &[Piece<'_>],
    budget: &Budget,
) -> Result<Matches, String> {
    let mut matches = Matches::default();
    let path = path.as_ref().map_err(not_compiled)?;
    let mut random = SmallRng::seed_from_u64(asked.seed);
    for piece in pieces {
        let document = parse(&piece.text(), XmlOptions::SAXON).map_err(|error| match error.kind {
            XmlErrorKind::Malformed => error.with_place(),
            XmlErrorKind::Input => error.message,
        })?;
        for _ in 0..asked.times {
            let items = path.evaluate(&document, budget).map_err(|error| error.message)?;
            let number = match asked.wanted {
                ..0 => {
                    for item in &items {
                        matches.values.push(Some(value(&document, item, asked.as_fragment, budget)?));
                    }
                    continue;
                }
                0 if items.is_empty() => return Err("-1".to_owned()),
                0 => random.random_range(0..items.len()) + 1,
                number => number as usize,
            };
            match items.get(number - 1) {
                Some(item) => {
                    matches.values.push(Some(value(&document, item, asked.as_fragment, budget)?));
                }
                None => matches.missing.push(number),
            }
        }
    }
    Ok(matches)
}

/// What a node of a text or fragment costs, in units of work.
const NODE: u64 = 20;

fn value(document: &Document, item: &Item, as_fragment: bool, budget: &Budget) -> Result<String, String> {
    budget.work(NODE * item.size(document) as u64).map_err(search_given_up)?;
    let text = if as_fragment { item.fragment(document) } else { item.text(document) };
    budget.keep(text.len() + VARIABLE_BYTES).map_err(search_given_up)?;
    Ok(text)
}
