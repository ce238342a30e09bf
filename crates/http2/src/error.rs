//! Errors of a connection, of a stream, and of a field that cannot be sent.

use std::error::Error;
use std::fmt;

/// An error code (RFC 9113 §7). Displayed by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorCode(pub u32);

macro_rules! codes {
    ($($number:literal $name:ident $help:literal),* $(,)?) => {
        impl ErrorCode {
            $(#[doc = $help] pub const $name: Self = Self($number);)*

            /// Its name, if the RFC has one.
            #[must_use]
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    0x0 NO_ERROR "A normal end.",
    0x1 PROTOCOL_ERROR "The peer broke a rule.",
    0x2 INTERNAL_ERROR "The sender failed.",
    0x3 FLOW_CONTROL_ERROR "More data than a window allows, or an impossible window.",
    0x4 SETTINGS_TIMEOUT "Settings were not acknowledged in time.",
    0x5 STREAM_CLOSED "A frame for a stream that is closed.",
    0x6 FRAME_SIZE_ERROR "A frame with an invalid length.",
    0x7 REFUSED_STREAM "The stream was not processed.",
    0x8 CANCEL "The stream is no longer needed.",
    0x9 COMPRESSION_ERROR "A head that cannot be decoded.",
    0xa CONNECT_ERROR "The connection of a CONNECT request failed.",
    0xb ENHANCE_YOUR_CALM "The peer causes excessive load.",
    0xc INADEQUATE_SECURITY "TLS is too weak.",
    0xd HTTP_1_1_REQUIRED "The server wants HTTP/1.1.",
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "error {:#x}", self.0),
        }
    }
}

/// The peer broke a rule that ends the connection. The GOAWAY that says so is in the output
/// already: send it, then close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionError {
    /// The code in the GOAWAY.
    pub code: ErrorCode,
    /// What the peer did.
    pub rule: &'static str,
}

impl ConnectionError {
    pub(crate) const fn new(code: ErrorCode, rule: &'static str) -> Self {
        Self { code, rule }
    }

    pub(crate) const fn protocol(rule: &'static str) -> Self {
        Self::new(ErrorCode::PROTOCOL_ERROR, rule)
    }
}

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.rule, self.code)
    }
}

impl Error for ConnectionError {}

/// Why a stream ended before, or after, its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamReset {
    /// The peer sent RST_STREAM.
    Peer(ErrorCode),
    /// The peer broke a rule of this stream; RST_STREAM is in the output.
    Rule {
        /// The code in the RST_STREAM.
        code: ErrorCode,
        /// What the peer did.
        rule: &'static str,
    },
    /// The peer's GOAWAY says that it did not process this stream.
    NotProcessed,
}

impl StreamReset {
    /// The peer did not act upon the request: it may be sent again (RFC 9113 §8.7).
    #[must_use]
    pub fn is_unprocessed(self) -> bool {
        matches!(self, Self::NotProcessed | Self::Peer(ErrorCode::REFUSED_STREAM))
    }
}

impl fmt::Display for StreamReset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(code) => write!(f, "stream reset by the peer: {code}"),
            Self::Rule { code, rule } => write!(f, "{rule} ({code})"),
            Self::NotProcessed => {
                f.write_str("the peer closed the connection before it processed the stream")
            }
        }
    }
}

/// A field, or a part of a request line, that HTTP/2 cannot carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidField {
    /// The name as it was given, shortened.
    pub name: Box<str>,
    /// What is wrong with it.
    pub rule: &'static str,
}

impl InvalidField {
    /// Longest part of a name that a message shows, in bytes.
    const SHOWN: usize = 64;

    pub(crate) fn new(name: &[u8], rule: &'static str) -> Self {
        let shown = &name[..name.len().min(Self::SHOWN)];
        Self { name: shown.escape_ascii().to_string().into(), rule }
    }
}

impl fmt::Display for InvalidField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid header field `{}`: {}", self.name, self.rule)
    }
}

impl Error for InvalidField {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_code_and_rule() {
        for (shown, wanted) in [
            (ErrorCode::REFUSED_STREAM.to_string(), "REFUSED_STREAM"),
            (ErrorCode(0x20).to_string(), "error 0x20"),
            (ConnectionError::protocol("DATA on stream 0").to_string(), "DATA on stream 0 (PROTOCOL_ERROR)"),
            (StreamReset::Peer(ErrorCode::CANCEL).to_string(), "stream reset by the peer: CANCEL"),
            (
                InvalidField::new(b"a b", "spaces are not allowed").to_string(),
                "invalid header field `a b`: spaces are not allowed",
            ),
        ] {
            assert_eq!(shown, wanted);
        }
    }

    #[test]
    fn what_was_not_processed_may_be_sent_again() {
        let rule = StreamReset::Rule { code: ErrorCode::REFUSED_STREAM, rule: "x" };
        for (reset, wanted) in [
            (StreamReset::NotProcessed, true),
            (StreamReset::Peer(ErrorCode::REFUSED_STREAM), true),
            (StreamReset::Peer(ErrorCode::CANCEL), false),
            (rule, false),
        ] {
            assert_eq!(reset.is_unprocessed(), wanted, "{reset}");
        }
    }
}
