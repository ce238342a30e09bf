//! Durations as people write them: `50ms`, `1.5s`, `200us`.

/// The longest delay, one hour in nanoseconds.
pub(crate) const DELAY_MAX_NS: i64 = 3_600_000_000_000;

/// Longest suffixes first, so that `ms` is not read as `s`.
const UNITS: [(&str, f64); 8] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("min", 60e9),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3600e9),
];

/// A duration in nanoseconds, rounded; a number without a unit is in milliseconds, as in JMeter.
///
/// # Errors
/// A line that says what is wrong and what would be right.
pub(crate) fn parse_duration(text: &str) -> Result<i64, String> {
    let (number, unit_ns) = UNITS
        .iter()
        .find_map(|(suffix, unit_ns)| text.strip_suffix(suffix).map(|number| (number, *unit_ns)))
        .unwrap_or((text, 1e6));
    let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match number.parse::<f64>() {
        Ok(value) if plain && value * unit_ns <= DELAY_MAX_NS as f64 => Ok((value * unit_ns).round() as i64),
        Ok(_) if plain => Err(format!("{text} is over one hour")),
        _ => Err(format!("{text:?} is not a duration; write it as 50ms, 1.5s or 200us")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, wanted_ns) in [
            ("0", 0),
            ("50", 50_000_000),
            ("50ms", 50_000_000),
            ("1.5s", 1_500_000_000),
            ("200us", 200_000),
            ("200µs", 200_000),
            ("7ns", 7),
            ("2m", 120_000_000_000),
            ("2min", 120_000_000_000),
            ("1h", DELAY_MAX_NS),
        ] {
            assert_eq!(parse_duration(text), Ok(wanted_ns), "{text}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "ms", "-1s", "+1s", "1e3ms", "1,5s", "inf", "NaN", "5 s", "soon", "61min", "1.2.3s"]
        {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
