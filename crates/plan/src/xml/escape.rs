//! Character escapes, written as XStream's `PrettyPrintWriter` writes them and read as its pull
//! parser reads them.

use std::borrow::Cow;
use std::fmt::Write;

/// The position and kind of an invalid escape.
#[derive(Debug, PartialEq)]
pub(crate) struct EscapeError {
    /// Byte offset of the `&`.
    pub(crate) offset: usize,
    /// The wrong escape as written.
    pub(crate) written: String,
}

/// Appends character data.
pub(crate) fn escape_text(out: &mut String, text: &str) {
    escape(out, text, false);
}

/// Appends the inside of a double-quoted attribute.
pub(crate) fn escape_attribute(out: &mut String, text: &str) {
    escape(out, text, true);
}

fn escape(out: &mut String, text: &str, attribute: bool) {
    let mut plain = 0;
    for (at, c) in text.char_indices() {
        let known = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' => "&apos;",
            '\r' => "&#xd;",
            '\t' | '\n' if !attribute => continue,
            c if is_written_as_number(c) => "",
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        plain = at + c.len_utf8();
        if known.is_empty() {
            write!(out, "&#x{:x};", u32::from(c)).expect("writing to a String cannot fail");
        } else {
            out.push_str(known);
        }
    }
    out.push_str(&text[plain..]);
}

/// Java's ISO control characters and the two code units that are not characters.
fn is_written_as_number(c: char) -> bool {
    matches!(c, '\0'..='\x1F' | '\x7F'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Character data to text: escapes resolved, line ends made `\n` (XML 1.0 section 2.11).
pub(crate) fn unescape_text(raw: &str) -> Result<Cow<'_, str>, EscapeError> {
    if raw.bytes().any(|b| b == b'&' || b == b'\r') {
        unescape(raw, false).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(raw))
    }
}

/// Attribute value to text: escapes resolved, white space made blanks (XML 1.0 section 3.3.3).
pub(crate) fn unescape_attribute(raw: &str) -> Result<Cow<'_, str>, EscapeError> {
    if raw.bytes().any(|b| matches!(b, b'&' | b'\r' | b'\n' | b'\t')) {
        unescape(raw, true).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(raw))
    }
}

fn unescape(raw: &str, attribute: bool) -> Result<String, EscapeError> {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(['&', '\r', '\n', '\t']) {
        out.push_str(&rest[..at]);
        let special = &rest[at..];
        if special.starts_with('&') {
            let (c, after) = entity(special).ok_or_else(|| EscapeError {
                offset: raw.len() - special.len(),
                written: special.chars().take(12).take_while(|c| !matches!(c, '<' | '\n')).collect(),
            })?;
            out.push(c);
            rest = after;
        } else {
            let length = if special.starts_with("\r\n") { 2 } else { 1 };
            let kept = if special.starts_with('\t') { '\t' } else { '\n' };
            out.push(if attribute { ' ' } else { kept });
            rest = &special[length..];
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// The character of the escape at the start of `text`, and what follows.
fn entity(text: &str) -> Option<(char, &str)> {
    let end = text.bytes().take(16).position(|b| b == b';')?;
    let name = &text[1..end];
    let after = &text[end + 1..];
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return numbered(name, after),
    };
    Some((c, after))
}

fn numbered<'a>(name: &str, after: &'a str) -> Option<(char, &'a str)> {
    let code = code_point(name)?;
    if !(0xD800..0xE000).contains(&code) {
        return char::from_u32(code).map(|c| (c, after));
    }
    // Old writers escaped the two halves of a character beyond the first plane one by one.
    let pair = after.split_once(';').and_then(|(low, behind)| {
        let low = code_point(low.strip_prefix('&')?)?;
        let units = [u16::try_from(code).ok()?, u16::try_from(low).ok()?];
        Some((char::decode_utf16(units).next()?.ok()?, behind))
    });
    pair.or(Some((char::REPLACEMENT_CHARACTER, after)))
}

fn code_point(name: &str) -> Option<u32> {
    let digits = name.strip_prefix('#')?;
    let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => (hex, 16),
        None => (digits, 10),
    };
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_as_xstream_does() {
        let mut text = String::new();
        escape_text(&mut text, "a&<>\"'\r\n\t\0\u{1}\u{85}é😀");
        assert_eq!(text, "a&amp;&lt;&gt;&quot;&apos;&#xd;\n\t&#x0;&#x1;&#x85;é😀");
        let mut attribute = String::new();
        escape_attribute(&mut attribute, "a\n\tb");
        assert_eq!(attribute, "a&#xa;&#x9;b");
    }

    #[test]
    fn escapes_are_read() {
        let cases = [
            ("plain", "plain"),
            ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"),
            ("&#65;&#x41;&#X41;", "AAA"),
            ("a\r\nb\rc\n\td", "a\nb\nc\n\td"),
            ("&#xd;&#xa;", "\r\n"),
            ("&#x0;&#x1;", "\0\u{1}"),
            ("&#x1F600;", "😀"),
            ("&#xd83d;&#xde00;!", "😀!"),
            ("&#xd83d;!", "\u{FFFD}!"),
        ];
        for (raw, text) in cases {
            assert_eq!(unescape_text(raw).as_deref(), Ok(text), "{raw}");
        }
        assert_eq!(unescape_attribute("a\r\nb\tc\nd&#xa;").as_deref(), Ok("a b c d\n"));
    }

    #[test]
    fn wrong_escapes_are_located() {
        for raw in ["ab&nbsp;", "ab& b", "ab&", "ab&#x110000;", "ab&#;", "ab&#x;", "ab&#+1;", "ab&#xg;"] {
            assert_eq!(unescape_text(raw).expect_err(raw).offset, 2, "{raw}");
        }
    }
}
