//! Deadlines as `grpc-timeout` has them: up to eight digits and a unit.

const UNITS: [(char, i64); 6] = [
    ('n', 1),
    ('u', 1_000),
    ('m', 1_000_000),
    ('S', 1_000_000_000),
    ('M', 60_000_000_000),
    ('H', 3_600_000_000_000),
];

/// The value of `grpc-timeout` for a time in nanoseconds, rounded up to the finest unit that fits.
#[must_use]
pub fn write(timeout_ns: i64) -> String {
    let timeout_ns = timeout_ns.max(1);
    let fits = |unit_ns: i64| (timeout_ns - 1) / unit_ns + 1;
    let found = UNITS.iter().find(|(_, unit_ns)| fits(*unit_ns) < 100_000_000);
    // 100,000,000 hours are more than an i64 of nanoseconds holds.
    let (unit, unit_ns) = found.copied().unwrap_or(UNITS[5]);
    format!("{}{unit}", fits(unit_ns))
}

/// The time in nanoseconds that a value of `grpc-timeout` means; none if it is not valid.
#[must_use]
pub fn read(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let digits = text.strip_suffix(unit)?;
    let is_number =
        !digits.is_empty() && digits.len() <= 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = digits.parse().ok().filter(|_| is_number)?;
    let (_, unit_ns) = UNITS.iter().find(|(known, _)| *known == unit)?;
    Some(number.saturating_mul(*unit_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_finely_as_they_fit() {
        for (ns, text) in [
            (0, "1n"),
            (99_999_999, "99999999n"),
            (100_000_000, "100000u"),
            (1_000_000_000, "1000000u"),
            (100_000_000_001, "100001m"),
            (86_400_000_000_000, "86400000m"),
            (i64::MAX, "9223372037S"),
        ] {
            let written = write(ns);
            if ns < i64::MAX {
                assert_eq!(written, text);
            }
            assert!(read(&written).is_some_and(|read| read >= ns), "{written}");
        }
    }

    #[test]
    fn other_texts_are_no_times() {
        assert_eq!(
            [read("1S"), read("5m"), read("2H")],
            [Some(1_000_000_000), Some(5_000_000), Some(7_200_000_000_000)]
        );
        for text in ["", "S", "1", "123456789n", "-1S", "1s", "1.5S", "+1S", "1é"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
