//! Cookie policies.

/// How cookies are parsed, validated and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// `standard`: RFC 6265, lax about dates.
    Lax,
    /// `standard-strict`: RFC 6265, a bad date or age spoils the cookie.
    Strict,
    /// `netscape`: values as they are, in the order they came, no `Max-Age`.
    Netscape,
    /// `default`, `best-match`, `compatibility`: as `netscape` for cookies without a version, as
    /// RFC 2109 for those with one, which cookies of the plan are.
    Default,
    /// `rfc2109`, and `rfc2965`, which keeps no cookie of a response.
    Rfc2109,
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
            ("default", Self::Default),
            ("best-match", Self::Default),
            ("compatibility", Self::Default),
            ("rfc2109", Self::Rfc2109),
            ("rfc2965", Self::Rfc2109),
        ];
        names.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, policy)| *policy)
    }
}
