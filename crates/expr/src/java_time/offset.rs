//! Offsets to UTC as pattern letters `X`, `x`, `Z` and `O` show them.

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

/// The shape of an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) detail: Detail,
    pub(super) colons: bool,
    /// What stands for no difference.
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
            write!(out, "{colon}{part:02}").expect("a String takes everything");
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
    written.expect("a String takes everything");
    if !full && (minutes, seconds) != (0, 0) {
        write!(out, ":{minutes:02}").expect("a String takes everything");
    }
    if seconds != 0 {
        write!(out, ":{seconds:02}").expect("a String takes everything");
    }
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
