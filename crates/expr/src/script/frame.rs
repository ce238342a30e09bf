//! The state of a running script.

use super::language::Language;
use super::logger::Logger;
use super::sample_bindings::{FieldValue, SampleBindings};
use super::value::Value;
use crate::context::Context;

/// The context of a running script.
pub(super) struct Frame<'f> {
    pub(super) language: Language,
    cx: Option<&'f mut Context>,
    stage: Option<&'f mut dyn SampleBindings>,
    pub(super) locals: Vec<Value>,
    /// Where lines of the log come from, and the name of the element; none in a function.
    pub(super) logger: Option<(&'f Logger, FieldValue)>,
    /// The operands of the running row are in the script.
    pub(super) is_constant: bool,
}

impl<'f> Frame<'f> {
    pub(super) fn new(
        language: Language,
        slots: usize,
        cx: Option<&'f mut Context>,
        stage: Option<&'f mut dyn SampleBindings>,
    ) -> Self {
        let locals = vec![Value::Null; slots];
        Self { language, cx, stage, locals, logger: None, is_constant: false }
    }

    /// The user.
    ///
    /// # Panics
    /// The script sees none: rows of such scripts ask for none ([`super::row::OperandPlace`]).
    pub(super) fn cx(&mut self) -> &mut Context {
        self.cx.as_deref_mut().expect("only rows of scripts with a user use it")
    }

    /// The element's sample.
    ///
    /// # Panics
    /// It has none: rows of such elements ask for none.
    pub(super) fn stage(&mut self) -> &mut dyn SampleBindings {
        self.stage.as_deref_mut().expect("only rows of elements with a sample use it")
    }
}
