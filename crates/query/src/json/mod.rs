//! JSON as JMeter's elements see it: read, held and written as json-smart 2.5 does, numbers and
//! all.
//!
//! Its reader is lenient (unquoted text, single quotes, useless commas, anything after the first
//! value), so a response that is not JSON at all is often a text to it. That decides between "path
//! not found" and "error", so it is kept.

mod decimal;
mod map_order;
mod reader;
#[cfg(test)]
mod reader_tests;
pub(crate) mod scan;
mod value;
mod writer;

pub use decimal::Decimal;
pub use reader::parse;
pub use value::Json;
