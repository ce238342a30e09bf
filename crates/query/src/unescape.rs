//! Decodes HTML entities, as `StringEscapeUtils.unescapeHtml4` of commons-text does.

use std::borrow::Cow;

use crate::entities::entity_code;

/// Puts characters instead of entities. Other text (no semicolon, unknown name) is unchanged.
/// `no_char` is the replacement for a number that is not a character; `None` leaves it unchanged,
/// too.
///
/// # Errors
/// Those of `no_char`.
pub fn unescape_html4<E>(
    text: Cow<'_, str>,
    no_char: impl Fn(u32) -> Result<Option<char>, E>,
) -> Result<Cow<'_, str>, E> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Ok(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = match entity(rest) {
            Some((code, length)) => {
                let c = char::from_u32(code).map_or_else(|| no_char(code), |c| Ok(Some(c)))?;
                c.map_or(('&', 1), |c| (c, length))
            }
            None => ('&', 1),
        };
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
    Ok(Cow::Owned(out))
}

/// How far the semicolon is looked for.
const LONGEST: usize = 64;

/// The code of the entity that a text begins with, and its length.
fn entity(text: &str) -> Option<(u32, usize)> {
    let length = text.bytes().take(LONGEST).position(|b| b == b';')? + 1;
    let name = &text[1..length - 1];
    let Some(number) = name.strip_prefix('#') else {
        return Some((u32::from(entity_code(name)?), length));
    };
    let (digits, base) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    // As `Integer.parseInt`: larger numbers are not entities.
    let code = i32::from_str_radix(digits, base).ok()?;
    Some((code.cast_unsigned(), length))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Printed by commons-text, except for numbers that are not characters, where it throws or
    /// makes half a pair.
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
            ("&#55296;&#99999999;&#2147483648;", "\u{fffd}\u{fffd}&#2147483648;"),
            ("&#00000000000000000065;", "A"),
            ("no entity", "no entity"),
            (
                "&\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9};",
                "&\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9};",
            ),
        ] {
            let Ok(found) = unescape_html4(text.into(), |_| Ok::<_, Infallible>(Some('\u{fffd}')));
            assert_eq!(found, wanted, "{text}");
        }
    }
}
