//! Durations in the form `50ms`, `1.5s`, `1h30m`.

/// Units with their length in nanoseconds.
const UNITS: [(&str, f64); 10] = [
    ("ns", 1.0),
    ("us", 1e3),
    ("\u{b5}s", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("sec", 1e9),
    ("m", 60e9),
    ("min", 60e9),
    ("h", 3600e9),
    ("d", 86_400e9),
];

/// The length of a duration in nanoseconds, rounded: numbers with units, one after the other, or a
/// number alone, which counts units of `bare_unit_ns`. None if it is none, or longer than 292
/// years.
pub fn parse_duration_ns(text: &str, bare_unit_ns: f64) -> Option<i64> {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let ns = if is_number(text) { text.parse::<f64>().ok()? * bare_unit_ns } else { sum_of_parts(text)? };
    (ns < i64::MAX as f64).then(|| ns.round() as i64)
}

fn sum_of_parts(mut rest: &str) -> Option<f64> {
    let mut total_ns = 0.0;
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit() && c != '.')?);
        let (unit, after) = after.split_at(after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len()));
        let (_, unit_ns) = UNITS.iter().find(|(name, _)| *name == unit)?;
        total_ns += number.parse::<f64>().ok()? * unit_ns;
        rest = after;
    }
    Some(total_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, wanted_ns) in [
            ("0", 0),
            ("50", 50_000_000),
            ("0.5", 500_000),
            ("50ms", 50_000_000),
            ("1.5s", 1_500_000_000),
            ("200us", 200_000),
            ("200\u{b5}s", 200_000),
            ("7ns", 7),
            ("2m", 120_000_000_000),
            ("2min", 120_000_000_000),
            ("1h30m", 5_400_000_000_000),
            ("1d", 86_400_000_000_000),
        ] {
            assert_eq!(parse_duration_ns(text, 1e6), Some(wanted_ns), "{text}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "", "ms", "-1s", "+1s", "1e3ms", "1,5s", "inf", "NaN", "5 s", "soon", "1.2.3s", "10x", "1h 30m",
            ".", "106752d",
        ] {
            assert_eq!(parse_duration_ns(text, 1e6), None, "{text}");
        }
    }
}
