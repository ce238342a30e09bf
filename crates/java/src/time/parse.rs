//! Parses text to fields (Java's `DateTimeFormatter.parse`, as strict as its patterns).

use jiff::tz::{Offset, TimeZone};

use super::names::names;
use super::offset;
use super::pattern::{DatePattern, Field, Item, Sign};
use super::resolve::ParsedFields;
use super::{Locale, names::NameKind, names::Style};

/// A reading position with what was read so far.
#[derive(Clone)]
struct Reading<'t> {
    rest: &'t str,
    parsed: ParsedFields,
}

impl DatePattern {
    /// Reads a whole text. The error says where it does not fit.
    pub(super) fn read(&self, text: &str) -> Result<ParsedFields, String> {
        let mut reading = Reading { rest: text, parsed: ParsedFields::default() };
        if reading.items(&self.items, self.locale).is_none() {
            return Err(format!(
                "Text '{text}' could not be parsed at index {}",
                text.len() - reading.rest.len()
            ));
        }
        if !reading.rest.is_empty() {
            let index = text.len() - reading.rest.len();
            return Err(format!("Text '{text}' could not be parsed, unparsed text found at index {index}"));
        }
        Ok(reading.parsed)
    }
}

impl Reading<'_> {
    fn items(&mut self, items: &[Item], locale: Locale) -> Option<()> {
        let reserved = reserved_widths(items);
        items.iter().zip(reserved).try_for_each(|(item, reserved)| self.item(item, reserved, locale))
    }

    fn item(&mut self, item: &Item, reserved: usize, locale: Locale) -> Option<()> {
        match item {
            Item::Literal(text) => self.literal(text),
            Item::Number { field, min, max, sign } => {
                let value = self.number((*min, *max), *sign, reserved)?;
                self.parsed.set(*field, value)
            }
            Item::ReducedYear(field) => {
                let value = self.number((2, 2), Sign::Never, reserved)?;
                self.parsed.set(*field, 2000 + value)
            }
            Item::Fraction(digits) => {
                let value = self.number((*digits, *digits), Sign::Never, reserved)?;
                self.parsed.set(Field::Nano, value * 10_i64.pow(9 - *digits as u32))
            }
            Item::Text(named, style) => self.name(*named, *style, locale),
            Item::ZoneId | Item::ZoneName => self.zone(),
            Item::Offset(shape) => {
                let (offset, length) = shape.parse(self.rest)?;
                self.offset(offset, length)
            }
            Item::LocalizedOffset { full } => {
                let (offset, length) = offset::parse_localized(self.rest, *full)?;
                self.offset(offset, length)
            }
            Item::Padded(width, inner) => self.padded(*width, inner, locale),
            Item::Optional(items) => {
                let mut attempt = self.clone();
                if attempt.items(items, locale).is_some() {
                    *self = attempt;
                }
                Some(())
            }
        }
    }

    fn literal(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    /// Digits between the widths; a number of open width leaves the digits that the numbers right
    /// after it need.
    fn number(&mut self, (min, max): (usize, usize), sign: Sign, reserved: usize) -> Option<i64> {
        let (signed, digits) = match self.rest.as_bytes().first()? {
            b'-' if sign != Sign::Never => (Some(-1), &self.rest[1..]),
            b'+' if sign == Sign::IfWider => (Some(1), &self.rest[1..]),
            _ => (None, self.rest),
        };
        let found = digits.bytes().take(max + reserved).take_while(u8::is_ascii_digit).count();
        let length = if reserved > 0 { found.saturating_sub(reserved).max(min).min(found) } else { found };
        let wider_signed = sign == Sign::IfWider && signed == Some(1) && length <= min;
        let wider_bare = sign == Sign::IfWider && signed.is_none() && length > min;
        if length < min || length == 0 || wider_signed || wider_bare {
            return None;
        }
        let value: i64 = digits[..length].parse().ok()?;
        if signed == Some(-1) && value == 0 {
            return None;
        }
        self.rest = &digits[length..];
        Some(value * signed.unwrap_or(1))
    }

    fn name(&mut self, named: NameKind, style: Style, locale: Locale) -> Option<()> {
        let names = names(named, style, locale);
        let matching = names.iter().enumerate().filter(|(_, name)| self.rest.starts_with(**name));
        let (index, name) = matching.max_by_key(|(_, name)| name.len())?;
        self.rest = &self.rest[name.len()..];
        let index = index as i64;
        match named {
            NameKind::Era => self.parsed.set(Field::Era, index),
            NameKind::HalfDay => self.parsed.set(Field::HalfDay, index),
            NameKind::Quarter => self.parsed.set(Field::Quarter, index + 1),
            NameKind::Month => self.parsed.set(Field::Month, index + 1),
            NameKind::DayOfWeek => self.parsed.set(Field::DayOfWeek, index + 1),
        }
    }

    fn offset(&mut self, offset: Offset, length: usize) -> Option<()> {
        self.rest = &self.rest[length..];
        self.parsed.set_offset(offset)
    }

    /// An offset or the longest name that the time zone database has.
    fn zone(&mut self) -> Option<()> {
        if let Some((offset, length)) = offset::parse_id(self.rest) {
            self.rest = &self.rest[length..];
            self.parsed.set_zone(TimeZone::fixed(offset));
            return Some(());
        }
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
        let mut length = self.rest.find(|c| !name(c)).unwrap_or(self.rest.len());
        while length > 0 {
            if let Ok(zone) = TimeZone::get(&self.rest[..length]) {
                self.rest = &self.rest[length..];
                self.parsed.set_zone(zone);
                return Some(());
            }
            length -= 1;
        }
        None
    }

    fn padded(&mut self, width: usize, inner: &Item, locale: Locale) -> Option<()> {
        let end = self.rest.char_indices().nth(width).map_or(self.rest.len(), |(at, _)| at);
        let text = &self.rest[..end];
        if text.chars().count() < width {
            return None;
        }
        let mut attempt = Reading { rest: text.trim_start_matches(' '), parsed: self.parsed.clone() };
        attempt.item(inner, 0, locale)?;
        if !attempt.rest.is_empty() {
            return None;
        }
        self.parsed = attempt.parsed;
        self.rest = &self.rest[end..];
        Some(())
    }
}

/// How many digits each number leaves for the numbers of fixed width right after it (`yyyyMMdd`).
fn reserved_widths(items: &[Item]) -> Vec<usize> {
    let mut reserved = vec![0; items.len()];
    let mut open = None;
    for (index, item) in items.iter().enumerate() {
        open = match (item, open) {
            (Item::Number { min, max, sign: Sign::Never, .. }, Some(base)) if min == max => {
                reserved[base] += max;
                Some(base)
            }
            (Item::ReducedYear(_), Some(base)) => {
                reserved[base] += 2;
                Some(base)
            }
            (Item::Fraction(digits), Some(base)) => {
                reserved[base] += digits;
                Some(base)
            }
            (Item::Number { .. } | Item::ReducedYear(_) | Item::Fraction(_), _) => Some(index),
            _ => None,
        };
    }
    reserved
}
