//! The context of a running script.

use super::Language;
use super::failure::{ScriptFailure, exception, unsupported};
use super::sample_bindings::SampleBindings;
use super::value::Value;
use crate::context::Context;

/// More statements than any script of a plan runs: what does not end would hold up the users of its worker.
const MOST_STEPS: u32 = 5_000_000;

/// The context of a running script.
pub(super) struct Frame<'f> {
    pub(super) language: Language,
    /// The user, where the script sees one.
    pub(super) cx: Option<&'f mut Context>,
    /// The element's samples, where it has some.
    pub(super) stage: Option<&'f mut dyn SampleBindings>,
    /// The script's variables.
    pub(super) locals: Vec<Value>,
    steps: u32,
}

impl<'f> Frame<'f> {
    pub(super) fn new(
        language: Language,
        slots: u32,
        cx: Option<&'f mut Context>,
        stage: Option<&'f mut dyn SampleBindings>,
    ) -> Self {
        Self { language, cx, stage, locals: vec![Value::Null; slots as usize], steps: 0 }
    }

    /// Counts a statement.
    pub(super) fn step(&mut self) -> Result<(), ScriptFailure> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(unsupported(format!(
                "more than {MOST_STEPS} statements of one script need a script engine"
            )));
        }
        Ok(())
    }

    /// The user.
    pub(super) fn cx(&mut self) -> Result<&mut Context, ScriptFailure> {
        self.cx.as_deref_mut().ok_or_else(|| exception("there are no objects here"))
    }
}
