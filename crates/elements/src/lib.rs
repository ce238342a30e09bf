//! Assertions, extractors and pre-processors: pure functions over a sample and variables, one file
//! each. [`kinds`] is their part of the table of elements; the other public modules serve crates
//! that add their own assertions and extractors.

mod assertions;
mod configs;
mod extractors;
pub mod field;
pub mod heavy;
#[cfg(test)]
mod heavy_tests;
mod kinds;
mod markup;
pub mod numbered;
pub mod pattern;
pub mod scope;
pub mod subject;
pub mod testing;
mod xpath_field;

pub use kinds::kinds;
