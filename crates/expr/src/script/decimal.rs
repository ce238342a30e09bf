//! `java.math.BigDecimal` as far as Groovy's arithmetic on plan values needs it: up to 38 digits.

use std::cmp::Ordering;
use std::fmt;

/// `unscaled / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    unscaled: i128,
    scale: i32,
}

/// Digits that fit `i128` for certain.
const MOST_DIGITS: u32 = 38;

impl Decimal {
    pub(super) fn whole(value: i64) -> Self {
        Self { unscaled: i128::from(value), scale: 0 }
    }

    /// Digits with or without a point, and a sign.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let plain = whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit());
        if !plain || whole.len() + fraction.len() == 0 || whole.len() + fraction.len() > 30 {
            return None;
        }
        let unscaled: i128 = format!("{whole}{fraction}").parse().ok()?;
        Some(Self { unscaled: sign * unscaled, scale: fraction.len() as i32 })
    }

    pub(super) fn as_f64(&self) -> f64 {
        // By way of the text, as Java does: the nearest double.
        let text = format!("{}e{}", self.unscaled, -self.scale);
        text.parse().expect("digits and an exponent")
    }

    pub(super) fn is_zero(&self) -> bool {
        self.unscaled == 0
    }

    pub(super) fn negated(self) -> Self {
        Self { unscaled: -self.unscaled, ..self }
    }

    /// The whole part, as `intValue` and `longValue` take it.
    pub(super) fn whole_part(&self) -> Option<i64> {
        let power = 10_i128.checked_pow(self.scale.unsigned_abs())?;
        let whole = if self.scale >= 0 { self.unscaled / power } else { self.unscaled.checked_mul(power)? };
        i64::try_from(whole).ok()
    }

    /// The same number with more decimals.
    fn rescaled(self, scale: i32) -> Option<i128> {
        let power = 10_i128.checked_pow(u32::try_from(scale - self.scale).ok()?)?;
        self.unscaled.checked_mul(power)
    }

    fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let scale = self.scale.max(other.scale);
        Some((self.rescaled(scale)?, other.rescaled(scale)?, scale))
    }

    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        let (a, b, _) = self.aligned(other)?;
        Some(a.cmp(&b))
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let (a, b, scale) = self.aligned(other)?;
        Some(Self { unscaled: a.checked_add(b)?, scale })
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        Some(Self { unscaled: self.unscaled.checked_mul(other.unscaled)?, scale: self.scale + other.scale })
    }

    fn precision(&self) -> u32 {
        self.unscaled.unsigned_abs().checked_ilog10().map_or(1, |power| power + 1)
    }

    /// Groovy's `BigDecimalMath.divideImpl`: exact where that is possible, else ten decimals or more. None where the
    /// digits do not fit here, or by zero.
    pub(super) fn divided(self, by: Self) -> Option<Self> {
        if by.is_zero() {
            return None;
        }
        let preferred = self.scale - by.scale;
        if let Some(exact) = self.divided_exactly(by, preferred) {
            return Some(exact);
        }
        let precision = self.precision().max(by.precision()) + 10;
        let rounded = self.divided_to(by, precision)?;
        let most = self.scale.max(by.scale).max(10);
        if rounded.scale > most { rounded.rounded(most) } else { Some(rounded) }
    }

    /// The quotient with the fewest decimals, not fewer than Java prefers.
    fn divided_exactly(self, by: Self, preferred: i32) -> Option<Self> {
        let mut divisor = by.unscaled;
        let common = greatest_common_divisor(self.unscaled, divisor);
        divisor /= common;
        let (mut twos, mut fives) = (0_u32, 0_u32);
        while divisor % 2 == 0 {
            (divisor, twos) = (divisor / 2, twos + 1);
        }
        while divisor % 5 == 0 {
            (divisor, fives) = (divisor / 5, fives + 1);
        }
        if divisor.abs() != 1 {
            return None;
        }
        let more = twos.max(fives);
        let numerator = self.unscaled.checked_mul(10_i128.checked_pow(more)?)?;
        let exact = Self { unscaled: numerator / by.unscaled, scale: preferred + more as i32 };
        Some(exact.stripped(preferred))
    }

    fn stripped(mut self, least: i32) -> Self {
        while self.scale > least && self.unscaled % 10 == 0 {
            self = Self { unscaled: self.unscaled / 10, scale: self.scale - 1 };
        }
        self
    }

    /// The quotient rounded half up to `precision` digits.
    fn divided_to(self, by: Self, precision: u32) -> Option<Self> {
        // Shift so far that the quotient has at least one digit more than wanted.
        let shift = (precision + 1 + by.precision()).saturating_sub(self.precision());
        if self.precision() + shift > MOST_DIGITS {
            return None;
        }
        let quotient = self.unscaled.checked_mul(10_i128.checked_pow(shift)?)? / by.unscaled;
        let scale = self.scale - by.scale + shift as i32;
        let long = Self { unscaled: quotient, scale };
        let surplus = long.precision().saturating_sub(precision) as i32;
        long.rounded(scale - surplus)
    }

    /// Rounded half up to fewer decimals. A quotient that was cut has a digit behind the last to decide with.
    fn rounded(self, scale: i32) -> Option<Self> {
        let power = 10_i128.checked_pow(u32::try_from(self.scale - scale).ok()?)?;
        let (quotient, rest) = (self.unscaled / power, self.unscaled % power);
        let up = rest.abs() * 2 >= power;
        let unscaled = if up { quotient + self.unscaled.signum() } else { quotient };
        Some(Self { unscaled, scale })
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// `BigDecimal.toString`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.unscaled.unsigned_abs().to_string();
        if self.unscaled < 0 {
            f.write_str("-")?;
        }
        if self.scale == 0 {
            return f.write_str(&digits);
        }
        let adjusted = digits.len() as i32 - 1 - self.scale;
        if self.scale > 0 && adjusted >= -6 {
            let scale = self.scale as usize;
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = digits.split_at(digits.len() - scale);
            return write!(f, "{whole}.{fraction}");
        }
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(f, "{first}{point}{rest}E{adjusted:+}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        Decimal::parse(text).expect(text)
    }

    #[test]
    fn quotients_are_groovys() {
        for (a, b, wanted) in [
            ("1", "2", "0.5"),
            ("10", "5", "2"),
            ("100", "10", "10"),
            ("10.0", "4", "2.5"),
            ("10", "4", "2.5"),
            ("1", "3", "0.3333333333"),
            ("2", "3", "0.6666666667"),
            ("1000", "3", "333.3333333333"),
            ("100", "7.0", "14.2857142857"),
            ("10", "3.0", "3.3333333333"),
            ("-7", "2", "-3.5"),
            ("1", "8", "0.125"),
            ("1", "0.5", "2"),
        ] {
            assert_eq!(d(a).divided(d(b)).map(|q| q.to_string()).as_deref(), Some(wanted), "{a}/{b}");
        }
        assert_eq!(d("1").divided(d("0.0")), None);
    }

    #[test]
    fn texts_and_sums() {
        for text in ["0.3", "1.50", "-0.00001", "12345678901234567890.5", "0"] {
            assert_eq!(d(text).to_string(), text);
        }
        assert_eq!(d("0.0000001").to_string(), "1E-7");
        assert_eq!(d("1.10").plus(d("2")).map(|s| s.to_string()).as_deref(), Some("3.10"));
        assert_eq!(d("0.1").times(d("3")).map(|s| s.to_string()).as_deref(), Some("0.3"));
        assert_eq!(d("1.5").compare(d("1.50")), Some(Ordering::Equal));
        assert_eq!((d("-2.7").whole_part(), d("9").whole_part()), (Some(-2), Some(9)));
        assert_eq!(Decimal::parse("1.2.3"), None);
    }
}
