//! The part of `java.net.URL` that HTTP samplers use.

use memchr::memchr;

/// The protocol of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// `http`.
    Http,
    /// `https`.
    Https,
    /// `file`, which samplers read by themselves.
    File,
}

impl Scheme {
    /// The protocol that a text names.
    ///
    /// # Errors
    /// Java knows no such protocol, or nothing here can reach it.
    pub(super) fn of(protocol: &str) -> Result<Self, MalformedUrl> {
        let all = [Self::Http, Self::Https, Self::File];
        let found = all.into_iter().find(|scheme| protocol.eq_ignore_ascii_case(scheme.name()));
        found.ok_or_else(|| MalformedUrl(format!("unknown protocol: {}", protocol.to_ascii_lowercase())))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::File => "file",
        }
    }
}

/// A URL: its text and the ranges of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Url {
    text: String,
    scheme: Scheme,
    /// Start and end of the authority (`user@host:port`); empty where there is none.
    authority: (usize, usize),
    /// Start and end of the host, brackets included.
    host: (usize, usize),
    port: Option<u32>,
    path: usize,
    query: Option<usize>,
    fragment: Option<usize>,
}

/// `MalformedURLException`, with its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MalformedUrl(pub(crate) String);

impl Url {
    /// `new URL(protocol, host, port, file)`; no port: the protocol's own.
    ///
    /// # Errors
    /// A protocol that Java does not know, a host with a slash, a negative port.
    pub(crate) fn from_parts(
        protocol: &str,
        host: &str,
        port: Option<i64>,
        file: &str,
    ) -> Result<Self, MalformedUrl> {
        let scheme = Scheme::of(protocol)?;
        let protocol = scheme.name();
        let bracket = host.contains(':') && !host.starts_with('[');
        if let Some(port) = port.filter(|p| *p < -1) {
            return Err(MalformedUrl(format!("Invalid port number :{port}")));
        }
        if let Some(byte) = host.bytes().find(|byte| matches!(byte, b'/' | b'\\')) {
            return Err(MalformedUrl(format!("Illegal character found in host: '{}'", char::from(byte))));
        }
        let mut text = String::with_capacity(protocol.len() + host.len() + file.len() + 12);
        text.push_str(protocol);
        text.push(':');
        let mut authority = (text.len(), text.len());
        let mut host_at = authority;
        let port = port.filter(|p| *p >= 0);
        if !host.is_empty() || port.is_some() {
            text.push_str("//");
            authority.0 = text.len();
            host_at.0 = text.len();
            let (open, close) = if bracket { ("[", "]") } else { ("", "") };
            text.push_str(open);
            text.push_str(host);
            text.push_str(close);
            host_at.1 = text.len();
            if let Some(port) = port {
                text.push(':');
                text.push_str(itoa::Buffer::new().format(port));
            }
            authority.1 = text.len();
        }
        let path = text.len();
        if !file.starts_with('/') && !file.is_empty() && !host.is_empty() {
            text.push('/');
        }
        text.push_str(file);
        let port = port.map(|p| u32::try_from(p).unwrap_or(u32::MAX));
        Ok(Self { scheme, authority, host: host_at, port, path, query: None, fragment: None, text }.mark())
    }

    /// `new URL(spec)` of an absolute URL.
    ///
    /// # Errors
    /// No protocol or one that Java does not know, an authority that is none.
    pub(crate) fn parse(spec: &str) -> Result<Self, MalformedUrl> {
        let spec = spec.trim_matches(|c| c <= ' ');
        let Some((protocol, rest)) = split_protocol(spec) else {
            return Err(MalformedUrl(format!("no protocol: {spec}")));
        };
        let scheme = Scheme::of(protocol)?;
        let Some(after) = rest.strip_prefix("//") else {
            return Ok(Self::without_authority(scheme, rest));
        };
        let authority = &after[..after.find(['/', '?', '#']).unwrap_or(after.len())];
        Self::with_authority(scheme, authority, &after[authority.len()..])
    }

    fn without_authority(scheme: Scheme, file: &str) -> Self {
        let text = format!("{}:{file}", scheme.name());
        let path = scheme.name().len() + 1;
        let none = (path, path);
        Self { text, scheme, authority: none, host: none, port: None, path, query: None, fragment: None }
            .mark()
    }

    /// A URL of an authority as written and a file.
    pub(super) fn with_authority(scheme: Scheme, authority: &str, file: &str) -> Result<Self, MalformedUrl> {
        if authority.is_empty() {
            return Ok(Self::without_authority(scheme, file));
        }
        let text = format!("{}://{authority}{file}", scheme.name());
        let start = scheme.name().len() + 3;
        let end = start + authority.len();
        let user = authority.rfind('@').map_or(0, |at| at + 1);
        let (host_len, port) = split_port(authority, &authority[user..])?;
        let host = (start + user, start + user + host_len);
        Ok(Self { text, scheme, authority: (start, end), host, port, path: end, query: None, fragment: None }
            .mark())
    }

    /// Finds query and fragment.
    fn mark(mut self) -> Self {
        let file = &self.text.as_bytes()[self.path..];
        let fragment = memchr(b'#', file);
        let query = memchr(b'?', &file[..fragment.unwrap_or(file.len())]);
        (self.fragment, self.query) = (fragment.map(|at| self.path + at), query.map(|at| self.path + at));
        self
    }

    /// The whole text (`URL.toString`).
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether both have the same protocol and authority, as they are written.
    pub(crate) fn is_same_place(&self, other: &Self) -> bool {
        self.text[..self.path] == other.text[..other.path]
    }

    /// The same protocol, host and port (RFC 6454).
    pub(crate) fn is_same_origin(&self, other: &Self) -> bool {
        self.scheme() == other.scheme()
            && self.port_or_default() == other.port_or_default()
            && self.host().eq_ignore_ascii_case(other.host())
    }

    /// HTTPS.
    pub(crate) fn is_secure(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// A file of this machine.
    pub(crate) fn is_file(&self) -> bool {
        self.scheme == Scheme::File
    }

    /// What it starts with.
    pub(super) fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// `http`, `https` or `file`.
    pub(crate) fn protocol(&self) -> &'static str {
        self.scheme.name()
    }

    /// Host as written, brackets of IPv6 included.
    pub(crate) fn host(&self) -> &str {
        &self.text[self.host.0..self.host.1]
    }

    /// `user@host:port` as written.
    pub(crate) fn authority(&self) -> &str {
        &self.text[self.authority.0..self.authority.1]
    }

    /// The port if the URL names one.
    pub(crate) fn port(&self) -> Option<u32> {
        self.port
    }

    /// The port to connect to.
    pub(crate) fn port_or_default(&self) -> u32 {
        self.port.unwrap_or(self.default_port())
    }

    /// 443 or 80.
    pub(crate) fn default_port(&self) -> u32 {
        if self.is_secure() { 443 } else { 80 }
    }

    /// Path as written.
    pub(crate) fn path(&self) -> &str {
        &self.text[self.path..self.query.or(self.fragment).unwrap_or(self.text.len())]
    }

    /// What follows the path: query and fragment with their signs.
    pub(super) fn after_path(&self) -> &str {
        &self.text[self.query.or(self.fragment).unwrap_or(self.text.len())..]
    }

    /// Query as written, without `?`.
    pub(crate) fn query(&self) -> Option<&str> {
        let end = self.fragment.unwrap_or(self.text.len());
        self.query.map(|at| &self.text[at + 1..end])
    }

    /// Fragment as written, without `#`.
    pub(crate) fn fragment(&self) -> Option<&str> {
        self.fragment.map(|at| &self.text[at + 1..])
    }

    /// `host` or `host:port`, the latter where the URL names the port (`HttpHost.toHostString`).
    pub(crate) fn host_header(&self) -> &str {
        let end = if self.port.is_some() { self.authority.1 } else { self.host.1 };
        &self.text[self.host.0..end]
    }

    /// Offsets for the checks: authority, path, query, fragment.
    pub(super) fn offsets(&self) -> ((usize, usize), usize, Option<usize>, Option<usize>) {
        (self.authority, self.path, self.query, self.fragment)
    }
}

/// Protocol and rest of an absolute URL.
pub(super) fn split_protocol(spec: &str) -> Option<(&str, &str)> {
    let colon = spec.find([':', '/'])?;
    let protocol = &spec[..colon];
    let rest = spec[colon..].strip_prefix(':')?;
    let valid = protocol.starts_with(|c: char| c.is_ascii_alphabetic())
        && protocol.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-'));
    valid.then_some((protocol, rest))
}

/// Length of the host in `host[:port]`, and the port.
fn split_port(authority: &str, host_port: &str) -> Result<(usize, Option<u32>), MalformedUrl> {
    let host_len = if host_port.starts_with('[') {
        match host_port.find(']') {
            Some(end) if end > 2 => end + 1,
            _ => return Err(MalformedUrl(format!("Invalid authority field: {authority}"))),
        }
    } else {
        host_port.find(':').unwrap_or(host_port.len())
    };
    let rest = &host_port[host_len..];
    let Some(digits) = rest.strip_prefix(':') else {
        return if rest.is_empty() {
            Ok((host_len, None))
        } else {
            Err(MalformedUrl(format!("Invalid authority field: {authority}")))
        };
    };
    if digits.is_empty() {
        return Ok((host_len, None));
    }
    match digits.parse::<i32>() {
        Ok(port) if port < -1 => Err(MalformedUrl(format!("Invalid port number :{port}"))),
        Ok(port) => Ok((host_len, u32::try_from(port).ok())),
        Err(_) => {
            let at = digits.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(0);
            Err(MalformedUrl(format!("Error at index {at} in: \"{digits}\"")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_jmeters_urls() {
        let url = |protocol, host, port, file| Url::from_parts(protocol, host, port, file).map(|u| u.text);
        let table = [
            (url("http", "h", None, "/"), Ok("http://h/")),
            (url("HTTP", "h", Some(8080), "/a?b#c"), Ok("http://h:8080/a?b#c")),
            (url("http", "::1", Some(1), "/x"), Ok("http://[::1]:1/x")),
            (url("http", "[::1]", None, "/x"), Ok("http://[::1]/x")),
            (url("http", "", Some(44963), "/"), Ok("http://:44963/")),
            (url("https", "", None, "/x"), Ok("https:/x")),
            (url("file", "", None, "a/b.html"), Ok("file:a/b.html")),
            (url("FILE", "", None, "/a"), Ok("file:/a")),
            (url("foo", "h", None, "/"), Err("unknown protocol: foo")),
            (url("http", "h", Some(-5), "/"), Err("Invalid port number :-5")),
            (url("http", "127.0.0.1/foo", None, "/"), Err("Illegal character found in host: '/'")),
        ];
        for (got, wanted) in table {
            assert_eq!(got.as_ref().map(String::as_str).map_err(|e| e.0.as_str()), wanted);
        }
    }

    #[test]
    fn whole_urls_are_taken_apart() {
        let url = Url::parse(" https://u:p@h.example:81/a/b?c=d?e#f ").unwrap();
        assert_eq!(url.as_str(), "https://u:p@h.example:81/a/b?c=d?e#f");
        assert_eq!((url.host(), url.port(), url.authority()), ("h.example", Some(81), "u:p@h.example:81"));
        assert_eq!((url.path(), url.query(), url.fragment()), ("/a/b", Some("c=d?e"), Some("f")));
        assert_eq!(url.host_header(), "h.example:81");
        let bare = Url::parse("http://h?x").unwrap();
        assert_eq!((bare.host(), bare.path(), bare.query()), ("h", "", Some("x")));
        assert_eq!(Url::parse("http://h:/x").unwrap().port(), None);
        assert_eq!(Url::parse("http://h:/x").unwrap().host_header(), "h");
    }

    #[test]
    fn what_is_no_url_says_what_java_says() {
        let table = [
            ("http://[zz/", "Invalid authority field: [zz"),
            ("http://h:80a/x", "Error at index 2 in: \"80a\""),
            ("foo:bar", "unknown protocol: foo"),
            ("/x", "no protocol: /x"),
        ];
        for (spec, words) in table {
            assert_eq!(Url::parse(spec), Err(MalformedUrl(words.into())), "{spec}");
        }
    }
}
