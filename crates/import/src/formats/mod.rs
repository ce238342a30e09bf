//! The formats: one line each.

mod access_log;
mod artillery;
mod curl;
mod har;
mod http_file;
mod hurl;
mod insomnia;
mod javascript;
mod json_conditions;
mod openapi;
mod postman;
mod urls;
mod values;
mod vegeta;

use crate::model::Document;
use crate::notes::Notes;
use crate::options::Options;
use crate::source::{Place, Source};

/// A format of files to import.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name for `--from`: one word in small letters.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Whether a file has this format, by the first [`LOOK`] bytes of its text, and all of it for
    /// files that are shorter.
    pub fits: fn(&str) -> bool,
    /// Reads a file.
    pub read: fn(&Source<'_>, &Options, &mut Notes) -> Result<Document, ReadError>,
}

/// All formats. The first that fits is taken, so one with a narrow mark is before one that takes
/// much.
pub const FORMATS: &[Format] = &[
    har::FORMAT,
    postman::FORMAT,
    insomnia::FORMAT,
    openapi::FORMAT,
    artillery::FORMAT,
    access_log::FORMAT,
    hurl::FORMAT,
    http_file::FORMAT,
    curl::FORMAT,
    urls::FORMAT,
    vegeta::FORMAT,
];

/// `fits` looks at this many bytes.
const LOOK: usize = 64 << 10;

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What is wrong, and what is expected.
    pub message: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl ReadError {
    /// An error without a hint.
    pub fn new(place: Place, message: impl Into<String>) -> Self {
        Self { place, message: message.into(), hint: String::new() }
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }
}

/// The format of that name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Formats by the ending of a file's name: a few lines of one are lines of another, too.
const ENDINGS: [(&str, &Format); 3] =
    [("hurl", &hurl::FORMAT), ("http", &http_file::FORMAT), ("rest", &http_file::FORMAT)];

/// The format of a file by its name alone; only few have one.
pub fn format_of_name(name: &str) -> Option<&'static Format> {
    let (_, ending) = name.rsplit_once('.')?;
    ENDINGS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|(_, format)| *format)
}

/// The format of a file by its content, or by its name.
pub fn format_of(source: &Source<'_>) -> Option<&'static Format> {
    if let Some(format) = format_of_name(source.name) {
        return Some(format);
    }
    let start = &source.bytes[..source.bytes.len().min(LOOK)];
    let text = Source { name: source.name, bytes: start }.text();
    FORMATS.iter().find(|format| (format.fits)(&text.text))
}
