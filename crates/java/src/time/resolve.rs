//! Resolves parsed numbers to a date and a time (Java's `ParsedFields` and `IsoChronology`,
//! resolver style SMART).

use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};

use super::Fields;
use super::pattern::{DatePattern, Field};

/// The fields parsed from a text.
#[derive(Clone, Debug, Default)]
pub(super) struct ParsedFields {
    numbers: Vec<(Field, i64)>,
    offset: Option<Offset>,
    zone: Option<TimeZone>,
}

/// The default of a number that the text lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// The year of the era, with the first of January.
    pub year: Option<i64>,
    /// Midnight, and the offset to UTC.
    pub midnight: Option<Offset>,
}

impl DatePattern {
    /// Reads a text to a date, a time, an offset and a zone, each as far as the text has it. As in
    /// Java, a default that contradicts the text is an error: with defaults `hh a` reads only
    /// midnight, and `SSS` only `000`.
    pub fn parse(&self, text: &str, defaults: Defaults) -> Result<Fields, String> {
        let mut parsed = self.read(text)?;
        parsed.fill(defaults);
        parsed.resolve().map_err(|reason| format!("Text '{text}' could not be parsed: {reason}"))
    }
}

impl ParsedFields {
    /// Notes a number; none if the text has another one for the same field.
    pub(super) fn set(&mut self, field: Field, value: i64) -> Option<()> {
        if let Some(known) = self.get(field) {
            return (known == value).then_some(());
        }
        self.numbers.push((field, value));
        Some(())
    }

    pub(super) fn set_offset(&mut self, offset: Offset) -> Option<()> {
        let known = self.offset.get_or_insert(offset);
        (*known == offset).then_some(())
    }

    pub(super) fn set_zone(&mut self, zone: TimeZone) {
        self.zone = Some(zone);
    }

    fn get(&self, field: Field) -> Option<i64> {
        self.numbers.iter().find(|(known, _)| *known == field).map(|(_, value)| *value)
    }

    fn take(&mut self, field: Field) -> Option<i64> {
        let index = self.numbers.iter().position(|(known, _)| *known == field)?;
        Some(self.numbers.swap_remove(index).1)
    }

    fn put(&mut self, field: Field, value: i64) -> Result<(), String> {
        let conflict = || format!("Conflict found: {field:?} is {:?} and {value}", self.get(field));
        let message = conflict();
        self.set(field, value).ok_or(message)
    }

    fn fill(&mut self, defaults: Defaults) {
        let mut default = |field, value| {
            if self.get(field).is_none() {
                self.numbers.push((field, value));
            }
        };
        if let Some(year) = defaults.year {
            default(Field::YearOfEra, year);
            default(Field::Month, 1);
            default(Field::Day, 1);
        }
        if let Some(offset) = defaults.midnight {
            default(Field::Nano, 0);
            default(Field::Milli, 0);
            default(Field::Second, 0);
            default(Field::Minute, 0);
            default(Field::Hour, 0);
            self.offset.get_or_insert(offset);
        }
    }

    fn resolve(mut self) -> Result<Fields, String> {
        let (time, next_day) = self.time()?;
        let mut date = self.date()?;
        if next_day && let Some(day) = date {
            date = Some(day.tomorrow().map_err(|reason| reason.to_string())?);
        }
        let fields = Fields { date, time, offset: self.offset, zone: self.zone, others: Vec::new() };
        for (field, value) in &self.numbers {
            if let Some(other) = fields.number(*field).filter(|other| other != value) {
                return Err(format!("Conflict found: {field:?} is {other} and {value}"));
            }
        }
        Ok(Fields { others: self.numbers, ..fields })
    }

    /// The time, and whether it is the 24:00 that ends the day.
    fn time(&mut self) -> Result<(Option<Time>, bool), String> {
        if let Some(hour) = self.take(Field::ClockHour) {
            within(Field::ClockHour, hour, 0, 24)?;
            self.put(Field::Hour, hour % 24)?;
        }
        if let Some(hour) = self.take(Field::HalfDayClockHour) {
            within(Field::HalfDayClockHour, hour, 0, 12)?;
            self.put(Field::HalfDayHour, hour % 12)?;
        }
        if let (Some(half), Some(hour)) = (self.get(Field::HalfDay), self.get(Field::HalfDayHour)) {
            within(Field::HalfDayHour, hour, 0, 11)?;
            self.take(Field::HalfDay);
            self.take(Field::HalfDayHour);
            self.put(Field::Hour, half * 12 + hour)?;
        }
        self.time_of_day()?;
        if let (Some(nano), Some(milli)) = (self.get(Field::Nano), self.take(Field::Milli)) {
            self.put(Field::Nano, milli * 1_000_000 + nano % 1_000_000)?;
        }
        let parts = [Field::Hour, Field::Minute, Field::Second, Field::Nano].map(|field| self.get(field));
        let [Some(hour), minute, second, nano] = parts else { return Ok((None, false)) };
        if (minute.is_none() && (second.is_some() || nano.is_some())) || (second.is_none() && nano.is_some())
        {
            return Ok((None, false));
        }
        let [minute, second, nano] = [minute, second, nano].map(|part| part.unwrap_or(0));
        let midnight = (hour, minute, second, nano) == (24, 0, 0, 0);
        within(Field::Hour, hour, 0, if midnight { 24 } else { 23 })?;
        within(Field::Minute, minute, 0, 59)?;
        within(Field::Second, second, 0, 59)?;
        within(Field::Nano, nano, 0, 999_999_999)?;
        for field in [Field::Hour, Field::Minute, Field::Second, Field::Nano] {
            self.take(field);
        }
        let time = Time::new((hour % 24) as i8, minute as i8, second as i8, nano as i32);
        Ok((Some(time.map_err(|reason| reason.to_string())?), midnight))
    }

    /// `A` and `N`: the time in one number.
    fn time_of_day(&mut self) -> Result<(), String> {
        for (field, per_second) in [(Field::NanoOfDay, 1_000_000_000), (Field::MilliOfDay, 1000)] {
            let Some(value) = self.take(field) else { continue };
            within(field, value, 0, 86_400 * per_second - 1)?;
            let second = value / per_second;
            self.put(Field::Hour, second / 3600)?;
            self.put(Field::Minute, second / 60 % 60)?;
            self.put(Field::Second, second % 60)?;
            self.put(Field::Nano, value % per_second * (1_000_000_000 / per_second))?;
        }
        Ok(())
    }

    fn date(&mut self) -> Result<Option<Date>, String> {
        if let Some(of_era) = self.take(Field::YearOfEra) {
            if !(1..=1_000_000_000).contains(&of_era) {
                let range = "valid values 1 - 999999999/1000000000";
                return Err(format!("Invalid value for YearOfEra ({range}): {of_era}"));
            }
            let before_christ = match self.take(Field::Era) {
                Some(era) => era == 0,
                None => self.get(Field::Year).is_some_and(|year| year <= 0),
            };
            self.put(Field::Year, if before_christ { 1 - of_era } else { of_era })?;
        }
        let [year, month, day, of_year] =
            [Field::Year, Field::Month, Field::Day, Field::DayOfYear].map(|field| self.get(field));
        let date = match (year, month, day, of_year) {
            (Some(year), Some(month), Some(day), _) => {
                within(Field::Month, month, 1, 12)?;
                within(Field::Day, day, 1, 31)?;
                let first =
                    Date::new(in_years(year)?, month as i8, 1).map_err(|reason| reason.to_string())?;
                // The 31st of a shorter month is its last day.
                first.with().day((day as i8).min(first.days_in_month())).build()
            }
            (Some(year), None, None, Some(day)) => {
                within(Field::DayOfYear, day, 1, 366)?;
                let first = Date::new(in_years(year)?, 1, 1).map_err(|reason| reason.to_string())?;
                first.with().day_of_year(day as i16).build()
            }
            _ => return Ok(None),
        };
        let date = date.map_err(|reason| reason.to_string())?;
        for field in [Field::Year, Field::Month, Field::Day] {
            self.take(field);
        }
        Ok(Some(date))
    }
}

fn in_years(year: i64) -> Result<i16, String> {
    i16::try_from(year).map_err(|_| format!("the year {year} is out of range"))
}

fn within(field: Field, value: i64, least: i64, largest: i64) -> Result<(), String> {
    if (least..=largest).contains(&value) {
        return Ok(());
    }
    Err(format!("Invalid value for {field:?} (valid values {least} - {largest}): {value}"))
}
