//! Dates of scripts.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::frame::Frame;
use super::object::Object;
use super::value::Value;
use crate::java_time::{DatePattern, Fields};
use crate::zone;

/// A pattern of `SimpleDateFormat` whose letters mean the same to `DateTimeFormatter`. The error says what does not.
pub(super) fn simple_pattern(pattern: &str) -> Result<DatePattern, String> {
    let (mut quoted, mut milliseconds) = (false, 0);
    for c in pattern.chars() {
        match c {
            '\'' => quoted = !quoted,
            'S' if !quoted => milliseconds += 1,
            'y' | 'M' | 'd' | 'H' | 'h' | 'm' | 's' | 'a' | 'E' | 'Z' | 'X' => {}
            c if !quoted && c.is_ascii_alphabetic() => {
                return Err(format!("`{c}` in the pattern `{pattern}` needs a script engine"));
            }
            _ => {}
        }
    }
    if milliseconds != 0 && milliseconds != 3 {
        return Err(format!("the milliseconds of the pattern `{pattern}` need a script engine"));
    }
    DatePattern::new(pattern)
}

/// The moment as a pattern shows it, in the machine's zone or in UTC.
pub(super) fn format_moment(
    pattern: &str,
    utc: bool,
    time_ms: i64,
    frame: &mut Frame<'_>,
) -> Result<Value, String> {
    let pattern = simple_pattern(pattern)?;
    let zone = if utc { TimeZone::UTC } else { zone::Cached::default().get(frame.cx()?) };
    let moment = zone::at(time_ms.saturating_mul(1_000_000), zone);
    let mut text = String::new();
    pattern.format(&Fields::from(&moment), &mut text)?;
    Ok(Value::java(text))
}

/// A local date, or date and time, as a pattern shows it.
pub(super) fn format_local(pattern: &str, local: DateTime, with_time: bool) -> Result<Value, String> {
    let pattern = DatePattern::new(pattern)?;
    let mut fields = Fields::from(local.date());
    if with_time {
        fields.time = Some(local.time());
    }
    let mut text = String::new();
    pattern.format(&fields, &mut text)?;
    Ok(Value::java(text))
}

/// `LocalDate.now()`, `LocalDateTime.now()`.
pub(super) fn local_now(frame: &mut Frame<'_>, with_time: bool) -> Result<Value, String> {
    let cx = frame.cx()?;
    let now = zone::at(cx.host.now_ns(), zone::Cached::default().get(cx));
    Ok(Value::object(Object::Local(now.datetime(), with_time)))
}

/// `plusDays(n)` and its relatives; none if there is no such method.
pub(super) fn moved(
    local: DateTime,
    with_time: bool,
    method: &str,
    by: i64,
) -> Option<Result<Value, String>> {
    let span = jiff::Span::new();
    let (sign, unit) = match method.strip_prefix("plus") {
        Some(unit) => (1, unit),
        None => (-1, method.strip_prefix("minus")?),
    };
    let by = by.checked_mul(sign)?;
    let span = match unit {
        "Days" => span.try_days(by),
        "Weeks" => span.try_weeks(by),
        "Months" => span.try_months(by),
        "Years" => span.try_years(by),
        "Hours" if with_time => span.try_hours(by),
        "Minutes" if with_time => span.try_minutes(by),
        "Seconds" if with_time => span.try_seconds(by),
        _ => return None,
    };
    let moved = span.and_then(|span| local.checked_add(span)).map_err(|reason| reason.to_string());
    Some(moved.map(|local| Value::object(Object::Local(local, with_time))))
}
