//! URLs as JMeter wants them: protocol, host, port and path, with percent-encoding.

use std::fmt::Write as _;

use url::Url;

use crate::model::{Text, TextPart};

/// Where requests go.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Origin {
    pub(crate) protocol: String,
    pub(crate) host: String,
    pub(crate) port: u16,
}

/// A URL in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// None: of the defaults, or the path is a whole URL.
    pub(crate) origin: Option<Origin>,
    /// Path and query, or a whole URL that begins with a variable, or has one in its host.
    pub(crate) path: Text,
    /// The path is a whole URL.
    pub(crate) is_whole: bool,
    /// User and password of the URL, decoded.
    pub(crate) user: Option<(String, String)>,
    /// Characters that are sent encoded, since JMeter refuses them.
    pub(crate) encoded: String,
}

impl Origin {
    /// The default port of the protocol.
    pub(crate) fn has_default_port(&self) -> bool {
        self.port == if self.protocol == "https" { 443 } else { 80 }
    }

    /// Host and, if it is not the protocol's, port.
    pub(crate) fn authority(&self) -> String {
        if self.has_default_port() { self.host.clone() } else { format!("{}:{}", self.host, self.port) }
    }
}

/// Reads a URL.
///
/// # Errors
/// Why it cannot be requested.
pub(crate) fn target(url: &Text) -> Result<Target, String> {
    let url = without_fragment(url);
    let leading = url.leading();
    let lower = leading.get(..8.min(leading.len())).unwrap_or_default().to_ascii_lowercase();
    let Some(scheme) = ["http://", "https://"].into_iter().find(|scheme| lower.starts_with(scheme)) else {
        let has_scheme = leading.split_once("://").is_some_and(|(scheme, _)| {
            !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        });
        if has_scheme {
            return Err(format!("`{}` is neither http:// nor https://", shorten(leading)));
        }
        let is_whole = leading.is_empty() && !url.is_empty();
        let rooted = if is_whole || leading.starts_with('/') { url } else { slash(&url) };
        let (path, encoded) = encode(&rooted);
        return Ok(Target { origin: None, path, is_whole, user: None, encoded });
    };
    let after = &leading[scheme.len()..];
    let end = after.find(['/', '?', '\\']).map(|at| at + scheme.len());
    if end.is_none() && url.as_literal().is_none() {
        let (path, encoded) = encode(&url);
        return Ok(Target { origin: None, path, is_whole: true, user: None, encoded });
    }
    let (authority, rest) = url.split_leading(end.unwrap_or(leading.len()));
    let parsed = Url::parse(authority.leading())
        .map_err(|error| format!("invalid URL `{}`: {error}", shorten(leading)))?;
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = (!parsed.username().is_empty() || parsed.password().is_some())
        .then(|| (decoded(parsed.username()), decoded(parsed.password().unwrap_or_default())));
    let origin = Origin {
        protocol: parsed.scheme().to_owned(),
        host: parsed.host_str().unwrap_or_default().to_owned(),
        port: parsed.port_or_known_default().unwrap_or(80),
    };
    let rest = if rest.leading().starts_with('/') { rest } else { slash(&rest) };
    let (path, encoded) = encode(&rest);
    Ok(Target { origin: Some(origin), path, is_whole: false, user, encoded })
}

fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}

fn slash(text: &Text) -> Text {
    let mut out = Text::literal("/");
    out.push(text.clone());
    out
}

fn without_fragment(url: &Text) -> Text {
    let mut out = Text::default();
    for part in url.parts() {
        match part {
            TextPart::Literal(text) => match text.split_once('#') {
                Some((before, _)) => {
                    out.push_literal(before);
                    return out;
                }
                None => out.push_literal(text),
            },
            TextPart::Variable(name) => out.push(Text::variable(name)),
            TextPart::Function(call) => out.push(Text::function(call)),
        }
    }
    out
}

/// What `java.net.URI` refuses in a query; a path may not have square brackets, too.
const REFUSED: &str = " \"<>\\^`{|}";

/// The text with characters encoded that JMeter refuses, and those whose encoding makes a
/// difference: a browser or curl would send them as they are.
fn encode(text: &Text) -> (Text, String) {
    let mut in_query = false;
    let mut different = String::new();
    let mut change = |text: &str| {
        let mut out = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            let is_wrong_percent = c == '%' && !is_escape(&text.as_bytes()[at..]);
            in_query |= c == '?';
            let is_bracket = !in_query && matches!(c, '[' | ']');
            if !(c.is_control() || !c.is_ascii() || REFUSED.contains(c) || is_bracket || is_wrong_percent) {
                out.push(c);
                continue;
            }
            if c.is_ascii_graphic() && !different.contains(c) {
                different.push(c);
            }
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                // Writing to a String cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
        out
    };
    let encoded = text.map_literals(&mut change);
    (encoded, different)
}

fn is_escape(bytes: &[u8]) -> bool {
    bytes.len() >= 3 && bytes[1].is_ascii_hexdigit() && bytes[2].is_ascii_hexdigit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<String, String> {
        let url = Text::with_braces(text, &mut |name| Some(Text::variable(name)));
        let target = target(&url)?;
        let origin =
            target.origin.map(|origin| format!("{} {} {}", origin.protocol, origin.host, origin.port));
        Ok(format!("{} {}", origin.unwrap_or_default(), target.path.to_plan()).trim().to_owned())
    }

    #[test]
    fn urls_become_protocol_host_port_and_path() {
        for (text, wanted) in [
            ("http://a.test", "http a.test 80 /"),
            ("HTTPS://A.test:8443?x=1#top", "https a.test 8443 /?x=1"),
            (
                "https://bücher.test/ä b?q={\"a\":[1]}|",
                "https xn--bcher-kva.test 443 /%C3%A4%20b?q=%7B%22a%22:[1]%7D%7C",
            ),
            ("http://a.test/[x]/100%/%20?a[]=50%", "http a.test 80 /%5Bx%5D/100%25/%20?a[]=50%25"),
            ("http://a.test/{{id}}/x", "http a.test 80 /${id}/x"),
            ("http://{{host}}/x y", "http://${host}/x%20y"),
            ("http://{{host}}", "http://${host}"),
            ("{{base}}/x", "${base}/x"),
            ("/a/b?c", "/a/b?c"),
            ("?c", "/?c"),
            ("a/b", "/a/b"),
            ("", "/"),
            ("http://[::1]:81/x", "http [::1] 81 /x"),
        ] {
            assert_eq!(of(text).as_deref(), Ok(wanted), "{text}");
        }
        for text in ["ftp://a/", "ws://a/x", "http://", "http://a:99999/", "http://a b/"] {
            assert!(of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn credentials_and_changed_characters_are_reported() {
        let target = target(&Text::literal("http://ada:s%40@a.test/{x} |{")).expect("a URL");
        assert_eq!(target.user, Some(("ada".to_owned(), "s@".to_owned())));
        assert_eq!(target.encoded, "{}|");
    }
}
