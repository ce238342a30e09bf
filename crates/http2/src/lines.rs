//! HTTP/1 shaped lines, and which fields HTTP/2 carries (RFC 9113 §8.2).

use crate::error::InvalidField;

/// Characters of a field name: those of a token but capitals.
static NAME: [bool; 256] = {
    let mut table = [false; 256];
    let allowed = b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
    let mut at = 0;
    while at < allowed.len() {
        table[allowed[at] as usize] = true;
        at += 1;
    }
    table
};

/// Whether the name is a token without capitals.
pub(crate) fn is_lower_token(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| NAME[usize::from(*byte)])
}

/// Whether the bytes are a token, capitals allowed.
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| NAME[usize::from(byte.to_ascii_lowercase())])
}

/// Whether a value holds nothing that would end a line, and no blanks at its ends.
pub(crate) fn is_value(value: &[u8]) -> bool {
    let is_blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    // Values are short: a loop without an early end is faster than a search.
    let ends_line = value.iter().fold(false, |ends, byte| ends | matches!(byte, b'\r' | b'\n' | 0));
    !ends_line && !is_blank(value.first()) && !is_blank(value.last())
}

/// Whether the bytes can be a target or an authority: no blanks, no control characters.
pub(crate) fn is_target(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte > b' ' && *byte != 0x7f)
}

/// Whether a field belongs to a connection of HTTP/1.1 and must not be sent (RFC 9113 §8.2.2).
/// `name` is in lower case.
pub(crate) fn is_of_connection(name: &[u8], value: &[u8]) -> bool {
    match name {
        b"connection" | b"keep-alive" | b"proxy-connection" | b"transfer-encoding" | b"upgrade" => true,
        b"te" => !value.eq_ignore_ascii_case(b"trailers"),
        _ => false,
    }
}

/// Whether a line of an HTTP/1.1 head is left out of an HTTP/2 head.
fn is_left_out(name: &[u8], value: &[u8]) -> bool {
    matches!(name, b"host" | b"http2-settings") || is_of_connection(name, value)
}

/// Calls `each` with name, in lower case, and value of each line that is sent.
///
/// # Errors
/// A line has no colon, or its name or value cannot be sent.
pub(crate) fn for_each(lines: &[u8], mut each: impl FnMut(&[u8], &[u8])) -> Result<(), InvalidField> {
    /// Names up to this length need no allocation.
    const SHORT: usize = 64;
    let mut rest = lines;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or_default();
        if line.is_empty() {
            continue;
        }
        let Some(colon) = memchr::memchr(b':', line) else {
            return Err(InvalidField::new(line, "a line without a colon"));
        };
        let name = &line[..colon];
        let value = line[colon + 1..].trim_ascii();
        if !is_token(name) {
            return Err(InvalidField::new(name, "a name consists of letters, digits and some signs"));
        }
        if !is_value(value) {
            return Err(InvalidField::new(name, "line ends and NUL are not allowed in a value"));
        }
        let mut short = [0; SHORT];
        let long;
        let lower: &[u8] = if let Some(short) = short.get_mut(..name.len()) {
            short.copy_from_slice(name);
            short.make_ascii_lowercase();
            short
        } else {
            long = name.to_ascii_lowercase();
            &long
        };
        if !is_left_out(lower, value) {
            each(lower, value);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    fn seen(lines: &str) -> Result<String, InvalidField> {
        let mut out = String::new();
        for_each(lines.as_bytes(), |name, value| {
            write!(out, "{}={};", name.escape_ascii(), value.escape_ascii()).expect("memory takes it");
        })?;
        Ok(out)
    }

    #[test]
    fn lines_become_fields() {
        for (lines, wanted) in [
            ("", ""),
            ("Accept: */*\r\nX-A:  b \r\n", "accept=*/*;x-a=b;"),
            ("a: b\nc:d", "a=b;c=d;"),
            ("Host: x\r\nConnection: close\r\nKeep-Alive: 5\r\nA: b\r\n", "a=b;"),
            ("TE: trailers\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n", "te=trailers;"),
            ("TE: gzip\r\nTransfer-Encoding: chunked\r\nProxy-Connection: x\r\n", ""),
            ("Empty:\r\n\r\n", "empty=;"),
        ] {
            assert_eq!(seen(lines).as_deref(), Ok(wanted), "{lines:?}");
        }
        let name = "X".repeat(100);
        assert_eq!(seen(&format!("{name}: 1")).unwrap(), format!("{}=1;", name.to_lowercase()));
    }

    #[test]
    fn what_would_forge_a_line_is_refused() {
        for lines in ["no colon\r\n", ": x\r\n", "a b: c\r\n", "a: b\rc: d\r\n", "a: \0\r\n", ":path: /\r\n"]
        {
            assert!(seen(lines).is_err(), "{lines:?}");
        }
    }
}
