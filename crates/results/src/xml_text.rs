//! Text in an XML results file, as XStream's `PrettyPrintWriter` writes it.

/// `PrettyPrintWriter.writeText` in its quirks mode, but for characters that no XML document may
/// hold, not even by number: XStream writes their numbers, and only its own parser reads such a
/// file.
pub(crate) fn escaped(out: &mut Vec<u8>, text: &str, in_attribute: bool) {
    let bytes = text.as_bytes();
    // Nearly all texts of a row stay as they are: without an early end this is a few instructions
    // for sixteen bytes.
    if bytes.iter().fold(true, |plain, byte| plain & is_plain(*byte)) {
        return out.extend_from_slice(bytes);
    }
    let mut done = 0;
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|byte| !is_plain(*byte)) {
        let start = at + next;
        let character = text[start..].chars().next().expect("a byte that is not plain begins a character");
        at = start + character.len_utf8();
        let escape = match character {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' => "&apos;",
            '\t' | '\n' if !in_attribute => continue,
            '\r' => "&#xd;",
            _ if !is_xml(character) => "\u{fffd}",
            _ if is_defined(character) => continue,
            _ => "",
        };
        out.extend_from_slice(&bytes[done..start]);
        if escape.is_empty() {
            out.extend_from_slice(format!("&#x{:x};", u32::from(character)).as_bytes());
        } else {
            out.extend_from_slice(escape.as_bytes());
        }
        done = at;
    }
    out.extend_from_slice(&bytes[done..]);
}

/// Whether a byte is a character of ASCII that stays as it is everywhere.
fn is_plain(byte: u8) -> bool {
    (b' '..=b'~').contains(&byte) && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'')
}

/// Production 2 of XML 1.0.
pub(crate) fn is_xml(character: char) -> bool {
    !matches!(character, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}')
}

/// `Character.isDefined && !Character.isISOControl`, but for code points that no version of Unicode
/// assigns yet.
fn is_defined(character: char) -> bool {
    !matches!(character, '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}')
}
