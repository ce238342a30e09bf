//! The table of functions for parsing a text.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::arguments::Args;
use crate::function::Function;
use crate::scope::Scope;
use crate::script_failure::ScriptFailure;

/// Makes a call of a function.
pub(crate) type Make = fn(&mut Args, &Scope<'_>) -> Box<dyn Function>;

/// Makes a call of a function that runs a script. On failure, returns the part of the script that
/// needs a script engine.
pub(crate) type MakeScript =
    fn(&CallText<'_>, &mut Args, &Scope<'_>) -> Result<Box<dyn Function>, ScriptFailure>;

/// A call as written.
pub(crate) struct CallText<'t> {
    /// The function's name, `__` included.
    pub(crate) name: &'static str,
    /// The whole call.
    pub(crate) source: &'t str,
}

/// What a problem says of a function that runs a script.
pub const NEEDS_SCRIPT: &str = "needs a script engine, which is not available";

/// Any number of arguments.
pub(crate) const ANY: usize = usize::MAX;

/// Where a function runs.
#[derive(Clone, Copy)]
pub(crate) enum Implementation {
    /// Here.
    Native(Make),
    /// Here, if the script is one that is understood.
    Script(MakeScript),
}

/// A function of the table.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) kind: Implementation,
    pub(crate) doc: &'static str,
}

/// What the documentation shows for a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Its name, `__` included.
    pub name: &'static str,
    /// The least number of arguments.
    pub min_arguments: usize,
    /// The largest number of arguments, `None` for any.
    pub max_arguments: Option<usize>,
    /// Whether all its calls run here. Calls of script functions run here if their scripts only
    /// compare; other calls stay in the text.
    pub native: bool,
    /// One line: what it gives.
    pub doc: &'static str,
}

impl FunctionInfo {
    /// Whether an argument is the name of a variable that the call sets or reads, by its position
    /// and by the number of all arguments of the call.
    pub fn names_variable(&self, position: usize, count: usize) -> bool {
        let signature = self.doc.strip_prefix('(').and_then(|rest| rest.split_once("):"));
        let names: Vec<&str> = signature.map(|(names, _)| names.split(", ").collect()).unwrap_or_default();
        let Some(place) = names.iter().position(|name| *name == "variable") else { return false };
        // Any number of arguments comes before the last one.
        if names.contains(&"…") {
            count > self.min_arguments && position + 1 == count
        } else {
            position == place
        }
    }
}

/// The functions that a text may call by name.
pub(crate) struct FunctionTable {
    pub(crate) entries: &'static [Entry],
    pub(crate) by_name: LazyLock<HashMap<&'static str, &'static Entry>>,
}

impl FunctionTable {
    /// The function of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&'static Entry> {
        self.by_name.get(name).copied()
    }

    /// All functions, for `swell check` and the documentation.
    pub(crate) fn functions(&self) -> impl Iterator<Item = FunctionInfo> {
        self.entries.iter().map(Entry::info)
    }
}

impl Entry {
    /// What is known of it outside of this crate.
    pub(crate) fn info(&self) -> FunctionInfo {
        FunctionInfo {
            name: self.name,
            min_arguments: self.min,
            max_arguments: (self.max != ANY).then_some(self.max),
            native: matches!(self.kind, Implementation::Native(_)),
            doc: self.doc,
        }
    }

    /// The number of arguments allowed, as text.
    pub(crate) fn expected(&self) -> String {
        expected(self.min, self.max)
    }
}

/// The number of arguments allowed, as text.
pub(crate) fn expected(min: usize, max: usize) -> String {
    match (min, max) {
        (0, 0) => "no arguments".to_owned(),
        (1, 1) => "1 argument".to_owned(),
        (min, max) if min == max => format!("{min} arguments"),
        (min, ANY) => format!("{min} arguments or more"),
        (min, max) => format!("{min} to {max} arguments"),
    }
}
