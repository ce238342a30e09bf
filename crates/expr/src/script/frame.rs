//! What is at hand while a script runs.

use super::Language;
use super::failure::{ScriptFailure, exception, unsupported};
use super::stage::Stage;
use super::value::Value;
use crate::context::Context;

/// More statements than any script of a plan runs: what does not end would hold up the users of its worker.
const MOST_STEPS: u32 = 5_000_000;

/// What is at hand while a script runs.
pub(super) struct Frame<'f> {
    pub(super) language: Language,
    /// The user, where the script sees one.
    pub(super) cx: Option<&'f mut Context>,
    /// The element's samples, where it has some.
    pub(super) stage: Option<&'f mut dyn Stage>,
    /// The script's variables.
    pub(super) locals: Vec<Value>,
    steps: u32,
}

impl<'f> Frame<'f> {
    pub(super) fn new(
        language: Language,
        places: u32,
        cx: Option<&'f mut Context>,
        stage: Option<&'f mut dyn Stage>,
    ) -> Self {
        Self { language, cx, stage, locals: vec![Value::Null; places as usize], steps: 0 }
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
