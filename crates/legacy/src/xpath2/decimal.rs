//! `xs:decimal`: 18 places behind the point, which is how far Saxon divides.

use std::fmt;

const SCALE: i128 = 1_000_000_000_000_000_000;

/// A number times 10^18.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decimal(i128);

impl Decimal {
    pub(super) fn of_integer(value: i128) -> Option<Self> {
        value.checked_mul(SCALE).map(Self)
    }

    /// Digits with a point, after a sign perhaps. Places that are too many are cut.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = whole.bytes().chain(part.bytes()).all(|b| b.is_ascii_digit());
        if !all_digits || (whole.is_empty() && part.is_empty()) {
            return None;
        }
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let part: i128 = format!("{part:0<18.18}").parse().ok()?;
        let value = whole.checked_mul(SCALE)?.checked_add(part)?;
        Some(Self(if negative { -value } else { value }))
    }

    pub(super) fn of_double(value: f64) -> Option<Self> {
        Self::parse(&format!("{value}"))
    }

    pub(super) fn to_double(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// Without what is behind the point.
    pub(super) fn whole(self) -> i128 {
        self.0 / SCALE
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    pub(super) fn minus(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        let (whole, part) = (self.0 / SCALE, self.0 % SCALE);
        let (other_whole, other_part) = (other.0 / SCALE, other.0 % SCALE);
        let product = whole.checked_mul(other.0)?.checked_add(part.checked_mul(other_whole)?)?;
        product.checked_add(part * other_part / SCALE).map(Self)
    }

    /// Rounded at the last place; none for a division by zero.
    pub(super) fn divided_by(self, other: Self) -> Option<Self> {
        let divisor = other.0.checked_abs().filter(|&divisor| divisor != 0)?;
        let mut rest = self.0.checked_abs()?;
        let mut quotient = rest / divisor;
        rest %= divisor;
        for _ in 0..18 {
            rest = rest.checked_mul(10)?;
            quotient = quotient.checked_mul(10)?.checked_add(rest / divisor)?;
            rest %= divisor;
        }
        if rest > divisor / 2 {
            quotient += 1;
        }
        Some(Self(if (self.0 < 0) == (other.0 < 0) { quotient } else { -quotient }))
    }

    pub(super) fn modulo(self, other: Self) -> Option<Self> {
        self.0.checked_rem(other.0).map(Self)
    }

    pub(super) fn abs(self) -> Self {
        Self(self.0.abs())
    }

    pub(super) fn floor(self) -> Self {
        Self(self.0.div_euclid(SCALE) * SCALE)
    }

    pub(super) fn ceiling(self) -> Self {
        Self(-(-self.0).div_euclid(SCALE) * SCALE)
    }

    /// Rounded to that many places, halves up.
    pub(super) fn rounded(self, places: i64) -> Self {
        let unit = match places {
            ..0 => SCALE.saturating_mul(10_i128.saturating_pow(places.unsigned_abs().min(20) as u32)),
            0..18 => SCALE / 10_i128.pow(places as u32),
            _ => return self,
        };
        Self(self.0.saturating_add(unit / 2).div_euclid(unit).saturating_mul(unit))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = ((self.0 / SCALE).unsigned_abs(), (self.0 % SCALE).unsigned_abs());
        let sign = if self.0 < 0 { "-" } else { "" };
        if part == 0 {
            return write!(f, "{sign}{whole}");
        }
        let part = format!("{part:018}");
        write!(f, "{sign}{whole}.{}", part.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_quotients() {
        let of = |text: &str| Decimal::parse(text).expect("it is a number");
        for (found, wanted) in [
            (of("0.1").plus(of("0.2")), "0.3"),
            (of("1").divided_by(of("3")), "0.333333333333333333"),
            (of("2").divided_by(of("-3")), "-0.666666666666666667"),
            (of("100").times(of("1.1")), "110"),
            (of("-1.5").times(of("-2.5")), "3.75"),
            (of("-7.5").modulo(of("2")), "-1.5"),
            (Some(of("2.567").rounded(2)), "2.57"),
            (Some(of("-2.5").rounded(0)), "-2"),
            (Some(of("1250").rounded(-2)), "1300"),
            (Some(of("-1.2").floor()), "-2"),
            (Some(of("-1.2").ceiling()), "-1"),
            (Some(of(".5")), "0.5"),
        ] {
            assert_eq!(found.expect("it is in range").to_string(), wanted);
        }
        assert_eq!(of("1").divided_by(of("0")), None);
        assert_eq!(Decimal::parse("1e3"), None);
        assert_eq!(Decimal::parse(""), None);
    }
}
