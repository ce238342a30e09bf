//! Cookies as JMeter's Cookie Manager handles them (`CookieManager`, `HC4CookieHandler`, HttpClient
//! 4.5's `RFC6265LaxSpec`). JMeter checks the expiry of a cookie only when it is set, so a cookie
//! that was valid then is sent for ever.

mod cookie;
mod expires;
mod format;
mod jar;
mod limits;
mod matching;
mod parse;
mod policy;
mod set_cookie;
mod tokens;
mod versioned;

#[cfg(feature = "fuzz")]
pub(crate) use expires::parse as expiry;
pub(crate) use jar::{Jar, PlanCookie};
pub(crate) use limits::Limits;
pub(crate) use matching::Origin;
pub(crate) use parse::parse;
pub(crate) use policy::Policy;
pub(crate) use set_cookie::SetCookie;

#[cfg(test)]
mod tests;
