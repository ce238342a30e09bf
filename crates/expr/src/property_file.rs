//! Files in Java's `.properties` format.

use std::collections::HashMap;

/// The properties of a file. Its bytes are ISO 8859-1, as `java.util.Properties.load` reads them: a
/// byte order mark is two or three letters.
///
/// # Errors
/// What is wrong with it, with the line.
pub fn read_property_file(bytes: &[u8]) -> Result<HashMap<String, String>, String> {
    java_properties::read(&*in_ascii(bytes)).map_err(|error| error.to_string())
}

/// The same file with escapes for what is beyond ASCII. The library takes the first bytes for a
/// byte order mark, if they are like one, reads the rest in another encoding, and panics where the
/// file ends within the mark.
fn in_ascii(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut escaped = false;
    for &byte in bytes {
        if byte.is_ascii() {
            out.push(byte);
        } else {
            // A backslash before it is there already.
            let backslash = if escaped { "" } else { "\\" };
            out.extend_from_slice(format!("{backslash}u{byte:04x}").as_bytes());
        }
        escaped = byte == b'\\' && !escaped;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<(String, String)> {
        let mut found: Vec<_> = read_property_file(bytes).unwrap().into_iter().collect();
        found.sort_unstable();
        found
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn a_file_that_starts_like_a_byte_order_mark_is_read_instead_of_a_panic() {
        assert_eq!(read(b"\xff"), [pair("ÿ", "")]);
        assert_eq!(read(b"\xfe\xffa=b"), [pair("þÿa", "b")]);
        assert_eq!(read(b"\xef\xbb"), [pair("ï»", "")]);
    }

    #[test]
    fn bytes_are_latin_1_wherever_they_stand() {
        assert_eq!(read(b"a=\xe9\\\xe9\\\\\xe9\n\xe9=\x80"), [pair("a", "éé\\é"), pair("é", "\u{80}")]);
        assert_eq!(read(b"# \xe9\na:b\\\n  c"), [pair("a", "bc")]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let words = read_property_file(b"a=b\nc=\\uzzzz").unwrap_err();
        assert!(words.contains("Malformed \\uxxxx encoding") && words.contains("line_number = 2"), "{words}");
    }
}
