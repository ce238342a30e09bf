//! Numbers for people.

/// Milliseconds in at most six characters: two decimals below 100, one below 1,000, none above;
/// seconds from 1,000 s on.
pub fn ms(value: f64) -> String {
    match value {
        v if v < 99.995 => format!("{v:.2}"),
        v if v < 999.95 => format!("{v:.1}"),
        v if v < 999_999.5 => format!("{v:.0}"),
        v => format!("{:.0}s", v / 1000.0),
    }
}

/// A rate: two decimals below 10, one below 1,000, none above.
pub fn rate(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 999.95 => format!("{v:.1}"),
        v => count(v.round() as u64),
    }
}

/// A decimal number without zeros at the end of its fraction.
pub fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// A count with commas between thousands.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Seconds as `h:mm:ss`, or `0:07.5` below a minute.
pub fn duration(seconds: f64) -> String {
    if seconds < 59.95 {
        return format!("0:{seconds:04.1}");
    }
    let whole = seconds.round() as u64;
    let hours = whole / 3600;
    let minutes = whole / 60 % 60;
    let rest = whole % 60;
    if hours > 0 { format!("{hours}:{minutes:02}:{rest:02}") } else { format!("{minutes}:{rest:02}") }
}

/// Seconds in the unit that fits, rounded up so that it is enough: `40 s`, `12 min`, `3.5 h`, `2.1
/// days`; beyond a month `more than 30 days`.
pub fn span(seconds: f64) -> String {
    const UNITS: [(f64, f64, &str); 4] = [
        (120.0, 1.0, "s"),
        (7200.0, 60.0, "min"),
        (48.0 * 3600.0, 3600.0, "h"),
        (30.0 * 86400.0, 86400.0, "days"),
    ];
    let Some((_, unit_s, name)) = UNITS.iter().find(|(below, ..)| seconds < *below) else {
        return "more than 30 days".to_owned();
    };
    let tenths = if *unit_s >= 3600.0 { 10.0 } else { 1.0 };
    format!("{} {name}", (seconds / unit_s * tenths).ceil() / tenths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_fit_six_characters() {
        let table = [
            (0.0, "0.00"),
            (0.004, "0.00"),
            (12.345, "12.35"),
            (99.996, "100.0"),
            (999.96, "1000"),
            (123_456.7, "123457"),
            (3_600_000.0, "3600s"),
        ];
        for (value, text) in table {
            assert_eq!(ms(value), text);
            assert!(text.len() <= 6);
        }
    }

    #[test]
    fn rates_counts_and_durations() {
        assert_eq!([0.5, 12.34, 999.96, 12_345.6].map(rate), ["0.50", "12.3", "1,000", "12,346"]);
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [0.0, 7.46, 59.96, 61.4, 3725.0].map(duration),
            ["0:00.0", "0:07.5", "1:00", "1:01", "1:02:05"]
        );
    }

    #[test]
    fn spans_have_the_unit_that_fits() {
        let table = [
            (0.2, "1 s"),
            (39.5, "40 s"),
            (700.0, "12 min"),
            (12_500.0, "3.5 h"),
            (180_000.0, "2.1 days"),
            (1e9, "more than 30 days"),
            (f64::NAN, "more than 30 days"),
        ];
        for (seconds, text) in table {
            assert_eq!(span(seconds), text);
        }
    }
}
