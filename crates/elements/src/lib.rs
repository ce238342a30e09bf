//! Assertions, extractors and pre-processors: pure functions over a sample and variables, one file each.
//!
//! [`kinds`] is their part of the table of elements; [`run_assertion`] walks the samples in an assertion's scope and folds what it says.

mod assertions;
mod check;
mod configs;
pub mod debug;
mod entities;
mod extractors;
mod field;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod heavy;
#[cfg(test)]
mod heavy_tests;
mod java;
mod jmespath;
mod json;
mod jsonpath;
mod kinds;
mod markup;
mod regex;
mod scope;
mod step;
mod subject;
#[cfg(test)]
mod testing;
mod xpath2_field;
mod xpath_field;

pub use check::run_assertion;
pub use java::Random as JavaRandom;
pub use kinds::kinds;
