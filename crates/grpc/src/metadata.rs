//! Fields that a call sends: `key: value`, or `key-bin: base64`.

use std::error::Error;
use std::fmt;

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// Base64 with or without padding; written without, as the specification wants.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Fields that the protocol sets itself.
const RESERVED: [&str; 7] =
    ["content-type", "te", "host", "connection", "transfer-encoding", "content-length", "user-agent"];

/// Metadata of a call, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata(Vec<(String, String)>);

/// Why a text is no metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetadataError {
    /// The text is neither a JSON object of texts nor `key1:value1,key2:value2`.
    Form(String),
    /// A key has characters that are not allowed, or belongs to the protocol.
    Key(String),
    /// The value of a key cannot be sent: what it is not.
    Value(String, &'static str),
}

impl fmt::Display for MetadataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The text of the plug-in (`ClientCaller.buildHashMetadata`).
            Self::Form(text) => write!(
                f,
                "Metadata entry must be valid JSON String or in key1:value1,key2:value2 format if not \
                 JsonString but found: {text}"
            ),
            Self::Key(key) => write!(
                f,
                "invalid metadata key `{key}`: expected letters, digits, `_`, `-` and `.`, and not a field of \
                 the protocol"
            ),
            Self::Value(key, wanted) => write!(f, "invalid value of metadata `{key}`: expected {wanted}"),
        }
    }
}

impl Error for MetadataError {}

impl Metadata {
    /// Reads the property of the plug-in: a JSON object whose values are texts, or
    /// `key1:value1,key2:value2` with values that are URL-encoded.
    ///
    /// # Errors
    /// The text has another form, or a field that cannot be sent.
    pub fn parse(text: &str) -> Result<Self, MetadataError> {
        let mut found = Self::default();
        if text.is_empty() {
            return Ok(found);
        }
        let malformed = || MetadataError::Form(text.to_owned());
        if text.starts_with('{') && text.ends_with('}') {
            let Ok(Value::Object(fields)) = serde_json::from_str(text) else { return Err(malformed()) };
            for (key, value) in fields {
                let Value::String(value) = value else { return Err(malformed()) };
                found.put(&key, &value)?;
            }
            return Ok(found);
        }
        for part in text.split(',') {
            let (key, value) = part.split_once(':').ok_or_else(malformed)?;
            // `java.net.URLDecoder`: a plus sign is a space.
            let value = value.replace('+', " ");
            found.put(key, &percent_decode_str(&value).decode_utf8_lossy())?;
        }
        Ok(found)
    }

    /// Sets a field. The value of a key that ends with `-bin` is base64. A later value of a key
    /// replaces an earlier one.
    ///
    /// # Errors
    /// It cannot be sent.
    pub fn put(&mut self, key: &str, value: &str) -> Result<(), MetadataError> {
        let key = key.trim().to_ascii_lowercase();
        let is_key = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        if key.is_empty() || !is_key || key.starts_with("grpc-") || RESERVED.contains(&&*key) {
            return Err(MetadataError::Key(key));
        }
        let value = if key.ends_with("-bin") {
            let bytes = BASE64.decode(value.trim());
            let bytes = bytes.map_err(|_| MetadataError::Value(key.clone(), "base64"))?;
            BASE64.encode(bytes)
        } else {
            let value = value.trim();
            if !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
                return Err(MetadataError::Value(key, "printable ASCII characters"));
            }
            value.to_owned()
        };
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some(field) => field.1 = value,
            None => self.0.push((key, value)),
        }
        Ok(())
    }

    /// Appends the fields as lines of HTTP/1, each with CR LF.
    pub fn write(&self, out: &mut Vec<u8>) {
        for (key, value) in &self.0 {
            for part in [key, ": ", value, "\r\n"] {
                out.extend_from_slice(part.as_bytes());
            }
        }
    }

    /// The fields as samples show them: `key: value`, a line each.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.0.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_plug_in_are_read() {
        for (text, wanted) in [
            ("", ""),
            (r#"{"X-A": "1, 2", "b": ""}"#, "x-a: 1, 2\nb: "),
            ("a:1,B:x%2Cy+z:w", "a: 1\nb: x,y z:w"),
            ("a:1,a:2", "a: 2"),
            ("k-bin:AAEC", "k-bin: AAEC"),
            ("k-bin:AA%3D%3D", "k-bin: AA"),
            ("{}", ""),
        ] {
            assert_eq!(Metadata::parse(text).map(|found| found.text()), Ok(wanted.to_owned()), "{text}");
        }
        let mut lines = Vec::new();
        Metadata::parse("a:1,b:2").expect("valid").write(&mut lines);
        assert_eq!(lines, b"a: 1\r\nb: 2\r\n");
    }

    #[test]
    fn what_cannot_be_sent_is_refused() {
        let form = |text: &str| Err(MetadataError::Form(text.to_owned()));
        for text in ["a", "a:1,b", r#"{"a": 1}"#, r#"{"a"}"#] {
            assert_eq!(Metadata::parse(text), form(text));
        }
        for key in ["", "a b", "grpc-timeout", "te", "Content-Type", "\u{e4}", ":path"] {
            let mut metadata = Metadata::default();
            assert!(matches!(metadata.put(key, "x"), Err(MetadataError::Key(_))), "{key}");
        }
        let value = |key: &str, wanted| Err(MetadataError::Value(key.to_owned(), wanted));
        assert_eq!(Metadata::parse("a-bin:*"), value("a-bin", "base64"));
        assert_eq!(Metadata::parse("a:x%0D%0Ay"), value("a", "printable ASCII characters"));
    }
}
