//! Arguments of a call, and the variable that keeps its result.

use crate::context::Context;
use crate::parser::trim;
use crate::scope::Scope;
use crate::template::{Place, Template};

/// The arguments of a call, taken in order. Their count was checked against the table.
pub(crate) struct Args {
    left: std::vec::IntoIter<Template>,
}

impl Args {
    pub(crate) fn new(all: Vec<Template>) -> Self {
        Self { left: all.into_iter() }
    }

    /// An argument that must be there.
    pub(crate) fn required(&mut self) -> Template {
        self.left.next().expect("the table's least count was checked")
    }

    /// An argument that may be left out.
    pub(crate) fn optional(&mut self) -> Option<Template> {
        self.left.next()
    }

    /// An argument that names a variable for the result; spaces around the name do not count, an empty name is none.
    pub(crate) fn target(&mut self, scope: &Scope<'_>) -> Target {
        match self.left.next() {
            None => Target(Aim::None),
            Some(name) => Target::new(name, scope),
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

/// The variable that a call puts its result into.
pub(crate) struct Target(Aim);

enum Aim {
    None,
    Fixed(Place),
    Named(Template),
}

impl Target {
    fn new(name: Template, scope: &Scope<'_>) -> Self {
        match name.constant().map(trim) {
            Some("") => Self(Aim::None),
            Some(fixed) => Self(Aim::Fixed(scope.place(fixed))),
            None => Self(Aim::Named(name)),
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
            Aim::Named(template) => {
                let name = template.text(cx);
                if !trim(&name).is_empty() {
                    cx.vars.put(trim(&name), value);
                }
            }
        }
    }
}
