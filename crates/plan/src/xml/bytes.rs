//! Decodes the bytes of a plan file.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How many bytes at the start of a file are searched for the XML declaration.
const DECLARATION_BYTES: usize = 200;

/// The text of a plan file, and findings about its encoding.
pub(crate) struct Decoded<'a> {
    /// The text without a byte order mark.
    pub(crate) text: Cow<'a, str>,
    /// Line of the first bytes that are invalid in the encoding, and the name of that encoding.
    pub(crate) broken: Option<(u32, &'static str)>,
    /// The encoding of the declaration, if it is unknown and was needed.
    pub(crate) unknown: Option<String>,
    /// The encoding of the bytes.
    encoding: &'static Encoding,
    /// How many bytes at the start are a byte order mark.
    mark: usize,
}

impl Decoded<'_> {
    /// Another text in the encoding of the file, with its byte order mark. Characters that the
    /// encoding lacks become numeric references.
    pub(crate) fn encode(&self, text: &str, original: &[u8]) -> Vec<u8> {
        let mut bytes = original[..self.mark].to_vec();
        if self.encoding == UTF_16LE {
            bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        } else if self.encoding == UTF_16BE {
            bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        } else {
            bytes.extend_from_slice(&self.encoding.encode(text).0);
        }
        bytes
    }
}

/// Decodes by, in this order: byte order mark; UTF-16 seen from its zero bytes; UTF-8 if the bytes
/// are UTF-8, whatever the declaration says (JMeter reads every plan as UTF-8); the encoding that
/// the declaration names; UTF-8 with replacement characters.
pub(crate) fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Decoded { mark, ..with(encoding, &bytes[mark..]) };
    }
    match bytes {
        [b'<', 0, ..] => return with(UTF_16LE, bytes),
        [0, b'<', ..] => return with(UTF_16BE, bytes),
        _ => {}
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let text = Cow::Borrowed(text);
        return Decoded { text, broken: None, unknown: None, encoding: UTF_8, mark: 0 };
    }
    let Some(label) = declared(bytes) else { return with(UTF_8, bytes) };
    match Encoding::for_label(label.as_bytes()) {
        Some(encoding) if encoding != UTF_16LE && encoding != UTF_16BE => with(encoding, bytes),
        Some(_) => with(UTF_8, bytes),
        None => Decoded { unknown: Some(label), ..with(UTF_8, bytes) },
    }
}

fn with<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    let broken = had_errors.then(|| {
        let before = text.split('\u{FFFD}').next().unwrap_or_default();
        (1 + before.bytes().filter(|b| *b == b'\n').count() as u32, encoding.name())
    });
    Decoded { text, broken, unknown: None, encoding, mark: 0 }
}

/// The value of `encoding` in the XML declaration.
fn declared(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION_BYTES)]);
    let declaration = head.strip_prefix("<?xml")?.split_once("?>")?.0;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split_once(quote).map(|(label, _)| label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const UMLAUT: &str = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>ü</a>";

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn every_way_of_saying_the_encoding_is_heard() {
        let latin1: Vec<u8> = UMLAUT.chars().map(|c| c as u8).collect();
        let with_bom = [b"\xEF\xBB\xBF", UMLAUT.as_bytes()].concat();
        let cases: Vec<(&str, Vec<u8>)> = vec![
            ("utf-8 in spite of the declaration", UMLAUT.as_bytes().to_vec()),
            ("utf-8 with a mark", with_bom),
            ("declared latin-1", latin1),
            ("utf-16 le with a mark", utf16(&format!("\u{FEFF}{UMLAUT}"), u16::to_le_bytes)),
            ("utf-16 be with a mark", utf16(&format!("\u{FEFF}{UMLAUT}"), u16::to_be_bytes)),
            ("utf-16 le", utf16(UMLAUT, u16::to_le_bytes)),
            ("utf-16 be", utf16(UMLAUT, u16::to_be_bytes)),
        ];
        for (name, bytes) in cases {
            let decoded = decode(&bytes);
            assert_eq!(decoded.text, UMLAUT, "{name}");
            assert!(decoded.broken.is_none() && decoded.unknown.is_none(), "{name}");
        }
    }

    #[test]
    fn a_text_is_encoded_as_the_file_was() {
        let files: Vec<Vec<u8>> = vec![
            UMLAUT.as_bytes().to_vec(),
            [b"\xEF\xBB\xBF", UMLAUT.as_bytes()].concat(),
            UMLAUT.chars().map(|c| c as u8).collect(),
            utf16(&format!("\u{FEFF}{UMLAUT}"), u16::to_le_bytes),
            utf16(UMLAUT, u16::to_be_bytes),
        ];
        for bytes in files {
            let decoded = decode(&bytes);
            assert_eq!(decoded.encode(&decoded.text, &bytes), bytes);
        }
        let latin1: Vec<u8> = UMLAUT.chars().map(|c| c as u8).collect();
        assert_eq!(decode(&latin1).encode("<a>ü→</a>", &latin1), b"<a>\xFC&#8594;</a>");
    }

    #[test]
    fn broken_bytes_are_replaced_and_told() {
        let decoded = decode(b"<a>\n\n\xFF</a>");
        assert_eq!(decoded.text, "<a>\n\n\u{FFFD}</a>");
        assert_eq!(decoded.broken, Some((3, "UTF-8")));
    }

    #[test]
    fn an_unknown_encoding_is_told() {
        let decoded = decode(b"<?xml version='1.0' encoding='klingon'?><a>\xFF</a>");
        assert_eq!(decoded.unknown.as_deref(), Some("klingon"));
        assert!(decoded.broken.is_some());
    }
}
