//! `java.nio.charset.Charset` for request bodies and parameters: canonical names, and `?` for what does not fit.

use std::fmt::Write as _;

use encoding_rs::{EncoderResult, Encoding};

/// A charset by Java's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    Utf8,
    Latin1,
    Ascii,
    /// Big endian with a byte order mark, as Java's `UTF-16` writes.
    Utf16,
    Utf16Be,
    Utf16Le,
    Other(&'static Encoding, &'static str),
}

/// Java's names where they differ from the web's, and charsets that the web maps to others.
const NAMES: &[(&str, Charset)] = &[
    ("UTF-8", Charset::Utf8),
    ("UTF8", Charset::Utf8),
    ("ISO-8859-1", Charset::Latin1),
    ("ISO8859-1", Charset::Latin1),
    ("ISO_8859-1", Charset::Latin1),
    ("ISO8859_1", Charset::Latin1),
    ("LATIN1", Charset::Latin1),
    ("L1", Charset::Latin1),
    ("US-ASCII", Charset::Ascii),
    ("ASCII", Charset::Ascii),
    ("ISO646-US", Charset::Ascii),
    ("UTF-16", Charset::Utf16),
    ("UTF-16BE", Charset::Utf16Be),
    ("UTF-16LE", Charset::Utf16Le),
    ("CP1252", Charset::Other(encoding_rs::WINDOWS_1252, "windows-1252")),
    ("CP1251", Charset::Other(encoding_rs::WINDOWS_1251, "windows-1251")),
    ("CP1250", Charset::Other(encoding_rs::WINDOWS_1250, "windows-1250")),
];

impl Charset {
    /// The charset of that name; none if Java knows none (`UnsupportedCharsetException`).
    pub(crate) fn for_name(name: &str) -> Option<Self> {
        if let Some((_, charset)) = NAMES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)) {
            return Some(*charset);
        }
        let encoding = Encoding::for_label_no_replacement(name.as_bytes())?;
        Some(if encoding == encoding_rs::UTF_8 {
            Self::Utf8
        } else {
            Self::Other(encoding, java_name(encoding))
        })
    }

    /// Java's canonical name, as it stands in `Content-Type`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Latin1 => "ISO-8859-1",
            Self::Ascii => "US-ASCII",
            Self::Utf16 => "UTF-16",
            Self::Utf16Be => "UTF-16BE",
            Self::Utf16Le => "UTF-16LE",
            Self::Other(_, name) => name,
        }
    }

    /// Appends the bytes of a text, `?` for what does not fit (`String.getBytes`).
    pub(crate) fn encode_into(self, text: &str, out: &mut Vec<u8>) {
        match self {
            Self::Utf8 => out.extend_from_slice(text.as_bytes()),
            Self::Latin1 => out.extend(text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))),
            Self::Ascii => out.extend(text.chars().map(|c| if c.is_ascii() { c as u8 } else { b'?' })),
            Self::Utf16 => {
                if !text.is_empty() {
                    out.extend_from_slice(b"\xfe\xff");
                }
                out.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
            }
            Self::Utf16Be => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            Self::Utf16Le => out.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Self::Other(encoding, _) => encode_other(encoding, text, out),
        }
    }

    /// The text with `&#n` for characters that do not fit: JMeter forgets the semicolon
    /// (`ConversionUtils.encodeWithEntities`).
    pub(crate) fn with_entities(self, text: &str) -> String {
        let fits = |c: char| match self {
            Self::Latin1 => u32::from(c) < 256,
            Self::Ascii => c.is_ascii(),
            Self::Other(encoding, _) => !encoding.encode(c.encode_utf8(&mut [0; 4])).2,
            Self::Utf8 | Self::Utf16 | Self::Utf16Be | Self::Utf16Le => true,
        };
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if fits(c) {
                out.push(c);
            } else {
                write!(out, "&#{}", u32::from(c)).expect("a String takes it");
            }
        }
        out
    }

    /// The text of bytes, U+FFFD for what is none.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Self::Latin1 => bytes.iter().map(|&b| char::from(b)).collect(),
            Self::Ascii => bytes
                .iter()
                .map(|&b| if b < 0x80 { char::from(b) } else { char::REPLACEMENT_CHARACTER })
                .collect(),
            Self::Utf16 | Self::Utf16Be => {
                encoding_rs::UTF_16BE.decode_with_bom_removal(bytes).0.into_owned()
            }
            Self::Utf16Le => encoding_rs::UTF_16LE.decode_without_bom_handling(bytes).0.into_owned(),
            Self::Other(encoding, _) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
        }
    }
}

/// Java's canonical name of an encoding of the web.
fn java_name(encoding: &'static Encoding) -> &'static str {
    match encoding.name() {
        "gb2312" => "GB2312",
        "EUC-KR" => "EUC-KR",
        name => name,
    }
}

fn encode_other(encoding: &'static Encoding, text: &str, out: &mut Vec<u8>) {
    let mut encoder = encoding.new_encoder();
    let mut rest = text;
    loop {
        let room =
            encoder.max_buffer_length_from_utf8_without_replacement(rest.len()).unwrap_or(rest.len() * 4);
        out.reserve(room + 16);
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
        let table: [(&str, &str, &[u8]); 8] = [
            ("utf-8", "UTF-8", "a\u{e9}\u{20ac}".as_bytes()),
            ("iso-8859-1", "ISO-8859-1", b"a\xe9?"),
            ("ascii", "US-ASCII", b"a??"),
            ("windows-1252", "windows-1252", b"a\xe9\x80"),
            ("Cp1252", "windows-1252", b"a\xe9\x80"),
            ("UTF-16", "UTF-16", b"\xfe\xff\0a\0\xe9\x20\xac"),
            ("utf-16le", "UTF-16LE", b"a\0\xe9\0\xac\x20"),
            ("koi8-r", "KOI8-R", b"a??"),
        ];
        for (label, name, bytes) in table {
            let charset = Charset::for_name(label).unwrap();
            let mut out = Vec::new();
            charset.encode_into("a\u{e9}\u{20ac}", &mut out);
            assert_eq!((charset.name(), out.as_slice()), (name, bytes), "{label}");
        }
        assert_eq!(Charset::for_name("nope"), None);
    }

    #[test]
    fn entities_stand_for_what_does_not_fit() {
        let of = |name: &str| Charset::for_name(name).unwrap().with_entities("a\u{e9}\u{20ac}");
        assert_eq!(of("ascii"), "a&#233&#8364");
        assert_eq!(of("iso-8859-1"), "a\u{e9}&#8364");
        assert_eq!(of("windows-1252"), "a\u{e9}\u{20ac}");
        assert_eq!(of("koi8-r"), "a&#233&#8364");
        assert_eq!(of("utf-16"), "a\u{e9}\u{20ac}");
    }

    #[test]
    fn bytes_are_read_back() {
        for name in ["UTF-8", "ISO-8859-1", "windows-1252", "UTF-16", "UTF-16LE", "Shift_JIS"] {
            let (charset, mut out) = (Charset::for_name(name).unwrap(), Vec::new());
            charset.encode_into("abc+1", &mut out);
            assert_eq!(charset.decode(&out), "abc+1", "{name}");
        }
    }
}
