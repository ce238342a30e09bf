//! The request target that HttpClient sends for a URL (`URIUtils.rewriteURIForRoute`,
//! `URI.toASCIIString`).

use crate::text::form::push_escaped;

use super::java::Url;

impl Url {
    /// Appends the request target: path and query without fragment, empty path segments taken out,
    /// characters beyond ASCII escaped. Java brings such characters to normal form C first; here
    /// they are taken as they are.
    pub(crate) fn target_into(&self, out: &mut String) {
        let path = self.path();
        if path.is_ascii() || has_empty_segment(path) {
            push_path(path, out);
        } else {
            push_ascii(path, out);
        }
        if let Some(query) = self.query() {
            out.push('?');
            push_ascii(query, out);
        }
    }

    /// The request target for a proxy: the URL without fragment, its path as it is, its host in
    /// lower case.
    pub(crate) fn absolute_target(&self) -> String {
        let mut out = format!("{}://{}", self.protocol(), self.host_header().to_ascii_lowercase());
        push_ascii(if self.path().is_empty() { "/" } else { self.path() }, &mut out);
        if let Some(query) = self.query() {
            out.push('?');
            push_ascii(query, &mut out);
        }
        out
    }

    /// The path of the request target, escapes decoded (`URI.getPath`).
    pub(crate) fn decoded_path(&self) -> String {
        let target = self.target();
        let path = target.split('?').next().unwrap_or_default();
        if path.contains('%') { decode(path) } else { path.to_owned() }
    }

    /// The request target as a separate text.
    pub(crate) fn target(&self) -> String {
        let mut out = String::with_capacity(self.as_str().len());
        self.target_into(&mut out);
        out
    }

    /// The request target with the path as it is, empty segments as well.
    pub(crate) fn target_as_given(&self) -> String {
        let mut out = String::with_capacity(self.as_str().len());
        push_ascii(if self.path().is_empty() { "/" } else { self.path() }, &mut out);
        if let Some(query) = self.query() {
            out.push('?');
            push_ascii(query, &mut out);
        }
        out
    }

    /// The host that HttpClient connects to; none if it finds no valid one
    /// (`URIUtils.extractHost`).
    pub(crate) fn target_host(&self) -> Option<&str> {
        let host = self.host();
        let blank = host.contains(char::is_whitespace) || host.contains("%20") || host.contains("%09");
        (!host.is_empty() && !blank).then_some(host)
    }
}

/// Appends a path as HttpClient rewrites it, characters beyond ASCII as they are.
pub(super) fn push_path(path: &str, out: &mut String) {
    if path.is_empty() {
        out.push('/');
    } else if has_empty_segment(path) {
        without_empty_segments(path, out);
    } else {
        out.push_str(path);
    }
}

fn has_empty_segment(path: &str) -> bool {
    path.as_bytes().windows(2).any(|two| two == b"//")
}

pub(super) fn push_ascii(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.push_str(text);
        return;
    }
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_escaped(byte, out));
        }
    }
}

/// Path segments, escapes decoded.
pub(super) fn segments(path: &str) -> Vec<String> {
    path.strip_prefix('/').unwrap_or(path).split('/').map(decode).collect()
}

fn without_empty_segments(path: &str, out: &mut String) {
    let segments = segments(path);
    let last = segments.len() - 1;
    let kept = segments.iter().enumerate().filter(|(i, s)| !s.is_empty() || *i == last).map(|(_, s)| s);
    push_segments(kept, out);
}

/// Appends path segments, escaped again (`URLEncodedUtils.formatSegments`).
pub(super) fn push_segments<'a>(segments: impl Iterator<Item = &'a String>, out: &mut String) {
    for segment in segments {
        out.push('/');
        for byte in segment.bytes() {
            if byte.is_ascii_alphanumeric() || b"_-.*!~'();:@&=+$,".contains(&byte) {
                out.push(char::from(byte));
            } else {
                push_escaped(byte, out);
            }
        }
    }
}

/// Decodes escapes as HttpClient does: characters beyond ASCII lose all but their low byte, and
/// invalid UTF-8 then becomes U+FFFD.
fn decode(segment: &str) -> String {
    let units: Vec<u16> = segment.encode_utf16().collect();
    let digit = |i: usize| units.get(i).and_then(|u| char::from_u32(u32::from(*u))?.to_digit(16));
    let mut bytes = Vec::with_capacity(units.len());
    let mut i = 0;
    while let Some(&unit) = units.get(i) {
        if unit == u16::from(b'%')
            && let (Some(high), Some(low)) = (digit(i + 1), digit(i + 2))
        {
            bytes.push((high * 16 + low) as u8);
            i += 3;
        } else {
            bytes.push(unit as u8);
            i += 1;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_httpclients() {
        let table = [
            ("/", "/"),
            ("//%41", "/A"),
            ("/a//b%2Fc%20d", "/a/b%2Fc%20d"),
            ("/a/./b/../c", "/a/./b/../c"),
            ("/x?", "/x?"),
            ("/x??", "/x??"),
            ("/\u{e9}?\u{fc}", "/%C3%A9?%C3%BC"),
            ("/a;b=c,d:e@f&g=h+i$j!k*l'm(n)", "/a;b=c,d:e@f&g=h+i$j!k*l'm(n)"),
            ("//a;b", "/a;b"),
            ("/HTTP://127.0.0.1:1/up", "/HTTP:/127.0.0.1:1/up"),
            ("/%C3%A9//%e9", "/%C3%A9/%EF%BF%BD"),
            ("//a//", "/a/"),
            ("/a//?q//r", "/a/?q//r"),
            ("/a\u{20ac}b//", "/a%EF%BF%BDb/"),
            ("/\u{1F600}", "/%F0%9F%98%80"),
            ("/x#frag", "/x"),
        ];
        for (file, target) in table {
            assert_eq!(Url::from_parts("http", "h", None, file).unwrap().target(), target, "{file}");
        }
        assert_eq!(Url::parse("http://h?x").unwrap().target(), "/?x");
    }
}
