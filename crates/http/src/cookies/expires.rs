//! The `Expires` attribute (`LaxExpiresHandler`, RFC 6265 §5.1.1).

use swell_http1::date;

fn is_delimiter(b: u8) -> bool {
    matches!(b, 0x09 | 0x20..=0x2f | 0x3b..=0x40 | 0x5b..=0x60 | 0x7b..=0x7e)
}

/// Leading digits, a number of them within these bounds, then no digit more.
fn number(token: &[u8], least: usize, most: usize) -> Option<i64> {
    let digits = token.iter().take_while(|b| b.is_ascii_digit()).count();
    (least..=most).contains(&digits).then(|| std::str::from_utf8(&token[..digits]).ok()?.parse().ok())?
}

fn time(token: &[u8]) -> Option<(i64, i64, i64)> {
    let mut parts = token.splitn(3, |b| *b == b':');
    let hour = parts.next()?;
    let minute = parts.next()?;
    let second = parts.next()?;
    let whole = |part: &[u8]| part.iter().all(u8::is_ascii_digit).then(|| number(part, 1, 2))?;
    Some((whole(hour)?, whole(minute)?, number(second, 1, 2)?))
}

/// Milliseconds since the epoch; none if it is not a date.
pub(crate) fn parse(value: &str) -> Option<i64> {
    let mut clock = None;
    let mut day = None;
    let mut month = None;
    let mut year = None;
    for token in value.as_bytes().split(|b| is_delimiter(*b)).filter(|t| !t.is_empty()) {
        if clock.is_none() && time(token).is_some() {
            clock = time(token);
        } else if day.is_none() && number(token, 1, 2).is_some() {
            day = number(token, 1, 2);
        } else if month.is_none() && std::str::from_utf8(token).ok().and_then(date::month).is_some() {
            month = std::str::from_utf8(token).ok().and_then(date::month);
        } else if year.is_none() {
            year = number(token, 2, 4);
        }
    }
    let (hour, minute, second) = clock?;
    let day = day?;
    let month = month?;
    let year = year?;
    let year = match year {
        70..=99 => year + 1900,
        0..=69 => year + 2000,
        _ => year,
    };
    let right = (1..=31).contains(&day) && year >= 1601 && hour <= 23 && minute <= 59 && second <= 59;
    right.then(|| date::millis(year, month, day, hour, minute, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_cookies() {
        let wanted = date::millis(1994, 10, 6, 8, 49, 37);
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "1994 6 november 8:49:37 whatever",
            "06/Nov/1994;08:49:37",
        ] {
            assert_eq!(parse(text), Some(wanted), "{text}");
        }
        assert_eq!(parse("Mon, 01-Jan-2990 00:00:00 GMT"), Some(date::millis(2990, 0, 1, 0, 0, 0)));
        assert_eq!(parse("01 Jan 20 00:00:00"), Some(date::millis(2020, 0, 1, 0, 0, 0)));
        for text in [
            "",
            "never",
            "Sun, 06 Nov 1994",
            "32 Jan 2020 00:00:00",
            "01 Jan 1600 00:00:00",
            "01 Jan 2020 24:00:00",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
