//! What plans are made of.

mod checks;
mod conditions;
mod controllers;
mod http;
mod http_around;
mod http_target;
mod phases;
mod structure;

use super::Family;

/// Every family.
pub fn all() -> [&'static dyn Family; 3] {
    [&structure::Structure, &phases::Phases, &http::Http]
}
