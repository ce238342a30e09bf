//! Reads results files (JTL) from any writer: CSV with any columns in any order, any of the usual
//! delimiters, with or without a header, and XML. It makes one pass with memory that does not grow
//! with the file. Invalid rows are counted and reported with their line numbers.

mod branches;
mod bytes;
mod columns;
mod csv;
mod hidden;
mod intervals;
mod parts;
mod pieces;
mod quoted;
mod read;
mod sample;
mod time;
mod xml;

use std::path::Path;

pub use intervals::{IntervalOptions, read_intervals};
pub use pieces::{Pieces, read_pieces};
pub use read::read_samples;
pub use sample::{BadRow, JtlCounts, JtlError, JtlSample, Place};

/// As [`read_samples`] from a file, which may be compressed (gzip).
///
/// # Errors
/// As there.
pub fn read_file(path: &Path, take: impl FnMut(&JtlSample<'_>)) -> Result<JtlCounts, JtlError> {
    pieces::read_one(path, take)
}

#[cfg(test)]
mod tests;
