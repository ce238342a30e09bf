//! A cookie.

use swell_api::RequestCookie;

/// A cookie from a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cookie {
    pub(crate) name: Box<str>,
    pub(crate) value: Box<str>,
    pub(crate) domain: Box<str>,
    pub(crate) path: Box<str>,
    pub(crate) secure: bool,
    pub(crate) domain_given: bool,
    pub(crate) path_given: bool,
    /// 1 for cookies of the plan; those of responses have none (0) unless RFC 2109 reads them.
    pub(crate) version: i32,
}

impl From<&Cookie> for RequestCookie {
    fn from(cookie: &Cookie) -> Self {
        Self {
            name: cookie.name.to_string(),
            value: cookie.value.to_string(),
            domain: cookie.domain.to_string(),
            path: cookie.path.to_string(),
            secure: cookie.secure,
            domain_given: cookie.domain_given,
            path_given: cookie.path_given,
        }
    }
}

impl From<&RequestCookie> for Cookie {
    fn from(cookie: &RequestCookie) -> Self {
        Self {
            name: (&*cookie.name).into(),
            value: (&*cookie.value).into(),
            domain: (&*cookie.domain).into(),
            path: (&*cookie.path).into(),
            secure: cookie.secure,
            domain_given: cookie.domain_given,
            path_given: cookie.path_given,
            version: 1,
        }
    }
}
