//! Why a request got no response.

use std::fmt;
use std::io;
use std::time::Duration;

/// Why a request got no response, or no complete one.
#[derive(Debug)]
pub enum FetchError {
    /// The URL, or that of a redirect, is invalid.
    Url(String),
    /// The name of the host has no address.
    NoAddress,
    /// The server sent nothing for that long.
    Silence(Duration),
    /// The whole answer took longer than allowed.
    TooLong,
    /// The body is larger than this limit, in bytes.
    TooLarge(u64),
    /// More redirects than this.
    Redirects(u8),
    /// A variable of the environment names a proxy that cannot be used: its name, and why.
    ProxyVariable(String, String),
    /// A proxy refused the connection with this status.
    Proxy(u16),
    /// The response is not HTTP.
    NotHttp(String),
    /// A connection failed; certificates that are not trusted are among these.
    Io(io::Error),
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(why) | Self::NotHttp(why) => f.write_str(why),
            Self::NoAddress => f.write_str("the host has no address"),
            Self::Silence(limit) => write!(f, "no answer within {} ms", limit.as_millis()),
            Self::TooLong => f.write_str("the answer takes too long"),
            Self::TooLarge(limit) => write!(f, "the answer is larger than {limit} bytes"),
            Self::Redirects(limit) => write!(f, "more than {limit} redirects"),
            Self::ProxyVariable(name, why) => write!(f, "cannot use the proxy in `{name}`: {why}"),
            Self::Proxy(status) => write!(f, "the proxy refused the connection with status {status}"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FetchError {}

impl From<io::Error> for FetchError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
