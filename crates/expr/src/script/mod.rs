//! Scripts that only compare: conditions such as `"${code}" == "200" && vars.get("n").toInteger() < 5`.
//!
//! JMeter hands the texts of `__groovy`, `__jexl3`, `__jexl2`, `__javaScript`, `__BeanShell` and of If Controllers to script
//! engines. Most of those texts are comparisons of texts, numbers and variables, so they are computed here, each in the
//! manner of its language: Groovy 3.0.20, Commons JEXL 3.2.1 (strict) and 2.1.1, Rhino 1.7.14, BeanShell 2.0b6.
//! Whatever is not understood for certain is refused ([`Script::parse`]), never guessed.

mod arithmetic;
mod beanshell;
mod calls;
mod decimal;
mod groovy;
mod javascript;
mod jexl;
mod number;
mod objects;
mod parse;
mod run;
#[cfg(test)]
mod tests;
mod token;
mod tree;
mod value;

pub(crate) use token::HOLE;

use crate::context::Context;
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
}

/// What a script can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Only its own text (If Controllers).
    Nothing,
    /// `vars`, `props`, `ctx`, `threadName` (functions).
    Objects,
}

/// A script that was understood.
pub(crate) struct Script {
    node: Node,
    language: Language,
}

impl Script {
    /// Reads a script. The error says what of it needs a script engine, or what is wrong with it.
    pub(crate) fn parse(text: &str, language: Language, sight: Sight) -> Result<Self, String> {
        let node = parse::parse(&token::tokens(text, language)?, language, sight)?;
        Ok(Self { node, language })
    }

    /// Whether a script whose references are replaced by [`HOLE`] will be understood, whatever plain values they have.
    pub(crate) fn check(shape: &str, language: Language, sight: Sight) -> Result<(), String> {
        match Self::parse(shape, language, sight)?.node {
            Node::Hole => Err("the whole script is a reference".to_owned()),
            _ => Ok(()),
        }
    }

    /// The result of a script that sees nothing but its own text.
    pub(crate) fn run_alone(&self) -> Result<String, String> {
        run::value(&self.node, self.language, None).map(|value| value.shown(self.language))
    }

    /// The result as text, as JMeter shows it: null is an empty text but for JavaScript. The error is the exception.
    pub(crate) fn run(&self, cx: &Context) -> Result<String, String> {
        let value = run::value(&self.node, self.language, Some(cx))?;
        Ok(value.shown(self.language))
    }
}
