//! Heads are ISO 8859-1 to HttpClient: each byte is a character, and what does not fit goes out as `?`.

/// Appends a text as the bytes of a head: characters from U+0020 to U+00FF without controls, tab; all others are `?`
/// (`org.apache.http.util.ByteArrayBuffer`).
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

/// Whether a text has only characters that ASCII prints. It looks at all of them without a branch, eight or more at a time.
#[inline]
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |plain, byte| plain & (byte.wrapping_sub(b' ') <= b'~' - b' '))
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
}
