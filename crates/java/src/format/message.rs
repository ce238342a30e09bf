//! Numbers as `MessageFormat` writes them.

//! Numbers as `MessageFormat` writes them.

/// A whole number as `MessageFormat` writes it: groups of three digits.
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0 {
        out.push('-');
    }
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_format_groups_digits() {
        for (number, wanted) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (-1234, "-1,234"),
            (-123, "-123"),
            (1_234_567, "1,234,567"),
            (i64::MIN, "-9,223,372,036,854,775,808"),
        ] {
            assert_eq!(grouped(number), wanted);
        }
    }
}
