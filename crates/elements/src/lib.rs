//! Assertions, extractors and pre-processors: pure functions over a sample and variables, one file each.
//!
//! Elements are made by class ([`assertion`], [`post_processor`], [`pre_processor`], [`iteration_element`]) from what
//! [`Build`] gives; [`run_assertion`] walks the samples in an assertion's scope and folds what it says.

mod assertions;
mod bodies;
mod build;
mod catalog;
mod check;
mod configs;
mod contract;
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
mod markup;
pub mod reference;
mod regex;
mod sample;
mod scope;
mod step;
mod subject;
#[cfg(test)]
mod testing;
mod text;
mod xpath2_field;
mod xpath_field;

pub use bodies::{Bodies, Cut, Hold, Keeper, MAX_BYTES, MAX_BYTES_TOTAL};
pub use build::Build;
pub use catalog::{assertion, iteration_element, post_processor, pre_processor};
pub use check::run_assertion;
pub use contract::{Assertion, IterationElement, Needs, PostProcessor, PreProcessor};
pub use java::Random as JavaRandom;
pub use sample::{
    AssertionResult, Compared, DataType, HttpDetails, SampleResult, Timing, set_default_charset,
};
pub use scope::Scope;
pub use step::Step;
pub use text::Text;
