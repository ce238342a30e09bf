//! Scripts: conditions such as `"${code}" == "200" && vars.get("n").toInteger() < 5`, and the statements of script elements.
//!
//! JMeter hands the texts of `__groovy`, `__jexl3`, `__jexl2`, `__javaScript`, `__BeanShell`, of If Controllers and of script
//! elements to script engines. Most of those texts compare, compute and set variables, so they are run here, each with the
//! semantics of its language: Groovy 3.0.20, Commons JEXL 3.2.1 (strict) and 2.1.1, Rhino 1.7.14, BeanShell 2.0b6.
//! Whatever is not understood for certain is refused ([`Script::parse`]), never guessed.

mod arithmetic;
mod beanshell;
mod casts;
mod classes;
mod decimal;
pub(crate) mod element;
mod failure;
mod frame;
mod groovy;
mod javascript;
mod jexl;
mod locals;
mod methods;
mod number;
mod object;
mod object_methods;
mod objects;
mod own_names;
mod parse;
mod patterns;
mod primary;
mod program;
mod run;
pub(crate) mod sample_bindings;
mod side_effect;
mod statements;
mod static_methods;
#[cfg(test)]
mod tests;
mod token;
mod tree;
mod types_of_nodes;
mod value;
mod value_type;

pub(crate) use token::PLACEHOLDER;

use crate::context::Context;
use failure::unsupported;
pub use failure::{ScriptFailure, Unsupported};
use frame::Frame;
use program::{Program, Statement};
use tree::Node;

/// Whose rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    JavaScript,
    Jexl2,
    Jexl3,
    Groovy,
    BeanShell,
}

impl Language {
    fn is_jexl(self) -> bool {
        matches!(self, Self::Jexl2 | Self::Jexl3)
    }

    /// Whether scripts of several statements are understood.
    fn has_statements(self) -> bool {
        matches!(self, Self::Groovy | Self::BeanShell)
    }
}

/// Which names a script can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindingScope {
    /// Only its own text (If Controllers).
    Empty,
    /// `vars`, `props`, `ctx`, `threadName` (functions).
    Objects,
    /// These and the samples of an element.
    Element(ElementKind),
}

/// What kind of element a script belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// A pre-processor: `prev` is the sample before, if there was one.
    PreProcessor,
    /// A post-processor.
    PostProcessor,
    /// A sampler: it makes `SampleResult`.
    Sampler,
    /// An assertion: it judges `SampleResult`.
    Assertion,
    /// A timer: it sees no sample.
    Timer,
}

impl ElementKind {
    /// Whether the sample goes on to its listeners when the script asks to stop.
    fn may_stop(self) -> bool {
        !matches!(self, Self::PreProcessor | Self::Timer)
    }
}

/// When a script is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// Before the run, with [`PLACEHOLDER`] where references will be.
    Plan,
    /// As its references made it.
    Run,
}

/// A script that was understood.
pub(crate) struct Script {
    program: Program,
    language: Language,
}

impl Script {
    /// Reads a script. `given` are variables that it has before it starts. The failure says what of it needs a script
    /// engine, or what is wrong with it.
    pub(crate) fn read(
        text: &str,
        language: Language,
        bindings: BindingScope,
        given: &[&str],
        reading: Reading,
    ) -> Result<Self, ScriptFailure> {
        let tokens = token::tokens(text, language)?;
        let program = parse::parse(&tokens, language, bindings, given, reading)?;
        Ok(Self { program, language })
    }

    /// Reads a script as its references made it.
    pub(crate) fn parse(
        text: &str,
        language: Language,
        bindings: BindingScope,
    ) -> Result<Self, ScriptFailure> {
        Self::read(text, language, bindings, &[], Reading::Run)
    }

    /// Whether a script whose references are replaced by [`PLACEHOLDER`] will be understood, whatever plain values they have.
    pub(crate) fn check(
        shape: &str,
        language: Language,
        bindings: BindingScope,
    ) -> Result<(), ScriptFailure> {
        if Self::is_reference(shape, language, bindings)? {
            return Err(unsupported("the whole script is a reference"));
        }
        Ok(())
    }

    /// As [`Script::check`]; whether nothing is known of the script, since all of it is one reference.
    pub(crate) fn is_reference(
        shape: &str,
        language: Language,
        bindings: BindingScope,
    ) -> Result<bool, ScriptFailure> {
        let script = Self::read(shape, language, bindings, &[], Reading::Plan)?;
        Ok(matches!(script.program.body[..], [Statement::Value(Node::Placeholder)]))
    }

    /// The result of a script that sees nothing but its own text.
    pub(crate) fn run_alone(&self) -> Result<String, ScriptFailure> {
        let mut frame = Frame::new(self.language, self.program.slots, None, None);
        self.program.run(&mut frame).map(|value| value.shown(self.language))
    }

    /// The result as text, as JMeter shows it: null is an empty text but for JavaScript.
    pub(crate) fn run(&self, cx: &mut Context) -> Result<String, ScriptFailure> {
        let mut frame = Frame::new(self.language, self.program.slots, Some(cx), None);
        self.program.run(&mut frame).map(|value| value.shown(self.language))
    }
}
