//! Dates in headers: writes the preferred format (RFC 9110 §5.6.7), reads the three formats of
//! `org.apache.http.client.utils.DateUtils`, and builds the dates of cookies.

/// Length of every date that is written.
pub const DATE_BYTES: usize = 29;

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The largest number in a date. With such a year the milliseconds still are a number of 64 bits.
const LARGEST: i64 = 1_000_000;

/// Milliseconds since the epoch of a date and time, UTC. `month` from 0; days beyond the month's
/// end roll over, as in Java's lenient calendar.
pub fn millis(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> i64 {
    // Days from the civil calendar, years starting in March (Howard Hinnant, "chrono-Compatible
    // Low-Level Date Algorithms").
    let y = if month < 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let day_of_year = (153 * ((month + 10) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000
}

/// The number of a month from 0, by the first three letters.
pub fn month(text: &str) -> Option<i64> {
    let start = text.get(..3)?;
    MONTHS.iter().position(|m| m.eq_ignore_ascii_case(start)).map(|i| i as i64)
}

/// Seconds since the epoch (not before it) as `Tue, 01 Oct 2013 08:00:00 GMT`.
pub fn format_http(epoch_s: i64) -> String {
    let days = epoch_s.div_euclid(86_400);
    let second = epoch_s.rem_euclid(86_400);
    let (year, month, day) = civil(days);
    format!(
        "{}, {day:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        DAYS[days.rem_euclid(7) as usize],
        MONTHS[month as usize - 1],
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

/// Gregorian date of a day counted from the epoch, the reverse of what [`millis`] does; the month
/// from 1.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, of_year - (153 * shifted + 2) / 5 + 1)
}

/// A date in one of the three forms of RFC 7231 §7.1.1.1, in milliseconds since the epoch; none if
/// it is none.
pub fn parse_http(text: &str) -> Option<i64> {
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
    let hour = clock.next()??;
    let minute = clock.next()??;
    let second = clock.next()??;
    let mut full_year = number(year)?;
    if year.len() == 2 {
        // Two digits are in the hundred years from 2000 on
        // (`DateUtils.DEFAULT_TWO_DIGIT_YEAR_START`).
        full_year += 2000;
    }
    Some(millis(full_year, month(month_name)?, number(day)?, hour, minute, second))
}

/// A number of a date. Java rolls large ones over and goes wrong with those that are larger still;
/// here a date with those is none.
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
    fn dates_go_both_ways() {
        for (epoch_s, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_380_614_400, "Tue, 01 Oct 2013 08:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        ] {
            assert_eq!((format_http(epoch_s).as_str(), text.len()), (text, DATE_BYTES));
            assert_eq!(parse_http(text), Some(epoch_s * 1000), "{text}");
        }
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
