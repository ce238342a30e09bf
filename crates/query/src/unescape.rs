//! HTML entities to characters, as `StringEscapeUtils.unescapeHtml4` of commons-text does.

use std::borrow::Cow;

use crate::entity_code;

/// Puts characters in the place of entities. What is no entity (no semicolon, unknown name) stays as it is.
pub fn unescape_html4(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((c, length)) = entity(rest) {
            out.push(c);
            rest = &rest[length..];
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The entity that a text begins with, and its length.
fn entity(text: &str) -> Option<(char, usize)> {
    let length = text.bytes().take(16).position(|b| b == b';')? + 1;
    let name = &text[1..length - 1];
    let c = if let Some(number) = name.strip_prefix('#') {
        numeric(number)?
    } else {
        char::from_u32(u32::from(entity_code(name)?))?
    };
    Some((c, length))
}

fn numeric(number: &str) -> Option<char> {
    let (digits, base) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    // Half of a surrogate pair has no character in Rust.
    u32::from_str_radix(digits, base).ok().map(|code| char::from_u32(code).unwrap_or('\u{FFFD}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by commons-text, but for the numbers that are no characters, where it throws or makes half a pair.
    #[test]
    fn entities_become_characters() {
        for (text, wanted) in [
            ("&amp;", "&"),
            ("&#65;&#x41;&#X41;", "AAA"),
            ("&#65 &#xZ; &#; &#x; &#65a;", "&#65 &#xZ; &#; &#x; &#65a;"),
            ("&apos; &quot &unknown; &Amp; & &", "&apos; &quot &unknown; &Amp; & &"),
            ("&quot;a&lt;b&gt;", "\"a<b>"),
            ("&amp;amp;", "&amp;"),
            ("&nbsp;x&euro;&AElig;", "\u{a0}x\u{20ac}\u{c6}"),
            ("&#128512;&#x1F600;", "\u{1f600}\u{1f600}"),
            ("&#55296;&#99999999;", "\u{fffd}\u{fffd}"),
            ("no entity", "no entity"),
            (
                "&\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9};",
                "&\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9};",
            ),
        ] {
            assert_eq!(unescape_html4(Cow::Borrowed(text)), wanted, "{text}");
        }
    }
}
