//! Passwords in URLs, kept out of what is shown and kept for people.

use std::borrow::Cow;

const MASK: &str = "***";

/// The text with `***` in the place of each password in a URL, as in `http://user:password@host`.
pub fn without_passwords(text: &str) -> Cow<'_, str> {
    if !text.contains("://") || !text.contains('@') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after.find(ends_authority).unwrap_or(after.len());
        let (authority, following) = after.split_at(end);
        match authority.rsplit_once('@').and_then(|(user, host)| Some((user.split_once(':')?.0, host))) {
            Some((user, host)) => out.extend([user, ":", MASK, "@", host]),
            None => out.push_str(authority),
        }
        rest = following;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn ends_authority(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "/?#\\\"'<>`|,".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_go_and_the_rest_stays() {
        for (text, wanted) in [
            ("http://ada:secret@host/x?y=a@b", "http://ada:***@host/x?y=a@b"),
            ("GET https://a:b:c@d@h:8080 and ftp://u:p@h", "GET https://a:***@h:8080 and ftp://u:***@h"),
            ("{\"label\":\"http://u:p@h\",\"x\":1}", "{\"label\":\"http://u:***@h\",\"x\":1}"),
            ("http://:p@h", "http://:***@h"),
            ("http://u@h/", "http://u@h/"),
            ("http://host:80/a:b@c", "http://host:80/a:b@c"),
            ("a@b: c", "a@b: c"),
            ("://", "://"),
        ] {
            assert_eq!(without_passwords(text), wanted);
        }
    }
}
