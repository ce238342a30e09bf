//! Cookies as JMeter's Cookie Manager keeps them (`CookieManager`, `HC4CookieHandler`, HttpClient 4.5's
//! `RFC6265LaxSpec`). A cookie that was valid when it came is sent for ever: JMeter looks at its expiry only then.

mod expires;
mod jar;
mod matching;
mod parse;

pub(crate) use jar::{Jar, PlanCookie};
pub(crate) use matching::Origin;
pub(crate) use parse::parse;

/// How cookies are read, judged and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// `standard`: RFC 6265, lax about dates.
    Lax,
    /// `standard-strict`: RFC 6265, a bad date or age spoils the cookie.
    Strict,
    /// `netscape` and what falls back to it for cookies without a version: values as they are, in the order they came.
    Netscape,
    /// `ignoreCookies`.
    Ignore,
}

impl Policy {
    /// The policy of a name; none if JMeter knows no such name.
    pub(crate) fn for_name(name: &str) -> Option<Self> {
        let names = [
            ("", Self::Lax),
            ("standard", Self::Lax),
            ("standard-strict", Self::Strict),
            ("ignoreCookies", Self::Ignore),
            ("netscape", Self::Netscape),
            ("default", Self::Netscape),
            ("best-match", Self::Netscape),
            ("compatibility", Self::Netscape),
            ("rfc2109", Self::Netscape),
            ("rfc2965", Self::Netscape),
        ];
        names.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, policy)| *policy)
    }
}

#[cfg(test)]
mod tests;
