//! Names of runs.

use rand::Rng as _;

/// Digits without those that look alike.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The name of a run: 13 characters, the first seven from the time in seconds, so that names sort
/// by it, six by chance.
pub fn run_id(now_s: u64) -> String {
    let mut random = rand::rng();
    let time = (0..7).rev().map(|place| (now_s >> (5 * place)) & 31);
    let chance = (0..6).map(|_| random.random_range(0..32_u64));
    time.chain(chance.collect::<Vec<_>>()).map(|digit| char::from(DIGITS[digit as usize])).collect()
}

/// A password for a run: 32 characters, 160 bits by chance.
pub(crate) fn secret() -> String {
    let mut random = rand::rng();
    (0..32).map(|_| char::from(DIGITS[random.random_range(0..32_usize)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_time_and_differ_within_a_second() {
        let earlier = run_id(1_800_000_000);
        let later = run_id(1_800_000_001);
        let again = run_id(1_800_000_001);
        assert!(earlier < later && later != again, "{earlier} {later} {again}");
        assert_eq!((later.len(), secret().len()), (13, 32));
    }
}
