//! The table of functions.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Args, Function, counter, eval, property, random, sum, thread_num, time, uuid, variable};
use crate::scope::Scope;

type Make = fn(&mut Args, &Scope<'_>) -> Box<dyn Function>;

/// Where a function runs.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Here.
    Native(Make),
    /// In a script engine: the name is known, so the plan's author hears what is missing.
    Script,
}

/// A function of the table.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) kind: Kind,
    doc: &'static str,
}

/// What the documentation shows of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Its name, `__` included.
    pub name: &'static str,
    /// The least number of arguments.
    pub min_arguments: usize,
    /// The largest number of arguments, `None` for any.
    pub max_arguments: Option<usize>,
    /// Whether it runs here; else it needs a script engine.
    pub native: bool,
    /// One line: what it gives.
    pub doc: &'static str,
}

const ANY: usize = usize::MAX;

const fn native(name: &'static str, (min, max): (usize, usize), make: Make, doc: &'static str) -> Entry {
    Entry { name, min, max, kind: Kind::Native(make), doc }
}

const fn script(name: &'static str, (min, max): (usize, usize), doc: &'static str) -> Entry {
    Entry { name, min, max, kind: Kind::Script, doc }
}

static TABLE: &[Entry] = &[
    // Stock functions of JMeter.
    native("__P", (1, 2), property::p, "(name, default `1`): a property"),
    native(
        "__Random",
        (2, 3),
        random::make,
        "(least, largest, variable): a random whole number, both ends included",
    ),
    native("__UUID", (0, 0), uuid::make, "(): a random UUID"),
    native("__V", (1, 2), variable::make, "(name, default): the variable whose name is put together"),
    native("__counter", (1, 2), counter::make, "(TRUE for each user or FALSE for all, variable): 1, 2, 3, …"),
    native("__eval", (1, 1), eval::text, "(text): a text with its references replaced"),
    native("__evalVar", (1, 1), eval::variable, "(variable): a variable's text with its references replaced"),
    native("__intSum", (2, ANY), sum::int, "(numbers, …, variable): their sum in 32 bits"),
    native("__longSum", (2, ANY), sum::long, "(numbers, …, variable): their sum in 64 bits"),
    native("__property", (1, 3), property::property, "(name, variable, default): a property"),
    native(
        "__threadNum",
        (0, 0),
        thread_num::make,
        "(): the number of the virtual user in its group, from 1",
    ),
    native("__time", (0, 2), time::make, "(format, variable): the time now"),
    // Functions that need a script engine.
    script("__BeanShell", (1, 2), "(script, variable): the result of a BeanShell script"),
    script("__groovy", (1, 2), "(script, variable): the result of a Groovy script"),
    script("__javaScript", (1, 2), "(script, variable): the result of a JavaScript script"),
    script("__jexl2", (1, 2), "(expression, variable): the result of a JEXL 2 expression"),
    script("__jexl3", (1, 2), "(expression, variable): the result of a JEXL 3 expression"),
];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Entry>> =
    LazyLock::new(|| TABLE.iter().map(|entry| (entry.name, entry)).collect());

/// The function of that name.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    BY_NAME.get(name).copied()
}

/// All functions that are known, for `swell check` and the documentation.
pub fn functions() -> impl Iterator<Item = FunctionInfo> {
    TABLE.iter().map(|entry| FunctionInfo {
        name: entry.name,
        min_arguments: entry.min,
        max_arguments: (entry.max != ANY).then_some(entry.max),
        native: matches!(entry.kind, Kind::Native(_)),
        doc: entry.doc,
    })
}

impl Entry {
    /// How many arguments are right, in words.
    pub(crate) fn expected(&self) -> String {
        match (self.min, self.max) {
            (0, 0) => "no arguments".to_owned(),
            (1, 1) => "1 argument".to_owned(),
            (min, max) if min == max => format!("{min} arguments"),
            (min, ANY) => format!("{min} arguments or more"),
            (min, max) => format!("{min} to {max} arguments"),
        }
    }
}
