//! Charsets by their Java names.

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// A charset that Java knows. Most are those of the web; the ones listed here differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// US-ASCII.
    Ascii,
    /// ISO 8859-1.
    Latin1,
    /// Byte order by its mark, big-endian where there is none.
    Utf16,
    /// One of the web's.
    Web(&'static Encoding),
}

impl Default for Charset {
    /// UTF-8.
    fn default() -> Self {
        Self::Web(UTF_8)
    }
}

impl Charset {
    /// The charset of that name; none if Java knows none (`UnsupportedCharsetException`).
    pub fn of(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("utf-8") {
            return Some(Self::default());
        }
        match &*name.to_ascii_lowercase() {
            "us-ascii" | "ascii" | "iso646-us" => Some(Self::Ascii),
            "iso-8859-1" | "iso8859_1" | "iso8859-1" | "iso_8859-1" | "latin1" | "l1" => Some(Self::Latin1),
            "utf-16" | "utf16" | "utf_16" => Some(Self::Utf16),
            "utf-16le" => Some(Self::Web(UTF_16LE)),
            "utf-16be" => Some(Self::Web(UTF_16BE)),
            other => Encoding::for_label_no_replacement(other.as_bytes()).map(Self::Web),
        }
    }

    /// Java's canonical name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ascii => "US-ASCII",
            Self::Latin1 => "ISO-8859-1",
            Self::Utf16 => "UTF-16",
            Self::Web(encoding) => encoding.name(),
        }
    }

    /// Text of bytes; what is malformed becomes U+FFFD, a byte order mark of UTF-8 stays, as in
    /// Java.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Ascii => {
                bytes.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '\u{fffd}' }).collect()
            }
            Self::Latin1 => bytes.iter().map(|b| char::from(*b)).collect(),
            Self::Utf16 => match Encoding::for_bom(bytes) {
                Some((encoding, length)) if encoding == UTF_16LE || encoding == UTF_16BE => {
                    encoding.decode_without_bom_handling(&bytes[length..]).0
                }
                _ => UTF_16BE.decode_without_bom_handling(bytes).0,
            },
            Self::Web(encoding) => encoding.decode_without_bom_handling(bytes).0,
        }
    }

    /// Bytes of text; what the charset does not have becomes `?` (`String.getBytes`).
    pub fn encode(self, text: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        self.encode_into(text, &mut out);
        out
    }

    /// Appends the bytes of a text.
    pub fn encode_into(self, text: &str, out: &mut Vec<u8>) {
        let mut narrow =
            |last: char| out.extend(text.chars().map(|c| if c <= last { c as u8 } else { b'?' }));
        match self {
            Self::Ascii => narrow('\u{7f}'),
            Self::Latin1 => narrow('\u{ff}'),
            Self::Utf16 => {
                // Java marks the order of bytes where there are any.
                let mark = if text.is_empty() { "" } else { "\u{feff}" };
                out.extend(mark.encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes));
            }
            Self::Web(encoding) if encoding == UTF_8 => out.extend_from_slice(text.as_bytes()),
            Self::Web(encoding) if encoding == UTF_16BE => {
                out.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
            }
            Self::Web(encoding) if encoding == UTF_16LE => {
                out.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
            }
            Self::Web(encoding) => encode_web(encoding, text, out),
        }
    }
}

fn encode_web(encoding: &'static Encoding, text: &str, out: &mut Vec<u8>) {
    let mut encoder = encoding.new_encoder();
    let mut rest = text;
    loop {
        let needed = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        out.reserve(needed.unwrap_or(rest.len() * 4) + 16);
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, out, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(_) => out.push(b'?'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_bytes_are_javas() {
        let table: [(&str, &str, &[u8]); 9] = [
            ("utf-8", "UTF-8", "a\u{e9}\u{20ac}".as_bytes()),
            ("iso-8859-1", "ISO-8859-1", b"a\xe9?"),
            ("ISO_8859-1", "ISO-8859-1", b"a\xe9?"),
            ("ascii", "US-ASCII", b"a??"),
            ("windows-1252", "windows-1252", b"a\xe9\x80"),
            ("Cp1252", "windows-1252", b"a\xe9\x80"),
            ("UTF-16", "UTF-16", b"\xfe\xff\0a\0\xe9\x20\xac"),
            ("utf-16le", "UTF-16LE", b"a\0\xe9\0\xac\x20"),
            ("koi8-r", "KOI8-R", b"a??"),
        ];
        for (label, name, bytes) in table {
            let charset = Charset::of(label).expect(label);
            assert_eq!((charset.name(), &*charset.encode("a\u{e9}\u{20ac}")), (name, bytes), "{label}");
        }
        assert_eq!(Charset::Utf16.encode(""), b"", "there is nothing to mark");
    }

    #[test]
    fn round_trips_and_gaps() {
        for (name, text, bytes) in [
            ("UTF-8", "é", &b"\xc3\xa9"[..]),
            ("utf8", "a", b"a"),
            ("ISO-8859-1", "é\u{80}", b"\xe9\x80"),
            ("windows-1252", "€", b"\x80"),
            ("UTF-16", "é", b"\xfe\xff\x00\xe9"),
            ("UTF-16LE", "é", b"\xe9\x00"),
            ("Shift_JIS", "日", b"\x93\xfa"),
        ] {
            let charset = Charset::of(name).expect(name);
            assert_eq!(charset.encode(text), bytes, "{name}");
            assert_eq!(charset.decode(bytes), text, "{name}");
        }
        assert_eq!(Charset::of("UTF-20"), None);
        assert_eq!(Charset::of("UTFéé"), None);
        assert_eq!(Charset::Ascii.encode("aé"), b"a?");
        assert_eq!(Charset::of("windows-1252").expect("known").encode("日a"), b"?a");
        assert_eq!(Charset::Ascii.decode(b"a\xe9"), "a\u{fffd}");
    }
}
