//! A cookie of a response.

/// A cookie as a response sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetCookie {
    pub(crate) name: String,
    pub(crate) value: String,
    /// Lower case, without leading dot; the host if none was named.
    pub(crate) domain: String,
    pub(crate) path: String,
    pub(crate) secure: bool,
    /// Milliseconds since the epoch; none for a session cookie.
    pub(crate) expires_ms: Option<i64>,
    /// It came with a `Domain`.
    pub(crate) domain_given: bool,
    /// It came with a `Path`.
    pub(crate) path_given: bool,
    /// Its `Version`, which only RFC 2109 has.
    pub(crate) version: i32,
}
