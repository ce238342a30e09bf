//! Dates, times and durations (XML Schema 1.0, part 2, 3.2.6 to 3.2.14).

use std::cmp::Ordering;
use std::fmt;

/// Which parts a date or time has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    DateTime,
    Time,
    Date,
    YearMonth,
    Year,
    MonthDay,
    Day,
    Month,
}

impl Shape {
    pub(super) fn shown(self) -> &'static str {
        match self {
            Self::DateTime => "dateTime",
            Self::Time => "time",
            Self::Date => "date",
            Self::YearMonth => "gYearMonth",
            Self::Year => "gYear",
            Self::MonthDay => "gMonthDay",
            Self::Day => "gDay",
            Self::Month => "gMonth",
        }
    }
}

/// A date or time, as seconds on the time line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Moment {
    /// Seconds since some day; of those without zone as if they were in that of Greenwich.
    seconds: i128,
    /// Digits behind the point.
    fraction: String,
    zoned: bool,
    text: String,
}

/// Greatest difference that a zone makes.
const ZONES_S: i128 = 14 * 3600;

impl Moment {
    pub(super) fn read(text: &str, shape: Shape) -> Option<Self> {
        let (local, zone) = zone(text)?;
        let mut scan = Scan(local);
        let (mut year, mut month, mut day) = (2000, 1, 1);
        match shape {
            Shape::DateTime | Shape::Date => {
                (year, month, day) = (scan.year()?, scan.after('-')?, scan.after('-')?);
            }
            Shape::YearMonth => (year, month) = (scan.year()?, scan.after('-')?),
            Shape::Year => year = scan.year()?,
            Shape::MonthDay => (month, day) = (scan.skip("--")?.two()?, scan.after('-')?),
            Shape::Day => day = scan.skip("---")?.two()?,
            Shape::Month => month = scan.skip("--")?.two()?,
            Shape::Time => {}
        }
        let mut time = (0, 0, 0, "");
        if shape == Shape::DateTime {
            scan.skip("T")?;
        }
        if matches!(shape, Shape::DateTime | Shape::Time) {
            time = (scan.two()?, scan.after(':')?, scan.after(':')?, scan.fraction()?);
        }
        let (hour, minute, second, fraction) = time;
        let end_of_day = hour == 24 && minute == 0 && second == 0 && fraction.trim_matches('0').is_empty();
        let good = scan.0.is_empty()
            && (1..=12).contains(&month)
            && (1..=days_of(year, month)).contains(&day)
            && (hour < 24 || end_of_day)
            && minute < 60
            && second < 60;
        let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
        good.then(|| Self {
            seconds: seconds - zone.unwrap_or(0) * 60,
            fraction: fraction.trim_end_matches('0').to_owned(),
            zoned: zone.is_some(),
            text: text.to_owned(),
        })
    }

    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        let order = self.seconds.cmp(&other.seconds).then_with(|| self.fraction.cmp(&other.fraction));
        if self.zoned == other.zoned || (self.seconds - other.seconds).abs() > ZONES_S {
            Some(order)
        } else {
            None
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A text without its zone, and the zone in minutes.
fn zone(text: &str) -> Option<(&str, Option<i128>)> {
    if let Some(local) = text.strip_suffix('Z') {
        return Some((local, Some(0)));
    }
    let at = text.len().saturating_sub(6);
    let Some(tail) = text.get(at..).filter(|tail| tail.len() == 6 && tail.starts_with(['+', '-'])) else {
        return Some((text, None));
    };
    if tail.as_bytes()[3] != b':' {
        return Some((text, None));
    }
    let number = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<i128>().ok())?;
    let (hours, minutes) = (number(&tail[1..3])?, number(&tail[4..6])?);
    let total = hours * 60 + minutes;
    let good = minutes < 60 && total <= 14 * 60;
    let signed = if tail.starts_with('-') { -total } else { total };
    good.then_some((&text[..at], Some(signed)))
}

struct Scan<'t>(&'t str);

impl<'t> Scan<'t> {
    fn skip(&mut self, wanted: &str) -> Option<&mut Self> {
        self.0 = self.0.strip_prefix(wanted)?;
        Some(self)
    }

    fn digits(&mut self) -> &'t str {
        let length = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        digits
    }

    fn two(&mut self) -> Option<i128> {
        let (digits, rest) = self.0.split_at_checked(2)?;
        self.0 = rest;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
    }

    fn after(&mut self, mark: char) -> Option<i128> {
        self.0 = self.0.strip_prefix(mark)?;
        self.two()
    }

    /// Four digits at least, a sign perhaps; there is no year 0.
    fn year(&mut self) -> Option<i128> {
        let negative = self.0.starts_with('-');
        self.0 = self.0.strip_prefix('-').unwrap_or(self.0);
        let digits = self.digits();
        let good = digits.len() == 4 || (digits.len() > 4 && digits.len() < 30 && !digits.starts_with('0'));
        let year: i128 = digits.parse().ok().filter(|year| good && *year != 0)?;
        Some(if negative { -year } else { year })
    }

    fn fraction(&mut self) -> Option<&'t str> {
        let Some(rest) = self.0.strip_prefix('.') else { return Some("") };
        self.0 = rest;
        Some(self.digits()).filter(|digits| !digits.is_empty())
    }
}

fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i128, month: i128) -> i128 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since the first of March of the year 0.
fn days(year: i128, month: i128, day: i128) -> i128 {
    let year = if month <= 2 { year - 1 } else { year };
    let months = (month + 9) % 12;
    365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * months + 2) / 5
        + day
        - 1
}

/// A duration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Duration {
    months: i128,
    seconds: f64,
    text: String,
}

impl Duration {
    pub(super) fn read(text: &str) -> Option<Self> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let rest = rest.strip_prefix('P')?;
        let (date, time) = rest.split_once('T').map_or((rest, None), |(date, time)| (date, Some(time)));
        if time == Some("") || (date.is_empty() && time.is_none()) {
            return None;
        }
        let [years, months, days] = parts(date, ['Y', 'M', 'D'])?;
        let [hours, minutes, seconds] = parts(time.unwrap_or(""), ['H', 'M', 'S'])?;
        let fractional = [years, months, days, hours, minutes].iter().any(|part| part.contains('.'));
        let whole = |part: &str| if part.is_empty() { Some(0.0) } else { part.parse::<f64>().ok() };
        let months = whole(years)? * 12.0 + whole(months)?;
        let seconds =
            whole(days)? * 86_400.0 + whole(hours)? * 3600.0 + whole(minutes)? * 60.0 + whole(seconds)?;
        let sign = if negative { -1.0 } else { 1.0 };
        let read = Self { months: (months * sign) as i128, seconds: seconds * sign, text: text.to_owned() };
        (!fractional).then_some(read)
    }

    /// As the four days of the recommendation order two durations, if they agree.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        let starts = [(1696, 9), (1697, 2), (1903, 3), (1903, 7)];
        let end = |duration: &Self, (year, month): (i128, i128)| {
            let at = year * 12 + month - 1 + duration.months;
            days(at.div_euclid(12), at.rem_euclid(12) + 1, 1) as f64 * 86_400.0 + duration.seconds
        };
        let mut orders = starts.map(|start| end(self, start).partial_cmp(&end(other, start))).into_iter();
        let first = orders.next().flatten();
        orders.all(|order| order == first).then_some(first).flatten()
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Numbers before letters that come in their order, each once at most.
fn parts(text: &str, letters: [char; 3]) -> Option<[&str; 3]> {
    let (mut found, mut rest, mut from) = ([""; 3], text, 0);
    while !rest.is_empty() {
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(length);
        let place = letters[from..].iter().position(|letter| tail.starts_with(*letter))? + from;
        let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
        if whole.is_empty() || part.is_empty() || part.contains('.') {
            return None;
        }
        (found[place], rest, from) = (number, &tail[1..], place + 1);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_dates_or_not() {
        let table = [
            (
                Shape::Date,
                "2024-02-29 2023-12-31Z -0044-03-15 12024-01-01+14:00",
                "2023-02-29 24-01-01 2024-1-1 0000-01-01 2024-01-01+15:00",
            ),
            (
                Shape::DateTime,
                "2024-01-01T00:00:00 2024-01-01T24:00:00 2024-01-01T10:11:12.5-05:00",
                "2024-01-01 2024-01-01T25:00:00 2024-01-01T24:00:01 2024-01-01T10:11:60",
            ),
            (Shape::Time, "10:11:12 10:11:12.001Z", "10:11 1:2:3 10:11:12."),
            (Shape::YearMonth, "2024-01", "2024 2024-13"),
            (Shape::Year, "2024 -2024", "24 02024"),
            (Shape::MonthDay, "--02-29", "02-29 --02-30"),
            (Shape::Day, "---31", "---32 --1"),
            (Shape::Month, "--12", "--13 12"),
        ];
        for (shape, good, bad) in table {
            for text in good.split(' ') {
                assert!(Moment::read(text, shape).is_some(), "{shape:?} {text}");
            }
            for text in bad.split(' ') {
                assert!(Moment::read(text, shape).is_none(), "{shape:?} {text}");
            }
        }
        for good in ["P1Y", "-P1Y2M3DT4H5M6.7S", "PT0S", "P1M"] {
            assert!(Duration::read(good).is_some(), "{good}");
        }
        for bad in ["P", "PT", "P1YT", "1Y", "P1.5Y", "P1D2M", "PT.5S"] {
            assert!(Duration::read(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn moments_are_ordered_as_far_as_their_zones_are_known() {
        let order = |a, b| {
            let read = |text| Moment::read(text, Shape::DateTime).expect("a moment");
            read(a).compare(&read(b))
        };
        let table = [
            ("2024-01-01T12:00:00Z", "2024-01-01T14:00:00+02:00", Some(Ordering::Equal)),
            ("2024-01-01T12:00:00Z", "2024-01-01T12:00:00.5Z", Some(Ordering::Less)),
            ("2024-01-01T12:00:00", "2024-01-01T13:00:00Z", None),
            ("2024-01-01T12:00:00", "2024-01-03T12:00:00Z", Some(Ordering::Less)),
            ("2024-02-29T24:00:00", "2024-03-01T00:00:00", Some(Ordering::Equal)),
        ];
        for (a, b, wanted) in table {
            assert_eq!(order(a, b), wanted, "{a} {b}");
        }
        let order = |a, b| {
            let read = |text| Duration::read(text).expect("a duration");
            read(a).compare(&read(b))
        };
        assert_eq!(order("P1Y", "P12M"), Some(Ordering::Equal));
        assert_eq!(order("P1M", "P30D"), None);
        assert_eq!(order("P1M", "P32D"), Some(Ordering::Less));
    }
}
