//! The view as data.

use serde::Serialize;

use super::View;
use super::brief::brief;
use crate::outline::Entry;
use crate::property::Documents;

/// A plan as data.
#[derive(Serialize)]
pub struct Shown {
    /// Name and version of this form.
    pub schema: &'static str,
    /// The elements in document order.
    pub elements: Vec<ShownElement>,
    /// The variables by name.
    pub variables: Vec<ShownVariable>,
}

/// An element.
#[derive(Serialize)]
pub struct ShownElement {
    /// Its number, from 1.
    pub number: usize,
    /// Its line in the file.
    pub line: u32,
    /// Elements above it.
    pub depth: usize,
    /// Its class.
    pub class: String,
    /// The name of its kind in JMeter's menus.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Names from the root to it, joined by ` > `.
    pub path: String,
    /// It and all elements above it are enabled.
    pub enabled: bool,
    /// Settings that are not the default.
    pub settings: Vec<String>,
    /// Variables that it sets.
    pub sets: Vec<String>,
    /// Variables that it reads.
    pub reads: Vec<String>,
}

/// A variable.
#[derive(Serialize)]
pub struct ShownVariable {
    /// Its name.
    pub name: String,
    /// Numbers of the elements that set it.
    pub set_by: Vec<usize>,
    /// Numbers of the elements that read it.
    pub read_by: Vec<usize>,
}

impl View<'_> {
    /// The view as data.
    pub fn shown(&self) -> Shown {
        let documents = Documents::new(self.registry);
        let elements = self.entries.iter().enumerate();
        let elements = elements.map(|(at, entry)| self.element(at, entry, &documents)).collect();
        let from_one = |all: &[usize]| all.iter().map(|at| at + 1).collect();
        let variables = self.variables.iter().map(|(name, variable)| ShownVariable {
            name: name.clone(),
            set_by: from_one(&variable.set_by),
            read_by: from_one(&variable.read_by),
        });
        Shown { schema: "swell.plan/1", elements, variables: variables.collect() }
    }

    fn element(&self, at: usize, entry: &Entry<'_>, documents: &Documents<'_>) -> ShownElement {
        let element = entry.element();
        ShownElement {
            number: at + 1,
            line: element.line,
            depth: entry.depth,
            class: element.class.clone(),
            kind: entry.kind_name().to_owned(),
            name: element.name().to_owned(),
            path: element.path.clone(),
            enabled: entry.is_enabled,
            settings: brief(entry, documents),
            sets: self.uses[at].sets.iter().cloned().collect(),
            reads: self.uses[at].reads.iter().cloned().collect(),
        }
    }
}
