//! Characters and names of XML (XML 1.0, 2.2 and 2.3).

/// White space of XML.
pub fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// Whether a character is allowed in a document.
pub fn is_char(c: char) -> bool {
    !matches!(c, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}')
}

/// Whether a name may begin with it; the colon is left out.
pub fn is_name_start(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '_'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// Whether it is allowed in a name; the colon is excluded.
pub fn is_name(c: char) -> bool {
    is_name_start(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// How many bytes of a name in ASCII a text begins with, and whether they are the whole name: the
/// colon belongs to it or ends it.
fn ascii_name_length(text: &str, colons: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_start = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || (colons && *byte == b':');
    let is_inside = |byte: &u8| is_start(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    if !bytes.first().is_some_and(is_start) {
        return None;
    }
    let length = bytes.iter().position(|byte| !is_inside(byte))?;
    bytes[length].is_ascii().then_some(length)
}

/// The length of the name, colons included, that a text begins with.
pub fn qualified_name_length(text: &str) -> usize {
    if let Some(length) = ascii_name_length(text, true) {
        return length;
    }
    if !text.starts_with(|c| is_name_start(c) || c == ':') {
        return 0;
    }
    text.find(|c| !is_name(c) && c != ':').unwrap_or(text.len())
}

/// The length of the name without colon that a text begins with.
pub fn name_length(text: &str) -> usize {
    if let Some(length) = ascii_name_length(text, false) {
        return length;
    }
    let mut chars = text.char_indices();
    match chars.next() {
        Some((_, c)) if is_name_start(c) => {
            chars.find(|&(_, c)| !is_name(c)).map_or(text.len(), |(at, _)| at)
        }
        _ => 0,
    }
}
