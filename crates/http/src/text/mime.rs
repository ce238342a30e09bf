//! HttpClient's `ContentType`: the content types of multipart parts.

use swell_expr::Charset;

use crate::failure::Failure;

/// A content type as it is sent, and its charset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentType {
    pub(crate) text: String,
    pub(crate) charset: Option<Charset>,
}

impl ContentType {
    /// A MIME type with a charset (`ContentType.create`).
    ///
    /// # Errors
    /// The MIME type is blank, or more than a MIME type.
    pub(crate) fn create(mime: &str, charset: Charset) -> Result<Self, Failure> {
        if mime.trim().is_empty() {
            return Err(Failure::illegal("MIME type may not be blank"));
        }
        if mime.contains(['"', ',', ';']) {
            return Err(Failure::illegal("MIME type may not contain reserved characters"));
        }
        let text = format!("{}; charset={}", mime.to_lowercase(), charset.name());
        Ok(Self { text, charset: Some(charset) })
    }

    /// A whole header value (`ContentType.parse`): its first element, written again.
    ///
    /// # Errors
    /// No element, or an unknown charset.
    pub(crate) fn parse(value: &str) -> Result<Self, Failure> {
        let mut rest = value;
        let (mime, more) = loop {
            if rest.is_empty() {
                return Err(Failure::content_type(value));
            }
            let (name, equals, end) = pair(&mut rest);
            if !name.is_empty() || equals.is_some() {
                break (name, end == Some(';'));
            }
        };
        let mut text = mime;
        let mut charset = None;
        rest = rest.trim_start();
        let mut more = more && !rest.is_empty();
        while more {
            let (name, value, end) = pair(&mut rest);
            more = end == Some(';') && !rest.is_empty();
            text.push_str("; ");
            text.push_str(&name);
            let Some(value) = value else { continue };
            text.push('=');
            quote_into(&value, &mut text);
            if charset.is_none() && name.eq_ignore_ascii_case("charset") && !value.trim().is_empty() {
                charset = Some(Charset::of(&value).ok_or_else(|| Failure::charset(&value))?);
            }
        }
        Ok(Self { text, charset })
    }
}

/// Takes `name=value` and the `;` or `,` after it off the text
/// (`BasicHeaderValueParser.parseNameValuePair`).
pub(crate) fn pair(rest: &mut &str) -> (String, Option<String>, Option<char>) {
    let name_end = rest.find(['=', ';', ',']).unwrap_or(rest.len());
    let name = rest[..name_end].split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let end = rest[name_end..].chars().next();
    *rest = rest.get(name_end + 1..).unwrap_or_default();
    if end != Some('=') {
        return (name, None, end);
    }
    let mut value = String::new();
    let mut quoted = false;
    let mut escaped = false;
    let mut chars = rest.char_indices();
    let end = loop {
        let Some((at, c)) = chars.next() else {
            *rest = "";
            break None;
        };
        match c {
            _ if escaped => {
                value.push(c);
                escaped = false;
            }
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ';' | ',' if !quoted => {
                *rest = &rest[at + 1..];
                break Some(c);
            }
            _ => value.push(c),
        }
    };
    (name, Some(value.trim().to_owned()), end)
}

/// Appends a value, in quotes where it needs them (`BasicHeaderValueFormatter`).
fn quote_into(value: &str, out: &mut String) {
    if !value.contains(|c| " ;,:@()<>\\\"/[]?={}\t".contains(c)) {
        out.push_str(value);
        return;
    }
    out.push('"');
    for c in value.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_anew() {
        let table: [(&str, &str, Option<Charset>); 8] = [
            ("text/plain", "text/plain", None),
            ("Text/Plain;charset=\"utf-8\"", "Text/Plain; charset=utf-8", Some(Charset::default())),
            ("text/plain; charset=utf-8; x=y", "text/plain; charset=utf-8; x=y", Some(Charset::default())),
            ("a/b;c=\"d e\";;f;G = h i", "a/b; c=\"d e\"; ; f; G=\"h i\"", None),
            ("tex,t;;;=", "tex", None),
            (", a/b;", "a/b", None),
            ("a/b; charset=", "a/b; charset=", None),
            ("a/b;q=\"x\\\"y\", c/d", "a/b; q=\"x\\\"y\"", None),
        ];
        for (value, text, charset) in table {
            let wanted = Ok(ContentType { text: text.to_owned(), charset });
            assert_eq!(ContentType::parse(value), wanted, "{value}");
        }
    }

    #[test]
    fn what_is_no_type_is_refused() {
        let message = |result: Result<ContentType, Failure>| {
            let failure = result.unwrap_err();
            (failure.class, failure.message.unwrap())
        };
        let parse = |value| message(ContentType::parse(value));
        assert_eq!(parse(""), ("org.apache.http.ParseException", "Invalid content type: ".into()));
        assert_eq!(
            parse("a/b; charset=nope"),
            ("java.nio.charset.UnsupportedCharsetException", "nope".into())
        );
        let create = |mime| message(ContentType::create(mime, Charset::default())).1;
        assert_eq!(create(" "), "MIME type may not be blank");
        assert_eq!(create("te\"xt"), "MIME type may not contain reserved characters");
        let upper = ContentType::create("Text/HTML", Charset::Latin1).unwrap();
        assert_eq!(upper.text, "text/html; charset=ISO-8859-1");
    }
}
