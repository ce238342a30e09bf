//! Quantiles of the normal and of Student's distribution.

/// The value that a standard normal number exceeds with a probability of `tail`, 0 < tail < 0.5,
/// within 0.0005 (Abramowitz and Stegun, *Handbook of Mathematical Functions*, 26.2.23).
fn normal(tail: f64) -> f64 {
    let t = (-2.0 * tail.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - above / below
}

/// The same of Student's distribution with that number of degrees of freedom (ibid. 26.7.5); good
/// from 9 on.
pub(super) fn student(tail: f64, freedom: usize) -> f64 {
    let z = normal(tail);
    let v = freedom.max(1) as f64;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / v + second / v.powi(2) + third / v.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_tables() {
        for (tail, freedom, table) in [
            (0.025, 9, 2.262),
            (0.025, 63, 1.998),
            (0.005, 20, 2.845),
            (0.0005, 30, 3.646),
            (0.0005, 9, 4.781),
            (0.000_05, 100, 4.053),
        ] {
            let found = student(tail, freedom);
            assert!((found - table).abs() < 0.02, "{tail} {freedom}: {found} for {table}");
        }
    }
}
