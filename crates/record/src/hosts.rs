//! Which hosts are recorded.

use std::str::FromStr;

/// Hosts that Chromium calls by itself: updates, time, checks of passwords and forms.
pub(crate) const BROWSER_HOSTS: &[&str] = &[
    "android.clients.google.com",
    "clients2.google.com",
    "clientservices.googleapis.com",
    "content-autofill.googleapis.com",
    "edgedl.me.gvt1.com",
    "mtalk.google.com",
    "optimizationguide-pa.googleapis.com",
    "passwordsleakcheck-pa.googleapis.com",
    "redirector.gvt1.com",
    "safebrowsing.googleapis.com",
    "safebrowsingohttpgateway.googleapis.com",
    "update.googleapis.com",
];

/// Patterns of hosts, separated by commas: `shop.test`, `*.api.test`, `127.0.0.1:8443`. `*` is any
/// text; a pattern without a port is for all ports. Letters are compared without case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPatterns(Vec<Pattern>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    host: String,
    port: Option<u16>,
}

impl HostPatterns {
    /// Whether there are none, which means all hosts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a host is one of them; none of them: all are.
    pub fn has(&self, host: &str, port: u16) -> bool {
        let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
        let fits = |pattern: &Pattern| {
            pattern.port.is_none_or(|wanted| wanted == port) && matches(&pattern.host, &host)
        };
        self.is_empty() || self.0.iter().any(fits)
    }

    /// The patterns of hosts, without ports.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|pattern| &*pattern.host)
    }
}

impl FromStr for HostPatterns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split(',').map(Pattern::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl Pattern {
    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let wrong = || {
            format!(
                "invalid host pattern `{text}`: use a host such as shop.test, *.shop.test or 127.0.0.1:8443"
            )
        };
        // An IPv6 address without brackets has no port.
        let is_bare_v6 = text.matches(':').count() > 1 && !text.starts_with('[');
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !is_bare_v6 && !port.ends_with(']') => {
                (host, Some(port.parse().map_err(|_| wrong())?))
            }
            _ => (text, None),
        };
        let host = host.trim_matches(['[', ']']).to_ascii_lowercase();
        let is_host = |c: char| c.is_ascii_alphanumeric() || "-_.*:".contains(c) || !c.is_ascii();
        if host.is_empty() || !host.chars().all(is_host) {
            return Err(wrong());
        }
        Ok(Self { host, port })
    }
}

/// Whether `*` in a pattern can be texts that make it the host. Linear in both, but for the number
/// of
/// `*`.
fn matches(pattern: &str, host: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == host };
    let Some(mut left) = host.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = left.find(piece) else { return false };
        left = &left[at + piece.len()..];
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_match_patterns() {
        for (patterns, host, port, wanted) in [
            ("shop.test", "Shop.test", 443, true),
            ("shop.test", "a.shop.test", 443, false),
            ("*.shop.test", "a.b.shop.test", 80, true),
            ("*.shop.test", "shop.test", 80, false),
            ("a, *b*c", "xbybc", 1, true),
            ("*b*c", "xbyb", 1, false),
            ("localhost:8443", "localhost", 8443, true),
            ("localhost:8443", "localhost", 80, false),
            ("[::1]:80", "::1", 80, true),
            ("[::1]:80", "[::1]", 81, false),
            ("::1", "[::1]", 81, true),
            ("*", "x", 1, true),
        ] {
            let parsed: HostPatterns = patterns.parse().expect(patterns);
            assert_eq!(parsed.has(host, port), wanted, "{patterns} {host}:{port}");
        }
        assert!(HostPatterns::default().has("x", 1));
        for wrong in ["", "a,", "https://a", "a:b", "a/b", "a:70000"] {
            assert!(wrong.parse::<HostPatterns>().is_err_and(|why| why.contains("shop.test")), "{wrong}");
        }
    }
}
