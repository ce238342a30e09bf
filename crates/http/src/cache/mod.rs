//! The HTTP cache of JMeter's Cache Manager (`CacheManager`). It stores validators and expiry
//! dates, but no bodies.

mod entry;
mod store;

pub(crate) use entry::Response;
#[cfg(test)]
use entry::{CacheUse, expiry};
pub(crate) use store::{Cache, Validators};

#[cfg(test)]
mod tests;
