//! A file to import, and places in it.

use std::fmt;

/// A file to import.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its name, as the user wrote it; for messages.
    pub name: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// The text of a source, with its lines.
#[derive(Debug)]
pub struct SourceText<'a> {
    name: &'a str,
    /// The text without a byte order mark.
    pub text: std::borrow::Cow<'a, str>,
}

/// A place in a file. Line and column count from 1, the column in characters; line 0 is the whole
/// file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user wrote it.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl<'a> Source<'a> {
    /// The whole file as a place.
    pub fn whole(&self) -> Place {
        Place { file: self.name.to_owned(), line: 0, column: 0 }
    }

    /// The name of the file without folder and ending.
    pub(crate) fn stem(&self) -> String {
        let stem = std::path::Path::new(self.name).file_stem();
        stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The text: UTF-8, or UTF-16 with a byte order mark, as PowerShell writes. Bytes that are no
    /// UTF-8 become U+FFFD.
    pub fn text(&self) -> SourceText<'a> {
        let bytes = self.bytes;
        let wide = |from: fn([u8; 2]) -> u16| -> String {
            let units = bytes[2..].chunks_exact(2).map(|pair| from([pair[0], pair[1]]));
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        };
        let text = match bytes {
            [0xFF, 0xFE, ..] => wide(u16::from_le_bytes).into(),
            [0xFE, 0xFF, ..] => wide(u16::from_be_bytes).into(),
            [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
            _ => String::from_utf8_lossy(bytes),
        };
        SourceText { name: self.name, text }
    }
}

impl SourceText<'_> {
    /// The place of a byte of the text.
    pub fn place(&self, offset: usize) -> Place {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before[start..].chars().count() + 1;
        self.at(u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// A place by line and column.
    pub fn at(&self, line: u32, column: u32) -> Place {
        Place { file: self.name.to_owned(), line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}:{}", self.file, self.column),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let text = Source { name: "a.har", bytes: "\u{feff}é\nxyß!".as_bytes() }.text();
        let places: Vec<_> = [0, 2, 3, 7, 99].iter().map(|at| text.place(*at).to_string()).collect();
        assert_eq!(places, ["a.har:1:1", "a.har:1:2", "a.har:2:1", "a.har:2:4", "a.har:2:5"]);
        let wide = Source { name: "w", bytes: &[0xFF, 0xFE, b'h', 0, b'i', 0] }.text();
        assert_eq!((&*wide.text, wide.at(0, 0).to_string()), ("hi", "w".to_owned()));
    }
}
