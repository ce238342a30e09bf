//! A row in the table of native operations ([`super::rows`]).

use super::bindings::{BindingScope, ElementKind};
use super::frame::Frame;
use super::kind::Kind;
use super::language::Language;
use super::value::Value;
use crate::script_failure::ScriptFailure;

/// The outcome of a script or a part of it.
pub(super) type Outcome = Result<Value, ScriptFailure>;

/// The implementation of a row, for values of the kinds that it accepts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Run {
    Gives(fn(&mut Frame<'_>, &[Value]) -> Value),
    /// It may throw an exception of Java.
    MayThrow(fn(&mut Frame<'_>, &[Value]) -> Outcome),
}

/// The syntax of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `a + b`.
    Between,
    /// `-a`.
    Before,
    /// `a as int`.
    Cast,
    /// `a.trim()`; the first that it takes is `a`.
    Method,
    /// `text.length` of JavaScript.
    Property,
    /// `vars.get(a)`.
    Call,
    /// `File.separator`.
    Field,
}

/// The scripts in which a row is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandPlace {
    /// All, those of conditions included.
    Everywhere,
    /// Functions and elements.
    Objects,
    /// Functions only.
    Functions,
    /// Elements only.
    Elements,
    /// Elements of these kinds.
    Of(&'static [ElementKind]),
}

/// An operation that a script may use.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) languages: &'static [Language],
    pub(super) place: OperandPlace,
    pub(super) form: Form,
    pub(super) name: &'static str,
    pub(super) takes: &'static [Kind],
    pub(super) gives: Kind,
    /// The class that must be imported for it.
    pub(super) import: &'static str,
    pub(super) run: Run,
}

impl Row {
    const fn new(
        languages: &'static [Language],
        form: Form,
        name: &'static str,
        takes: &'static [Kind],
        gives: Kind,
        run: Run,
    ) -> Self {
        let place = OperandPlace::Everywhere;
        Self { languages, place, form, name, takes, gives, import: "", run }
    }

    /// An operator between two values.
    pub(super) const fn between(
        languages: &'static [Language],
        name: &'static str,
        takes: &'static [Kind],
        gives: Kind,
        run: Run,
    ) -> Self {
        Self::new(languages, Form::Between, name, takes, gives, run)
    }

    /// An operator before a value.
    pub(super) const fn before(
        languages: &'static [Language],
        name: &'static str,
        takes: &'static [Kind],
        gives: Kind,
        run: Run,
    ) -> Self {
        Self::new(languages, Form::Before, name, takes, gives, run)
    }

    /// A method; the first of what it takes is the value that it belongs to.
    pub(super) const fn method(
        languages: &'static [Language],
        name: &'static str,
        takes: &'static [Kind],
        gives: Kind,
        run: Run,
    ) -> Self {
        Self::new(languages, Form::Method, name, takes, gives, run)
    }

    /// A function, or a method of an object that has a name.
    pub(super) const fn call(
        languages: &'static [Language],
        place: OperandPlace,
        name: &'static str,
        takes: &'static [Kind],
        gives: Kind,
        run: Run,
    ) -> Self {
        let row = Self::new(languages, Form::Call, name, takes, gives, run);
        Self { place, ..row }
    }

    pub(super) const fn written(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// Whether it may throw an exception of Java.
    pub(super) const fn throws(&self) -> bool {
        matches!(self.run, Run::MayThrow(_))
    }

    pub(super) const fn only_in(self, place: OperandPlace) -> Self {
        Self { place, ..self }
    }

    pub(super) const fn imported(self, import: &'static str) -> Self {
        Self { import, ..self }
    }

    /// Whether scripts with these names in sight have it.
    pub(super) fn is_in(&self, bindings: BindingScope) -> bool {
        match (self.place, bindings) {
            (OperandPlace::Everywhere, _)
            | (OperandPlace::Objects, BindingScope::Objects | BindingScope::Element(_))
            | (OperandPlace::Functions, BindingScope::Objects)
            | (OperandPlace::Elements, BindingScope::Element(_)) => true,
            (OperandPlace::Of(kinds), BindingScope::Element(kind)) => kinds.contains(&kind),
            _ => false,
        }
    }

    pub(super) fn takes(&self, kinds: &[Kind]) -> bool {
        self.takes.len() == kinds.len()
            && self.takes.iter().zip(kinds).all(|(wanted, kind)| kind.fits(*wanted))
    }
}
