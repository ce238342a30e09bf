//! Timestamps as dates (`jmeter.save.saveservice.timestamp_format`).

use jiff::Timestamp;
use jiff::tz::TimeZone;
use swell_java::time::{DatePattern, Fields};

/// A pattern for timestamps. JMeter uses patterns of `FastDateFormat`. They differ from those of
/// `DateTimeFormatter` only in letters that no timestamp uses (`u`, fractions other than `SSS`).
#[derive(Clone, Debug)]
pub struct StampPattern {
    pattern: DatePattern,
    zone: TimeZone,
}

impl StampPattern {
    /// A pattern in a time zone by its IANA name; UTC if the name is unknown.
    ///
    /// # Errors
    /// What is wrong with the pattern.
    pub fn new(pattern: &str, zone: &str) -> Result<Self, String> {
        let parsed = DatePattern::new(pattern).map_err(|what| {
            format!("jmeter.save.saveservice.timestamp_format is `{pattern}`: {what}; it must be `ms`, `none` or a date pattern")
        })?;
        Ok(Self { pattern: parsed, zone: TimeZone::get(zone).unwrap_or(TimeZone::UTC) })
    }

    /// A moment in milliseconds since the epoch.
    pub fn format(&self, timestamp_ms: i64) -> String {
        let mut text = String::new();
        let moment =
            Timestamp::from_millisecond(timestamp_ms).unwrap_or_default().to_zoned(self.zone.clone());
        match self.pattern.format(&Fields::from(&moment), &mut text) {
            Ok(()) => text,
            // A pattern may ask for what a moment does not have; milliseconds are never wrong.
            Err(_) => timestamp_ms.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_pattern_is_named_with_its_property() {
        let message = StampPattern::new("yyyy-{", "UTC").expect_err("reserved");
        assert!(message.contains("timestamp_format is `yyyy-{`"), "{message}");
    }
}
