//! The operations that scripts may use natively, as data for the documentation's table and for the
//! comparison with the engines.

use super::bindings::{BindingScope, Reading};
use super::compiled_script::Script;
use super::language::Language;
use super::row::Row;
use super::rows;
use crate::context::Context;
use crate::script_failure::ScriptFailure;

pub use super::row::{Form, OperandPlace};

/// An operation of a script: an operator, a method, a function, or a name that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The languages that have it.
    pub languages: &'static [Language],
    /// The scripts that have it.
    pub place: OperandPlace,
    /// How it is written.
    pub form: Form,
    /// Its name, for a call with the objects before it.
    pub name: &'static str,
    /// The kinds that each value may have that it takes; of a method the first is the value that it
    /// belongs to.
    pub takes: Vec<Vec<&'static str>>,
    /// The kinds that its result may have.
    pub gives: Vec<&'static str>,
}

impl From<&Row> for Operation {
    fn from(row: &Row) -> Self {
        Self {
            languages: row.languages,
            place: row.place,
            form: row.form,
            name: row.name,
            takes: row.takes.iter().map(|kind| kind.names()).collect(),
            gives: row.gives.names(),
        }
    }
}

/// All that scripts may do in addition to literals, `&&`, `||`, `? :`, `?:`, and statements.
pub fn operations() -> impl Iterator<Item = Operation> {
    rows::all().map(Operation::from)
}

/// A supported script of a JMeter function (`__groovy` and others).
pub struct FunctionScript(Script);

impl FunctionScript {
    /// Reads a script.
    ///
    /// # Errors
    /// It is not understood, or no engine can read it.
    pub fn read(text: &str, language: Language) -> Result<Self, ScriptFailure> {
        Script::read(text, language, BindingScope::Objects, &[], Reading::Plan).map(Self)
    }

    /// Its result as text.
    ///
    /// # Errors
    /// An exception.
    pub fn run(&self, cx: &mut Context) -> Result<String, ScriptFailure> {
        self.0.run(cx).map(|text| text.to_string())
    }
}
