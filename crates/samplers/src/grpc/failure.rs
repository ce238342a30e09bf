//! Why there is no call, and how a call fails that the server did not end.

use std::io;

use swell_connect::{ConnectError, SessionError};
use swell_grpc::{Code, DescriptorError, FramingError, Status};
use swell_http2::ErrorCode;
use swell_stats::GRPC_NO_CONNECTION;

use crate::system_text;

/// Nothing was sent: the text of what is wrong with the plan.
#[derive(Clone, Debug)]
pub(super) struct NoCall(pub(super) String);

impl From<DescriptorError> for NoCall {
    fn from(error: DescriptorError) -> Self {
        Self(error.to_string())
    }
}

/// The status of a call without a connection.
pub(super) fn of_connect(error: &ConnectError) -> Status {
    let why = match error {
        ConnectError::Connect { error, host, port, .. } => format!("{}: {host}:{port}", io_text(error)),
        ConnectError::ConnectUnix(error, path) => format!("{}: {}", io_text(error), path.display()),
        ConnectError::UnknownHost { host, .. } | ConnectError::Unresolved(host) => {
            format!("unknown host: {host}")
        }
        ConnectError::Handshake(error) => format!("TLS handshake: {}", io_text(error)),
        ConnectError::TunnelRefused(status) => format!("the proxy refused with status {status}"),
        ConnectError::ProxyLost(error) => format!("the proxy: {}", io_text(error)),
        other => format!("{other:?}"),
    };
    Status::new(Code::Unavailable, format!("{GRPC_NO_CONNECTION}{why}"))
}

fn io_text(error: &io::Error) -> String {
    if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return tls.to_string();
    }
    system_text(error)
}

/// The server does not speak HTTP/2 over TLS.
pub(super) fn no_http2(chosen: Option<&[u8]>) -> Status {
    let chosen = chosen.map_or("nothing".into(), String::from_utf8_lossy);
    Status::new(Code::Unavailable, format!("the server does not choose h2 by ALPN, but {chosen}"))
}

/// The status of a call whose connection or stream broke. Codes as in "HTTP2 Transport Mapping" of
/// the protocol.
pub(super) fn of_session(error: &SessionError) -> Status {
    match error {
        SessionError::Io(kind, _, text) => match kind {
            io::ErrorKind::ConnectionReset => {
                Status::new(Code::Unavailable, format!("{GRPC_NO_CONNECTION}Connection reset"))
            }
            _ => Status::new(Code::Unavailable, format!("{GRPC_NO_CONNECTION}{text}")),
        },
        SessionError::Ended => {
            Status::new(Code::Unavailable, "the server closed the connection during the call")
        }
        SessionError::Connection(code, rule) | SessionError::Stream(code, rule) => {
            Status::new(Code::Internal, format!("HTTP/2 error {code}: {rule}"))
        }
        SessionError::Reset(code) => {
            let status = match *code {
                ErrorCode::CANCEL => Code::Cancelled,
                ErrorCode::REFUSED_STREAM => Code::Unavailable,
                ErrorCode::ENHANCE_YOUR_CALM => Code::ResourceExhausted,
                ErrorCode::INADEQUATE_SECURITY => Code::PermissionDenied,
                _ => Code::Internal,
            };
            Status::new(status, format!("RST_STREAM: HTTP/2 error {code}"))
        }
        SessionError::NotProcessed | SessionError::Closing => {
            Status::new(Code::Unavailable, "the server takes no more calls on this connection (GOAWAY)")
        }
        SessionError::Busy => Status::new(Code::Unavailable, "the server allows no more streams"),
        SessionError::Request(why) => Status::new(Code::Internal, why.clone()),
    }
}

/// The status of a call with a message that is not valid, in the texts of grpc-java
/// (`io.grpc.internal.MessageDeframer`) where it has one.
pub(super) fn of_framing(error: &FramingError) -> Status {
    match error {
        FramingError::TooLong { length, limit } => Status::new(
            Code::ResourceExhausted,
            format!("gRPC message exceeds maximum size {limit}: {length}"),
        ),
        FramingError::NoEncoding => {
            Status::new(Code::Internal, "Can't decode compressed gRPC message as compression not configured")
        }
        other => Status::new(Code::Internal, other.to_string()),
    }
}
