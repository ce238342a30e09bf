//! The HTTP Request sampler with its cookies, cache, redirects and compression.
//!
//! Layers, each using only those before it: `text` and `url` (pure: forms, Java's URLs; HTTP/1.1 as
//! bytes is `swell_http1`), `cookies` and `cache` (pure state of a user), `compile` and `request`
//! (from plan elements to bytes), `exchange` (one request over a connection of `swell_connect`),
//! `sampler` (JMeter's semantics on top).

mod auth;
mod cache;
mod classes;
mod coding;
mod compile;
mod cookies;
mod embedded;
mod exchange;
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
