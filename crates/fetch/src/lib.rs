//! The one blocking HTTP client: what the program fetches and sends besides its load. Exports, exporters under test, the live page and
//! JMeter's jars go through it. Threads that make load never do.
//!
//! It reads responses as the load does (`swell_http1`) and makes TLS as the load does (`swell_connect`), pinned certificates included.

mod address;
mod client;
mod error;
mod exchange;
mod limits;
mod proxy;

pub use address::{Address, is_secure};
pub use client::{Client, Request};
pub use error::FetchError;
pub use exchange::Answer;
pub use limits::{BodyLimit, Limits};
