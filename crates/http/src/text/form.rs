//! `java.net.URLEncoder` and `java.net.URLDecoder`.

use swell_expr::Charset;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Appends a byte as `%XX`.
pub(crate) fn push_escaped(byte: u8, out: &mut String) {
    out.push('%');
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 15)]));
}

/// Appends a text encoded as a form field: letters, digits and `.-*_` stay, a blank is `+`, all
/// else is escaped bytes of the charset.
pub fn encode_into(text: &str, charset: Charset, out: &mut String) {
    let safe = |c: char| u8::try_from(c).is_ok_and(is_safe_byte);
    let mut bytes = Vec::new();
    let mut rest = text;
    loop {
        let plain = rest.bytes().position(|byte| !is_safe_byte(byte)).unwrap_or(rest.len());
        out.push_str(&rest[..plain]);
        rest = &rest[plain..];
        if rest.is_empty() {
            return;
        }
        if let Some(after) = rest.strip_prefix(' ') {
            out.push('+');
            rest = after;
            continue;
        }
        // A run of other characters is encoded at once, as charsets with state need it.
        let end = rest.find(|c| safe(c) || c == ' ').unwrap_or(rest.len());
        bytes.clear();
        charset.encode_into(&rest[..end], &mut bytes);
        for &byte in &bytes {
            push_escaped(byte, out);
        }
        rest = &rest[end..];
    }
}

fn is_safe_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'*' | b'_')
}

/// Whether encoding leaves a text as it is.
pub(crate) fn is_safe(text: &str) -> bool {
    text.bytes().all(is_safe_byte)
}

/// Decodes a form field.
///
/// # Errors
/// A `%` that two hexadecimal digits do not follow; the text is that of Java's
/// `IllegalArgumentException`.
pub(crate) fn decode(text: &str, charset: Charset) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['%', '+']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('+') {
            out.push(' ');
            rest = &rest[1..];
            continue;
        }
        let mut bytes = Vec::new();
        while rest.starts_with('%') {
            let Some(digits) = rest.get(1..3) else {
                return Err("URLDecoder: Incomplete trailing escape (%) pattern".into());
            };
            let Some(byte) = hex(digits) else { return Err(illegal(digits)) };
            bytes.push(byte);
            rest = &rest[3..];
        }
        out.push_str(&charset.decode(&bytes));
    }
    out.push_str(rest);
    Ok(out)
}

fn hex(digits: &str) -> Option<u8> {
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok())?
}

fn illegal(digits: &str) -> String {
    let at = digits.bytes().position(|b| !b.is_ascii_hexdigit()).unwrap_or(0);
    format!("URLDecoder: Illegal hex characters in escape (%) pattern - Error at index {at} in: \"{digits}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_is_javas() {
        let encode = |text: &str, name: &str| {
            let mut out = String::new();
            encode_into(text, Charset::of(name).unwrap(), &mut out);
            out
        };
        assert_eq!(encode("\u{e9}~*-._!'()", "UTF-8"), "%C3%A9%7E*-._%21%27%28%29");
        assert_eq!(encode("a b+c&d=\u{e9}", "ISO-8859-1"), "a+b%2Bc%26d%3D%E9");
        assert_eq!(encode("\u{20ac}\u{1F600}", "UTF-8"), "%E2%82%AC%F0%9F%98%80");
        assert_eq!(encode("", "UTF-8"), "");
    }

    #[test]
    fn decoding_is_javas() {
        let decode = |text: &str| decode(text, Charset::default());
        assert_eq!(decode("y+z%20q%C3%A9").as_deref(), Ok("y z q\u{e9}"));
        assert_eq!(decode("%"), Err("URLDecoder: Incomplete trailing escape (%) pattern".into()));
        assert_eq!(decode("%4"), Err("URLDecoder: Incomplete trailing escape (%) pattern".into()));
        let words = "URLDecoder: Illegal hex characters in escape (%) pattern - Error at index 0 in: \"zz\"";
        assert_eq!(decode("%zz"), Err(words.into()));
    }
}
