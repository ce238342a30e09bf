//! Escapes of HTML, XML and Java strings, as in `StringEscapeUtils` of commons-text 1.11.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `escapeHtml4`.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for c in text.chars() {
        match swell_query::entity_name(c) {
            Some(name) => out.extend(["&", name, ";"]),
            None => out.push(c),
        }
    }
    out
}

/// `escapeXml10`: characters that XML 1.0 cannot hold are dropped.
pub(super) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for c in text.chars() {
        match c {
            '"' => out.push_str("&quot;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' => out.push_str("&apos;"),
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' => {
                write!(out, "&#{};", u32::from(c)).expect("writing to a String cannot fail");
            }
            c => out.push(c),
        }
    }
    out
}

/// `unescapeHtml4`, or what `Character.toChars` throws of a number beyond the last character. Half
/// of a pair stays as it is written.
pub(super) fn unescape_html(text: &str) -> Result<String, String> {
    let no_char = |code| match code {
        ..=0x10_ffff => Ok(None),
        code => Err(format!("Not a valid Unicode code point: 0x{code:X}")),
    };
    swell_query::unescape_html4(text.into(), no_char).map(Cow::into_owned)
}

/// `unescapeJava`: `\n` and its like, `\u0041`, octal `\101`; a backslash before anything else
/// goes.
pub(super) fn unescape_java(text: &str) -> Result<String, String> {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != '\\' {
            units.extend(c.encode_utf16(&mut [0; 2]).iter());
            continue;
        }
        let (length, unit) = after_backslash(rest)?;
        units.extend(unit);
        rest = &rest[length..];
    }
    Ok(String::from_utf16_lossy(&units))
}

/// How many bytes after the backslash are read, and the unit they encode; `None` if the backslash
/// is just dropped.
fn after_backslash(rest: &str) -> Result<(usize, Option<u16>), String> {
    let Some(first) = rest.chars().next() else { return Ok((0, None)) };
    let simple = |unit: u8| Ok((1, Some(u16::from(unit))));
    match first {
        'n' => simple(b'\n'),
        't' => simple(b'\t'),
        'r' => simple(b'\r'),
        'b' => simple(8),
        'f' => simple(12),
        '\\' | '"' | '\'' => simple(first as u8),
        'u' => unicode(rest),
        '0'..='7' => Ok(octal(rest)),
        _ => Ok((0, None)),
    }
}

/// `u`, any number of them, an optional `+`, four hexadecimal digits.
fn unicode(rest: &str) -> Result<(usize, Option<u16>), String> {
    let digits = rest.trim_start_matches('u');
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let start = rest.len() - digits.len();
    let four: String = digits.chars().take(4).collect();
    if four.chars().count() < 4 {
        return Err(format!(
            r"Less than 4 hex digits in unicode value: '\{rest}' due to end of CharSequence"
        ));
    }
    let value = Some(&*four).filter(|four| four.bytes().all(|b| b.is_ascii_hexdigit()));
    let value = value.and_then(|four| u16::from_str_radix(four, 16).ok());
    let value = value.ok_or_else(|| format!("Unable to parse unicode value: {four}"))?;
    Ok((start + 4, Some(value)))
}

/// Up to three octal digits, up to 377.
fn octal(rest: &str) -> (usize, Option<u16>) {
    let limit = if rest.as_bytes()[0] <= b'3' { 3 } else { 2 };
    let length = rest.bytes().take(limit).take_while(|b| (b'0'..=b'7').contains(b)).count();
    (length, u16::from_str_radix(&rest[..length], 8).ok())
}
