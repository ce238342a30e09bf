//! The HTTP Request sampler with its cookies, cache, redirects and compression.
//!
//! Layers, each of which uses only earlier ones: `text` and `url` (pure: forms and Java's URLs;
//! HTTP/1.1 as bytes is in `swell_http1`), `cookies` and `cache` (pure state of a user), `compile`
//! and `request` (from plan elements to bytes), `exchange` and `exchange_http2` (one request over a
//! connection of `swell_connect`), `sampler` (JMeter's semantics).

mod auth;
mod cache;
mod classes;
mod coding;
mod compile;
mod cookies;
mod embedded;
mod events;
mod exchange;
mod exchange_http2;
mod expect;
mod failure;
mod files;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod kinds;
mod modify;
mod request;
mod sampler;
mod set;
#[cfg(test)]
mod testing;
mod text;
mod url;

pub use kinds::kinds;
pub use sampler::{UpgradeScope, UpgradeTrace};
pub use text::form::encode_into as form_encode_into;
