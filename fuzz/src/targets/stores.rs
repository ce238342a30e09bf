//! Key stores.

use sha1::{Digest as _, Sha1};

/// The password of the seeds.
const PASSWORD: &str = "secret1";

/// A key store of either kind. For Java's format, the checksum is corrected first, as an attacker
/// would do.
pub(super) fn key_stores(input: &[u8]) {
    let found = swell_http::fuzz::key_store(input, PASSWORD);
    assert!(found.is_none_or(|names| names.len() <= input.len()));
    if input.starts_with(&[0xFE, 0xED, 0xFE, 0xED]) && input.len() > 20 {
        let password: Vec<u8> = PASSWORD.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let content = &input[..input.len() - 20];
        let sum = Sha1::new()
            .chain_update(password)
            .chain_update(b"Mighty Aphrodite")
            .chain_update(content)
            .finalize();
        std::hint::black_box(swell_http::fuzz::key_store(&[content, &sum[..]].concat(), PASSWORD));
    }
}
