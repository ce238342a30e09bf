//! Dates in headers, both directions of `org.apache.http.client.utils.DateUtils`, and the lax cookie date.

/// The largest number in a date. With such a year the milliseconds still are a number of 64 bits.
const LARGEST: i64 = 1_000_000;

/// Milliseconds since the epoch of a date and time, UTC. `month` from 0; days beyond the month's end roll over, as in
/// Java's lenient calendar.
pub(crate) fn millis(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> i64 {
    // Days from the civil calendar, years starting in March (Howard Hinnant, "chrono-Compatible Low-Level Date
    // Algorithms").
    let y = if month < 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let day_of_year = (153 * ((month + 10) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000
}

/// The number of a month from 0, by the first three letters.
pub(crate) fn month(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let start = text.get(..3)?;
    MONTHS.iter().position(|m| m.eq_ignore_ascii_case(start)).map(|i| i as i64)
}

/// A date in one of the three forms of RFC 7231 §7.1.1.1, in milliseconds since the epoch; none if it is none.
pub(crate) fn parse_http(text: &str) -> Option<i64> {
    let text = text.trim().trim_matches('\'');
    let (day_name, rest) = text.split_once([',', ' '])?;
    if day_name.is_empty() || !day_name.bytes().all(|b| b.is_ascii_alphabetic()) {
        return None;
    }
    let fields: Vec<&str> = rest.split([' ', '-']).filter(|f| !f.is_empty()).collect();
    let (day, month_name, year, time) = match fields[..] {
        [day, month, year, time, _zone] if day.parse::<u8>().is_ok() => (day, month, year, time),
        [month, day, time, year] => (day, month, year, time),
        _ => return None,
    };
    let mut clock = time.split(':').map(number);
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let mut full_year = number(year)?;
    if year.len() == 2 {
        // Two digits stand for the hundred years from 2000 on (`DateUtils.DEFAULT_TWO_DIGIT_YEAR_START`).
        full_year += 2000;
    }
    Some(millis(full_year, month(month_name)?, number(day)?, hour, minute, second))
}

/// A number of a date. Java rolls large ones over and goes wrong with those that are larger still; here a date with
/// those is none.
fn number(text: &str) -> Option<i64> {
    let value: i64 = text.parse().ok()?;
    (-LARGEST..=LARGEST).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants() {
        assert_eq!(millis(1970, 0, 1, 0, 0, 0), 0);
        assert_eq!(millis(2000, 1, 29, 12, 34, 56), 951_827_696_000);
        assert_eq!(millis(1969, 11, 31, 23, 59, 59), -1000);
        assert_eq!(millis(2023, 1, 31, 0, 0, 0), millis(2023, 2, 3, 0, 0, 0), "31 February rolls over");
    }

    #[test]
    fn the_three_forms_of_a_date() {
        for text in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06-Nov-1994 08:49:37 GMT"]
        {
            assert_eq!(parse_http(text), Some(784_111_777_000), "{text}");
        }
        assert_eq!(parse_http("Tuesday, 06-Nov-18 08:49:37 GMT"), Some(millis(2018, 10, 6, 8, 49, 37)));
        assert_eq!(parse_http("Sun, 06 Nov 1000000 08:49:37 GMT"), Some(millis(1_000_000, 10, 6, 8, 49, 37)));
        for text in ["", "0", "-1", "yesterday", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994"] {
            assert_eq!(parse_http(text), None, "{text}");
        }
    }

    #[test]
    fn a_year_without_measure_is_no_date() {
        for text in [
            "Sun, 06 Nov 9999999999 08:49:37 GMT",
            "Sun, 06 Nov 1994 9223372036854775807:49:37 GMT",
            "Sun Nov 6 08:49:-9223372036854775808 1994",
            "Sun, 06-Nov--9223372036854775808 08:49:37 GMT",
        ] {
            assert_eq!(parse_http(text), None, "{text}");
        }
    }
}
