//! Arguments of a call, and the variable for its result.

use crate::context::Context;
use crate::scope::Scope;
use crate::template::{Place, Template};
use crate::trim::trim;

/// The arguments of a call, consumed in order. The table has already checked their number.
pub(crate) struct Args {
    left: std::vec::IntoIter<Template>,
}

impl Args {
    pub(crate) fn new(all: Vec<Template>) -> Self {
        Self { left: all.into_iter() }
    }

    /// An argument that must be there.
    pub(crate) fn required(&mut self) -> Template {
        self.left.next().expect("the table checked the minimum count")
    }

    /// An argument that may be left out.
    pub(crate) fn optional(&mut self) -> Option<Template> {
        self.left.next()
    }

    /// An argument that names a variable for the result; spaces around the name do not count, an
    /// empty name is none.
    pub(crate) fn target(&mut self, scope: &Scope<'_>) -> Target {
        self.target_named(NameRule::Trimmed, scope)
    }

    /// As [`Args::target`], with another way to take the name.
    pub(crate) fn target_named(&mut self, naming: NameRule, scope: &Scope<'_>) -> Target {
        match self.left.next() {
            None => Target(Aim::None),
            Some(name) => Target::new(name, naming, scope),
        }
    }

    /// How many are left.
    pub(crate) fn len(&self) -> usize {
        self.left.len()
    }

    /// All arguments that are left.
    pub(crate) fn rest(&mut self) -> Vec<Template> {
        self.left.by_ref().collect()
    }
}

/// How a function treats its variable name: the functions of jpgc-functions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// Without spaces around it; an empty name is none (`AbstractFunction.addVariableValue`).
    Trimmed,
    /// Without spaces around it; an empty name is a name.
    EvenEmpty,
    /// As it is; an empty name is none.
    Exact,
}

impl NameRule {
    /// The name that counts, if there is one.
    fn name(self, given: &str) -> Option<&str> {
        match self {
            NameRule::Trimmed => Some(trim(given)).filter(|name| !name.is_empty()),
            NameRule::EvenEmpty => Some(trim(given)),
            NameRule::Exact => Some(given).filter(|name| !name.is_empty()),
        }
    }
}

/// The variable that receives the result of a call.
pub(crate) struct Target(Aim);

enum Aim {
    None,
    Fixed(Place),
    Named(Template, NameRule),
}

impl Target {
    fn new(name: Template, naming: NameRule, scope: &Scope<'_>) -> Self {
        match name.constant().map(|fixed| naming.name(fixed)) {
            Some(None) => Self(Aim::None),
            Some(Some(fixed)) => Self(Aim::Fixed(scope.place(fixed))),
            None => Self(Aim::Named(name, naming)),
        }
    }

    /// Stores the result.
    pub(crate) fn put(&self, cx: &mut Context, value: &str) {
        if cx.thrown.is_some() {
            return;
        }
        match &self.0 {
            Aim::None => {}
            Aim::Fixed(place) => place.put(cx, value),
            Aim::Named(template, naming) => {
                let name = template.eval_value(cx);
                if let Some(name) = naming.name(&name) {
                    cx.store(name, value);
                }
            }
        }
    }
}
