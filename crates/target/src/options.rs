//! What a target is started with.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Settings of a target. The default listens on a free port of the loopback address with one
/// worker.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address for plain HTTP. Port 0 asks for a free one; [`crate::Target::addr`] says which it
    /// became.
    pub bind: SocketAddr,
    /// Address for HTTP over TLS, with a self-signed certificate made at start.
    pub tls_bind: Option<SocketAddr>,
    /// Threads that serve. They share the port (`SO_REUSEPORT`), so the kernel spreads connections
    /// over them.
    pub workers: usize,
    /// Seed of delay draws that name none, and of login tokens.
    pub seed: u64,
    /// Every path answers as JMeter's HTTP Mirror Server does, not only those below `/mirror`.
    pub mirror: bool,
    /// Opens the routes that break HTTP on purpose, such as `/reset` and `/garbage`.
    pub misbehave: bool,
    /// How many requests with an `id` in their query each worker keeps for `/stats/log`; 0 keeps
    /// none.
    pub log_entries: usize,
    /// Longest request line and headers together, in bytes. Longer ones get 431.
    pub head_bytes_max: usize,
    /// Requests that a connection of HTTP/2 may have open at the same time.
    pub http2_streams_max: u32,
    /// Requests after which a connection of HTTP/2 is closed with GOAWAY, as nginx does after
    /// `keepalive_requests`; none: never.
    pub http2_requests_max: Option<u64>,
    /// How long a begun request may take to arrive. Between requests a connection may idle for
    /// ever.
    pub read_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            tls_bind: None,
            workers: 1,
            seed: 1,
            mirror: false,
            misbehave: false,
            log_entries: 0,
            head_bytes_max: 32 * 1024,
            http2_streams_max: 100,
            http2_requests_max: None,
            read_timeout: Duration::from_mins(1),
        }
    }
}
