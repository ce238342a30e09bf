//! Access to internal parsers for the fuzz targets in `fuzz/`: bytes in, values out, no checks
//! here.

use std::io::Read;

use crate::csv;
pub use crate::csv::fuzz::Split;
use crate::schedule::{OpenModel, Profile, Schedule, rows_of_property, spans_of_property};

/// All rows of a data set; with quotes if a character is given that ends a value, else split at the
/// delimiter.
///
/// # Errors
/// The encoding is not known, or quotes are misplaced.
pub fn rows(
    source: Box<dyn Read + Send>,
    encoding: &str,
    split: Split<'_>,
) -> Result<Vec<Vec<String>>, String> {
    csv::fuzz::rows(source, encoding, split)
}

/// The first starts of an open-model schedule in nanoseconds, at most `most`, and how many there
/// are.
///
/// # Errors
/// The text is not a valid schedule.
pub fn open_model(text: &str, most: usize) -> Result<(Vec<i64>, u32), String> {
    let model = OpenModel::new(text, 1, 0)?;
    let starts = model.starts().take(most).map(|start| start.start_ns).collect();
    Ok((starts, model.users()))
}

/// The length in seconds of the load profile that the property of a Throughput Shaping Timer gives,
/// and the number of rows of an Ultimate Thread Group.
pub fn load_properties(text: &str) -> (i64, usize) {
    let (spans, _) = spans_of_property(text);
    let (rows, _) = rows_of_property(text);
    (Profile::new(spans).length_s(), rows.len())
}
