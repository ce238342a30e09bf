//! Classes of characters (`org.w3c.tidy.TidyUtils`): of ASCII only. Characters are UTF-16 units; what is none is negative.

pub(super) fn is_white(c: i32) -> bool {
    matches!(c, 0x20 | 0x09 | 0x0A | 0x0C | 0x0D)
}

pub(super) fn is_letter(c: i32) -> bool {
    ascii(c).is_some_and(|c| c.is_ascii_alphabetic())
}

/// Whether it may stand in a name.
pub(super) fn is_name(c: i32) -> bool {
    ascii(c).is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b':' | b'_'))
}

pub(super) fn to_lower(c: i32) -> i32 {
    ascii(c).map_or(c, |c| i32::from(c.to_ascii_lowercase()))
}

fn ascii(c: i32) -> Option<u8> {
    u8::try_from(c).ok().filter(u8::is_ascii)
}

/// A character of ASCII.
pub(super) const fn of(c: u8) -> i32 {
    c as i32
}
