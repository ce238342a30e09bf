//! `java.time.Duration.parse`: `P1DT2H3M4.5S` with signs anywhere and letters of any case.

use jiff::SignedDuration;

/// Reads a duration; a day has 24 hours. `None` if the text is not a valid duration or too large.
pub fn parse_duration(text: &str) -> Option<SignedDuration> {
    let (negative, rest) = sign(text);
    let rest = letter(rest, 'P')?;
    let (date, time) = match rest.split_once(['T', 't']) {
        // Something must follow the T.
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (rest, ""),
    };
    if date.is_empty() && time.is_empty() {
        return None;
    }
    let (days, date) = part(date, 'D', 86_400)?;
    let (hours, time) = part(time, 'H', 3600)?;
    let (minutes, time) = part(time, 'M', 60)?;
    let (seconds, nanos) = seconds(time)?;
    if !date.is_empty() {
        return None;
    }
    let whole = days.checked_add(hours)?.checked_add(minutes)?.checked_add(seconds)?;
    let duration = SignedDuration::from_secs(whole).checked_add(SignedDuration::from_nanos(nanos))?;
    if negative { duration.checked_neg() } else { Some(duration) }
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn letter(text: &str, expected: char) -> Option<&str> {
    text.strip_prefix([expected, expected.to_ascii_lowercase()])
}

/// A signed number before a letter, in seconds; 0 if the letter is not there.
fn part(text: &str, unit: char, unit_s: i64) -> Option<(i64, &str)> {
    let Some(end) = text.find([unit, unit.to_ascii_lowercase()]) else { return Some((0, text)) };
    let number = whole(&text[..end])?;
    Some((number.checked_mul(unit_s)?, &text[end + 1..]))
}

fn whole(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) { None } else { text.parse().ok() }
}

/// Seconds and nanoseconds of `-4.5S`.
fn seconds(text: &str) -> Option<(i64, i64)> {
    if text.is_empty() {
        return Some((0, 0));
    }
    let number = text.strip_suffix(['S', 's'])?;
    let Some((integer, fraction)) = number.split_once(['.', ',']) else {
        return Some((whole(number)?, 0));
    };
    if fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let nanos: i64 = format!("{fraction:0<9}").parse().ok()?;
    Some((whole(integer)?, if integer.starts_with('-') { -nanos } else { nanos }))
}
