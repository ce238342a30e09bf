//! Splits URLs into the parts that a connection needs.

use url::{Host, Url};

use crate::FetchError;

/// A URL, split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// HTTPS.
    pub secure: bool,
    /// Name and password, encoded as in a URL.
    pub user: Option<String>,
    /// Name or IP address; an IPv6 address without its brackets.
    pub host: String,
    /// Its port, or the one of the scheme.
    pub port: u16,
    /// Path and query.
    pub target: String,
}

impl Address {
    /// Splits a URL.
    ///
    /// # Errors
    /// Not a URL, or a URL with another scheme.
    pub fn parse(text: &str) -> Result<Self, FetchError> {
        let text = text.trim();
        let another = || FetchError::Url(format!("`{text}` starts neither with http:// nor with https://"));
        let url = match Url::parse(text) {
            Err(url::ParseError::RelativeUrlWithoutBase) => return Err(another()),
            parsed => parsed.map_err(|error| FetchError::Url(format!("invalid URL `{text}`: {error}")))?,
        };
        let (true, Some(port)) = (matches!(url.scheme(), "http" | "https"), url.port_or_known_default())
        else {
            return Err(another());
        };
        let host = match url.host().ok_or_else(another)? {
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(ip) => ip.to_string(),
            Host::Ipv6(ip) => ip.to_string(),
        };
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        Ok(Self {
            secure: url.scheme() == "https",
            user: user_of(&url),
            host,
            port,
            target: format!("{}{query}", url.path()),
        })
    }

    /// `host:port`, for heads.
    pub fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Whether both are of one server, by one scheme.
    pub(crate) fn has_origin_of(&self, other: &Self) -> bool {
        (self.secure, &self.host, self.port) == (other.secure, &other.host, other.port)
    }
}

/// Name and password of a URL, `name:password`.
pub(crate) fn user_of(url: &Url) -> Option<String> {
    let password = url.password().map(|password| format!(":{password}")).unwrap_or_default();
    let user = format!("{}{password}", url.username());
    (!user.is_empty()).then_some(user)
}

/// Whether a URL is one of HTTPS.
pub fn is_secure(url: &str) -> bool {
    Address::parse(url).is_ok_and(|address| address.secure)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(secure: bool, host: &str, port: u16, target: &str) -> Address {
        Address { secure, user: None, host: host.into(), port, target: target.into() }
    }

    #[test]
    fn url_is_split() {
        let table = [
            ("http://h:8086/write?db=x", address(false, "h", 8086, "/write?db=x")),
            (" http://h ", address(false, "h", 80, "/")),
            ("HTTPS://H/x", address(true, "h", 443, "/x")),
            ("http://h?a=b#c", address(false, "h", 80, "/?a=b")),
            ("http://h//a//b?", address(false, "h", 80, "//a//b?")),
            ("http://[::1]:8080/", address(false, "::1", 8080, "/")),
            ("https://[::1]", address(true, "::1", 443, "/")),
        ];
        for (url, wanted) in table {
            assert_eq!(Address::parse(url).map_err(|error| error.to_string()), Ok(wanted), "{url}");
        }
        let user = |url| Address::parse(url).expect("a URL").user;
        assert_eq!(user("http://u:p%40@h:1/").as_deref(), Some("u:p%40"));
        assert_eq!(user("http://u@h:1/").as_deref(), Some("u"));
        for url in ["ftp://h/", "http://h:x/", "", "http://h:70000", "h:80", "//h/"] {
            assert!(Address::parse(url).is_err(), "{url}");
        }
        assert_eq!(Address::parse("http://[::1]:1/").map(|a| a.authority()).ok().as_deref(), Some("[::1]:1"));
    }

    #[test]
    fn what_is_no_url_is_named() {
        let why = |url| Address::parse(url).expect_err(url).to_string();
        assert_eq!(why("h/x"), "`h/x` starts neither with http:// nor with https://");
        assert_eq!(why("ftp://h"), "`ftp://h` starts neither with http:// nor with https://");
        assert_eq!(why("http://h:x"), "invalid URL `http://h:x`: invalid port number");
    }
}
