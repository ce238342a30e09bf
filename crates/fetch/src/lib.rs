//! The single blocking HTTP client, for everything that the program fetches and sends in addition
//! to its load. Exports, exporters under test, the live page and JMeter's jars use it. Threads that
//! make load never do.
//!
//! It parses responses as the load does (`swell_http1`) and uses the same TLS (`swell_connect`),
//! including pinned certificates.

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
pub use proxy::{Proxy, is_exempt};
