//! Matches cookies with requests (`BasicDomainHandler`, `BasicPathHandler`, `BasicSecureHandler`).

use std::borrow::Cow;

/// The request that sets or gets cookies (`CookieOrigin`).
#[derive(Clone, Debug)]
pub(crate) struct Origin<'a> {
    /// Host in lower case.
    pub(crate) host: Cow<'a, str>,
    /// Path without query; `/` if there is none.
    pub(crate) path: &'a str,
    /// HTTPS.
    pub(crate) secure: bool,
}

impl<'a> Origin<'a> {
    /// The origin of a URL's parts.
    pub(crate) fn new(host: &'a str, path: &'a str, secure: bool) -> Self {
        let upper = host.bytes().any(|b| b.is_ascii_uppercase());
        let host = if upper { Cow::Owned(host.to_ascii_lowercase()) } else { Cow::Borrowed(host) };
        Self { host, path: if path.trim().is_empty() { "/" } else { path }, secure }
    }

    /// Path of a cookie that names none: up to the last slash.
    pub(super) fn default_path(&self) -> &'a str {
        match self.path.rfind('/') {
            Some(0) => &self.path[..1],
            Some(at) => &self.path[..at],
            None => self.path,
        }
    }

    /// Whether a cookie that this origin sets may have that domain.
    pub(crate) fn may_set(&self, domain: &str) -> bool {
        *self.host == *domain || domain_match(domain, &self.host)
    }

    /// As [`Origin::may_set`], where the host has a dot with at least three parts, or two below one
    /// of seven top-level domains (`NetscapeDomainHandler.validate`).
    pub(super) fn may_set_by_netscape(&self, domain: &str) -> bool {
        const SPECIAL: [&str; 7] = [".com", ".edu", ".net", ".gov", ".mil", ".org", ".int"];
        let parts = domain.split('.').filter(|part| !part.is_empty()).count();
        let least = if SPECIAL.iter().any(|end| domain.ends_with(end)) { 2 } else { 3 };
        self.may_set(domain) && (parts >= least || !self.host.contains('.'))
    }

    /// As [`Origin::gets`], with another rule for domains.
    pub(super) fn gets_by(&self, matches: impl Fn(&str) -> bool, path: &str, secure: bool) -> bool {
        matches(&self.host) && path_match(self.path, path) && (self.secure || !secure)
    }

    /// Whether a cookie is sent to it. `domain_given`: the cookie came with a domain.
    pub(crate) fn gets(&self, domain: &str, domain_given: bool, path: &str, secure: bool) -> bool {
        let domain = domain.strip_prefix('.').unwrap_or(domain);
        let in_domain = self.host.eq_ignore_ascii_case(domain)
            || domain_given && domain_match(&domain.to_ascii_lowercase(), &self.host);
        in_domain && path_match(self.path, path) && (self.secure || !secure)
    }
}

fn domain_match(domain: &str, host: &str) -> bool {
    let domain = domain.strip_prefix('.').unwrap_or(domain);
    let Some(prefix) = host.strip_suffix(domain).filter(|_| !is_address(host)) else { return false };
    prefix.is_empty() || prefix.len() > 1 && prefix.ends_with('.')
}

fn is_address(host: &str) -> bool {
    host.parse::<std::net::IpAddr>().is_ok()
}

fn path_match(request: &str, cookie: &str) -> bool {
    let cookie = if cookie.len() > 1 { cookie.strip_suffix('/').unwrap_or(cookie) } else { cookie };
    match request.strip_prefix(cookie) {
        Some(rest) => cookie == "/" || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains() {
        let gets = |host, domain, given| Origin::new(host, "/", false).gets(domain, given, "/", false);
        assert!(gets("a.b.c", "a.b.c", false));
        assert!(gets("A.B.c", "a.b.C", false));
        assert!(gets("x.b.c", "b.c", true));
        assert!(gets("x.b.c", ".b.c", true));
        assert!(!gets("x.b.c", "b.c", false), "host-only");
        assert!(!gets("ab.c", "b.c", true));
        assert!(!gets("1.2.3.4", "3.4", true), "addresses have no parent domain");
        assert!(gets("1.2.3.4", "1.2.3.4", true));
    }

    #[test]
    fn paths() {
        let table = [
            ("/", "/", true),
            ("/a/b", "/", true),
            ("/a/b", "/a", true),
            ("/a/b", "/a/", true),
            ("/a", "/a/", true),
            ("/ab", "/a", false),
            ("/b", "/a", false),
            ("/", "", true),
        ];
        for (request, cookie, wanted) in table {
            assert_eq!(path_match(request, cookie), wanted, "{request} {cookie}");
        }
        let default = |path| Origin::new("h", path, false).default_path();
        assert_eq!((default("/a/b"), default("/a"), default("/"), default("")), ("/a", "/", "/", "/"));
    }

    #[test]
    fn secure_cookies_need_https() {
        let gets = |secure| Origin::new("h", "/", secure).gets("h", false, "/", true);
        assert!(gets(true) && !gets(false));
    }
}
