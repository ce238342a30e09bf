//! What an element takes to be made from its plan element. The engine's `Compile` is one.

use swell_expr::{Compiler, Properties, Template};
use swell_plan::{Element, Severity};

/// At hand while elements are compiled.
pub trait Build {
    /// A text of an element as a template; findings about it are noted under the property's name.
    fn text(&self, element: &Element, property: &str, text: &str) -> Template;

    /// A property as a template; a missing one is the default text.
    fn template(&self, element: &Element, property: &str, default: &str) -> Template {
        self.text(element, property, element.text(property).unwrap_or(default))
    }

    /// Notes a finding about an element.
    fn note(
        &self,
        severity: Severity,
        element: &Element,
        property: Option<&str>,
        message: String,
        hint: Option<&str>,
    );

    /// The compiler of expressions: variable slots, instance numbers, state shared by all workers.
    fn expr(&self) -> &Compiler;

    /// Properties of the run.
    fn props(&self) -> &Properties;

    /// A text that tells this element from all others of the plan and is the same on every worker: the key of what all
    /// users share (a global counter).
    fn identity(&self, element: &Element) -> String {
        format!("{}:{}", element.line, element.path)
    }
}
