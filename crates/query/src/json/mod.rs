//! JSON as JMeter's elements handle it: parsed, stored and written as in json-smart 2.5, including
//! numbers.
//!
//! Its parser is lenient: it accepts unquoted text, single quotes, extra commas, and anything after
//! the first value. So a response that is not JSON is often a string for it. That decides between
//! "path not found" and an error, so this behaviour is kept.

mod decimal;
mod map_order;
mod outline;
mod reader;
#[cfg(test)]
mod reader_tests;
pub(crate) mod scan;
mod value;
mod writer;

pub use decimal::Decimal;
pub use outline::Outline;
pub(crate) use outline::Place;
pub use reader::parse;
pub use value::Json;
