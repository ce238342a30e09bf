//! All exported metrics.

use super::definition::{self, Definition};
use super::target;

/// All metrics, in the order in which they are exported.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    definition::of_a_run().chain(target::definitions())
}
