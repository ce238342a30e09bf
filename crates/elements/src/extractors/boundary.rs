//! Boundary Extractor: the text between two boundaries
//! (`org.apache.jmeter.extractor.BoundaryExtractor`).

use rand::Rng;
use swell_api::{
    CompileContext, Needs, Placement, PostProcessor, SampleResult, Scope, StepProgress, YieldBudget,
};
use swell_budget::Budget;
use swell_expr::{Context, Template, Thrown};
use swell_plan::{Element, Severity};

use super::LOST;
use crate::field::{IntField, TextField, VarName};
use crate::heavy::{Cost, Shared, Task, VARIABLE_BYTES, let_go};
use crate::reported::{self, Report};
use crate::scope::ScopeField;
use crate::subject::{Piece, SamplePart, Subject};

const NAME: &str = "BoundaryExtractor.refname";

struct BoundaryExtractor {
    name: TextField,
    scope: ScopeField,
    part: SamplePart,
    variable: VarName,
    left: Template,
    right: Template,
    match_number: IntField,
    default: Template,
    default_is_empty: bool,
}

pub(crate) fn build(element: &Element, compile: &CompileContext) -> Box<dyn PostProcessor> {
    let variable = VarName::of(element, compile, NAME);
    match variable.constant() {
        Some("") => {
            let message = format!("the name of the variable is missing: {LOST}");
            compile.note(Severity::Warning, element, Some(NAME), message, Some("give it a name"));
        }
        Some(name) => {
            compile.expr.names.slot(&format!("{name}_matchNr"));
        }
        None => {}
    }
    Box::new(BoundaryExtractor {
        name: TextField::name_of(element, compile),
        scope: ScopeField::of_extractor(element, compile),
        part: SamplePart::of(element, compile, "BoundaryExtractor.useHeaders"),
        variable,
        left: compile.template(element, "BoundaryExtractor.lboundary", ""),
        right: compile.template(element, "BoundaryExtractor.rboundary", ""),
        match_number: IntField::of(element, compile, "BoundaryExtractor.match_number", ""),
        default: compile.template(element, "BoundaryExtractor.default", ""),
        default_is_empty: element.flag("BoundaryExtractor.default_empty_value", false),
    })
}

impl PostProcessor for BoundaryExtractor {
    fn needs(&self) -> Needs {
        if self.scope.scope == Scope::Variable { Needs::default() } else { self.part.needs() }
    }

    fn process<'a>(&'a self, cx: &'a mut Context, sample: &'a mut SampleResult) -> StepProgress<'a> {
        let placement = self.placement(sample);
        placement.run(self.work(placement, cx, sample))
    }
}

/// The largest text of which all matches, were there one at each character, are found and kept in a
/// millisecond.
const MOST_FOR_ALL: usize = 1024;

/// What is looked for.
struct BoundaryQuery {
    left: String,
    right: String,
    /// The number of the match; 0 for all.
    nth: usize,
}

impl BoundaryExtractor {
    fn placement(&self, sample: &SampleResult) -> Placement {
        if self.scope.scope != Scope::Parent {
            return Placement::Anywhere;
        }
        let bytes = Subject::Samples(Scope::Parent, self.part).bytes(sample);
        let one = matches!(self.match_number, IntField::Constant(1..));
        Placement::of(bytes <= MOST_FOR_ALL || (one && Cost::Bytes.is_tiny(bytes)))
    }

    async fn work(&self, placement: Placement, cx: &mut Context, sample: &mut SampleResult) {
        let base = self.variable.name(cx).into_owned();
        if base.is_empty() {
            let name = self.name.get(cx);
            let message = format!("One of the mandatory properties is missing in Boundary Extractor:{name}");
            let class = "java.lang.IllegalArgumentException";
            cx.thrown.get_or_insert_with(|| Box::new(Thrown { class, message }));
            return;
        }
        let default = self.default.eval_value(cx);
        if !default.trim().is_empty() || self.default_is_empty {
            self.variable.put(cx, default);
        }
        let wanted = self.match_number.get(cx);
        let count_name = format!("{base}_matchNr");
        let before: usize = cx.vars.remove(&count_name).and_then(|count| count.parse().ok()).unwrap_or(0);
        let matches = self.matches(placement, cx, sample, wanted).await;
        let values = reported::is_wanted(cx).then(|| matches.clone());
        let mut kept = 0;
        let mut pace = YieldBudget::new(placement);
        match wanted {
            0 if !matches.is_empty() => {
                let chosen = cx.random.random_range(0..matches.len());
                self.variable.put(cx, &*matches[chosen]);
                let_go(cx, matches).await;
            }
            1.. if matches.len() == 1 => self.variable.put(cx, &*matches[0]),
            ..0 => {
                kept = matches.len();
                cx.vars.put(&count_name, kept.to_string());
                for (i, found) in matches.into_iter().enumerate() {
                    cx.vars.put(&format!("{base}_{}", i + 1), found);
                    pace.steps(1).await;
                }
            }
            _ => {}
        }
        for i in kept + 1..=before {
            cx.vars.remove(&format!("{base}_{i}"));
            pace.steps(1).await;
        }
        if let Some(values) = values {
            self.report(cx, sample, wanted, values);
        }
    }

    /// Reports what was found.
    fn report(&self, cx: &mut Context, sample: &SampleResult, wanted: i64, values: Vec<String>) {
        let variable = self.variable.name(cx).into_owned();
        let left = self.left.eval(cx).into_owned();
        let right = self.right.eval(cx);
        let expression = format!("{left} … {right}");
        let default = self.default.eval(cx);
        let has_default = self.default_is_empty || !default.trim().is_empty();
        let subject = self.scope.subject(cx, self.part);
        let report = Report {
            language: "boundary",
            expression,
            subject: &subject,
            variable: &variable,
            wanted,
            matches: values.len(),
            found: !values.is_empty(),
            values,
            has_default,
            error: None,
        };
        reported::report(cx, sample, report);
    }

    async fn matches(
        &self,
        placement: Placement,
        cx: &mut Context,
        sample: &mut SampleResult,
        wanted: i64,
    ) -> Vec<String> {
        let left = self.left.text(cx).to_string();
        let right = self.right.text(cx).to_string();
        let mut nth = usize::try_from(wanted).unwrap_or(0);
        let subject = if self.scope.scope == Scope::Variable {
            let value = self.scope.value(cx, "Boundary Extractor", &self.name);
            // Without one of the boundaries there is one match, whatever number is wanted.
            if left.is_empty() || right.is_empty() {
                nth = 0;
            }
            Subject::Value(value)
        } else {
            Subject::Samples(self.scope.scope, self.part)
        };
        let task = Task { name: &self.name, cost: Cost::Bytes, placement, subject: &subject };
        let wanted = BoundaryQuery { left, right, nth };
        task.ask(cx, sample, &Shared::nothing(), move |(), pieces, budget| search(&wanted, pieces, budget))
            .await
    }
}

/// What is between the boundaries in all texts; nothing if that was given up.
fn search(wanted: &BoundaryQuery, pieces: &[Piece<'_>], budget: &Budget) -> Vec<String> {
    let mut found = Vec::new();
    let mut passed = 0;
    for piece in pieces {
        let text = piece.text();
        for part in Boundaries::new(&wanted.left, &wanted.right, &text) {
            passed += 1;
            let is_kept = wanted.nth == 0 || passed == wanted.nth;
            let size = if is_kept { part.len() + VARIABLE_BYTES } else { 0 };
            if budget.work((part.len() + wanted.left.len()) as u64).is_err() || budget.keep(size).is_err() {
                return Vec::new();
            }
            if is_kept {
                found.push(part.to_owned());
            }
            if passed == wanted.nth {
                return found;
            }
        }
    }
    found
}

/// The texts between boundaries. A search for the next left one starts after the last left one, so
/// matches may overlap.
struct Boundaries<'t> {
    left: &'t str,
    right: &'t str,
    text: &'t str,
    at: Option<usize>,
    /// Where a right boundary was found last: it holds for all starts before it.
    end: Option<usize>,
}

impl<'t> Boundaries<'t> {
    fn new(left: &'t str, right: &'t str, text: &'t str) -> Self {
        let blank = text.chars().all(char::is_whitespace);
        Self { left, right, text, at: (!blank).then_some(0), end: None }
    }

    fn locate(&self, wanted: &str, from: usize) -> Option<usize> {
        memchr::memmem::find(&self.text.as_bytes()[from..], wanted.as_bytes()).map(|at| from + at)
    }
}

impl<'t> Iterator for Boundaries<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let from = self.at.take()?;
        let start = self.locate(self.left, from)? + self.left.len();
        if self.left.is_empty() && self.right.is_empty() {
            return Some(self.text);
        }
        if self.right.is_empty() {
            return Some(&self.text[start..]);
        }
        if self.end.is_none_or(|end| end < start) {
            self.end = self.locate(self.right, start);
        }
        let end = self.end?;
        // An empty left boundary gives one match only.
        self.at = (!self.left.is_empty()).then_some(start);
        Some(&self.text[start..end])
    }
}
