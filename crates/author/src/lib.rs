//! Plans as text, without a run: [`View`] shows one, [`set()`] sets properties in it, [`add()`]
//! adds elements, [`diff()`] compares two, [`lint()`] finds what will surprise its author.
//!
//! All is computed from the element tree and the table of elements. Files are read only by the
//! caller.

mod add;
mod diff;
mod facts;
mod lint;
mod nearest;
mod outline;
mod path;
mod property;
mod set;
mod show;
#[cfg(test)]
mod testing;
mod variables;

pub use add::{AddedElement, Addition, ExtendedPlan, add};
pub use diff::{Diff, Difference, What, diff};
pub use lint::{Finding, Fix, RULES, Rule, Severity, Surroundings, lint, reference_page, sarif};
pub use path::{PathError, path_of_place, quoted};
pub use property::is_hidden;
pub use set::{Change, Edited, Settable, set, settable};
pub use show::{Shown, ShownElement, ShownVariable, View};
pub use variables::FileText;
