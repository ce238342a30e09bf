//! Compiles plan elements once into what the sampler evaluates: merged properties and parsed texts.

mod ahead;
mod auth;
mod bzm;
mod embedded;
mod flag;
mod keystore;
pub(crate) mod lacks;
mod managers;
mod merge;
mod network;
mod reach;
mod settings;
mod spec;
mod version;

pub(crate) use auth::{AuthEntry, AuthManager};
pub(crate) use embedded::Embedded;
pub(crate) use flag::Flag;
pub(crate) use keystore::Alias;
pub(crate) use managers::{CacheManager, CookieManager};
pub(crate) use network::SourceKind;
pub(crate) use reach::Roots;
pub(crate) use settings::{CachedMode, PageKind, Retries, Settings};
pub(crate) use spec::{Argument, HeaderLine, Spec, Upload};
pub(crate) use version::HttpVersion;

#[cfg(test)]
mod tests;
