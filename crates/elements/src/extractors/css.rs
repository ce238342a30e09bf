//! CSS Selector Extractor (`org.apache.jmeter.extractor.HtmlExtractor`) with jsoup.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use rand::Rng;
use swell_api::{
    CompileContext, Needs, Placement, PostProcessor, SampleResult, Scope, StepProgress, YieldBudget,
};
use swell_budget::Budget;
use swell_expr::{Context, Level, Template};
use swell_plan::{Element, Severity};
use swell_query::css::{self, CssError, CssSelector};

use super::pages;
use crate::field::{IntField, TextField, VarName};
use crate::heavy::{Cost, Shared, Task, VARIABLE_BYTES, let_go, search_given_up};
use crate::reported::{self, Report};
use crate::scope::ScopeField;
use crate::subject::{Piece, SamplePart, Subject};

const SELECTOR: &str = "HtmlExtractor.expr";

/// Compiled selectors that an extractor with changing ones keeps.
const MOST: usize = 64;

type Compiled = Arc<Result<CssSelector, CssError>>;

struct CssExtractor {
    name: TextField,
    scope: ScopeField,
    variable: VarName,
    selector: Template,
    attribute: Template,
    match_number: IntField,
    default: Template,
    default_is_empty: bool,
    compiled: RefCell<HashMap<String, Compiled>>,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn PostProcessor> {
    let variable = VarName::of(element, compile, "HtmlExtractor.refname");
    if let Some(name) = variable.constant() {
        compile.expr.names.slot(&format!("{name}_matchNr"));
    }
    let extractor = CssExtractor {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_extractor(element, compile),
        variable,
        selector: compile.template(element, SELECTOR, ""),
        attribute: compile.template(element, "HtmlExtractor.attribute", ""),
        match_number: IntField::of(element, compile, "HtmlExtractor.match_number", ""),
        default: compile.template(element, "HtmlExtractor.default", ""),
        default_is_empty: element.flag("HtmlExtractor.default_empty_value", false),
        compiled: RefCell::default(),
    };
    extractor.note_problems(element, compile);
    Box::new(extractor)
}

impl PostProcessor for CssExtractor {
    fn needs(&self) -> Needs {
        Needs { body: self.scope.scope != Scope::Variable, ..Needs::default() }
    }

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepProgress<'a> {
        Placement::Anywhere.run(self.work(cx, sample))
    }
}

/// What is asked of a page.
struct Lookup {
    attribute: String,
    /// The number of the match up to which is searched; all for others.
    wanted: i64,
}

type Matches = Vec<String>;

impl CssExtractor {
    async fn work(&self, cx: &mut Context, sample: &mut SampleResult) {
        let default = self.default.eval_value(cx);
        if !default.is_empty() || self.default_is_empty {
            self.variable.put(cx, default);
        }
        let wanted = self.match_number.get(cx);
        match self.matches(cx, sample, wanted).await {
            Ok(matches) => {
                let values = reported::is_wanted(cx).then(|| matches.clone());
                self.save(cx, matches, wanted).await;
                if let Some(values) = values {
                    self.report(cx, sample, wanted, values, None);
                }
            }
            Err(reason) => {
                let name = self.name.get(cx);
                cx.host.log(Level::Warn, &format!("{name}: Error while generating result. {reason}"));
                if reported::is_wanted(cx) {
                    self.report(cx, sample, wanted, Vec::new(), Some(reason));
                }
            }
        }
    }

    /// Reports what was found.
    fn report(
        &self,
        cx: &mut Context,
        sample: &SampleResult,
        wanted: i64,
        values: Vec<String>,
        error: Option<String>,
    ) {
        let variable = self.variable.name(cx).into_owned();
        let selector = self.selector.eval(cx).into_owned();
        let attribute = self.attribute.eval(cx);
        let of = if attribute.trim().is_empty() { String::new() } else { format!(" attribute {attribute}") };
        let default = self.default.eval(cx);
        let has_default = self.default_is_empty || !default.is_empty();
        let subject = self.scope.subject(cx, SamplePart::Body);
        let count = values.len() as i64;
        let report = Report {
            language: "css",
            expression: format!("{selector}{of}"),
            subject: &subject,
            variable: &variable,
            wanted,
            matches: values.len(),
            found: if wanted > 0 { count >= wanted } else { count > 0 },
            values,
            has_default,
            error,
        };
        reported::report(cx, sample, report);
    }

    fn note_problems(&self, element: &Element, compile: &CompileContext) {
        let Some(selector) = self.selector.constant() else { return };
        if let Err(error) = self.compiled(selector).as_ref() {
            let message = format!("invalid selector, so nothing is extracted: {error}");
            compile.note(Severity::Warning, element, Some(SELECTOR), message, None);
        }
    }

    fn compiled(&self, selector: &str) -> Compiled {
        let mut known = self.compiled.borrow_mut();
        if let Some(compiled) = known.get(selector) {
            return compiled.clone();
        }
        if known.len() >= MOST {
            known.clear();
        }
        let compiled: Compiled = Arc::new(CssSelector::compile(selector));
        known.insert(selector.to_owned(), compiled.clone());
        compiled
    }

    /// The first matches, up to the wanted one.
    async fn matches(
        &self,
        cx: &mut Context,
        sample: &mut SampleResult,
        wanted: i64,
    ) -> Result<Matches, String> {
        let selector = self.selector.eval(cx).into_owned();
        let attribute = self.attribute.eval(cx).into_owned();
        let compiled = self.compiled(&selector);
        let subject = if self.scope.scope == Scope::Variable {
            let value = self.scope.value(cx, "CSS Selector Extractor", &self.name);
            Subject::Value(value.filter(|text| !text.is_empty()))
        } else {
            Subject::Samples(self.scope.scope, SamplePart::Body)
        };
        let task =
            Task { name: &self.name, cost: Cost::Html, placement: Placement::Anywhere, subject: &subject };
        let asked = Lookup { attribute, wanted };
        task.ask(cx, sample, &Shared::Owned(compiled), move |selector, pieces, budget| {
            search(selector, &asked, pieces, budget)
        })
        .await
    }

    async fn save(&self, cx: &mut Context, matches: Matches, wanted: i64) {
        let mut pace = YieldBudget::new(Placement::Anywhere);
        let base = self.variable.name(cx).into_owned();
        let count_name = format!("{base}_matchNr");
        let before: usize = cx.vars.remove(&count_name).and_then(|count| count.parse().ok()).unwrap_or(0);
        let mut kept = 0;
        if wanted < 0 {
            kept = matches.len();
            cx.vars.put(&count_name, kept.to_string());
            for (at, value) in matches.into_iter().enumerate() {
                cx.vars.put(&format!("{base}_{}", at + 1), value);
                pace.steps(1).await;
            }
        } else {
            let at = match wanted {
                0 if matches.is_empty() => 0,
                0 => cx.random.random_range(0..matches.len()),
                number => number as usize - 1,
            };
            if let Some(value) = matches.get(at) {
                self.variable.put(cx, value.as_str());
            }
            let_go(cx, matches).await;
        }
        for number in kept + 1..=before {
            cx.vars.remove(&format!("{base}_{number}"));
            pace.steps(1).await;
        }
    }
}

fn search(
    compiled: &Result<CssSelector, CssError>,
    asked: &Lookup,
    pieces: &[Piece<'_>],
    budget: &Budget,
) -> Result<Matches, String> {
    let mut found = Vec::new();
    for piece in pieces {
        let compiled = compiled.as_ref().map_err(ToString::to_string)?;
        let page = pages::page(piece, &piece.text());
        let page = page.document().map_err(|error| error.to_string())?;
        for node in compiled.select(page, budget).map_err(|error| error.to_string())? {
            if asked.wanted > 0 && found.len() as i64 == asked.wanted {
                break;
            }
            budget.work(NODE * page.size(node) as u64).map_err(search_given_up)?;
            let value = if asked.attribute.trim().is_empty() {
                css::text(page, node)
            } else {
                css::attribute_text(page, node, &asked.attribute)
            };
            budget.keep(value.len() + VARIABLE_BYTES).map_err(search_given_up)?;
            found.push(value);
        }
    }
    Ok(found)
}

/// What a node of a text costs, in units of work.
const NODE: u64 = 20;
