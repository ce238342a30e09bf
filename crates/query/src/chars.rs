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

/// A byte that a name may begin with, among those of ASCII; the colon is left out.
const NAME_START: u8 = 1;
/// A byte that may be in a name, likewise.
const NAME: u8 = 2;
/// The colon.
const COLON: u8 = 4;
/// White space.
const SPACE: u8 = 8;
/// A byte that means itself in the content of an element: no markup, no reference, no line end of
/// another system, no control character, no part of `]]>`, and not the first of U+FFFE.
const PLAIN: u8 = 16;
/// The same in the value of an attribute: printable, in ASCII.
const PLAIN_VALUE: u8 = 32;

/// The classes of each byte.
static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        let is_start = byte.is_ascii_alphabetic() || byte == b'_';
        let is_inside = is_start || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
        let is_special = matches!(byte, b'<' | b'&' | b']' | 0xEF | 0..=8 | 0x0B..=0x1F);
        let is_value = matches!(byte, b' '..0x7F) && !matches!(byte, b'<' | b'&');
        classes[at] = of(is_start, NAME_START)
            | of(is_inside, NAME)
            | of(byte == b':', COLON)
            | of(matches!(byte, b' ' | b'\t' | b'\n' | b'\r'), SPACE)
            | of(!is_special, PLAIN)
            | of(is_value, PLAIN_VALUE);
        at += 1;
    }
    classes
}

const fn of(belongs: bool, class: u8) -> u8 {
    if belongs { class } else { 0 }
}

/// How many bytes of some classes a text begins with.
#[inline]
fn length_of(bytes: &[u8], classes: u8) -> usize {
    bytes.iter().position(|&byte| CLASSES[byte as usize] & classes == 0).unwrap_or(bytes.len())
}

/// How many bytes of white space a text begins with.
#[inline]
pub fn space_length(text: &str) -> usize {
    length_of(text.as_bytes(), SPACE)
}

/// How many bytes that mean themselves the content of an element begins with. A text that has others
/// too may still mean what is written.
#[inline]
pub fn plain_length(text: &str) -> usize {
    length_of(text.as_bytes(), PLAIN)
}

/// The same for the value of an attribute, which ends at its quote.
#[inline]
pub fn plain_value_length(text: &str, quote: u8) -> usize {
    let is_plain = |byte: u8| CLASSES[byte as usize] & PLAIN_VALUE != 0 && byte != quote;
    text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len())
}

/// How many bytes a name in ASCII has that a text begins with; none if it may be another name, or
/// the text ends in it. The colon belongs to it or ends it.
#[inline]
fn ascii_name_length(text: &str, colons: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let colon = of(colons, COLON);
    if CLASSES[*bytes.first()? as usize] & (NAME_START | colon) == 0 {
        return None;
    }
    let length = length_of(bytes, NAME | colon);
    bytes.get(length)?.is_ascii().then_some(length)
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
