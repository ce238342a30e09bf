//! The context in which an element is compiled. Every worker compiles the plan separately, in the
//! same order.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use swell_expr::{Compiler, Host, Level, Properties, ScriptPlace, Shared, Template};
use swell_plan::{Diagnostic, Element, Node, Place, Severity};

use crate::{Bodies, FOREIGN_QUEUE, FOREIGN_THREADS, MAX_BYTES, MAX_BYTES_TOTAL, Needs, Pool};

/// What compiling elements needs: the compiler of expressions, properties, the environment,
/// findings.
pub struct CompileContext {
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
    /// The run is traced ([`Context::trace`](swell_expr::Context::trace)): nothing is left out of
    /// samples, and elements report what they do.
    pub traced: bool,
}

impl CompileContext {
    /// A property as a template; a missing one is the default text.
    pub fn template(&self, element: &Element, property: &str, default: &str) -> Template {
        self.text(element, property, element.text(property).unwrap_or(default))
    }

    /// A text of an element as a template; findings about it are noted under the property's name.
    pub fn text(&self, element: &Element, property: &str, text: &str) -> Template {
        self.expr.place.replace(script_place(element));
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

    /// What of responses may be kept in memory.
    pub fn bodies(&self) -> Arc<Bodies> {
        for name in [MAX_BYTES, MAX_BYTES_TOTAL] {
            self.whole_number(name);
        }
        bodies_of(&self.expr.shared, &self.props)
    }

    /// The threads of the run for foreign work.
    pub fn foreign_work(&self) -> Arc<Pool> {
        for name in [FOREIGN_THREADS, FOREIGN_QUEUE] {
            self.whole_number(name);
        }
        // The engine has made it by now, but where a plan is only looked at.
        crate::foreign_work(&self.expr.shared, &self.props, || {})
    }

    /// The number, 0 or more, that one of Swell's own properties has; `None` if it is not set. Any
    /// other value is an error, said once.
    pub fn whole_number(&self, property: &str) -> Option<u64> {
        let text = self.props.get(property)?;
        let number = whole_number(&text);
        let wrong = Diagnostic {
            severity: Severity::Error,
            place: Place { property: Some(property.to_owned()), ..Place::default() },
            message: format!("`{text}` is not a whole number of 0 or more"),
            hint: Some(format!("set it with -J{property}=NUMBER, or remove it")),
        };
        if number.is_none() && !self.diagnostics.borrow().contains(&wrong) {
            self.diagnostics.borrow_mut().push(wrong);
        }
        number
    }

    /// Whether sub-samples are called after their parent: not in functional mode, nor where
    /// `subresults.disable_renaming` says so (`SampleResult.isRenameSampleLabel`).
    pub fn renames_sub_samples(&self) -> bool {
        let functional = self.functional().load(Ordering::Relaxed);
        !functional && !self.props.flag("subresults.disable_renaming", false)
    }

    /// Tells that the Test Plan is in functional mode.
    pub fn set_functional(&self, functional: bool) {
        self.functional().store(functional, Ordering::Relaxed);
    }

    fn functional(&self) -> Arc<AtomicBool> {
        self.expr.shared.get("functional mode", AtomicBool::default)
    }

    /// A text that tells this element from all others of the plan and is the same on every worker:
    /// the key of what all users share (a global counter).
    pub fn identity(&self, element: &Element) -> String {
        // Line and names need not be unlike those of all others: plans on one line, included files.
        match self.expr.texts.number(&element.path) {
            Some(number) => format!("element {number}"),
            None => format!("{}:{}", element.line, element.path),
        }
    }

    /// Where an element is.
    pub fn place(&self, element: &Element, property: Option<&str>) -> Place {
        let file = self.file.clone();
        let property = property.map(str::to_owned);
        Place { file, line: element.line, element: element.path.clone(), property }
    }
}

fn whole_number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// What of responses a run may keep in memory.
pub fn bodies_of(shared: &Shared, props: &Properties) -> Arc<Bodies> {
    let number = |name: &str| props.get(name).and_then(|text| whole_number(&text));
    shared.get("response bodies", || Bodies::new(number(MAX_BYTES), number(MAX_BYTES_TOTAL)))
}

/// Where the scripts of an element are.
pub fn script_place(element: &Element) -> Rc<ScriptPlace> {
    Rc::new(ScriptPlace { element: element.path.clone(), line: element.line })
}

/// The input from which a sampler is compiled.
pub struct SamplerInput<'p> {
    /// The sampler.
    pub sampler: &'p Node,
    /// Config elements in its scope that the engine does not handle itself (`ConfigTestElement`,
    /// `HeaderManager`, `CookieManager`, …), innermost first and in document order within a level,
    /// as JMeter's TestCompiler collects them.
    pub configs: Vec<&'p Node>,
    /// What the checks, extractors and listeners in its scope read.
    pub needs: Needs,
}
