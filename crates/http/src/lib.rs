//! The HTTP Request sampler with its cookies, cache, redirects and compression.
//!
//! Layers, each using only those before it: `text`, `url` and `wire` (pure: charsets, Java's URLs, HTTP/1.1 as bytes),
//! `cookies` and `cache` (pure state of a user), `compile` and `request` (from plan elements to bytes), `connection`
//! and `exchange` (over `swell_net`), `sampler` (JMeter's semantics on top).

mod auth;
mod cache;
mod coding;
mod compile;
mod connection;
mod cookies;
mod embedded;
mod failure;
mod files;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod keystore;
mod kinds;
mod modify;
mod request;
mod sampler;
#[cfg(test)]
mod testing;
mod text;
mod url;
mod wire;

pub use connection::{Broken, Exchange, exchange};
pub use failure::Failure;
pub use kinds::kinds;
pub use text::is_token;
pub use wire::error::WireError;
pub use wire::head::{Facts, Framing, Head};
pub use wire::response::{MAX_HEAD, Nothing, Response, Sink};
