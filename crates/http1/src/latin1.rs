//! HttpClient treats heads as ISO 8859-1: each byte is a character, and characters that do not fit
//! are sent as `?`.

/// Appends a text as the bytes of a head: characters from U+0020 to U+00FF without controls, tab;
/// all others are `?` (`org.apache.http.util.ByteArrayBuffer`).
pub fn encode_into(text: &str, out: &mut Vec<u8>) {
    if is_plain(text) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    // Java counts UTF-16 units: a character beyond U+FFFF is two question marks.
    out.extend(text.encode_utf16().map(|unit| match unit {
        0x09 | 0x20..=0x7E | 0xA0..=0xFF => unit as u8,
        _ => b'?',
    }));
}

/// Whether a text has only characters that ASCII prints.
#[inline]
pub fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (eights, rest) = bytes.as_chunks();
    // The last eight bytes cover the rest and some bytes before it again.
    let rest_is_plain = match bytes.last_chunk() {
        Some(last) => are_plain(*last),
        None => rest.iter().all(|byte| matches!(byte, b' '..=b'~')),
    };
    rest_is_plain && eights.iter().all(|eight| are_plain(*eight))
}

/// Whether ASCII prints each of eight bytes: a subtraction borrows from the highest bit of a byte
/// below the space, an addition carries into that of the byte after `~`, and bytes beyond ASCII
/// have it set.
#[inline]
fn are_plain(eight: [u8; 8]) -> bool {
    const fn eight_of(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }
    let word = u64::from_ne_bytes(eight);
    let below = word.wrapping_sub(eight_of(b' ')) & !word;
    let above = word.wrapping_add(eight_of(0x80 - b'~' - 1)) | word;
    (below | above) & eight_of(0x80) == 0
}

/// The bytes of a head as text.
pub fn decode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    decode_into(bytes, &mut out);
    out
}

/// Appends the bytes of a head as text.
pub(crate) fn decode_into(bytes: &[u8], out: &mut String) {
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.is_ascii() => out.push_str(text),
        _ => out.extend(bytes.iter().map(|&b| char::from(b))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_a_question_mark() {
        let mut out = Vec::new();
        encode_into("caf\u{e9} \u{20ac}\t\u{1}\u{1F600}", &mut out);
        assert_eq!(out, b"caf\xe9 ?\t???");
        assert_eq!(decode(b"caf\xe9"), "caf\u{e9}");
    }

    #[test]
    fn plain_is_what_ascii_prints_wherever_it_stands() {
        for length in 0..20 {
            assert!(is_plain(&"~ ".repeat(10)[..length]));
            for (at, c) in (0..length).flat_map(|at| ('\0'..'\u{100}').map(move |c| (at, c))) {
                let text: String = (0..length).map(|i| if i == at { c } else { ' ' }).collect();
                assert_eq!(is_plain(&text), matches!(c, ' '..='~'), "{text:?}");
            }
        }
    }
}
