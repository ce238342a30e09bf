//! `java.text.DecimalFormat` with the symbols of English.

use super::decimal_pattern::{Affixes, Pattern, parse};

/// A parsed pattern, such as `000`, `#,##0.00` or `'user'000`. Exponents and currencies are not
/// supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecimalFormat {
    pattern: Pattern,
}

impl DecimalFormat {
    /// Parses a pattern. The error says what is wrong with it.
    pub fn new(pattern: &str) -> Result<Self, String> {
        Ok(Self { pattern: parse(pattern)? })
    }

    /// Formats a whole number.
    pub fn format_i64(&self, value: i64) -> String {
        let scaled = i128::from(value) * i128::from(self.pattern.multiplier);
        self.assemble(scaled < 0, &scaled.unsigned_abs().to_string(), "")
    }

    /// Formats a number, rounded half to even on its exact value.
    pub fn format_f64(&self, value: f64) -> String {
        if value.is_nan() {
            return "NaN".to_owned();
        }
        let scaled = value * self.pattern.multiplier as f64;
        if scaled.is_infinite() {
            return self.surround(scaled < 0.0, "∞");
        }
        let shortest = format!("{}", scaled.abs());
        let decimals = shortest.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let digits = if decimals <= self.pattern.max_fraction {
            shortest
        } else {
            format!("{:.*}", self.pattern.max_fraction, scaled.abs())
        };
        let (integer, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
        self.assemble(scaled.is_sign_negative(), integer, fraction)
    }

    fn assemble(&self, negative: bool, integer: &str, fraction: &str) -> String {
        let pattern = &self.pattern;
        let fraction = fraction.trim_end_matches('0');
        let zeros = pattern.min_fraction.saturating_sub(fraction.len());
        let fraction = format!("{fraction}{}", "0".repeat(zeros));
        let integer = integer.trim_start_matches('0');
        let mut integer = format!("{integer:0>width$}", width = pattern.min_integer);
        if integer.is_empty() && fraction.is_empty() {
            integer.push('0');
        }
        let mut number = grouped(&integer, pattern.group);
        if pattern.point_always || !fraction.is_empty() {
            number.push('.');
        }
        self.surround(negative, &(number + &fraction))
    }

    fn surround(&self, negative: bool, number: &str) -> String {
        let Affixes { prefix, suffix } = &self.pattern.positive;
        match &self.pattern.negative {
            Some(other) if negative && other != &self.pattern.positive => {
                format!("{}{number}{}", other.prefix, other.suffix)
            }
            _ if negative => format!("-{prefix}{number}{suffix}"),
            _ => format!("{prefix}{number}{suffix}"),
        }
    }
}

fn grouped(digits: &str, size: Option<usize>) -> String {
    let Some(size) = size else { return digits.to_owned() };
    let mut out = String::with_capacity(digits.len() + digits.len() / size);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(size) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
