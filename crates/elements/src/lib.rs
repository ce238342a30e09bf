//! Assertions, extractors and pre-processors: pure functions of a sample and variables, one file
//! each. [`kinds`] is their part of the table of elements. The other public modules are for crates
//! that add assertions and extractors.

mod assertions;
mod configs;
mod extractors;
pub mod field;
pub mod heavy;
#[cfg(test)]
mod heavy_tests;
mod json_document;
mod kinds;
mod markup;
pub mod numbered;
pub mod pattern;
mod reported;
pub mod scope;
pub mod subject;
pub mod testing;
mod xpath_field;

pub use kinds::{Expression, Question, QuestionError, kinds};
