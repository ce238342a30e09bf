//! What is at hand while an element is compiled. Every worker compiles the plan for itself, in the same order.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use swell_elements::{Build, Needs};
use swell_expr::{Compiler, Host, Level, Properties, Template};
use swell_plan::{Diagnostic, Element, Node, Place, Severity};

/// At hand while elements are compiled: the compiler of expressions, properties, the outside world, findings.
pub struct Compile {
    /// Compiles `${...}` and holds state shared by all workers.
    pub expr: Compiler,
    /// Properties of the run.
    pub props: Arc<Properties>,
    /// The outside world.
    pub host: Arc<dyn Host>,
    /// The plan file, for places of diagnostics.
    pub file: Option<Arc<PathBuf>>,
    /// Findings so far.
    pub diagnostics: RefCell<Vec<Diagnostic>>,
    /// This worker, from 0.
    pub worker: usize,
    /// Number of workers.
    pub workers: usize,
}

impl Compile {
    /// A property as a template; a missing one is the default text.
    pub fn template(&self, element: &Element, property: &str, default: &str) -> Template {
        self.text(element, property, element.text(property).unwrap_or(default))
    }

    /// A text of an element as a template; findings about it are noted under the property's name.
    pub fn text(&self, element: &Element, property: &str, text: &str) -> Template {
        let template = self.expr.template(text);
        for problem in self.expr.problems.borrow_mut().drain(..) {
            self.diagnostics.borrow_mut().push(Diagnostic {
                severity: if problem.level == Level::Error { Severity::Error } else { Severity::Warning },
                place: self.place(element, Some(property)),
                message: problem.message,
                hint: problem.hint,
            });
        }
        template
    }

    /// Notes a finding about an element.
    pub fn note(
        &self,
        severity: Severity,
        element: &Element,
        property: Option<&str>,
        message: String,
        hint: Option<&str>,
    ) {
        let place = self.place(element, property);
        let hint = hint.map(str::to_owned);
        self.diagnostics.borrow_mut().push(Diagnostic { severity, place, message, hint });
    }

    /// Whether sub-samples are called after their parent: not in functional mode, nor where
    /// `subresults.disable_renaming` says so (`SampleResult.isRenameSampleLabel`).
    pub fn renames_sub_samples(&self) -> bool {
        let functional = self.functional().load(Ordering::Relaxed);
        !functional && !self.props.flag("subresults.disable_renaming", false)
    }

    /// Tells that the Test Plan is in functional mode.
    pub(crate) fn set_functional(&self, functional: bool) {
        self.functional().store(functional, Ordering::Relaxed);
    }

    fn functional(&self) -> Arc<AtomicBool> {
        self.expr.shared.get("functional mode", AtomicBool::default)
    }

    /// Where an element is.
    pub fn place(&self, element: &Element, property: Option<&str>) -> Place {
        let (file, property) = (self.file.clone(), property.map(str::to_owned));
        Place { file, line: element.line, element: element.path.clone(), property }
    }
}

impl Build for Compile {
    fn text(&self, element: &Element, property: &str, text: &str) -> Template {
        Self::text(self, element, property, text)
    }

    fn note(
        &self,
        severity: Severity,
        element: &Element,
        property: Option<&str>,
        message: String,
        hint: Option<&str>,
    ) {
        Self::note(self, severity, element, property, message, hint);
    }

    fn expr(&self) -> &Compiler {
        &self.expr
    }

    fn identity(&self, element: &Element) -> String {
        // Line and names need not be unlike those of all others: plans on one line, included files.
        match self.expr.texts.number(&element.path) {
            Some(number) => format!("element {number}"),
            None => format!("{}:{}", element.line, element.path),
        }
    }

    fn props(&self) -> &Properties {
        &self.props
    }
}

/// What a sampler is compiled from.
pub struct SamplerInput<'p> {
    /// The sampler.
    pub sampler: &'p Node,
    /// Config elements in its scope that the engine does not handle itself (`ConfigTestElement`, `HeaderManager`,
    /// `CookieManager`, …), innermost first and in document order within a level, as JMeter's TestCompiler collects them.
    pub configs: Vec<&'p Node>,
    /// What the checks, extractors and listeners in its scope read.
    pub needs: Needs,
}
