//! The order of Java's hash maps, and so of the files and lines that JMeter writes from them.

/// The bin of a text in a map with `bins` bins, a power of two. A map is walked bin by bin, a bin
/// in the order of insertion.
pub fn bin(key: &str, bins: u32) -> u32 {
    let hash = key.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
    (hash ^ (hash >> 16)) & (bins - 1)
}

/// How many bins a `HashMap` has that was made for `expected` keys and got `keys`.
pub fn bins(expected: usize, keys: usize) -> u32 {
    let mut bins = expected.max(1).next_power_of_two();
    while keys * 4 > bins * 3 {
        bins *= 2;
    }
    u32::try_from(bins).unwrap_or(1 << 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_those_of_java() {
        assert_eq!(["summary", "all", "own", "again"].map(|key| bin(key, 16)), [0, 0, 7, 7]);
        assert_eq!([bins(2, 2), bins(3, 3), bins(4, 4), bins(1, 1)], [4, 4, 8, 2]);
    }
}
