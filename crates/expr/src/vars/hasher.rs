//! The hash of a name that stands in the plan. Names that servers make are only looked up, never put in, so nobody can fill a table with
//! names of one hash: it need not be the slow one of the standard library.

use std::hash::Hasher;

/// Takes eight bytes at a time.
#[derive(Debug, Default)]
pub(super) struct NameHasher(u64);

/// 2^64 divided by the golden ratio, as in Fibonacci hashing.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl NameHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for NameHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks();
        for eight in eights {
            self.add(u64::from_le_bytes(*eight));
        }
        if !rest.is_empty() {
            self.add(rest.iter().fold(rest.len() as u64, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    /// What stands behind each text.
    #[inline]
    fn write_u8(&mut self, byte: u8) {
        self.0 ^= u64::from(byte);
    }

    /// The low bits, by which a place is chosen, depend on all others.
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::Hash;

    fn hash(name: &str) -> u64 {
        let mut hasher = NameHasher::default();
        name.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn names_that_are_alike_have_hashes_that_are_not() {
        let endings = ["", "_1", "_2", "_g", "_g0", "_matchNr", "_ALL"];
        let bases = (0..2_000).flat_map(|n| [format!("v{n}"), format!("a_longer_name_{n}_of_a_variable")]);
        let names: Vec<String> =
            bases.flat_map(|base| endings.map(|ending| format!("{base}{ending}"))).collect();
        let hashes: HashSet<u64> = names.iter().map(|name| hash(name)).collect();
        assert_eq!(hashes.len(), names.len());
        // The places in a table of twice as many, and the seven bits that are compared first.
        let places: HashSet<u64> = hashes.iter().map(|hash| hash % 65_536).collect();
        assert!(places.len() > names.len() * 7 / 10, "{} places of {} names", places.len(), names.len());
        assert_eq!(hashes.iter().map(|hash| hash >> 57).collect::<HashSet<_>>().len(), 128);
    }
}
