//! What plans are made of.

mod structure;

use super::Family;

/// Every family.
pub fn all() -> [&'static dyn Family; 1] {
    [&structure::Structure]
}
