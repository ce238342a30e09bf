//! Detects the encoding of a document (XML 1.0, appendix F).

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::fault::XmlError;

/// Bytes of a document as text: by byte order mark, by its XML declaration, else as UTF-8.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, XmlError> {
    if let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        return utf_8(rest);
    }
    let wide = match bytes {
        [0xFE, 0xFF, ..] => Some((UTF_16BE, 2)),
        [0xFF, 0xFE, ..] => Some((UTF_16LE, 2)),
        [0, b'<', 0, b'?', ..] => Some((UTF_16BE, 0)),
        [b'<', 0, b'?', 0, ..] => Some((UTF_16LE, 0)),
        _ => None,
    };
    if let Some((encoding, mark)) = wide {
        return Ok(encoding.decode_without_bom_handling(&bytes[mark..]).0);
    }
    let Some(name) = declared(bytes) else { return utf_8(bytes) };
    let lower = name.to_ascii_lowercase();
    match &*lower {
        "utf-8" | "utf8" | "us-ascii" | "ascii" => utf_8(bytes),
        "iso-8859-1" | "iso_8859-1" | "iso8859-1" | "latin1" => Ok(encoding_rs::mem::decode_latin1(bytes)),
        // One byte a character cannot be this encoding.
        _ if lower.starts_with("utf-16") => Err(XmlError {
            place: Some((1, 1)),
            ..XmlError::malformed("Content is not allowed in prolog.".to_owned())
        }),
        _ => match Encoding::for_label(lower.as_bytes()) {
            Some(encoding) => Ok(encoding.decode_without_bom_handling(bytes).0),
            None => Err(XmlError::malformed(format!("Invalid encoding name \"{name}\"."))),
        },
    }
}

/// The encoding that the XML declaration names.
fn declared(bytes: &[u8]) -> Option<String> {
    if !bytes.starts_with(b"<?xml") {
        return None;
    }
    let end = memchr::memchr_iter(b'?', bytes).find(|&at| bytes.get(at + 1) == Some(&b'>'))?;
    let declaration = std::str::from_utf8(&bytes[..end]).ok()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    Some(value[1..].split_once(quote)?.0.to_owned())
}

fn utf_8(bytes: &[u8]) -> Result<Cow<'_, str>, XmlError> {
    std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| {
        let bad = &bytes[error.valid_up_to()..];
        XmlError::input(invalid_bytes(bad))
    })
}

/// Xerces' message for bytes that are not UTF-8.
fn invalid_bytes(bad: &[u8]) -> String {
    let length = match bad[0] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => return "Invalid byte 1 of 1-byte UTF-8 sequence.".to_owned(),
    };
    let good = bad[1..].iter().take(length - 1).take_while(|&&byte| byte & 0xC0 == 0x80).count();
    let what = if bad.len() > good + 1 { "Invalid" } else { "Expected" };
    format!("{what} byte {} of {length}-byte UTF-8 sequence.", (good + 2).min(length))
}
