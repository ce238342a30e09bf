//! Formats a point in time (Java's `DateTimeFormatter.format`).

use std::borrow::Cow;
use std::fmt::Write as _;

use jiff::tz::TimeZone;

use super::names::{NameKind, Style, names};
use super::offset;
use super::pattern::{DatePattern, Field, Item, Sign};
use super::{Fields, Locale};

impl DatePattern {
    /// Appends the moment. The error names what the pattern wants and the moment does not have.
    pub fn format(&self, moment: &Fields, out: &mut String) -> Result<(), String> {
        format_items(&self.items, moment, self.locale, out)
    }
}

fn format_items(items: &[Item], moment: &Fields, locale: Locale, out: &mut String) -> Result<(), String> {
    items.iter().try_for_each(|item| format_item(item, moment, locale, out))
}

fn format_item(item: &Item, moment: &Fields, locale: Locale, out: &mut String) -> Result<(), String> {
    match item {
        Item::Literal(text) => out.push_str(text),
        Item::Number { field, min, max, sign } => {
            return format_number(value(moment, *field)?, (*min, *max), *sign, out);
        }
        Item::ReducedYear(field) => {
            write!(out, "{:02}", value(moment, *field)?.rem_euclid(100))
                .expect("writing to a String cannot fail");
        }
        Item::Fraction(digits) => {
            let nanos = format!("{:09}", value(moment, Field::Nano)?);
            out.push_str(&nanos[..*digits]);
        }
        Item::Text(named, style) => out.push_str(&name(moment, *named, *style, locale)?),
        Item::ZoneId | Item::ZoneName => format_zone(item, moment, out)?,
        Item::Offset(shape) => shape.format(moment.offset.ok_or("the offset is not known")?, out),
        Item::LocalizedOffset { full } => {
            offset::format_localized(moment.offset.ok_or("the offset is not known")?, *full, out);
        }
        Item::Padded(width, inner) => return format_padded(*width, inner, moment, locale, out),
        Item::Optional(items) => {
            let start = out.len();
            if format_items(items, moment, locale, out).is_err() {
                out.truncate(start);
            }
        }
    }
    Ok(())
}

fn value(moment: &Fields, field: Field) -> Result<i64, String> {
    moment.number(field).ok_or_else(|| format!("{field:?} is not known"))
}

fn format_number(value: i64, (min, max): (usize, usize), sign: Sign, out: &mut String) -> Result<(), String> {
    let digits = value.unsigned_abs().to_string();
    if digits.len() > max {
        return Err(format!("{value} is wider than {max} digits"));
    }
    match sign {
        _ if value < 0 && sign != Sign::Never => out.push('-'),
        Sign::Never if value < 0 => return Err(format!("{value} is negative")),
        Sign::IfWider if digits.len() > min => out.push('+'),
        _ => {}
    }
    out.extend(std::iter::repeat_n('0', min.saturating_sub(digits.len())));
    out.push_str(&digits);
    Ok(())
}

/// The name of a value, or its number where it has none (`TextPrinterParser`): a pattern may read a
/// month or a quarter as a number that no date has.
fn name(moment: &Fields, named: NameKind, style: Style, locale: Locale) -> Result<Cow<'static, str>, String> {
    let (field, first) = match named {
        NameKind::Era => (Field::Era, 0),
        NameKind::Quarter => (Field::Quarter, 1),
        NameKind::Month => (Field::Month, 1),
        NameKind::DayOfWeek => (Field::DayOfWeek, 1),
        NameKind::HalfDay => (Field::HalfDay, 0),
    };
    let value = value(moment, field)?;
    let place = usize::try_from(value.saturating_sub(first)).ok();
    let name = place.and_then(|place| names(named, style, locale).get(place).copied());
    Ok(name.map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed))
}

fn format_zone(item: &Item, moment: &Fields, out: &mut String) -> Result<(), String> {
    let zone = moment.zone.as_ref().ok_or("the zone is not known")?;
    match zone.iana_name() {
        Some(id) if *item == Item::ZoneId => out.push_str(id),
        Some(id) => out.push_str(&abbreviation(moment, zone).unwrap_or_else(|| id.to_owned())),
        None => out.push_str(&offset::id(moment.offset.ok_or("the offset is not known")?)),
    }
    Ok(())
}

/// The short name of the zone at that moment (`CET`, `CEST`).
fn abbreviation(moment: &Fields, zone: &TimeZone) -> Option<String> {
    let zoned = moment.date?.to_datetime(moment.time?).to_zoned(zone.clone()).ok()?;
    let info = zone.to_offset_info(zoned.timestamp());
    Some(info.abbreviation().to_owned())
}

fn format_padded(
    width: usize,
    inner: &Item,
    moment: &Fields,
    locale: Locale,
    out: &mut String,
) -> Result<(), String> {
    let mut text = String::new();
    format_item(inner, moment, locale, &mut text)?;
    let length = text.chars().count();
    if length > width {
        return Err(format!("`{text}` is wider than {width}"));
    }
    out.extend(std::iter::repeat_n(' ', width - length));
    out.push_str(&text);
    Ok(())
}
