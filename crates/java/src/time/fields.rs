//! The known fields of a point in time (Java's `TemporalAccessor`).

use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{Zoned, civil};

use super::pattern::Field;

/// A date, a time, an offset and a zone; each may be unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    /// The calendar date.
    pub date: Option<Date>,
    /// The time of the day.
    pub time: Option<Time>,
    /// The difference to UTC.
    pub offset: Option<Offset>,
    /// The zone.
    pub zone: Option<TimeZone>,
    /// Numbers that are known but make no date or time.
    pub(super) others: Vec<(Field, i64)>,
}

impl From<&Zoned> for Fields {
    fn from(moment: &Zoned) -> Self {
        Self {
            date: Some(moment.date()),
            time: Some(moment.time()),
            offset: Some(moment.offset()),
            zone: Some(moment.time_zone().clone()),
            others: Vec::new(),
        }
    }
}

impl From<Date> for Fields {
    fn from(date: Date) -> Self {
        Self { date: Some(date), ..Self::default() }
    }
}

impl Fields {
    /// The number that a pattern letter shows, if enough is known.
    pub(super) fn number(&self, field: Field) -> Option<i64> {
        let of_parts = match field {
            Field::Era
            | Field::Year
            | Field::YearOfEra
            | Field::WeekYear
            | Field::Quarter
            | Field::Month
            | Field::WeekOfYear
            | Field::WeekOfMonth
            | Field::AlignedWeek
            | Field::Day
            | Field::DayOfYear
            | Field::DayOfWeek => self.date.map(|date| of_date(date, field)),
            _ => self.time.map(|time| of_time(time, field)),
        };
        let other = || self.others.iter().find(|(known, _)| *known == field).map(|(_, value)| *value);
        of_parts.or_else(other)
    }
}

fn of_date(date: Date, field: Field) -> i64 {
    match field {
        Field::Era => i64::from(date.year() > 0),
        Field::Year => i64::from(date.year()),
        Field::YearOfEra => year_of_era(date.year()),
        Field::WeekYear => i64::from(week_of_year(date).0),
        Field::Quarter => i64::from((date.month() + 2) / 3),
        Field::Month => i64::from(date.month()),
        Field::WeekOfYear => week_of_year(date).1,
        Field::WeekOfMonth => {
            let first = date.first_of_month().weekday().to_sunday_zero_offset();
            i64::from((date.day() + first - 1) / 7 + 1)
        }
        Field::AlignedWeek => i64::from((date.day() - 1) / 7 + 1),
        Field::Day => i64::from(date.day()),
        Field::DayOfYear => i64::from(date.day_of_year()),
        // Sunday is the first day of the week in the United States, the default country of English.
        _ => i64::from(date.weekday().to_sunday_one_offset()),
    }
}

fn year_of_era(year: i16) -> i64 {
    if year > 0 { i64::from(year) } else { 1 - i64::from(year) }
}

/// Year and number of the week in the United States: weeks start on Sunday, the week of 1 January
/// is the first.
fn week_of_year(date: Date) -> (i16, i64) {
    let january_first = |year| civil::Date::new(year, 1, 1).expect("years of dates are in range");
    let before = |day: Date| i64::from(day.weekday().to_sunday_zero_offset());
    let week = (i64::from(date.day_of_year()) - 1 + before(january_first(date.year()))) / 7 + 1;
    let days = i64::from(date.days_in_year());
    let last_day_in_next = week == 53 && (days + before(january_first(date.year()))) % 7 != 0;
    if last_day_in_next && date.year() < Date::MAX.year() {
        (date.year() + 1, 1)
    } else {
        (date.year(), week)
    }
}

fn of_time(time: Time, field: Field) -> i64 {
    let hour = i64::from(time.hour());
    let nanos = i64::from(time.subsec_nanosecond());
    let second_of_day = (hour * 60 + i64::from(time.minute())) * 60 + i64::from(time.second());
    match field {
        Field::HalfDay => hour / 12,
        Field::Hour => hour,
        Field::ClockHour => (hour + 23) % 24 + 1,
        Field::HalfDayHour => hour % 12,
        Field::HalfDayClockHour => (hour + 11) % 12 + 1,
        Field::Minute => i64::from(time.minute()),
        Field::Second => i64::from(time.second()),
        Field::Milli => nanos / 1_000_000,
        Field::MilliOfDay => second_of_day * 1000 + nanos / 1_000_000,
        Field::NanoOfDay => second_of_day * 1_000_000_000 + nanos,
        _ => nanos,
    }
}
