//! Times of rows: milliseconds since the epoch, or one of the date formats that JMeter tries
//! (`CSVSaveService`), in this machine's time zone.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A whole number; none if there is anything but digits, or too many.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 18 {
        return None;
    }
    let mut value = 0_u64;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    Some(value)
}

/// A time in milliseconds since the epoch.
pub(super) fn time_ms(text: &[u8]) -> Option<i64> {
    match number(text) {
        Some(ms) => i64::try_from(ms).ok(),
        None => date_ms(std::str::from_utf8(text).ok()?.trim()),
    }
}

fn date_ms(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(' ')?;
    let separator = if date.contains('/') { '/' } else { '-' };
    let parts: Vec<i16> = date.split(separator).map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (year, month, day) = match parts[..] {
        [month, day, year] if separator == '/' && year < 100 && date.len() == 8 => (2000 + year, month, day),
        [year, month, day] => (year, month, day),
        _ => return None,
    };
    let (time, ms) = time.split_once(['.', ',']).unwrap_or((time, "0"));
    let ms: i32 = ms.parse().ok().filter(|ms| (0..1000).contains(ms))?;
    let parts: Vec<i8> = time.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hour, minute, second] = parts[..] else { return None };
    let [month, day] = [month, day].map(|part| i8::try_from(part).ok());
    let at = DateTime::new(year, month?, day?, hour, minute, second, ms * 1_000_000).ok()?;
    Some(at.to_zoned(TimeZone::system()).ok()?.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_numbers_or_dates() {
        let at = DateTime::new(2023, 11, 14, 22, 13, 20, 5_000_000).expect("a date");
        let ms = at.to_zoned(TimeZone::system()).expect("in range").timestamp().as_millisecond();
        for (text, wanted) in [
            ("1700000000005", Some(1_700_000_000_005)),
            ("2023/11/14 22:13:20.005", Some(ms)),
            ("2023-11-14 22:13:20.005", Some(ms)),
            ("2023-11-14 22:13:20", Some(ms - 5)),
            ("11/14/23 22:13:20", Some(ms - 5)),
            ("2023-13-14 22:13:20", None),
            ("yesterday", None),
            ("", None),
            ("-5", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(time_ms(text.as_bytes()), wanted, "{text}");
        }
    }
}
