//! Assertions, extractors and pre-processors: pure functions over a sample and variables, one file each.
//! [`kinds`] is their part of the table of elements.

mod assertions;
mod configs;
mod extractors;
mod field;
mod heavy;
#[cfg(test)]
mod heavy_tests;
mod jmespath_field;
mod kinds;
mod markup;
mod regex;
mod scope;
mod subject;
#[cfg(test)]
mod testing;
mod xpath2_field;
mod xpath_field;

pub use kinds::kinds;
