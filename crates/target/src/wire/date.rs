//! IMF-fixdate, the one date format HTTP servers send (RFC 9110 §5.6.7).

/// Length of every IMF-fixdate.
pub(crate) const DATE_BYTES: usize = 29;

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Seconds since the epoch (not before it) as `Tue, 01 Oct 2013 08:00:00 GMT`.
pub(crate) fn format_date(epoch_s: i64) -> String {
    let (days, second) = (epoch_s.div_euclid(86_400), epoch_s.rem_euclid(86_400));
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

/// Seconds since the epoch of an IMF-fixdate; the obsolete formats are not understood.
pub(crate) fn parse_date(text: &str) -> Option<i64> {
    let fields: Vec<&str> = text.trim().split([' ', ':']).collect();
    let [_, day, month, year, hour, minute, second, "GMT"] = fields[..] else { return None };
    let number = |text: &str| text.parse::<i64>().ok();
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let days = days_from_civil(number(year)?, month, number(day)?);
    Some(days * 86_400 + number(hour)? * 3600 + number(minute)? * 60 + number(second)?)
}

/// Gregorian date of a day counted from the epoch: eras of 400 years that begin on 1 March, so leap days come last.
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

/// The reverse of [`civil`].
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: [(i64, &str); 5] = [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (1_380_614_400, "Tue, 01 Oct 2013 08:00:00 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
    ];

    #[test]
    fn dates_go_both_ways() {
        for (epoch_s, text) in TABLE {
            assert_eq!(format_date(epoch_s), text);
            assert_eq!(text.len(), DATE_BYTES);
            assert_eq!(parse_date(text), Some(epoch_s), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in ["", "yesterday", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET"] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }
}
