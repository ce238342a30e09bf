//! Assertions, extractors and pre-processors: pure functions over a sample and variables, one file each.

mod contract;
mod sample;
mod text;

pub use contract::{Assertion, Needs, PostProcessor, PreProcessor};
pub use sample::{AssertionResult, DataType, HttpDetails, SampleResult, Timing};
pub use text::Text;
