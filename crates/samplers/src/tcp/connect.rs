//! Opens connections as `TCPSampler.getSocket` does.

use std::io;

use swell_connect::{ConnectError, NameCache, dial};
use swell_net::{ConnectOptions, TcpStream};

use crate::{system_text, whole};

use super::spec::Call;

const MS: i64 = 1_000_000;
const ILLEGAL: &str = "java.lang.IllegalArgumentException: ";

/// A connection, with bytes that were read but not used.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) unread: Vec<u8>,
}

/// Why there is no connection.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConnectFailure {
    /// Java's exception with its message.
    pub(super) message: String,
    /// Thrown where an exchange would throw, so that the sample looks like a failed exchange.
    pub(super) in_exchange: bool,
}

fn thrown(message: String) -> ConnectFailure {
    ConnectFailure { message, in_exchange: true }
}

impl Connection {
    /// The connection with the settings of this sample, which a kept connection also receives.
    pub(super) fn set_up(self, call: &Call) -> Result<Self, ConnectFailure> {
        if call.timeout_ms < 0 {
            return Err(thrown(format!("{ILLEGAL}timeout can't be negative")));
        }
        match self.stream.set_nodelay(call.nodelay) {
            Ok(()) => Ok(self),
            Err(error) => Err(thrown(socket(&error))),
        }
    }

    pub(super) async fn open(call: &Call, names: &NameCache) -> Result<Self, ConnectFailure> {
        let Ok(port) = u16::try_from(call.port) else {
            return Err(thrown(format!("{ILLEGAL}port out of range:{}", call.port)));
        };
        if call.connect_timeout_ms < 0 {
            return Err(thrown(format!("{ILLEGAL}connect: timeout can't be negative")));
        }
        if !call.linger.is_empty() && whole(&call.linger) < 0 {
            return Err(thrown(format!("{ILLEGAL}invalid value for SO_LINGER")));
        }
        let failed = |message| ConnectFailure { message, in_exchange: false };
        let server = if call.server.is_empty() { "localhost" } else { &call.server };
        let timeout_ns = (call.connect_timeout_ms > 0).then(|| i64::from(call.connect_timeout_ms) * MS);
        let options = ConnectOptions { timeout_ns, ..ConnectOptions::default() };
        let connected = match names.resolve(server, port).await {
            // Java's socket tries the first address only.
            Ok(addresses) => dial((server, port), server, &addresses[..1], &options).await,
            Err(error) => Err(error),
        };
        let stream = connected.map_err(|error| failed(refusal(&error, server)))?;
        if call.linger.is_empty() || whole(&call.linger) > 0 {
            return Ok(Self { stream, unread: Vec::new() });
        }
        stream.set_linger_zero().map_err(|error| failed(socket(&error)))?;
        Ok(Self { stream, unread: Vec::new() })
    }
}

/// What Java throws if the connection fails.
fn refusal(error: &ConnectError, server: &str) -> String {
    match error {
        ConnectError::Connect { error, .. } => refused(error),
        _ => format!("java.net.UnknownHostException: {server}"),
    }
}

/// What Java throws when a connect fails (`NioSocketImpl`, `Net.c`).
fn refused(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::TimedOut if error.raw_os_error().is_none() => {
            "java.net.SocketTimeoutException: Connect timed out".to_owned()
        }
        io::ErrorKind::ConnectionRefused | io::ErrorKind::TimedOut => {
            format!("java.net.ConnectException: {}", system_text(error))
        }
        io::ErrorKind::HostUnreachable => "java.net.NoRouteToHostException: No route to host".to_owned(),
        io::ErrorKind::AddrInUse | io::ErrorKind::AddrNotAvailable | io::ErrorKind::PermissionDenied => {
            format!("java.net.BindException: {}", system_text(error))
        }
        _ => socket(error),
    }
}

/// What Java throws when a socket breaks.
pub(super) fn socket(error: &io::Error) -> String {
    format!("java.net.SocketException: {}", system_text(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_javas_words() {
        let system = |number| refused(&io::Error::from_raw_os_error(number));
        // Numbers of Linux.
        assert_eq!(system(111), "java.net.ConnectException: Connection refused");
        assert_eq!(system(110), "java.net.ConnectException: Connection timed out");
        assert_eq!(system(113), "java.net.NoRouteToHostException: No route to host");
        assert_eq!(system(101), "java.net.SocketException: Network is unreachable");
        assert_eq!(system(99), "java.net.BindException: Cannot assign requested address");
        let ours = io::Error::from(io::ErrorKind::TimedOut);
        assert_eq!(refused(&ours), "java.net.SocketTimeoutException: Connect timed out");
    }
}
