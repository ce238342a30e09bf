//! Decimal numbers of any length: the comparison and formatting of `java.math.BigDecimal`, and
//! Java's text of doubles.

use std::cmp::Ordering;
use std::fmt;

/// A decimal number: its digits divided by ten to the power of its scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    /// Without leading zeros; empty for zero.
    digits: String,
    scale: i64,
    /// The number, where it is whole, written as such, and certain to fit.
    small: Option<i64>,
}

impl Decimal {
    /// Parses as `new BigDecimal(String)`; none where that throws.
    pub fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let unsigned = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let digits = digits.trim_start_matches('0').to_owned();
        let negative = mantissa.starts_with('-') && !digits.is_empty();
        let scale = fraction.len() as i64 - i64::from(exponent);
        let magnitude = match digits.len() {
            _ if scale != 0 => None,
            0 => Some(0),
            1..=18 => digits.parse::<i64>().ok(),
            _ => None,
        };
        let small = magnitude.map(|magnitude| if negative { -magnitude } else { magnitude });
        Some(Self { negative, digits, scale, small })
    }

    /// `BigDecimal.intValue` of small numbers: the whole part; none beyond 32 bits.
    pub fn to_i32(&self) -> Option<i32> {
        let length = self.digits.len() as i64 - self.scale;
        let whole = match usize::try_from(length) {
            Ok(length @ 1..=10) => format!("{:0<length$.length$}", self.digits),
            Ok(0) | Err(_) => "0".to_owned(),
            Ok(_) if self.digits.is_empty() => "0".to_owned(),
            Ok(_) => return None,
        };
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{whole}").parse().ok()
    }

    /// The number, where it is whole, written as such, and certain to fit.
    pub fn to_i64(&self) -> Option<i64> {
        self.small
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        let places = |number: &Self| number.digits.len() as i64 - number.scale;
        let significant = |number: &'_ Self| number.digits.trim_end_matches('0').to_owned();
        places(self).cmp(&places(other)).then_with(|| significant(self).cmp(&significant(other)))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.compare(other))
    }
}

impl Decimal {
    /// `BigDecimal.compareTo`: the scale does not matter.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) if other.negative => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, _) if self.negative != other.negative || other.digits.is_empty() => {
                if self.negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (false, _) if self.negative => other.magnitude(self),
            (false, _) => self.magnitude(other),
        }
    }
}

/// `BigDecimal.toString`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.digits.is_empty() { "0" } else { &self.digits };
        if self.negative {
            f.write_str("-")?;
        }
        let exponent = digits.len() as i64 - 1 - self.scale;
        if self.scale == 0 {
            f.write_str(digits)
        } else if self.scale > 0 && exponent >= -6 {
            let scale = self.scale as usize;
            let padded = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at(padded.len() - scale);
            write!(f, "{whole}.{fraction}")
        } else {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            write!(f, "{first}{point}{rest}")?;
            if exponent == 0 { Ok(()) } else { write!(f, "E{exponent:+}") }
        }
    }
}

/// `Double.toString`.
pub(super) fn double_text(number: f64) -> String {
    // Java gives two digits of the least number.
    if number.abs().to_bits() == 1 {
        return if number > 0.0 { "4.9E-324" } else { "-4.9E-324" }.to_owned();
    }
    swell_java::format::double_to_string(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by OpenJDK 17.
    #[test]
    fn numbers_are_written_as_the_java_library_writes_them() {
        for (text, wanted) in [
            ("0", "0"),
            ("-0", "0"),
            ("007", "7"),
            ("8.95", "8.95"),
            ("-8.950", "-8.950"),
            ("0.00", "0.00"),
            (".5", "0.5"),
            ("5.", "5"),
            ("1e3", "1E+3"),
            ("1.5e3", "1.5E+3"),
            ("1.5e1", "15"),
            ("1e-6", "0.000001"),
            ("1e-7", "1E-7"),
            ("12e-8", "1.2E-7"),
            ("1234567890123456789e3", "1.234567890123456789E+21"),
            ("0e5", "0E+5"),
            ("0e-9", "0E-9"),
        ] {
            assert_eq!(Decimal::parse(text).expect(text).to_string(), wanted, "{text}");
        }
        for text in ["", "-", ".", "e5", "1e", "1e+", "1-", "--1", "1.2.3", "x", "1e99999999999"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        for (number, wanted) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (0.001, "0.001"),
            (0.0001, "1.0E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (12_345_678.9, "1.23456789E7"),
            (1e21, "1.0E21"),
            (-1.5e-7, "-1.5E-7"),
            (f64::INFINITY, "Infinity"),
        ] {
            assert_eq!(double_text(number), wanted);
        }
    }

    #[test]
    fn numbers_compare_by_value() {
        let ordered =
            ["-1e3", "-999.9", "-1", "-0.5", "0", "1e-9", "0.5", "1", "1.01", "8.95", "9", "10", "123e5"];
        for (i, a) in ordered.iter().enumerate() {
            for (j, b) in ordered.iter().enumerate() {
                let found = Decimal::parse(a).expect(a).compare(&Decimal::parse(b).expect(b));
                assert_eq!(found, i.cmp(&j), "{a} {b}");
            }
        }
        for (a, b) in [("1", "1.000"), ("0", "0.0"), ("-0", "0"), ("1e2", "100"), ("0.10", "1e-1")] {
            let a = Decimal::parse(a).expect(a);
            let b = Decimal::parse(b).expect(b);
            assert_eq!(a.compare(&b), Ordering::Equal);
        }
    }

    #[test]
    fn whole_parts_are_cut() {
        for (text, wanted) in [
            ("3", Some(3)),
            ("3.9", Some(3)),
            ("-3.9", Some(-3)),
            ("0.1", Some(0)),
            ("1e2", Some(100)),
            ("1e10", None),
            ("0e99", Some(0)),
            ("99999999999", None),
        ] {
            assert_eq!(Decimal::parse(text).expect(text).to_i32(), wanted, "{text}");
        }
        for (text, wanted) in [
            ("0", Some(0)),
            ("-007", Some(-7)),
            ("999999999999999999", Some(999_999_999_999_999_999)),
            ("1000000000000000000", None),
            ("1.0", None),
            ("1e2", None),
        ] {
            assert_eq!(Decimal::parse(text).expect(text).to_i64(), wanted, "{text}");
        }
    }
}
