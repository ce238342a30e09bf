//! `name=value&…` in targets and forms, percent signs and pluses (WHATWG URL,
//! application/x-www-form-urlencoded).

use std::borrow::Cow;

/// The pairs of a query, still encoded; a name without `=` has an empty value.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter(|part| !part.is_empty()).map(|part| part.split_once('=').unwrap_or((part, "")))
}

/// The still encoded value of the first pair of that name.
pub(crate) fn value<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    pairs(query).find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// Percent signs and pluses resolved; bytes that are not UTF-8 become U+FFFD. An invalid escape
/// stays as it is.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains(['%', '+']) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = match (first, hex_pair(tail)) {
            (b'%', Some(byte)) => {
                out.push(byte);
                &tail[2..]
            }
            (first, _) => {
                out.push(if *first == b'+' { b' ' } else { *first });
                tail
            }
        };
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let [high, low, ..] = bytes else { return None };
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_in_order() {
        let seen: Vec<_> = pairs("a=1&&b&c=x=y&").collect();
        assert_eq!(seen, [("a", "1"), ("b", ""), ("c", "x=y")]);
        assert_eq!(value("a=1&b=2&b=3", "b"), Some("2"));
        assert_eq!(value("ab=1", "b"), None);
    }

    #[test]
    fn escapes_resolve() {
        for (text, wanted) in [
            ("plain", "plain"),
            ("a+b%20c", "a b c"),
            ("%C3%bc", "ü"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz", "%zz"),
            ("%ff", "\u{fffd}"),
        ] {
            assert_eq!(decode(text), wanted, "{text}");
        }
    }
}
