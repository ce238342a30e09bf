//! Boundary Extractor: the texts between two others (`org.apache.jmeter.extractor.BoundaryExtractor`).

use rand::Rng;
use swell_expr::{Context, Level, StopRequest, Template, Value};
use swell_plan::{Element, Severity};

use super::part::Part;
use crate::field::{IntField, TextField, VarName};
use crate::scope::ScopeField;
use crate::{Build, Needs, PostProcessor, SampleResult, Scope};

const NAME: &str = "BoundaryExtractor.refname";

struct BoundaryExtractor {
    name: TextField,
    scope: ScopeField,
    part: Part,
    variable: VarName,
    left: Template,
    right: Template,
    match_number: IntField,
    default: Template,
    default_is_empty: bool,
}

pub(crate) fn build(element: &Element, build: &dyn Build) -> Box<dyn PostProcessor> {
    let variable = VarName::of(element, build, NAME);
    match variable.constant() {
        Some("") => {
            let message = "the name of the variable is missing: a user stops when it comes here".to_owned();
            build.note(Severity::Error, element, Some(NAME), message, Some("give it a name"));
        }
        Some(name) => {
            build.expr().names.slot(&format!("{name}_matchNr"));
        }
        None => {}
    }
    Box::new(BoundaryExtractor {
        name: TextField::name_of(element, build),
        scope: ScopeField::of_extractor(element, build),
        part: Part::of(element, build, "BoundaryExtractor.useHeaders"),
        variable,
        left: build.template(element, "BoundaryExtractor.lboundary", ""),
        right: build.template(element, "BoundaryExtractor.rboundary", ""),
        match_number: IntField::of(element, build, "BoundaryExtractor.match_number", ""),
        default: build.template(element, "BoundaryExtractor.default", ""),
        default_is_empty: element.flag("BoundaryExtractor.default_empty_value", false),
    })
}

impl PostProcessor for BoundaryExtractor {
    fn needs(&self) -> Needs {
        if self.scope.scope == Scope::Variable { Needs::default() } else { self.part.needs() }
    }

    fn process(&self, cx: &mut Context, sample: &mut SampleResult) {
        let base = self.variable.name(cx).into_owned();
        if base.is_empty() {
            let name = self.name.get(cx);
            let message = format!("One of the mandatory properties is missing in Boundary Extractor:{name}");
            cx.host.log(Level::Error, &message);
            cx.stop = cx.stop.max(Some(StopRequest::User));
            return;
        }
        let default = self.default.eval_value(cx);
        if !default.trim().is_empty() || self.default_is_empty {
            self.variable.put(cx, default);
        }
        let wanted = self.match_number.get(cx);
        let count_name = format!("{base}_matchNr");
        let before = cx.vars.remove(&count_name).and_then(|count| count.parse().ok()).unwrap_or(0);
        let matches = self.matches(cx, sample, wanted);
        let mut kept = 0;
        match wanted {
            0 if !matches.is_empty() => {
                let chosen = cx.random.random_range(0..matches.len());
                self.variable.put(cx, matches[chosen].clone());
            }
            1.. if matches.len() == 1 => self.variable.put(cx, matches[0].clone()),
            ..0 => {
                kept = matches.len();
                cx.vars.put(&count_name, kept.to_string());
                for (i, found) in matches.into_iter().enumerate() {
                    cx.vars.put(&format!("{base}_{}", i + 1), found);
                }
            }
            _ => {}
        }
        for i in kept + 1..=before {
            cx.vars.remove(&format!("{base}_{i}"));
        }
    }
}

impl BoundaryExtractor {
    fn matches(&self, cx: &mut Context, sample: &SampleResult, wanted: i64) -> Vec<Value> {
        let (left, right) = (self.left.text(cx), self.right.text(cx));
        let nth = usize::try_from(wanted).unwrap_or(0);
        if self.scope.scope == Scope::Variable {
            let Some(value) = self.scope.variable.value(cx) else {
                self.log_missing_variable(cx);
                return Vec::new();
            };
            let found = Boundaries::new(&left, &right, &value);
            // Without one of the boundaries there is one match, whatever number is wanted.
            let alone = left.is_empty() || right.is_empty();
            return take_nth(found, if alone { 0 } else { nth });
        }
        let mut found = Vec::new();
        let mut passed = 0;
        for sample in self.scope.scope.samples(sample) {
            for text in Boundaries::new(&left, &right, &self.part.text(sample)) {
                passed += 1;
                if nth == 0 || passed == nth {
                    found.push(text.into());
                }
                if passed == nth {
                    return found;
                }
            }
        }
        found
    }

    fn log_missing_variable(&self, cx: &mut Context) {
        let (variable, name) = (self.scope.variable.name(cx).into_owned(), self.name.get(cx));
        let message = format!(
            "No variable '{variable}' found to process by Boundary Extractor '{name}', skipping processing"
        );
        cx.host.log(Level::Warn, &message);
    }
}

/// All matches for 0, else the one with that number, if it is there.
fn take_nth<'t>(mut found: impl Iterator<Item = &'t str>, nth: usize) -> Vec<Value> {
    match nth.checked_sub(1) {
        None => found.map(Value::from).collect(),
        Some(skipped) => found.nth(skipped).map(Value::from).into_iter().collect(),
    }
}

/// The texts between boundaries. A search for the next left one starts behind the last left one, so matches may overlap.
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
