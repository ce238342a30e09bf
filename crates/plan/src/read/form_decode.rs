//! Decodes texts of format 1.0 (JMeter 2.1 and older), which are URL-encoded
//! (`ConversionHelp.decode`).

/// `URLDecoder.decode` with UTF-8. A text that it would refuse is returned as it is.
pub(super) fn form_decode(text: &str) -> String {
    if !text.contains(['+', '%']) {
        return text.to_owned();
    }
    decoded_bytes(text).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| text.to_owned())
}

fn decoded_bytes(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => (hex(bytes.next()?)? << 4) | hex(bytes.next()?)?,
            plain => plain,
        });
    }
    Some(out)
}

fn hex(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_encoding_is_undone() {
        let cases = [
            ("plain", "plain"),
            ("a+b%2Bc", "a b+c"),
            ("%C3%BC", "ü"),
            ("%zz+", "%zz+"),
            ("%", "%"),
            ("%FF", "%FF"),
        ];
        for (encoded, text) in cases {
            assert_eq!(form_decode(encoded), text);
        }
    }
}
