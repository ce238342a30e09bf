//! Scripts of elements: JSR223 and BeanShell samplers, processors, assertions and timers.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use super::failure::{ScriptFailure, unsupported};
use super::frame::Frame;
use super::program::Statement;
use super::sample_bindings::{FieldValue, SampleBindings, SampleField};
use super::token::{self, Token, TokenKind};
use super::tree::Node;
use super::value::Value;
use super::{BindingScope, ElementKind, Language, PLACEHOLDER, Reading, Script, object_methods, own_names};
use crate::compiler::Compiler;
use crate::context::Context;
use crate::template::Template;

/// The language of an element's script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptLanguage {
    /// Groovy 3.0.20.
    Groovy,
    /// BeanShell 2.0b6.
    BeanShell,
}

/// What an element says of its script.
#[derive(Clone, Copy, Debug)]
pub struct ScriptOf {
    /// Its language.
    pub language: ScriptLanguage,
    /// The kind of the element.
    pub kind: ElementKind,
    /// Variables that the script has before it starts, by name.
    pub given: &'static [&'static str],
    /// The text that a user's first run has holds for all its runs (JMeter's cached compiled scripts).
    pub frozen: bool,
}

/// A script of an element, compiled for one worker.
pub struct ElementScript {
    text: Template,
    of: ScriptOf,
    reads: Vec<SampleField>,
    reads_previous: bool,
    instance: u32,
    /// The script that was read last, with its text.
    last: RefCell<Option<(Rc<str>, Rc<Script>)>>,
}

/// What a script left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptEnd {
    /// The text of its value; none if it is null.
    pub value: Option<String>,
    /// The given variables as texts, in their order; none where null.
    pub given: Vec<Option<String>>,
}

impl ElementScript {
    /// Takes a script. The error says what of it needs a script engine.
    pub fn new(text: Template, of: ScriptOf, compiler: &Compiler) -> Result<Self, ScriptFailure> {
        let shape = text.script_shape(PLACEHOLDER);
        let language = language(of.language);
        let read = |shape: &str| {
            Script::read(shape, language, BindingScope::Element(of.kind), of.given, Reading::Plan)
        };
        let script = read(&shape)?;
        let is_hole = |statement: &Statement| matches!(statement, Statement::Value(Node::Placeholder));
        if script.program.body.iter().any(is_hole) {
            return Err(unsupported("a statement that is a reference needs a script engine"));
        }
        let own = own_names::of(&text, language);
        if !own.is_empty() {
            // Where no variable has the name, the script gets the reference, and the text with it is no `String`.
            read(&text.script_shape_with(PLACEHOLDER, |name| own.contains(name)))?;
        }
        let mut words = Vec::new();
        collect_words(&token::tokens(&shape, language)?, &mut words);
        let reads = words.iter().filter_map(|word| object_methods::part_of(word)).collect();
        let reads_previous = words.iter().any(|word| word == "prev" || word == "getPreviousResult");
        let instance = compiler.next_instance();
        Ok(Self { text, of, reads, reads_previous, instance, last: RefCell::default() })
    }

    /// Parts of samples that it may read.
    pub fn reads(&self) -> &[SampleField] {
        &self.reads
    }

    /// Whether it may read `prev`.
    pub fn reads_previous(&self) -> bool {
        self.reads_previous
    }

    /// The text now; its references are evaluated.
    pub fn text(&self, cx: &mut Context) -> Rc<str> {
        self.text.eval_value(cx)
    }

    /// Runs a text of [`ElementScript::text`]. `given` are the values of the given variables, in their order.
    pub fn run(
        &self,
        text: &Rc<str>,
        given: Vec<FieldValue>,
        cx: &mut Context,
        stage: &mut dyn SampleBindings,
    ) -> Result<ScriptEnd, ScriptFailure> {
        let script = self.script(text, cx)?;
        let language = script.language;
        let mut frame = Frame::new(language, script.program.slots, Some(cx), Some(stage));
        for ((slot, name), value) in frame.locals.iter_mut().zip(self.of.given).zip(given) {
            *slot = given_value(name, value);
        }
        let value = script.program.run(&mut frame)?;
        let show = |value: &Value| match value {
            Value::Null | Value::Undefined => None,
            shown => Some(shown.to_text(language)),
        };
        // Nobody sees the value of other elements.
        let seen = matches!(self.of.kind, ElementKind::Sampler | ElementKind::Timer);
        let value = if seen { show(&value) } else { None };
        let given = frame.locals.iter().take(self.of.given.len()).map(show);
        Ok(ScriptEnd { value, given: given.collect() })
    }

    fn script(&self, text: &Rc<str>, cx: &mut Context) -> Result<Rc<Script>, ScriptFailure> {
        let index = self.instance as usize;
        if self.of.frozen && self.text.constant().is_none() {
            if cx.function_states.len() <= index {
                cx.function_states.resize_with(index + 1, || None);
            }
            if let Some(known) = &cx.function_states[index] {
                let known: &Rc<Script> =
                    known.downcast_ref().expect("an instance number belongs to one element");
                return Ok(known.clone());
            }
            let script = self.read(text)?;
            let kept: Box<dyn Any> = Box::new(script.clone());
            cx.function_states[index] = Some(kept);
            return Ok(script);
        }
        self.read(text)
    }

    fn read(&self, text: &Rc<str>) -> Result<Rc<Script>, ScriptFailure> {
        if let Some((known, script)) = &*self.last.borrow()
            && known == text
        {
            return Ok(script.clone());
        }
        let bindings = BindingScope::Element(self.of.kind);
        let script =
            Rc::new(Script::read(text, language(self.of.language), bindings, self.of.given, Reading::Run)?);
        *self.last.borrow_mut() = Some((text.clone(), script.clone()));
        Ok(script)
    }
}

fn language(language: ScriptLanguage) -> Language {
    match language {
        ScriptLanguage::Groovy => Language::Groovy,
        ScriptLanguage::BeanShell => Language::BeanShell,
    }
}

/// `args` are the words of the parameters.
fn given_value(name: &str, value: FieldValue) -> Value {
    match value {
        FieldValue::Null => Value::Null,
        FieldValue::Text(text) if name == "args" => {
            Value::array(text.split(' ').filter(|word| !word.is_empty()).map(Value::host).collect())
        }
        FieldValue::Text(text) => Value::host(text),
        FieldValue::Flag(flag) => Value::Boolean(flag),
        FieldValue::Number(number) => Value::Long(number),
    }
}

fn collect_words(tokens: &[Token], words: &mut Vec<String>) {
    for token in tokens {
        match &token.kind {
            TokenKind::Identifier(word) => words.push(word.clone()),
            TokenKind::Interpolated(parts) => {
                for part in parts {
                    if let token::StringPart::Code(tokens) = part {
                        collect_words(tokens, words);
                    }
                }
            }
            _ => {}
        }
    }
}
