//! Cookies as JMeter's Cookie Manager keeps them (`CookieManager`, `HC4CookieHandler`, HttpClient
//! 4.5's `RFC6265LaxSpec`). A cookie that was valid when it came is sent for ever: JMeter looks at
//! its expiry only then.

mod cookie;
mod expires;
mod format;
mod jar;
mod limits;
mod matching;
mod parse;
mod policy;

#[cfg(feature = "fuzz")]
pub(crate) use expires::parse as expiry;
pub(crate) use jar::{Jar, PlanCookie};
pub(crate) use limits::Limits;
pub(crate) use matching::Origin;
pub(crate) use parse::parse;
pub(crate) use policy::Policy;

#[cfg(test)]
mod tests;
