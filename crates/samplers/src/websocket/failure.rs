//! How samples of the plug-in fail.

use std::io;

use swell_connect::ConnectError;
use swell_websocket::ProtocolError;

use super::frames::ReceivedFrame;
use crate::system_text;

/// Why a sample failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// Nothing came in time.
    Silence,
    /// Reading or writing failed: Java's message.
    Io(String),
    /// The upgrade was refused: the status, and a message.
    Upgrade(Option<u16>, String),
    /// An exception of Java that is not about input or output.
    Thrown(String),
    /// Another frame came than was expected.
    Unexpected(Box<ReceivedFrame>),
    /// The data to send are not there: the message.
    Data(String),
}

/// What Java says where nothing comes in time.
pub(super) const READ_TIMED_OUT: &str = "Read timed out";

impl Failure {
    /// Code and message of the sample.
    pub(super) fn code_and_message(&self) -> (String, String) {
        match self {
            Self::Silence => Self::Io(READ_TIMED_OUT.to_owned()).code_and_message(),
            Self::Io(text) => ("Websocket I/O error".to_owned(), format!("WebSocket I/O error: {text}")),
            Self::Upgrade(status, text) => {
                (status.map(|status| status.to_string()).unwrap_or_default(), text.clone())
            }
            Self::Thrown(text) => ("Sampler error".to_owned(), format!("Sampler error: {text}")),
            Self::Unexpected(frame) => (
                format!("Sampler error: unexpected frame type ({}).", frame.type_name()),
                format!("Received: {}", frame.describe()),
            ),
            Self::Data(text) => ("Sampler Error".to_owned(), text.clone()),
        }
    }

    /// The reason alone.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Silence => READ_TIMED_OUT.to_owned(),
            Self::Io(text) | Self::Upgrade(_, text) | Self::Thrown(text) | Self::Data(text) => text.clone(),
            Self::Unexpected(frame) => frame.describe(),
        }
    }

    /// Sending or receiving failed.
    pub(super) fn of_io(error: &io::Error) -> Self {
        if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            return Self::Io(tls.to_string());
        }
        match (error.raw_os_error(), error.kind()) {
            (_, io::ErrorKind::BrokenPipe) => Self::Io("Broken pipe".to_owned()),
            (_, io::ErrorKind::ConnectionReset) => Self::Io("Connection reset".to_owned()),
            (None, io::ErrorKind::TimedOut) => Self::Silence,
            _ => Self::Io(system_text(error)),
        }
    }

    /// There is no connection.
    pub(super) fn of_connect(error: &ConnectError) -> Self {
        match error {
            ConnectError::Connect { error, .. } | ConnectError::ConnectUnix(error, _) => {
                if error.kind() == io::ErrorKind::TimedOut && error.raw_os_error().is_none() {
                    return Self::Io("Connect timed out".to_owned());
                }
                Self::Io(system_text(error))
            }
            ConnectError::UnknownHost { host, .. } | ConnectError::Unresolved(host) => Self::Io(host.clone()),
            ConnectError::Handshake(error) => match error.kind() {
                io::ErrorKind::UnexpectedEof => Self::Io("Remote host terminated the handshake".to_owned()),
                _ => Self::of_io(error),
            },
            ConnectError::TunnelRefused(status) => {
                Self::Upgrade(Some(*status), format!("Connecting proxy failed with status code {status}"))
            }
            ConnectError::ProxyLost(error) => Self::of_io(error),
            ConnectError::ProxyAnswer(_, target) => {
                Self::Io(format!("the proxy's answer about a tunnel to {target} is not HTTP"))
            }
            ConnectError::NoNameServers(server) => Self::Io(format!("{server}: Name or service not known")),
            ConnectError::InvalidName => Self::Io("the name of the host is invalid".to_owned()),
            ConnectError::NoAddress => Self::Io("the host has no address".to_owned()),
        }
    }

    /// The server broke the protocol where the plug-in has a text for it, or in another way.
    pub(super) fn of_protocol(error: &ProtocolError) -> Self {
        match error {
            ProtocolError::ReservedOpcode(opcode) => {
                Self::Thrown(format!("java.lang.RuntimeException: unsupported frame type: {opcode}"))
            }
            ProtocolError::LoneContinuation => Self::Io("no continuation frame expected".to_owned()),
            ProtocolError::MissingContinuation => Self::Io("missing continuation frame".to_owned()),
            other => Self::Io(format!("protocol error: {other}")),
        }
    }

    /// An operation that the connection does not allow now.
    pub(super) fn illegal_state(operation: &str, state: &str) -> Self {
        Self::Thrown(format!("java.lang.IllegalStateException: Cannot {operation} when state is {state}"))
    }
}
