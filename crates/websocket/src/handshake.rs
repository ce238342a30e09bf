//! Keys and extensions of the upgrade (RFC 6455 §4, RFC 7692 §7.1).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

/// What every key is joined with (RFC 6455 §1.3).
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// What a client asks for that wants compression.
pub const COMPRESSION_OFFER: &str = "permessage-deflate; client_max_window_bits";

const NAME: &str = "permessage-deflate";

/// The `Sec-WebSocket-Key` of random bytes.
#[must_use]
pub fn key(nonce: [u8; 16]) -> String {
    STANDARD.encode(nonce)
}

/// The `Sec-WebSocket-Accept` that answers a key.
#[must_use]
pub fn accept(key: &str) -> String {
    let mut sum = Sha1::new();
    sum.update(key.trim().as_bytes());
    sum.update(GUID);
    STANDARD.encode(sum.finalize())
}

/// Whether a list in a header field has a token, in any case.
#[must_use]
pub fn has_token(list: &str, token: &str) -> bool {
    list.split(',').any(|part| part.trim().eq_ignore_ascii_case(token))
}

/// Compression as both ends agreed upon it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compression {
    /// Messages of the server do not refer to those before.
    pub server_no_context: bool,
    /// Messages of the client do not.
    pub client_no_context: bool,
    /// The server's window, 8 to 15 bits.
    pub server_bits: u8,
    /// The client's.
    pub client_bits: u8,
}

impl Default for Compression {
    fn default() -> Self {
        Self { server_no_context: false, client_no_context: false, server_bits: 15, client_bits: 15 }
    }
}

/// Why an answer about extensions is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtensionError(pub String);

impl Compression {
    /// Reads a server's answer to an offer; none if it agreed to nothing.
    ///
    /// # Errors
    /// The answer has what was not offered, or what makes no sense.
    pub fn of_answer(answer: &str, offer: &str) -> Result<Option<Self>, ExtensionError> {
        let refuse = |why: &str| Err(ExtensionError(format!("Sec-WebSocket-Extensions `{answer}`: {why}")));
        let mut extensions = extensions(answer);
        let Some((name, parameters)) = extensions.next() else { return Ok(None) };
        if !name.eq_ignore_ascii_case(NAME) || !offers(offer, NAME) {
            return refuse("this extension was not offered");
        }
        if extensions.next().is_some() {
            return refuse("two extensions use the same bit");
        }
        match Self::of_parameters(&parameters) {
            // RFC 7692 §7.1.2.2: only an offer that has it allows it.
            Some(read) if read.client_bits < 15 && !offer.contains("client_max_window_bits") => {
                refuse("`client_max_window_bits` was not offered")
            }
            Some(read) => Ok(Some(read)),
            None => refuse("invalid parameters"),
        }
    }

    /// What a server agrees to, of what a client offers, with the text of its answer.
    #[must_use]
    pub fn of_offer(offer: &str) -> Option<(Self, String)> {
        let fits = |(name, parameters): (&str, Vec<(&str, Option<String>)>)| {
            name.eq_ignore_ascii_case(NAME).then(|| Self::of_parameters(&parameters)).flatten()
        };
        // Without a value the client leaves the choice; 15 bits need no word of it.
        let agreed = extensions(offer).find_map(fits)?;
        let mut answer = NAME.to_owned();
        for (is_there, text) in [
            (agreed.server_no_context, "; server_no_context_takeover".to_owned()),
            (agreed.client_no_context, "; client_no_context_takeover".to_owned()),
            (agreed.server_bits < 15, format!("; server_max_window_bits={}", agreed.server_bits)),
            (agreed.client_bits < 15, format!("; client_max_window_bits={}", agreed.client_bits)),
        ] {
            if is_there {
                answer.push_str(&text);
            }
        }
        Some((agreed, answer))
    }

    fn of_parameters(parameters: &[(&str, Option<String>)]) -> Option<Self> {
        let mut read = Self::default();
        let mut seen: Vec<&str> = Vec::new();
        for (name, value) in parameters {
            if seen.contains(name) {
                return None;
            }
            seen.push(name);
            match (*name, value.as_deref()) {
                ("server_no_context_takeover", None) => read.server_no_context = true,
                ("client_no_context_takeover", None) => read.client_no_context = true,
                ("server_max_window_bits", Some(bits)) => read.server_bits = window_bits(bits)?,
                ("client_max_window_bits", Some(bits)) => read.client_bits = window_bits(bits)?,
                ("client_max_window_bits", None) => {}
                _ => return None,
            }
        }
        Some(read)
    }

    /// How the client compresses: whether it keeps its context, and its window.
    pub(crate) fn of_client(self) -> (bool, u8) {
        (!self.client_no_context, self.client_bits)
    }

    /// How the server compresses.
    pub(crate) fn of_server(self) -> (bool, u8) {
        (!self.server_no_context, self.server_bits)
    }
}

/// 8 to 15, without a leading zero.
fn window_bits(text: &str) -> Option<u8> {
    let bits = text.parse().ok().filter(|bits| (8..=15).contains(bits));
    bits.filter(|_| !text.starts_with(['0', '+']))
}

fn offers(offer: &str, name: &str) -> bool {
    extensions(offer).any(|(known, _)| known.eq_ignore_ascii_case(name))
}

/// The extensions of a list, each with its parameters. No value of a known parameter has a comma or
/// a semicolon, so quotes need no care but their removal.
fn extensions(list: &str) -> impl Iterator<Item = (&str, Vec<(&str, Option<String>)>)> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty()).map(|part| {
        let mut parts = part.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let parameters = parts.map(|parameter| match parameter.split_once('=') {
            Some((name, value)) => (name.trim(), Some(value.trim().trim_matches('"').to_owned())),
            None => (parameter, None),
        });
        (name, parameters.collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_the_rfc_is_accepted() {
        assert_eq!(accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert_eq!(key(*b"the sample nonce"), "dGhlIHNhbXBsZSBub25jZQ==");
        assert!(has_token("keep-alive, Upgrade", "upgrade") && !has_token("Upgraded", "upgrade"));
    }

    #[test]
    fn servers_agree_to_what_they_know() {
        let agreed = |offer| Compression::of_offer(offer).map(|(_, answer)| answer);
        for (offer, wanted) in [
            ("permessage-deflate", Some("permessage-deflate")),
            ("x, permessage-deflate; client_max_window_bits", Some("permessage-deflate")),
            (
                "permessage-deflate; client_max_window_bits=9; server_no_context_takeover",
                Some("permessage-deflate; server_no_context_takeover; client_max_window_bits=9"),
            ),
            (
                "permessage-deflate; unknown, permessage-deflate; client_no_context_takeover",
                Some("permessage-deflate; client_no_context_takeover"),
            ),
            (
                "permessage-deflate; server_max_window_bits=\"10\"",
                Some("permessage-deflate; server_max_window_bits=10"),
            ),
            ("permessage-deflate; server_max_window_bits=7", None),
            ("permessage-deflate; server_max_window_bits=010", None),
            ("permessage-deflate; server_no_context_takeover=1", None),
            ("permessage-deflate; server_no_context_takeover; server_no_context_takeover", None),
            ("permessage-bzip2", None),
            ("", None),
        ] {
            assert_eq!(agreed(offer).as_deref(), wanted, "{offer}");
        }
    }

    #[test]
    fn clients_refuse_what_they_did_not_offer() {
        let read = |answer, offer| Compression::of_answer(answer, offer);
        let plain = Compression::default();
        assert_eq!(read("", COMPRESSION_OFFER), Ok(None));
        assert_eq!(read("permessage-deflate", COMPRESSION_OFFER), Ok(Some(plain)));
        let narrow = Compression { client_bits: 10, server_bits: 9, ..plain };
        let answer = "permessage-deflate; client_max_window_bits=10; server_max_window_bits=9";
        assert_eq!(read(answer, COMPRESSION_OFFER), Ok(Some(narrow)));
        assert!(read(answer, "permessage-deflate").is_err());
        assert!(read("permessage-deflate", "").is_err());
        assert!(read("permessage-deflate, permessage-deflate", COMPRESSION_OFFER).is_err());
        assert!(read("permessage-deflate; server_max_window_bits=16", COMPRESSION_OFFER).is_err());
        assert!(read("x-webkit-deflate-frame", COMPRESSION_OFFER).is_err());
    }
}
