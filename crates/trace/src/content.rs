//! Bytes of a body, as text where they are text.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Bytes of one body that a trace keeps.
pub const BODY_BYTES: usize = 1 << 20;

/// Bytes of a request or response: `{"size": 12, "text": "…"}`, or `"base64"` if they are not
/// UTF-8; `"cut": true` if only the first of them are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The bytes that are kept.
    pub bytes: Vec<u8>,
    /// How many there were.
    pub size: u64,
}

impl Content {
    /// All of them, or the first `most`.
    pub fn new(bytes: &[u8], most: usize) -> Self {
        Self { bytes: bytes[..bytes.len().min(most)].to_vec(), size: bytes.len() as u64 }
    }

    /// Whether only the first of them are kept.
    pub fn is_cut(&self) -> bool {
        self.size > self.bytes.len() as u64
    }

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The text; none if the bytes are not UTF-8. A character that was cut is left out.
    pub fn text(&self) -> Option<&str> {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Some(text),
            Err(error) if self.is_cut() && error.error_len().is_none() => {
                std::str::from_utf8(&self.bytes[..error.valid_up_to()]).ok()
            }
            Err(_) => None,
        }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Content", 3)?;
        fields.serialize_field("size", &self.size)?;
        match self.text() {
            Some(text) => fields.serialize_field("text", text)?,
            None => fields.serialize_field("base64", &BASE64_STANDARD.encode(&self.bytes))?,
        }
        if self.is_cut() {
            fields.serialize_field("cut", &true)?;
        } else {
            fields.skip_field("cut")?;
        }
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text_and_other_bytes_are_base64() {
        let shown = |bytes: &[u8], most| serde_json::to_string(&Content::new(bytes, most)).expect("JSON");
        assert_eq!(shown(b"ab\x1b", 9), "{\"size\":3,\"text\":\"ab\\u001b\"}");
        assert_eq!(shown(b"\xff", 9), "{\"size\":1,\"base64\":\"/w==\"}");
        assert_eq!(shown("a\u{e4}".as_bytes(), 2), "{\"size\":3,\"text\":\"a\",\"cut\":true}");
        assert_eq!(shown(b"", 9), "{\"size\":0,\"text\":\"\"}");
    }
}
