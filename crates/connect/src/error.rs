//! Errors of opening a connection.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use swell_http1::WireError;

/// Why a connection could not be opened.
#[derive(Debug)]
pub enum ConnectError {
    /// The system knows no address of the host. `remembered`: it was asked before, so the answer is
    /// that of [`crate::NameCache`].
    UnknownHost {
        /// The host.
        host: String,
        /// The cached failure; there was no new look-up.
        remembered: bool,
    },
    /// The name servers of the plan know no address of the host.
    Unresolved(String),
    /// A name server of the plan has no address itself, so the host was not looked up.
    NoNameServers(String),
    /// Name servers cannot be asked for such a name.
    InvalidName,
    /// The host was found, and without any address.
    NoAddress,
    /// No address answers.
    Connect {
        /// That of the last address.
        error: io::Error,
        /// Where the connection was to go.
        host: String,
        /// Its port.
        port: u16,
        /// What the addresses go by.
        name: String,
        /// All of them.
        tried: Vec<SocketAddr>,
    },
    /// The socket in the file system does not answer.
    ConnectUnix(io::Error, PathBuf),
    /// The connection to the proxy broke before it had answered.
    ProxyLost(io::Error),
    /// The proxy's answer is not a response. The text is `host:port` of the target.
    ProxyAnswer(WireError, String),
    /// The proxy makes no tunnel: the status of its answer.
    TunnelRefused(u16),
    /// The TLS handshake failed.
    Handshake(io::Error),
}
