//! A cookie of a response.

use super::matching::Origin;

/// An attribute of a cookie: its name in lower case, and its value.
pub(super) type Attribute = (String, Option<String>);

/// Whether the attribute is there.
pub(super) fn given(attributes: &[Attribute], wanted: &str) -> bool {
    attributes.iter().any(|(name, _)| name == wanted)
}

/// A cookie as a response sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetCookie {
    pub(crate) name: String,
    pub(crate) value: String,
    /// Lower case, and with the leading dot only by RFC 2109 and Netscape's form; the host if none
    /// was named.
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

impl SetCookie {
    /// Why a jar does not store it; none if it does, limits aside.
    pub(crate) fn why_not_stored(&self, delete_empty: bool, now_ms: i64) -> Option<&'static str> {
        if self.expires_ms.is_some_and(|ms| ms != 0 && ms < now_ms) {
            return Some("it has expired, so it deletes the stored one");
        }
        (delete_empty && self.value.is_empty()).then_some("its value is empty, so it deletes the stored one")
    }

    /// A cookie whose attributes have not been read yet.
    pub(super) fn new(name: String, value: String, origin: &Origin<'_>, attributes: &[Attribute]) -> Self {
        Self {
            name,
            value,
            domain: origin.host.to_string(),
            path: origin.default_path().to_owned(),
            secure: false,
            expires_ms: None,
            domain_given: given(attributes, "domain"),
            path_given: given(attributes, "path"),
            version: 0,
        }
    }
}
