//! Scripts of elements: JSR223 and BeanShell samplers, processors, assertions and timers.

use std::rc::Rc;

use super::bindings::{BindingScope, ElementKind, Reading};
use super::compiled_script::Script;
use super::frame::Frame;
use super::language::Language;
use super::logger::Logger;
use super::sample_bindings::{FieldValue, SampleBindings, SampleField};
use super::samples;
use super::token::{self, TokenKind};
use super::value::Value;
use crate::context::Context;
use crate::script_failure::{ScriptFailure, unsupported};
use crate::template::Template;

/// The script settings of an element.
#[derive(Clone, Debug)]
pub struct ScriptOf {
    /// Its language.
    pub language: Language,
    /// The kind of the element.
    pub kind: ElementKind,
    /// Variables that the script has before it starts, by name. The first is the element's name.
    pub given: &'static [&'static str],
    /// Where its lines of the log come from.
    pub logger: Logger,
}

/// A script of an element, compiled for one worker.
pub struct ElementScript {
    text: Rc<str>,
    script: Script,
    of: ScriptOf,
    reads: Vec<SampleField>,
}

/// The result of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptEnd {
    /// The text of its value; none if it is null.
    pub value: Option<String>,
    /// The given variables as texts, in their order; none where null.
    pub given: Vec<Option<String>>,
}

impl ElementScript {
    /// Takes a script. The error says what of it needs a script engine.
    pub fn new(text: &Template, of: ScriptOf) -> Result<Self, ScriptFailure> {
        let Some(text) = text.constant() else {
            return Err(unsupported("a script with references (`${…}`) needs a script engine"));
        };
        let language = of.language;
        let script = Script::read(text, language, BindingScope::Element(of.kind), of.given, Reading::Plan)?;
        let words = token::tokens(text, language)?;
        let reads = words.iter().filter_map(|token| match &token.kind {
            TokenKind::Identifier(word) => samples::part_of(word),
            _ => None,
        });
        Ok(Self { text: text.into(), script, of, reads: reads.collect() })
    }

    /// Parts of its sample that it may read.
    pub fn reads(&self) -> &[SampleField] {
        &self.reads
    }

    /// Its text.
    pub fn text(&self) -> &Rc<str> {
        &self.text
    }

    /// Runs it. `given` are the values of the given variables, in their order.
    ///
    /// # Errors
    /// An exception of the engine.
    pub fn run(
        &self,
        given: Vec<FieldValue>,
        cx: &mut Context,
        stage: &mut dyn SampleBindings,
    ) -> Result<ScriptEnd, ScriptFailure> {
        let language = self.script.language;
        let mut frame = Frame::new(language, self.script.slots, Some(cx), Some(stage));
        frame.logger = given.first().map(|name| (&self.of.logger, name.clone()));
        for (slot, value) in frame.locals.iter_mut().zip(given) {
            *slot = samples::value(value);
        }
        let value = frame.run(&self.script.body)?;
        let show = |value: &Value| match value {
            Value::Null => None,
            shown => Some(shown.to_text(language).to_string()),
        };
        // The value of other elements is not used.
        let seen = matches!(self.of.kind, ElementKind::Sampler | ElementKind::Timer);
        let value = if seen { show(&value) } else { None };
        let given = frame.locals.iter().take(self.of.given.len()).map(show);
        Ok(ScriptEnd { value, given: given.collect() })
    }
}
