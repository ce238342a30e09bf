//! The binomial distribution for fractional numbers of samples: correlated samples count for less
//! than one each.

/// The probability of at most `k` of `n` with probability `p` each: `I_{1-p}(n-k, k+1)` (NIST DLMF
/// 8.17.5).
pub(super) fn at_most(k: f64, n: f64, p: f64) -> f64 {
    if k >= n {
        return 1.0;
    }
    incomplete_beta(n - k, k + 1.0, 1.0 - p)
}

/// The probability of at least `k` of `n`: `I_p(k, n-k+1)`.
pub(super) fn at_least(k: f64, n: f64, p: f64) -> f64 {
    if k <= 0.0 {
        return 1.0;
    }
    incomplete_beta(k, n - k + 1.0, p)
}

/// The regularised incomplete beta function `I_x(a, b)` by its continued fraction (DLMF 8.17.22),
/// evaluated as Lentz does.
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges quickly below the mean; beyond, the symmetric one does.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp() / a;
    (front * fraction(a, b, x)).clamp(0.0, 1.0)
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const MOST_TERMS: u32 = 2000;
    let not_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut above = 1.0;
    let mut below = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut product = below;
    for term in 1..=MOST_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for part in [even, odd] {
            below = 1.0 / not_zero(1.0 + part * below);
            above = not_zero(1.0 + part / above);
            product *= below * above;
        }
        if (below * above - 1.0).abs() < 1e-13 {
            break;
        }
    }
    product
}

/// The logarithm of the gamma function for positive values: Stirling's series (DLMF 5.11.1) after a
/// shift to 10 and more.
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let square = x * x;
    let series =
        (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - shift
}

/// The normal distribution function, within 1.5e-7 (Abramowitz and Stegun 7.1.26).
pub(super) fn normal(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let poly = t
        * (0.254_829_592
            + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let beyond = 0.5 * poly * (-x * x).exp();
    if z < 0.0 { beyond } else { 1.0 - beyond }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Term by term.
    fn summed(k: u32, n: u32, p: f64) -> f64 {
        let mut term = (1.0 - p).powi(n.cast_signed());
        let mut sum = term;
        for at in 0..k {
            term *= f64::from(n - at) / f64::from(at + 1) * p / (1.0 - p);
            sum += term;
        }
        sum
    }

    #[test]
    fn sums_of_terms_are_the_oracle() {
        for n in [1, 2, 7, 50, 299, 1000] {
            for p in [0.001, 0.01, 0.05, 0.5, 0.9] {
                for k in [0, 1, 2, n / 10, n / 2].into_iter().filter(|k| *k < n) {
                    let have = at_most(f64::from(k), f64::from(n), p);
                    let want = summed(k, n, p);
                    assert!((have - want).abs() < 1e-9, "{k} of {n} at {p}: {have} {want}");
                    let above = at_least(f64::from(k + 1), f64::from(n), p);
                    assert!((above - (1.0 - want)).abs() < 1e-9, "{k} of {n} at {p}: {above}");
                }
            }
        }
    }

    #[test]
    fn the_ends_are_certain_and_huge_numbers_converge() {
        assert_eq!((at_most(5.0, 5.0, 0.3), at_least(0.0, 5.0, 0.3)), (1.0, 1.0));
        assert!((at_most(10_000.0, 1e6, 0.01) - 0.5).abs() < 0.01);
        assert!(at_most(9_000.0, 1e6, 0.01) < 1e-9 && at_least(11_000.0, 1e6, 0.01) < 1e-9);
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        for (z, want) in [(0.0, 0.5), (1.0, 0.841_345), (-1.644_854, 0.05), (3.0, 0.998_65)] {
            assert!((normal(z) - want).abs() < 1e-6, "{z}");
        }
    }
}
