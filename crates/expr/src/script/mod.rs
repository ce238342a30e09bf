//! Scripts: conditions such as `"${code}" == "200" && vars.get("n").toInteger() < 5`, and simple
//! statements of script elements.
//!
//! JMeter hands the texts of `__groovy`, `__jexl3`, `__jexl2`, `__javaScript`, `__BeanShell`, of If
//! Controllers and of script elements to script engines. Those that only compare, compute and set
//! variables run here, each with the semantics of its language: Groovy 3.0.20, Commons JEXL 3.2.1
//! (strict) and 2.1.1, Rhino 1.7.14, BeanShell 2.0b6. What they may do is a closed table of typed
//! rows ([`row`]): the kind of each expression is known when a script is parsed, and whatever has
//! no row is refused then ([`Script::parse`]), never guessed.

mod beanshell;
pub(crate) mod element;
mod failure;
mod groovy;
mod integral;
mod java_text;
mod javascript;
mod jexl;
mod jmeter;
mod kind;
mod locals;
pub mod native;
mod number;
mod parse;
mod primary;
mod row;
mod run;
pub(crate) mod sample_bindings;
mod samples;
mod statements;
#[cfg(test)]
mod tests;
mod token;
mod value;

pub(crate) use token::PLACEHOLDER;

use std::rc::Rc;

use crate::context::Context;
use failure::unsupported;
pub use failure::{ScriptFailure, Unsupported};
use locals::Locals;
use parse::Parser;
use run::{Frame, Node, Statement};

/// Whose rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Rhino 1.7.14.
    JavaScript,
    /// Commons JEXL 2.1.1.
    Jexl2,
    /// Commons JEXL 3.2.1.
    Jexl3,
    /// Groovy 3.0.20.
    Groovy,
    /// BeanShell 2.0b6.
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
    /// A pre-processor: it sees no sample.
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
    body: Vec<Statement>,
    slots: usize,
    language: Language,
}

impl Script {
    /// Reads a script. `given` are variables that it has before it starts. The failure says what of
    /// it needs a script engine, or what is wrong with it.
    pub(crate) fn read(
        text: &str,
        language: Language,
        bindings: BindingScope,
        given: &[&str],
        reading: Reading,
    ) -> Result<Self, ScriptFailure> {
        let tokens = token::tokens(text, language)?;
        let mut parser = Parser::new(&tokens, language, bindings, reading, Locals::new(given));
        let body = if language.has_statements() { parser.script()? } else { parser.only_expression()? };
        Ok(Self { body, slots: parser.locals.slots(), language })
    }

    /// Reads a script as its references made it.
    pub(crate) fn parse(
        text: &str,
        language: Language,
        bindings: BindingScope,
    ) -> Result<Self, ScriptFailure> {
        Self::read(text, language, bindings, &[], Reading::Run)
    }

    /// Whether a script whose references are replaced by [`PLACEHOLDER`] will be understood,
    /// whatever plain values they have.
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

    /// As [`Script::check`]; whether nothing is known of the script, since all of it is one
    /// reference.
    pub(crate) fn is_reference(
        shape: &str,
        language: Language,
        bindings: BindingScope,
    ) -> Result<bool, ScriptFailure> {
        let script = Self::read(shape, language, bindings, &[], Reading::Plan)?;
        Ok(matches!(script.body[..], [Statement::Value(Node::Later)]))
    }

    /// The result of a script that sees nothing but its own text.
    pub(crate) fn run_alone(&self) -> Result<Rc<str>, ScriptFailure> {
        let value = Frame::new(self.language, self.slots, None, None).run(&self.body)?;
        Ok(value.shown(self.language))
    }

    /// The result as text, as JMeter shows it: null is an empty text but for JavaScript.
    pub(crate) fn run(&self, cx: &mut Context) -> Result<Rc<str>, ScriptFailure> {
        let value = Frame::new(self.language, self.slots, Some(cx), None).run(&self.body)?;
        Ok(value.shown(self.language))
    }
}
