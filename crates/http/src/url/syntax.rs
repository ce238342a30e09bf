//! Checks a URL as `java.net.URI` does (RFC 2396 with Java's extensions).

use super::java::Url;

/// `URISyntaxException`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Syntax {
    /// What is wrong.
    pub(crate) reason: String,
    /// Where, in UTF-16 units; none where Java gives no place.
    pub(crate) index: Option<usize>,
    /// The text that is wrong.
    pub(crate) input: String,
}

impl Syntax {
    /// Java's message.
    pub(crate) fn message(&self) -> String {
        match self.index {
            Some(index) => format!("{} at index {index}: {}", self.reason, self.input),
            None => format!("{}: {}", self.reason, self.input),
        }
    }
}

/// Where an ASCII character is allowed: one bit each.
const IN_PATH: u8 = 1;
const IN_QUERY: u8 = 2;
const IN_AUTHORITY: u8 = 4;
const IN_SEGMENT: u8 = 8;

/// Those bits of each byte; bytes beyond ASCII have none.
const PLACES: [u8; 256] = {
    const fn set(mut places: [u8; 256], chars: &[u8], bits: u8) -> [u8; 256] {
        let mut i = 0;
        while i < chars.len() {
            places[chars[i] as usize] |= bits;
            i += 1;
        }
        places
    }
    let digits_and_letters = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let everywhere = set([0; 256], digits_and_letters, IN_PATH | IN_QUERY | IN_AUTHORITY | IN_SEGMENT);
    let everywhere = set(everywhere, b"-_.!~*'():@&=+$,;", IN_PATH | IN_QUERY | IN_AUTHORITY | IN_SEGMENT);
    let with_path = set(everywhere, b"/", IN_PATH | IN_QUERY);
    set(set(with_path, b"?[]", IN_QUERY), b"[]%", IN_AUTHORITY)
};

fn may_stand(c: char, place: u8) -> bool {
    PLACES.get(c as usize).is_some_and(|places| places & place != 0)
}

/// Whether all bytes are ASCII characters that are allowed there. It checks all of them.
fn all_may_stand(bytes: &[u8], place: u8) -> bool {
    bytes.iter().fold(place, |all, &byte| all & PLACES[usize::from(byte)]) != 0
}

/// Whether all characters of a text are allowed unescaped in a path and in a query, without a
/// special meaning.
pub(crate) fn may_stand_in_segment(text: &str) -> bool {
    all_may_stand(text.as_bytes(), IN_SEGMENT)
}

/// Characters of a path.
pub(super) fn in_path(c: char) -> bool {
    may_stand(c, IN_PATH)
}

/// Characters of a query or fragment.
pub(super) fn in_query(c: char) -> bool {
    may_stand(c, IN_QUERY)
}

/// Java's "other" characters: beyond ASCII, neither control nor blank.
pub(super) fn is_other(c: char) -> bool {
    !c.is_ascii() && !c.is_control() && !c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}')
}

impl Url {
    /// `URL.toURI`: what Java finds wrong with the URL as a URI.
    ///
    /// # Errors
    /// A character that is not allowed there, or an invalid escape.
    pub(crate) fn check(&self) -> Result<(), Syntax> {
        check(self)
    }
}

fn check(url: &Url) -> Result<(), Syntax> {
    let text = url.as_str();
    let ((authority, authority_end), path, query, fragment) = url.offsets();
    let fail = |reason: &str, at: usize| {
        let index = Some(text[..at].encode_utf16().count());
        Err(Syntax { reason: reason.to_owned(), index, input: text.to_owned() })
    };
    if path == text.len() && authority == authority_end {
        return fail("Expected scheme-specific part", path);
    }
    // A `?` or `#` in the host ends the authority for the URI; the URL's check of its host comes
    // last.
    let hole = text[authority..authority_end].bytes().position(|byte| matches!(byte, b'?' | b'#' | b'\\'));
    let outside = |c: char| !may_stand(c, IN_AUTHORITY) && !is_other(c);
    let name = &text[authority..hole.map_or(authority_end, |at| authority + at)];
    if !all_may_stand(name.as_bytes(), IN_AUTHORITY) && name.contains(outside) {
        return fail("Illegal character in authority", authority);
    }
    let query_end = fragment.unwrap_or(text.len());
    let path_end = query.unwrap_or(query_end);
    check_part(text, path, path_end, IN_PATH, "path")?;
    if let Some(query) = query {
        check_part(text, query + 1, query_end, IN_QUERY, "query")?;
    }
    if let Some(fragment) = fragment {
        check_part(text, fragment + 1, text.len(), IN_QUERY, "fragment")?;
    }
    check_host(url)
}

fn check_part(text: &str, start: usize, end: usize, place: u8, part: &str) -> Result<(), Syntax> {
    let bytes = &text.as_bytes()[start..end];
    // Plain ASCII without escapes is the rule.
    if all_may_stand(bytes, place) {
        return Ok(());
    }
    for (at, c) in text[start..end].char_indices() {
        let hex = |i: usize| bytes.get(at + i).is_some_and(u8::is_ascii_hexdigit);
        let reason = match c {
            '%' if hex(1) && hex(2) => continue,
            '%' => "Malformed escape pair".to_owned(),
            c if may_stand(c, place) || is_other(c) => continue,
            _ => format!("Illegal character in {part}"),
        };
        let index = Some(text[..start + at].encode_utf16().count());
        return Err(Syntax { reason, index, input: text.to_owned() });
    }
    Ok(())
}

/// `IPAddressUtil.checkAuthority`.
fn check_host(url: &Url) -> Result<(), Syntax> {
    match url.host().bytes().find(|byte| matches!(byte, b'?' | b'#' | b'@' | b'\\')) {
        None => Ok(()),
        Some(byte) => Err(Syntax {
            reason: format!("Illegal character found in host: '{}'", char::from(byte)),
            index: None,
            input: url.authority().to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_javas() {
        let of = |file: &str| {
            Url::from_parts("http", "h", Some(8080), file).unwrap().check().map_err(|e| e.message())
        };
        for good in [
            "/",
            "/a;b=c,d:e@f&g=h+i$j!k*l'm(n)",
            "/a?b[c]",
            "/%41?%20",
            "/\u{e9}?\u{fc}",
            "/x#f",
            "//x",
            "/x??",
        ] {
            assert_eq!(of(good), Ok(()), "{good}");
        }
        let table = [
            ("/a|c", "Illegal character in path at index 15: http://h:8080/a|c"),
            ("/a{b}", "Illegal character in path at index 15: http://h:8080/a{b}"),
            ("/\u{1F600}|", "Illegal character in path at index 16: http://h:8080/\u{1F600}|"),
            ("/%zz", "Malformed escape pair at index 14: http://h:8080/%zz"),
            ("/a%2", "Malformed escape pair at index 15: http://h:8080/a%2"),
            ("/a?b|c", "Illegal character in query at index 17: http://h:8080/a?b|c"),
            ("/a?b c", "Illegal character in query at index 17: http://h:8080/a?b c"),
            ("/a#b#c", "Illegal character in fragment at index 17: http://h:8080/a#b#c"),
            ("/a[b]", "Illegal character in path at index 15: http://h:8080/a[b]"),
        ];
        for (file, words) in table {
            assert_eq!(of(file), Err(words.into()));
        }
    }

    #[test]
    fn hosts_are_checked() {
        let of = |host: &str| {
            Url::from_parts("http", host, Some(1), "/x").unwrap().check().map_err(|e| e.message())
        };
        assert_eq!(of("a_b.invalid"), Ok(()));
        assert_eq!(of("a%20b"), Ok(()));
        assert_eq!(of("a b"), Err("Illegal character in authority at index 7: http://a b:1/x".into()));
        assert_eq!(of("a<b"), Err("Illegal character in authority at index 7: http://a<b:1/x".into()));
        assert_eq!(of("u@h"), Err("Illegal character found in host: '@': u@h:1".into()));
        assert_eq!(of("a?b"), Err("Illegal character found in host: '?': a?b:1".into()));
        let empty = Url::parse("http://").unwrap().check().unwrap_err();
        assert_eq!(empty.message(), "Expected scheme-specific part at index 5: http:");
    }
}
