//! Scripts: conditions such as `"${code}" == "200" && vars.get("n").toInteger() < 5`, and the statements of script elements.
//!
//! JMeter hands the texts of `__groovy`, `__jexl3`, `__jexl2`, `__javaScript`, `__BeanShell`, of If Controllers and of script
//! elements to script engines. Most of those texts compare, compute and set variables, so they are run here, each in the
//! manner of its language: Groovy 3.0.20, Commons JEXL 3.2.1 (strict) and 2.1.1, Rhino 1.7.14, BeanShell 2.0b6.
//! Whatever is not understood for certain is refused ([`Script::parse`]), never guessed.

mod act;
mod arithmetic;
mod beanshell;
mod calls;
mod classes;
mod dates;
mod decimal;
pub(crate) mod element;
mod files;
mod frame;
mod groovy;
mod javascript;
mod jexl;
mod json;
mod literals;
mod locals;
mod members;
mod number;
mod object;
mod objects;
mod parse;
mod program;
mod run;
pub(crate) mod stage;
mod stage_members;
mod statements;
#[cfg(test)]
mod tests;
mod texts;
mod token;
mod tree;
mod value;

pub(crate) use token::HOLE;

use crate::context::Context;
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

/// What a script can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Only its own text (If Controllers).
    Nothing,
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

/// A script that was understood.
pub(crate) struct Script {
    program: Program,
    language: Language,
}

impl Script {
    /// Reads a script. The error says what of it needs a script engine, or what is wrong with it.
    pub(crate) fn parse(text: &str, language: Language, sight: Sight) -> Result<Self, String> {
        Self::parse_given(text, language, sight, &[])
    }

    /// Reads a script that has variables before it starts.
    pub(crate) fn parse_given(
        text: &str,
        language: Language,
        sight: Sight,
        given: &[&str],
    ) -> Result<Self, String> {
        let program = parse::parse(&token::tokens(text, language)?, language, sight, given)?;
        Ok(Self { program, language })
    }

    /// Whether a script whose references are replaced by [`HOLE`] will be understood, whatever plain values they have.
    pub(crate) fn check(shape: &str, language: Language, sight: Sight) -> Result<(), String> {
        if Self::is_reference(shape, language, sight)? {
            return Err("the whole script is a reference".to_owned());
        }
        Ok(())
    }

    /// As [`Script::check`]; whether nothing is known of the script, since all of it is one reference.
    pub(crate) fn is_reference(shape: &str, language: Language, sight: Sight) -> Result<bool, String> {
        let script = Self::parse(shape, language, sight)?;
        Ok(matches!(script.program.body[..], [Statement::Value(Node::Hole)]))
    }

    /// The result of a script that sees nothing but its own text.
    pub(crate) fn run_alone(&self) -> Result<String, String> {
        let mut frame = Frame::new(self.language, self.program.places, None, None);
        self.program.run(&mut frame).map(|value| value.shown(self.language))
    }

    /// The result as text, as JMeter shows it: null is an empty text but for JavaScript. The error is the exception.
    pub(crate) fn run(&self, cx: &mut Context) -> Result<String, String> {
        let mut frame = Frame::new(self.language, self.program.places, Some(cx), None);
        let value = self.program.run(&mut frame)?;
        if !object::is_shown(&value, self.language) {
            return Err("the text of the result needs a script engine".to_owned());
        }
        Ok(value.shown(self.language))
    }
}
