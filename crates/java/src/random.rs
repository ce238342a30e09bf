//! `java.util.Random`: a plan with a seed gets the same numbers as in JMeter.

/// The generator (48-bit linear congruential, as its documentation defines it).
#[derive(Clone, Copy, Debug)]
pub struct JavaRandom {
    state: u64,
}

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    /// The generator with that seed.
    pub fn new(seed: i64) -> Self {
        Self { state: (seed as u64 ^ MULTIPLIER) & MASK }
    }

    fn next(&mut self, bits: u32) -> i32 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        (self.state >> (48 - bits)) as i32
    }

    /// `nextDouble()`: from 0, below 1.
    pub fn next_double(&mut self) -> f64 {
        let high = i64::from(self.next(26));
        let low = i64::from(self.next(27));
        ((high << 27) + low) as f64 / (1_i64 << 53) as f64
    }

    /// `nextInt(bound)`: from 0 to `bound - 1`; `bound` is positive.
    pub fn next_int(&mut self, bound: i32) -> i32 {
        let mut bits = self.next(31);
        let last = bound - 1;
        if bound & last == 0 {
            return ((i64::from(bound) * i64::from(bits)) >> 31) as i32;
        }
        loop {
            let value = bits % bound;
            if bits.wrapping_sub(value).wrapping_add(last) >= 0 {
                return value;
            }
            bits = self.next(31);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeded_numbers_are_those_of_the_java_library() {
        // Printed by OpenJDK 17: new Random(seed), six times nextInt(bound).
        let facts: [(i64, i32, [i32; 6]); 4] = [
            (10, 99_999, [2799, 1950, 32_829, 32_157, 36_517, 65_890]),
            (2, 999_999_999, [570_126_109, 630_021_372, 935_844_041, 8_925_067, 66_918_390, 835_413_351]),
            (-5, 64, [17, 23, 21, 21, 24, 44]),
            (
                42,
                2_147_483_647,
                [1_562_431_130, 117_392_763, 1_467_211_248, 102_948_884, 662_969_970, 2_023_087_525],
            ),
        ];
        for (seed, bound, wanted) in facts {
            let mut random = JavaRandom::new(seed);
            assert_eq!(wanted.map(|_| random.next_int(bound)), wanted, "seed {seed}, bound {bound}");
        }
    }
}
