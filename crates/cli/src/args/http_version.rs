//! The version of HTTP.

use clap::Args;
use swell_expr::Properties;

/// The property that the options set.
const VERSION: &str = "swell.http.version";

/// Options for the version of HTTP, of all commands that send requests.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct HttpVersionArgs {
    /// Use HTTP/2; without TLS, the server must accept it without an upgrade (h2c)
    ///
    /// The property swell.http.version sets the same: 1.1, 2, or auto (with TLS, what the server
    /// chooses).
    #[arg(long, conflicts_with = "http1")]
    pub(crate) http2: bool,
    /// Use HTTP/1.1 even if the server offers HTTP/2
    #[arg(long = "http1.1", id = "http1")]
    pub(crate) http1: bool,
}

impl HttpVersionArgs {
    /// Sets what the options say.
    pub(crate) fn apply(self, props: &Properties) {
        match (self.http2, self.http1) {
            (true, _) => props.set(VERSION, "2"),
            (_, true) => props.set(VERSION, "1.1"),
            _ => None,
        };
    }
}
