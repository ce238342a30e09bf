//! The variables of a plan: which elements set them and which read them.

mod collect;
mod script;

pub use collect::FileText;
pub(crate) use collect::{Uses, uses};

use std::collections::BTreeMap;

use crate::outline::Entry;

/// What a plan's texts say of one variable: positions of elements in the outline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) set_by: Vec<usize>,
    pub(crate) read_by: Vec<usize>,
}

/// The variables of a plan by name, with those that set and read them, disabled elements left out.
pub(crate) fn variables(entries: &[Entry<'_>], uses: &[Uses]) -> BTreeMap<String, Variable> {
    let mut all: BTreeMap<String, Variable> = BTreeMap::new();
    for (at, used) in uses.iter().enumerate().filter(|(at, _)| entries[*at].is_enabled) {
        for name in &used.sets {
            all.entry(name.clone()).or_default().set_by.push(at);
        }
    }
    for (at, used) in uses.iter().enumerate().filter(|(at, _)| entries[*at].is_enabled) {
        for name in &used.reads {
            // `name_1` and so on are set with `name`.
            let set = stems(name).find(|stem| all.contains_key(*stem)).unwrap_or(name).to_owned();
            let readers = &mut all.entry(set).or_default().read_by;
            if readers.last() != Some(&at) {
                readers.push(at);
            }
        }
    }
    all
}

/// A name, and what is before each of its `_` from the last: names of variables that may have been
/// set together with it.
pub(crate) fn stems(name: &str) -> impl Iterator<Item = &str> {
    let ends = name.rmatch_indices('_').map(|(at, _)| &name[..at]);
    std::iter::once(name).chain(ends.filter(|stem| !stem.is_empty()))
}
