//! Splits URLs into the parts that a connection needs.

use crate::FetchError;

/// A URL, split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address<'u> {
    /// HTTPS.
    pub secure: bool,
    /// Name and password, encoded as in the URL.
    pub user: Option<&'u str>,
    /// Name or IP address; an IPv6 address without its brackets.
    pub host: &'u str,
    /// Its port, or the one of the scheme.
    pub port: u16,
    /// Path and query.
    pub target: &'u str,
}

impl<'u> Address<'u> {
    /// Splits a URL.
    ///
    /// # Errors
    /// It has another scheme, or an invalid port.
    pub fn parse(url: &'u str) -> Result<Self, FetchError> {
        let url = url.trim();
        let after =
            |start: &str| url.get(..start.len())?.eq_ignore_ascii_case(start).then(|| &url[start.len()..]);
        let (secure, rest) = match (after("https://"), after("http://")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => {
                return Err(FetchError::Url(format!(
                    "`{url}` starts neither with http:// nor with https://"
                )));
            }
        };
        let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (place, target) = rest.split_at(at);
        let target = target.split('#').next().unwrap_or_default();
        let (user, place) = match place.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, place),
        };
        let is_in_brackets = place.ends_with(']');
        let (host, port) = match place.rsplit_once(':').filter(|_| !is_in_brackets) {
            Some((host, port)) => {
                (host, port.parse().map_err(|_| FetchError::Url(format!("invalid port `{port}`")))?)
            }
            None => (place, if secure { 443 } else { 80 }),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        Ok(Self { secure, user, host, port, target: if target.is_empty() { "/" } else { target } })
    }

    /// `host:port`, for heads.
    pub fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

/// Whether a URL is one of HTTPS.
pub fn is_secure(url: &str) -> bool {
    Address::parse(url).is_ok_and(|address| address.secure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_is_split() {
        let of = |secure, host, port, target| Ok(Address { secure, user: None, host, port, target });
        let table = [
            ("http://h:8086/write?db=x", of(false, "h", 8086, "/write?db=x")),
            (" http://h ", of(false, "h", 80, "/")),
            ("HTTPS://h/x", of(true, "h", 443, "/x")),
            ("http://h?a=b#c", of(false, "h", 80, "?a=b")),
            ("http://[::1]:8080/", of(false, "::1", 8080, "/")),
            ("https://[::1]", of(true, "::1", 443, "/")),
        ];
        for (url, wanted) in table {
            assert_eq!(Address::parse(url).map_err(|error| error.to_string()), wanted, "{url}");
        }
        let with_user = Address { user: Some("u:p%40"), ..Address::parse("http://h:1/").expect("a URL") };
        assert_eq!(Address::parse("http://u:p%40@h:1/").map_err(|error| error.to_string()), Ok(with_user));
        for url in ["ftp://h/", "http://h:x/", "", "http://h:70000"] {
            assert!(Address::parse(url).is_err(), "{url}");
        }
        assert_eq!(Address::parse("http://[::1]:1/").map(|a| a.authority()).ok().as_deref(), Some("[::1]:1"));
    }
}
