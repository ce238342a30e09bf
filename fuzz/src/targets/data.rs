//! Data sets, and descriptions of load.

use std::collections::VecDeque;
use std::io::{self, Read};

use swell_engine::fuzz::{Split, load_properties, open_model, rows};

use super::{byte_parts, parts, pieces, random_of};

/// A source that returns its bytes piece by piece.
struct Slowly(VecDeque<Vec<u8>>);

impl Slowly {
    fn boxed<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Box<dyn Read + Send> {
        Box::new(Self(pieces.into_iter().map(<[u8]>::to_vec).collect()))
    }
}

impl Read for Slowly {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(mut piece) = self.0.pop_front() else { return Ok(0) };
        let count = piece.len().min(out.len());
        out[..count].copy_from_slice(&piece[..count]);
        if count < piece.len() {
            self.0.push_front(piece.split_off(count));
        }
        Ok(count)
    }
}

/// An encoding, a delimiter and a file; also the same values quoted and read again.
pub(super) fn csv(input: &[u8]) {
    let [encoding, delimiter, file] = byte_parts::<3>(input);
    let encoding = String::from_utf8_lossy(encoding);
    let delimiter = String::from_utf8_lossy(delimiter);
    let delimiter = if delimiter.is_empty() { "," } else { &*delimiter };
    let first = delimiter.chars().next().unwrap_or(',');
    for split in [Split::Plain(delimiter), Split::Quoted(first)] {
        let whole = rows(Slowly::boxed([file]), &encoding, split);
        let cut = rows(Slowly::boxed(pieces(file, &mut random_of(file))), &encoding, split);
        assert_eq!(cut, whole, "the pieces make no difference");
        if let (Ok(rows), false) = (whole, matches!(first, '"' | '\r' | '\n')) {
            quoted(&rows, first);
        }
    }
}

fn quoted(values: &[Vec<String>], delimiter: char) {
    let mut text = String::new();
    let filled = || values.iter().filter(|row| !row.is_empty());
    for row in filled() {
        let cells: Vec<String> =
            row.iter().map(|value| format!("\"{}\"", value.replace('"', "\"\""))).collect();
        text.push_str(&cells.join(&delimiter.to_string()));
        text.push('\n');
    }
    let again = rows(Slowly::boxed([text.as_bytes()]), "UTF-8", Split::Quoted(delimiter));
    assert_eq!(
        again.as_ref().map(|rows| rows.iter().collect()),
        Ok(filled().collect::<Vec<_>>()),
        "{text:?}"
    );
}

/// The schedule of an Open Model Thread Group, and properties that describe load.
pub(super) fn schedule(input: &[u8]) {
    let [text, property] = parts::<2>(input);
    let (length_s, _) = load_properties(&property);
    assert!(length_s >= 0);
    let Ok((starts, users)) = open_model(&text, 2000) else { return };
    assert!(starts.is_sorted(), "users start in order");
    assert!(starts.len() <= users as usize, "as many start as there are");
}
