//! Base64 as commons-codec writes and reads it (`__base64Encode`, `__base64Decode`).

use base64::Engine as _;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};

pub(crate) fn encode(text: &str) -> String {
    STANDARD.encode(text)
}

/// Both alphabets are read, padding may be missing, and what belongs to neither is skipped, as
/// commons-codec does; what follows the first `=` is not read.
pub(crate) fn decode(text: &str) -> String {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let mut symbols: Vec<u8> = text.bytes().take_while(|byte| *byte != b'=').filter_map(symbol).collect();
    // A single symbol at the end holds less than a byte.
    if symbols.len() % 4 == 1 {
        symbols.pop();
    }
    let bytes = GeneralPurpose::new(&ALPHABET, config).decode(symbols).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn symbol(byte: u8) -> Option<u8> {
    match byte {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        b'+' | b'/' => Some(byte),
        _ => byte.is_ascii_alphanumeric().then_some(byte),
    }
}
