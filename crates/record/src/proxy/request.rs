//! Heads of requests: as clients send them to a proxy, and as servers get them.

use swell_http1::Framing;
use swell_http1::latin1;
use swell_http1::server::{Refusal, parse};

use crate::har::CODINGS;

/// Heads larger than this are refused.
const HEAD_BYTES: usize = 256 << 10;

/// Headers that are for the proxy only.
const OF_PROXY: &[&str] = &["proxy-connection", "proxy-authorization"];

/// The head of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestHead {
    pub(super) method: String,
    /// The target, as it was sent.
    pub(super) target: String,
    /// Headers as the server gets them.
    pub(super) headers: Vec<(String, String)>,
    pub(super) framing: Framing,
    pub(super) keep_alive: bool,
    pub(super) is_http10: bool,
}

impl RequestHead {
    /// The head that the bytes begin with, and its length; none if it is not complete.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<(usize, Self)>, Refusal> {
        // A client may end a body with an empty line too many.
        let blank = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let parsed = parse(&bytes[blank..], HEAD_BYTES, |head| {
            let line = head.raw.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let target = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
            let headers = head.headers.iter().map(|field| (field.name, latin1::decode(field.value)));
            let headers =
                headers.filter(|(name, _)| !OF_PROXY.iter().any(|own| name.eq_ignore_ascii_case(own)));
            let headers = headers.map(|(name, value)| (name.to_owned(), understood(name, value)));
            Ok(Self {
                method: head.method.to_owned(),
                target: latin1::decode(target),
                headers: headers.collect(),
                framing: head.framing,
                keep_alive: head.keep_alive,
                is_http10: head.http10,
            })
        });
        Ok(parsed?.map(|(length, head)| (blank + length, head)))
    }

    /// The bytes for the server, with a target in origin form; for a proxy on the way, with a whole
    /// URL and what lets it in.
    pub(super) fn bytes(&self, target: &str, authorization: Option<&str>) -> Vec<u8> {
        let mut out = Vec::new();
        let version = if self.is_http10 { "HTTP/1.0" } else { "HTTP/1.1" };
        for text in [&*self.method, " ", target, " ", version, "\r\n"] {
            put(text, &mut out);
        }
        let headers = self.headers.iter().map(|(name, value)| (&**name, &**value));
        for (name, value) in headers.chain(authorization.map(|value| ("Proxy-Authorization", value))) {
            for text in [name, ": ", value, "\r\n"] {
                put(text, &mut out);
            }
        }
        out.extend_from_slice(b"\r\n");
        out
    }

    /// The first value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// Whether the browser shows the response as the page of a window.
    pub(super) fn navigates(&self) -> bool {
        self.header("sec-fetch-mode") == Some("navigate")
            && self.header("sec-fetch-dest").is_none_or(|dest| dest == "document")
    }
}

/// Text of a head as the bytes that it was decoded from.
fn put(text: &str, out: &mut Vec<u8>) {
    out.extend(text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')));
}

/// The value of a header without content codings that could not be read later.
fn understood(name: &str, value: String) -> String {
    if !name.eq_ignore_ascii_case("accept-encoding") {
        return value;
    }
    let is_known = |item: &&str| {
        let coding = item.split(';').next().unwrap_or_default().trim();
        CODINGS.iter().any(|known| known.eq_ignore_ascii_case(coding))
    };
    let known: Vec<&str> = value.split(',').map(str::trim).filter(is_known).collect();
    if known.is_empty() { "identity".to_owned() } else { known.join(", ") }
}

/// Host and port of the target of a CONNECT; none if it is not one.
pub(super) fn authority(target: &str) -> Option<(String, u16)> {
    let (host, port) = target.rsplit_once(':')?;
    let port = port.parse().ok().filter(|port| *port > 0)?;
    let is_bare_v6 = host.contains(':') && !host.starts_with('[');
    (!host.is_empty() && !is_bare_v6 && !host.contains(['/', '@', ' '])).then(|| (host.to_owned(), port))
}

/// Host, port and target in origin form of a target in absolute form; none if it does not begin
/// with `http:`.
pub(super) fn absolute(target: &str) -> Option<(String, u16, String)> {
    let scheme = target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"))?;
    let rest = &target[scheme.len()..];
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']') && !port.is_empty());
    let (host, port) =
        if has_port { authority(host)? } else { authority(&format!("{}:80", host.trim_end_matches(':')))? };
    let path = path.split('#').next().unwrap_or_default();
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Some((host, port, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_go_on_as_they_came_without_what_is_for_the_proxy() {
        let sent = "\r\nPOST http://a/b?c HTTP/1.1\r\nHost:  a \r\nx-ID: \u{e9}\r\nProxy-Connection: keep-alive\r\n\
                    Accept-Encoding: gzip, zstd, br;q=0.5\r\nContent-Length: 3\r\n\r\nabc";
        let bytes: Vec<u8> = sent.chars().map(|c| c as u8).collect();
        let (length, head) = RequestHead::parse(&bytes).unwrap().unwrap();
        assert_eq!((length, &*head.target), (bytes.len() - 3, "http://a/b?c"));
        let wanted = "POST /b?c HTTP/1.1\r\nHost: a\r\nx-ID: \u{e9}\r\nAccept-Encoding: gzip, br;q=0.5\r\n\
                      Content-Length: 3\r\n\r\n";
        assert_eq!(latin1::decode(&head.bytes("/b?c", None)), wanted);
        assert_eq!((head.framing, head.keep_alive, head.navigates()), (Framing::Length(3), true, false));
        assert_eq!(RequestHead::parse(b"GET / HT").unwrap(), None);
        assert_eq!(understood("accept-encoding", "zstd".into()), "identity");
    }

    #[test]
    fn targets_are_split() {
        let at = |host: &str, port, path: &str| Some((host.to_owned(), port, path.to_owned()));
        for (target, wanted) in [
            ("http://a", at("a", 80, "/")),
            ("HTTP://a:81?b", at("a", 81, "/?b")),
            ("http://u:p@a/b#c", at("a", 80, "/b")),
            ("http://[::1]:8080/x", at("[::1]", 8080, "/x")),
            ("http://[::1]/x", at("[::1]", 80, "/x")),
            ("https://a/", None),
            ("/a", None),
            ("http:///a", None),
            ("http://a:b/", None),
        ] {
            assert_eq!(absolute(target), wanted, "{target}");
        }
        assert_eq!(authority("a:443"), Some(("a".to_owned(), 443)));
        for wrong in ["a", "a:0", ":443", "a:b", "::1:443", "http://a:1"] {
            assert_eq!(authority(wrong), None, "{wrong}");
        }
    }
}
