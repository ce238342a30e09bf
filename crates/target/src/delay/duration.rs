//! Durations in requests: `50ms`, `1.5s`, `200us`.

use swell_net::parse_duration_ns;

/// The longest delay, one hour in nanoseconds.
pub(crate) const DELAY_MAX_NS: i64 = 3_600_000_000_000;

/// A duration in nanoseconds; a number without a unit is in milliseconds, as in JMeter.
///
/// # Errors
/// A line that says what is wrong and what would be right.
pub(crate) fn parse_duration(text: &str) -> Result<i64, String> {
    match parse_duration_ns(text, 1e6) {
        Some(ns) if ns <= DELAY_MAX_NS => Ok(ns),
        Some(_) => Err(format!("invalid duration {text}: expected at most one hour")),
        None => Err(format!("invalid duration {text:?}: expected for example 50ms, 1.5s or 200us")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_alone_are_milliseconds_and_an_hour_is_the_most() {
        assert_eq!(parse_duration("50"), Ok(50_000_000));
        assert_eq!(parse_duration("1h"), Ok(DELAY_MAX_NS));
        assert!(parse_duration("61min").is_err_and(|why| why.contains("at most one hour")));
        assert!(parse_duration("soon").is_err_and(|why| why.contains("invalid duration")));
    }
}
