//! What plans are made of.

#[expect(clippy::explicit_auto_deref, reason = "without the star, the item is taken for a `str`")]
mod assert;
mod checks;
mod conditions;
mod controllers;
#[expect(clippy::explicit_auto_deref, reason = "without the star, the item is taken for a `str`")]
mod csv;
#[expect(clippy::explicit_auto_deref, reason = "without the star, the item is taken for a `str`")]
mod documents;
#[expect(clippy::explicit_auto_deref, reason = "without the star, the item is taken for a `str`")]
mod extract;
#[expect(clippy::explicit_auto_deref, reason = "without the star, the item is taken for a `str`")]
mod functions;
mod http;
mod http_around;
mod http_target;
mod json_paths;
#[expect(clippy::explicit_auto_deref, reason = "without the star, the item is taken for a `str`")]
mod paths;
mod phases;
mod structure;
mod xpaths;

use super::Family;

/// Every family.
pub fn all() -> [&'static dyn Family; 7] {
    [
        &structure::Structure,
        &phases::Phases,
        &http::Http,
        &extract::Extract,
        &assert::Assert,
        &functions::Functions,
        &csv::Csv,
    ]
}
