//! Limits for the cookies of a user. RFC 6265 §6.1 requires "general-use user agents" to support at
//! least 4,096 bytes per cookie, 50 cookies per domain and 3,000 in total. JMeter has no limits,
//! but memory has.

use swell_api::CompileContext;

/// The limits of a jar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Bytes of name, value, domain and path of a cookie.
    pub(crate) bytes: usize,
    /// Cookies of one domain.
    pub(crate) per_domain: usize,
    /// Cookies in all.
    pub(crate) count: usize,
}

impl Default for Limits {
    /// The number of cookies is that of Chrome and Firefox; their limit of bytes is lower.
    fn default() -> Self {
        Self { bytes: 16_384, per_domain: 180, count: 3_300 }
    }
}

impl Limits {
    /// Most `Set-Cookie` headers of a response that are read, the last of them.
    pub(crate) const IN_A_RESPONSE: usize = 1_000;

    /// With the values of properties; 0 means no limit.
    pub(crate) fn of(compile: &CompileContext) -> Self {
        let limit = |name: &str, default: usize| match compile.whole_number(name) {
            Some(0) => usize::MAX,
            Some(number) => usize::try_from(number).unwrap_or(usize::MAX),
            None => default,
        };
        let Self { bytes, per_domain, count } = Self::default();
        Self {
            bytes: limit("cookies.max_bytes", bytes),
            per_domain: limit("cookies.max_per_domain", per_domain),
            count: limit("cookies.max_count", count),
        }
    }
}
