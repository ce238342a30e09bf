//! Masks of client frames (RFC 6455 §5.3).

/// Applies a mask in place; `offset`: the position of the first byte in the payload.
pub(crate) fn apply(bytes: &mut [u8], mask: [u8; 4], offset: usize) {
    let turned: [u8; 4] = std::array::from_fn(|i| mask[(offset + i) % 4]);
    let four = u32::from_ne_bytes(turned);
    let wide = (u64::from(four) << 32 | u64::from(four)).to_ne_bytes();
    let wide = u64::from_ne_bytes(wide);
    let (words, rest) = bytes.as_chunks_mut::<8>();
    for word in words {
        *word = (u64::from_ne_bytes(*word) ^ wide).to_ne_bytes();
    }
    for (i, byte) in rest.iter_mut().enumerate() {
        *byte ^= turned[i % 4];
    }
}

/// Masks of one connection, from a seed.
///
/// They are not secret: a load test sends bytes that its own plan chose, so nothing between has to
/// be protected from them.
#[derive(Clone, Debug)]
pub struct MaskKeys(u64);

impl MaskKeys {
    /// Keys that follow from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // The generator cannot leave 0.
        Self(seed | 1)
    }

    /// The next one (xorshift64).
    pub fn key(&mut self) -> [u8; 4] {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) as u32).to_ne_bytes()
    }

    /// The sixteen bytes of a handshake's key.
    pub fn nonce(&mut self) -> [u8; 16] {
        let mut nonce = [0; 16];
        for part in nonce.as_chunks_mut::<4>().0 {
            *part = self.key();
        }
        nonce
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_applied_byte_by_byte_from_any_offset() {
        let mask = [1, 2, 4, 8];
        for offset in 0..9 {
            for length in 0..40_usize {
                let mut bytes: Vec<u8> = (0..length as u8).collect();
                let plain: Vec<u8> =
                    bytes.iter().enumerate().map(|(i, byte)| byte ^ mask[(offset + i) % 4]).collect();
                apply(&mut bytes, mask, offset);
                assert_eq!(bytes, plain, "{offset} {length}");
            }
        }
    }

    #[test]
    fn keys_differ_from_each_other_and_by_their_seed() {
        let mut keys = MaskKeys::new(7);
        let first = keys.key();
        assert_ne!(first, keys.key());
        assert_ne!(first, MaskKeys::new(9).key());
        assert_eq!(first, MaskKeys::new(7).key());
    }
}
