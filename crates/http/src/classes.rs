//! Names of JMeter classes that several modules use.

pub(crate) use swell_api::BZM_HTTP_SAMPLER as BZM_HTTP;

pub(crate) const HEADERS: &str = "HeaderManager";
pub(crate) const COOKIES: &str = "CookieManager";
pub(crate) const CACHE: &str = "CacheManager";
pub(crate) const AUTHORIZATION: &str = "AuthManager";
pub(crate) const DNS: &str = "DNSCacheManager";
pub(crate) const KEYSTORE: &str = "KeystoreConfig";
