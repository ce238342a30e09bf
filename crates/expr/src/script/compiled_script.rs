//! A supported script.

use std::rc::Rc;

use super::bindings::{BindingScope, Reading};
use super::frame::Frame;
use super::language::Language;
use super::locals::Locals;
use super::parse::Parser;
use super::token;
use super::tree::{Node, Statement};
use crate::context::Context;
use crate::script_failure::{ScriptFailure, unsupported};

/// A supported script.
pub(crate) struct Script {
    pub(super) body: Vec<Statement>,
    pub(super) slots: usize,
    pub(super) language: Language,
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

    /// Whether a script whose references are replaced by [`token::PLACEHOLDER`] will be understood,
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
