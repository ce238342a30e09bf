//! Offsets from UTC in the formats of the pattern letters `X`, `x`, `Z` and `O`.

use std::fmt::Write as _;

use jiff::tz::Offset;

/// How minutes and seconds of an offset are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// `+01`, or `+0130` where there are minutes.
    MinutesIfAny,
    /// `+0130`.
    Minutes,
    /// `+0130`, or `+013015` where there are seconds.
    SecondsIfAny,
}

/// The format of an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) detail: Detail,
    pub(super) colons: bool,
    /// The text for no difference.
    pub(super) zero: &'static str,
}

impl Shape {
    /// `X` (`Z` for no difference) and `x`, one to five letters.
    pub(super) fn iso(count: usize, z: bool) -> Option<Self> {
        let (detail, colons, plain_zero) = match count {
            1 => (Detail::MinutesIfAny, false, "+00"),
            2 => (Detail::Minutes, false, "+0000"),
            3 => (Detail::Minutes, true, "+00:00"),
            4 => (Detail::SecondsIfAny, false, "+0000"),
            5 => (Detail::SecondsIfAny, true, "+00:00"),
            _ => return None,
        };
        Some(Self { detail, colons, zero: if z { "Z" } else { plain_zero } })
    }

    /// `Z`, `ZZ` and `ZZZ`.
    pub(super) const RFC_822: Self = Self { detail: Detail::Minutes, colons: false, zero: "+0000" };

    /// Reads an offset in this shape: the offset and the length of its text.
    pub(super) fn parse(self, text: &str) -> Option<(Offset, usize)> {
        if text.starts_with(self.zero) {
            return Some((Offset::UTC, self.zero.len()));
        }
        let mut digits = Digits::after_sign(text)?;
        let hours = digits.two("")?;
        let colon = if self.colons { ":" } else { "" };
        let minutes = match self.detail {
            Detail::MinutesIfAny => digits.two(colon).unwrap_or(0),
            _ => digits.two(colon)?,
        };
        let seconds = if self.detail == Detail::SecondsIfAny { digits.two(colon).unwrap_or(0) } else { 0 };
        digits.offset(hours, minutes, seconds)
    }

    pub(super) fn format(self, offset: Offset, out: &mut String) {
        let (hours, minutes, seconds) = split(offset);
        if (hours, minutes, seconds) == (0, 0, 0) {
            out.push_str(self.zero);
            return;
        }
        let mut parts = vec![hours];
        if self.detail != Detail::MinutesIfAny || minutes != 0 {
            parts.push(minutes);
        }
        if self.detail == Detail::SecondsIfAny && seconds != 0 {
            parts.push(seconds);
        }
        out.push(sign(offset));
        for (index, part) in parts.into_iter().enumerate() {
            let colon = if index > 0 && self.colons { ":" } else { "" };
            write!(out, "{colon}{part:02}").expect("writing to a String cannot fail");
        }
    }
}

/// `O` (`GMT+1`) and `OOOO` or `ZZZZ` (`GMT+01:00`).
pub(super) fn format_localized(offset: Offset, full: bool, out: &mut String) {
    out.push_str("GMT");
    let (hours, minutes, seconds) = split(offset);
    if (hours, minutes, seconds) == (0, 0, 0) {
        return;
    }
    out.push(sign(offset));
    let written = if full { write!(out, "{hours:02}:{minutes:02}") } else { write!(out, "{hours}") };
    written.expect("writing to a String cannot fail");
    if !full && (minutes, seconds) != (0, 0) {
        write!(out, ":{minutes:02}").expect("writing to a String cannot fail");
    }
    if seconds != 0 {
        write!(out, ":{seconds:02}").expect("writing to a String cannot fail");
    }
}

/// Digits of an offset as they are read.
struct Digits<'t> {
    text: &'t str,
    at: usize,
    negative: bool,
}

impl<'t> Digits<'t> {
    fn after_sign(text: &'t str) -> Option<Self> {
        let negative = text.starts_with('-');
        (negative || text.starts_with('+')).then_some(Self { text, at: 1, negative })
    }

    /// Two digits below 60, after what separates them; nothing is read if they are not there.
    fn two(&mut self, separator: &str) -> Option<i32> {
        let rest = self.text[self.at..].strip_prefix(separator)?;
        let two = rest.get(..2).filter(|two| two.bytes().all(|b| b.is_ascii_digit()))?;
        let value = two.parse().ok().filter(|value| *value < 60)?;
        self.at += separator.len() + 2;
        Some(value)
    }

    fn offset(&self, hours: i32, minutes: i32, seconds: i32) -> Option<(Offset, usize)> {
        let seconds = (hours * 60 + minutes) * 60 + seconds;
        // Java's offsets go up to 18 hours.
        let offset = Offset::from_seconds(if self.negative { -seconds } else { seconds }).ok();
        offset.filter(|_| seconds <= 18 * 3600).map(|offset| (offset, self.at))
    }
}

/// Reads `GMT+01:00` (full) or `GMT+1`, which may have minutes too.
pub(super) fn parse_localized(text: &str, full: bool) -> Option<(Offset, usize)> {
    let rest = text.strip_prefix("GMT")?;
    let length = text.len() - rest.len();
    let Some(mut digits) = Digits::after_sign(rest) else { return Some((Offset::UTC, length)) };
    let hours = match digits.two("") {
        Some(hours) => hours,
        None if full => return None,
        None => {
            let digit = rest[digits.at..].chars().next()?.to_digit(10)?;
            digits.at += 1;
            digit as i32
        }
    };
    let minutes = if full { digits.two(":")? } else { digits.two(":").unwrap_or(0) };
    let seconds = digits.two(":").unwrap_or(0);
    digits.offset(hours, minutes, seconds).map(|(offset, read)| (offset, read + length))
}

/// Reads the id of a fixed zone: `Z`, `+01:00`, `-03:30:15`.
pub(super) fn parse_id(text: &str) -> Option<(Offset, usize)> {
    Shape { detail: Detail::SecondsIfAny, colons: true, zero: "Z" }.parse(text)
}

/// The id of a fixed zone: `Z` or `+01:00` (`ZoneOffset.getId`).
pub(super) fn id(offset: Offset) -> String {
    let mut out = String::new();
    Shape { detail: Detail::SecondsIfAny, colons: true, zero: "Z" }.format(offset, &mut out);
    out
}

fn split(offset: Offset) -> (i32, i32, i32) {
    let seconds = offset.seconds().abs();
    (seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn sign(offset: Offset) -> char {
    if offset.is_negative() { '-' } else { '+' }
}
