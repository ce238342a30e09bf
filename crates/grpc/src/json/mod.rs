//! Messages as JSON and back (<https://protobuf.dev/programming-guides/json/>).
//!
//! Own code, though `prost-reflect` has it: its form reads numbers through `serde`, where crate
//! `serde_json` with `arbitrary_precision` (which JMeter's extractors need) makes maps of them, its
//! errors have no field, and what is printed has to be what `JsonFormat` of the plug-in prints.

mod error;
mod read;
mod scalar;
#[cfg(test)]
mod tests;
mod well_known;
mod write;

pub use error::JsonError;
pub(crate) use read::{Reading, read_message};
pub(crate) use write::{Names, print};
