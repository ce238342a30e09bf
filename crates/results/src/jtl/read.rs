//! Reads a results file of either format from its first byte.

use std::io::Read;

use super::hidden::HiddenSamples;
use super::sample::{JtlCounts, JtlError, JtlSample};
use super::{bytes, csv, xml};

/// Reads all samples of a file and hands each to `take`, in their order. In XML only the outermost
/// samples are rows.
///
/// # Errors
/// The file cannot be read, or holds something else than results. An empty file, or one with a
/// header alone, is no error.
pub fn read_samples(source: impl Read, mut take: impl FnMut(&JtlSample<'_>)) -> Result<JtlCounts, JtlError> {
    let mut input = bytes::Input::new(source);
    while first_byte(input.unread()).is_none() && input.more()? {}
    if input.unread().starts_with(b"\xff\xfe") || input.unread().starts_with(b"\xfe\xff") {
        return Err(JtlError::NotJtl("it is text in UTF-16, and UTF-8 is wanted".to_owned()));
    }
    let is_xml = first_byte(input.unread()) == Some(b'<');
    let mut hidden = HiddenSamples::default();
    let take = |sample: &JtlSample<'_>| {
        hidden.see(sample);
        take(sample);
    };
    let mut counts = if is_xml { xml::read(input, take)? } else { csv::read(&mut input, take)? };
    counts.hidden = hidden.count();
    match counts.first_bad.first() {
        Some(first) if counts.samples == 0 => {
            Err(JtlError::NotJtl(format!("not one row is a sample; line {}: {}", first.line, first.why)))
        }
        _ => Ok(counts),
    }
}

/// The first byte that is no white space.
fn first_byte(bytes: &[u8]) -> Option<u8> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.trim_ascii_start().first().copied()
}
