//! The scope of an element, from its fields.

use swell_api::{CompileContext, Scope};
use swell_expr::{Context, Level, Value};
use swell_plan::{Element, Severity};

use crate::field::{TextField, VarName};
use crate::subject::{SamplePart, Subject};

/// Reads the scope of an element from a property (`Sample.scope` for extractors, `Assertion.scope`
/// for assertions).
pub fn scope_of(element: &Element, compile: &CompileContext, property: &str) -> Scope {
    match element.text(property) {
        None | Some("parent") => Scope::Parent,
        Some("children") => Scope::Children,
        Some("all") => Scope::All,
        Some("variable") => Scope::Variable,
        Some(other) => {
            let message = format!("invalid scope `{other}`: the element never reads a sample");
            let hint = Some("use parent, children, all or variable");
            compile.note(Severity::Warning, element, Some(property), message, hint);
            Scope::Nothing
        }
    }
}

/// A scope with its optional variable (`Scope.variable`).
pub struct ScopeField {
    /// Which samples, or a variable.
    pub scope: Scope,
    /// The variable.
    pub variable: VarName,
}

impl ScopeField {
    /// The scope of an extractor.
    pub fn of_extractor(element: &Element, compile: &CompileContext) -> Self {
        Self::of(element, compile, "Sample.scope")
    }

    /// The scope of an assertion.
    pub fn of_assertion(element: &Element, compile: &CompileContext) -> Self {
        Self::of(element, compile, "Assertion.scope")
    }

    fn of(element: &Element, compile: &CompileContext, property: &str) -> Self {
        let scope = scope_of(element, compile, property);
        Self { scope, variable: VarName::of(element, compile, "Scope.variable") }
    }

    /// What is searched: the variable, or a part of the samples.
    pub(crate) fn subject(&self, cx: &mut Context, part: SamplePart) -> Subject {
        match self.scope {
            Scope::Variable => Subject::Value(self.variable.value(cx)),
            scope => Subject::Samples(scope, part),
        }
    }

    /// The value of the variable; one that is not there is logged. `extractor` and `name` are those
    /// of the element that asks.
    pub fn value(&self, cx: &mut Context, extractor: &str, name: &TextField) -> Option<Value> {
        let value = self.variable.value(cx);
        if value.is_none() {
            let variable = self.variable.name(cx).into_owned();
            let name = name.get(cx);
            let message = format!(
                "No variable '{variable}' found to process by {extractor} '{name}', skipping processing"
            );
            cx.host.log(Level::Warn, &message);
        }
        value
    }
}
