//! What `java.net.URI` (RFC 2396 with Java's extensions) finds wrong with a URL.

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

/// Characters of a path.
pub(super) fn in_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.!~*'():@&=+$,;/".contains(c)
}

/// Characters of a query or fragment.
pub(super) fn in_query(c: char) -> bool {
    in_path(c) || "?[]".contains(c)
}

fn in_authority(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.!~*'():@&=+$,;[]%".contains(c)
}

/// Java's "other" characters: beyond ASCII, neither control nor blank.
pub(super) fn is_other(c: char) -> bool {
    !c.is_ascii() && !c.is_control() && !c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}')
}

pub(super) fn check(url: &Url) -> Result<(), Syntax> {
    let text = url.as_str();
    let ((authority, authority_end), path, query, fragment) = url.offsets();
    let fail = |reason: &str, at: usize| {
        let index = Some(text[..at].encode_utf16().count());
        Err(Syntax { reason: reason.to_owned(), index, input: text.to_owned() })
    };
    if path == text.len() && authority == authority_end {
        return fail("Expected scheme-specific part", path);
    }
    // A `?` or `#` in the host ends the authority for the URI; the URL's check of its host comes last.
    let hole = text[authority..authority_end].find(['?', '#', '\\']);
    let outside = |c: char| !in_authority(c) && !is_other(c);
    if text[authority..hole.map_or(authority_end, |at| authority + at)].contains(outside) {
        return fail("Illegal character in authority", authority);
    }
    let query_end = fragment.unwrap_or(text.len());
    let path_end = query.unwrap_or(query_end);
    check_part(text, path, path_end, in_path, "path")?;
    if let Some(query) = query {
        check_part(text, query + 1, query_end, in_query, "query")?;
    }
    if let Some(fragment) = fragment {
        check_part(text, fragment + 1, text.len(), in_query, "fragment")?;
    }
    check_host(url)
}

fn check_part(
    text: &str,
    start: usize,
    end: usize,
    allowed: fn(char) -> bool,
    part: &str,
) -> Result<(), Syntax> {
    let bytes = &text.as_bytes()[start..end];
    // Plain ASCII without escapes is the rule.
    if bytes.iter().all(|&b| b < 0x80 && b != b'%' && allowed(char::from(b))) {
        return Ok(());
    }
    for (at, c) in text[start..end].char_indices() {
        let hex = |i: usize| bytes.get(at + i).is_some_and(u8::is_ascii_hexdigit);
        let reason = match c {
            '%' if hex(1) && hex(2) => continue,
            '%' => "Malformed escape pair".to_owned(),
            c if allowed(c) || is_other(c) => continue,
            _ => format!("Illegal character in {part}"),
        };
        let index = Some(text[..start + at].encode_utf16().count());
        return Err(Syntax { reason, index, input: text.to_owned() });
    }
    Ok(())
}

/// `IPAddressUtil.checkAuthority`.
fn check_host(url: &Url) -> Result<(), Syntax> {
    match url.host().chars().find(|c| matches!(c, '?' | '#' | '@' | '\\')) {
        None => Ok(()),
        Some(c) => Err(Syntax {
            reason: format!("Illegal character found in host: '{c}'"),
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
